// SPDX-License-Identifier: Apache-2.0
#include "cpu/convolution_phases.hpp"

#include <algorithm>
#include <functional>

namespace dnnl::impl::cpu {

std::vector<dimension_phase> phases_of(const tap_table &all, dim_t step) {
    std::vector<dimension_phase> phases;
    for (dim_t first = 0; first < std::min(step, all.positions); ++first) {
        dimension_phase phase {first, step, {}, {div_up(all.positions - first, step), 0, {}}};
        for (dim_t k = 0; k < all.taps; ++k) {
            bool hits = false;
            for (dim_t o = first; o < all.positions && !hits; o += step) hits = all.at(o, k) >= 0;
            if (hits) phase.taps.push_back(k);
        }
        phase.table.taps = static_cast<dim_t>(phase.taps.size());
        for (dim_t o = first; o < all.positions; o += step)
            for (const dim_t k : phase.taps) phase.table.index.push_back(all.at(o, k));
        phases.push_back(std::move(phase));
    }
    return phases;
}

namespace {

/// Cuts ascending taps into runs of neighbours; runs of different lengths are cut to single taps.
void set_runs(const std::vector<dim_t> &taps, window_phase &phase) {
    std::vector<dim_t> lengths;
    for (std::size_t i = 0; i < taps.size(); ++i) {
        const bool continues = i > 0 && taps[i] == taps[i - 1] + 1;
        if (continues) {
            ++lengths.back();
        } else {
            phase.runs.push_back(taps[i]);
            lengths.push_back(1);
        }
    }
    const bool equal =
        std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<> {}) == lengths.end();
    phase.run_length = equal && !lengths.empty() ? lengths[0] : 1;
    if (!equal) phase.runs = taps;
}

constexpr dim_t most_phases = 64;
} // namespace

window_phase forward_phase(
    const memory_desc &src, const convolution_shape &s, dim_t channels, dim_t k_group) {
    window_phase phase {};
    window_tables tables = forward_tables(s);
    for (std::size_t d = 0; d < 3; ++d) phase.count[d] = tables[d].positions;
    phase.step = {1, 1, 1};
    phase.gather = spatial_gather(src, channels, k_group, std::move(tables));
    phase.runs = {0};
    phase.run_length = s.KD * s.KH * s.KW;
    return phase;
}

std::vector<window_phase> backward_phases(
    const memory_desc &src, const convolution_shape &s, dim_t channels, dim_t k_group, bool split) {
    const window_tables tables = backward_tables(s);
    const std::array<dim_t, 3> strides {s.SD, s.SH, s.SW};
    std::array<dim_t, 3> steps {1, 1, 1};
    dim_t count = 1;
    for (std::size_t d = 0; d < 3 && split; ++d) {
        steps[d] = std::clamp<dim_t>(strides[d], 1, std::max<dim_t>(tables[d].positions, 1));
        count = std::min(count * std::min(steps[d], most_phases + 1), most_phases + 1);
    }
    if (count > most_phases) steps = {1, 1, 1};
    std::array<std::vector<dimension_phase>, 3> parts;
    for (std::size_t d = 0; d < 3; ++d) parts[d] = phases_of(tables[d], steps[d]);

    std::vector<window_phase> phases;
    for (const dimension_phase &d : parts[0])
        for (const dimension_phase &h : parts[1])
            for (const dimension_phase &w : parts[2]) {
                window_phase phase {};
                phase.first = {d.first, h.first, w.first};
                phase.step = steps;
                phase.count = {d.table.positions, h.table.positions, w.table.positions};
                phase.gather = spatial_gather(src, channels, k_group, {d.table, h.table, w.table});
                std::vector<dim_t> taps;
                for (const dim_t kd : d.taps)
                    for (const dim_t kh : h.taps)
                        for (const dim_t kw : w.taps) taps.push_back((kd * s.KH + kh) * s.KW + kw);
                set_runs(taps, phase);
                phases.push_back(std::move(phase));
            }
    return phases;
}

} // namespace dnnl::impl::cpu
