// SPDX-License-Identifier: Apache-2.0
// Attributes -> epilogue: checks and strides at creation, values and pointers at execution.
#include "cpu/epilogue.hpp"

#include <algorithm>
#include <numeric>

#include "common/data_type.hpp"
#include "common/error.hpp"
#include "common/random.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr int post_op_arg(int index, int arg) {
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | arg;
}

/// Strides of a tensor that broadcasts to dst, by coordinate of the epilogue's position. False when
/// dims that share a coordinate cannot be flattened into one stride.
bool coordinate_strides(const memory_desc &operand, const memory_desc &dst,
    const coordinate_map &map, dim_t (&strides)[position_rank]) {
    std::array<dim_t, position_rank> extent;
    extent.fill(1);
    for (dim_t &s : strides) s = 0;
    for (int d = dst.ndims - 1; d >= 0; --d) {
        if (dst.dims[d] == 1) continue;
        const auto c = static_cast<std::size_t>(map.of[static_cast<std::size_t>(d)]);
        const dim_t stride = operand.dims[d] == 1 ? 0 : operand.strides[d];
        if (extent[c] == 1)
            strides[c] = stride;
        else if (stride != strides[c] * extent[c])
            return false;
        extent[c] *= dst.dims[d];
    }
    return true;
}

/// The weights of a prelu post-op as a tensor: f32, dense over the dims of the mask.
memory_desc prelu_weights(const prelu_post_op &op, const memory_desc &dst) {
    dims_t dims {};
    for (int d = 0; d < dst.ndims; ++d) dims[d] = op.mask >> d & 1 ? dst.dims[d] : 1;
    return make_with_strides(dst.ndims, dims.data(), data_type::f32, nullptr);
}

const memory_desc *binary_source(const post_op &op) {
    const auto *binary = std::get_if<binary_post_op>(&op);
    return binary ? &binary->src1 : nullptr;
}

/// src1 itself where it is plain; else its dims dense in the order of the coordinates, the layout
/// of a copy.
memory_desc plain_operand(const memory_desc &src1, const coordinate_map &map) {
    if (!src1.is_blocked() || src1.is_plain()) return src1;
    std::array<int, max_ndims> order {};
    const auto ndims = static_cast<std::size_t>(src1.ndims);
    std::iota(order.begin(), order.begin() + src1.ndims, 0);
    std::stable_sort(order.begin(), order.begin() + src1.ndims, [&](int a, int b) {
        return map.of[static_cast<std::size_t>(a)] < map.of[static_cast<std::size_t>(b)];
    });
    memory_desc plain = src1;
    plain.offset0 = 0;
    set_blocked_layout(plain, std::span(order.data(), ndims), {});
    return plain;
}

const char *step_refusal(const post_op &op, const epilogue_request &r) {
    dim_t strides[position_rank];
    if (const memory_desc *src1 = binary_source(op)) {
        if (std::get<binary_post_op>(op).alg == dnnl_binary_select)
            return "a select post-op is not supported";
        if (!is_common_or_f8(src1->dtype)) return "a binary post-op's type is not supported";
        if (src1->is_any()) return nullptr; // takes the layout of dst
        if (!src1->is_blocked()) return "a binary post-op's source has an opaque layout";
        if (!coordinate_strides(plain_operand(*src1, r.map), *r.dst, r.map, strides))
            return "a binary post-op's source does not follow the layout of dst";
    }
    if (const auto *prelu = std::get_if<prelu_post_op>(&op))
        if (!coordinate_strides(prelu_weights(*prelu, *r.dst), *r.dst, r.map, strides))
            return "a prelu post-op's weights do not follow the layout of dst";
    if (const auto *sum = std::get_if<sum_post_op>(&op)) {
        if (sum->dtype != data_type::undef &&
            (!is_common_or_f8(sum->dtype) || size_of(sum->dtype) != size_of(r.dst->dtype)))
            return "a sum post-op's type is not supported";
    }
    if (std::holds_alternative<depthwise_post_op>(op))
        return "a depthwise post-op is not supported";
    return nullptr;
}

const char *scale_refusal(const quantization &q, const epilogue_request &r) {
    if (q.has_groups()) return "grouped scales are not supported";
    if (!is_float(q.dtype) && q.dtype != data_type::e8m0)
        return "the type of the scales is not supported";
    const bool per_column = q.arg == DNNL_ARG_WEIGHTS && q.mask == r.weights_mask;
    const bool per_dst_column = q.arg == DNNL_ARG_DST && q.mask == 1 << r.column_dim;
    const bool per_row = q.arg == DNNL_ARG_SRC && r.row_dim >= 0 && q.mask == 1 << r.row_dim;
    const bool takes_mask = q.mask == 0 || per_column || per_row || per_dst_column;
    return takes_mask ? nullptr : "the mask of the scales is not supported";
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

/// All dimensions but the last are 1: dst's columns.
bool is_per_column(const memory_desc &bias, dim_t columns) {
    return bias.nelems() == columns && bias.dims[bias.ndims - 1] == columns;
}

const char *bias_refusal(const memory_desc &bias, const epilogue_request &r) {
    if (!bias.is_any() && !bias.is_plain()) return "bias has a blocked layout";
    if (!is_common_or_f8(bias.dtype)) return "the type of bias is not supported";
    if (is_per_column(bias, r.columns)) return nullptr;
    dim_t strides[position_rank];
    if (bias.ndims != r.dst->ndims) return "bias is not one value per column of dst";
    if (bias.is_any() || coordinate_strides(bias, *r.dst, r.map, strides)) return nullptr;
    return "bias does not follow the layout of dst";
}

/// Random numbers go by the offset in dst.
const char *random_refusal(const primitive_attr &attr, const epilogue_request &r) {
    dim_t strides[position_rank];
    if (attr.dropout.is_zero() && attr.stochastic_rounding.empty()) return nullptr;
    if (!r.random) return "dropout or stochastic rounding is not supported";
    if (r.dst->is_any()) return nullptr; // becomes plain
    if (!r.dst->is_plain()) return "dropout or stochastic rounding of a blocked dst";
    return coordinate_strides(*r.dst, *r.dst, r.map, strides)
               ? nullptr
               : "dropout or stochastic rounding of dimensions that cannot be flattened";
}

} // namespace

bool uniform(const problem &p, const memory_desc &dst, const coordinate_map &map) {
    dim_t strides[position_rank];
    const bool random = !p.attr.dropout.is_zero() || !p.attr.stochastic_rounding.empty();
    if (random && !coordinate_strides(dst, dst, map, strides)) return false;
    for (const post_op &op : p.attr.post_ops.entries) {
        if (const memory_desc *src1 = binary_source(op))
            if (src1->is_blocked() &&
                !coordinate_strides(plain_operand(*src1, map), dst, map, strides))
                return false;
        if (const auto *prelu = std::get_if<prelu_post_op>(&op))
            if (!coordinate_strides(prelu_weights(*prelu, dst), dst, map, strides)) return false;
    }
    return true;
}

const char *epilogue_plan::refusal(const problem &p, const epilogue_request &r) {
    const primitive_attr &attr = p.attr;
    if (const char *reason = random_refusal(attr, r)) return reason;
    for (const quantization &q : attr.scales.entries())
        if (const char *reason = scale_refusal(q, r)) return reason;
    for (const quantization &q : attr.zero_points.entries())
        if (const char *reason = zero_point_refusal(q, r)) return reason;
    for (const post_op &op : attr.post_ops.entries)
        if (const char *reason = step_refusal(op, r)) return reason;
    return r.bias && !r.bias->is_zero() ? bias_refusal(*r.bias, r) : nullptr;
}

epilogue_plan::epilogue_plan(problem &p, const epilogue_request &r)
    : columns_(r.columns), dst_type_(r.dst->dtype) {
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
    if (r.bias && !r.bias->is_zero()) take_bias(p, r);
    if (has_weights_zero_point_) row_factors_ = p.scratchpad.reserve<s32>(columns_);
    if (has_dst_zero_point_)
        dst_zero_points_ = p.scratchpad.reserve<s32>(dst_zero_point_.mask ? columns_ : 1);

    take_random(p, r);
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
            coordinate_strides(prelu_weights(*prelu, *r.dst), *r.dst, r.map, step.strides);
            from = {post_op_arg(i, DNNL_ARG_WEIGHTS), 0};
        }
    }
    const data_type acc_type = r.integer ? data_type::s32 : data_type::f32;
    identity_ = dst_type_ == acc_type && step_count_ == 0 && bias_type_ == data_type::undef &&
                !has_src_scale_ && !has_weights_scale_ && !has_dst_scale_ && !has_src_zero_point_ &&
                !has_dst_zero_point_ && !has_weights_zero_point_ && !drops_out_ &&
                !rounds_stochastically_;
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
    bias_per_column_ = is_per_column(bias, columns_);
    if (bias_per_column_) {
        bias_stride_ = bias.strides[bias.ndims - 1];
        bias_ = p.scratchpad.reserve<f32>(columns_);
    } else {
        bias_operand_.operand_type = bias_type_;
        coordinate_strides(bias, *r.dst, r.map, bias_operand_.strides);
    }
}

namespace {
f32 value_of(const exec_context &ctx, const quantization &q, dim_t index) {
    const int arg = DNNL_ARG_ATTR_SCALES | q.arg;
    return load_f32(q.dtype, ctx.in<void>(arg), ctx.desc(arg).offset0 + index);
}
s32 zero_point_of(const exec_context &ctx, const quantization &q, dim_t index) {
    const int arg = DNNL_ARG_ATTR_ZERO_POINTS | q.arg;
    return load_s32(q.dtype, ctx.in<void>(arg), ctx.desc(arg).offset0 + index);
}
} // namespace

void epilogue_plan::bind_scales(const exec_context &ctx, epilogue &e) const {
    if (src_scale_.mask) {
        f32 *row_scales = ctx.scratch(row_scales_);
        for (dim_t i = 0; i < rows_; ++i) row_scales[i] = value_of(ctx, src_scale_, i);
        e.row_scales = row_scales;
    }
    if (has_src_scale_ || has_weights_scale_) {
        const bool one_src = has_src_scale_ && !src_scale_.mask;
        const f32 src = one_src ? value_of(ctx, src_scale_, 0) : 1.0f;
        f32 *scales = ctx.scratch(scales_);
        const dim_t count = weights_scale_.mask ? columns_ : 1;
        for (dim_t j = 0; j < count; ++j)
            scales[j] = has_weights_scale_ ? src * value_of(ctx, weights_scale_, j) : src;
        e.scales = scales;
        e.scale_stride = weights_scale_.mask ? 1 : 0;
    }
    const bool one_dst = has_dst_scale_ && !dst_scale_.mask;
    e.inverse_dst_scale = one_dst ? 1.0f / value_of(ctx, dst_scale_, 0) : 1.0f;
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
    for (dim_t j = 0; j < columns_; ++j)
        bias[j] = load_f32(bias_type_, from, bias_offset_ + j * bias_stride_);
    e.bias = bias;
}

void epilogue_plan::bind_zero_points(const exec_context &ctx, bound_epilogue &out) const {
    if (has_src_zero_point_) out.src_zero_point = zero_point_of(ctx, src_zero_point_, 0);
    if (has_dst_zero_point_) {
        const dim_t count = dst_zero_point_.mask ? columns_ : 1;
        s32 *zero_points = ctx.scratch(dst_zero_points_);
        for (dim_t j = 0; j < count; ++j) zero_points[j] = zero_point_of(ctx, dst_zero_point_, j);
        out.data.dst_zero_points = zero_points;
        out.data.dst_zero_point_stride = dst_zero_point_.mask ? 1 : 0;
    }
    if (has_weights_zero_point_) {
        s32 *factors = ctx.scratch(row_factors_);
        for (dim_t j = 0; j < columns_; ++j)
            factors[j] = zero_point_of(ctx, weights_zero_point_, weights_zero_point_.mask ? j : 0);
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

void epilogue_plan::bind_steps(const exec_context &ctx, bound_epilogue &out) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(step_count_); ++i) {
        out.steps[i] = steps_[i];
        if (operands_[i].arg == 0) continue;
        const char *base = static_cast<const char *>(ctx.in<void>(operands_[i].arg));
        out.steps[i].operand =
            base + operands_[i].offset0 * static_cast<dim_t>(size_of(steps_[i].operand_type));
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
    for (dim_t j = 0; j < columns_; ++j) inverse[j] = 1.0f / value_of(ctx, dst_scale_, j);
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

bool has_sum(const post_ops &ops) {
    return std::any_of(ops.entries.begin(), ops.entries.end(),
        [](const post_op &op) { return std::holds_alternative<sum_post_op>(op); });
}

} // namespace dnnl::impl::cpu
