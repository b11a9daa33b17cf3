// SPDX-License-Identifier: Apache-2.0
// Boxes of box_nest as a list of pieces of their innermost loops, which row kernels take one by
// one.
#pragma once

#include <algorithm>

#include "cpu/walk/box_nest.hpp"

namespace dnnl::impl::cpu {

class box_pieces {
  public:
    /// Cuts the innermost loop of each box into pieces of at most `piece` iterations.
    void cut(std::span<const walked_box> boxes, std::size_t tensor_count, dim_t piece);

    dim_t count() const { return count_; }
    /// The innermost loops, one per box; a box of one element has one iteration and strides of 0.
    std::size_t box_count() const { return boxes_.size(); }
    const nest_level &columns(std::size_t box) const { return boxes_[box].columns; }

    /// Calls body(index, offsets, columns, n) for the pieces begin ... end - 1: n iterations of the
    /// loop `columns` from `offsets` on.
    template <class Body> void for_each(dim_t begin, dim_t end, const Body &body) const;

  private:
    struct cut_box {
        nest_offsets first;
        std::vector<nest_level> levels; ///< the last one counts pieces
        nest_level columns;
        dim_t piece, first_index, count;
    };
    std::vector<cut_box> boxes_;
    std::size_t tensor_count_ = 0;
    dim_t count_ = 0;
};

template <class Body> void box_pieces::for_each(dim_t begin, dim_t end, const Body &body) const {
    for (const cut_box &box : boxes_) {
        const dim_t from = std::max(begin - box.first_index, dim_t {0});
        const dim_t to = std::min(end - box.first_index, box.count);
        if (from >= to) continue;
        nest_cursor cursor(box.levels, box.first, from, tensor_count_);
        for (dim_t i = from; i < to; ++i, cursor.next()) {
            const dim_t column = cursor.position(box.levels.size() - 1) * box.piece;
            const dim_t n = std::min(box.piece, box.columns.extent - column);
            body(box.first_index + i, cursor.offsets(), box.columns, n);
        }
    }
}

} // namespace dnnl::impl::cpu
