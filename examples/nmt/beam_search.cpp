// SPDX-License-Identifier: Apache-2.0
// Beam search on rows of logarithms.
#include "beam_search.hpp"

#include "../techniques/top_scores.hpp"

namespace nmt {

beam_search::beam_search(int beam, int most_words)
    : most_words_(most_words), rows_(std::size_t(beam)) {
    rows_[0].score = 0;
}

void beam_search::advance(const float *logarithms, int vocabulary) {
    techniques::top best = techniques::empty_top();
    const int beam = int(rows_.size());
    for (int r = 0; r < beam; ++r)
        if (rows_[std::size_t(r)].score != nothing)
            techniques::extend(best, logarithms + std::size_t(r) * std::size_t(vocabulary),
                vocabulary, r * vocabulary, rows_[std::size_t(r)].score);
    std::vector<beginning> next;
    for (int i = 0; i < beam && best.places[i] >= 0; ++i) {
        const int row = best.places[i] / vocabulary, word = best.places[i] % vocabulary;
        const int before = rows_[std::size_t(row)].node;
        if (word != 0) {
            nodes_.push_back({word, before});
            next.push_back({word, row, int(nodes_.size()) - 1, best.scores[i]});
        } else if (best.scores[i] > best_score_) {
            best_score_ = best.scores[i];
            best_node_ = before;
        }
    }
    ++steps_;
    ended_ = next.empty() || best_score_ >= next[0].score || steps_ > most_words_;
    rows_.assign(std::size_t(beam), beginning());
    std::copy(next.begin(), next.end(), rows_.begin());
}

words beam_search::path(int node) const {
    words back;
    for (; node >= 0; node = nodes_[std::size_t(node)].before)
        back.push_back(nodes_[std::size_t(node)].word);
    return {back.rbegin(), back.rend()};
}

translation beam_search::best() const {
    // Without an ended one, as where words ran out, the best beginning stands for it.
    if (best_score_ == nothing) return {path(rows_[0].node), rows_[0].score};
    return {path(best_node_), best_score_};
}

} // namespace nmt
