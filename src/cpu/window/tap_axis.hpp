// SPDX-License-Identifier: Apache-2.0
// Sliding windows along one dimension: which source index a tap of a position touches. It is
// computed, not tabulated, so that a plan costs the same whatever its extents are; one form serves
// forward, where positions step over the source, and backward data, where they divide it.
#pragma once

#include <algorithm>
#include <vector>

#include "common/layout/types.hpp"

namespace dnnl::impl::cpu {

/// Taps [first, last), and the source index of the first one.
struct tap_range {
    dim_t first, last, index;
    dim_t count() const { return last - first; }
    bool operator==(const tap_range &) const = default;
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
    /// The taps that touch something; with divisor 1 only, where they follow each other.
    tap_range inside(dim_t o) const;
    /// How many positions from o on have as many taps inside, each of them one position_step
    /// further; at least 1. With divisor 1 only.
    dim_t alike(dim_t o, const tap_range &taps_of_o) const;
};

/// forward: o * S + k * (D + 1) - P within [0, I).
tap_axis forward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P);
/// backward data: the o with o * S + k * (D + 1) - P == i, within [0, O), for each i.
tap_axis backward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P);

/// The positions first, first + step, ... of an axis, and of its taps first_tap, first_tap +
/// tap_step, ... those that may touch something there: `axis` counts both from 0.
struct axis_phase {
    dim_t first, step;
    dim_t first_tap, tap_step;
    tap_axis axis;
};
/// With divisor 1, and without taps that touch nothing at all, where `step` is a multiple of the
/// divisor or leaves one position; else with all taps.
axis_phase phase_of(const tap_axis &all, dim_t first, dim_t step);

/// Phases 0 to step - 1, as far as there are positions.
std::vector<axis_phase> phases_of(const tap_axis &all, dim_t step);

/// The most phases of a dimension, or of an image, that are kept.
inline constexpr dim_t most_phases = 64;

/// The indices of the taps 0, 1, ... of one position, one after the other; for any divisor.
class tap_cursor {
  public:
    tap_cursor(const tap_axis &axis, dim_t o);
    dim_t index() const {
        return remainder_ == 0 && quotient_ >= 0 && quotient_ < extent_ ? quotient_ : -1;
    }
    void next() {
        quotient_ += quotient_step_;
        remainder_ += remainder_step_;
        if (remainder_ < divisor_) return;
        remainder_ -= divisor_;
        ++quotient_;
    }

  private:
    dim_t quotient_, remainder_, quotient_step_, remainder_step_, divisor_, extent_;
};

} // namespace dnnl::impl::cpu
