// SPDX-License-Identifier: Apache-2.0
// Cuts the work of backward weights: its pixels into blocks, by shape alone, and its sums into
// shares for threads.
#pragma once

#include "common/layout/memory_desc.hpp"

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

} // namespace dnnl::impl::cpu
