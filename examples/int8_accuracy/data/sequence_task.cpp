// SPDX-License-Identifier: Apache-2.0
// Draws sequences of definitions, questions and symbols, and answers them.
#include "sequence_task.hpp"

#include "../../random_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

using examples::random_source;

constexpr int length = 32, symbols = 8, keys = 4, values = 3;
constexpr int first_definition = symbols, first_question = symbols + keys * values;
constexpr int tokens = first_question + keys;
constexpr int classes = 16;
constexpr int fewest_definitions = 8, most_definitions = 13;
constexpr int fewest_questions = 5, most_questions = 9;
constexpr int fewest_symbols = 2, most_symbols = 6; // different ones in a sequence

using sequence = std::array<std::uint8_t, length>;

int between(int low, int high, random_source &random) { return low + random.below(high - low + 1); }

/// Definitions, questions and symbols in a random order.
sequence draw_sequence(random_source &random) {
    const int definitions = between(fewest_definitions, most_definitions, random);
    const int questions = between(fewest_questions, most_questions, random);
    const int different = between(fewest_symbols, most_symbols, random);
    const std::vector<int> alphabet = shuffled_indices(symbols, random.bits());
    sequence drawn {};
    const std::vector<int> places = shuffled_indices(length, random.bits());
    for (int i = 0; i < length; ++i)
        drawn[places[i]] =
            std::uint8_t(i < definitions ? first_definition + random.below(keys * values)
                         : i < definitions + questions ? first_question + random.below(keys)
                                                       : alphabet[random.below(different)]);
    return drawn;
}

sequence labels_of(const sequence &of) {
    std::array<int, tokens> counts {};
    std::array<int, keys> given;
    given.fill(values); // none
    for (int token : of) {
        ++counts[token];
        const int definition = token - first_definition;
        if (definition >= 0 && token < first_question)
            given[definition / values] = definition % values;
    }
    sequence labels {};
    for (int p = 0; p < length; ++p) {
        const int token = of[p];
        const int label = token >= first_question ? given[token - first_question]
                          : token >= first_definition
                              ? counts[first_question + (token - first_definition) / values]
                              : counts[token];
        labels[p] = std::uint8_t(std::min(label, classes - 1));
    }
    return labels;
}

dataset draw(int count, random_source &random) {
    dataset drawn {{tokens, 1, 1, length}, classes, length, {}, {}};
    for (int i = 0; i < count; ++i) {
        const sequence values = draw_sequence(random), labels = labels_of(values);
        drawn.values.insert(drawn.values.end(), values.begin(), values.end());
        drawn.labels.insert(drawn.labels.end(), labels.begin(), labels.end());
    }
    return drawn;
}

} // namespace

data_split draw_sequences(int training, int held_out, std::uint64_t seed) {
    random_source random(seed);
    dataset first = draw(training, random), second = draw(held_out, random);
    return {std::move(first), std::move(second),
        fmt::format("drawn sequences of symbols and keys with values, seed {}", seed), {}};
}

} // namespace int8_accuracy
