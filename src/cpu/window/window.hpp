// SPDX-License-Identifier: Apache-2.0
// This folder has what drivers know of windows over images. This file has images (MB, C,
// spatial...): their strides, which of their elements are adjacent, the layouts that suit windows;
// and which pixels the taps of a window touch. position_runs.hpp finds positions with the same
// pattern of taps, tap_rows.hpp makes rows of a matrix of windows.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "cpu/epilogue/epilogue.hpp"

namespace dnnl::impl::cpu {

// ---- Images ----

/// Extents and strides of an image. Spatial dimensions that the tensor lacks have extent 1 and
/// stride 0. c steps over whole blocks of channels.
struct image_view {
    dim_t D, H, W;
    dim_t element_bytes;
    dim_t n_bytes, c_bytes, d_bytes, h_bytes, w_bytes;
    dim_t offset0_bytes; ///< the first element, which bytes_at() does not count
    dim_t bytes_at(dim_t mb, dim_t cb, dim_t id, dim_t ih, dim_t iw) const {
        return mb * n_bytes + cb * c_bytes + id * d_bytes + ih * h_bytes + iw * w_bytes;
    }
    /// True where rows and planes follow each other, as rows of pixels of so many bytes do.
    bool rows_follow(dim_t pixel_bytes) const {
        return (H == 1 || h_bytes == W * pixel_bytes) && (D == 1 || d_bytes == H * W * pixel_bytes);
    }
};
image_view view_of(const memory_desc &md);

/// Which elements are adjacent in all tensors of a primitive.
struct image_order {
    bool by_channels; ///< `block` channels of a pixel (nhwc, nChw16c); else the pixels of a row
    dim_t block;      ///< 1 where pixels are adjacent
};
/// The order that the tensors share; nothing when they share none. Absent tensors are null or zero.
std::optional<image_order> common_order(std::initializer_list<const memory_desc *> tensors);

/// The position of an element as the epilogue counts it, outermost first: (mb, d, h, w, c) by
/// channels, else (mb, c, d, h, w).
coordinate_map image_coordinates(int ndims, bool by_channels);
epilogue_request image_request(const memory_desc &dst, const image_order &order);
/// The same where all pixels are rows and the channels are columns.
coordinate_map flat_coordinates(int ndims);

/// (N, C, spatial...) with dense strides in the order N, spatial, C.
memory_desc channels_last(const memory_desc &given);

/// Gives activations that came as `any` the channels-last layout, or that of the other tensor where
/// this one is defined with dense channels.
void prefer_channels_last(memory_desc &src, memory_desc &dst);

/// md itself when it is plain with adjacent channels, else its channels-last form.
memory_desc with_dense_channels(const memory_desc &md);

/// The descriptor of with_dense_channels(), but with pixels that follow each other evenly through
/// rows, planes and images.
memory_desc with_flat_channels_last(const memory_desc &md);

/// The elements from pixel to pixel in a layout of with_flat_channels_last(); -1 for other layouts.
dim_t flat_row_stride(const memory_desc &md);

// ---- Taps ----
//
// Windows along one dimension: what a tap touches is computed, not tabulated, so that a plan costs
// the same whatever its extents are. One form serves forward, where positions step over the source,
// and backward data, where they divide it.

/// a / b, rounded up and rounded down; b is at least 1. Most divisors are 1.
inline dim_t ceiling(dim_t a, dim_t b) { return b == 1 ? a : a / b + (a % b > 0); }
inline dim_t floor(dim_t a, dim_t b) { return b == 1 ? a : a / b - (a % b < 0); }

/// The taps of one position that touch the source: tap, tap + tap_step, ... touch the source
/// indices index, index + index_step, ...
struct tap_hits {
    dim_t tap, tap_step, count;
    dim_t index, index_step;
    /// The tap after the last one, where taps follow each other.
    dim_t end() const { return tap + count; }
};

/// Tap k of position o touches the source index
///     (origin + o * position_step + k * tap_step) / divisor
/// where that is a whole number in [0, extent), and nothing elsewhere. position_step and divisor
/// are at least 1.
struct tap_axis {
    dim_t positions, taps, extent;
    dim_t origin, position_step, tap_step, divisor;

    /// The index that tap k of position o touches; -1 where it touches nothing.
    dim_t at(dim_t o, dim_t k) const {
        dim_t index = origin + o * position_step + k * tap_step;
        if (divisor != 1) {
            if (index % divisor != 0) return -1;
            index /= divisor;
        }
        return index >= 0 && index < extent ? index : -1;
    }
    /// The step from tap to tap, bounded by the extent: a longer one leads out of the source
    /// anyway, and products with the bounded one do not overflow. The divisor is 1.
    dim_t tap_distance() const { return std::clamp(tap_step, -extent, extent); }
    dim_t position_distance() const { return std::min(position_step, extent); }
    /// With divisor 1, the taps that touch the source follow each other.
    tap_hits hits(dim_t o) const;
    /// How many positions from o on (at least 1) have the hits of o, each a position_step further.
    dim_t alike(dim_t o, const tap_hits &hits_of_o) const;

  private:
    tap_hits divided_hits(dim_t o) const; // position_runs.cpp
};

inline tap_hits tap_axis::hits(dim_t o) const {
    if (divisor != 1) return divided_hits(o);
    const dim_t n = origin + o * position_step;
    dim_t first = 0, last = taps;
    if (tap_step > 0) {
        if (n < 0) first = std::min(taps, ceiling(-n, tap_step));
        if (n + (taps - 1) * tap_step >= extent)
            last = std::max<dim_t>(first, ceiling(extent - n, tap_step));
    } else {
        if (n >= extent) first = std::min(taps, floor(n - extent, -tap_step) + 1);
        if (n + (taps - 1) * tap_step < 0)
            last = std::max(first, std::min(taps, floor(n, -tap_step) + 1));
    }
    return {first, 1, last - first, n + first * tap_step, tap_step};
}

inline dim_t tap_axis::alike(dim_t o, const tap_hits &r) const {
    if (divisor != 1) return 1;
    const dim_t n = origin + o * position_step;
    dim_t count = positions - o;
    // Indices grow with the position: one tap is the next to enter the source, another one the next
    // to leave it.
    const dim_t entering = tap_step > 0 ? r.tap - 1 : r.end();
    const dim_t leaving = tap_step > 0 ? r.end() - 1 : r.tap;
    if (entering >= 0 && entering < taps) {
        const dim_t missing = -(n + entering * tap_step);
        if (missing > 0) count = std::min(count, ceiling(missing, position_step));
    }
    if (r.count > 0)
        count = std::min(count, ceiling(extent - (n + leaving * tap_step), position_step));
    return count;
}

/// The axis of a forward pass: index o * S + k * (D + 1) - P in [0, I).
inline tap_axis forward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P) {
    return {O, K, I, -P, S, D + 1, 1};
}
/// The axis of backward data: for each i the outputs o in [0, O) with o * S + k * (D + 1) - P == i.
inline tap_axis backward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P) {
    return {I, K, O, P, 1, -(D + 1), S};
}

/// A window over an image.
struct window_axes {
    tap_axis d, h, w;
    dim_t taps() const { return d.taps * h.taps * w.taps; }
    /// Positions in one image.
    dim_t positions() const { return d.positions * h.positions * w.positions; }
};
/// The axes of the window of a convolution or a pooling.
template <class Shape> window_axes axes_of(const Shape &s, bool forward) {
    const auto taps = forward ? forward_taps : backward_taps;
    return {taps(s.OD, s.ID, s.KD, s.SD, s.DD, s.PD), taps(s.OH, s.IH, s.KH, s.SH, s.DH, s.PH),
        taps(s.OW, s.IW, s.KW, s.SW, s.DW, s.PW)};
}

} // namespace dnnl::impl::cpu
