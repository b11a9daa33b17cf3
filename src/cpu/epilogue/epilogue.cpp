// SPDX-License-Identifier: Apache-2.0
// Attributes -> epilogue: what a plan keeps of them.
#include "cpu/epilogue/epilogue.hpp"

#include <algorithm>

#include "common/attributes/random.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/epilogue/epilogue_operands.hpp"

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
        epilogue_step &step = steps_[static_cast<std::size_t>(i)];
        operand &from = operands_[static_cast<std::size_t>(i)];
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
                step.strides[from.slopes.of[static_cast<std::size_t>(d)]] = 1;
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
        epilogue_step &s = out.steps[static_cast<std::size_t>(i)];
        dim_t &stride = s.strides[row_dim];
        const dim_t bytes = static_cast<dim_t>(size_of(s.operand_type));
        if (stride != 0) s.operand = static_cast<const char *>(s.operand) + first * stride * bytes;
        stride *= step;
    }
}

} // namespace dnnl::impl::cpu
