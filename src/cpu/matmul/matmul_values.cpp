// SPDX-License-Identifier: Apache-2.0
#include "cpu/matmul/matmul_values.hpp"

#include <algorithm>
#include <type_traits>

#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"

namespace dnnl::impl::cpu {

quantization_values::quantization_values(
    int kind, const quantization &q, const memory_desc &md, int k_dim)
    : arg_(kind | q.arg), k_dim_(k_dim), other_dim_(2 * md.ndims - 3 - k_dim),
      batch_dims_(md.ndims - 2), type_(q.dtype), extents_(md.dims) {
    const auto group_of = [&](int d) {
        return q.has_groups() && d >= batch_dims_
                   ? q.group_dims[static_cast<std::size_t>(d - batch_dims_)]
                   : dim_t {1};
    };
    dim_t stride = 1;
    for (int d = md.ndims - 1; d >= 0; --d) {
        if (!(q.mask >> d & 1)) continue;
        const dim_t values = md.dims[d] / group_of(d);
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
    constexpr bool is_real = std::is_same_v<Value, f32>;
    const void *from = ctx.in<void>(arg_);
    const bool same_type = type_ == (is_real ? data_type::f32 : data_type::s32);
    for (dim_t i = 0; i < n; i += other_group_) {
        const dim_t at = first + i / other_group_ * strides_[other_dim_];
        Value value;
        if (same_type)
            value = static_cast<const Value *>(from)[at];
        else if constexpr (is_real)
            value = load_f32(type_, from, at);
        else
            value = load_s32(type_, from, at);
        std::fill(to + i, to + std::min(i + other_group_, n), value);
    }
}

template <class Value> void value_table<Value>::load(const exec_context &ctx) const {
    if (!of_) return;
    const table_extents e = extents_;
    Value *to = ctx.scratch(values_);
    // Roughly: a call, and a conversion of each value.
    const double row_ns = 10 + 2 * static_cast<double>(e.n);
    parallel_for(e.batches * e.pieces, row_ns, [&](int, dim_t begin, dim_t end) {
        for (dim_t i = begin; i < end; ++i)
            of_.load(ctx, i / e.pieces, i % e.pieces * e.piece, e.n, to + i * e.n);
    });
}

template class value_table<f32>;
template class value_table<s32>;

} // namespace dnnl::impl::cpu
