// SPDX-License-Identifier: Apache-2.0
// Makes rows of a GEMM from an image: the elements under each position of a window become one row,
// ordered (kd, kh, kw, channel), forward and for backward data.
#pragma once

#include "cpu/window/window.hpp"

namespace dnnl::impl::cpu {

/// The taps of one line of a window: how far one is from the next, in the source and in a gathered
/// row, and the channels of a pixel.
struct tap_lengths {
    dim_t step_bytes, tap_bytes, channel_bytes;
};

class spatial_gather {
  public:
    spatial_gather() = default;
    /// src is (MB, channels, spatial...) with dense channels. The channels of one group are
    /// gathered; each tap is filled up with zeros to a multiple of k_group elements.
    spatial_gather(const memory_desc &src, dim_t channels, dim_t k_group, const window_axes &axes);

    const window_axes &axes() const { return window_; }
    const image_view &image() const { return from_; }
    dim_t channels() const { return channels_; }
    dim_t rows() const { return MB_ * window_.positions(); }
    /// The elements of one gathered row.
    dim_t row_size() const { return window_.taps() * tap_size_; }
    dim_t tap_size() const { return tap_size_; }

    /// True when the source has the rows themselves, row_stride() elements from each other.
    bool is_direct() const { return direct_; }
    dim_t row_stride() const { return row_stride_; }
    /// The elements of a row that a product reads. A row that lies in the source lacks the padding
    /// of its last tap.
    dim_t k() const { return direct_ ? row_size() - (tap_size_ - channels_) : row_size(); }

    /// Copies rows [begin, end). Element (begin, 0) goes to dst, and rows are row_size() elements
    /// apart. src points to channel 0 of the group. `padding` has tap_size() elements for taps
    /// outside the image (zero points of int8); null: zeros.
    void run(const void *src, dim_t begin, dim_t end, void *dst, const void *padding) const;

  private:
    /// The taps of one position that touch the source.
    struct window_hits {
        tap_hits d, h, w;
    };
    /// Gathers a row all of whose taps are inside; the first one is at `first`.
    void gather_whole_row(const char *first, char *dst) const;
    void gather_row(
        const char *first, const window_hits &hits, char *dst, const void *padding) const;
    /// Copies the channels of `taps` pixels into taps, each filled up with zeros.
    using copy_function = void (*)(const char *src, char *dst, dim_t taps, const tap_lengths &of);
    copy_function choose_copy() const;

    dim_t MB_ = 0, channels_ = 0, tap_size_ = 0;
    window_axes window_ {};
    image_view from_ {};
    tap_lengths lengths_ {};
    copy_function copy_ = nullptr;
    bool direct_ = false;
    dim_t row_stride_ = 0;
};

} // namespace dnnl::impl::cpu
