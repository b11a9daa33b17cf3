// SPDX-License-Identifier: Apache-2.0
// Sums over the elements that share a slot, and how slots lie in the order in which elements are
// walked.
#pragma once

#include "common/descriptors/problem.hpp"
#include "common/plan/implementation.hpp"
#include "cpu/walk/ordered_sums.hpp"
#include "cpu/walk/tiled_box.hpp"

namespace dnnl::impl::cpu {

/// Tensors of the walk; the operands of post-ops follow. Statistics and vectors are f32 arrays,
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

/// A unit is a run of neighbouring tiles of a box that share no slot with others.
struct slot_units {
    slot_units(const tiled_box &box, std::size_t place);

    dim_t tiles;           ///< of one unit
    dim_t count = 1;       ///< units of the box
    bool is_row = true;    ///< a unit is a row
    bool is_simple = true; ///< all rows of a unit have the same slots
    dim_t sharing = 1;     ///< elements of the box that share a slot
};

/// True when the units of all boxes together are enough to keep threads busy, or all is little
/// work, and no slot lies in two boxes. `slot_size`: all elements that share a slot.
bool has_whole_units(std::span<const tiled_box> boxes, std::size_t place, dim_t slot_size);

class slot_sums {
  public:
    /// `count` sums for each slot of `place`.
    void prepare(
        problem &p, std::span<const tiled_box> boxes, std::size_t place, dim_t slots, int count);
    /// add(tile, sums) adds the elements of a tile; sum c of slot s is sums[c * slots + s].
    /// Overwrites totals, laid out alike.
    template <class Add>
    void run(const exec_context &ctx, std::span<const tiled_box> boxes, f32 *totals,
        const Add &add) const;

  private:
    /// Tiles of one box that one thread adds up.
    struct chunk {
        std::size_t box;
        dim_t begin, end;
    };

    dim_t values_ = 0;     ///< sums of all slots
    bool aligned_ = false; ///< no slot lies in two chunks, so that they need no sums of their own
    double ns_per_chunk_ = 0;
    std::vector<chunk> chunks_;
    scratch_slot<f32> partial_; ///< [chunk][sum][slot]
};

/// Rough cost of an element in one pass: 4 bytes at 27 GB/s, between cache and memory.
inline constexpr double normalization_ns = 0.15;

template <class Add>
void slot_sums::run(
    const exec_context &ctx, std::span<const tiled_box> boxes, f32 *totals, const Add &add) const {
    f32 *partial = ctx.scratch(partial_);
    const auto chunks = static_cast<dim_t>(chunks_.size());
    if (aligned_) std::fill_n(totals, values_, 0.0f);
    parallel_for(chunks, ns_per_chunk_, [&](int, dim_t begin, dim_t end) {
        for (dim_t c = begin; c < end; ++c) {
            const chunk &part = chunks_[static_cast<std::size_t>(c)];
            f32 *sums = aligned_ ? totals : partial + c * values_;
            if (!aligned_) std::fill_n(sums, values_, 0.0f);
            boxes[part.box].walk(part.begin, part.end, [&](const tile &t) { add(t, sums); });
        }
    });
    if (!aligned_)
        ordered_sums<f32> {partial, partial + values_, chunks, values_}.add_up<double>(
            values_, [&](dim_t i, double total) { totals[i] = static_cast<f32>(total); });
}

} // namespace dnnl::impl::cpu
