// SPDX-License-Identifier: Apache-2.0
// Sliding windows: strides, dilations, paddings and the size rule that convolution and pooling
// share.
#pragma once

#include <array>
#include <string>

#include "common/layout/tensor_checks.hpp"

namespace dnnl::impl {

/// As the caller passes them, one value per spatial dimension. Null dilates: dense (all 0); null
/// padding_r: equal to padding_l.
struct window_parameters {
    const dim_t *strides;
    const dim_t *dilates;
    const dim_t *padding_l;
    const dim_t *padding_r;
};

/// The same by value: entries from the number of spatial dimensions on are 0.
struct window {
    dims_t strides {}, dilates {}, padding_l {}, padding_r {};
};

/// Copies and checks: strides >= 1, dilates >= 0, padding_l >= 0.
/// Throws error(invalid_arguments) whose reason starts with the primitive's name.
window make_window(named_primitive primitive, int spatial_ndims, const window_parameters &given);

/// Positions of a window over one dimension: (I - (1 + (K - 1) * (D + 1)) + PL + PR) / S + 1,
/// rounded down; -1 when the kernel is larger than the padded input or the arithmetic overflows.
dim_t output_extent(dim_t I, dim_t K, dim_t S, dim_t D, dim_t PL, dim_t PR);

/// Sets depth, height and width to the entries of a list of one per spatial dimension, and to
/// `missing` where a tensor lacks them.
inline void spread(
    const std::array<dim_t *, 3> &places, const dim_t *list, int spatial_ndims, dim_t missing) {
    const int absent = 3 - spatial_ndims;
    for (int d = 0; d < 3; ++d)
        *places[static_cast<std::size_t>(d)] = d < absent ? missing : list[d - absent];
}

/// The dilations of a shape whose kernel is set. That of a kernel of one element, which may be any
/// number and does not matter, is 0.
template <class Shape> void spread_dilations(Shape &s, const dims_t &dilates) {
    spread({&s.DD, &s.DH, &s.DW}, dilates.data(), s.spatial_ndims, 0);
    if (s.KD == 1) s.DD = 0;
    if (s.KH == 1) s.DH = 0;
    if (s.KW == 1) s.DW = 0;
}

/// `_ih8oh4kh3sh2dh0ph1` for each spatial dimension, the depth first; w.padding_r is not read.
std::string window_text(
    const memory_desc &src, const memory_desc &dst, const dim_t *kernel, const window &w);

/// Throws error(invalid_arguments) unless a spatial extent of the tensor is the expected one; what
/// is expected is negative where no extent fits.
void check_extent(dim_t expected, dim_t given, named_primitive primitive, const char *tensor);

} // namespace dnnl::impl
