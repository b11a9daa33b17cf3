// SPDX-License-Identifier: Apache-2.0
// The loops of a normalization: tensors of any layouts, the statistics and the vectors of scale and
// shift walked together, and sums over the elements that share a slot, cut by shape alone.
#pragma once

#include <vector>

#include "common/descriptors/problem.hpp"
#include "common/plan/exec_context.hpp"
#include "cpu/walk/box_nest.hpp"

namespace dnnl::impl::cpu {

/// Tensors of the nest; the operands of post-ops follow. Statistics and vectors are f32 arrays,
/// described with stride 0 where elements share a value; their offsets are called slots.
enum normalization_place : std::size_t {
    dst_place,
    src_place,
    statistics_place,
    vectors_place,
    diff_place,
    workspace_place,
    normalization_places
};

/// `rows` neighbouring rows of `columns` neighbouring columns.
struct normalization_piece {
    nest_offsets at; ///< of the first element, offset0 included
    dim_t rows, columns;
    bool begins_row; ///< false: other pieces hold the columns before it
};

/// A box of the index space as columns, along which dst is contiguous, rows and outer loops.
class normalization_box {
  public:
    normalization_box(walked_box box, std::size_t tensor_count);

    const nest_level &rows() const { return rows_; }
    const nest_level &columns() const { return columns_; }
    /// Rows, cut where they are long, of all outer iterations.
    dim_t items() const { return outer_count_ * rows_.extent * pieces_per_row_; }
    dim_t volume() const { return outer_count_ * rows_.extent * columns_.extent; }
    /// How the slots of `place` lie in the order of the items.
    struct units {
        dim_t items; ///< of one unit; units are neighbouring items that share no slot with others
        dim_t count;
        bool rows_differ; ///< a unit is a row, rows have slots of their own
        bool simple;      ///< all rows of a unit have the same slots
        dim_t sharing;    ///< elements of this box that share a slot
    };
    units units_of(std::size_t place) const;
    /// Calls body(slot) for the slots of whole units; units.simple.
    template <class Body>
    void for_each_slot(
        const units &u, std::size_t place, dim_t begin, dim_t end, const Body &body) const;
    /// Calls body(piece) for items in [begin, end), rows of one outer iteration at once.
    template <class Body> void walk(dim_t begin, dim_t end, const Body &body) const;

  private:
    std::size_t tensor_count_;
    nest_offsets first_;
    std::vector<nest_level> outer_;
    nest_level rows_, columns_;
    dim_t outer_count_ = 1, pieces_per_row_ = 1, width_ = 1;
};

/// The boxes that cover the tensors; the reason when there are none, else null.
const char *cut_for_normalization(
    std::span<const memory_desc *const> tensors, std::vector<normalization_box> &boxes);

/// True when the units of all boxes together are enough to keep threads busy, or all is little
/// work, and no slot lies in two boxes. `slot_size`: all elements that share a slot.
bool has_whole_units(
    const std::vector<normalization_box> &boxes, std::size_t place, dim_t slot_size);

/// Sums over all elements that share a slot.
class slot_sums {
  public:
    /// `count` sums for each slot of `place`.
    void prepare(problem &p, const std::vector<normalization_box> &boxes, std::size_t place,
        dim_t slots, int count);
    /// add(box, piece, sums) adds the elements of a piece; sum c of slot s is sums[c * slots + s].
    /// Overwrites totals, laid out alike.
    template <class Add>
    void run(const exec_context &ctx, const std::vector<normalization_box> &boxes, f32 *totals,
        const Add &add) const;

  private:
    /// Items of one box that one thread adds up.
    struct chunk {
        std::size_t box;
        dim_t begin, end;
    };
    void combine(const f32 *partial, f32 *totals) const;

    dim_t values_ = 0;     ///< sums of all slots
    bool aligned_ = false; ///< no slot lies in two chunks, so that they need no sums of their own
    double ns_per_chunk_ = 0;
    std::vector<chunk> chunks_;
    scratch_slot<f32> partial_;
};

/// Rough cost of an element in one pass.
inline constexpr double normalization_ns = 0.15;

template <class Body> void normalization_box::walk(dim_t begin, dim_t end, const Body &body) const {
    const dim_t R = rows_.extent;
    dim_t outer = begin / pieces_per_row_ / R;
    nest_cursor cursor(outer_, first_, outer, tensor_count_);
    normalization_piece piece {};
    for (dim_t item = begin; item < end; item += piece.rows) {
        const dim_t line = item / pieces_per_row_, column = item % pieces_per_row_ * width_;
        const dim_t row = line % R;
        for (; outer < line / R; ++outer) cursor.next();
        piece.rows = pieces_per_row_ > 1 ? 1 : std::min(R - row, end - item);
        piece.columns = std::min(width_, columns_.extent - column);
        piece.begins_row = column == 0;
        for (std::size_t t = 0; t < tensor_count_; ++t)
            piece.at[t] =
                cursor.offsets()[t] + row * rows_.strides[t] + column * columns_.strides[t];
        body(static_cast<const normalization_piece &>(piece));
    }
}

template <class Body>
void normalization_box::for_each_slot(
    const units &u, std::size_t place, dim_t begin, dim_t end, const Body &body) const {
    const dim_t columns = columns_.strides[place] ? columns_.extent : 1;
    bool first = true;
    walk(begin, end, [&](const normalization_piece &piece) {
        if (!piece.begins_row || !(first || u.rows_differ)) return;
        first = false;
        for (dim_t r = 0; r < (u.rows_differ ? piece.rows : 1); ++r)
            for (dim_t j = 0; j < columns; ++j)
                body(piece.at[place] + r * rows_.strides[place] + j);
    });
}

template <class Add>
void slot_sums::run(const exec_context &ctx, const std::vector<normalization_box> &boxes,
    f32 *totals, const Add &add) const {
    f32 *partial = ctx.scratch(partial_);
    if (aligned_) std::fill_n(totals, values_, 0.0f);
    parallel_for(
        static_cast<dim_t>(chunks_.size()), ns_per_chunk_, [&](int, dim_t begin, dim_t end) {
            for (dim_t c = begin; c < end; ++c) {
                const chunk &part = chunks_[static_cast<std::size_t>(c)];
                f32 *sums = aligned_ ? totals : partial + c * values_;
                if (!aligned_) std::fill_n(sums, values_, 0.0f);
                const normalization_box &box = boxes[part.box];
                box.walk(part.begin, part.end,
                    [&](const normalization_piece &piece) { add(box, piece, sums); });
            }
        });
    if (!aligned_) combine(partial, totals);
}

} // namespace dnnl::impl::cpu
