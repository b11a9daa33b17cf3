// SPDX-License-Identifier: Apache-2.0
// This folder holds what drivers know of windows over images: which pixels the taps of a window
// touch (this file), how an image lies in memory and which layouts suit windows (image_view.hpp),
// and windows as rows of a matrix (spatial_gather.hpp).
//
// Windows along one dimension: what a tap touches is computed, not tabulated, so that a plan costs
// the same whatever its extents are. One form serves forward, where positions step over the source,
// and backward data, where they divide it.
#pragma once

#include <algorithm>
#include <vector>

#include "common/layout/memory_desc.hpp"

namespace dnnl::impl::cpu {

/// Rounded up and down; b is at least 1. Most divisors are 1.
inline dim_t ceiling(dim_t a, dim_t b) { return b == 1 ? a : a / b + (a % b > 0); }
inline dim_t floor(dim_t a, dim_t b) { return b == 1 ? a : a / b - (a % b < 0); }

/// The taps of one position that touch the source: tap, tap + tap_step, ... touch the source
/// indices index, index + index_step, ...
struct tap_hits {
    dim_t tap, tap_step, count;
    dim_t index, index_step;
    /// After the last tap, where taps follow each other.
    dim_t end() const { return tap + count; }
};

/// Tap k of position o touches the source index
///     (origin + o * position_step + k * tap_step) / divisor
/// where that is a whole number in [0, extent), and nothing elsewhere. position_step and divisor
/// are at least 1.
struct tap_axis {
    dim_t positions, taps, extent;
    dim_t origin, position_step, tap_step, divisor;

    /// -1 where nothing is touched.
    dim_t at(dim_t o, dim_t k) const {
        dim_t index = origin + o * position_step + k * tap_step;
        if (divisor != 1) {
            if (index % divisor != 0) return -1;
            index /= divisor;
        }
        return index >= 0 && index < extent ? index : -1;
    }
    /// The steps as far as they lead from one source element to another: products with them do not
    /// overflow. Divisor 1.
    dim_t tap_distance() const { return std::clamp(tap_step, -extent, extent); }
    dim_t position_distance() const { return std::min(position_step, extent); }
    /// With divisor 1 the taps follow each other.
    tap_hits hits(dim_t o) const;
    /// How many positions from o on have the hits of o, each of them one position_step further; at
    /// least 1.
    dim_t alike(dim_t o, const tap_hits &hits_of_o) const;

  private:
    tap_hits divided_hits(dim_t o) const;
};

inline tap_hits tap_axis::hits(dim_t o) const {
    if (divisor != 1) return divided_hits(o);
    const dim_t n = origin + o * position_step;
    dim_t first = 0, last = taps;
    if (tap_step > 0) {
        if (n < 0) first = std::min(taps, ceiling(-n, tap_step));
        if (n + (taps - 1) * tap_step >= extent)
            last = std::max<dim_t>(first, ceiling(extent - n, tap_step));
    } else {
        if (n >= extent) first = std::min(taps, floor(n - extent, -tap_step) + 1);
        if (n + (taps - 1) * tap_step < 0)
            last = std::max(first, std::min(taps, floor(n, -tap_step) + 1));
    }
    return {first, 1, last - first, n + first * tap_step, tap_step};
}

inline dim_t tap_axis::alike(dim_t o, const tap_hits &r) const {
    if (divisor != 1) return 1;
    const dim_t n = origin + o * position_step;
    dim_t count = positions - o;
    // Indices grow with the position: one tap is the next to come inside, another to leave.
    const dim_t entering = tap_step > 0 ? r.tap - 1 : r.end();
    const dim_t leaving = tap_step > 0 ? r.end() - 1 : r.tap;
    if (entering >= 0 && entering < taps) {
        const dim_t missing = -(n + entering * tap_step);
        if (missing > 0) count = std::min(count, ceiling(missing, position_step));
    }
    if (r.count > 0)
        count = std::min(count, ceiling(extent - (n + leaving * tap_step), position_step));
    return count;
}

/// forward: o * S + k * (D + 1) - P within [0, I).
tap_axis forward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P);
/// backward data: the o with o * S + k * (D + 1) - P == i, within [0, O), for each i.
tap_axis backward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P);

/// A window over an image.
struct window_axes {
    tap_axis d, h, w;
    dim_t taps() const { return d.taps * h.taps * w.taps; }
    /// Positions in one image.
    dim_t positions() const { return d.positions * h.positions * w.positions; }
};
/// Of the shape of a convolution or of a pooling.
template <class Shape> window_axes axes_of(const Shape &s, bool forward) {
    const auto taps = forward ? forward_taps : backward_taps;
    return {taps(s.OD, s.ID, s.KD, s.SD, s.DD, s.PD), taps(s.OH, s.IH, s.KH, s.SH, s.DH, s.PH),
        taps(s.OW, s.IW, s.KW, s.SW, s.DW, s.PW)};
}

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

    /// From position o of the phase on; positions and taps are numbered as in the whole axis.
    position_run run_from(dim_t o) const;
};
/// With divisor 1, and without taps that touch nothing at all, where `step` is a multiple of the
/// divisor or leaves one position; else with all taps.
axis_phase phase_of(const tap_axis &all, dim_t first, dim_t step);

/// Phases 0 to step - 1, as far as there are positions.
std::vector<axis_phase> phases_of(const tap_axis &all, dim_t step);

/// The most phases of a dimension, or of an image, that are kept.
inline constexpr dim_t most_phases = 64;

/// Runs that cover all positions of an axis, one phase after the other. A few are kept, many are
/// computed when they are walked.
class position_runs {
  public:
    position_runs() = default;
    /// In `step` phases; in one where these would be too many to be kept.
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
    /// Until body(run) is false.
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
