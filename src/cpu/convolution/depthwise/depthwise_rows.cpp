// SPDX-License-Identifier: Apache-2.0
#include "cpu/convolution/depthwise/depthwise_rows.hpp"

#include <numeric>

#include "cpu/convolution/convolution.hpp"

namespace dnnl::impl::cpu {

const char *depthwise_refusal(const convolution_desc &op) {
    const convolution_shape s = shape_of(op);
    if (!s.has_groups || s.IC != 1 || s.OC != 1)
        return "made for groups of one input and one output channel";
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    return nullptr;
}

memory_desc depthwise_weights_layout(memory_desc md) {
    const inner_block block {0, depthwise_block};
    return weights_in_order(md, true, 1, 2, std::span<const inner_block>(&block, 1));
}

/// Returns the width that leaves the fewest segments; 1 where all are single taps.
static dim_t best_width(dim_t taps, dim_t stride) {
    dim_t best = 1, fewest = taps;
    for (const dim_t width : depthwise_widths) {
        if (!depthwise_has_tiles(width, stride) || taps < width) continue;
        const dim_t count = taps / width + taps % width;
        if (count < fewest) {
            best = width;
            fewest = count;
        }
    }
    return best;
}

dim_t dilation_phases(const tap_axis &axis) {
    const dim_t distance = axis.tap_step < 0 ? -axis.tap_step : axis.tap_step;
    const dim_t count = axis.taps > 1 ? distance / std::gcd(distance, axis.position_step) : 1;
    return count <= std::min(most_phases, axis.positions) ? count : 1;
}

depthwise_row::depthwise_row(const axis_phase &phase)
    : axis_(phase.axis), first_tap_(phase.first_tap), tap_step_(phase.tap_step) {
    tap_axis &a = axis_;
    if (a.tap_step < 0 && a.taps > 0) { // backwards
        a.origin += (a.taps - 1) * a.tap_step;
        a.tap_step = -a.tap_step;
        first_tap_ += (a.taps - 1) * tap_step_;
        tap_step_ = -tap_step_;
    }
    if (a.taps > 1 && a.position_step % a.tap_step == 0) source_step_ = a.tap_step;
    if (a.tap_step != source_step_) return;
    width_ = best_width(a.taps, stride());
    wide_ = width_ > 1 ? a.taps / width_ : 0;
}

void depthwise_row::list_segments(dim_t pixel_bytes, depthwise_segment *to) const {
    for (dim_t i = 0; i < segments(); ++i, ++to) {
        const dim_t tap = i < wide_ ? i * width_ : wide_ * width_ + (i - wide_);
        const dim_t begin = axis_.origin + tap * axis_.tap_step; // the pixel that position 0 hits
        const dim_t step = i < wide_ ? source_step_ : axis_.position_step;
        *to = {
            begin * pixel_bytes, ceiling(-begin, step), ceiling(axis_.extent - begin, step), tap};
    }
}

} // namespace dnnl::impl::cpu
