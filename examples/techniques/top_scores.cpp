// SPDX-License-Identifier: Apache-2.0
// Checks and times the search for the sixteen best of many scores, of top_scores.hpp.
#include "top_scores.hpp"

#include "../random_source.hpp"
#include "claims.hpp"

#include <exception>

using namespace techniques;

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
            top one_by_one = empty_top();
            extend_one_by_one(one_by_one, scores.data(), size);
            same = same && equal(top_scores(scores.data(), size), expected) &&
                   equal(one_by_one, expected);
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
            const double gain = gain_over_partial_sort(scores);
            c.figure(
                "S0-32", "gain over partial_sort, 32,000 scores", gain, "times", "", gain >= 5);
        }
        return c.finish();
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "top_scores: %s\n", failure.what());
        return 1;
    }
}
