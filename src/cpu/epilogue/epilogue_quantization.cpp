// SPDX-License-Identifier: Apache-2.0
// What a plan keeps, and an execution binds, of scales, zero points and the random numbers of
// dropout and stochastic rounding.
#include "cpu/epilogue/epilogue.hpp"

#include <cmath>

#include "common/plan/random_arguments.hpp"

namespace dnnl::impl::cpu {

// ---- Scales and zero points ----

void epilogue_plan::take_quantization(scratchpad_layout &scratchpad, const epilogue_request &r) {
    const quantization *src = scales_of_.find(DNNL_ARG_SRC), *dst = scales_of_.find(DNNL_ARG_DST);
    const quantization *weights = scales_of_.find(DNNL_ARG_WEIGHTS);
    if (src || weights) scales_ = scratchpad.reserve<f32>(weights && weights->mask ? columns_ : 1);
    if (dst) {
        const memory_desc values = dense_values(*dst, *r.dst);
        dst_scale_count_ = values.nelems();
        dst_scales_ = scratchpad.reserve<f32>(dst_scale_count_);
        coordinate_strides(values, *r.dst, r.map, dst_scale_.strides);
    }
    if (src && src->mask) {
        rows_ = r.dst->dims[r.row_dim];
        row_scales_ = scratchpad.reserve<f32>(rows_);
    }
    if (has_weights_zero_point()) row_factors_ = scratchpad.reserve<s32>(columns_);
    if (const quantization *zero_point = zero_points_.find(DNNL_ARG_DST))
        dst_zero_points_ = scratchpad.reserve<s32>(zero_point->mask ? columns_ : 1);
}

namespace {
class passed_values {
  public:
    /// Finds the values that the entry of `arg` in `of` names, if there is one.
    passed_values(const exec_context &ctx, int kind, const quantization_params &of, int arg)
        : entry_(of.find(arg)) {
        if (!entry_) return;
        from_ = ctx.in<void>(kind | arg);
        first_ = ctx.desc(kind | arg).offset0;
    }
    explicit operator bool() const { return entry_ != nullptr; }
    /// Returns 1 where the values vary along a dimension, 0 where there is one value or none.
    dim_t stride() const { return entry_ && entry_->mask ? 1 : 0; }
    template <class Value> Value at(dim_t i) const {
        return load_as<Value>(entry_->dtype, from_, first_ + i);
    }

  private:
    const quantization *entry_;
    const void *from_ = nullptr;
    dim_t first_ = 0;
};

/// Sets the two parts of 1 / scale (epilogue_rows.hpp). Returns false where the scale has no
/// reciprocal of full precision.
bool set_dst_scale(f32 scale, epilogue &e) {
    const f32 inverse = 1.0f / scale;
    if (!std::isnormal(scale) || !std::isnormal(inverse)) return false;
    e.inverse_dst_scale = inverse;
    e.inverse_dst_scale_low = std::fma(-scale, inverse, 1.0f) * inverse;
    return true;
}

} // namespace

void epilogue_plan::bind_scales(const exec_context &ctx, bound_epilogue &out) const {
    if (scales_of_.empty()) return;
    epilogue &e = out.data;
    constexpr int kind = DNNL_ARG_ATTR_SCALES;
    const passed_values src(ctx, kind, scales_of_, DNNL_ARG_SRC);
    const passed_values weights(ctx, kind, scales_of_, DNNL_ARG_WEIGHTS);
    const passed_values dst(ctx, kind, scales_of_, DNNL_ARG_DST);
    if (src.stride())
        e.row_scales = filled(ctx, row_scales_, rows_, [&](dim_t i) { return src.at<f32>(i); });
    if (src || weights) {
        const f32 one_src = src && !src.stride() ? src.at<f32>(0) : 1.0f;
        e.scales = filled(ctx, scales_, weights.stride() ? columns_ : 1,
            [&](dim_t j) { return weights ? one_src * weights.at<f32>(j) : one_src; });
        e.scale_stride = weights.stride();
    }
    if (!dst || (!dst.stride() && set_dst_scale(dst.at<f32>(0), e))) return;
    // Scales that vary, or one without a reciprocal, are the operand of one more step, a division.
    epilogue_step &last = out.steps[e.step_count++];
    last = dst_scale_;
    last.what = epilogue_step::kind::binary;
    last.alg = algorithm::binary_div;
    last.scale = 1;
    last.operand_type = data_type::f32;
    last.operand =
        filled(ctx, dst_scales_, dst_scale_count_, [&](dim_t i) { return dst.at<f32>(i); });
}

void epilogue_plan::bind_zero_points(const exec_context &ctx, bound_epilogue &out) const {
    if (zero_points_.empty()) return;
    constexpr int kind = DNNL_ARG_ATTR_ZERO_POINTS;
    const passed_values src(ctx, kind, zero_points_, DNNL_ARG_SRC);
    const passed_values weights(ctx, kind, zero_points_, DNNL_ARG_WEIGHTS);
    const passed_values dst(ctx, kind, zero_points_, DNNL_ARG_DST);
    if (src) out.src_zero_point = src.at<s32>(0);
    if (dst) {
        out.data.dst_zero_points = filled(ctx, dst_zero_points_, dst.stride() ? columns_ : 1,
            [&](dim_t j) { return dst.at<s32>(j); });
        out.data.dst_zero_point_stride = dst.stride();
    }
    if (weights)
        out.data.row_factors = filled(ctx, row_factors_, columns_,
            [&](dim_t j) { return weights.at<s32>(j * weights.stride()); });
}

// ---- Random numbers ----

void epilogue_plan::take_random(const primitive_attr &attr, const epilogue_request &r) {
    dropout_ = attr.dropout;
    rounds_stochastically_ = !attr.stochastic_rounding.empty();
    if (!dropout_.enabled && !rounds_stochastically_) return;
    random_.first = r.dst->offset0;
    coordinate_strides(*r.dst, *r.dst, r.map, random_.strides);
    if (!rounds_stochastically_) return;
    const float_format format = float_format_of(dst_type_);
    random_.rounding_per_word = format.per_random_word();
    random_.rounding_kept = format.kept();
    random_.rounding_max = format.max;
    random_.rounding_min_normal = format.min_normal;
}

void epilogue_plan::bind_random(const exec_context &ctx, bound_epilogue &out) const {
    if (!dropout_.enabled && !rounds_stochastically_) return;
    out.random = random_;
    out.data.random = &out.random;
    if (rounds_stochastically_)
        out.random.rounding_seed = scalar<s32>(ctx, DNNL_ARG_ATTR_ROUNDING_SEED);
    if (!dropout_.enabled) return;
    const auto probability = scalar<f32>(ctx, DNNL_ARG_ATTR_DROPOUT_PROBABILITY);
    const random_sequence sequence = dropout_sequence(ctx, dropout_);
    out.random.drops_out = true;
    out.random.dropout_mask = dropout_mask(ctx, dropout_, ctx.desc(DNNL_ARG_DST));
    out.random.dropout_seed = sequence.seed;
    out.random.dropout_offset = sequence.offset;
    out.random.dropout_threshold = dropout_threshold(probability);
    out.random.dropout_scale = dropout_scale(probability);
}

} // namespace dnnl::impl::cpu
