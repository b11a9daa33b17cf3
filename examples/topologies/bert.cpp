// SPDX-License-Identifier: Apache-2.0
// The encoder of BERT-base (Devlin et al., 2018): 12 layers of 12 heads, 768 and 3072 channels. It
// reads embeddings, whose sum and normalization come before it.
#include "networks.hpp"

namespace topologies {

graph bert(const network_size &size) {
    graph g("bert", "sequences", size.batch);
    const dim tokens = size.quick ? 32 : 128, channels = 768;
    int x = g.input({size.batch * tokens, channels}, true);
    for (int i = 0; i < (size.quick ? 2 : 12); ++i) {
        const int joined = g.dense(x, 3 * channels);
        const int mixed = g.attend(joined, 12);
        const int added = g.dense(mixed, channels, {.addend = x, .gain = .7f, .real = true});
        x = g.normalize(added);
        const int hidden = g.dense(x, 4 * channels, {.after = activation::gelu});
        x = g.normalize(g.dense(hidden, channels, {.addend = x, .gain = .7f, .real = true}));
    }
    return g;
}

} // namespace topologies
