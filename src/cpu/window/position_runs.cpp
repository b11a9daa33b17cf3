// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/position_runs.hpp"

#include <utility>

namespace dnnl::impl::cpu {

namespace {

dim_t modulo(dim_t a, dim_t b) { return a % b < 0 ? a % b + b : a % b; }

/// The numbers k for which n + k * step is a multiple of d: k = first + any multiple of period;
/// there are none where first is -1.
struct residues {
    dim_t first, period;
};
residues multiples(dim_t n, dim_t step, dim_t d) {
    // Euclid's algorithm: g = gcd(step, d) = inverse * step modulo d.
    dim_t g = d, rest = modulo(step, d), inverse = 0, next = 1;
    while (rest != 0) {
        const dim_t quotient = g / rest;
        g = std::exchange(rest, g - quotient * rest);
        inverse = std::exchange(next, inverse - quotient * next);
    }
    if (n % g != 0) return {-1, 1};
    const dim_t period = d / g;
    if (period == 1) return {0, 1};
    __extension__ typedef __int128 wide;
    const wide product = static_cast<wide>(modulo(-(n / g), period)) * modulo(inverse, period);
    return {dim_t(product % period), period};
}

/// Drops taps at either end that touch nothing at any position; the divisor is 1.
void drop_idle_taps(axis_phase &phase) {
    tap_axis &a = phase.axis;
    const dim_t first = a.origin, last = a.origin + (a.positions - 1) * a.position_step;
    // Tap k reaches [first, last] + k * tap_step; one of them must be in [0, extent).
    dim_t begin = 0, end = a.taps;
    if (a.tap_step > 0) {
        begin = std::max<dim_t>(begin, ceiling(-last, a.tap_step));
        end = std::min(end, ceiling(a.extent - first, a.tap_step));
    } else {
        begin = std::max<dim_t>(begin, floor(first - a.extent, -a.tap_step) + 1);
        end = std::min(end, floor(last, -a.tap_step) + 1);
    }
    phase.first_tap += begin * phase.tap_step;
    a.origin += begin * a.tap_step;
    a.taps = std::max<dim_t>(end - begin, 0);
}

} // namespace

tap_hits tap_axis::divided_hits(dim_t o) const {
    if (tap_step != -1) return phase_of(*this, o, positions).run_from(0).hits;
    // Only every divisor-th tap touches an index, and the indices of these differ by one.
    const dim_t n = origin + o * position_step, index = floor(n, divisor);
    const dim_t tap = n - index * divisor, beyond = std::max<dim_t>(index - extent + 1, 0);
    const dim_t end = std::min(index + 1, ceiling(taps - tap, divisor));
    return {tap + beyond * divisor, divisor, std::max<dim_t>(end - beyond, 0), index - beyond, -1};
}

axis_phase phase_of(const tap_axis &all, dim_t first, dim_t step) {
    axis_phase phase {first, step, 0, 1, all};
    tap_axis &a = phase.axis;
    a.positions = div_up(all.positions - first, step);
    a.origin += first * all.position_step;
    a.position_step *= step;
    if (a.positions > 1 && a.position_step % a.divisor != 0) return phase;
    const residues hits = multiples(a.origin, a.tap_step, a.divisor);
    a.position_step = std::max<dim_t>(a.position_step / a.divisor, 1);
    a.taps = hits.first < 0 || hits.first >= a.taps ? 0 : div_up(a.taps - hits.first, hits.period);
    if (a.taps > 0) {
        phase.first_tap = hits.first;
        a.origin = (a.origin + hits.first * a.tap_step) / a.divisor;
        // A single tap needs no step, and a multiple of the given one might overflow.
        phase.tap_step = a.taps > 1 ? hits.period : 1;
        a.tap_step = a.taps > 1 ? hits.period * a.tap_step / a.divisor : 1;
    }
    a.divisor = 1;
    if (a.taps > 0) drop_idle_taps(phase);
    return phase;
}

std::vector<axis_phase> phases_of(const tap_axis &all, dim_t step) {
    std::vector<axis_phase> phases;
    const dim_t count = std::min(step, all.positions);
    phases.reserve(std::size_t(std::max<dim_t>(count, 0)));
    for (dim_t first = 0; first < count; ++first) phases.push_back(phase_of(all, first, step));
    return phases;
}

position_run axis_phase::run_from(dim_t o) const {
    tap_hits hits = axis.hits(o);
    const dim_t alike = axis.alike(o, hits);
    hits.tap = first_tap + hits.tap * tap_step;
    hits.tap_step *= tap_step;
    return {first + o * step, step, alike, hits, axis.position_step};
}

position_runs::position_runs(const tap_axis &axis, dim_t step)
    : phases_(phases_of(axis, step <= most_phases ? step : 1)) {
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
