// SPDX-License-Identifier: Apache-2.0
// Backward weights: pixels cut into blocks, by shape alone, and sums into shares for threads; and
// the left operand of a block, an image's lines transposed into [channel][pixel].
#pragma once

#include <vector>

#include "cpu/window/window.hpp"

namespace dnnl::impl::cpu {

/// Output pixels [ow, ow + pixels) of `lines` lines from oh on of `planes` planes; a plane is one
/// (mb, od). Several planes are taken whole, several lines as well.
struct gradient_block {
    dim_t plane, planes, oh, lines, ow, pixels;
    dim_t size() const { return planes * lines * pixels; }
};

/// All output pixels in blocks of about the same size, in the order of memory.
class gradient_blocks {
  public:
    gradient_blocks() = default;
    /// most: the most pixels of a block.
    gradient_blocks(dim_t planes, dim_t OH, dim_t OW, dim_t most);
    dim_t count() const { return planes_.count * lines_.count * pixels_.count; }
    gradient_block of(dim_t index) const;
    gradient_block largest() const { return {0, planes_.share, 0, lines_.share, 0, pixels_.share}; }
    bool cuts_lines() const { return pixels_.count > 1; }

  private:
    /// `extent` in `count` pieces of `share`, the last of which may be shorter.
    struct cut {
        dim_t extent = 0, share = 0, count = 0;
        cut() = default;
        cut(dim_t all, dim_t most);
        dim_t begin(dim_t i) const { return i * share; }
        dim_t size(dim_t i) const { return i + 1 < count ? share : extent - i * share; }
    };
    cut planes_, lines_, pixels_;
};

/// The sums of a gradient: `parts` of them (groups, chunks of pixels) have nothing in common, each
/// a matrix of rows x columns for each tap.
struct gradient_sums {
    dim_t parts, taps, rows, columns;
};
/// The extents of one item; the last one of a dimension may be smaller.
struct gradient_share {
    dim_t taps, rows, columns;
    dim_t items(const gradient_sums &all) const;
};
/// The shares with which the busiest thread has the least to do. They are whole register tiles of
/// `tile_rows` rows and whole panels of `panel_columns` columns.
gradient_share share_gradient(
    const gradient_sums &all, dim_t tile_rows, dim_t panel_columns, dim_t threads);

/// One dimension of windows with stride S. Source indices that are S apart are a phase; the q-th
/// element of a phase is what position q touches with the first tap of the phase, and position
/// q - shift with another tap of it. Taps that are far from each other have phases of their own.
class phase_axis {
  public:
    phase_axis() = default;
    /// most: the most positions of a block.
    phase_axis(const tap_axis &axis, dim_t most);

    const tap_axis &axis() const { return axis_; }
    dim_t phases() const { return dim_t(starts_.size()); }
    dim_t phase(dim_t tap) const { return taps_[std::size_t(tap)].phase; }
    dim_t shift(dim_t tap) const { return taps_[std::size_t(tap)].shift; }
    /// Returns the number of elements that are needed after those of a tap without a shift.
    dim_t halo() const { return halo_; }
    /// Returns the source index of the first element of a phase for positions from o on.
    dim_t first(dim_t phase, dim_t o) const {
        return axis_.origin + starts_[std::size_t(phase)] + o * axis_.position_step;
    }
    /// Of `count` elements from this first one on, those that lie inside the source: [begin, end).
    struct range {
        dim_t begin, end;
    };
    range inside(dim_t first, dim_t count) const;
    /// Positions [begin, end) of `count` from o on at which the tap touches the source.
    range touched(dim_t tap, dim_t o, dim_t count) const {
        return inside(axis_.origin + tap * axis_.tap_step + o * axis_.position_step, count);
    }

  private:
    struct tap_place {
        dim_t phase, shift;
    };
    tap_axis axis_ {};
    dim_t halo_ = 0;
    std::vector<tap_place> taps_;
    std::vector<dim_t> starts_; ///< of each phase, after the origin
};

/// Lines of an image, transposed once for all taps of a plane: a tap is a view of them, shifted
/// along and across lines. A row is [phase of h][phase of w][plane][line][pixel].
class transposed_lines {
  public:
    using copy_function = void (*)(const copy_tile_args &);

    transposed_lines() = default;
    /// view: of an image with adjacent channels. pixel_group: lines have a multiple of it.
    transposed_lines(const window_axes &axes, const image_view &view, data_type type,
        copy_function copy, const gradient_blocks &blocks, dim_t pixel_group);

    /// Returns the elements from row to row, no multiple of a page.
    dim_t row_stride() const { return row_stride_; }
    dim_t line_stride() const { return line_stride_; }
    dim_t plane_stride() const { return plane_lines_ * line_stride_; }
    /// True where every tap touches the source in all lines, and in adjacent pixels of a block.
    bool is_dense() const { return dense_; }

    /// Called once for each buffer, before its first block.
    void clear(char *rows, dim_t channels) const;
    /// Transposes the lines that tap kd of the block's planes touches, for channels from src on.
    void fill(const char *src, const gradient_block &b, dim_t kd, dim_t channels, char *rows) const;

    bool touches(dim_t plane, dim_t kd) const { return d_.at(plane % d_.positions, kd) >= 0; }
    /// Returns the place in a row of the pixel that a tap touches at the first pixel of a line.
    dim_t at(dim_t kh, dim_t kw, dim_t plane, dim_t line) const {
        const dim_t phase = h_.phase(kh) * w_.phases() + w_.phase(kw);
        return ((phase * planes_ + plane) * plane_lines_ + line + h_.shift(kh)) * line_stride_ +
               w_.shift(kw);
    }
    /// Returns the lines of a block in which a tap touches the source; pixels() returns the pixels.
    phase_axis::range lines(dim_t kh, const gradient_block &b) const {
        return h_.touched(kh, b.oh, b.lines);
    }
    phase_axis::range pixels(dim_t kw, const gradient_block &b) const {
        return w_.touched(kw, b.ow, b.pixels);
    }

  private:
    void fill_line(
        const char *line, const gradient_block &b, dim_t phase, dim_t channels, char *rows) const;

    tap_axis d_ {};
    phase_axis h_, w_;
    image_view view_ {};
    data_type type_ = data_type::undef;
    copy_function copy_ = nullptr;
    dim_t planes_ = 0, plane_lines_ = 0, line_stride_ = 0, row_stride_ = 0;
    bool dense_ = false, clears_lines_ = false;
};

} // namespace dnnl::impl::cpu
