// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication of a float src with weights that become f32 panels first: integers, and
// floats whose scales vary along K or the batch.
//   weights_f32(b, k, n) = scale(b, k, n) * (weights(b, k, n) - zero_point(b, k, n))
// Scales that the epilogue can apply to sums are left to it.
#include <algorithm>
#include <numeric>
#include <vector>

#include "common/data_type.hpp"
#include "common/default_layouts.hpp"
#include "common/matmul.hpp"
#include "common/parallel.hpp"
#include "cpu/adapted_tensor.hpp"
#include "cpu/cpu.hpp"
#include "cpu/gemm.hpp"
#include "cpu/gemm_types.hpp"
#include "cpu/kernels/copy_tile.hpp"
#include "cpu/kernels/select_movement.hpp"
#include "cpu/matmul.hpp"
#include "cpu/matmul_values.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t tile_rows = 64; // rows of a panel that are converted at once

/// Scales or zero points as f32.
struct value_array {
    quantization_values of;
    scratch_slot<f32> values;

    value_array() = default;
    value_array(problem &p, const quantization_values &from)
        : of(from), values(p.scratchpad.reserve<f32>(from.count())) {}

    void load(const exec_context &ctx) const {
        if (of) of.load(ctx, ctx.scratch(values));
    }

    /// Of the tile at row k and column n of a batch. A tile never leaves a group of more than one.
    tile_values at(const exec_context &ctx, dim_t batch, dim_t k, dim_t n, int k_dim) const {
        if (!of) return {};
        const dim_t k_stride = of.stride(k_dim), n_stride = of.stride(k_dim + 1);
        return {ctx.scratch(values) + of.batch_offset(batch) + k / of.k_group() * k_stride +
                    n * n_stride,
            of.k_group() == 1 ? k_stride : 0, n_stride};
    }
};

class dequantising_matmul : public plan {
  public:
    explicit dequantising_matmul(problem &p)
        : weights_(std::get<matmul_desc>(p.op).weights), k_dim_(weights_.ndims - 2),
          copy_(select_copy_tile(p.target)) {
        const auto &op = std::get<matmul_desc>(p.op);
        memory_desc src = op.src;
        if (src.dtype != data_type::f32) {
            src.dtype = data_type::f32;
            src.offset0 = 0;
            set_dense_strides(src);
        }
        src_ = adapted_tensor(p, op.src, src, adapted_tensor::use::read);
        panels_ = weights_;
        panels_.dtype = data_type::f32;
        panels_ = packed_weights(panels_, false);
        buffer_ = p.scratchpad.reserve<std::byte>(static_cast<dim_t>(panels_.size_bytes()));
        product_ = nested_plan(
            p, matmul_desc {src_.wanted(), panels_, op.bias, op.dst}, attributes_of_product(p));
        // A tile never leaves a group.
        for (const value_array *values : {&scales_, &zero_points_})
            if (values->of && values->of.k_group() > 1)
                group_ = std::gcd(group_, values->of.k_group());
    }

    const char *why_not() const {
        if (src_.why_not()) return src_.why_not();
        return product_ ? nullptr : product_.why_not();
    }

    void execute(const exec_context &ctx) const override;

  private:
    primitive_attr attributes_of_product(problem &p);
    void fill_panel(const exec_context &ctx, dim_t batch, dim_t panel) const;

    memory_desc weights_, panels_;
    int k_dim_;
    dim_t group_ = 0; ///< of K; 0: no group of more than one
    void (*copy_)(const copy_tile_args &);
    adapted_tensor src_;
    scratch_slot<std::byte> buffer_;
    value_array scales_, zero_points_;
    nested_plan product_;
};

/// Takes the values that are applied to the weights out of the attributes.
primitive_attr dequantising_matmul::attributes_of_product(problem &p) {
    primitive_attr attr = p.attr;
    attr.scales = {};
    attr.zero_points = {};
    for (const quantization &q : p.attr.scales.entries())
        if (q.arg == DNNL_ARG_WEIGHTS && !is_epilogue_scale(q, weights_))
            scales_ = value_array(p, {DNNL_ARG_ATTR_SCALES, q, weights_, k_dim_});
        else
            attr.scales.set(q);
    for (const quantization &q : p.attr.zero_points.entries())
        if (q.arg == DNNL_ARG_WEIGHTS)
            zero_points_ = value_array(p, {DNNL_ARG_ATTR_ZERO_POINTS, q, weights_, k_dim_});
        else
            attr.zero_points.set(q);
    attr.scratchpad = dnnl_scratchpad_mode_library;
    return attr;
}

void dequantising_matmul::fill_panel(const exec_context &ctx, dim_t batch, dim_t panel) const {
    const int n_dim = k_dim_ + 1;
    const dim_t K = weights_.dims[k_dim_], columns = panel_columns(data_type::f32);
    const dim_t n0 = panel * columns;
    dim_t from = weights_.offset0, to = panel * panels_.strides[n_dim], rest = batch;
    for (int d = k_dim_ - 1; d >= 0; --d) {
        from += rest % weights_.dims[d] * weights_.strides[d];
        to += rest % weights_.dims[d] * panels_.strides[d];
        rest /= weights_.dims[d];
    }
    f32 *dst = reinterpret_cast<f32 *>(ctx.scratch(buffer_)) + to;
    copy_tile_args tile {};
    tile.columns = std::min(columns, weights_.dims[n_dim] - n0);
    if (tile.columns < columns) std::fill_n(dst, K * columns, 0.0f);
    tile.src_type = weights_.dtype;
    tile.dst_type = data_type::f32;
    tile.src_row = weights_.strides[k_dim_];
    tile.src_column = weights_.strides[n_dim];
    tile.dst_row = columns;
    tile.dst_column = 1;
    tile.through_f32 = true;
    const auto *src = ctx.in<char>(DNNL_ARG_WEIGHTS);
    for (dim_t k = 0; k < K; k += tile.rows) {
        tile.rows = std::min(tile_rows, K - k);
        if (group_ > 0) tile.rows = std::min(tile.rows, group_ - k % group_);
        const dim_t element = from + k * tile.src_row + n0 * tile.src_column;
        tile.src = src + element * static_cast<dim_t>(size_of(weights_.dtype));
        tile.dst = dst + k * columns;
        tile.src_zero_point = zero_points_.at(ctx, batch, k, n0, k_dim_);
        tile.src_scale = scales_.at(ctx, batch, k, n0, k_dim_);
        copy_(tile);
    }
}

void dequantising_matmul::execute(const exec_context &ctx) const {
    scales_.load(ctx);
    zero_points_.load(ctx);
    const dim_t columns = panel_columns(data_type::f32);
    const dim_t panels = div_up(weights_.dims[k_dim_ + 1], columns);
    const dim_t count = panels * batches_of(weights_);
    const double panel_ns = 0.1 * static_cast<double>(columns * weights_.dims[k_dim_]);
    parallel_for(count, panel_ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i) fill_panel(ctx, i / panels, i % panels);
    });
    std::vector<bound_argument> arguments(ctx.arguments().begin(), ctx.arguments().end());
    for (bound_argument &a : arguments)
        if (a.arg == DNNL_ARG_WEIGHTS)
            a = {a.arg, &panels_, ctx.scratch(buffer_)};
        else if (a.arg == DNNL_ARG_SRC && src_.is_copied())
            a = {a.arg, &src_.wanted(), src_.begin(ctx, a.data)};
    product_.execute(ctx, arguments);
}

const char *type_refusal(const matmul_desc &op, const primitive_attr &attr) {
    const data_type weights = op.weights.dtype, dst = op.dst.dtype;
    if (!is_float(weights) && !is_int8(weights)) return "the type of the weights is not supported";
    if (!is_float(dst)) return "dst of a float product is not f32, bf16 or f16";
    if (!op.bias.is_zero() && !is_float(op.bias.dtype))
        return "bias of a float product is not f32, bf16 or f16";
    if (is_float(weights)) return nullptr;
    if (dst != op.src.dtype && dst != data_type::f32)
        return "dst is neither f32 nor of src's type, weights are not float";
    return may_dequantise_weights(attr, op.src.dtype)
               ? nullptr
               : "int8 weights of a float src need an fpmath mode of its type for integers";
}

const char *refusal(const problem &p) {
    const auto &op = std::get<matmul_desc>(p.op);
    if (gemm_types_refusal(p.target, data_type::f32, data_type::f32))
        return "weights are made f32 by the rows for f32";
    if (const char *reason = type_refusal(op, p.attr)) return reason;
    if (!op.weights.is_any() && !op.weights.is_plain()) return "weights have a blocked layout";
    for (const auto *params : {&p.attr.scales, &p.attr.zero_points})
        for (const quantization &q : params->entries()) {
            if (q.arg != DNNL_ARG_WEIGHTS) continue;
            if (q.has_groups() && q.group_dims[1] != 1) return "groups along N";
            if (!is_common(q.dtype)) return "the type of the scales or zero points";
            const bool scales = params == &p.attr.scales;
            if (scales && !is_epilogue_scale(q, op.weights) &&
                !(q.mask >> (op.weights.ndims - 2) & 1))
                return "scales of the weights along the batch";
        }
    return nullptr;
}

} // namespace

bool is_epilogue_scale(const quantization &q, const memory_desc &weights) {
    return !q.has_groups() && (q.mask == 0 || q.mask == 1 << (weights.ndims - 1));
}

planned make_dequantising_matmul(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    problem attempt(p);
    default_layouts(attempt);
    auto made = std::make_unique<dequantising_matmul>(attempt);
    if (const char *reason = made->why_not()) return reason;
    p = std::move(attempt);
    return planned(std::move(made));
}

} // namespace dnnl::impl::cpu
