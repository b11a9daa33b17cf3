// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: the taps of a row of windows as segments that its kernels take.
#pragma once

#include "common/descriptors/products/convolution.hpp"
#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/window/position_runs.hpp"

namespace dnnl::impl::cpu {

/// Null when every group has one input and one output channel, else the reason.
const char *depthwise_refusal(const convolution_desc &op);

/// (G, 1, 1, spatial...) as the kernels of depthwise convolution read weights.
memory_desc depthwise_weights_layout(memory_desc md);

/// How many phases of an axis of divisor 1 make taps of its windows neighbours: as many pixels
/// between them are left out from position to position. 1 where there would be too many.
dim_t dilation_phases(const tap_axis &axis);

/// The rows of a kernel over the positions of a phase of the width. Taps are taken in the order in
/// which they lie in the source.
class depthwise_row {
  public:
    explicit depthwise_row(const axis_phase &phase);

    dim_t taps() const { return axis_.taps; }
    dim_t width() const { return width_; }
    /// From pixel to pixel of those that the taps hit.
    dim_t source_step() const { return source_step_; }
    /// From position to position, in such pixels.
    dim_t stride() const { return axis_.position_step / source_step_; }
    dim_t segments() const { return wide() + single(); }
    dim_t wide() const { return wide_; }
    dim_t single() const { return axis_.taps - wide_ * width_; }

    /// The places of the taps in a row of weights.
    void list_places(dim_t first_place, dim_t *places) const;
    /// All segments.
    void list_segments(dim_t pixel_bytes, depthwise_segment *to) const;

  private:
    tap_axis axis_; ///< with taps in the order of the source
    dim_t first_tap_, tap_step_;
    dim_t source_step_ = 1;
    dim_t width_ = 1, wide_ = 0;
};

} // namespace dnnl::impl::cpu
