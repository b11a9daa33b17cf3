// SPDX-License-Identifier: Apache-2.0
// Beam search: the best translations of one sentence so far.
#pragma once

#include "language.hpp"

#include <limits>
#include <vector>

namespace nmt {

struct translation {
    words target;    // without the end
    float score = 0; // logarithm of its probability; the end included where it came to one
    bool operator==(const translation &) const = default;
};

/// Up to 16 beginnings of a translation, each in a row of the decoder. A translation ends with word
/// 0; the sentence has ended when no beginning is better than the best ended translation, since
/// further words only cost, or when its words are as many as allowed.
class beam_search {
  public:
    beam_search(int beam, int most_words);

    /// Continues all beginnings by the best words. `logarithms`: beam rows of probabilities of the
    /// vocabulary's words.
    void advance(const float *logarithms, int vocabulary);

    bool ended() const { return ended_; }
    int steps() const { return steps_; }
    /// Of each row: the word that it must read, and the row behind the last step that it continues.
    int word(int row) const { return rows_[std::size_t(row)].word; }
    int parent(int row) const { return rows_[std::size_t(row)].parent; }
    translation best() const;

  private:
    static constexpr float nothing = std::numeric_limits<float>::lowest();
    struct beginning {
        int word = 0, parent = 0, node = -1;
        float score = nothing; // no beginning in this row
    };
    struct node {
        int word, before; // -1: the first word
    };
    words path(int node) const;

    int most_words_, steps_ = 0;
    bool ended_ = false;
    std::vector<beginning> rows_;
    std::vector<node> nodes_;
    int best_node_ = -1;
    float best_score_ = nothing; // of ended translations
};

} // namespace nmt
