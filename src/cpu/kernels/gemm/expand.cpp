// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/expand.hpp"

#include "cpu/simd/convert.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {
namespace {

// Two elements of 4 bits in a byte, the first one in the low half.
template <bool Signed> struct nibbles { u8 bits; };

// Lane i: element i of those that follow a byte, brought to the top of the lane and down again.
template <class Isa, bool Signed>
requires(Isa::vector_bytes == 32) DNNL_INLINE vec<s32, Isa> lanes_of(const nibbles<Signed> *p) {
    s32 eight;
    __builtin_memcpy(&eight, p, sizeof eight);
    const __m256i up =
        _mm256_sllv_epi32(_mm256_set1_epi32(eight), _mm256_setr_epi32(28, 24, 20, 16, 12, 8, 4, 0));
    return {Signed ? _mm256_srai_epi32(up, 28) : _mm256_srli_epi32(up, 28)};
}
#if defined(__AVX512F__)
template <class Isa, bool Signed>
requires(Isa::vector_bytes == 64) DNNL_INLINE vec<s32, Isa> lanes_of(const nibbles<Signed> *p) {
    s32 eight[2];
    __builtin_memcpy(eight, p, sizeof eight);
    const __m512i shifts =
        _mm512_setr_epi32(28, 24, 20, 16, 12, 8, 4, 0, 28, 24, 20, 16, 12, 8, 4, 0);
    const __m512i both =
        _mm512_mask_set1_epi32(_mm512_set1_epi32(eight[0]), __mmask16 {0xff00}, eight[1]);
    const __m512i up = _mm512_sllv_epi32(both, shifts);
    return {Signed ? _mm512_srai_epi32(up, 28) : _mm512_srli_epi32(up, 28)};
}
#endif

template <class Isa, class T> DNNL_INLINE vec<f32, Isa> load_columns(const T *row, dim_t column) {
    return load_as_f32<Isa>(row + column);
}
template <class Isa, bool Signed>
DNNL_INLINE vec<f32, Isa> load_columns(const nibbles<Signed> *row, dim_t column) {
    return to_f32(lanes_of<Isa, Signed>(row + column / 2));
}
// The first n columns, at most 64, in memory that has no more.
template <class T> void copy_columns(const T *row, dim_t n, T *to) {
    __builtin_memcpy(to, row, static_cast<std::size_t>(n) * sizeof(T));
}
template <bool Signed> void copy_columns(const nibbles<Signed> *row, dim_t n, nibbles<Signed> *to) {
    __builtin_memcpy(to, row, static_cast<std::size_t>((n + 1) / 2));
}

template <class T> constexpr dim_t elements_of = 1;
template <bool Signed> constexpr dim_t elements_of<nibbles<Signed>> = 2;

template <class Isa>
DNNL_INLINE vec<f32, Isa> value_of(
    const f32 *values, dim_t stride, f32 neutral, dim_t column, dim_t left) {
    using v = vec<f32, Isa>;
    if (!values) return v::set(neutral);
    if (stride == 0) return v::set(*values);
    return left <= 0 ? v::zero() : load_up_to<Isa>(values + column, left);
}

// Half a panel: as many scales and zero points as registers hold.
template <class Isa, class T> void expand_half(const expand_args &a, dim_t first) {
    using v = vec<f32, Isa>;
    constexpr int count = 32 / v::size;
    v scale[count], zero_point[count];
#pragma GCC unroll 4
    for (int j = 0; j < count; ++j) {
        const dim_t column = first + j * v::size, left = a.n - column;
        scale[j] = value_of<Isa>(a.scale, a.scale_stride, 1.0f, column, left);
        zero_point[j] = value_of<Isa>(a.zero_point, a.zero_point_stride, 0.0f, column, left);
    }
    const T *row = static_cast<const T *>(a.src) + first / elements_of<T>;
    f32 *to = static_cast<f32 *>(a.dst) + first;
    const dim_t step = a.k_stride / elements_of<T>;
    for (dim_t k = 0; k < a.k; ++k, row += step, to += 64) {
#pragma GCC unroll 4
        for (int j = 0; j < count; ++j)
            ((load_columns<Isa>(row, j * v::size) - zero_point[j]) * scale[j])
                .store(to + j * v::size);
    }
}

// A panel with fewer columns, row by row.
template <class Isa, class T> void expand_edge(const expand_args &a) {
    using v = vec<f32, Isa>;
    const T *row = static_cast<const T *>(a.src);
    f32 *to = static_cast<f32 *>(a.dst);
    for (dim_t k = 0; k < a.k; ++k, row += a.k_stride / elements_of<T>, to += 64) {
        alignas(64) T whole[64] {};
        copy_columns(row, a.n, whole);
        for (dim_t j = 0; j < 64; j += v::size) {
            const dim_t left = a.n - j;
            const v scale = value_of<Isa>(a.scale, a.scale_stride, 1.0f, j, left);
            const v zero = value_of<Isa>(a.zero_point, a.zero_point_stride, 0.0f, j, left);
            const v x = (load_columns<Isa>(whole, j) - zero) * scale;
            select(mask<Isa>::first(left < 0 ? 0 : smaller(left, v::size)), x, v::zero())
                .store(to + j);
        }
    }
}

template <class Isa, class T> void expand(const expand_args &a) {
    if (a.n < 64) return expand_edge<Isa, T>(a);
    expand_half<Isa, T>(a, 0);
    expand_half<Isa, T>(a, 32);
}

// Integers of 8 bits are bf16 without rounding.
template <class Isa, class T> void expand_pairs(const expand_args &a) {
    using i32 = vec<s32, Isa>;
    constexpr dim_t columns = 32;
    const dim_t step = a.k_stride / elements_of<T>;
    const T *row = static_cast<const T *>(a.src);
    s32 *to = static_cast<s32 *>(a.dst);
    alignas(64) T ends[2][64] {};
    for (dim_t k = 0; k < a.k; k += 2, row += 2 * step, to += columns) {
        const T *even = row, *odd = row + step;
        if (a.n < columns || k + 1 == a.k) {
            copy_columns(row, a.n, ends[0]);
            if (k + 1 < a.k)
                copy_columns(row + step, a.n, ends[1]);
            else
                __builtin_memset(ends[1], 0, sizeof ends[1]);
            even = ends[0], odd = ends[1];
        }
        for (dim_t j = 0; j < columns; j += i32::size) {
            const i32 low = shift_right<16>(as_s32(load_columns<Isa>(even, j)));
            const i32 high = as_s32(load_columns<Isa>(odd, j)) & i32::set(s32(0xffff0000u));
            (low | high).store(to + j);
        }
    }
}

} // namespace

template <class Isa> expand_function expand_from(data_type type, bool pairs) {
    switch (type) {
    case data_type::s8: return pairs ? expand_pairs<Isa, s8> : expand<Isa, s8>;
    case data_type::u8: return pairs ? expand_pairs<Isa, u8> : expand<Isa, u8>;
    case data_type::s4:
        return pairs ? expand_pairs<Isa, nibbles<true>> : expand<Isa, nibbles<true>>;
    case data_type::u4:
        return pairs ? expand_pairs<Isa, nibbles<false>> : expand<Isa, nibbles<false>>;
    case data_type::bf16: return pairs ? nullptr : expand<Isa, bf16>;
    case data_type::f16: return pairs ? nullptr : expand<Isa, f16>;
    default: return nullptr;
    }
}

template expand_function expand_from<this_isa>(data_type, bool);

} // namespace dnnl::impl::cpu
