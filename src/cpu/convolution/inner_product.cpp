// SPDX-License-Identifier: Apache-2.0
// Inner product by other rows of the same level: forward and backward weights are a convolution
// whose kernel covers the image, backward data is a matrix product over flattened images.
#include "common/descriptors/products.hpp"

#include <algorithm>

#include "common/descriptors/convolution.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/window/window.hpp"

namespace dnnl::impl::cpu {

namespace {

/// md with trailing dimensions of size 1 up to `ndims`.
memory_desc append_unit_dims(memory_desc md, int ndims) {
    if (md.is_zero()) return md;
    for (; md.ndims < ndims; ++md.ndims) {
        md.dims[md.ndims] = md.padded_dims[md.ndims] = 1;
        md.strides[md.ndims] = md.is_blocked() ? 1 : 0;
    }
    return md;
}

/// md without the trailing unit dimensions beyond `ndims`; they must not be blocked.
memory_desc drop_unit_dims(memory_desc md, int ndims) {
    for (; md.ndims > ndims; --md.ndims) {
        const int last = md.ndims - 1;
        md.dims[last] = md.padded_dims[last] = md.strides[last] = 0;
    }
    return md;
}

// ---- Forward and backward weights ----

class convolution_inner_product : public plan {
  public:
    explicit convolution_inner_product(problem &p) {
        auto &op = std::get<inner_product_desc>(p.op);
        forward_ = is_forward(op.prop);
        const int ndims = std::max(op.src.ndims, 3);
        convolution_desc conv;
        conv.prop = op.prop;
        conv.alg = dnnl_convolution_direct;
        conv.src = append_unit_dims(op.src, ndims);
        conv.weights = append_unit_dims(op.weights, ndims);
        conv.bias = op.bias;
        conv.dst = append_unit_dims(op.dst, ndims);
        std::fill_n(conv.strides.begin(), ndims - 2, 1);

        primitive_attr attr = p.attr;
        for (post_op &step : attr.post_ops.entries)
            if (auto *binary = std::get_if<binary_post_op>(&step))
                binary->src1 = append_unit_dims(binary->src1, ndims);
        inner_ = nested_plan(
            p, conv, attr, forward_ ? make_gemm_convolution : make_gemm_convolution_weights);
        if ((why_not_ = inner_.why_not())) return;

        const auto &resolved = std::get<convolution_desc>(inner_.op());
        op.src = drop_unit_dims(resolved.src, op.src.ndims);
        op.weights = drop_unit_dims(resolved.weights, op.weights.ndims);
        op.bias = resolved.bias;
        op.dst = drop_unit_dims(resolved.dst, op.dst.ndims);
        default_layouts(p);
    }

    void execute(const exec_context &ctx) const override {
        const auto &op = std::get<convolution_desc>(inner_.op());
        const int weights = forward_ ? DNNL_ARG_WEIGHTS : DNNL_ARG_DIFF_WEIGHTS;
        const int dst = forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST;
        const renamed_arguments::rename renames[] {{DNNL_ARG_SRC, DNNL_ARG_SRC, &op.src, nullptr},
            {weights, weights, &op.weights, nullptr}, {dst, dst, &op.dst, nullptr}};
        inner_.execute(ctx, renamed_arguments(ctx, renames).list());
    }

  private:
    bool forward_ = false;
    nested_plan inner_;
};

// ---- Backward data ----

/// (rows, everything else flattened); null size where md is not dense in its own order.
memory_desc flattened(const memory_desc &md) {
    const dim_t rows = md.dims[0];
    const dim_t dims[] {rows, rows ? md.nelems() / rows : 0};
    memory_desc flat = make_with_strides(2, dims, md.dtype, nullptr);
    flat.offset0 = md.offset0;
    return flat;
}

class matmul_inner_product : public plan {
  public:
    explicit matmul_inner_product(problem &p) {
        auto &op = std::get<inner_product_desc>(p.op);
        const bool flat = op.src.ndims == 2;
        if (!flat) { // images keep the order of diff_src, row-major unless it says otherwise
            if (op.src.is_any()) set_dense_strides(op.src);
            // Images of both tensors in one order; diff_src's own where it is plain and dense.
            memory_desc images = op.src;
            set_dense_strides(images);
            if (channels_last(op.src) == op.src) images = op.src;
            if (images != op.src) images.offset0 = 0;
            memory_desc wanted = op.weights;
            wanted.offset0 = 0;
            set_layout_like(wanted, images);
            if (op.weights.is_any()) op.weights = wanted;
            diff_src_ = adapted_tensor(p, op.src, images, adapted_tensor::use::write);
            weights_ = adapted_tensor(p, op.weights, wanted, adapted_tensor::use::read);
            why_not_ = weights_.why_not() ? weights_.why_not() : diff_src_.why_not();
            if (why_not_) return;
        }
        matmul_desc product;
        product.src = op.dst;
        product.weights = flat ? op.weights : flattened(weights_.wanted());
        product.dst = flat ? op.src : flattened(diff_src_.wanted());
        inner_ = nested_plan(p, product, p.attr, make_gemm_matmul);
        if ((why_not_ = inner_.why_not())) return;
        const auto &resolved = std::get<matmul_desc>(inner_.op());
        op.dst = resolved.src;
        if (flat) {
            op.weights = resolved.weights;
            op.src = resolved.dst;
        }
        default_layouts(p);
    }

    void execute(const exec_context &ctx) const override {
        const auto &op = std::get<matmul_desc>(inner_.op());
        void *weights = ctx.data(DNNL_ARG_WEIGHTS);
        if (weights_.is_copied()) weights = weights_.begin(ctx, weights);
        void *diff_src = ctx.data(DNNL_ARG_DIFF_SRC), *images = diff_src;
        if (diff_src_.is_copied()) images = diff_src_.begin(ctx, diff_src);
        const renamed_arguments::rename renames[] {
            {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, &op.src, nullptr},
            {DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS, &op.weights, weights},
            {DNNL_ARG_DIFF_SRC, DNNL_ARG_DST, &op.dst, images}};
        inner_.execute(ctx, renamed_arguments(ctx, renames).list());
        diff_src_.end(ctx, diff_src);
    }

  private:
    nested_plan inner_;
    adapted_tensor weights_, diff_src_;
};

} // namespace

planned make_gemm_inner_product(problem &p) {
    const auto &op = std::get<inner_product_desc>(p.op);
    if (const char *reason = product_refusal(op)) return reason;
    if (op.prop == dnnl_backward_data) return try_plan<matmul_inner_product>(p);
    return try_plan<convolution_inner_product>(p);
}

} // namespace dnnl::impl::cpu
