// SPDX-License-Identifier: Apache-2.0
// Finds positions of a window along one dimension whose taps touch the same way: for backward data
// with strides, which goes by phases, and for kernels that take many positions at a time.
#pragma once

#include <vector>

#include "cpu/window/window.hpp"

namespace dnnl::impl::cpu {

/// Positions first, first + step, ... with the same hits: from one position to the next every
/// index grows by source_step.
struct position_run {
    dim_t first, step, count;
    tap_hits hits; ///< of the first position
    dim_t source_step;
};

/// The positions first, first + step, ... of an axis, and of its taps first_tap, first_tap +
/// tap_step, ... those that may touch something there: `axis` counts both from 0.
struct axis_phase {
    dim_t first, step;
    dim_t first_tap, tap_step;
    tap_axis axis;

    /// Returns the run from position o of the phase on; positions and taps are numbered as in the
    /// whole axis.
    position_run run_from(dim_t o) const;
};
/// With divisor 1, and without taps that touch nothing at all, where `step` is a multiple of the
/// divisor or leaves one position; else with all taps.
axis_phase phase_of(const tap_axis &all, dim_t first, dim_t step);

/// Returns phases 0 to step - 1, as far as there are positions.
std::vector<axis_phase> phases_of(const tap_axis &all, dim_t step);

/// The most phases that are kept, of one dimension or of an image.
inline constexpr dim_t most_phases = 64;

/// Runs that cover all positions of an axis, one phase after the other. A few are kept, many are
/// computed when they are walked.
class position_runs {
  public:
    position_runs() = default;
    /// Makes runs in `step` phases; in one phase where these would be too many to be kept.
    position_runs(const tap_axis &axis, dim_t step);

    template <class Body> void for_each(const Body &body) const {
        if (!kept_.empty())
            for (const position_run &run : kept_) body(run);
        else
            walk([&](const position_run &run) {
                body(run);
                return true;
            });
    }

  private:
    /// Calls body(run) for each run until it returns false.
    template <class Body> void walk(const Body &body) const {
        for (const axis_phase &phase : phases_)
            for (dim_t o = 0; o < phase.axis.positions;) {
                const position_run run = phase.run_from(o);
                if (!body(run)) return;
                o += run.count;
            }
    }

    std::vector<axis_phase> phases_;
    std::vector<position_run> kept_;
};

} // namespace dnnl::impl::cpu
