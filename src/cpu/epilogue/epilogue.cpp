// SPDX-License-Identifier: Apache-2.0
// Attributes -> epilogue: what a plan keeps of them, and what an execution binds.
#include "cpu/epilogue/epilogue.hpp"

#include <algorithm>

#include "common/attributes/random.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/error.hpp"
#include "common/runtime/parallel.hpp"

namespace dnnl::impl::cpu {

namespace {
constexpr int post_op_arg(int index, int arg) {
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | arg;
}

/// True when an s32 bias may reach an s32 dst without a conversion to f32: adds_integers() holds
/// for the epilogue.
bool passes_integers(const primitive_attr &attr, const epilogue_request &r) {
    return r.integer && r.dst->dtype == data_type::s32 && r.bias->dtype == data_type::s32 &&
           attr.scales.empty() && !attr.zero_points.find(DNNL_ARG_DST) && attr.dropout.is_zero() &&
           attr.stochastic_rounding.empty() && adds_at_most_dst(attr.post_ops, data_type::s32);
}
} // namespace

epilogue_plan::epilogue_plan(isa target, const primitive_attr &attr, scratchpad_layout &scratchpad,
    const epilogue_request &r)
    : columns_(r.columns), dst_type_(r.dst->dtype), scales_of_(attr.scales),
      zero_points_(attr.zero_points) {
    take_quantization(scratchpad, r);
    if (r.bias && !r.bias->is_zero()) take_bias(attr, scratchpad, r);
    take_random(attr, r);
    take_steps(target, attr, scratchpad, r);
    const data_type acc_type = r.integer ? data_type::s32 : data_type::f32;
    identity_ = dst_type_ == acc_type && step_count_ == 0 && bias_type_ == data_type::undef &&
                scales_of_.empty() && zero_points_.empty() && !drops_out_ &&
                !rounds_stochastically_;
}

void epilogue_plan::take_quantization(scratchpad_layout &scratchpad, const epilogue_request &r) {
    const quantization *src = scales_of_.find(DNNL_ARG_SRC), *dst = scales_of_.find(DNNL_ARG_DST);
    const quantization *weights = scales_of_.find(DNNL_ARG_WEIGHTS);
    if (src || weights) scales_ = scratchpad.reserve<f32>(weights && weights->mask ? columns_ : 1);
    if (dst && dst->mask) inverse_dst_scales_ = scratchpad.reserve<f32>(columns_);
    if (src && src->mask) {
        rows_ = r.dst->dims[r.row_dim];
        row_scales_ = scratchpad.reserve<f32>(rows_);
    }
    if (has_weights_zero_point()) row_factors_ = scratchpad.reserve<s32>(columns_);
    if (const quantization *zero_point = zero_points_.find(DNNL_ARG_DST))
        dst_zero_points_ = scratchpad.reserve<s32>(zero_point->mask ? columns_ : 1);
}

void epilogue_plan::take_steps(isa target, const primitive_attr &attr,
    scratchpad_layout &scratchpad, const epilogue_request &r) {
    for (const post_op &op : attr.post_ops.entries) {
        const int i = step_count_++;
        epilogue_step &step = steps_[i];
        operand &from = operands_[i];
        step.scale = 1;
        if (const auto *eltwise = std::get_if<eltwise_post_op>(&op)) {
            step.what = epilogue_step::kind::eltwise;
            step.alg = static_cast<algorithm>(eltwise->alg);
            step.alpha = eltwise->alpha;
            step.beta = eltwise->beta;
        } else if (const auto *sum = std::get_if<sum_post_op>(&op)) {
            step.what = epilogue_step::kind::sum;
            step.scale = sum->scale;
            step.zero_point = sum->zero_point;
            step.operand_type = sum->dtype == data_type::undef ? dst_type_ : sum->dtype;
        } else if (const auto *binary = std::get_if<binary_post_op>(&op)) {
            step.what = epilogue_step::kind::binary;
            step.alg = static_cast<algorithm>(binary->alg);
            step.operand_type = binary->src1.dtype;
            const memory_desc plain = plain_operand(binary->src1, r.map);
            coordinate_strides(plain, *r.dst, r.map, step.strides);
            from = {post_op_arg(i, DNNL_ARG_SRC_1), binary->src1.offset0};
            if (!binary->src1.is_plain() && !r.walks_blocks) {
                problem outer {{}, {}, target, scratchpad};
                copies_.push_back(
                    {i, adapted_tensor(outer, binary->src1, plain, adapted_tensor::use::read)});
                scratchpad = outer.scratchpad;
            }
        } else if (const auto *prelu = std::get_if<prelu_post_op>(&op)) {
            step.what = epilogue_step::kind::prelu;
            step.operand_type = data_type::f32;
            from = {post_op_arg(i, DNNL_ARG_WEIGHTS), 0};
            prelu_coordinates(*prelu, *r.dst, r.map, from.slopes);
            for (int d = 0; d < from.slopes.count; ++d) // until execution: that they vary
                step.strides[from.slopes.of[d]] = 1;
        }
    }
}

void epilogue_plan::take_random(const primitive_attr &attr, const epilogue_request &r) {
    drops_out_ = !attr.dropout.is_zero();
    rounds_stochastically_ = !attr.stochastic_rounding.empty();
    if (!drops_out_ && !rounds_stochastically_) return;
    random_.first = r.dst->offset0;
    coordinate_strides(*r.dst, *r.dst, r.map, random_.strides);
    if (!rounds_stochastically_) return;
    const float_format format = float_format_of(dst_type_);
    random_.rounding_per_word = format.per_random_word();
    random_.rounding_kept = format.kept();
    random_.rounding_max = format.max;
    random_.rounding_min_normal = format.min_normal;
}

void epilogue_plan::take_bias(
    const primitive_attr &attr, scratchpad_layout &scratchpad, const epilogue_request &r) {
    const memory_desc &bias = *r.bias;
    bias_type_ = bias.dtype;
    bias_offset_ = bias.offset0;
    const bool per_column = is_per_column(bias, columns_);
    bias_per_column_ = per_column && !passes_integers(attr, r);
    bias_stride_ = bias.strides[bias.ndims - 1];
    bias_operand_.operand_type = bias_type_;
    if (bias_per_column_)
        bias_ = scratchpad.reserve<f32>(columns_);
    else if (per_column)
        bias_operand_.strides[column_dim] = bias_stride_;
    else
        coordinate_strides(bias, *r.dst, r.map, bias_operand_.strides);
}

bool epilogue_plan::varies_along_rows() const {
    return std::any_of(steps_.begin(), steps_.begin() + step_count_,
        [](const epilogue_step &step) { return step.strides[row_dim] != 0; });
}

void take_rows(const bound_epilogue &all, dim_t first, dim_t step, bound_epilogue &out) {
    out.data = all.data;
    out.src_zero_point = all.src_zero_point;
    std::copy_n(all.steps.begin(), all.data.step_count, out.steps.begin());
    out.data.steps = out.steps.data();
    for (int i = 0; i < all.data.step_count; ++i) {
        epilogue_step &s = out.steps[i];
        dim_t &stride = s.strides[row_dim];
        if (stride != 0) s.operand = element_at(s.operand, s.operand_type, first * stride);
        stride *= step;
    }
}

// ---- The values and pointers, at each execution ----

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
    template <class Value> Value at(dim_t i) const {
        return load_as<Value>(entry_->dtype, from_, first_ + i);
    }

  private:
    const quantization *entry_;
    const void *from_ = nullptr;
    dim_t first_ = 0;
};
/// value(i) of n values, in the scratchpad.
template <class Value, class Function>
const Value *filled(
    const exec_context &ctx, const scratch_slot<Value> &place, dim_t n, const Function &value) {
    Value *to = ctx.scratch(place);
    // Measured on a Zen 5 core: a conversion takes 1.3 to 1.9 ns.
    parallel_for_each(n, 2.0, [&](dim_t i) { to[i] = value(i); });
    return to;
}
} // namespace

void epilogue_plan::bind_scales(const exec_context &ctx, epilogue &e) const {
    if (scales_of_.empty()) return;
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
    if (dst && !dst.stride()) e.inverse_dst_scale = 1.0f / dst.at<f32>(0);
}

void epilogue_plan::bind_bias(const exec_context &ctx, bound_epilogue &out) const {
    if (bias_type_ == data_type::undef) return;
    epilogue &e = out.data;
    const void *from = ctx.in<void>(DNNL_ARG_BIAS);
    if (!bias_per_column_) {
        out.bias_operand = bias_operand_;
        out.bias_operand.operand = element_at(from, bias_type_, bias_offset_);
        e.bias_operand = &out.bias_operand;
        return;
    }
    if (bias_type_ == data_type::f32 && bias_stride_ == 1) {
        e.bias = static_cast<const f32 *>(from) + bias_offset_;
        return;
    }
    e.bias = filled(ctx, bias_, columns_,
        [&](dim_t j) { return load_f32(bias_type_, from, bias_offset_ + j * bias_stride_); });
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
        step.strides[coordinates.of[c]] = md.strides[d];
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
        out.steps[i].operand =
            element_at(ctx.in<void>(operands_[i].arg), steps_[i].operand_type, offset0);
    }
    for (const copied_operand &copy : copies_) {
        epilogue_step &step = out.steps[copy.step];
        const int arg = operands_[copy.step].arg;
        step.operand = copy.tensor.begin(ctx, const_cast<void *>(ctx.in<void>(arg)));
    }
    out.data.steps = out.steps.data();
    out.data.step_count = step_count_;
    const passed_values dst_scales(ctx, DNNL_ARG_ATTR_SCALES, scales_of_, DNNL_ARG_DST);
    if (!dst_scales.stride()) return;
    // One scale per column: the last step.
    epilogue_step &last = out.steps[out.data.step_count++];
    last = {};
    last.what = epilogue_step::kind::binary;
    last.alg = algorithm::binary_mul;
    last.scale = 1;
    last.operand_type = data_type::f32;
    last.operand = filled(
        ctx, inverse_dst_scales_, columns_, [&](dim_t j) { return 1.0f / dst_scales.at<f32>(j); });
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
