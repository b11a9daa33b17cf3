// SPDX-License-Identifier: Apache-2.0
// Cuts the taps of a row of windows into segments, which the kernels of depthwise convolution take.
#pragma once

#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/window/position_runs.hpp"

namespace dnnl::impl::cpu {

/// Null when every group has one input and one output channel, else the reason.
const char *depthwise_refusal(const convolution_desc &op);

/// The layout of weights (G, 1, 1, spatial...) that the kernels of depthwise convolution read.
memory_desc depthwise_weights_layout(memory_desc md);

/// The most lines of a thread's list; a longer list would not make calls cheaper.
inline constexpr dim_t enough_lines = 4096;

/// Returns how many phases an axis of divisor 1 has in which the taps of a window hit neighbours
/// among the pixels that the phase touches; 1 where there would be too many.
dim_t dilation_phases(const tap_axis &axis);

/// The rows of a kernel over the positions of a phase of the width. Taps are taken in the order in
/// which they lie in the source.
class depthwise_row {
  public:
    explicit depthwise_row(const axis_phase &phase);

    dim_t taps() const { return axis_.taps; }
    dim_t width() const { return width_; }
    /// The distance of the pixels that neighbouring taps hit.
    dim_t source_step() const { return source_step_; }
    /// The distance of positions, in such pixels.
    dim_t stride() const { return axis_.position_step / source_step_; }
    dim_t segments() const { return wide() + single(); }
    dim_t wide() const { return wide_; }
    dim_t single() const { return axis_.taps - wide_ * width_; }

    /// Lists the places of the taps in a row of weights.
    void list_places(dim_t first_place, dim_t *places) const {
        for (dim_t tap = 0; tap < axis_.taps; ++tap)
            places[tap] = first_place + first_tap_ + tap * tap_step_;
    }
    /// Lists all segments.
    void list_segments(dim_t pixel_bytes, depthwise_segment *to) const;

  private:
    tap_axis axis_; ///< with taps in the order of the source
    dim_t first_tap_, tap_step_;
    dim_t source_step_ = 1;
    dim_t width_ = 1, wide_ = 0;
};

/// The positions of a row that belong to a phase of the width: first, first + step, ...
struct row_phase {
    explicit row_phase(const axis_phase &phase)
        : first(phase.first), positions(phase.axis.positions), row(phase) {}
    dim_t first, positions;
    depthwise_row row;
};

} // namespace dnnl::impl::cpu
