// SPDX-License-Identifier: Apache-2.0
// Translates batches of sentences with a model: encoder, decoder, attention, projection, search.
#pragma once

#include "attention.hpp"
#include "beam_search.hpp"
#include "model.hpp"

#include <array>
#include <chrono>

namespace nmt {

enum part { encoding, recurrent, attending, projecting, normalizing, searching, parts };
constexpr const char *part_names[parts] = {
    "encoder", "decoder's LSTM", "attention", "projection", "logarithms", "search"};

/// What translating has cost.
struct costs {
    std::array<double, parts> seconds {};
    double steps = 0, useful_steps = 0; // of the decoder, per sentence
    double total() const;
    double wasted() const { return 100 * (steps - useful_steps) / useful_steps; } // %
};

struct translating {
    int batch = 16, beam = 16;
    bool dynamic = true; // a batch loses the sentences at its end when they have ended
    int threads = 0;     // 0: as many as there are
};

class translator {
  public:
    translator(model &of, const translating &how);

    /// The best translation of each sentence. Batches are of sentences as they come, each sorted by
    /// length.
    std::vector<translation> translate(const std::vector<words> &sources);
    /// The logarithm of each translation's probability; a beam of 1 is needed.
    std::vector<double> score(const std::vector<words> &sources, const std::vector<words> &targets);

    const costs &spent() const { return spent_; }

  private:
    using order = std::vector<std::size_t>; // sentences of a batch, the longest first

    /// What a step on so many rows executes, beside LSTM and attention.
    struct row_work {
        conversion top_to_states, top_to_both, contexts_to_both;
        dnnl::softmax_forward logarithms;
        memory both, mixed, logits;
    };

    std::vector<order> batches(const std::vector<words> &sources) const;
    encoded encode(const std::vector<words> &sources, const order &batch);
    row_work &work_of(memory::dim rows);
    void read_word(int row, int word);
    void step(attention &look, memory::dim sentences);
    void translate_batch(
        const std::vector<words> &sources, const order &batch, std::vector<translation> &all);
    void follow(const std::vector<beam_search> &searches, std::size_t active);
    memory seen(const memory &m, const memory::desc &md) const;
    const float *logarithms_of(int row) const;
    /// Adds the time since the call before to a part.
    void spend(part on);
    void begin_to_count() { last_ = std::chrono::steady_clock::now(); }

    model &of_;
    translating how_;
    stream stream_;
    lstm_stack encoder_, decoder_;
    memory states_, contexts_, both_, mixed_, logits_;
    std::map<memory::dim, row_work> work_;
    costs spent_;
    std::chrono::steady_clock::time_point last_;
};

} // namespace nmt
