// SPDX-License-Identifier: Apache-2.0
// What a plan keeps of bias and post-ops, and what an execution binds of them.
#include "cpu/epilogue/epilogue.hpp"

namespace dnnl::impl::cpu {

namespace {
constexpr int post_op_arg(int index, int arg) {
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | arg;
}

/// True when an s32 bias may reach an s32 dst as an integer: the epilogue's adds_integers() holds.
bool passes_integers(const primitive_attr &attr, const epilogue_request &r) {
    return r.integer && r.dst->dtype == data_type::s32 && r.bias->dtype == data_type::s32 &&
           attr.scales.empty() && !attr.zero_points.find(DNNL_ARG_DST) && !attr.dropout.enabled &&
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
                scales_of_.empty() && zero_points_.empty() && !dropout_.enabled &&
                !rounds_stochastically_;
}

void epilogue_plan::take_steps(isa target, const primitive_attr &attr,
    scratchpad_layout &scratchpad, const epilogue_request &r) {
    int index = 0;
    for (const post_op &op : attr.post_ops.entries) {
        const int entry = index++;
        if (const auto *b = std::get_if<binary_post_op>(&op)) {
            if (b->selects())
                take_source(target, b->src2, post_op_arg(entry, DNNL_ARG_SRC_2), scratchpad, r)
                    .what = epilogue_step::kind::condition;
            epilogue_step &step =
                take_source(target, b->src1, post_op_arg(entry, DNNL_ARG_SRC_1), scratchpad, r);
            step.what = b->selects() ? epilogue_step::kind::select : epilogue_step::kind::binary;
            step.alg = static_cast<algorithm>(b->alg);
            continue;
        }
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
        } else if (const auto *prelu = std::get_if<prelu_post_op>(&op)) {
            step.what = epilogue_step::kind::prelu;
            step.operand_type = data_type::f32;
            from = {post_op_arg(entry, DNNL_ARG_WEIGHTS), 0};
            prelu_coordinates(*prelu, *r.dst, r.map, from.slopes);
            for (int d = 0; d < from.slopes.count; ++d) // until execution: that they vary
                step.strides[from.slopes.of[d]] = 1;
        }
    }
}

epilogue_step &epilogue_plan::take_source(isa target, const memory_desc &source, int arg,
    scratchpad_layout &scratchpad, const epilogue_request &r) {
    const int i = step_count_++;
    epilogue_step &step = steps_[i];
    step.scale = 1;
    step.operand_type = source.dtype;
    const memory_desc plain = plain_operand(source, r.map);
    coordinate_strides(plain, *r.dst, r.map, step.strides);
    operands_[i] = {arg, source.offset0};
    if (!source.is_plain() && !r.walks_blocks) {
        problem outer {{}, {}, target, scratchpad};
        copies_.push_back({i, adapted_tensor(outer, source, plain, adapted_tensor::use::read)});
        scratchpad = outer.scratchpad;
    }
    return step;
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

// ---- The values and pointers, at each execution ----

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

void epilogue_plan::bind_steps(const exec_context &ctx, bound_epilogue &out) const {
    for (std::size_t i = 0; i < std::size_t(step_count_); ++i) {
        out.steps[i] = steps_[i];
        if (operands_[i].arg == 0) continue;
        dim_t offset0 = operands_[i].offset0;
        if (steps_[i].what == epilogue_step::kind::prelu) {
            const memory_desc &slopes = ctx.desc(operands_[i].arg); // as they are passed
            const coordinate_list &coordinates = operands_[i].slopes;
            for (int c = 0, d = 0; c < coordinates.count; ++c, ++d) {
                while (slopes.dims[d] == 1) ++d;
                out.steps[i].strides[coordinates.of[c]] = slopes.strides[d];
            }
            offset0 = slopes.offset0;
        }
        out.steps[i].operand =
            element_at(ctx.in<void>(operands_[i].arg), steps_[i].operand_type, offset0);
    }
    for (const copied_operand &copy : copies_)
        out.steps[copy.step].operand = copy.tensor.begin(ctx, operands_[copy.step].arg);
    out.data.steps = out.steps.data();
    out.data.step_count = step_count_;
}

void epilogue_plan::bind(const exec_context &ctx, bound_epilogue &out) const {
    out.data = {};
    out.src_zero_point = 0;
    out.data.dst_type = dst_type_;
    bind_bias(ctx, out);
    bind_steps(ctx, out);
    bind_scales(ctx, out);
    bind_zero_points(ctx, out);
    bind_random(ctx, out);
}

} // namespace dnnl::impl::cpu
