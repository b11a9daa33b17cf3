// SPDX-License-Identifier: Apache-2.0
// Decides which attributes the epilogue of the kernels takes: above all, the operands of post-ops
// need one stride for each coordinate of dst. Finds the operands of rows of dst, or along loops.
#include <numeric>

#include "cpu/epilogue/epilogue.hpp"

namespace dnnl::impl::cpu {

bool coordinate_strides(const memory_desc &operand, const memory_desc &dst,
    const coordinate_map &map, dim_t (&strides)[position_rank]) {
    std::array<dim_t, position_rank> extent;
    extent.fill(1);
    for (dim_t &s : strides) s = 0;
    for (int d = dst.ndims - 1; d >= 0; --d) {
        if (dst.dims[d] == 1) continue;
        const auto c = std::size_t(int {map.of[d]});
        const dim_t stride = operand.dims[d] == 1 ? 0 : operand.strides[d];
        if (extent[c] == 1)
            strides[c] = stride;
        else if (stride != strides[c] * extent[c])
            return false;
        extent[c] *= dst.dims[d];
    }
    return true;
}

memory_desc dense_values(const quantization &q, const memory_desc &md) {
    memory_desc values = md;
    values.offset0 = 0;
    for (int d = 0; d < md.ndims; ++d)
        if (!(q.mask >> d & 1)) values.dims[d] = 1;
    set_dense_strides(values);
    return values;
}

bool prelu_coordinates(const prelu_post_op &op, const memory_desc &dst, const coordinate_map &map,
    coordinate_list &coordinates) {
    std::array<int, position_rank> sharing {};
    for (int d = 0; d < dst.ndims; ++d)
        if (dst.dims[d] != 1) ++sharing[map.of[d]];
    for (int d = 0; d < dst.ndims; ++d) {
        if (!(op.mask >> d & 1) || dst.dims[d] == 1) continue;
        if (sharing[map.of[d]] != 1) return false;
        coordinates.of[coordinates.count++] = map.of[d];
    }
    return true;
}

memory_desc plain_operand(const memory_desc &src1, const coordinate_map &map) {
    if (!src1.is_blocked() || src1.is_plain()) return src1;
    std::array<int, max_ndims> dims {};
    const std::span order(dims.data(), std::size_t(src1.ndims));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int d) { return map.of[d]; });
    memory_desc plain = src1;
    plain.offset0 = 0;
    set_blocked_layout(plain, order, {});
    return plain;
}

bool is_per_column(const memory_desc &bias, dim_t columns) {
    return bias.nelems() == columns && bias.dims[bias.ndims - 1] == columns;
}

namespace {

/// True when check(source) holds for all sources of a binary post-op; true for other kinds.
template <class Check> bool all_sources(const post_op &op, const Check &check) {
    bool all = true;
    for_each_source(op, 0, [&](const memory_desc &source, int) { all = all && check(source); });
    return all;
}

/// The operand with its layout, or that of default_layouts(); dst may be without a layout itself.
memory_desc laid_out(const memory_desc &operand, const memory_desc &dst) {
    memory_desc md = operand;
    if (dst.is_any())
        make_plain(md);
    else if (md.is_any())
        follow_broadcast(md, dst);
    return md;
}

/// True when each operand of a post-op has one stride for each coordinate.
bool has_strides(const post_op &op, const memory_desc &dst, const coordinate_map &map) {
    coordinate_list coordinates;
    if (const auto *prelu = std::get_if<prelu_post_op>(&op))
        return prelu_coordinates(*prelu, dst, map, coordinates);
    return all_sources(op, [&](const memory_desc &source) {
        dim_t strides[position_rank];
        const memory_desc operand = laid_out(source, dst);
        return !operand.is_blocked() ||
               coordinate_strides(plain_operand(operand, map), dst, map, strides);
    });
}

const char *step_refusal(const post_op &op, const epilogue_request &r) {
    if (const char *reason = operand_refusal(op)) return reason;
    const auto is_walked = [](const memory_desc &md) { return md.is_any() || md.is_blocked(); };
    if (!all_sources(op, is_walked)) return "a binary post-op's source has an opaque layout";
    if (!has_strides(op, *r.dst, r.map))
        return std::holds_alternative<binary_post_op>(op)
                   ? "a binary post-op's source does not follow the layout of dst"
                   : "a prelu post-op's weights do not follow the layout of dst";
    const auto *sum = std::get_if<sum_post_op>(&op);
    if (sum && sum->dtype != data_type::undef && size_of(sum->dtype) != size_of(r.dst->dtype))
        return "a sum post-op's type is not supported";
    return std::holds_alternative<depthwise_post_op>(op) ? with_depthwise_post_op : nullptr;
}

const char *scale_refusal(const quantization &q, const epilogue_request &r) {
    if (q.has_groups()) return "grouped scales are not supported";
    if (!is_scale_type(q.dtype)) return "the type of the scales is not supported";
    if (q.mask == 0) return nullptr;
    if (q.arg == DNNL_ARG_DST) {
        dim_t strides[position_rank];
        return coordinate_strides(dense_values(q, *r.dst), *r.dst, r.map, strides)
                   ? nullptr
                   : "the scales of dst do not follow the layout of dst";
    }
    const bool per_column = q.arg == DNNL_ARG_WEIGHTS && q.mask == r.weights_mask;
    const bool per_row = q.arg == DNNL_ARG_SRC && r.row_dim >= 0 && q.mask == 1 << r.row_dim;
    return per_column || per_row ? nullptr : "the mask of the scales is not supported";
}

const char *zero_point_refusal(const quantization &q, const epilogue_request &r) {
    if (q.has_groups()) return "grouped zero points are not supported";
    if (!is_integer(q.dtype)) return "the type of the zero points is not supported";
    if (q.mask == 0 && (q.arg != DNNL_ARG_WEIGHTS || r.row_sums)) return nullptr;
    if (q.arg == DNNL_ARG_WEIGHTS && r.row_sums && q.mask == r.weights_mask) return nullptr;
    if (q.arg == DNNL_ARG_DST && q.mask == 1 << r.column_dim) return nullptr;
    if (q.arg == DNNL_ARG_SRC && q.mask == r.src_zero_point_mask) return nullptr;
    if (q.arg == DNNL_ARG_WEIGHTS) return "these zero points of the weights are not supported";
    return q.arg == DNNL_ARG_SRC ? "the mask of src zero points is not supported"
                                 : "the mask of dst zero points is not supported";
}

const char *bias_refusal(const memory_desc &bias, const epilogue_request &r) {
    if (!bias.is_any() && !bias.is_plain()) return "bias has a blocked layout";
    if (!is_common_or_f8(bias.dtype)) return "the type of bias is not supported";
    if (is_per_column(bias, r.columns)) return nullptr;
    dim_t strides[position_rank];
    if (bias.ndims != r.dst->ndims) return "bias is not one value per column of dst";
    memory_desc operand = bias;
    make_plain(operand);
    if (coordinate_strides(operand, *r.dst, r.map, strides)) return nullptr;
    return "bias does not follow the layout of dst";
}

/// The element at offset i of dst uses random word i, so dst needs a stride for each coordinate.
const char *random_refusal(const primitive_attr &attr, const epilogue_request &r) {
    dim_t strides[position_rank];
    if (!attr.dropout.enabled && attr.stochastic_rounding.empty()) return nullptr;
    if (!r.random) return "dropout or stochastic rounding is not supported";
    if (r.dst->is_any()) return nullptr; // becomes plain
    if (!r.dst->is_plain()) return "dropout or stochastic rounding of a blocked dst";
    return coordinate_strides(*r.dst, *r.dst, r.map, strides)
               ? nullptr
               : "dropout or stochastic rounding of dimensions that cannot be flattened";
}

} // namespace

const char *operand_refusal(const post_op &op) {
    const auto *sum = std::get_if<sum_post_op>(&op);
    if (sum && sum->dtype != data_type::undef && !is_common_or_f8(sum->dtype))
        return "a sum post-op's type is not supported";
    const auto *binary = std::get_if<binary_post_op>(&op);
    if (binary && !is_common_or_f8(binary->src1.dtype))
        return "a binary post-op's type is not supported";
    return nullptr;
}

bool uniform(const problem &p, const memory_desc &dst, const coordinate_map &map) {
    dim_t strides[position_rank];
    const bool random = p.attr.dropout.enabled || !p.attr.stochastic_rounding.empty();
    if (random && !coordinate_strides(dst, dst, map, strides)) return false;
    const auto &entries = p.attr.post_ops.entries;
    return std::all_of(entries.begin(), entries.end(),
        [&](const post_op &op) { return has_strides(op, dst, map); });
}

const char *epilogue_plan::refusal(const primitive_attr &attr, const epilogue_request &r) {
    if (const char *reason = random_refusal(attr, r)) return reason;
    for (const quantization &q : attr.scales.entries())
        if (const char *reason = scale_refusal(q, r)) return reason;
    for (const quantization &q : attr.zero_points.entries())
        if (const char *reason = zero_point_refusal(q, r)) return reason;
    for (const post_op &op : attr.post_ops.entries)
        if (const char *reason = step_refusal(op, r)) return reason;
    return r.bias && !r.bias->is_zero() ? bias_refusal(*r.bias, r) : nullptr;
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

// ---- Epilogues along a loop nest ----

const char *row_epilogue::refusal(const problem &p) {
    const primitive_attr &attr = p.attr;
    if (attr.dropout.enabled) return "dropout is not supported";
    if (!attr.stochastic_rounding.empty()) return "stochastic rounding is not supported";
    if (!attr.zero_points.empty()) return "zero points are not supported";
    for (const quantization &q : attr.scales.entries()) {
        if (q.has_groups() || q.mask != 0) return "scales are not one value per tensor";
        if (!is_scale_type(q.dtype)) return "the type of the scales is not supported";
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
        const auto add_step = [&](const memory_desc &source) {
            operand_of_step_.push_back(static_cast<int>(operands_.size()));
            operands_.push_back(source);
            operands_.back().offset0 = 0; // in the bound pointer already
        };
        if (!binary)
            operand_of_step_.push_back(-1);
        else if (binary->selects())
            add_step(binary->src2); // in the order of the steps
        if (binary) add_step(binary->src1);
    }
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
        const auto t = owner.first_operand_ + std::size_t(owner.operand_of_step_[i]);
        step.operand = element_at(step.operand, step.operand_type, offsets[t]);
        for (dim_t &stride : step.strides) stride = 0;
        step.strides[row_dim] = rows.strides[t];
        step.strides[column_dim] = columns.strides[t];
    }
}

} // namespace dnnl::impl::cpu
