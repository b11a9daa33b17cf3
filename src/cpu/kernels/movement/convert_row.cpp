// SPDX-License-Identifier: Apache-2.0
// Conversion of rows; see movement.hpp.
#include "cpu/kernels/movement/movement.hpp"

#include "cpu/simd/convert_adjacent.hpp"

namespace dnnl::impl::cpu {

namespace {

// Elements that are not adjacent are copied to adjacent places; a broadcast one is widened once.
template <class Isa, class T, class Value>
DNNL_INLINE void widen_strided(const void *from, dim_t stride, dim_t n, Value *out) {
    const T *src = static_cast<const T *>(from);
    if (stride == 1) return convert_adjacent<Isa, Value>(src, n, out);
    if (stride == 0) {
        // Widens a copy: masked loads are slow where an omitted lane lies on an unmapped page.
        const T alone[1] = {*src};
        Value one[1];
        convert_adjacent<Isa, Value>(alone, 1, one);
        const auto all = vec<Value, Isa>::set(one[0]);
        return for_vectors<Isa>(n, [&](dim_t i, dim_t m) { store_up_to(out + i, all, m); });
    }
    alignas(64) T adjacent[row_piece];
    for (dim_t first = 0; first < n; first += row_piece) {
        const dim_t count = smaller(row_piece, n - first);
        for (dim_t i = 0; i < count; ++i) adjacent[i] = src[(first + i) * stride];
        convert_adjacent<Isa, Value>(adjacent, count, out + first);
    }
}

// Calls f(T {}) for an integer type.
template <class F> DNNL_INLINE void with_integer(data_type type, const F &f) {
    switch (type) {
    case data_type::s8: return f(s8 {});
    case data_type::u8: return f(u8 {});
    case data_type::s4: return f(code<data_type::s4> {});
    case data_type::u4: return f(code<data_type::u4> {});
    default: return f(s32 {});
    }
}

} // namespace

template <class Isa>
void row_to_f32(const void *src, data_type type, dim_t stride, dim_t n, f32 *out) {
    with_element(type, [&](auto t) { widen_strided<Isa, decltype(t)>(src, stride, n, out); });
}

template <class Isa>
void row_to_s32(const void *src, data_type type, dim_t stride, dim_t n, s32 *out) {
    with_integer(type, [&](auto t) { widen_strided<Isa, decltype(t)>(src, stride, n, out); });
}

template <class Isa> void row_from_f32(const f32 *src, dim_t n, data_type type, void *dst) {
    with_element(
        type, [&](auto t) { convert_adjacent<Isa, f32>(src, n, static_cast<decltype(t) *>(dst)); });
}

template <class Isa> void row_from_s32(const s32 *src, dim_t n, data_type type, void *dst) {
    if (is_integer_type(type))
        return with_integer(type,
            [&](auto t) { convert_adjacent<Isa, s32>(src, n, static_cast<decltype(t) *>(dst)); });
    alignas(64) f32 values[row_piece];
    for (dim_t i = 0; i < n; i += row_piece) {
        const dim_t count = smaller(row_piece, n - i);
        convert_adjacent<Isa, f32>(src + i, count, values);
        row_from_f32<Isa>(values, count, type, element_at(dst, type, i));
    }
}

template <class Isa> void unpack_nibbles(const void *pairs, dim_t n, void *codes) {
    const u8 *from = static_cast<const u8 *>(pairs);
    u8 *to = static_cast<u8 *>(codes);
    dim_t i = 0;
    for (; i + 32 <= n; i += 32) {
        const __m128i both = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i / 2));
        const __m128i low_half = _mm_set1_epi8(15);
        const __m128i even = _mm_and_si128(both, low_half);
        const __m128i odd = _mm_and_si128(_mm_srli_epi16(both, 4), low_half);
        __m128i *out = reinterpret_cast<__m128i *>(to + i);
        _mm_storeu_si128(out, _mm_unpacklo_epi8(even, odd));
        _mm_storeu_si128(out + 1, _mm_unpackhi_epi8(even, odd));
    }
    for (; i < n; ++i) to[i] = i % 2 ? from[i / 2] >> 4 : from[i / 2] & 15;
}

template <class Isa> void pack_nibbles(const void *codes, dim_t n, void *pairs) {
    const u8 *from = static_cast<const u8 *>(codes);
    u8 *to = static_cast<u8 *>(pairs);
    dim_t i = 0;
    for (; i + 32 <= n; i += 32) {
        const __m128i *in = reinterpret_cast<const __m128i *>(from + i);
        const __m128i weights = _mm_set1_epi16(0x1001); // even + 16 * odd
        const __m128i low = _mm_maddubs_epi16(_mm_loadu_si128(in), weights);
        const __m128i high = _mm_maddubs_epi16(_mm_loadu_si128(in + 1), weights);
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i / 2), _mm_packus_epi16(low, high));
    }
    for (; i + 2 <= n; i += 2) to[i / 2] = static_cast<u8>(from[i] | from[i + 1] << 4);
    if (i < n) to[i / 2] = from[i];
}

template void row_to_f32<this_isa>(const void *, data_type, dim_t, dim_t, f32 *);
template void row_to_s32<this_isa>(const void *, data_type, dim_t, dim_t, s32 *);
template void row_from_f32<this_isa>(const f32 *, dim_t, data_type, void *);
template void row_from_s32<this_isa>(const s32 *, dim_t, data_type, void *);
template void unpack_nibbles<this_isa>(const void *, dim_t, void *);
template void pack_nibbles<this_isa>(const void *, dim_t, void *);

} // namespace dnnl::impl::cpu
