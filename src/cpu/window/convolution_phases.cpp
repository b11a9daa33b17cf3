// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/convolution_phases.hpp"

#include <algorithm>

namespace dnnl::impl::cpu {

namespace {

/// Cuts taps into runs: single taps of a line, whole pieces of a line, lines, or planes.
void set_runs(const std::array<const axis_phase *, 3> &axes, const std::array<dim_t, 3> &extents,
    window_phase &phase) {
    phase.run_length = 1;
    dim_t unit = 1; // taps from neighbour to neighbour
    bool adjacent = true;
    for (std::size_t d = 3; d-- > 0;) {
        const dim_t taps = axes[d]->axis.taps;
        phase.first_tap += axes[d]->first_tap * unit;
        phase.run_counts[d] = taps;
        phase.run_steps[d] = axes[d]->tap_step * unit;
        if (adjacent && (axes[d]->tap_step == 1 || taps == 1)) {
            phase.run_counts[d] = taps > 0 ? 1 : 0;
            phase.run_length *= taps;
            adjacent = taps == extents[d];
        } else {
            adjacent = false;
        }
        unit *= extents[d];
    }
}

} // namespace

void window_phase::list_runs(dim_t unit, dim_t *offsets) const {
    for (dim_t d = 0; d < run_counts[0]; ++d)
        for (dim_t h = 0; h < run_counts[1]; ++h)
            for (dim_t w = 0; w < run_counts[2]; ++w)
                *offsets++ =
                    (first_tap + d * run_steps[0] + h * run_steps[1] + w * run_steps[2]) * unit;
}

window_phase forward_phase(
    const memory_desc &src, const convolution_shape &s, dim_t channels, dim_t k_group) {
    window_phase phase {};
    const window_axes axes = forward_axes(s);
    for (std::size_t d = 0; d < 3; ++d) phase.count[d] = axes[d].positions;
    phase.step = {1, 1, 1};
    phase.gather = spatial_gather(src, channels, k_group, axes);
    phase.run_counts = {1, 1, 1};
    phase.run_length = s.KD * s.KH * s.KW;
    return phase;
}

std::vector<window_phase> backward_phases(
    const memory_desc &src, const convolution_shape &s, dim_t channels, dim_t k_group, bool split) {
    const window_axes axes = backward_axes(s);
    const std::array<dim_t, 3> strides {s.SD, s.SH, s.SW};
    std::array<dim_t, 3> steps {1, 1, 1};
    dim_t count = 1;
    for (std::size_t d = 0; d < 3 && split; ++d) {
        steps[d] = std::clamp<dim_t>(strides[d], 1, std::max<dim_t>(axes[d].positions, 1));
        count = std::min(count * std::min(steps[d], most_phases + 1), most_phases + 1);
    }
    if (count > most_phases) steps = {1, 1, 1};
    std::array<std::vector<axis_phase>, 3> parts;
    for (std::size_t d = 0; d < 3; ++d) parts[d] = phases_of(axes[d], steps[d]);

    std::vector<window_phase> phases;
    phases.reserve(parts[0].size() * parts[1].size() * parts[2].size());
    for (const axis_phase &d : parts[0])
        for (const axis_phase &h : parts[1])
            for (const axis_phase &w : parts[2]) {
                window_phase &phase = phases.emplace_back();
                phase.first = {d.first, h.first, w.first};
                phase.step = steps;
                phase.count = {d.axis.positions, h.axis.positions, w.axis.positions};
                phase.gather = spatial_gather(src, channels, k_group, {d.axis, h.axis, w.axis});
                set_runs({&d, &h, &w}, {s.KD, s.KH, s.KW}, phase);
            }
    return phases;
}

} // namespace dnnl::impl::cpu
