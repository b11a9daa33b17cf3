// SPDX-License-Identifier: Apache-2.0
// One part of a transformer's block (BERT: Devlin et al., 2019), cut along its products so that
// every rank has a part of the heads and of the hidden channels (Shoeybi et al., 2019).
//
//     m = concat over heads of softmax(q k' / sqrt(d)) v,   q, k, v = x Wq, x Wk, x Wv
//     y = normalized(x + m Wo)
//     result = normalized(y + gelu(y W1) W2)
//
// Wq, Wk, Wv and W1 are cut by columns, Wo and W2 by rows: a part computes its heads and hidden
// channels alone, and the products with Wo and W2 are sums over the parts. In int8 these sums are
// 32-bit integers, so that the result is the same, bit by bit, in however many parts.
#pragma once

#include <dnnl.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace distributed {

struct block_shape {
    int tokens = 128, channels = 768, heads = 12, hidden = 3072;

    int head_channels() const { return channels / heads; }
    /// Multiplications of one block.
    double multiplications() const;
};

/// f32, row-major, inputs x outputs.
struct block_weights {
    std::vector<float> query, key, value, output, widen, narrow;
    std::vector<float> query_bias, key_bias, value_bias, output_bias, widen_bias, narrow_bias;
};

/// Normal distribution with variance 1 / inputs, biases a tenth of it.
block_weights random_block(const block_shape &shape, std::uint64_t seed);

/// max |x| of what a block in int8 stores in bytes.
struct block_ranges {
    float source = 0, query = 0, key = 0, value = 0, mixed = 0, middle = 0, hidden = 0;
};

/// One of `parts` equal parts. The three steps are called in turn; between them the caller replaces
/// partial_sum() by its sum over all parts.
class block_part {
  public:
    /// f32 without `ranges`, otherwise s8 (probabilities u8) with a scale per tensor of activations
    /// and per column of weights. Throws std::invalid_argument if heads or hidden channels cannot
    /// be divided, dnnl::error if the library refuses.
    block_part(const dnnl::engine &engine, const block_shape &shape, const block_weights &weights,
        int part, int parts, const block_ranges *ranges);
    ~block_part();

    /// `x`: tokens x channels, f32.
    void attend(dnnl::stream &stream, const dnnl::memory &x);
    void feed_forward(dnnl::stream &stream);
    /// The result, tokens x channels, f32, valid until the next pass.
    const dnnl::memory &finish(dnnl::stream &stream);

    /// tokens x channels, f32 or s32.
    const dnnl::memory &partial_sum() const;

    /// Of the last pass; what an f32 block with one part has seen.
    block_ranges seen() const;

    /// Seconds of the last pass in what every part does as a whole: normalizations and conversions.
    double repeated_seconds() const;

    std::int64_t weight_bytes() const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace distributed
