// SPDX-License-Identifier: Apache-2.0
// Inner product by other rows of the same level: forward is a convolution whose kernel covers the
// image, both gradients are matrix products over flattened images; that of the bias is a reduction.
#include "common/descriptors/products/shapes.hpp"
#include "cpu/cpu.hpp"
#include "cpu/window/window.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Returns md with trailing dimensions of size 1 up to `ndims`.
memory_desc append_unit_dims(memory_desc md, int ndims) {
    if (md.is_zero()) return md;
    for (; md.ndims < ndims; ++md.ndims) {
        md.dims[md.ndims] = md.padded_dims[md.ndims] = 1;
        md.strides[md.ndims] = md.is_blocked() ? 1 : 0;
    }
    return md;
}

/// Returns md without the trailing unit dimensions beyond `ndims`, which must not be blocked.
memory_desc drop_unit_dims(memory_desc md, int ndims) {
    for (; md.ndims > ndims; --md.ndims) {
        const int last = md.ndims - 1;
        md.dims[last] = md.padded_dims[last] = md.strides[last] = 0;
    }
    return md;
}

/// Describes a vector as a matrix of one row.
memory_desc as_row(const memory_desc &vector) {
    const dim_t dims[] {1, vector.dims[0]}, strides[] {vector.dims[0], vector.strides[0]};
    memory_desc row = make_with_strides(2, dims, vector.dtype, strides);
    row.offset0 = vector.offset0;
    return row;
}

// ---- Forward ----

/// The forward pass as an operation of another kind, whose tensors have the same names.
template <class Desc> class nested_inner_product : public plan {
  public:
    void execute(const exec_context &ctx) const override {
        const auto &op = std::get<Desc>(inner_.op());
        const renamed_arguments::rename renames[] {{DNNL_ARG_SRC, DNNL_ARG_SRC, &op.src},
            {DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS, &op.weights},
            {DNNL_ARG_BIAS, DNNL_ARG_BIAS, &op.bias}, {DNNL_ARG_DST, DNNL_ARG_DST, &op.dst}};
        inner_.execute(ctx, renamed_arguments(ctx, renames).list());
    }

  protected:
    nested_plan inner_;
};

class convolution_inner_product : public nested_inner_product<convolution_desc> {
  public:
    explicit convolution_inner_product(problem &p) {
        auto &op = std::get<inner_product_desc>(p.op);
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
        for_each_source(attr.post_ops,
            [&](memory_desc &source, int) { source = append_unit_dims(source, ndims); });
        inner_ = nested_plan(p, conv, attr, make_gemm_convolution);
        if ((why_not_ = inner_.why_not())) return;

        const auto &resolved = std::get<convolution_desc>(inner_.op());
        op.src = drop_unit_dims(resolved.src, op.src.ndims);
        op.weights = drop_unit_dims(resolved.weights, op.weights.ndims);
        op.bias = resolved.bias;
        op.dst = drop_unit_dims(resolved.dst, op.dst.ndims);
        default_layouts(p);
    }
};

/// The forward pass where there are few results: dot products of src and of the weights' rows.
class dots_inner_product : public nested_inner_product<matmul_desc> {
  public:
    explicit dots_inner_product(problem &p) {
        auto &op = std::get<inner_product_desc>(p.op);
        constexpr int exchanged[] {1, 0};
        matmul_desc product {.src = op.src, .weights = permute_axes(op.weights, exchanged)};
        product.dst = op.dst;
        if (!op.bias.is_zero()) {
            if (op.bias.is_any()) set_dense_strides(op.bias);
            product.bias = as_row(op.bias);
        }
        primitive_attr attr = p.attr;
        if (const quantization *of_weights = attr.scales.find(DNNL_ARG_WEIGHTS)) {
            quantization by_column = *of_weights;
            by_column.mask <<= 1; // results are columns of the transposed weights
            attr.scales.set(by_column);
        }
        inner_ = nested_plan(p, product, attr, make_dots_matmul);
        if ((why_not_ = inner_.why_not())) return;
        const auto &resolved = std::get<matmul_desc>(inner_.op());
        op.src = resolved.src;
        op.weights = permute_axes(resolved.weights, exchanged);
        op.dst = resolved.dst;
        default_layouts(p);
    }
};

// ---- Backward ----

/// Tries the row of dot products first (few rows or columns, nothing packed), then the block GEMM.
planned make_product(problem &p) {
    planned few = make_dots_matmul(p);
    return few.result ? std::move(few) : make_gemm_matmul(p);
}

/// Describes a tensor that is dense in its own order as a matrix: rows, and everything else.
memory_desc flattened(const memory_desc &md) {
    dim_t dims[] {md.dims[0], 1};
    for (int d = 1; d < md.ndims; ++d) dims[1] *= md.dims[d]; // also where there are no rows
    memory_desc flat = make_with_strides(2, dims, md.dtype, nullptr);
    flat.offset0 = md.offset0;
    return flat;
}

/// diff_src[mb][i] = diff_dst[mb][oc] * weights[oc][i], and
/// diff_weights[oc][i] = diff_dst[mb][oc] transposed * src[mb][i]; i: channels and positions.
class matmul_inner_product : public plan {
  public:
    explicit matmul_inner_product(problem &p) {
        auto &op = std::get<inner_product_desc>(p.op);
        of_weights_ = op.prop == dnnl_backward_weights;
        memory_desc &result = of_weights_ ? op.weights : op.src;
        memory_desc &factor = of_weights_ ? op.src : op.weights;
        const bool flat = op.src.ndims == 2;
        if (!flat && !take_images(p, result, factor)) return;
        if (of_weights_) {
            if (op.dst.is_any()) set_dense_strides(op.dst);
            if (flat && op.src.is_any()) set_dense_strides(op.src);
        }
        // (Measured on a Zen 5: 128 and 2048 images 1.4 to 1.9 times faster, 16 slower.)
        by_channels_ =
            of_weights_ && flat && op.dst.dims[0] >= 64 && op.dst.dims[1] > 4 * op.src.dims[1];
        if (by_channels_ && result.is_any()) set_dense_strides(result);
        constexpr int swapped[] {1, 0};
        matmul_desc product;
        product.src = of_weights_ ? permute_axes(by_channels_ ? op.src : op.dst, swapped) : op.dst;
        product.weights = by_channels_ ? op.dst : flat ? factor : flattened(factor_.wanted());
        product.dst = by_channels_ ? permute_axes(result, swapped)
                      : flat       ? result
                                   : flattened(result_.wanted());
        inner_ = nested_plan(p, product, p.attr, make_product);
        if ((why_not_ = inner_.why_not())) return;
        const auto &resolved = std::get<matmul_desc>(inner_.op());
        if (!of_weights_) op.dst = resolved.src;
        if (flat && !by_channels_) {
            factor = resolved.weights;
            result = resolved.dst;
        }
        default_layouts(p);
        if (!op.bias.is_zero()) sum_bias(p);
    }

    void execute(const exec_context &ctx) const override {
        const auto &op = std::get<matmul_desc>(inner_.op());
        const int factor_argument = of_weights_ ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS;
        const int result_argument = of_weights_ ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_DIFF_SRC;
        const auto copy_of = [&](const adapted_tensor &t, int arg) {
            return t.is_copied() ? t.begin(ctx, arg) : nullptr;
        };
        renamed_arguments::rename renames[] {{DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, &op.src},
            {factor_argument, DNNL_ARG_WEIGHTS, &op.weights, copy_of(factor_, factor_argument)},
            {result_argument, DNNL_ARG_DST, &op.dst, copy_of(result_, result_argument)}};
        if (by_channels_) {
            std::swap(renames[0].to, renames[1].to);
            std::swap(renames[0].md, renames[1].md);
        }
        inner_.execute(ctx, renamed_arguments(ctx, renames).list());
        result_.end(ctx, result_argument);
        if (!bias_) return;
        const auto &sums = std::get<reduction_desc>(bias_.op());
        const bound_argument arguments[] {{DNNL_ARG_SRC, &sums.src, ctx.data(DNNL_ARG_DIFF_DST)},
            {DNNL_ARG_DST, &sums.dst, ctx.data(DNNL_ARG_DIFF_BIAS)}};
        bias_.execute(ctx, arguments);
    }

  private:
    /// Brings the images of both tensors into one order: that of the result, or that of the other
    /// tensor where the result may have any, if it is plain and dense; else row-major. Returns
    /// false where no reorder serves.
    bool take_images(problem &p, memory_desc &result, memory_desc &factor) {
        if (result.is_any() && factor.is_any()) set_dense_strides(result);
        const memory_desc &given = result.is_any() ? factor : result;
        memory_desc images = given;
        set_dense_strides(images);
        if (channels_last(given) == given) images = given;
        const auto in_order = [&](const memory_desc &md) {
            memory_desc wanted = md;
            wanted.offset0 = 0;
            set_layout_like(wanted, images);
            if (!md.is_any() && set_offset(wanted, md.offset0) == md) return md;
            return set_offset(wanted, 0);
        };
        const memory_desc wanted = in_order(result), other = in_order(factor);
        if (result.is_any()) result = wanted;
        if (factor.is_any()) factor = other;
        result_ = adapted_tensor(p, result, wanted, adapted_tensor::use::write);
        factor_ = adapted_tensor(p, factor, other, adapted_tensor::use::read);
        why_not_ = factor_.why_not() ? factor_.why_not() : result_.why_not();
        return !why_not_;
    }
    static memory_desc set_offset(memory_desc md, dim_t offset) {
        md.offset0 = offset;
        return md;
    }

    void sum_bias(problem &p) {
        const auto &op = std::get<inner_product_desc>(p.op);
        const reduction_desc sums {
            .alg = dnnl_reduction_sum, .src = op.dst, .dst = as_row(op.bias)};
        bias_ = nested_plan(p, sums, primitive_attr {});
        why_not_ = bias_.why_not();
    }

    bool of_weights_ = false;
    /// Computes diff_weights transposed as src transposed * diff_dst: faster where src is smaller.
    bool by_channels_ = false;
    nested_plan inner_, bias_;
    adapted_tensor factor_, result_; ///< images, where there are any
};

} // namespace

planned make_gemm_inner_product(problem &p) {
    const auto &op = std::get<inner_product_desc>(p.op);
    if (const char *reason = product_refusal(op)) return reason;
    if (!is_forward(op.prop)) return try_plan<matmul_inner_product>(p);
    const bool plain_weights = !op.weights.is_any(); // of few images
    if (op.src.ndims == 2 && (op.dst.dims[1] <= most_dot_columns || plain_weights)) {
        planned dots = try_plan<dots_inner_product>(p);
        if (dots.result) return dots;
    }
    return try_plan<convolution_inner_product>(p);
}

} // namespace dnnl::impl::cpu
