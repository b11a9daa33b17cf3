// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/depthwise_window.hpp"

#include "common/layout/data_type.hpp"
#include "cpu/kernels/convolution/depthwise.hpp"

namespace dnnl::impl::cpu {

const char *depthwise_refusal(const convolution_desc &op) {
    const convolution_shape s = shape_of(op);
    if (!s.has_groups || s.IC != 1 || s.OC != 1)
        return "groups do not have one input and one output channel each";
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    return nullptr;
}

memory_desc depthwise_weights_layout(memory_desc md) {
    std::array<int, max_ndims> order {0};
    int count = 1;
    for (int d = 3; d < md.ndims; ++d) order[static_cast<std::size_t>(count++)] = d;
    order[static_cast<std::size_t>(count++)] = 1;
    order[static_cast<std::size_t>(count++)] = 2;
    const bool integer = is_int8(md.dtype);
    const inner_block blocks[] {
        {0, depthwise_block(integer)}, {md.ndims - 1, depthwise_tap_group(integer)}};
    md.offset0 = 0;
    md.column_sums_mask = 0;
    set_blocked_layout(md, std::span(order.data(), static_cast<std::size_t>(count)),
        std::span<const inner_block>(blocks, integer ? 2 : 1));
    return md;
}

image_strides strides_in_bytes(const memory_desc &md) {
    const auto bytes = static_cast<dim_t>(size_of(md.dtype));
    const auto spatial = [&](int from_end) {
        const int d = md.ndims - from_end;
        return d >= 2 ? md.strides[d] * bytes : 0;
    };
    return {md.strides[0] * bytes, spatial(3), spatial(2), spatial(1)};
}

position_run run_from(const axis_phase &phase, dim_t o) {
    const tap_axis &axis = phase.axis;
    const dim_t first = phase.first + o * phase.step;
    if (axis.divisor != 1) { // all taps, of which others count from position to position
        position_run run = run_from(phase_of(axis, o, axis.positions), 0);
        run.first = first;
        return run;
    }
    const tap_range taps = axis.inside(o);
    return {first, phase.step, axis.alike(o, taps), phase.first_tap + taps.first * phase.tap_step,
        phase.tap_step, taps.count(), taps.index, axis.tap_step, axis.position_step};
}

row_runs::row_runs(std::vector<axis_phase> phases) : phases_(std::move(phases)) {
    constexpr std::size_t most = 32;
    std::size_t count = 0;
    walk([&](const position_run &) { return ++count <= most; });
    if (count > most) return;
    kept_.reserve(count);
    walk([&](const position_run &run) {
        kept_.push_back(run);
        return true;
    });
}

} // namespace dnnl::impl::cpu
