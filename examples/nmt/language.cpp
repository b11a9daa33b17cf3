// SPDX-License-Identifier: Apache-2.0
// The made-up languages.
#include "language.hpp"

#include <numeric>

namespace nmt {

language::language(int vocabulary, int seed)
    : vocabulary_(vocabulary), partner_(std::size_t((vocabulary - 2) / 2 + 1)),
      gender_(std::size_t(vocabulary)) {
    examples::random_source random(static_cast<std::uint64_t>(seed));
    std::iota(partner_.begin(), partner_.end(), -1);
    for (int i = int(partner_.size()) - 1; i > 1; --i)
        std::swap(partner_[std::size_t(i)], partner_[std::size_t(1 + random.below(i))]);
    for (std::size_t w = 1; w < gender_.size(); ++w) gender_[w] = char(random.below(2));
}

words language::translate(const words &source) const {
    words target;
    int gender_before = gender(0);
    for (const int word : source) {
        if (is_particle(word)) continue;
        target.push_back(form(word, gender_before));
        gender_before = gender(target.back());
    }
    return target;
}

words language::draw(const techniques::sentence &lengths, examples::random_source &random) const {
    const int most = std::max(lengths.source, lengths.target),
              stems_left = std::min(lengths.source, lengths.target);
    words sentence;
    for (int left = most, wanted = stems_left; left > 0; --left) {
        const bool stem = random.below(left) < wanted;
        wanted -= stem;
        sentence.push_back(stem ? 1 + random.below(stems())
                                : stems() + 1 + random.below(vocabulary_ - 1 - stems()));
    }
    return sentence;
}

std::vector<words> draw_sentences(const language &of, int count, int longest) {
    examples::random_source random(13);
    std::vector<words> sentences;
    for (const techniques::sentence &drawn : techniques::corpus(count)) {
        // The longer of the two is the source, since particles have no translation.
        const int source = std::min(drawn.source, longest),
                  target = std::min(drawn.target, longest);
        sentences.push_back(of.draw({source, target}, random));
    }
    return sentences;
}

} // namespace nmt
