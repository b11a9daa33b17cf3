// SPDX-License-Identifier: Apache-2.0
// What the plans of batch, layer and group normalization share: the view of the problem as slots of
// statistics and channels, and the arguments of the kernels.
#pragma once

#include <array>

#include "common/descriptors/normalization.hpp"
#include "cpu/kernels/normalization/normalize.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/normalization/normalization_nest.hpp"

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
    normalization_plan(const normalization_desc &op, const normalization_view &view);

  protected:
    /// Cuts the loops and reserves scratch; `operands`: of post-ops. Returns the reason when it
    /// cannot be done.
    const char *prepare_common(
        problem &p, const normalization_desc &op, std::vector<const memory_desc *> operands);

    /// One execution.
    struct binding {
        normalize_args args {}; ///< tensors without the offsets of pieces, no sums, no epilogue
        f32 *mean, *variance;   ///< of each statistic
        f32 *slot_mean, *slot_inverse; ///< of each slot: mean, 1 / sqrt(variance + epsilon)
        const f32 *scale, *shift;      ///< of each channel
    };
    void bind(const exec_context &ctx, binding &b) const;
    /// Copies statistics that the user wants in another order.
    void store_statistics(const exec_context &ctx) const;
    /// The arguments of a kernel on one piece.
    normalize_args at(
        const binding &b, const normalization_box &box, const normalization_piece &piece) const;
    static normalize_values under(const f32 *values, std::size_t place,
        const normalization_box &box, const normalization_piece &piece) {
        return {values + piece.at[place], box.rows().strides[place], box.columns().strides[place]};
    }
    /// The sums that a kernel adds to, slots of `place`.
    static void set_sums(normalize_args &args, f32 *sums, f32 *products, std::size_t place,
        const normalization_box &box, const normalization_piece &piece);

    f32 inverse_of(f32 variance) const;
    /// slot_mean and slot_inverse from the statistics.
    void spread_statistics(const binding &b) const;
    dim_t statistics_count() const { return view_.slots / view_.merged; }
    double statistic_size() const {
        return static_cast<double>(elements_) / static_cast<double>(statistics_count());
    }
    /// True when units are neighbouring items with statistics of their own, see units_of().
    bool has_simple_units() const;
    /// body(box, piece) for all pieces, in parallel.
    template <class Body> void for_each_piece(const Body &body) const {
        for (const normalization_box &box : boxes_)
            parallel_for(box.items(), item_ns(box), [&](int, dim_t begin, dim_t end) {
                box.walk(begin, end, [&](const normalization_piece &piece) { body(box, piece); });
            });
    }
    /// body(box, units, begin, end) for ranges of items that are whole units, in parallel.
    template <class Body> void for_each_unit(const Body &body) const;
    static double item_ns(const normalization_box &box) {
        return 10 + normalization_ns * static_cast<double>(box.volume() / box.items());
    }

    const bool forward_, given_;
    const unsigned flags_;
    const float epsilon_;
    const normalization_view view_;
    memory_desc written_, workspace_; ///< for their padding
    std::array<data_type, normalization_places> types_ {};
    std::vector<normalization_box> boxes_;
    dim_t elements_ = 0;

  private:
    void bind_vectors(const exec_context &ctx, binding &b) const;

    bool exposed_ = false; ///< mean and variance are arguments
    adapted_tensor mean_, variance_;
    scratch_slot<f32> own_mean_, own_variance_, slot_mean_, slot_inverse_, scale_, shift_;
};

template <class Body> void normalization_plan::for_each_unit(const Body &body) const {
    constexpr dim_t rows_at_once = 16; // kernels take several rows in one call
    for (const normalization_box &box : boxes_) {
        const normalization_box::units u = box.units_of(statistics_place);
        const dim_t step = u.rows_differ ? rows_at_once : 1;
        const double unit_ns = item_ns(box) * static_cast<double>(u.items) * 3;
        parallel_for(u.count, unit_ns, [&](int, dim_t begin, dim_t end) {
            for (dim_t unit = begin; unit < end; unit += step)
                body(box, u, unit * u.items, std::min(unit + step, end) * u.items);
        });
    }
}

/// The plans; the reason why there is none in `why_not`.
planned make_normalization_forward(
    problem &p, const normalization_desc &op, const normalization_view &view);
planned make_normalization_backward(
    problem &p, const normalization_desc &op, const normalization_view &view);

} // namespace dnnl::impl::cpu
