// SPDX-License-Identifier: Apache-2.0
#include "cpu/matmul/matmul_values.hpp"

#include <algorithm>

#include "common/layout/data_type.hpp"

namespace dnnl::impl::cpu {

quantization_values::quantization_values(
    int kind, const quantization &q, const memory_desc &md, int k_dim)
    : arg_(kind | q.arg), k_dim_(k_dim), line_dim_(2 * md.ndims - 3 - k_dim),
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
    line_group_ = group_of(line_dim_);
}

bool quantization_values::varies_along_batch() const {
    for (int d = 0; d < batch_dims_; ++d)
        if (strides_[d]) return true;
    return false;
}

template <class Value, class Load>
void quantization_values::load(
    const exec_context &ctx, dim_t batch, dim_t k, dim_t n, Value *to, Load one) const {
    dim_t first = ctx.desc(arg_).offset0 + k / k_group_ * strides_[k_dim_];
    for (int d = batch_dims_ - 1; d >= 0; --d) {
        first += batch % extents_[d] * strides_[d];
        batch /= extents_[d];
    }
    const void *from = ctx.in<void>(arg_);
    const dim_t step = strides_[line_dim_];
    for (dim_t i = 0; i < n; i += line_group_) {
        const Value value = one(from, first + i / line_group_ * step);
        std::fill(to + i, to + std::min(i + line_group_, n), value);
    }
}

void quantization_values::load(
    const exec_context &ctx, dim_t batch, dim_t k, dim_t n, f32 *to) const {
    if (type_ == data_type::f32)
        return load(ctx, batch, k, n, to,
            [](const void *from, dim_t i) { return static_cast<const f32 *>(from)[i]; });
    load(ctx, batch, k, n, to,
        [this](const void *from, dim_t i) { return load_f32(type_, from, i); });
}

void quantization_values::load(
    const exec_context &ctx, dim_t batch, dim_t k, dim_t n, s32 *to) const {
    if (type_ == data_type::s32)
        return load(ctx, batch, k, n, to,
            [](const void *from, dim_t i) { return static_cast<const s32 *>(from)[i]; });
    load(ctx, batch, k, n, to,
        [this](const void *from, dim_t i) { return load_s32(type_, from, i); });
}

} // namespace dnnl::impl::cpu
