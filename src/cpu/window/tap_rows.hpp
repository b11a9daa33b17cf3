// SPDX-License-Identifier: Apache-2.0
// Windows over an image as rows of products. Gathered, the elements under a position of a window
// become one row, ordered (kd, kh, kw, channel), forward and for backward data. Without copies, a
// product has the pixels that a tap touches as its rows, or pieces of lines for a row of the
// kernel, of which those that reach into the padding are copied.
#pragma once

#include <span>

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
    /// The elements of a row that a product reads. Rows in the source lack the last tap's padding.
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

/// The rows `first` to `first` + `count` - 1 of an image's windows, as products to be added up.
/// Each product has pointers to its rows, which others may share, and a place in the weights.
struct listed_rows {
    dim_t first, count;
    dim_t products, step;     ///< from the pointers of a product to those of the next
    const void *const *rows;  ///< [product][row], step x 1
    const dim_t *place_bytes; ///< the place of each product in a panel of the weights
};

/// Where the taps of a window stand in the weights: the place of the first one, and the steps along
/// depth, height and width.
struct tap_order {
    dim_t first = 0;
    std::array<dim_t, 3> steps {};
};

struct tap_rows_options {
    bool joins_taps = false; ///< each row of the kernel is one product
    bool skips = false;      ///< taps that touch nothing along whole runs of rows are left out
    bool by_lines = false;   ///< no run of rows continues in the next line of the image
};

class tap_rows {
  public:
    tap_rows() = default;
    /// The rows of these windows, whose axes must suit and which must outlive this object.
    /// tap_bytes are those of one tap in a panel. joins_taps needs taps and pixels that follow each
    /// other along the width.
    tap_rows(const spatial_gather &windows, const tap_order &order, dim_t tap_bytes,
        const tap_rows_options &options);

    /// True for windows with a divisor of 1 and at least one tap.
    static bool suit(const window_axes &axes) {
        return axes.d.divisor == 1 && axes.h.divisor == 1 && axes.w.divisor == 1 && axes.taps() > 0;
    }

    /// The elements of a row of one product.
    dim_t k() const { return k_; }
    /// The bytes of scratch for a list of `rows` rows.
    dim_t place_bytes(dim_t rows) const;
    /// Lists the rows [begin, end) in order. src points to channel 0 of the group. `padding` has
    /// `channels` elements, or is null for zeros. The list lies in `place`, a multiple of 64.
    std::span<const listed_rows> list(
        const char *src, dim_t begin, dim_t end, char *place, const void *padding) const;
    /// Lists a window that touches nothing but the padding.
    listed_rows list_padding(char *place, const void *padding) const;

  private:
    /// Some rows of one line of positions.
    struct segment {
        dim_t row, count;
        dim_t mb, od, oh, ow; ///< of the first
    };
    /// The taps that are multiplied: [first, end) along depth, height and width.
    struct tap_box {
        std::array<dim_t, 3> first, end;
        bool operator==(const tap_box &) const = default;
    };
    struct writer;

    template <class Body> void for_each_segment(dim_t begin, dim_t end, const Body &body) const;
    tap_box box_of(const segment &s) const;
    writer begin(char *place, dim_t rows, const void *padding) const;
    void write(const char *src, const listed_rows &call, const tap_box &box, writer &to) const;
    void write_line(const char *line, const segment &s, const void **out, writer &to) const;
    dim_t edges_of(dim_t rows) const;
    dim_t pixel_bytes() const { return windows_->channels() * windows_->image().element_bytes; }
    dim_t place_of(dim_t kd, dim_t kh, dim_t kw) const {
        const auto [d, h, w] = order_.steps;
        return (order_.first + kd * d + kh * h + kw * w) * tap_bytes_;
    }

    const spatial_gather *windows_ = nullptr;
    dim_t k_ = 0;
    tap_order order_;
    dim_t tap_bytes_ = 0;
    tap_rows_options options_;
    /// Each row of the kernel meets the line that the one before it meets a position later: all
    /// share one list, in which each begins a line after the one before.
    bool shares_lines_ = false;
    bool splits_lines_ = false; ///< runs of rows end where other taps are touched
    dim_t row_bytes_ = 0;       ///< bytes of a row of one product, in whole lines of a cache
    dim_t whole_first_ = 0, whole_end_ = 0; ///< positions all of whose joined taps are inside
};

} // namespace dnnl::impl::cpu
