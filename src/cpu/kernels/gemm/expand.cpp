// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/pack.hpp"

#include "cpu/kernels/movement/movement.hpp"
#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {
namespace {

// A byte of two 4-bit elements, the first one in the low half.
template <bool Signed> struct nibbles { u8 bits; };

// Widens elements of 4 bits: lane i takes element i, shifted to the top of the lane and down again.
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
    const __m512i by = _mm512_setr_epi32(28, 24, 20, 16, 12, 8, 4, 0, 28, 24, 20, 16, 12, 8, 4, 0);
    const __m512i both =
        _mm512_mask_set1_epi32(_mm512_set1_epi32(eight[0]), __mmask16 {0xff00}, eight[1]);
    const __m512i up = _mm512_sllv_epi32(both, by);
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
template <class T> constexpr dim_t elements_of = 1;
template <bool Signed> constexpr dim_t elements_of<nibbles<Signed>> = 2;

// Copies the first n columns, at most 64, and reads nothing behind them.
template <class T> void copy_columns(const T *row, dim_t n, T *to) {
    const dim_t count = (n + elements_of<T> - 1) / elements_of<T>;
    __builtin_memcpy(to, row, std::size_t(count) * sizeof(T));
}

template <class Isa>
DNNL_INLINE vec<f32, Isa> value_of(
    const f32 *values, dim_t stride, f32 neutral, dim_t column, dim_t left) {
    using v = vec<f32, Isa>;
    if (!values) return v::set(neutral);
    if (stride == 0) return v::set(*values);
    return left <= 0 ? v::zero() : load_up_to<Isa>(values + column, left);
}

// Expands half a panel, whose scales and zero points stay in registers.
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
        if (first == 0) ask_for(row + rows_ahead * step);
#pragma GCC unroll 4
        for (int j = 0; j < count; ++j)
            ((load_columns<Isa>(row, j * v::size) - zero_point[j]) * scale[j])
                .store(to + j * v::size);
    }
}

// Expands a panel with fewer columns, row by row.
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

// Rows k, k + 1 ... of a panel's columns, where they lie or, at the ends of the matrix, in copies
// that are padded with zeros.
template <class T, int Rows> struct row_group {
    const T *row[Rows];
    DNNL_INLINE row_group(const expand_args &a, dim_t k, dim_t columns, T (&copies)[Rows][64]) {
        const dim_t step = a.k_stride / elements_of<T>;
        const T *first = static_cast<const T *>(a.src) + k * step;
        const bool whole = a.n >= columns && k + Rows <= a.k;
        for (int r = 0; r < Rows; ++r) {
            row[r] = whole ? first + r * step : copies[r];
            if (whole) continue;
            if (k + r < a.k)
                copy_columns(first + r * step, a.n, copies[r]);
            else
                __builtin_memset(copies[r], 0, sizeof copies[r]);
        }
    }
};

// Integers of 8 bits become bf16 without rounding.
template <class Isa, class T> void expand_pairs(const expand_args &a) {
    using i32 = vec<s32, Isa>;
    constexpr dim_t columns = 32;
    s32 *to = static_cast<s32 *>(a.dst);
    alignas(64) T copies[2][64] {};
    for (dim_t k = 0; k < a.k; k += 2, to += columns) {
        const row_group<T, 2> rows(a, k, columns, copies);
        const dim_t step = a.k_stride / elements_of<T>;
        const T *later = static_cast<const T *>(a.src) + (k + rows_ahead) * step;
        ask_for(later);
        ask_for(later + step);
        for (dim_t j = 0; j < columns; j += i32::size) {
            const i32 low = shift_right<16>(as_s32(load_columns<Isa>(rows.row[0], j)));
            const i32 high = as_s32(load_columns<Isa>(rows.row[1], j)) & i32::set(s32(0xffff0000u));
            (low | high).store(to + j);
        }
    }
}

// Tables for shuffles: the value of each 4-bit code, and, for the transposition of four rows of
// four bytes, which byte each byte of the result is.
template <bool Signed> DNNL_INLINE __m128i nibble_values() {
    return Signed ? _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1)
                  : _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
DNNL_INLINE __m128i transposed_bytes() {
    return _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
}

// Turns four rows of 32 elements of 4 bits into 32 groups of four bytes. Bytes of the rows that
// have the same columns come together; low halves are even columns and high halves odd ones.
template <class Isa, bool Signed>
requires(Isa::vector_bytes == 32) DNNL_INLINE
    void expand_quad(const row_group<nibbles<Signed>, 4> &rows, u8 *to) {
    const __m256i values = _mm256_broadcastsi128_si256(nibble_values<Signed>());
    const __m256i transposed = _mm256_broadcastsi128_si256(transposed_bytes());
    const __m256i order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    const __m256i low_half = _mm256_set1_epi8(15);
    for (int half = 0; half < 2; ++half, to += 64) {
        long long eight[4];
        for (int r = 0; r < 4; ++r) __builtin_memcpy(&eight[r], rows.row[r] + 8 * half, 8);
        __m256i x = _mm256_setr_epi64x(eight[0], eight[1], eight[2], eight[3]);
        x = _mm256_shuffle_epi8(_mm256_permutevar8x32_epi32(x, order), transposed);
        const __m256i even = _mm256_shuffle_epi8(values, _mm256_and_si256(x, low_half));
        const __m256i odd =
            _mm256_shuffle_epi8(values, _mm256_and_si256(_mm256_srli_epi16(x, 4), low_half));
        const __m256i low = _mm256_unpacklo_epi32(even, odd);
        const __m256i high = _mm256_unpackhi_epi32(even, odd);
        auto *out = reinterpret_cast<__m256i *>(to);
        _mm256_storeu_si256(out, _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(low, high, 0x31));
    }
}
#if defined(__AVX512BW__)
DNNL_INLINE __m128i sixteen_bytes(const void *p) {
    return _mm_loadu_si128(static_cast<const __m128i *>(p));
}
template <class Isa, bool Signed>
requires(Isa::vector_bytes == 64) DNNL_INLINE
    void expand_quad(const row_group<nibbles<Signed>, 4> &rows, u8 *to) {
    alignas(64) static constexpr std::uint16_t order[32] = {0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9,
        13, 17, 21, 25, 29, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31};
    const __m512i values = _mm512_broadcast_i32x4(nibble_values<Signed>());
    const __m512i transposed = _mm512_broadcast_i32x4(transposed_bytes());
    const __m512i low = _mm512_set1_epi8(15);
    __m512i x = _mm512_castsi128_si512(sixteen_bytes(rows.row[0]));
    x = _mm512_inserti32x4(x, sixteen_bytes(rows.row[1]), 1);
    x = _mm512_inserti32x4(x, sixteen_bytes(rows.row[2]), 2);
    x = _mm512_inserti32x4(x, sixteen_bytes(rows.row[3]), 3);
    x = _mm512_permutexvar_epi16(_mm512_load_si512(order), x);
    x = _mm512_shuffle_epi8(x, transposed);
    const __m512i even = _mm512_shuffle_epi8(values, _mm512_and_si512(x, low));
    const __m512i odd = _mm512_shuffle_epi8(values, _mm512_and_si512(_mm512_srli_epi16(x, 4), low));
    _mm512_storeu_si512(to, _mm512_unpacklo_epi32(even, odd));
    _mm512_storeu_si512(to + 64, _mm512_unpackhi_epi32(even, odd));
}
#endif

// Expands four rows of all panels, then the next four: whole cache lines of weights are read.
template <class Isa, bool Signed> void expand_quads(const expand_args &a) {
    constexpr dim_t columns = 32;
    alignas(64) nibbles<Signed> copies[4][64] {};
    expand_args panel = a;
    for (dim_t k = 0; k < a.k; k += 4) {
        for (dim_t row = k + rows_ahead; row < k + rows_ahead + 4; ++row)
            ask_for(static_cast<const u8 *>(a.src) + row * a.k_stride / 2, a.n / 2);
        for (dim_t column = 0; column < a.n; column += columns) {
            panel.src = static_cast<const u8 *>(a.src) + column / 2;
            panel.n = smaller(a.n - column, columns);
            u8 *to = static_cast<u8 *>(a.dst) + column / columns * a.panel_bytes + k * columns;
            expand_quad<Isa>(row_group<nibbles<Signed>, 4>(panel, k, columns, copies), to);
            if (a.column_sums)
                add_column_sums<Isa>({to, Signed ? data_type::s8 : data_type::u8,
                    a.column_sums + column, panel.n, 4, 4, 1, 1, 0});
        }
    }
}

} // namespace

template <class Isa> expand_function expand_from(data_type type, data_type panel) {
    const bool pairs = panel == data_type::bf16, floats = panel == data_type::f32;
    const auto of = [=]<class T>(T) -> expand_function {
        return pairs ? expand_pairs<Isa, T> : floats ? expand<Isa, T> : nullptr;
    };
    switch (type) {
    case data_type::s8: return of(s8 {});
    case data_type::u8: return of(u8 {});
    case data_type::s4:
        return panel == data_type::s8 ? expand_quads<Isa, true> : of(nibbles<true> {});
    case data_type::u4:
        return panel == data_type::u8 ? expand_quads<Isa, false> : of(nibbles<false> {});
    case data_type::f8_e5m2: return of(code<data_type::f8_e5m2> {});
    case data_type::f8_e4m3: return of(code<data_type::f8_e4m3> {});
    case data_type::bf16: return floats ? expand<Isa, bf16> : nullptr;
    case data_type::f16: return floats ? expand<Isa, f16> : nullptr;
    default: return nullptr;
    }
}

template expand_function expand_from<this_isa>(data_type, data_type);

} // namespace dnnl::impl::cpu
