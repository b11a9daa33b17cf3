// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/tap_axis.hpp"

#include <utility>

namespace dnnl::impl::cpu {

namespace {

/// Rounded up and down; b is at least 1. Most divisors are 1.
dim_t ceiling(dim_t a, dim_t b) { return b == 1 ? a : a / b + (a % b > 0); }
dim_t floor(dim_t a, dim_t b) { return b == 1 ? a : a / b - (a % b < 0); }
dim_t modulo(dim_t a, dim_t b) { return b == 1 ? 0 : a - floor(a, b) * b; }

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
    return {static_cast<dim_t>(product % period), period};
}

/// Drops the taps in front and behind that touch nothing at any position. Divisor 1.
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

tap_range tap_axis::inside(dim_t o) const {
    const dim_t n = origin + o * position_step;
    tap_range r {0, taps, n};
    if (tap_step > 0) {
        if (n < 0) r.first = std::min(taps, ceiling(-n, tap_step));
        if (n + (taps - 1) * tap_step >= extent)
            r.last = std::max<dim_t>(r.first, ceiling(extent - n, tap_step));
    } else {
        if (n >= extent) r.first = std::min(taps, floor(n - extent, -tap_step) + 1);
        if (n + (taps - 1) * tap_step < 0)
            r.last = std::max(r.first, std::min(taps, floor(n, -tap_step) + 1));
    }
    r.index = n + r.first * tap_step;
    return r;
}

dim_t tap_axis::alike(dim_t o, const tap_range &r) const {
    const dim_t n = origin + o * position_step;
    dim_t count = positions - o;
    // Indices grow with the position: one tap is the next to come inside, another to leave.
    const dim_t entering = tap_step > 0 ? r.first - 1 : r.last;
    const dim_t leaving = tap_step > 0 ? r.last - 1 : r.first;
    if (entering >= 0 && entering < taps) {
        const dim_t missing = -(n + entering * tap_step);
        if (missing > 0) count = std::min(count, ceiling(missing, position_step));
    }
    if (r.count() > 0)
        count = std::min(count, ceiling(extent - (n + leaving * tap_step), position_step));
    return count;
}

tap_axis forward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P) {
    return {O, K, I, -P, S, D + 1, 1};
}

tap_axis backward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P) {
    return {I, K, O, P, 1, -(D + 1), S};
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
        phase.tap_step = hits.period;
        a.origin = (a.origin + hits.first * a.tap_step) / a.divisor;
        a.tap_step = hits.period * a.tap_step / a.divisor;
    }
    a.divisor = 1;
    if (a.taps > 0) drop_idle_taps(phase);
    return phase;
}

std::vector<axis_phase> phases_of(const tap_axis &all, dim_t step) {
    std::vector<axis_phase> phases;
    const dim_t count = std::min(step, all.positions);
    phases.reserve(static_cast<std::size_t>(std::max<dim_t>(count, 0)));
    for (dim_t first = 0; first < count; ++first) phases.push_back(phase_of(all, first, step));
    return phases;
}

tap_cursor::tap_cursor(const tap_axis &axis, dim_t o)
    : divisor_(axis.divisor), extent_(axis.extent) {
    const dim_t n = axis.origin + o * axis.position_step;
    quotient_ = floor(n, divisor_);
    remainder_ = n - quotient_ * divisor_;
    quotient_step_ = floor(axis.tap_step, divisor_);
    remainder_step_ = axis.tap_step - quotient_step_ * divisor_;
}

} // namespace dnnl::impl::cpu
