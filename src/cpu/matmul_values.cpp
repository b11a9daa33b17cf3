// SPDX-License-Identifier: Apache-2.0
#include "cpu/matmul_values.hpp"

#include "common/data_type.hpp"

namespace dnnl::impl::cpu {

quantization_values::quantization_values(
    int kind, const quantization &q, const memory_desc &md, int k_dim)
    : arg_(kind | q.arg), k_dim_(k_dim), batch_dims_(md.ndims - 2), type_(q.dtype),
      count_(value_count(q, md)), extents_(md.dims) {
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
}

dim_t quantization_values::batch_offset(dim_t batch) const {
    dim_t offset = 0;
    for (int d = batch_dims_ - 1; d >= 0; --d) {
        offset += batch % extents_[d] * strides_[d];
        batch /= extents_[d];
    }
    return offset;
}

void quantization_values::load(const exec_context &ctx, f32 *to) const {
    const dim_t first = ctx.desc(arg_).offset0;
    const void *from = ctx.in<void>(arg_);
    for (dim_t i = 0; i < count_; ++i) to[i] = load_f32(type_, from, first + i);
}

const void *quantization_values::at(const exec_context &ctx, dim_t &offset) const {
    offset += ctx.desc(arg_).offset0;
    return ctx.in<void>(arg_);
}

void quantization_values::load(
    const exec_context &ctx, dim_t batch, dim_t group, int d, dim_t n, f32 *to) const {
    dim_t first = batch_offset(batch) + group * strides_[k_dim_];
    const void *from = at(ctx, first);
    const dim_t step = strides_[d];
    if (type_ == data_type::f32)
        for (dim_t i = 0; i < n; ++i) to[i] = static_cast<const f32 *>(from)[first + i * step];
    else
        for (dim_t i = 0; i < n; ++i) to[i] = load_f32(type_, from, first + i * step);
}

void quantization_values::load(
    const exec_context &ctx, dim_t batch, dim_t group, int d, dim_t n, s32 *to) const {
    dim_t first = batch_offset(batch) + group * strides_[k_dim_];
    const void *from = at(ctx, first);
    const dim_t step = strides_[d];
    if (type_ == data_type::s32)
        for (dim_t i = 0; i < n; ++i) to[i] = static_cast<const s32 *>(from)[first + i * step];
    else
        for (dim_t i = 0; i < n; ++i) to[i] = load_s32(type_, from, first + i * step);
}

} // namespace dnnl::impl::cpu
