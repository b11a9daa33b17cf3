// SPDX-License-Identifier: Apache-2.0
// The folder normalization/ holds batch, layer and group normalization as one driver.
//
// What the plans of batch, layer and group normalization share: the view of the problem as slots of
// statistics and channels, and the arguments of the kernels.
#pragma once

#include <array>

#include "common/descriptors/normalization.hpp"
#include "cpu/epilogue/row_epilogue.hpp"
#include "cpu/kernels/normalization/normalize.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/normalization/slot_sums.hpp"

namespace dnnl::impl::cpu {

/// Where statistics and channels lie. A statistic is made of `merged` neighbouring slots: one, or
/// those of the channels of a group.
struct normalization_view {
    memory_desc slots_under;    ///< stride 0 where elements share a slot
    memory_desc channels_under; ///< stride 0 where elements share a channel
    memory_desc stored;         ///< of mean and variance, in the order of the slots
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
        normalize_args args {}; ///< tensors without the offsets of tiles, no sums, no epilogue
        f32 *mean, *variance;   ///< of each statistic
        f32 *slot_mean, *slot_inverse; ///< of each slot: mean, 1 / sqrt(variance + epsilon)
        const f32 *scale, *shift;      ///< of each channel
    };
    void bind(const exec_context &ctx, binding &b) const;
    /// Copies statistics that the user wants in another order.
    void store_statistics(const exec_context &ctx) const;
    /// The arguments of a kernel on one tile.
    normalize_args at(const binding &b, const tile &t) const;
    static normalize_values under(const f32 *values, std::size_t place, const tile &t) {
        return {values + t.at[place], t.box.rows.strides[place], t.box.columns.strides[place]};
    }
    /// The sums that a kernel adds to, slots of `place`.
    static void set_sums(
        normalize_args &args, f32 *sums, f32 *products, std::size_t place, const tile &t);

    f32 inverse_of(f32 variance) const;
    /// slot_mean and slot_inverse from the statistics.
    void spread_statistics(const binding &b) const;
    dim_t statistics_count() const { return view_.slots / view_.merged; }
    double statistic_size() const {
        return static_cast<double>(elements_) / static_cast<double>(statistics_count());
    }
    /// True when units have statistics of their own, the same in all their rows.
    bool has_simple_units() const;
    /// body(tile) for all tiles, in parallel.
    template <class Body> void for_each_tile(const Body &body) const {
        for (const tiled_box &box : boxes_)
            box.for_each_tile(tile_ns(box), max_threads(), [&](int, const tile &t) { body(t); });
    }
    static double tile_ns(const tiled_box &box) {
        return 10 + normalization_ns * static_cast<double>(box.volume() / box.count());
    }

    const bool forward_, given_;
    const unsigned flags_;
    const float epsilon_;
    const normalization_view view_;
    memory_desc written_, workspace_; ///< for their padding
    std::array<data_type, normalization_places> types_ {};
    std::vector<tiled_box> boxes_;
    row_epilogue epilogue_;
    dim_t elements_ = 0;

  private:
    /// Cuts the loops, those of the epilogue's operands included. Returns the reason when it cannot
    /// be done.
    const char *cut(const normalization_desc &op);
    void bind_vectors(const exec_context &ctx, binding &b) const;

    bool exposed_ = false; ///< mean and variance are arguments
    adapted_tensor mean_, variance_;
    scratch_slot<f32> own_mean_, own_variance_, slot_mean_, slot_inverse_, scale_, shift_;
};

planned make_normalization_forward(
    problem &p, const normalization_desc &op, const normalization_view &view);
planned make_normalization_backward(
    problem &p, const normalization_desc &op, const normalization_view &view);

} // namespace dnnl::impl::cpu
