// SPDX-License-Identifier: Apache-2.0
// Finds positions of a window along one dimension whose taps touch the source in the same pattern.
// Backward data with strides goes by phases of such positions; some kernels take many at a time.
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

/// The positions first, first + step, ... of an axis, with those of its taps (first_tap, first_tap
/// + tap_step, ...) that may touch something there. `axis` counts both from 0.
struct axis_phase {
    dim_t first, step;
    dim_t first_tap, tap_step;
    tap_axis axis;

    /// Returns the run from position o of the phase on, numbered, like taps, as in the whole axis.
    position_run run_from(dim_t o) const;
};
/// Returns a phase. Where `step` is a multiple of the divisor, or leaves one position, its divisor
/// is 1 and it has no taps that touch nothing; else it has all taps.
axis_phase phase_of(const tap_axis &all, dim_t first, dim_t step);

/// Returns phases 0 to step - 1, as far as there are positions.
std::vector<axis_phase> phases_of(const tap_axis &all, dim_t step);

/// The most phases that are kept, of one dimension or of an image.
inline constexpr dim_t most_phases = 64;

/// Runs that cover all positions of an axis, one phase after the other. Few runs are kept in a
/// list; where they are many, they are computed as they are walked.
class position_runs {
  public:
    position_runs() = default;
    /// Makes runs in `step` phases, or in one phase where `step` would be too many.
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
