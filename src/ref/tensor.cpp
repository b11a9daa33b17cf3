// SPDX-License-Identifier: Apache-2.0
// Computes offsets of a layout as a sum of one term per dimension.
#include "ref/tensor.hpp"

namespace dnnl::impl::ref {

namespace {

/// The offset of index x of a blocked dimension. Its inner blocks are the digits of the index
/// inside the block, the outermost factor first.
dim_t blocked_offset(const memory_desc &md, int d, dim_t x) {
    dim_t offset = x / md.block(d) * md.strides[d], inside = x % md.block(d), inner_stride = 1;
    for (int b = md.inner_nblks - 1; b >= 0; --b) {
        if (md.inner_idxs[b] == d) {
            offset += inside % md.inner_blks[b] * inner_stride;
            inside /= md.inner_blks[b];
        }
        inner_stride *= md.inner_blks[b];
    }
    return offset;
}

} // namespace

template <class Offset> void tensor::set_table(int dim, dim_t count, const Offset &offset) {
    auto &table = tables_.emplace_back(std::size_t(count));
    for (dim_t x = 0; x < count; ++x) table[std::size_t(x)] = offset(x);
    axes_[dim] = {0, table.data()};
}

tensor::tensor(const memory_desc &md, void *data)
    : data_(data), dtype_(md.dtype), ndims_(md.ndims), offset0_(md.offset0) {
    if (!data) return;
    for (int d = 0; d < ndims_; ++d) {
        if (md.dims[d] == 1) continue;
        axes_[d].stride = md.strides[d];
        if (md.block(d) > 1)
            set_table(d, md.padded_dims[d], [&](dim_t x) { return blocked_offset(md, d, x); });
    }
}

tensor tensor::along(int dim, const memory_desc &vector, void *data) {
    tensor result(vector, data);
    std::swap(result.axes_[0], result.axes_[dim]);
    result.ndims_ = dim + 1;
    return result;
}

tensor tensor::grouped(const memory_desc &md, int dim, dim_t size, void *data) {
    tensor result(md, data);
    const axis groups = result.axes_[dim];
    result.set_table(dim, md.dims[dim] * size, [&](dim_t x) { return groups(x / size); });
    return result;
}

tensor tensor::masked(const memory_desc &md, const quantization &q, data_type dtype, void *data) {
    tensor result;
    result.data_ = data;
    result.dtype_ = dtype;
    result.ndims_ = md.ndims;
    dim_t stride = 1;
    for (int d = md.ndims - 1; d >= 0; --d) {
        if (!(q.mask >> d & 1) || md.dims[d] == 1) continue;
        const dim_t group = q.group(md.ndims, d);
        result.axes_[d].stride = stride;
        if (group > 1) result.set_table(d, md.dims[d], [&](dim_t x) { return x / group * stride; });
        stride *= div_up(md.dims[d], group);
    }
    return result;
}

tensor tensor::values_of(
    const exec_context &ctx, int kind, const quantization *q, const memory_desc *md) {
    if (!q) return {};
    tensor values = masked(md ? *md : ctx.desc(q->arg), *q, q->dtype, ctx.data(kind | q->arg));
    values.offset0_ = ctx.desc(kind | q->arg).offset0;
    return values;
}

tensor tensor::channel_scales(const exec_context &ctx, const primitive_attr &attr, int arg) {
    const memory_desc one_value {};
    tensor values = scales(ctx, attr, arg, &one_value);
    if (!values) return values;
    values.ndims_ = 2;
    values.axes_[1].stride = attr.scales.find(arg)->mask != 0;
    return values;
}

int row_dimension(const memory_desc &md) {
    int longest = md.ndims - 1, densest = md.ndims - 1;
    for (int d = md.ndims - 1; d >= 0; --d) {
        if (md.dims[d] > md.dims[longest]) longest = d;
        if (md.dims[d] > 1 && md.strides[d] < md.strides[densest]) densest = d;
    }
    return md.dims[densest] >= 16 ? densest : longest;
}

} // namespace dnnl::impl::ref
