// SPDX-License-Identifier: Apache-2.0
// Random words by index and seed, one per lane: those of random_word() in
// common/attributes/attributes.hpp.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

/// The high half of the unsigned product of each lane and c.
template <class Isa>
requires(Isa::vector_bytes == 32) DNNL_INLINE vec<s32, Isa> multiply_high(
    vec<s32, Isa> a, std::uint32_t c) {
    const __m256i factor = _mm256_set1_epi32(static_cast<s32>(c));
    const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(a.v, factor), 32);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a.v, 32), factor);
    return {_mm256_blend_epi32(even, odd, 0xAA)};
}
#if defined(__AVX512F__)
template <class Isa>
requires(Isa::vector_bytes == 64) DNNL_INLINE vec<s32, Isa> multiply_high(
    vec<s32, Isa> a, std::uint32_t c) {
    const __m512i factor = _mm512_set1_epi32(static_cast<s32>(c));
    const __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(a.v, factor), 32);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a.v, 32), factor);
    return {_mm512_mask_mov_epi32(even, 0xAAAA, odd)};
}
#endif

/// One random word per lane: Philox 4x32 with ten rounds; the counter is made of the index with its
/// two low bits cleared and the three numbers after it, these bits choose the word.
template <class Isa> DNNL_INLINE vec<s32, Isa> random_words(vec<s32, Isa> index, s32 seed) {
    using i32 = vec<s32, Isa>;
    constexpr std::uint32_t p = 0xD2511F53u, q = 0xCD9E8D57u;
    const i32 word = index & i32::set(3);
    i32 c0 = index - word, c1 = c0 + i32::set(1), c2 = c0 + i32::set(2), c3 = c0 + i32::set(3);
    std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = key0;
    for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
        const i32 low_p = c0 * i32::set(static_cast<s32>(p)), high_p = multiply_high(c0, p);
        const i32 low_q = c2 * i32::set(static_cast<s32>(q)), high_q = multiply_high(c2, q);
        c0 = high_q ^ c1 ^ i32::set(static_cast<s32>(key0));
        c1 = low_q;
        c2 = high_p ^ c3 ^ i32::set(static_cast<s32>(key1));
        c3 = low_p;
    }
    const i32 low_pair = select(word == i32::zero(), c0, c1);
    const i32 high_pair = select(word == i32::set(2), c2, c3);
    return select(word > i32::set(1), high_pair, low_pair);
}

} // namespace dnnl::impl::cpu
