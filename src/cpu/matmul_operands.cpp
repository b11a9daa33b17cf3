// SPDX-License-Identifier: Apache-2.0
// Layouts, batches and epilogue requests that all kinds of matrix multiplication share.
#include "cpu/matmul.hpp"

#include <span>

#include "common/data_type.hpp"
#include "cpu/gemm.hpp"

namespace dnnl::impl::cpu {

memory_desc packed_weights(memory_desc md, bool sums) {
    std::array<int, max_ndims> batch {};
    for (int d = 0; d < md.ndims - 2; ++d) batch[d] = d;
    const std::span<const int> outer(batch.data(), static_cast<std::size_t>(md.ndims - 2));
    md.offset0 = 0;
    set_panel_layout(md, {md.ndims - 2, md.ndims - 1, outer, {}, true});
    const int all = (1 << md.ndims) - 1;
    md.column_sums_mask = sums ? all & ~(1 << (md.ndims - 2)) : 0;
    return md;
}

dim_t batches_of(const memory_desc &md) {
    dim_t count = 1;
    for (int d = 0; d < md.ndims - 2; ++d) count *= md.dims[d];
    return count;
}

memory_desc with_dense_rows(const memory_desc &md) {
    const int last = md.ndims - 1;
    if (md.is_plain() && (md.strides[last] == 1 || md.dims[last] == 1)) return md;
    memory_desc dense = md;
    dense.offset0 = 0;
    set_dense_strides(dense);
    return dense;
}

namespace {
coordinate_map coordinates(int ndims) {
    coordinate_map map;
    for (int d = 0; d < ndims - 2; ++d)
        map.of[d] = static_cast<signed char>(ndims - 2 <= row_dim ? d : 0);
    map.of[ndims - 2] = row_dim;
    map.of[ndims - 1] = column_dim;
    return map;
}
} // namespace

epilogue_request request_of(const matmul_desc &op) {
    const int ndims = op.dst.ndims;
    return {&op.dst, coordinates(ndims), op.dst.dims[ndims - 1], ndims - 1, 1 << (ndims - 1),
        is_int8(op.src.dtype), &op.bias, ndims - 2, true};
}

matmul_batch batch_at(const matmul_shape &shape, const memory_desc &src, const memory_desc &weights,
    const memory_desc &dst, dim_t batch) {
    matmul_batch at {};
    const bool flattened = shape.ndims - 2 > row_dim;
    if (flattened) at.position[0] = batch;
    dim_t src_batches = 1, weights_batches = 1;
    for (int d = shape.ndims - 3; d >= 0; --d) {
        const dim_t index = batch % shape.batch[d];
        batch /= shape.batch[d];
        if (!flattened) at.position[d] = index;
        at.dst += index * dst.strides[d];
        if (src.dims[d] > 1) {
            at.src += index * src.strides[d];
            at.src_index += index * src_batches;
            src_batches *= src.dims[d];
        }
        if (weights.dims[d] > 1) {
            at.weights += index * weights.strides[d];
            at.weights_index += index * weights_batches;
            weights_batches *= weights.dims[d];
        }
    }
    return at;
}

} // namespace dnnl::impl::cpu
