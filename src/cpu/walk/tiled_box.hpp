// SPDX-License-Identifier: Apache-2.0
// The folder walk/ has the ways through the elements of tensors: boxes, tiles of boxes, copies, and
// sums that are added up in a fixed order. Tensors of any layouts that broadcast to one shape are
// cut into boxes, inside which the offset of every tensor is a sum of index times stride. There are
// several boxes where blocks leave tails, else there is one.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "common/layout/data_type.hpp"
#include "common/layout/memory_desc.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/kernels/movement/movement.hpp"

namespace dnnl::impl::cpu {

/// The most tensors of a walk: sources, destination and the operands of binary post-ops.
inline constexpr int max_nest_tensors = 40;
using nest_offsets = std::array<dim_t, max_nest_tensors>; ///< elements, one per tensor

/// One loop over all tensors.
struct nest_level {
    dim_t extent = 1;
    nest_offsets strides {}; ///< elements; 0 where a tensor is broadcast
    /// True where the elements of tensor `place` that the loop visits follow each other.
    bool is_adjacent(std::size_t place) const { return extent <= 1 || strides[place] == 1; }
};

/// The iterations of nested loops, in all.
inline dim_t iterations(std::span<const nest_level> levels) {
    dim_t count = 1;
    for (const nest_level &level : levels) count *= level.extent;
    return count;
}

/// A tensor of a walk. Index x along the axis of the boxes is its index x + shift.
struct walked_tensor {
    const memory_desc *md;
    dim_t shift = 0;
    bool broadcasts = false; ///< a dimension of extent 1 keeps its index 0 where others have more

    bool stays(int d) const { return broadcasts && md->dims[d] == 1; }
};

/// The loops of a box, outermost first by the strides of tensor 0; adjoining ones are merged.
struct walked_box {
    nest_offsets first {}; ///< elements: the offsets of its first element, offset0 included
    std::vector<nest_level> levels;

    dim_t volume() const { return iterations(levels); }
};

/// Cuts the index space `dims` into boxes, the largest first. `axis` is the dimension along which
/// shifts count. Returns the reason when that is not possible, else null.
const char *cut_into_boxes(int ndims, const dims_t &dims, std::span<const walked_tensor> tensors,
    int axis, std::vector<walked_box> &boxes);

/// Walks loops one iteration after the other and keeps the offsets of all tensors.
class nest_cursor {
  public:
    /// Begins at iteration `index`; the last loop runs fastest.
    nest_cursor(std::span<const nest_level> levels, const nest_offsets &first, dim_t index,
        std::size_t tensor_count);
    void next();
    const nest_offsets &offsets() const { return offsets_; }
    dim_t position(std::size_t level) const { return positions_[level]; }

    /// A bound: a dimension becomes one loop, and one more for each of the at most two blocks that
    /// each of two tensors has along it; further tensors have the blocks of one of these two.
    static constexpr std::size_t max_levels = 5 * std::size_t(max_ndims);

  private:
    std::span<const nest_level> levels_;
    std::size_t tensor_count_;
    nest_offsets offsets_; ///< of tensor_count_ tensors
    std::array<dim_t, max_levels> positions_;
};

// ---- Boxes whose two innermost loops, rows and columns, are cut into tiles: a kernel takes one
// tile in one call ----

struct tiled_box;

/// Neighbouring rows of neighbouring columns of a box.
struct tile {
    explicit tile(const tiled_box &of) : box(of) {}

    const tiled_box &box;
    nest_offsets at;   ///< elements: the offsets of its first element, offset0 included
    dim_t row, column; ///< its first iteration of the loops `rows` and `columns`
    dim_t rows, columns;
};

struct tiled_box {
    /// Which neighbouring tiles of a thread are combined into one.
    enum class joined { none, rows, columns };

    /// The innermost loop becomes the columns, the next one the rows. With adjacent_columns there
    /// is one column per row where the elements of tensor 0 are not adjacent. A tile is one row of
    /// at most `longest` columns.
    tiled_box(walked_box box, std::size_t tensors, bool adjacent_columns, dim_t longest);

    dim_t count() const { return iterations(outer) * row_tiles() * column_tiles(); }
    dim_t volume() const { return iterations(outer) * rows.extent * columns.extent; }
    /// False where every row of tensor 0 is a single element.
    bool has_columns() const { return columns.extent > 1 || rows.extent == 1; }

    /// Calls body(tile) for the tiles [begin, end).
    template <class Body> void walk(dim_t begin, dim_t end, const Body &body) const;
    /// Calls body(thread, tile) for all tiles, in parallel.
    template <class Body>
    void for_each_tile(double tile_ns, int thread_limit, const Body &body) const {
        parallel_for(count(), tile_ns, thread_limit, [&](int thread, dim_t begin, dim_t end) {
            walk(begin, end, [&](const tile &t) { body(thread, t); });
        });
    }

    nest_offsets first;            ///< elements: the offsets of the box's first element
    std::vector<nest_level> outer; ///< the loops around rows and columns, outermost first
    nest_level rows, columns;      ///< one iteration with strides of 0 where a loop is missing
    dim_t tile_rows = 1, tile_columns;
    joined joins = joined::none;
    std::size_t tensor_count;

  private:
    dim_t row_tiles() const { return tiles(rows.extent, tile_rows); }
    dim_t column_tiles() const { return tiles(columns.extent, tile_columns); }
    /// Most loops are one tile, and a division would take as long as some small kernels.
    static dim_t tiles(dim_t extent, dim_t of_tile) {
        return extent == of_tile ? 1 : div_up(extent, of_tile);
    }
};

/// Tensor `place`, which begins at `data`, as a kernel sees it along two loops. Along a loop of one
/// iteration, elements count as adjacent.
inline row_tensor along(void *data, data_type type, std::size_t place, const nest_level &rows,
    const nest_level &columns) {
    return {data, type, rows.strides[place], columns.extent > 1 ? columns.strides[place] : 1};
}
/// Tensor `place` from a tile on. It begins at `data`, unless it is absent.
inline row_tensor part_of(void *data, data_type type, std::size_t place, const tile &t) {
    return along(data ? element_at(data, type, t.at[place]) : nullptr, type, place, t.box.rows,
        t.box.columns);
}

/// Calls body(tile) for the tiles [begin, end) of all boxes, counted from box to box.
template <class Body>
void walk_tiles(std::span<const tiled_box> boxes, dim_t begin, dim_t end, const Body &body) {
    for (const tiled_box &box : boxes) {
        const dim_t count = box.count();
        if (begin < count && end > 0)
            box.walk(std::max(begin, dim_t {0}), std::min(end, count), body);
        begin -= count;
        end -= count;
    }
}
dim_t tile_count(std::span<const tiled_box> boxes);

/// Appends the boxes of cut_into_boxes(), whose innermost loops become the columns whatever their
/// strides. Returns the reason when there are no boxes, else null.
const char *cut_into_tiled_boxes(int ndims, const dims_t &dims,
    std::span<const walked_tensor> tensors, int axis, dim_t longest, std::vector<tiled_box> &boxes);

/// What cut_into_rows() does with the dimensions.
struct row_options {
    dim_t longest;              ///< columns of a tile
    bool walks_padding = false; ///< padding that all tensors share is walked; the caller clears it
    int omitted = -1; ///< a dimension that is not walked; no tensor may be blocked along it
    nest_level *omitted_level = nullptr; ///< receives the loop over it
};

/// The rows of tensors that broadcast to one shape: tensor 0 leads, the others have its dims or 1,
/// its adjacent elements are the columns. Whole rows of a thread are joined into one tile. Returns
/// the reason when the tensors cannot be walked together, else null.
const char *cut_into_rows(std::span<const memory_desc *const> tensors, const row_options &options,
    std::vector<tiled_box> &boxes);

template <class Body> void tiled_box::walk(dim_t begin, dim_t end, const Body &body) const {
    const dim_t R = row_tiles(), C = column_tiles();
    const dim_t before = begin == 0 ? 0 : begin / C;
    dim_t row_tile = before == 0 ? 0 : before % R, column_tile = begin - before * C;
    nest_cursor cursor(outer, first, before == 0 ? 0 : before / R, tensor_count);
    tile t(*this);
    for (dim_t index = begin; index < end;) {
        const dim_t joined_rows =
            joins == joined::rows ? std::min(R - row_tile, end - index) : dim_t {1};
        const dim_t joined_columns =
            joins == joined::columns ? std::min(C - column_tile, end - index) : dim_t {1};
        t.row = row_tile * tile_rows;
        t.column = column_tile * tile_columns;
        t.rows = std::min(joined_rows * tile_rows, rows.extent - t.row);
        t.columns = std::min(joined_columns * tile_columns, columns.extent - t.column);
        for (std::size_t i = 0; i < tensor_count; ++i)
            t.at[i] = cursor.offsets()[i] + t.row * rows.strides[i] + t.column * columns.strides[i];
        body(static_cast<const tile &>(t));
        index += joined_rows * joined_columns;
        column_tile += joined_columns;
        if (column_tile < C) continue;
        column_tile = 0;
        row_tile += joined_rows;
        if (row_tile < R) continue;
        row_tile = 0;
        cursor.next();
    }
}

/// Writes zeros to the padding of a blocked layout.
void clear_padding(const memory_desc &md, void *data);

} // namespace dnnl::impl::cpu
