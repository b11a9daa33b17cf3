// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/channels_last.hpp"

namespace dnnl::impl::cpu {

memory_desc channels_last(const memory_desc &given) {
    memory_desc md = given;
    std::array<int, max_ndims> order {};
    int count = 0;
    for (int d = 0; d < md.ndims; ++d)
        if (d != 1) order[count++] = d;
    order[count++] = 1;
    md.offset0 = 0;
    set_blocked_layout(md, std::span(order.data(), static_cast<std::size_t>(count)), {});
    return md;
}

namespace {
bool has_dense_channels(const memory_desc &md) {
    return md.is_plain() && (md.strides[1] == 1 || md.dims[1] == 1);
}

/// Pixel stride when the dims other than the channel can be flattened; -1 when they cannot.
dim_t flattened_stride(const memory_desc &md) {
    dim_t stride = md.dims[1], extent = 1;
    for (int d = md.ndims - 1; d >= 0; --d) {
        if (d == 1 || md.dims[d] == 1) continue;
        if (extent == 1)
            stride = md.strides[d];
        else if (md.strides[d] != stride * extent)
            return -1;
        extent *= md.dims[d];
    }
    return stride;
}
} // namespace

void prefer_channels_last(memory_desc &src, memory_desc &dst) {
    const bool src_any = src.is_any(), dst_any = dst.is_any();
    if (src_any && (dst_any || has_dense_channels(dst))) src = channels_last(src);
    if (dst_any && has_dense_channels(src)) dst = channels_last(dst);
}

memory_desc with_dense_channels(const memory_desc &md) {
    return has_dense_channels(md) ? md : channels_last(md);
}

memory_desc with_flat_channels_last(const memory_desc &md) {
    return has_dense_channels(md) && flattened_stride(md) >= 0 ? md : channels_last(md);
}

dim_t flat_row_stride(const memory_desc &md) { return flattened_stride(md); }

coordinate_map channels_last_coordinates(int ndims, bool flat) {
    coordinate_map map;
    for (int d = 0; d < ndims; ++d) {
        const int from_last = ndims - 1 - d;
        map.of[d] = static_cast<signed char>(flat ? row_dim : d == 0 ? 0 : row_dim - from_last);
    }
    map.of[1] = column_dim;
    return map;
}

} // namespace dnnl::impl::cpu
