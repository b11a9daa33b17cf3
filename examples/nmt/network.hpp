// SPDX-License-Identifier: Apache-2.0
// The weights of a translator in f32, and how they are made so that it can translate.
#pragma once

#include "language.hpp"

#include <dnnl.hpp>

namespace nmt {

/// Weights hidden x 4 gates x hidden, gates in the order i, f, c~, o; bias 4 x hidden.
struct lstm_weights {
    std::vector<float> layer, iter, bias;
};

struct sizes {
    int hidden = 512, layers = 2, vocabulary = 32000;
};

/// Embedding, encoder, decoder, attention and projection:
///     keys = encoder's states x attention, scores = decoder's state . keys
///     mixed = tanh([context, decoder's state] x combine), logits = mixed x output + output_bias
struct network {
    sizes size;
    std::vector<float> source_embeddings, target_embeddings; // vocabulary x hidden
    std::vector<lstm_weights> encoder, decoder;
    std::vector<float> attention; // hidden x hidden
    std::vector<float> combine;   // 2 hidden x hidden
    std::vector<float> output;    // vocabulary x hidden
    std::vector<float> output_bias;
};

/// A network for the language: random weights for the words, a clock in both LSTMs by which the
/// decoder finds its place in the source, and a projection fitted to the states that the words
/// leave. See network.cpp.
network make_network(const dnnl::engine &cpu, const language &of, const sizes &size);

} // namespace nmt
