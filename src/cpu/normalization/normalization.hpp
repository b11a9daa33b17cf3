// SPDX-License-Identifier: Apache-2.0
// The folder normalization/ has batch, layer and group normalization as one driver. This file has
// what their plans share: the view of the problem as slots of statistics and channels, sums over
// the elements that share a slot, and the arguments of the kernels.
#pragma once

#include "common/descriptors/mappings/mappings.hpp"
#include "cpu/epilogue/epilogue.hpp"
#include "cpu/kernels/normalization/normalize.hpp"
#include "cpu/walk/ordered_sums.hpp"

namespace dnnl::impl::cpu {

/// The cost of an element in one pass: 4 bytes at 27 GB/s. Measured on a Zen 5 core with AVX-512,
/// in L2: 0.04 to 0.09 ns, 0.25 ns for gradients along rows.
inline constexpr double normalization_ns = 0.15;

/// The tensors of the walk; the operands of post-ops follow them. Statistics and vectors are arrays
/// of f32, described with stride 0 where elements share a value. Offsets in them are slots.
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

/// True when no slot lies in two boxes, and the units of all boxes are enough to keep threads busy
/// or all of the work is little. `slot_size` is the number of elements that share a slot.
bool has_whole_units(std::span<const tiled_box> boxes, std::size_t place, dim_t slot_size);

class slot_sums {
  public:
    /// Prepares `count` sums for each slot of `place`. Several parts may have slots of their own,
    /// but each such sum has at least elements_of_sum elements.
    void prepare(problem &p, std::span<const tiled_box> boxes, std::size_t place, dim_t slots,
        int count, dim_t elements_of_sum = 32);
    /// add(tile, sums) adds the elements of a tile; sum c of slot s is sums[c * slots + s].
    /// Overwrites totals, laid out alike.
    template <class Add>
    void run(const exec_context &ctx, std::span<const tiled_box> boxes, f32 *totals,
        const Add &add) const;

  private:
    /// Some tiles of one box, which one thread adds up.
    struct chunk {
        std::size_t box;
        dim_t begin, end;
    };

    dim_t values_ = 0;     ///< sums of all slots
    bool aligned_ = false; ///< no slot lies in two chunks, so all chunks add to the same sums
    double ns_per_chunk_ = 0;
    std::vector<chunk> chunks_;
    scratch_slot<f32> partial_; ///< [chunk][sum][slot]
};

template <class Add>
void slot_sums::run(
    const exec_context &ctx, std::span<const tiled_box> boxes, f32 *totals, const Add &add) const {
    f32 *partial = ctx.scratch(partial_);
    const auto chunks = dim_t(chunks_.size());
    if (aligned_) std::fill_n(totals, values_, 0.0f);
    parallel_for(chunks, ns_per_chunk_, [&](int, dim_t begin, dim_t end) {
        for (dim_t c = begin; c < end; ++c) {
            const chunk &part = chunks_[std::size_t(c)];
            f32 *sums = aligned_ ? totals : partial + c * values_;
            if (!aligned_) std::fill_n(sums, values_, 0.0f);
            boxes[part.box].walk(part.begin, part.end, [&](const tile &t) { add(t, sums); });
        }
    });
    if (!aligned_)
        ordered_sums<f32> {partial, partial + values_, chunks, values_}.add_up<double>(
            values_, [&](dim_t i, double total) { totals[i] = static_cast<f32>(total); });
}

/// Where statistics and channels lie. A statistic is made of `merged` neighbouring slots: one slot,
/// or those of the channels of a group.
struct normalization_view {
    memory_desc slots_under;    ///< stride 0 where elements share a slot
    memory_desc channels_under; ///< stride 0 where elements share a channel
    memory_desc stored;         ///< the layout of mean and variance, in the order of the slots
    dim_t slots, channels, merged = 1;
    dim_t split_groups = 0; ///< > 0: the channels of activations are viewed as [groups][C / groups]
    bool slots_have_channels = true; ///< slot s belongs to channel s % channels
};
/// After layouts are resolved.
normalization_view view_of(const batch_normalization_desc &desc);
normalization_view view_of(const layer_normalization_desc &desc);
normalization_view view_of(const group_normalization_desc &desc);

class normalization_plan : public plan {
  public:
    normalization_plan(problem &p, const normalization_desc &op, const normalization_view &view);

  protected:
    /// One execution.
    struct binding {
        std::array<void *, normalization_places> tensors {}; ///< absent ones are null
        f32 *mean, *variance;                                ///< of each statistic
        f32 *slot_mean, *slot_inverse; ///< of each slot: mean, 1 / sqrt(variance + epsilon)
        const f32 *scale, *shift;      ///< of each channel
    };
    void bind(const exec_context &ctx, binding &b) const;
    /// The arguments of a kernel on one tile.
    normalize_args at(const binding &b, const tile &t) const;
    static normalize_values under(const f32 *values, std::size_t place, const tile &t) {
        return {values + t.at[place], t.box.rows.strides[place], t.box.columns.strides[place]};
    }
    /// Calls a kernel that adds to the sums of slots of `place`.
    static void add(normalize_function step, normalize_args args, f32 *sums, f32 *products,
        std::size_t place, const tile &t);

    bool relus() const { return (flags_ & dnnl_fuse_norm_relu) != 0; }
    f32 inverse_of(f32 variance) const;
    /// Fills slot_mean and slot_inverse from the statistics.
    void spread_means(const binding &b) const;
    void spread_inverses(const binding &b) const;
    /// Calls body(statistic) for all statistics, in parallel; each takes `ns` and 1 ns for a slot.
    template <class Body> void for_each_statistic(double ns, const Body &body) const {
        parallel_for_each(statistics_count(), ns + double(view_.merged), body);
    }
    dim_t statistics_count() const { return view_.slots / view_.merged; }
    double slot_size() const { return double(elements_) / double(view_.slots); }
    double statistic_size() const { return slot_size() * double(view_.merged); }
    /// True when units have statistics of their own, the same in all their rows.
    bool has_simple_units() const;
    /// Calls body(tile) for all tiles, in parallel.
    template <class Body> void for_each_tile(const Body &body) const {
        for (const tiled_box &box : boxes_)
            box.for_each_tile(tile_ns(box), max_threads(), [&](int, const tile &t) { body(t); });
    }
    static double tile_ns(const tiled_box &box) {
        return 10 + normalization_ns * double(box.volume() / box.count());
    }

    const bool forward_, given_;
    const bool zero_mean_; ///< the mean is 0 by definition and no argument
    const unsigned flags_;
    const float epsilon_;
    const normalization_view view_;
    memory_desc written_, workspace_; ///< for their padding
    std::array<data_type, normalization_places> types_ {};
    std::vector<tiled_box> boxes_;
    bool whole_rows_ = false; ///< kernels take all steps on whole rows
    row_epilogue epilogue_;
    dim_t elements_ = 0;
    adapted_tensor mean_, variance_; ///< those that are arguments

  private:
    /// Cuts the loops, those of the epilogue's operands included, into tiles of at most `longest`
    /// columns. Returns the reason when it cannot be done.
    const char *cut(const normalization_desc &op, dim_t longest);
    /// True when simple units are rows of adjacent elements that lie in one tile, all tensors are
    /// f32 or all are bf16, each column has a scale of its own, and results are stored as they are.
    bool has_whole_rows() const;
    /// True where results have the type of the source and are stored as they are, and statistics,
    /// scale and shift have one value for each column.
    bool has_channels_along_rows() const;

    inverse_deviations_function inverses_ = nullptr;
    bool exposed_ = false; ///< mean and variance are arguments
    scratch_slot<f32> own_mean_, own_variance_, slot_mean_, slot_inverse_, scale_, shift_;
    std::vector<f32> no_scale_, no_shift_; ///< where the primitive has none: ones, zeros
};

} // namespace dnnl::impl::cpu
