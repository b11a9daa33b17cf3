// SPDX-License-Identifier: Apache-2.0
#include "cpu/epilogue/row_epilogue.hpp"

#include "common/layout/data_type.hpp"
#include "cpu/epilogue/epilogue_operands.hpp"

namespace dnnl::impl::cpu {

const char *row_epilogue::refusal(const problem &p) {
    const primitive_attr &attr = p.attr;
    if (!attr.dropout.is_zero()) return "dropout is not supported";
    if (!attr.stochastic_rounding.empty()) return "stochastic rounding is not supported";
    if (!attr.zero_points.empty()) return "zero points are not supported";
    for (const quantization &q : attr.scales.entries()) {
        if (q.has_groups() || q.mask != 0) return "scales are not one value per tensor";
        if (!is_float(q.dtype) && q.dtype != data_type::e8m0)
            return "the type of the scales is not supported";
    }
    for (const post_op &op : attr.post_ops.entries) {
        if (std::holds_alternative<depthwise_post_op>(op))
            return "a depthwise post-op is not supported";
        if (std::holds_alternative<prelu_post_op>(op)) return "a prelu post-op is not supported";
        if (const char *reason = operand_refusal(op)) return reason;
    }
    return nullptr;
}

row_epilogue::row_epilogue(problem &p, const memory_desc &dst, bool with_scales) {
    if (p.attr.post_ops.entries.empty() && !(with_scales && !p.attr.scales.empty())) return;
    primitive_attr own; // what the epilogue sees
    own.post_ops = p.attr.post_ops;
    if (with_scales) own.scales = p.attr.scales;
    epilogue_request request {};
    request.dst = &dst;
    request.walks_blocks = true;
    plan_.emplace(p.target, own, p.scratchpad, request);
    for (const post_op &op : own.post_ops.entries) {
        const auto *binary = std::get_if<binary_post_op>(&op);
        operand_of_step_.push_back(binary ? static_cast<int>(operands_.size()) : -1);
        if (!binary) continue;
        operands_.push_back(binary->src1);
        operands_.back().offset0 = 0; // in the bound pointer already
    }
}

void row_epilogue::append_operands(std::vector<const memory_desc *> &tensors) {
    first_operand_ = tensors.size();
    for (const memory_desc &operand : operands_) tensors.push_back(&operand);
}

row_epilogue::at_piece::at_piece(const row_epilogue &owner, const bound_epilogue &bound,
    const nest_level &rows, const nest_level &columns, const nest_offsets &offsets)
    : needed_(owner.is_needed()) {
    if (!needed_) return;
    epilogue_ = bound.data;
    epilogue_.steps = steps_.data();
    for (std::size_t i = 0; i < owner.operand_of_step_.size(); ++i) {
        epilogue_step &step = steps_[i] = bound.steps[i];
        if (owner.operand_of_step_[i] < 0) continue;
        const auto t = owner.first_operand_ + static_cast<std::size_t>(owner.operand_of_step_[i]);
        step.operand = element_at(step.operand, step.operand_type, offsets[t]);
        for (dim_t &stride : step.strides) stride = 0;
        step.strides[row_dim] = rows.strides[t];
        step.strides[column_dim] = columns.strides[t];
    }
}

} // namespace dnnl::impl::cpu
