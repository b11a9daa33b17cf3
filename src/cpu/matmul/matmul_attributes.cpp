// SPDX-License-Identifier: Apache-2.0
#include "cpu/matmul/matmul_attributes.hpp"

#include "common/descriptors/products/shapes.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/gemm/gemm.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Returns q with a mask that names only the dimensions along which its values vary.
quantization simplified(quantization q, const memory_desc &md) {
    for (int d = 0; d < md.ndims; ++d) {
        dim_t *group = nullptr;
        if (q.has_groups() && d >= md.ndims - 2) group = &q.group_dims[d - (md.ndims - 2)];
        if (md.dims[d] == 0 || md.dims[d] > (group ? *group : 1)) continue;
        q.mask &= ~(1 << d);
        if (group) *group = 1;
    }
    if (q.group_dims[0] == 1 && q.group_dims[1] == 1) q.group_ndims = 0;
    return q;
}

/// Scales or zero points of one operand.
class operand_entry {
  public:
    operand_entry() = default; ///< absent
    operand_entry(int kind, const quantization &q, const memory_desc &md)
        : entry_(simplified(q, md)), kind_(kind), ndims_(md.ndims),
          values_(kind, entry_, md, q.arg == DNNL_ARG_SRC ? md.ndims - 1 : md.ndims - 2) {}

    /// True for values that the epilogue applies to whole sums of products.
    bool is_for_epilogue() const {
        if (!values_ || (entry_.mask == 0 && !entry_.has_groups())) return true;
        if (entry_.has_groups()) return false;
        if (entry_.arg == DNNL_ARG_WEIGHTS) return entry_.mask == 1 << (ndims_ - 1);
        return kind_ == DNNL_ARG_ATTR_SCALES && entry_.mask == 1 << (ndims_ - 2);
    }
    /// True for scales of whole sums that the epilogue cannot apply.
    bool splits_scales() const { return !is_for_epilogue() && !values_.varies_along_k(); }
    /// Leaves the entry to the epilogue, where that can be and may be, or hands its values over.
    void put(bool may_rest, quantization_params &rest, quantization_values &values) const {
        if (!values_) return;
        if (may_rest && is_for_epilogue())
            rest.set(entry_);
        else
            values = values_;
    }

  private:
    quantization entry_;
    int kind_ = 0, ndims_ = 0;
    quantization_values values_;
};

struct operand_entries {
    operand_entry src, weights;
    quantization_params others;

    operand_entries(const matmul_desc &op, int kind, const quantization_params &from) {
        for (const quantization &q : from.entries())
            if (q.arg == DNNL_ARG_SRC)
                src = {kind, q, op.src};
            else if (q.arg == DNNL_ARG_WEIGHTS)
                weights = {kind, q, op.weights};
            else if (!q.is_dynamic())
                others.set(q);
    }
};

} // namespace

const char *choose_types(const problem &p, const operand_values &values, operand_types &types) {
    const auto &op = std::get<matmul_desc>(p.op);
    const data_type a = op.src.dtype, b = op.weights.dtype;
    if (const char *reason = matmul_types_refusal(op, p.attr)) return reason;
    types = {gemm_operand_type(p.target, a), gemm_operand_type(p.target, b)};
    if (a == data_type::f4_e2m1) types.a = data_type::f32;
    if (is_int8(a)) {
        // u4 weights of a u8 src are multiplied as s8: that pair is what the instructions multiply.
        if (b == data_type::s4 || (b == data_type::u4 && a == data_type::u8))
            types.b = data_type::s8;
        else if (b == data_type::u4)
            types.b = data_type::u8;
        return gemm_types_refusal(p.target, types.a, types.b);
    }
    const bool rounds = values.src_scale || values.weights_scale || values.weights_zero_point;
    const bool small = is_int8(b) || is_4bit(b);
    if (a == data_type::bf16 && small && !rounds && multiplies_bf16(p.target))
        types.b = data_type::bf16; // holds 8 bits exactly
    else if (!is_float(types.b) || values.weights_scale || values.weights_zero_point)
        types.b = data_type::f32;
    if (types.b != types.a || values.src_scale) types.a = data_type::f32;
    if (types.a == data_type::f32 && is_f8(b)) types.b = data_type::f32;
    // f32 multiplies any of f32, bf16 and f16.
    return gemm_types_refusal(p.target, types.a, types.a == types.b ? types.b : data_type::f32);
}

primitive_attr operand_values::rest_of(const primitive_attr &all) const {
    primitive_attr rest = all;
    rest.scales = epilogue_scales;
    rest.zero_points = epilogue_zero_points;
    return rest;
}

operand_values split_attributes(const problem &p) {
    const auto &op = std::get<matmul_desc>(p.op);
    const bool integer = is_int8(op.src.dtype);
    const operand_entries scales(op, DNNL_ARG_ATTR_SCALES, p.attr.scales);
    const operand_entries zero_points(op, DNNL_ARG_ATTR_ZERO_POINTS, p.attr.zero_points);
    operand_values split;
    split.epilogue_scales = scales.others;
    split.epilogue_zero_points = zero_points.others;
    if (op.src.dims[op.src.ndims - 1] == 0) return split; // no products: nothing to scale
    // The epilogue multiplies the scales of whole sums with each other first: it gets both or none.
    const bool together = integer && (scales.src.splits_scales() || scales.weights.splits_scales());
    scales.src.put(!together, split.epilogue_scales, split.src_scale);
    scales.weights.put(!together, split.epilogue_scales, split.weights_scale);
    // Weights that become floats have their zero points taken off on the way. Whole sums of
    // integers leave all zero points to the epilogue, or none when it cannot apply one of them.
    const bool all = integer && !split.src_scale && !split.weights_scale &&
                     zero_points.src.is_for_epilogue() && zero_points.weights.is_for_epilogue();
    zero_points.src.put(all, split.epilogue_zero_points, split.src_zero_point);
    zero_points.weights.put(all, split.epilogue_zero_points, split.weights_zero_point);
    return split;
}

// ---- Values of an execution ----

quantization_values::quantization_values(
    int kind, const quantization &q, const memory_desc &md, int k_dim)
    : arg_(kind | q.arg), k_dim_(k_dim), other_dim_(2 * md.ndims - 3 - k_dim),
      batch_dims_(md.ndims - 2), type_(q.dtype), extents_(md.dims) {
    const auto group_of = [&](int d) {
        return q.has_groups() && d >= batch_dims_ ? q.group_dims[d - batch_dims_] : dim_t {1};
    };
    dim_t stride = 1;
    for (int d = md.ndims - 1; d >= 0; --d) {
        if (!(q.mask >> d & 1)) continue;
        const dim_t values = div_up(md.dims[d], group_of(d));
        if (values > 1) strides_[d] = stride;
        stride *= values;
    }
    k_group_ = strides_[k_dim] ? group_of(k_dim) : md.dims[k_dim];
    other_group_ = group_of(other_dim_);
}

bool quantization_values::varies_along_batch() const {
    return std::any_of(
        strides_.begin(), strides_.begin() + batch_dims_, [](dim_t s) { return s != 0; });
}

template <class Value>
void quantization_values::load(
    const exec_context &ctx, dim_t batch, dim_t k, dim_t n, Value *to) const {
    dim_t first = ctx.desc(arg_).offset0 + k / k_group_ * strides_[k_dim_];
    for (int d = batch_dims_ - 1; d >= 0; --d) {
        first += batch % extents_[d] * strides_[d];
        batch /= extents_[d];
    }
    const void *from = ctx.in<void>(arg_);
    constexpr bool real = std::is_same_v<Value, f32>;
    const bool as_is = type_ == (real ? data_type::f32 : data_type::s32);
    if (as_is && other_group_ == 1 && strides_[other_dim_] == 1) {
        std::copy_n(static_cast<const Value *>(from) + first, n, to);
        return;
    }
    for (dim_t i = 0; i < n; i += other_group_) {
        const dim_t at = first + i / other_group_ * strides_[other_dim_];
        std::fill(to + i, to + std::min(i + other_group_, n), load_as<Value>(type_, from, at));
    }
}

template <class Value> void value_table<Value>::load(const exec_context &ctx) const {
    if (!of_) return;
    const table_extents e = extents_;
    Value *to = ctx.scratch(values_);
    // Measured on a Zen 5 core: 1.3 to 1.9 ns for the conversion of a value; and a call.
    const double row_ns = 10 + 2 * double(e.n);
    parallel_for_each(e.batches * e.pieces, row_ns,
        [&](dim_t i) { of_.load(ctx, i / e.pieces, i % e.pieces * e.piece, e.n, to + i * e.n); });
}

template class value_table<f32>;
template class value_table<s32>;

} // namespace dnnl::impl::cpu
