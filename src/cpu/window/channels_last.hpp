// SPDX-License-Identifier: Apache-2.0
// Layouts in which drivers of convolution and pooling work: the channels of a pixel are adjacent.
#pragma once

#include "common/descriptors/problem.hpp"
#include "cpu/epilogue/epilogue.hpp"

namespace dnnl::impl::cpu {

/// (N, C, spatial...) with dense strides in the order N, spatial, C.
memory_desc channels_last(const memory_desc &md);

/// Gives activations that came as `any` the channels-last layout, or that of the other tensor where
/// this one is defined with dense channels.
void prefer_channels_last(memory_desc &src, memory_desc &dst);

/// md itself when it is plain with adjacent channels, else its channels-last form.
memory_desc with_dense_channels(const memory_desc &md);

/// As with_dense_channels(), and pixels follow each other evenly through lines, planes and images.
memory_desc with_flat_channels_last(const memory_desc &md);

/// Elements from pixel to pixel of a layout that with_flat_channels_last() gives.
dim_t flat_row_stride(const memory_desc &md);

/// Pixels as rows, channels as columns. flat: N and the spatial dims share the row coordinate; else
/// they are the coordinates 0 (N), 1 (D), 2 (H) and the row (W).
coordinate_map channels_last_coordinates(int ndims, bool flat);

} // namespace dnnl::impl::cpu
