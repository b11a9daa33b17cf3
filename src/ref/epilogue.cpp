// SPDX-License-Identifier: Apache-2.0
// The epilogue on rows of results. Every operation is rounded to f32 by itself, except for one fma.
#include "ref/epilogue.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include "common/plan/random_arguments.hpp"

namespace dnnl::impl::ref {

namespace {
/// A source of a binary post-op. It is checked here, too, because dst may have run-time dims.
tensor broadcast_operand(const exec_context &ctx, int arg, const memory_desc &dst) {
    const memory_desc &md = ctx.desc(arg);
    for (int d = 0; d < dst.ndims; ++d)
        require(md.dims[d] == 1 || md.dims[d] == dst.dims[d],
            "post_ops: a dimension of a binary's source is neither 1 nor dst's");
    return {md, ctx.data(arg)};
}

/// The offset of the i-th element of a row of dst.
dim_t offset_in_row(const memory_desc &md, dims_t position, int dim, dim_t i) {
    position[dim] += i;
    return element_offset(md, position);
}

/// The largest number of f8 or f4_e2m1.
float largest_of(data_type type) { return float_format_of(type).max; }

/// The scale that a mode gives to a group of results of this largest magnitude in a dst of `type`.
float scale_of_group(dnnl_quantization_mode_t mode, data_type type, float largest) {
    const auto exponent = [](float x) { // of a power of two, cut
        return code_to_f32(data_type::e8m0, f32_to_code(data_type::e8m0, x));
    };
    if (!std::isfinite(largest)) return std::numeric_limits<float>::quiet_NaN();
    if (mode == dnnl_quantization_mode_dynamic_mx)
        return exponent(exponent(largest) / exponent(largest_of(type)));
    if (largest == 0) return 1;
    constexpr data_type f8 = data_type::f8_e4m3;
    const float ratio = std::min(largest / largest_of(type), largest_of(f8));
    return std::max(code_to_f32(f8, f32_to_code(f8, ratio)), code_to_f32(f8, 1));
}
} // namespace

epilogue::epilogue(const exec_context &ctx, const primitive_attr &attr, int dst_arg, int dim)
    : dim_(dim), dst_md_(ctx.desc(dst_arg)), dst_data_(ctx.data(dst_arg)), dst_(dst_md_, dst_data_),
      dst_zero_point_(tensor::zero_points(ctx, attr, DNNL_ARG_DST, &dst_md_)),
      adds_at_most_dst_(adds_at_most_dst(attr.post_ops, dst_md_.dtype)) {
    const quantization *scale = attr.scales.find(DNNL_ARG_DST);
    tensor values = tensor::scales(ctx, attr, DNNL_ARG_DST, &dst_md_);
    if (scale && scale->is_dynamic()) {
        found_scale_ = std::move(values);
        scale_mode_ = scale->mode;
        scale_group_ = scale->group(dst_md_.ndims, dim);
    } else {
        dst_scale_ = std::move(values);
    }
    if (attr.dropout.enabled) {
        const auto p = scalar<float>(ctx, DNNL_ARG_ATTR_DROPOUT_PROBABILITY);
        dropout_ = {true, dropout_mask(ctx, attr.dropout, dst_md_),
            dropout_sequence(ctx, attr.dropout), dropout_threshold(p), dropout_scale(p)};
    }
    rounds_stochastically_ = std::ranges::count(attr.stochastic_rounding, dst_arg) > 0;
    if (rounds_stochastically_)
        rounding_seed_ = scalar<std::int32_t>(ctx, DNNL_ARG_ATTR_ROUNDING_SEED);
    int index = 0;
    for (const post_op &op : attr.post_ops.entries) {
        const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(index++);
        tensor operand, condition;
        if (const auto *sum = std::get_if<sum_post_op>(&op)) {
            memory_desc previous = dst_md_;
            if (sum->dtype != data_type::undef) previous.dtype = sum->dtype;
            operand = tensor(previous, dst_data_);
        } else if (const auto *binary = std::get_if<binary_post_op>(&op)) {
            operand = broadcast_operand(ctx, arg | DNNL_ARG_SRC_1, dst_md_);
            if (binary->selects())
                condition = broadcast_operand(ctx, arg | DNNL_ARG_SRC_2, dst_md_);
        } else if (const auto *prelu = std::get_if<prelu_post_op>(&op)) {
            const int weights = arg | DNNL_ARG_WEIGHTS;
            operand =
                tensor(prelu_weights(prelu->mask, dst_md_, ctx.desc(weights)), ctx.data(weights));
        }
        steps_.push_back({&op, std::move(operand), std::move(condition)});
    }
}

bool epilogue::adds_integers() const {
    return dst_.dtype() == data_type::s32 && factors_.empty() && adds_at_most_dst_ && !dst_scale_ &&
           (!bias_ || bias_.dtype() == data_type::s32) && !dst_zero_point_ && !dropout_.enabled &&
           !rounds_stochastically_;
}

void epilogue::scale_and_shift(float *x, const dims_t &position, dim_t count) const {
    if (factors_.empty()) return bias_.apply_to(x, position, dim_, count, std::plus<>());
    float scale[row_length], bias[row_length];
    std::fill_n(scale, count, 1.0f);
    std::fill_n(bias, count, -0.0f); // neutral, also for the sign of zero
    for (const tensor &f : factors_) f.apply_to(scale, position, dim_, count, std::multiplies<>());
    if (bias_) bias_.read(bias, position, dim_, count);
    for (dim_t i = 0; i < count; ++i) x[i] = std::fma(x[i], scale[i], bias[i]);
}

void epilogue::drop_out(float *x, const dims_t &position, dim_t count) const {
    for (dim_t i = 0; i < count; ++i) {
        const dim_t offset = offset_in_row(dst_md_, position, dim_, i);
        const auto index = static_cast<std::uint64_t>(offset);
        const bool keep = random_word(index, dropout_.sequence) > dropout_.threshold;
        if (dropout_.mask) dropout_.mask[offset] = keep;
        x[i] = keep ? x[i] * dropout_.scale : 0.0f;
    }
}

void epilogue::round(float *x, const dims_t &position, dim_t count) const {
    for (dim_t i = 0; i < count; ++i)
        x[i] = round_stochastically(
            x[i], dst_md_.dtype, offset_in_row(dst_md_, position, dim_, i), rounding_seed_);
}

void epilogue::find_scales(float *x, const dims_t &position, dim_t count) const {
    const float most = largest_of(dst_md_.dtype);
    for (dim_t first = 0; first < count; first += scale_group_) {
        float *group = x + first;
        float largest = 0;
        for (dim_t i = 0; i < scale_group_ && !std::isnan(largest); ++i)
            if (!(std::fabs(group[i]) <= largest)) largest = std::fabs(group[i]);
        const float scale = scale_of_group(scale_mode_, dst_md_.dtype, largest);
        dims_t at = position;
        at[dim_] += first;
        found_scale_.set(at, scale);
        const float inverse = 1.0f / scale;
        for (dim_t i = 0; i < scale_group_; ++i)
            group[i] = std::isnan(scale) ? scale : std::clamp(group[i] * inverse, -most, most);
    }
}

void epilogue::apply(const step &s, float *x, const dims_t &position, dim_t count) const {
    const auto with_operand = [&](const auto &operation) {
        s.operand.apply_to(x, position, dim_, count, operation);
    };
    if (const auto *eltwise = std::get_if<eltwise_post_op>(s.op)) {
        for (dim_t i = 0; i < count; ++i)
            x[i] = eltwise_forward(eltwise->alg, x[i], eltwise->alpha, eltwise->beta);
    } else if (const auto *sum = std::get_if<sum_post_op>(s.op)) {
        const auto zero_point = static_cast<float>(sum->zero_point);
        with_operand([&](float a, float b) { return std::fma(sum->scale, b - zero_point, a); });
    } else if (s.condition) {
        float other[row_length];
        std::int32_t keeps[row_length];
        s.operand.read(other, position, dim_, count);
        s.condition.read(keeps, position, dim_, count);
        for (dim_t i = 0; i < count; ++i) x[i] = keeps[i] != 0 ? x[i] : other[i];
    } else if (const auto *binary = std::get_if<binary_post_op>(s.op)) {
        with_operand([&](float a, float b) { return binary_value(binary->alg, a, b); });
    } else if (std::holds_alternative<prelu_post_op>(*s.op)) {
        with_operand([](float a, float b) { return a > 0 ? a : a * b; });
    }
}

void epilogue::store(float *x, const dims_t &position, dim_t count) const {
    scale_and_shift(x, position, count);
    if (dropout_.enabled) drop_out(x, position, count);
    for (const step &s : steps_) apply(s, x, position, count);
    dst_scale_.apply_to(x, position, dim_, count, std::divides<>());
    dst_zero_point_.apply_to(x, position, dim_, count, std::plus<>());
    if (rounds_stochastically_) round(x, position, count);
    if (found_scale_) find_scales(x, position, count);
    dst_.write(x, position, dim_, count);
}

void epilogue::store(const std::int32_t *acc, const dims_t &position, dim_t count) const {
    if (changes_nothing()) return dst_.write(acc, position, dim_, count);
    float x[row_length];
    for (dim_t i = 0; i < count; ++i) x[i] = static_cast<float>(acc[i]);
    store(x, position, count);
}

void epilogue::store(const double *acc, const dims_t &position, dim_t count) const {
    if (!adds_integers()) {
        float x[row_length];
        for (dim_t i = 0; i < count; ++i) x[i] = static_cast<float>(acc[i]);
        return store(x, position, count);
    }
    double sum[row_length];
    std::copy_n(acc, count, sum);
    bias_.apply_to(sum, position, dim_, count, std::plus<>());
    for (const step &s : steps_) s.operand.apply_to(sum, position, dim_, count, std::plus<>());
    dst_.write(sum, position, dim_, count);
}

void epilogue::zero_dst_padding() const {
    zero_padding(dst_md_, dst_data_);
    if (!dropout_.mask) return;
    memory_desc mask = dst_md_;
    mask.dtype = data_type::u8;
    zero_padding(mask, dropout_.mask);
}

const char *epilogue_refusal(const primitive_attr &attr) {
    for (const quantization &q : attr.scales.entries())
        if (!is_scale_type(q.dtype)) return "scales are not f32, bf16, f16, e8m0 or f8_e4m3";
    for (const quantization &q : attr.zero_points.entries())
        if (!is_integer(q.dtype)) return "zero points are not s32, s8, u8, s4 or u4";
    for (const post_op &op : attr.post_ops.entries) {
        if (std::holds_alternative<depthwise_post_op>(op)) return with_depthwise_post_op;
        const auto *binary = std::get_if<binary_post_op>(&op);
        if (binary && !is_common_or_f8(binary->src1.dtype))
            return "the source of a binary post-op is not f32, bf16, f16, f8, s32, s8 or u8";
        const auto *sum = std::get_if<sum_post_op>(&op);
        if (sum && sum->dtype != data_type::undef && !is_common_or_f8(sum->dtype))
            return "the type of a sum post-op is not f32, bf16, f16, f8, s32, s8 or u8";
    }
    return nullptr;
}

} // namespace dnnl::impl::ref
