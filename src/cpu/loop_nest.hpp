// SPDX-License-Identifier: Apache-2.0
// Several tensors that broadcast to one shape, walked together: one loop nest with one stride per
// tensor and level, whatever their layouts. Row-wise drivers iterate over its rows.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "common/memory_desc.hpp"
#include "common/parallel.hpp"

namespace dnnl::impl::cpu {

/// Up to this many tensors: sources, destination and the operands of binary post-ops.
inline constexpr int max_nest_tensors = 12;
using nest_offsets = std::array<dim_t, max_nest_tensors>; ///< elements, one per tensor

struct nest_level {
    dim_t extent = 1;
    nest_offsets strides {}; ///< elements; 0 where a tensor is broadcast
};

class loop_nest {
  public:
    /// Tensor 0 leads: the others have its dims or 1, its innermost loop is the innermost. Inner
    /// blocks become loops of their own; padded dims are walked up to their padding, so the caller
    /// zeroes the padding of what it writes. A dimension `apart` stays out of the nest.
    /// Returns the reason when the tensors cannot be walked together, else null.
    const char *build(std::span<const memory_desc *const> tensors, int apart = -1);

    /// The innermost loop and the one around it; rows().extent is 1 when there is no other.
    const nest_level &columns() const { return columns_; }
    const nest_level &rows() const { return rows_; }
    const nest_level &apart() const { return apart_; }
    /// Iterations of all loops outside of rows().
    dim_t outer_count() const { return outer_count_; }
    /// Offsets of element 0 of iteration `index` of the outer loops, offset0 included.
    nest_offsets outer_offsets(dim_t index) const;

    /// Calls body(thread, offsets, rows, columns) for pieces that cover all elements, in parallel:
    /// `rows` neighbouring rows() of `columns` neighbouring columns() that begin at `offsets`.
    /// Pieces have at most column_limit columns. At most thread_limit threads.
    template <class Body>
    void for_each_piece(
        double ns_per_element, dim_t column_limit, int thread_limit, const Body &body) const;
    template <class Body>
    void for_each_piece(double ns_per_element, dim_t column_limit, const Body &body) const {
        for_each_piece(ns_per_element, column_limit, max_threads(), body);
    }

  private:
    const char *split(std::span<const memory_desc *const> tensors, int dim);
    void order_and_merge();

    int tensor_count_ = 0;
    nest_offsets first_ {};
    std::vector<nest_level> levels_; ///< outermost first; without rows_ and columns_ once built
    nest_level rows_, columns_, apart_;
    dim_t outer_count_ = 1;
};

/// Writes zeros behind the dims of any blocked layout, one element at a time; see clear_padding().
void zero_padding(const memory_desc &md, void *data);

template <class Body>
void loop_nest::for_each_piece(
    double ns_per_element, dim_t column_limit, int thread_limit, const Body &body) const {
    const dim_t R = rows_.extent, C = columns_.extent;
    const dim_t pieces_per_row = C > column_limit ? (C + column_limit - 1) / column_limit : 1;
    const dim_t width = pieces_per_row > 1 ? column_limit : C;
    const double item_ns = 20 + ns_per_element * static_cast<double>(width);
    parallel_for(outer_count_ * R * pieces_per_row, item_ns, thread_limit,
        [&](int thread, dim_t begin, dim_t end) {
            for (dim_t item = begin; item < end;) {
                const dim_t piece = item % pieces_per_row, line = item / pieces_per_row;
                const dim_t row = line % R, column = piece * width;
                const dim_t rows = pieces_per_row > 1 ? 1 : std::min(R - row, end - item);
                nest_offsets offsets = outer_offsets(line / R);
                for (std::size_t t = 0; t < static_cast<std::size_t>(tensor_count_); ++t)
                    offsets[t] += row * rows_.strides[t] + column * columns_.strides[t];
                body(thread, offsets, rows, std::min(width, C - column));
                item += rows;
            }
        });
}

} // namespace dnnl::impl::cpu
