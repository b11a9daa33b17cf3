// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on an element's place and the user's seed alone: those of dropout and
// of stochastic rounding.
#pragma once

#include <cstdint>

#include "common/plain_types.hpp"

namespace dnnl::impl {

/// Philox 4x32 with ten rounds (Salmon et al., 2011). Four neighbouring indices share a block: the
/// counter is the aligned index and its three successors, the seed fills both words of the key, and
/// the index takes its word of the result.
std::uint32_t random_word(std::uint32_t index, std::uint32_t seed);

/// Dropout keeps an element when its random word is greater than this.
std::uint32_t dropout_threshold(float probability);
/// What dropout multiplies kept elements by: 1 / (1 - probability), 0 when all are dropped.
float dropout_scale(float probability);

/// A floating type as stochastic rounding sees it.
struct float_format {
    int digits; ///< of the significand, the hidden bit included; 0: no such type
    int bytes;
    float min_normal, max;

    /// Bits of an f32 that the type keeps.
    std::uint32_t kept() const { return 0xFFFFFFFFu << (24 - digits); }
    /// Elements that one random word serves: bytes for 16-bit types, halves for the others.
    int per_random_word() const { return bytes == 2 ? 4 : 2; }
};
float_format float_format_of(data_type type);

/// True for the types that stochastic rounding knows: all floating ones but f64 and e8m0.
bool can_round_stochastically(data_type dst);

/// A neighbour of `value` in `dst`, as f32. The low bits that dst lacks are cut after a random
/// number, by the element's offset, was added to them: 8 random bits for 16-bit types, 16 for
/// smaller ones. Saturates, flushes subnormal results to zero, keeps NaN.
float round_stochastically(float value, data_type dst, dim_t offset, std::int32_t seed);

} // namespace dnnl::impl
