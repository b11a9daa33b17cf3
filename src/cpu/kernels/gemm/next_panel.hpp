// SPDX-License-Identifier: Apache-2.0
// What a register tile brings into L2 while it multiplies (doc/kernels.md, "The cut into blocks").
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

/// What is brought begins `first` bytes after the first panel row of the tile and goes on by `step`
/// bytes for each k group; cache lines are `line` bytes apart.
struct next_part {
    dim_t first, step, line;
};

/// The bytes of a panel row and of the strip of it that a tile multiplies, and whether sums of
/// columns have read a panel before its tiles do.
struct panel_extents {
    dim_t row_bytes, strip_bytes;
    bool read_before;
};

/// Returns the part of the first of `tiles` tiles of a strip; the parts of the others follow it.
/// All tiles of a panel together bring the next panel. The only tile of a strip brings the next
/// strip, or panel rows a little ahead where the strip is the panel.
DNNL_INLINE next_part next_part_of(
    const panel_extents &e, dim_t tiles, dim_t strip, dim_t groups, dim_t panel_bytes) {
    constexpr dim_t ahead_bytes = 4096;
    if (tiles > 1 || e.read_before) {
        const dim_t step = (e.strip_bytes + tiles - 1) / tiles;
        const dim_t done = strip * tiles * step * groups;
        return {panel_bytes - strip * e.strip_bytes + done, step, step * 64 / e.strip_bytes};
    }
    if (e.strip_bytes == e.row_bytes) return {ahead_bytes, e.row_bytes, 64};
    const bool last = (strip + 1) * e.strip_bytes == e.row_bytes;
    return {last ? panel_bytes - strip * e.strip_bytes : e.strip_bytes, e.row_bytes, 64};
}

} // namespace dnnl::impl::cpu
