// SPDX-License-Identifier: Apache-2.0
// The sixteen best of many scores, for beam search: they stay sorted in registers, and 32 new
// scores at a time are compared with the worst of them, which almost none passes.
#pragma once

#include "timing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <immintrin.h>

namespace techniques {

constexpr int beam = 16;

struct top {
    float scores[beam]; // falling
    int places[beam];   // of equal scores the first comes first; -1: none
};

/// Inserts behind all that are not worse. NaN and minus infinity never enter.
inline void insert(top &best, float score, int place) {
    if (!(score > best.scores[beam - 1])) return;
    int at = beam - 1;
    for (; at > 0 && best.scores[at - 1] < score; --at) {
        best.scores[at] = best.scores[at - 1];
        best.places[at] = best.places[at - 1];
    }
    best.scores[at] = score;
    best.places[at] = place;
}

inline top empty_top() {
    top best;
    std::fill_n(best.scores, beam, std::numeric_limits<float>::lowest());
    std::fill_n(best.places, beam, -1);
    return best;
}

/// Adds scores[i] + `plus` at the place `first` + i for each i below `count`.
inline void extend_one_by_one(
    top &best, const float *scores, int count, int first = 0, float plus = 0) {
    for (int i = 0; i < count; ++i) insert(best, scores[i] + plus, first + i);
}

/// As above with AVX2: a group of 32 without a score above the worst is passed over.
[[gnu::target("avx2")]] inline void extend_in_registers(
    top &best, const float *scores, int count, int first = 0, float plus = 0) {
    const __m256 added = _mm256_set1_ps(plus);
    int i = 0;
    for (; i + 32 <= count; i += 32) {
        const __m256 worst = _mm256_set1_ps(best.scores[beam - 1]);
        __m256 above[4], any = _mm256_setzero_ps();
        for (int part = 0; part < 4; ++part) {
            const __m256 sums = _mm256_add_ps(_mm256_loadu_ps(scores + i + 8 * part), added);
            above[part] = _mm256_cmp_ps(sums, worst, _CMP_GT_OQ);
            any = _mm256_or_ps(any, above[part]);
        }
        if (_mm256_testz_ps(any, any)) continue;
        for (int part = 0; part < 4; ++part)
            for (unsigned mask = unsigned(_mm256_movemask_ps(above[part])); mask;
                 mask &= mask - 1) {
                const int place = i + 8 * part + __builtin_ctz(mask);
                insert(best, scores[place] + plus, first + place);
            }
    }
    extend_one_by_one(best, scores + i, count - i, first + i, plus);
}

/// As above with the instructions that the processor has.
inline void extend(top &best, const float *scores, int count, int first = 0, float plus = 0) {
    __builtin_cpu_supports("avx2") ? extend_in_registers(best, scores, count, first, plus)
                                   : extend_one_by_one(best, scores, count, first, plus);
}

inline top top_scores(const float *scores, int count) {
    top best = empty_top();
    extend(best, scores, count);
    return best;
}

/// The first sixteen of a stable sort.
inline top expected_top(const std::vector<float> &scores) {
    std::vector<int> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
        [&](int a, int b) { return scores[std::size_t(a)] > scores[std::size_t(b)]; });
    top best = empty_top();
    for (int l = 0; l < beam && l < int(order.size()); ++l) {
        best.places[l] = order[std::size_t(l)];
        best.scores[l] = scores[std::size_t(order[std::size_t(l)])];
    }
    return best;
}

inline bool equal(const top &a, const top &b) {
    return std::equal(a.scores, a.scores + beam, b.scores) &&
           std::equal(a.places, a.places + beam, b.places);
}

/// How many times as fast as std::partial_sort of the places, each the fastest of `calls`.
inline double gain_over_partial_sort(const std::vector<float> &scores, int calls = 50) {
    volatile float kept = 0;
    const int count = int(scores.size());
    const double ours =
        fastest([&] { kept = kept + top_scores(scores.data(), count).scores[0]; }, calls);
    std::vector<int> order(scores.size());
    const double theirs = fastest(
        [&] {
            std::iota(order.begin(), order.end(), 0);
            std::partial_sort(order.begin(), order.begin() + std::min(beam, count), order.end(),
                [&](int a, int b) { return scores[std::size_t(a)] > scores[std::size_t(b)]; });
            kept = kept + float(order[0]);
        },
        calls);
    return theirs / ours;
}

} // namespace techniques
