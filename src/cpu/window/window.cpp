// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/window.hpp"

namespace dnnl::impl::cpu {

image_view view_of(const memory_desc &md) {
    const dim_t bytes = size_in_bytes(md.dtype);
    const int w = md.ndims - 1, h = w - 1, d = h - 1;
    const auto extent = [&](int dim) { return dim >= 2 ? md.dims[dim] : 1; };
    const auto stride = [&](int dim) { return dim >= 2 ? md.strides[dim] * bytes : 0; };
    return {extent(d), extent(h), extent(w), bytes, md.strides[0] * bytes, md.strides[1] * bytes,
        stride(d), stride(h), stride(w), md.offset0 * bytes};
}

static bool has_dense_channels(const memory_desc &md) {
    return md.is_plain() && (md.strides[1] == 1 || md.dims[1] == 1);
}
/// The number of adjacent channels of a tensor; 0 when channels are not adjacent.
static dim_t adjacent_channels(const memory_desc &md) {
    if (md.inner_nblks == 1 && md.inner_idxs[0] == 1) return md.inner_blks[0];
    return has_dense_channels(md) ? md.dims[1] : 0;
}
static bool has_adjacent_pixels(const memory_desc &md) {
    const int w = md.ndims - 1;
    return md.is_plain() && (md.strides[w] == 1 || md.dims[w] == 1);
}

std::optional<image_order> common_order(std::initializer_list<const memory_desc *> tensors) {
    dim_t block = -1;
    bool pixels = true;
    for (const memory_desc *md : tensors) {
        if (!md || md->is_zero()) continue;
        pixels = pixels && has_adjacent_pixels(*md);
        const dim_t adjacent = adjacent_channels(*md);
        block = block < 0 || block == adjacent ? adjacent : 0;
    }
    // A single channel fills no vector, so rows of pixels are preferred.
    if (block > 1 || (block == 1 && !pixels)) return image_order {true, block};
    if (pixels) return image_order {false, 1};
    return std::nullopt;
}

coordinate_map image_coordinates(int ndims, bool by_channels) {
    coordinate_map map;
    const int last = by_channels ? row_dim : column_dim;
    for (int d = 2; d < ndims; ++d) map.of[d] = static_cast<signed char>(last - (ndims - 1 - d));
    map.of[1] = by_channels ? column_dim : 1;
    return map;
}

epilogue_request image_request(const memory_desc &dst, const image_order &order) {
    const int column = order.by_channels ? 1 : dst.ndims - 1;
    return {
        &dst, image_coordinates(dst.ndims, order.by_channels), dst.dims[column], column, 0, false};
}

coordinate_map flat_coordinates(int ndims) {
    coordinate_map map;
    for (int d = 0; d < ndims; ++d) map.of[d] = row_dim;
    map.of[1] = column_dim;
    return map;
}

memory_desc channels_last(const memory_desc &given) {
    memory_desc md = given;
    std::array<int, max_ndims> order {};
    int count = 0;
    for (int d = 0; d < md.ndims; ++d)
        if (d != 1) order[count++] = d;
    order[count++] = 1;
    md.offset0 = 0;
    set_blocked_layout(md, std::span(order.data(), std::size_t(count)), {});
    return md;
}

void prefer_channels_last(memory_desc &src, memory_desc &dst) {
    const bool src_any = src.is_any(), dst_any = dst.is_any();
    if (src_any && (dst_any || has_dense_channels(dst))) src = channels_last(src);
    if (dst_any && has_dense_channels(src)) dst = channels_last(dst);
}

memory_desc with_dense_channels(const memory_desc &md) {
    return has_dense_channels(md) ? md : channels_last(md);
}

memory_desc with_flat_channels_last(const memory_desc &md) {
    return has_dense_channels(md) && flat_row_stride(md) >= 0 ? md : channels_last(md);
}

dim_t flat_row_stride(const memory_desc &md) {
    dim_t strides[position_rank];
    if (!coordinate_strides(md, md, flat_coordinates(md.ndims), strides)) return -1;
    return md.nelems() == md.dims[1] ? md.dims[1] : strides[row_dim]; // a single pixel
}

} // namespace dnnl::impl::cpu
