// SPDX-License-Identifier: Apache-2.0
// Attention of Luong in f32: which places of the source each row of the decoder looks at.
#pragma once

#include "numbers.hpp"

#include <map>

namespace nmt {

/// The encoder's states of a batch: `longest` places for each sentence.
struct encoded {
    memory::dim sentences = 0, longest = 0;
    memory keys, values; // f32, sentences x longest x hidden
    memory mask;         // f32, sentences x 1 x longest: 0, or very low behind a sentence's end
};

/// context = softmax(state . keys + mask) . values for `beam` rows of each sentence.
class attention {
  public:
    attention(const engine &cpu, const encoded &source, memory::dim beam, memory::dim hidden);

    /// For the first `sentences` sentences of `states` and `contexts`, rows x hidden in f32.
    void execute(stream &s, memory::dim sentences, const memory &states, const memory &contexts);

  private:
    struct step {
        dnnl::matmul scores, context;
        dnnl::softmax_forward softmax;
        memory::desc rows, keys, values, weights, mask;
    };
    step prepare(memory::dim sentences) const;

    engine cpu_;
    encoded source_;
    memory::dim beam_, hidden_;
    memory weights_;
    std::map<memory::dim, step> of_sentences_;
};

} // namespace nmt
