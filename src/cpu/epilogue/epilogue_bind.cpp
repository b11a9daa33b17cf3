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
class passed_values {
  public:
    /// What the entry of `arg` in `of` names, if there is one.
    passed_values(const exec_context &ctx, int kind, const quantization_params &of, int arg)
        : entry_(of.find(arg)) {
        if (!entry_) return;
        from_ = ctx.in<void>(kind | arg);
        first_ = ctx.desc(kind | arg).offset0;
    }
    explicit operator bool() const { return entry_ != nullptr; }
    /// 1 where the values vary along a dimension, 0 where there is one or none.
    dim_t stride() const { return entry_ && entry_->mask ? 1 : 0; }
    f32 scale(dim_t i) const {
        return entry_->dtype == data_type::f32 ? static_cast<const f32 *>(from_)[first_ + i]
                                               : load_f32(entry_->dtype, from_, first_ + i);
    }
    s32 zero_point(dim_t i) const {
        return entry_->dtype == data_type::s32 ? static_cast<const s32 *>(from_)[first_ + i]
                                               : load_s32(entry_->dtype, from_, first_ + i);
    }

  private:
    const quantization *entry_;
    const void *from_ = nullptr;
    dim_t first_ = 0;
};
/// to[i] = value(i) for all of n values.
template <class Value, class Function> void fill(Value *to, dim_t n, const Function &value) {
    parallel_for(n, 2.0, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) to[i] = value(i);
    });
}
} // namespace

void epilogue_plan::bind_scales(const exec_context &ctx, epilogue &e) const {
    if (scales_of_.empty()) return;
    constexpr int kind = DNNL_ARG_ATTR_SCALES;
    const passed_values src(ctx, kind, scales_of_, DNNL_ARG_SRC);
    const passed_values weights(ctx, kind, scales_of_, DNNL_ARG_WEIGHTS);
    const passed_values dst(ctx, kind, scales_of_, DNNL_ARG_DST);
    if (src.stride()) {
        f32 *row_scales = ctx.scratch(row_scales_);
        fill(row_scales, rows_, [&](dim_t i) { return src.scale(i); });
        e.row_scales = row_scales;
    }
    if (src || weights) {
        const f32 one_src = src && !src.stride() ? src.scale(0) : 1.0f;
        f32 *scales = ctx.scratch(scales_);
        fill(scales, weights.stride() ? columns_ : 1,
            [&](dim_t j) { return weights ? one_src * weights.scale(j) : one_src; });
        e.scales = scales;
        e.scale_stride = weights.stride();
    }
    if (dst && !dst.stride()) e.inverse_dst_scale = 1.0f / dst.scale(0);
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
    if (zero_points_.empty()) return;
    constexpr int kind = DNNL_ARG_ATTR_ZERO_POINTS;
    const passed_values src(ctx, kind, zero_points_, DNNL_ARG_SRC);
    const passed_values weights(ctx, kind, zero_points_, DNNL_ARG_WEIGHTS);
    const passed_values dst(ctx, kind, zero_points_, DNNL_ARG_DST);
    if (src) out.src_zero_point = src.zero_point(0);
    if (dst) {
        s32 *zero_points = ctx.scratch(dst_zero_points_);
        fill(zero_points, dst.stride() ? columns_ : 1, [&](dim_t j) { return dst.zero_point(j); });
        out.data.dst_zero_points = zero_points;
        out.data.dst_zero_point_stride = dst.stride();
    }
    if (weights) {
        s32 *factors = ctx.scratch(row_factors_);
        fill(factors, columns_, [&](dim_t j) { return weights.zero_point(j * weights.stride()); });
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
    const passed_values dst_scales(ctx, DNNL_ARG_ATTR_SCALES, scales_of_, DNNL_ARG_DST);
    if (!dst_scales.stride()) return;
    // One scale per column: the last step.
    f32 *inverse = ctx.scratch(inverse_dst_scales_);
    fill(inverse, columns_, [&](dim_t j) { return 1.0f / dst_scales.scale(j); });
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
    out.data.inverse_dst_scale = 1.0f;
    bind_scales(ctx, out.data);
    bind_bias(ctx, out);
    bind_zero_points(ctx, out);
    bind_random(ctx, out);
    bind_steps(ctx, out);
}

} // namespace dnnl::impl::cpu
