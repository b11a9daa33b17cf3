// SPDX-License-Identifier: Apache-2.0
// Concat and shuffle as copies.
#include "common/descriptors/mappings/mappings.hpp"

#include "cpu/cpu.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/walk/tensor_copy.hpp"

namespace dnnl::impl::cpu {

namespace {

// ---- Concat: each source is copied into its part of dst, and converted or scaled there ----

class vector_concat : public plan {
  public:
    explicit vector_concat(problem &p) {
        default_layouts(p);
        const auto &op = std::get<concat_desc>(p.op);
        dst_codes_ = nibble_codes(p, op.dst, false);
        // Elements of f64 are not converted: they are moved as pairs of words.
        const bool words = op.dst.dtype == data_type::f64;
        const memory_desc dst = words ? as_moved(op.dst) : op.dst;
        copies_.resize(op.srcs.size());
        dim_t start = 0;
        memory_desc one; // the scale of a source, for all its elements
        for (std::size_t i = 0; i < op.srcs.size(); ++i) {
            const memory_desc src = words ? as_moved(op.srcs[i]) : op.srcs[i];
            tensor_copy_request request {&src, &dst, op.axis, start};
            start += src.dims[op.axis];
            if (src.has_zero_dim()) continue;
            copies_[i].codes = nibble_codes(p, op.srcs[i], true);
            const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i);
            if ((copies_[i].has_scale = p.attr.scales.find(arg))) {
                one = values_under(src, data_type::f32, 0, src.dims);
                request.values[src_scales] = &one;
                request.through_f32 = true;
            }
            why_not_ = copies_[i].copy.plan(p.target, request);
            if (why_not_) return;
        }
    }

    void execute(const exec_context &ctx) const override {
        void *dst = dst_codes_.begin(ctx, ctx.data(DNNL_ARG_DST));
        for (std::size_t i = 0; i < copies_.size(); ++i) {
            const one_copy &c = copies_[i];
            f32 scale = 1;
            std::array<const f32 *, value_kinds> values {};
            const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i);
            if (c.has_scale) {
                scale = common_scale(ctx, arg);
                values[src_scales] = &scale;
            }
            c.copy.run(c.codes.begin(ctx, ctx.data(arg)), dst, values);
        }
        dst_codes_.end(ctx, ctx.data(DNNL_ARG_DST));
    }

  private:
    struct one_copy {
        tensor_copy copy;
        nibble_codes codes;
        bool has_scale = false;
    };
    nibble_codes dst_codes_;
    std::vector<one_copy> copies_;
};

// ---- Shuffle: the axis becomes two dimensions, which src and dst hold in opposite orders ----

class vector_shuffle : public plan {
  public:
    explicit vector_shuffle(const problem &p) {
        const auto &op = std::get<shuffle_desc>(p.op);
        forward_ = is_forward(op.prop);
        const memory_desc &in = forward_ ? op.src : op.dst;
        out_ = forward_ ? op.dst : op.src;
        if (in.ndims == max_ndims)
            why_not_ = "too many dimensions";
        else if (in.block(op.axis) != 1 || out_.block(op.axis) != 1)
            why_not_ = "the axis is blocked";
        if (why_not_) return;
        const shuffle_matrix matrix = matrix_of(op);
        memory_desc from = with_split_axis(in, op.axis, matrix.rows, matrix.columns);
        memory_desc to = with_split_axis(out_, op.axis, matrix.rows, matrix.columns);
        to.strides[op.axis] = out_.strides[op.axis];
        to.strides[op.axis + 1] = out_.strides[op.axis] * matrix.rows;
        if (!out_.has_zero_dim()) why_not_ = copy_.plan(p.target, {&from, &to});
    }

    void execute(const exec_context &ctx) const override {
        void *to = ctx.data(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC);
        copy_.run(ctx.data(forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST), to, {});
        clear_padding(out_, to);
    }

  private:
    bool forward_ = true;
    memory_desc out_;
    tensor_copy copy_;
};

} // namespace

planned make_concat(problem &p) {
    const auto &op = std::get<concat_desc>(p.op);
    const bool f64 = op.dst.dtype == data_type::f64;
    if ((op.srcs[0].dtype == data_type::f64) != f64) return "f64 together with another type";
    if (f64 && (!p.attr.scales.empty() || op.dst.ndims == max_ndims))
        return "f64 with scales or 12 dimensions";
    if (!p.attr.zero_points.empty() || !p.attr.post_ops.entries.empty())
        return "attributes other than scales are not supported";
    if (!p.attr.stochastic_rounding.empty()) return "stochastic rounding is not supported";
    for (const quantization &q : p.attr.scales.entries())
        if (q.mask != 0 || q.has_groups()) return "scales are not one value per source";
    return try_plan<vector_concat>(p);
}

planned make_shuffle(problem &p) {
    const auto &asked = std::get<shuffle_desc>(p.op);
    if (!is_common_or_f8(asked.src.dtype) && asked.src.dtype != data_type::f64)
        return "the type of the tensors is not supported";
    if (!p.attr.has_default_values()) return "attributes are not supported";
    if (asked.src.ndims == max_ndims) return "too many dimensions";
    problem moved = p;
    default_layouts(moved);
    auto &op = std::get<shuffle_desc>(moved.op);
    const memory_desc src = op.src, dst = op.dst;
    op.src = as_moved(src);
    op.dst = as_moved(dst);
    planned made = make_walked_or_relaid(moved, try_plan<vector_shuffle>, plain_layout);
    if (!made.result) return made;
    op.src = src;
    op.dst = dst;
    p = std::move(moved);
    return made;
}

} // namespace dnnl::impl::cpu
