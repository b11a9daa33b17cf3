// SPDX-License-Identifier: Apache-2.0
// The folder walk/ holds the ways through the elements of tensors: boxes, tiles of boxes, copies,
// and sums that are added up in a fixed order.
//
// Tensors that broadcast to one shape, of any layouts, are cut into boxes, inside which the offset
// of every tensor is a sum of index times stride: a few boxes where blocks leave tails, else one.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "common/layout/data_type.hpp"
#include "common/layout/memory_desc.hpp"
#include "common/runtime/parallel.hpp"

namespace dnnl::impl::cpu {

/// Up to this many tensors: sources, destination and the operands of binary post-ops.
inline constexpr int max_nest_tensors = 40;
using nest_offsets = std::array<dim_t, max_nest_tensors>; ///< elements, one per tensor

/// The element at an offset of a walk, in a tensor that begins at data.
inline char *element_at(void *data, data_type type, dim_t offset) {
    return static_cast<char *>(data) + offset * static_cast<dim_t>(size_of(type));
}
inline const char *element_at(const void *data, data_type type, dim_t offset) {
    return static_cast<const char *>(data) + offset * static_cast<dim_t>(size_of(type));
}

/// One loop over all tensors.
struct nest_level {
    dim_t extent = 1;
    nest_offsets strides {}; ///< elements; 0 where a tensor is broadcast
};

/// Index x along the axis of the boxes is index x + shift of the tensor.
struct walked_tensor {
    const memory_desc *md;
    dim_t shift = 0;
    bool broadcasts = false; ///< a dimension of size 1 keeps its one index where others have more

    bool stays(int d) const { return broadcasts && md->dims[d] == 1; }
};

/// Loops that cover one box, outermost first by the strides of tensor 0; neighbours are merged.
struct walked_box {
    nest_offsets first {}; ///< elements: the offsets of the box's first element, offset0 included
    std::vector<nest_level> levels;

    dim_t volume() const {
        dim_t count = 1;
        for (const nest_level &level : levels) count *= level.extent;
        return count;
    }
};

/// Boxes that cover the index space `dims`, the largest first. `axis` is the dimension along which
/// shifts count. Returns the reason when there are none, else null.
const char *cut_into_boxes(int ndims, const dims_t &dims, std::span<const walked_tensor> tensors,
    int axis, std::vector<walked_box> &boxes);

/// Walks loops one iteration after the other and keeps the offsets of all tensors.
class nest_cursor {
  public:
    /// At iteration `index`, the last level running fastest.
    nest_cursor(std::span<const nest_level> levels, const nest_offsets &first, dim_t index,
        std::size_t tensor_count);
    void next();
    const nest_offsets &offsets() const { return offsets_; }
    dim_t position(std::size_t level) const { return positions_[level]; }

    /// A dimension becomes one level, and one more for each of the at most two blocks that each of
    /// two tensors has along it; further tensors have the blocks of one of these.
    static constexpr std::size_t max_levels = 5 * static_cast<std::size_t>(max_ndims);

  private:
    std::span<const nest_level> levels_;
    std::size_t tensor_count_;
    nest_offsets offsets_;
    std::array<dim_t, max_levels> positions_ {};
};

/// Writes zeros to the padding of a blocked layout.
void clear_padding(const memory_desc &md, void *data);

} // namespace dnnl::impl::cpu
