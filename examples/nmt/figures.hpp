// SPDX-License-Identifier: Apache-2.0
// What the program measures and claims.
#pragma once

#include "options.hpp"
#include "translator.hpp"

#include "../techniques/claims.hpp"

#include <memory>

namespace nmt {

/// The sentences to translate and their right translations.
struct task {
    language of;
    std::vector<words> sources, right;
};
task make_task(const options &o);

/// One format: its model, what it translated, what each round cost.
struct contestant {
    number kind;
    std::unique_ptr<model> of;
    std::vector<translation> found;
    std::vector<costs> rounds;
};

/// The models that the engine makes; the first is f32.
std::vector<contestant> make_contestants(const engine &cpu, const network &n, const options &o);

/// All formats translate all sentences, in turns.
void translate_in_turns(std::vector<contestant> &all, const task &t, const options &o);

/// The sixteen best of many scores: equal to a stable sort, and how much faster than a partial one.
void claim_search(techniques::claims &c);
/// One layer, 512 wide, batch 1, fed with products of embeddings instead of embeddings.
void claim_fusion(const engine &cpu, techniques::claims &c);
/// On the first batch: the same bits with batches that shrink and that do not, and with 1 and 2
/// threads.
void claim_equal_bits(contestant &one, const task &t, const options &o, techniques::claims &c);
/// How many are right; agreement with f32, and the probability that f32 gives to both.
void claim_quality(
    std::vector<contestant> &all, const task &t, const options &o, techniques::claims &c);
/// Medians of the rounds: sentences and words a second, shares of time, ratios to f32.
void claim_speed(const std::vector<contestant> &all, const options &o, techniques::claims &c);

} // namespace nmt
