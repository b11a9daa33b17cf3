// SPDX-License-Identifier: Apache-2.0
// Two made-up languages and the rule of translation between them.
#pragma once

#include "../techniques/sentence_lengths.hpp"

#include <vector>

namespace nmt {

using words = std::vector<int>;

/// Word 0 ends a sentence in both languages. The source has stems, 1 ... stems(), and particles,
/// the numbers above, which have no translation. Each stem has one translation, of two forms: the
/// one after a word of the first gender and the one after a word of the second.
class language {
  public:
    explicit language(int vocabulary, int seed = 11);

    int vocabulary() const { return vocabulary_; }
    int stems() const { return int(partner_.size()) - 1; }
    bool is_particle(int source) const { return source > stems(); }

    /// 0 or 1, of a word of the target language. The end, which also begins a translation, has 0.
    int gender(int target) const { return gender_[std::size_t(target)]; }
    /// The translation of a stem after a word of that gender.
    int form(int stem, int gender) const { return 1 + 2 * partner_[std::size_t(stem)] + gender; }
    /// The right translation, without the end.
    words translate(const words &source) const;

    /// A sentence of so many stems and particles in random order.
    words draw(const techniques::sentence &lengths, examples::random_source &random) const;

  private:
    int vocabulary_;
    std::vector<int> partner_; // of stems 1 ...; [0] is not used
    std::vector<char> gender_;
};

/// Sentences whose lengths are those of techniques::corpus(), at most `longest` words each.
std::vector<words> draw_sentences(const language &of, int count, int longest);

} // namespace nmt
