// SPDX-License-Identifier: Apache-2.0
// Images (MB, C, spatial...) as drivers of windows see them: their strides, which elements are
// adjacent, and the layouts that such drivers work on.
#pragma once

#include <initializer_list>
#include <optional>

#include "common/descriptors/problem.hpp"
#include "cpu/epilogue/epilogue.hpp"

namespace dnnl::impl::cpu {

/// Extents, 1 for spatial dimensions that the tensor lacks, and strides in bytes, 0 for these. c
/// steps over whole blocks of channels.
struct image_view {
    dim_t D, H, W;
    dim_t bytes;         ///< of one element
    dim_t n, c, d, h, w; ///< strides
    dim_t offset0_bytes; ///< of the first element, which at() does not count
    dim_t at(dim_t mb, dim_t cb, dim_t id, dim_t ih, dim_t iw) const {
        return mb * n + cb * c + id * d + ih * h + iw * w;
    }
};
image_view view_of(const memory_desc &md);

/// Which elements are adjacent in all tensors.
struct image_order {
    bool by_channels; ///< `block` channels of a pixel: nhwc, nChw16c; else the pixels of a row
    dim_t block;      ///< 1 where pixels are adjacent
};
/// Nothing when the tensors have no order in common. Absent tensors are null or zero.
std::optional<image_order> common_order(std::initializer_list<const memory_desc *> tensors);

/// Positions as the epilogue sees them, outermost first: (mb, d, h, w, c) by channels, else
/// (mb, c, d, h, w).
coordinate_map image_coordinates(int ndims, bool by_channels);
epilogue_request image_request(const memory_desc &dst, const image_order &order);
/// All pixels as rows, channels as columns.
coordinate_map flat_coordinates(int ndims);

/// (N, C, spatial...) with dense strides in the order N, spatial, C.
memory_desc channels_last(const memory_desc &md);

/// Gives activations that came as `any` the channels-last layout, or that of the other tensor where
/// this one is defined with dense channels.
void prefer_channels_last(memory_desc &src, memory_desc &dst);

/// md itself when it is plain with adjacent channels, else its channels-last form.
memory_desc with_dense_channels(const memory_desc &md);

/// As with_dense_channels(), and pixels follow each other evenly through rows, planes and images.
memory_desc with_flat_channels_last(const memory_desc &md);

/// Elements from pixel to pixel of a layout that with_flat_channels_last() gives; -1 of others.
dim_t flat_row_stride(const memory_desc &md);

} // namespace dnnl::impl::cpu
