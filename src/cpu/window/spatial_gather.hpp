// SPDX-License-Identifier: Apache-2.0
// Rows of a GEMM from an image: for each position of a window, the elements under the window as one
// row, ordered (kd, kh, kw, channel), forward and for backward data.
#pragma once

#include "cpu/window/window.hpp"

namespace dnnl::impl::cpu {

/// The taps of a row of a window: from one to the next in the source and in a gathered row, and of
/// the channels of a pixel.
struct tap_lengths {
    dim_t step_bytes, tap_bytes, channel_bytes;
};

class spatial_gather {
  public:
    spatial_gather() = default;
    /// src: (MB, channels, spatial...) with channels dense; channels of one group are gathered,
    /// each tap padded with zeros to a multiple of k_group elements.
    spatial_gather(const memory_desc &src, dim_t channels, dim_t k_group, const window_axes &axes);

    const window_axes &axes() const { return window_; }
    const image_view &image() const { return from_; }
    dim_t channels() const { return channels_; }
    dim_t rows() const { return MB_ * window_.positions(); }
    /// Elements of one gathered row, and of one tap of it.
    dim_t row_size() const { return window_.taps() * tap_size_; }
    dim_t tap_size() const { return tap_size_; }

    /// True when the rows lie in the source themselves, row_stride() elements from each other.
    bool is_direct() const { return direct_; }
    dim_t row_stride() const { return row_stride_; }
    /// Elements of a row that a product reads: a direct row lacks the padding of its last tap.
    dim_t k() const { return direct_ ? row_size() - (tap_size_ - channels_) : row_size(); }

    /// Copies rows [begin, end); element (begin, 0) goes to dst, rows are row_size() elements.
    /// src points to channel 0 of the group; padding: tap_size() elements for each tap outside
    /// (int8 zero points), null for zeros.
    void run(const void *src, dim_t begin, dim_t end, void *dst, const void *padding) const;

  private:
    /// The taps of one position that touch the source.
    struct window_hits {
        tap_hits d, h, w;
    };
    /// One position all of whose taps are inside, the first at `first`; and any other position.
    void gather_whole_row(const char *first, char *dst) const;
    void gather_row(
        const char *first, const window_hits &hits, char *dst, const void *padding) const;
    /// The channels of `taps` pixels become taps, each filled up with zeros.
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
