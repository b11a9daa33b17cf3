// SPDX-License-Identifier: Apache-2.0
// The sixteen best of many scores, for beam search: they stay sorted in registers, and eight new
// scores at a time are compared with the worst of them, which almost none passes.
#include "../random_source.hpp"
#include "claims.hpp"
#include "timing.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <immintrin.h>
#include <limits>
#include <numeric>
#include <vector>

namespace {

constexpr int beam = 16;

struct top {
    float scores[beam]; // falling
    int places[beam];   // of equal scores the first comes first; -1: none
};

/// Inserts behind all that are not worse. NaN and minus infinity never enter.
void insert(top &best, float score, int place) {
    if (!(score > best.scores[beam - 1])) return;
    int at = beam - 1;
    for (; at > 0 && best.scores[at - 1] < score; --at) {
        best.scores[at] = best.scores[at - 1];
        best.places[at] = best.places[at - 1];
    }
    best.scores[at] = score;
    best.places[at] = place;
}

top empty_top() {
    top best;
    std::fill_n(best.scores, beam, std::numeric_limits<float>::lowest());
    std::fill_n(best.places, beam, -1);
    return best;
}

top top_one_by_one(const float *scores, int count) {
    top best = empty_top();
    for (int i = 0; i < count; ++i) insert(best, scores[i], i);
    return best;
}

/// 32 scores at a time; a group without one above the worst is passed over.
[[gnu::target("avx2")]] top top_in_registers(const float *scores, int count) {
    top best = empty_top();
    int i = 0;
    for (; i + 32 <= count; i += 32) {
        const __m256 worst = _mm256_set1_ps(best.scores[beam - 1]);
        __m256 above[4], any = _mm256_setzero_ps();
        for (int part = 0; part < 4; ++part) {
            above[part] = _mm256_cmp_ps(_mm256_loadu_ps(scores + i + 8 * part), worst, _CMP_GT_OQ);
            any = _mm256_or_ps(any, above[part]);
        }
        if (_mm256_testz_ps(any, any)) continue;
        for (int part = 0; part < 4; ++part)
            for (unsigned mask = unsigned(_mm256_movemask_ps(above[part])); mask;
                 mask &= mask - 1) {
                const int place = i + 8 * part + __builtin_ctz(mask);
                insert(best, scores[place], place);
            }
    }
    for (; i < count; ++i) insert(best, scores[i], i);
    return best;
}

top top_scores(const float *scores, int count) {
    return __builtin_cpu_supports("avx2") ? top_in_registers(scores, count)
                                          : top_one_by_one(scores, count);
}

/// The first sixteen of a stable sort.
top expected_top(const std::vector<float> &scores) {
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

bool equal(const top &a, const top &b) {
    return std::equal(a.scores, a.scores + beam, b.scores) &&
           std::equal(a.places, a.places + beam, b.places);
}

} // namespace

int main(int count, char **arguments) {
    try {
        techniques::claims c(count, arguments);
        examples::random_source random(3);
        bool same = true;
        int tried = 0;
        for (int size = 1; size < 5000; size += size < 70 ? 1 : 487, ++tried) {
            std::vector<float> scores;
            for (int i = 0; i < size; ++i) // many equal ones
                scores.push_back(tried % 2 ? float(random.below(40)) : float(random.normal()));
            const top expected = expected_top(scores);
            same = same && equal(top_scores(scores.data(), size), expected) &&
                   equal(top_one_by_one(scores.data(), size), expected);
        }
        c.holds("S0-32", "equal to a stable sort, also where scores are equal", same);
        std::vector<float> hard(100, std::numeric_limits<float>::quiet_NaN());
        hard[50] = 1;
        hard[60] = -std::numeric_limits<float>::infinity();
        const top found = top_scores(hard.data(), 100);
        c.holds("S0-32", "NaN and minus infinity never enter",
            found.places[0] == 50 && found.places[1] == -1);
        std::vector<float> scores;
        for (int i = 0; i < 32000; ++i) scores.push_back(float(random.normal()));
        int entered = 0;
        top best = empty_top();
        for (int i = 0; i < 32000; ++i) {
            entered += scores[std::size_t(i)] > best.scores[beam - 1];
            insert(best, scores[std::size_t(i)], i);
        }
        c.figure("S0-32", "of 32,000 random scores that enter", entered, "", "138 expected",
            entered < 250);
        if (c.timed()) {
            volatile float kept = 0;
            const double ours = techniques::fastest(
                [&] { kept = kept + top_scores(scores.data(), 32000).scores[0]; }, 50);
            std::vector<int> order(scores.size());
            const double theirs = techniques::fastest(
                [&] {
                    std::iota(order.begin(), order.end(), 0);
                    std::partial_sort(
                        order.begin(), order.begin() + beam, order.end(), [&](int a, int b) {
                            return scores[std::size_t(a)] > scores[std::size_t(b)];
                        });
                    kept = kept + float(order[0]);
                },
                50);
            c.figure("S0-32", "gain over partial_sort, 32,000 scores", theirs / ours, "times", "",
                theirs / ours >= 5);
        }
        return c.finish();
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "top_scores: %s\n", failure.what());
        return 1;
    }
}
