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

/// True when an s32 bias may reach an s32 dst without a conversion to f32 (store_integers() in
/// kernels/epilogue_rows.cpp).
bool adds_integers(const primitive_attr &attr, const epilogue_request &r) {
    return r.integer && r.dst->dtype == data_type::s32 && r.bias->dtype == data_type::s32 &&
           attr.scales.empty() && !attr.zero_points.find(DNNL_ARG_DST) && attr.dropout.is_zero() &&
           attr.stochastic_rounding.empty() && adds_at_most_dst(attr.post_ops, data_type::s32);
}
} // namespace

epilogue_plan::epilogue_plan(problem &p, const epilogue_request &r)
    : columns_(r.columns), dst_type_(r.dst->dtype) {
    take_quantization(p, r);
    if (r.bias && !r.bias->is_zero()) take_bias(p, r);
    take_random(p, r);
    take_steps(p, r);
    const data_type acc_type = r.integer ? data_type::s32 : data_type::f32;
    identity_ = dst_type_ == acc_type && step_count_ == 0 && bias_type_ == data_type::undef &&
                !has_src_scale_ && !has_weights_scale_ && !has_dst_scale_ && !has_src_zero_point_ &&
                !has_dst_zero_point_ && !has_weights_zero_point_ && !drops_out_ &&
                !rounds_stochastically_;
}

void epilogue_plan::take_quantization(problem &p, const epilogue_request &r) {
    const auto take = [](const quantization_params &from, int arg, quantization &to) {
        const quantization *found = from.find(arg);
        if (found) to = *found;
        return found != nullptr;
    };
    has_src_scale_ = take(p.attr.scales, DNNL_ARG_SRC, src_scale_);
    has_weights_scale_ = take(p.attr.scales, DNNL_ARG_WEIGHTS, weights_scale_);
    has_dst_scale_ = take(p.attr.scales, DNNL_ARG_DST, dst_scale_);
    has_src_zero_point_ = take(p.attr.zero_points, DNNL_ARG_SRC, src_zero_point_);
    has_dst_zero_point_ = take(p.attr.zero_points, DNNL_ARG_DST, dst_zero_point_);
    has_weights_zero_point_ = take(p.attr.zero_points, DNNL_ARG_WEIGHTS, weights_zero_point_);

    if (has_src_scale_ || has_weights_scale_)
        scales_ = p.scratchpad.reserve<f32>(weights_scale_.mask ? columns_ : 1);
    if (dst_scale_.mask) inverse_dst_scales_ = p.scratchpad.reserve<f32>(columns_);
    if (src_scale_.mask) {
        rows_ = r.dst->dims[r.row_dim];
        row_scales_ = p.scratchpad.reserve<f32>(rows_);
    }
    if (has_weights_zero_point_) row_factors_ = p.scratchpad.reserve<s32>(columns_);
    if (has_dst_zero_point_)
        dst_zero_points_ = p.scratchpad.reserve<s32>(dst_zero_point_.mask ? columns_ : 1);
}

void epilogue_plan::take_steps(problem &p, const epilogue_request &r) {
    for (const post_op &op : p.attr.post_ops.entries) {
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
            if (!binary->src1.is_plain() && !r.walks_blocks)
                copies_.push_back(
                    {i, adapted_tensor(p, binary->src1, plain, adapted_tensor::use::read)});
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

void epilogue_plan::take_random(const problem &p, const epilogue_request &r) {
    drops_out_ = !p.attr.dropout.is_zero();
    rounds_stochastically_ = !p.attr.stochastic_rounding.empty();
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

void epilogue_plan::take_bias(problem &p, const epilogue_request &r) {
    const memory_desc &bias = *r.bias;
    bias_type_ = bias.dtype;
    bias_offset_ = bias.offset0;
    const bool per_column = is_per_column(bias, columns_);
    bias_per_column_ = per_column && !adds_integers(p.attr, r);
    bias_stride_ = bias.strides[bias.ndims - 1];
    bias_operand_.operand_type = bias_type_;
    if (bias_per_column_)
        bias_ = p.scratchpad.reserve<f32>(columns_);
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
