// SPDX-License-Identifier: Apache-2.0
// Phases of a strided gradient by data: positions of the result with equal remainders by the
// strides hit the same taps, so that a product per phase multiplies the taps that exist and no
// others. Without strides, and forward, one phase is everything.
#pragma once

#include "cpu/window/spatial_gather.hpp"

namespace dnnl::impl::cpu {

/// A product: rows are the pixels of a phase, k runs over its taps and the channels.
struct window_phase {
    std::array<dim_t, 3> first, step, count; ///< of the positions, by depth, height, width
    spatial_gather gather;
    /// Taps that follow each other in the weights make a run. The runs stand in a nest of three
    /// loops; by (kd, kh, kw), the first tap of the first run, and from run to run.
    dim_t first_tap;
    std::array<dim_t, 3> run_counts, run_steps;
    dim_t run_length; ///< taps

    /// 0: the phase has no taps, and its sums are 0.
    dim_t runs() const { return run_counts[0] * run_counts[1] * run_counts[2]; }
    /// Elements of k in one run.
    dim_t run_k() const { return runs() == 1 ? gather.k() : run_length * gather.tap_size(); }
    /// The first tap of each run, times `unit`.
    void list_runs(dim_t unit, dim_t *offsets) const;
};

/// The one phase of a forward convolution: all positions, all taps. src has dense channels, as
/// spatial_gather takes it.
window_phase forward_phase(
    const memory_desc &src, const convolution_shape &shape, dim_t channels, dim_t k_group);

/// The phases of a gradient by data whose source is src (diff_dst); strides and extents decide
/// alone. One phase of all positions where nothing is to be split, where strides are 1, and where
/// phases would be too many to be worth it.
std::vector<window_phase> backward_phases(const memory_desc &src, const convolution_shape &shape,
    dim_t channels, dim_t k_group, bool split);

} // namespace dnnl::impl::cpu
