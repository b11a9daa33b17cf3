// SPDX-License-Identifier: Apache-2.0
// A network in one number format, packed for the library.
#pragma once

#include "lstm_stack.hpp"

namespace nmt {

struct model {
    /// `fused`: the decoder's first layer reads products of the embeddings instead of embeddings;
    /// int8 cannot, since sums of gates need states that are not bytes.
    model(const engine &cpu, const network &from, number kind, bool fused, int batch, int beam);

    /// Copies the row of a word, in the type of input(), to a place.
    void embed_source(int word, void *to) const { copy(source_, word, to); }
    void embed_target(int word, void *to) const { copy(target_, word, to); }

    engine cpu;
    number kind;
    sizes size;
    stack_weights encoder, decoder;
    product keys, combine, output;

  private:
    static void copy(const memory &table, int word, void *to);
    memory source_, target_;
};

/// The first layer that a format can have.
first_layer first_layer_of(number kind, bool fused);

} // namespace nmt
