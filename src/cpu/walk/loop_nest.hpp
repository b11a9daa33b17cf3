// SPDX-License-Identifier: Apache-2.0
// Several tensors that broadcast to one shape, walked together row by row, whatever their layouts.
// Row-wise drivers iterate over its pieces.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "cpu/walk/box_nest.hpp"

namespace dnnl::impl::cpu {

/// Neighbouring rows of neighbouring columns.
struct nest_piece {
    int thread;
    nest_offsets at; ///< of the first element, offset0 included
    const nest_level *row_level, *column_level;
    dim_t rows, columns;
};

class loop_nest {
  public:
    /// Tensor 0 leads: the others have its dims or 1, its adjacent elements are the columns. Where
    /// all tensors have the same padding it is walked, too, so the caller zeroes the padding of
    /// what it writes. A dimension `apart` stays out of the nest; no tensor may be blocked along
    /// it. Returns the reason when the tensors cannot be walked together, else null.
    const char *build(std::span<const memory_desc *const> tensors, int apart = -1);

    const nest_level &apart() const { return apart_; }
    /// False where even the largest part of tensor 0 has no adjacent elements outside of `apart`.
    bool has_columns() const;

    /// The most threads that for_each_piece() uses.
    int threads(dim_t column_limit) const;

    /// Calls body(piece) for pieces that cover all elements, in parallel. Pieces have at most
    /// column_limit columns. At most thread_limit threads.
    template <class Body>
    void for_each_piece(
        double ns_per_element, dim_t column_limit, int thread_limit, const Body &body) const;
    template <class Body>
    void for_each_piece(double ns_per_element, dim_t column_limit, const Body &body) const {
        for_each_piece(ns_per_element, column_limit, max_threads(), body);
    }

  private:
    /// A box with its innermost loop, along which tensor 0 is contiguous, and the one around it.
    struct rows_box {
        nest_offsets first;
        std::vector<nest_level> outer;
        nest_level rows, columns;
        dim_t outer_count;
    };
    static rows_box cut_into_rows(walked_box &box);
    static dim_t pieces_of_row(const rows_box &box, dim_t column_limit) {
        const dim_t C = box.columns.extent;
        return C > column_limit ? div_up(C, column_limit) : 1;
    }
    template <class Body>
    void walk(const rows_box &box, double ns_per_element, dim_t column_limit, int thread_limit,
        const Body &body) const;

    std::size_t tensor_count_ = 0;
    std::vector<rows_box> boxes_;
    nest_level apart_;
};

template <class Body>
void loop_nest::walk(const rows_box &box, double ns_per_element, dim_t column_limit,
    int thread_limit, const Body &body) const {
    const dim_t R = box.rows.extent, C = box.columns.extent;
    const dim_t pieces_per_row = pieces_of_row(box, column_limit);
    const dim_t width = pieces_per_row > 1 ? column_limit : C;
    const double item_ns = 20 + ns_per_element * static_cast<double>(width);
    parallel_for(box.outer_count * R * pieces_per_row, item_ns, thread_limit,
        [&](int thread, dim_t begin, dim_t end) {
            nest_piece piece {thread, {}, &box.rows, &box.columns, 1, 0};
            dim_t outer = begin / pieces_per_row / R;
            nest_cursor cursor(box.outer, box.first, outer, tensor_count_);
            for (dim_t item = begin; item < end; item += piece.rows) {
                const dim_t line = item / pieces_per_row, column = item % pieces_per_row * width;
                const dim_t row = line % R;
                for (; outer < line / R; ++outer) cursor.next();
                piece.rows = pieces_per_row > 1 ? 1 : std::min(R - row, end - item);
                piece.columns = std::min(width, C - column);
                for (std::size_t t = 0; t < tensor_count_; ++t)
                    piece.at[t] = cursor.offsets()[t] + row * box.rows.strides[t] +
                                  column * box.columns.strides[t];
                body(static_cast<const nest_piece &>(piece));
            }
        });
}

template <class Body>
void loop_nest::for_each_piece(
    double ns_per_element, dim_t column_limit, int thread_limit, const Body &body) const {
    for (const rows_box &box : boxes_) walk(box, ns_per_element, column_limit, thread_limit, body);
}

} // namespace dnnl::impl::cpu
