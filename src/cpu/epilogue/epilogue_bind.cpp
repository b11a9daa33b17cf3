// SPDX-License-Identifier: Apache-2.0
// The values and pointers of an epilogue, at each execution.
#include <algorithm>

#include "common/attributes/random.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/error.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/epilogue/epilogue.hpp"

namespace dnnl::impl::cpu {

namespace {
/// The values of an entry.
class passed_values {
  public:
    passed_values(const exec_context &ctx, int kind, const quantization &q)
        : from_(ctx.in<void>(kind | q.arg)), first_(ctx.desc(kind | q.arg).offset0),
          type_(q.dtype) {}
    f32 scale(dim_t i) const {
        return type_ == data_type::f32 ? static_cast<const f32 *>(from_)[first_ + i]
                                       : load_f32(type_, from_, first_ + i);
    }
    s32 zero_point(dim_t i) const {
        return type_ == data_type::s32 ? static_cast<const s32 *>(from_)[first_ + i]
                                       : load_s32(type_, from_, first_ + i);
    }

  private:
    const void *from_;
    dim_t first_;
    data_type type_;
};
passed_values scales_of(const exec_context &ctx, const quantization &q) {
    return {ctx, DNNL_ARG_ATTR_SCALES, q};
}
passed_values zero_points_of(const exec_context &ctx, const quantization &q) {
    return {ctx, DNNL_ARG_ATTR_ZERO_POINTS, q};
}

/// to[i] = value(i) for all of n values.
template <class Value, class Function> void fill(Value *to, dim_t n, const Function &value) {
    parallel_for(n, 2.0, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) to[i] = value(i);
    });
}
} // namespace

void epilogue_plan::bind_scales(const exec_context &ctx, epilogue &e) const {
    if (src_scale_.mask) {
        f32 *row_scales = ctx.scratch(row_scales_);
        const passed_values values = scales_of(ctx, src_scale_);
        fill(row_scales, rows_, [&](dim_t i) { return values.scale(i); });
        e.row_scales = row_scales;
    }
    if (has_src_scale_ || has_weights_scale_) {
        const bool one_src = has_src_scale_ && !src_scale_.mask;
        const f32 src = one_src ? scales_of(ctx, src_scale_).scale(0) : 1.0f;
        f32 *scales = ctx.scratch(scales_);
        const dim_t count = weights_scale_.mask ? columns_ : 1;
        const passed_values values = scales_of(ctx, weights_scale_);
        fill(scales, count,
            [&](dim_t j) { return has_weights_scale_ ? src * values.scale(j) : src; });
        e.scales = scales;
        e.scale_stride = weights_scale_.mask ? 1 : 0;
    }
    const bool one_dst = has_dst_scale_ && !dst_scale_.mask;
    e.inverse_dst_scale = one_dst ? 1.0f / scales_of(ctx, dst_scale_).scale(0) : 1.0f;
}

void epilogue_plan::bind_bias(const exec_context &ctx, bound_epilogue &out) const {
    if (bias_type_ == data_type::undef) return;
    epilogue &e = out.data;
    const void *from = ctx.in<void>(DNNL_ARG_BIAS);
    if (!bias_per_column_) {
        out.bias_operand = bias_operand_;
        out.bias_operand.operand = static_cast<const char *>(from) +
                                   bias_offset_ * static_cast<dim_t>(size_of(bias_type_));
        e.bias_operand = &out.bias_operand;
        return;
    }
    if (bias_type_ == data_type::f32 && bias_stride_ == 1) {
        e.bias = static_cast<const f32 *>(from) + bias_offset_;
        return;
    }
    f32 *bias = ctx.scratch(bias_);
    fill(bias, columns_,
        [&](dim_t j) { return load_f32(bias_type_, from, bias_offset_ + j * bias_stride_); });
    e.bias = bias;
}

void epilogue_plan::bind_zero_points(const exec_context &ctx, bound_epilogue &out) const {
    if (has_src_zero_point_)
        out.src_zero_point = zero_points_of(ctx, src_zero_point_).zero_point(0);
    if (has_dst_zero_point_) {
        const dim_t count = dst_zero_point_.mask ? columns_ : 1;
        s32 *zero_points = ctx.scratch(dst_zero_points_);
        const passed_values values = zero_points_of(ctx, dst_zero_point_);
        fill(zero_points, count, [&](dim_t j) { return values.zero_point(j); });
        out.data.dst_zero_points = zero_points;
        out.data.dst_zero_point_stride = dst_zero_point_.mask ? 1 : 0;
    }
    if (has_weights_zero_point_) {
        s32 *factors = ctx.scratch(row_factors_);
        const passed_values values = zero_points_of(ctx, weights_zero_point_);
        const dim_t step = weights_zero_point_.mask ? 1 : 0;
        fill(factors, columns_, [&](dim_t j) { return values.zero_point(j * step); });
        out.data.row_factors = factors;
    }
}

namespace {
template <class T> T scalar(const exec_context &ctx, int arg) {
    return ctx.in<T>(arg)[ctx.desc(arg).offset0];
}
} // namespace

void epilogue_plan::bind_random(const exec_context &ctx, bound_epilogue &out) const {
    if (!drops_out_ && !rounds_stochastically_) return;
    out.random = random_;
    out.data.random = &out.random;
    if (rounds_stochastically_)
        out.random.rounding_seed = scalar<s32>(ctx, DNNL_ARG_ATTR_ROUNDING_SEED);
    if (!drops_out_) return;
    const memory_desc &mask = ctx.desc(DNNL_ARG_ATTR_DROPOUT_MASK);
    memory_desc of_dst = ctx.desc(DNNL_ARG_DST);
    of_dst.dtype = data_type::u8;
    require(mask == of_dst, "dropout: the layout of the mask differs from that of dst");
    const auto probability = scalar<f32>(ctx, DNNL_ARG_ATTR_DROPOUT_PROBABILITY);
    out.random.dropout_seed = scalar<s32>(ctx, DNNL_ARG_ATTR_DROPOUT_SEED);
    out.random.dropout_mask = ctx.out<u8>(DNNL_ARG_ATTR_DROPOUT_MASK);
    out.random.dropout_threshold = dropout_threshold(probability);
    out.random.dropout_scale = dropout_scale(probability);
}

namespace {
/// The strides of the weights of a prelu, as they are passed.
void bind_slopes(const memory_desc &md, const coordinate_list &coordinates, epilogue_step &step) {
    int d = 0;
    for (int c = 0; c < coordinates.count; ++c, ++d) {
        while (md.dims[d] == 1) ++d;
        step.strides[coordinates.of[static_cast<std::size_t>(c)]] = md.strides[d];
    }
}
} // namespace

void epilogue_plan::bind_steps(const exec_context &ctx, bound_epilogue &out) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(step_count_); ++i) {
        out.steps[i] = steps_[i];
        if (operands_[i].arg == 0) continue;
        dim_t offset0 = operands_[i].offset0;
        if (steps_[i].what == epilogue_step::kind::prelu) {
            const memory_desc &slopes = ctx.desc(operands_[i].arg);
            bind_slopes(slopes, operands_[i].slopes, out.steps[i]);
            offset0 = slopes.offset0;
        }
        const char *base = static_cast<const char *>(ctx.in<void>(operands_[i].arg));
        out.steps[i].operand = base + offset0 * static_cast<dim_t>(size_of(steps_[i].operand_type));
    }
    for (const copied_operand &copy : copies_) {
        epilogue_step &step = out.steps[static_cast<std::size_t>(copy.step)];
        const int arg = operands_[static_cast<std::size_t>(copy.step)].arg;
        step.operand = copy.tensor.begin(ctx, const_cast<void *>(ctx.in<void>(arg)));
    }
    out.data.steps = out.steps.data();
    out.data.step_count = step_count_;
    if (!dst_scale_.mask) return;
    // One scale per column: the last step.
    f32 *inverse = ctx.scratch(inverse_dst_scales_);
    const passed_values values = scales_of(ctx, dst_scale_);
    fill(inverse, columns_, [&](dim_t j) { return 1.0f / values.scale(j); });
    epilogue_step &last = out.steps[static_cast<std::size_t>(out.data.step_count++)];
    last = {};
    last.what = epilogue_step::kind::binary;
    last.alg = algorithm::binary_mul;
    last.scale = 1;
    last.operand_type = data_type::f32;
    last.operand = inverse;
    last.strides[column_dim] = 1;
}

void epilogue_plan::bind(const exec_context &ctx, bound_epilogue &out) const {
    out.data = {};
    out.src_zero_point = 0;
    out.data.dst_type = dst_type_;
    bind_scales(ctx, out.data);
    bind_bias(ctx, out);
    bind_zero_points(ctx, out);
    bind_random(ctx, out);
    bind_steps(ctx, out);
}

} // namespace dnnl::impl::cpu
