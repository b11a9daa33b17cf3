// SPDX-License-Identifier: Apache-2.0
// Phases of a strided gradient by data: positions of the result with equal remainders by the
// strides hit the same taps, so that a product per phase multiplies the taps that exist and no
// others. Without strides, and forward, one phase is everything.
#pragma once

#include "cpu/spatial_gather.hpp"

namespace dnnl::impl::cpu {

/// The positions first, first + step, ... of one dimension and the taps that hit there, in order.
struct dimension_phase {
    dim_t first, step;
    std::vector<dim_t> taps; ///< of all: what the columns of `table` stand for
    tap_table table;
};
/// All positions, in `step` phases at most; a tap that hits nowhere in a phase is left out of it.
std::vector<dimension_phase> phases_of(const tap_table &all, dim_t step);

/// A product: rows are the pixels of a phase, k runs over its taps and the channels.
struct window_phase {
    std::array<dim_t, 3> first, step, count; ///< of the positions, by depth, height, width
    spatial_gather gather;
    /// Runs of taps that follow each other in the weights: the first of each, by (kd, kh, kw), and
    /// the number of taps in all of them. Empty: the phase has no taps, and its sums are 0.
    std::vector<dim_t> runs;
    dim_t run_length;

    /// Elements of k in one run.
    dim_t run_k() const { return runs.size() == 1 ? gather.k() : run_length * gather.tap_size(); }
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
