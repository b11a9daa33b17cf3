// SPDX-License-Identifier: Apache-2.0
// Positions of windows by arithmetic against their definition, tap by tap.
#include <boost/test/unit_test.hpp>

#include <vector>

#include "cpu/window/position_runs.hpp"

namespace {

using namespace dnnl::impl;
using namespace dnnl::impl::cpu;

struct geometry {
    dim_t O, I, K, S, D, P;
};

std::ostream &operator<<(std::ostream &out, const geometry &g) {
    return out << "O " << g.O << " I " << g.I << " K " << g.K << " S " << g.S << " D " << g.D
               << " P " << g.P;
}

/// Small windows of all kinds; O is as far as the padded source reaches, or less.
std::vector<geometry> geometries() {
    std::vector<geometry> all;
    for (dim_t I : {1, 2, 5, 12})
        for (dim_t K : {1, 2, 3, 5})
            for (dim_t S : {1, 2, 3, 4, 6, 9})
                for (dim_t D : {0, 1, 2, 3, 5})
                    for (dim_t P : {0, 1, 2, 7})
                        for (dim_t O : {1, 2, 4, 9}) all.push_back({O, I, K, S, D, P});
    return all;
}

dim_t forward_index(const geometry &g, dim_t o, dim_t k) {
    const dim_t i = o * g.S + k * (g.D + 1) - g.P;
    return i >= 0 && i < g.I ? i : -1;
}
dim_t backward_index(const geometry &g, dim_t i, dim_t k) {
    for (dim_t o = 0; o < g.O; ++o)
        if (o * g.S + k * (g.D + 1) - g.P == i) return o;
    return -1;
}

tap_axis forward_of(const geometry &g) { return forward_taps(g.O, g.I, g.K, g.S, g.D, g.P); }
tap_axis backward_of(const geometry &g) { return backward_taps(g.O, g.I, g.K, g.S, g.D, g.P); }

/// Whether `hits` are the taps of position o that `at` finds, with their indices.
bool are_hits(const tap_axis &axis, dim_t o, const tap_hits &hits) {
    dim_t found = 0;
    for (dim_t k = 0; k < axis.taps; ++k)
        if (axis.at(o, k) >= 0) {
            if (k != hits.tap + found * hits.tap_step) return false;
            if (axis.at(o, k) != hits.index + found++ * hits.index_step) return false;
        }
    return found == hits.count;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_tap_forward_and_backward) {
    for (const geometry &g : geometries()) {
        const tap_axis forward = forward_of(g), backward = backward_of(g);
        for (dim_t k = 0; k < g.K; ++k) {
            for (dim_t o = 0; o < g.O; ++o)
                BOOST_REQUIRE_MESSAGE(forward.at(o, k) == forward_index(g, o, k), g);
            for (dim_t i = 0; i < g.I; ++i)
                BOOST_REQUIRE_MESSAGE(backward.at(i, k) == backward_index(g, i, k), g);
        }
        for (dim_t i = 0; i < g.I; ++i)
            BOOST_REQUIRE_MESSAGE(are_hits(backward, i, backward.hits(i)), g);
    }
}

BOOST_AUTO_TEST_CASE(hits_and_positions_alike) {
    for (const geometry &g : geometries()) {
        std::vector<tap_axis> axes {forward_of(g)};
        for (const axis_phase &phase : phases_of(backward_of(g), g.S)) axes.push_back(phase.axis);
        for (const tap_axis &axis : axes) {
            BOOST_REQUIRE_EQUAL(axis.divisor, 1);
            for (dim_t o = 0; o < axis.positions;) {
                tap_hits hits = axis.hits(o);
                const dim_t count = axis.alike(o, hits);
                BOOST_REQUIRE_GE(count, 1);
                BOOST_REQUIRE_LE(o + count, axis.positions);
                for (dim_t p = 0; p < count; ++p, hits.index += axis.position_step)
                    BOOST_REQUIRE_MESSAGE(are_hits(axis, o + p, hits), g);
                o += count;
            }
        }
    }
}

// Every pair of a position and a tap that touch something is in one phase, others may be in none.
BOOST_AUTO_TEST_CASE(phases_hold_every_hit) {
    for (const geometry &g : geometries())
        for (const dim_t step : {dim_t {1}, g.S, g.I}) {
            const tap_axis all = backward_of(g);
            std::vector<dim_t> found(static_cast<std::size_t>(g.I * g.K), -1);
            for (const axis_phase &phase : phases_of(all, step))
                for (dim_t o = 0; o < phase.axis.positions; ++o)
                    for (dim_t k = 0; k < phase.axis.taps; ++k) {
                        const dim_t position = phase.first + o * phase.step;
                        const dim_t tap = phase.first_tap + k * phase.tap_step;
                        found[static_cast<std::size_t>(position * g.K + tap)] = phase.axis.at(o, k);
                    }
            for (dim_t i = 0; i < g.I; ++i)
                for (dim_t k = 0; k < g.K; ++k)
                    BOOST_REQUIRE_MESSAGE(
                        found[static_cast<std::size_t>(i * g.K + k)] == all.at(i, k), g);
        }
}

BOOST_AUTO_TEST_CASE(runs_of_positions) {
    for (const geometry &g : geometries())
        for (const dim_t step : {dim_t {1}, g.S}) {
            const tap_axis all = backward_of(g);
            dim_t hits = 0, wanted = 0, positions = 0;
            position_runs(all, step).for_each([&](const position_run &run) {
                tap_hits of_position = run.hits;
                for (dim_t p = 0; p < run.count; ++p, ++positions) {
                    BOOST_REQUIRE_MESSAGE(are_hits(all, run.first + p * run.step, of_position), g);
                    of_position.index += run.source_step;
                    hits += of_position.count;
                }
            });
            for (dim_t i = 0; i < g.I; ++i)
                for (dim_t k = 0; k < g.K; ++k) wanted += all.at(i, k) >= 0;
            BOOST_REQUIRE_MESSAGE(hits == wanted, g);
            BOOST_REQUIRE_EQUAL(positions, g.I);
        }
}

// Extents, strides and dilations far beyond 32 bits cost nothing and stay exact.
BOOST_AUTO_TEST_CASE(huge_extents) {
    constexpr dim_t I = dim_t {1} << 40, S = (dim_t {1} << 33) + 1, D = (dim_t {1} << 32) + 6;
    const dim_t K = 5, P = 3, O = (I + 2 * P - (K - 1) * (D + 1) - 1) / S + 1;
    const tap_axis forward = forward_taps(O, I, K, S, D, P),
                   backward = backward_taps(O, I, K, S, D, P);
    for (const dim_t o : {dim_t {0}, O / 2, O - 1})
        for (dim_t k = 0; k < K; ++k) {
            const dim_t i = o * S + k * (D + 1) - P;
            BOOST_TEST(forward.at(o, k) == (i >= 0 && i < I ? i : -1));
            if (i < 0 || i >= I) continue;
            BOOST_TEST(backward.at(i, k) == o);
            BOOST_TEST(are_hits(backward, i, backward.hits(i)));
        }
    const tap_axis wide = forward_taps(I, I, 3, 1, 0, 1);
    BOOST_TEST(wide.alike(1, wide.hits(1)) == I - 2);
}
