// SPDX-License-Identifier: Apache-2.0
// Binary and sum on rows; see elementwise_kernels.hpp. Where all tensors are f32 a loop of its own
// reads them in place (all of bf16: bf16_rows.cpp). Other types are converted in registers, s32 and
// select in pieces in L1; results for an epilogue wait in L1, too.
#include "cpu/kernels/elementwise/any_row.hpp"
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/eltwise.hpp"

namespace dnnl::impl::cpu {

// ---- Bytes widened to 16 bits, in which sums, differences and products of them are exact ----

#if defined(__AVX512BW__)
template <class T> DNNL_INLINE __m512i words_of_bytes(const T *p, __m512i) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
    return __is_same(T, u8) ? _mm512_cvtepu8_epi16(x) : _mm512_cvtepi8_epi16(x);
}
template <class T> DNNL_INLINE void store_words(T *p, __m512i x) {
    const __m512i low = _mm512_max_epi16(x, _mm512_setzero_si512());
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p),
        __is_same(T, u8) ? _mm512_cvtusepi16_epi8(low) : _mm512_cvtsepi16_epi8(x));
}
#endif
template <class T> DNNL_INLINE __m256i words_of_bytes(const T *p, __m256i) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
    return __is_same(T, u8) ? _mm256_cvtepu8_epi16(x) : _mm256_cvtepi8_epi16(x);
}
template <class T> DNNL_INLINE void store_words(T *p, __m256i x) {
    const __m256i both = __is_same(T, u8) ? packus_epi16(x, x) : packs_epi16(x, x);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(p), half(_mm256_permute4x64_epi64(both, 0x08), 0));
}

/// load(p) widens `size` bytes, with their sign if they have one; store(p) saturates to p's type.
template <class Isa> struct words {
    static constexpr int bytes = Isa::vector_bytes;
    static constexpr dim_t size = bytes / 2;
    typename registers<bytes>::integers v;
    DNNL_INLINE static words set(int x) {
        return {registers<bytes>::set(static_cast<s32>((x & 0xffffu) * 0x10001u))};
    }
    template <is_byte T> DNNL_INLINE static words load(const T *p) {
        return {words_of_bytes(p, words {}.v)};
    }
    template <is_byte T> DNNL_INLINE void store(T *p) const { store_words(p, v); }
    DNNL_INLINE friend words operator+(words a, words b) { return {add_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words operator-(words a, words b) { return {sub_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words operator*(words a, words b) { return {mullo_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words max(words a, words b) { return {max_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words min(words a, words b) { return {min_epi16(a.v, b.v)}; }
    DNNL_INLINE friend words min_unsigned(words a, words b) { return {min_epu16(a.v, b.v)}; }
};

namespace {

// ---- All of f32 ----

// dst[i] = f(a[i], b[i]), or f(a[i], b[0])
template <class Isa, bool Broadcasts>
[[gnu::flatten]] void combine_f32(
    algorithm alg, const f32 *a, const f32 *b, f32 *dst, dim_t n, bool past) {
    using v = vec<f32, Isa>;
    const v all = v::set(*b);
    with_binary<Isa>(alg, [&](auto f) {
        for (dim_t i = 0; i < n; i += v::size) {
            const v x = load_up_to<Isa>(a + i, n - i);
            const v y = Broadcasts ? all : load_up_to<Isa>(b + i, n - i);
            store_up_to(dst + i, f(x, y), n - i, past);
        }
    });
}
template <class Isa> void run_f32(const row_tile &t, algorithm alg) {
    for (dim_t row = 0; row < t.rows; ++row) {
        const f32 *a = element_as<const f32>(t.src[0], row);
        const f32 *b = element_as<const f32>(t.src[1], row);
        f32 *dst = element_as<f32>(t.dst, row);
        t.src[1].column == 0 ? combine_f32<Isa, true>(alg, a, b, dst, t.columns, t.passes(dst))
                             : combine_f32<Isa, false>(alg, a, b, dst, t.columns, t.passes(dst));
    }
    if (t.past) _mm_sfence();
}

// ---- Of any types ----

// out[i] = f(a[i], b[i]), n a multiple of the size of `vectors`; A, B and Out may be any_type.
template <class Isa, class A, class B, class Out>
[[gnu::noinline]] void combine(algorithm alg, const any_source<Isa> &a, const any_source<Isa> &b,
    const any_destination<Isa> &out, dim_t n) {
    vectors<Isa> all_a {}, all_b {};
    if (a.stride == 0) all_a = a.all();
    if (b.stride == 0) all_b = b.all();
    for (dim_t i = 0; i < n; i += vectors<Isa>::size) {
        vectors<Isa> x = a.stride == 0 ? all_a : a.template at<A>(i);
        const vectors<Isa> y = b.stride == 0 ? all_b : b.template at<B>(i);
        with_binary<Isa>(
            alg, [&](auto f) __attribute__((always_inline)) { x = x.map(f, y); });
        out.template store<Out>(i, x);
    }
}

// Calls f(T {}) for s8 and u8.
template <class F> DNNL_INLINE void with_byte(data_type type, const F &f) {
    type == data_type::s8 ? f(s8 {}) : f(u8 {});
}

// Calls apply(f) for the algorithms whose result for two bytes 16 bits hold exactly. Returns false
// for the others.
template <class Isa, class Apply> DNNL_INLINE bool with_words(algorithm alg, const Apply &apply) {
    using w = words<Isa>;
    switch (alg) {
    case algorithm::binary_add: apply([](w x, w y) { return x + y; }); return true;
    case algorithm::binary_sub: apply([](w x, w y) { return x - y; }); return true;
    case algorithm::binary_mul: apply([](w x, w y) { return x * y; }); return true;
    case algorithm::binary_max: apply([](w x, w y) { return max(x, y); }); return true;
    case algorithm::binary_min: apply([](w x, w y) { return min(x, y); }); return true;
    default: return false;
    }
}

// out[i] = f(a[i], b[i]), or f(a[i], b[0]), in 16 bits. Returns false, with nothing done, for
// algorithms that 16 bits are too few for.
template <class Isa, class A, class B, class Out>
[[gnu::flatten]] bool combine_bytes(
    algorithm alg, const A *a, const B *b, bool varies, Out *out, dim_t n) {
    // Only a product of two u8 may exceed s16: it is limited to 255 as an unsigned word.
    const bool of_u8 = alg == algorithm::binary_mul && __is_same(A, u8) && __is_same(B, u8);
    using w = words<Isa>;
    const w all = w::set(*b), most = w::set(of_u8 ? 255 : -1);
    return with_words<Isa>(alg, [&](auto f) {
        for (dim_t i = 0; i < n; i += w::size) {
            const w y = f(w::load(a + i), varies ? w::load(b + i) : all);
            min_unsigned(y, most).store(out + i);
        }
    });
}

template <class Isa>
void combine_whole(algorithm alg, const any_source<Isa> &a, const any_source<Isa> &b,
    const any_destination<Isa> &out, dim_t n) {
    if (!is_byte_type(a.type) || !is_byte_type(b.type) || !is_byte_type(out.type))
        return combine<Isa, any_type, any_type, any_type>(alg, a, b, out, n);
    const bool adjacent = a.stride == 1 && !a.is_scaled && !b.is_scaled;
    with_byte(a.type, [&](auto of_a) {
        with_byte(b.type, [&](auto of_b) {
            with_byte(out.type, [&](auto of_out) {
                using A = decltype(of_a);
                using B = decltype(of_b);
                using Out = decltype(of_out);
                if (!adjacent || !combine_bytes<Isa>(alg, reinterpret_cast<const A *>(a.data),
                                     reinterpret_cast<const B *>(b.data), b.stride != 0,
                                     reinterpret_cast<Out *>(out.data), n))
                    combine<Isa, A, B, Out>(alg, a, b, out, n);
            });
        });
    });
}

// The same for any n and strides: the last n % vectors::size elements, and all elements of rows
// that are neither adjacent nor broadcast, go through copies.
template <class Isa>
void combine_any(algorithm alg, const any_source<Isa> &a, const any_source<Isa> &b,
    const any_destination<Isa> &out, dim_t n) {
    constexpr dim_t size = vectors<Isa>::size, most = 4;
    const dim_t whole = a.stride <= 1 && b.stride <= 1 ? n / size * size : 0;
    if (whole > 0) combine_whole(alg, a, b, out, whole);
    alignas(64) char a_left[row_piece * most], b_left[row_piece * most], left[row_piece * most];
    for (dim_t i = whole; i < n; i += row_piece) {
        const dim_t count = smaller(row_piece, n - i);
        combine_whole(alg, a.gathered(i, count, a_left), b.gathered(i, count, b_left),
            any_destination<Isa> {left, out.type}, (count + size - 1) / size * size);
        out.copy(i, count, left);
    }
}

// n elements of source s times its scale; the buffer has room for whole vectors.
template <class Isa, class Value>
const Value *scaled_values(const row_tile &t, const binary_args &a, int s, dim_t row, dim_t column,
    dim_t n, Value *buffer) {
    const Value *x = values_of<Isa>(t.src[s], row, column, n, buffer);
    if constexpr (is_whole<Value>)
        return x;
    else {
        using v = vec<f32, Isa>;
        if (a.scale[s] == 1.0f) return x;
        for (dim_t i = 0; i < n; i += v::size)
            (load_up_to<Isa>(x + i, n - i) * v::set(a.scale[s])).store(buffer + i);
        return buffer;
    }
}

// Computes `rows` rows from `row` on, which together are a piece, and finishes them.
template <class Isa>
void run_rows(const row_tile &t, const binary_args &args, dim_t row, dim_t rows) {
    alignas(64) f32 a_buffer[row_piece], b_buffer[row_piece], results[row_piece];
    const dim_t n = t.columns;
    for (dim_t r = 0; r < rows; ++r) {
        const f32 *a = scaled_values<Isa>(t, args, 0, row + r, 0, n, a_buffer);
        const f32 *b = scaled_values<Isa>(t, args, 1, row + r, 0, n, b_buffer);
        combine_f32<Isa, false>(args.alg, a, b, results + r * n, n, false);
    }
    finish_rows<Isa>(t, results, rows, row);
}

template <class Isa> void run_any(const row_tile &t, const binary_args &args) {
    const auto is_f32 = [&](const row_tensor &x) { return x.type == data_type::f32; };
    if (!t.finish && is_f32(t.dst) && is_f32(t.src[0]) && is_f32(t.src[1]) &&
        t.src[0].column == 1 && t.src[1].column <= 1 && args.scale[0] == 1.0f &&
        args.scale[1] == 1.0f)
        return run_f32<Isa>(t, args.alg);
    alignas(64) f32 results[row_piece];
    dim_t rows = 1;
    for (dim_t row = 0; row < t.rows; row += rows) {
        rows = rows_at_once(t, row);
        if (rows > 1) {
            run_rows<Isa>(t, args, row, rows);
            continue;
        }
        const auto source = [&](int s, dim_t column) {
            return any_source<Isa>(
                element(t.src[s], row, column), t.src[s].type, t.src[s].column, args.scale[s]);
        };
        if (!t.finish) {
            combine_any<Isa>(args.alg, source(0, 0), source(1, 0),
                {element(t.dst, row, 0), t.dst.type}, t.columns);
            continue;
        }
        for (dim_t column = 0; column < t.columns; column += row_piece) {
            const dim_t n = smaller(row_piece, t.columns - column);
            combine_any<Isa>(args.alg, source(0, column), source(1, column),
                {reinterpret_cast<char *>(results), data_type::f32}, n);
            finish_row<Isa>(t, results, n, row, column);
        }
    }
}

// ---- Integers of 32 bits ----

template <class Isa> void run_s32(const row_tile &t, const binary_args &args) {
    alignas(64) s32 a_buffer[row_piece], b_buffer[row_piece], results[row_piece];
    for (dim_t row = 0; row < t.rows; ++row)
        for (dim_t column = 0; column < t.columns; column += row_piece) {
            const dim_t n = smaller(row_piece, t.columns - column);
            s32 *out = results_at(t, row, column, results);
            const s32 *a = values_of<Isa>(t.src[0], row, column, n, a_buffer);
            const s32 *b = values_of<Isa>(t.src[1], row, column, n, b_buffer);
            with_binary<Isa, s32>(args.alg, [=](auto f) {
                for_vectors<Isa>(n, [&](dim_t i, dim_t m) {
                    store_up_to(out + i,
                        f(load_up_to<Isa, s32>(a + i, m), load_up_to<Isa, s32>(b + i, m)), m);
                });
            });
            finish_row<Isa>(t, out, n, row, column);
        }
}

// ---- Select ----

template <class Isa, class Value>
void choose(const s32 *which, const Value *a, const Value *b, Value *out, dim_t n) {
    for_vectors<Isa>(n, [&](dim_t i, dim_t m) {
        const auto first = load_up_to<Isa, s32>(which + i, m) != vec<s32, Isa>::zero();
        const auto x = load_up_to<Isa, Value>(a + i, m), y = load_up_to<Isa, Value>(b + i, m);
        store_up_to(out + i, select(first, x, y), m);
    });
}

template <class Isa, class Value> void run_select(const row_tile &t, const binary_args &args) {
    alignas(64) Value a_buffer[row_piece], b_buffer[row_piece], results[row_piece];
    alignas(64) s32 which_buffer[row_piece];
    for (dim_t row = 0; row < t.rows; ++row)
        for (dim_t column = 0; column < t.columns; column += row_piece) {
            const dim_t n = smaller(row_piece, t.columns - column);
            Value *out = results_at(t, row, column, results);
            const Value *a = scaled_values<Isa>(t, args, 0, row, column, n, a_buffer);
            const Value *b = scaled_values<Isa>(t, args, 1, row, column, n, b_buffer);
            choose<Isa>(values_of<Isa>(t.src[2], row, column, n, which_buffer), a, b, out, n);
            finish_row<Isa>(t, out, n, row, column);
        }
}

// ---- f64 ----

// dst = f(src[0] * scale[0], src[1] * scale[1]) in f64.
template <class Isa, class F> void map_f64(const row_tile &t, const binary_args &args, const F &f) {
    const double scale0 = args.scale[0], scale1 = args.scale[1];
    for (dim_t row = 0; row < t.rows; ++row) {
        const auto *a = element_as<const double>(t.src[0], row);
        const auto *b = element_as<const double>(t.src[1], row);
        auto *dst = element_as<double>(t.dst, row);
        const dim_t a_step = t.src[0].column, b_step = t.src[1].column;
        if (a_step == 1 && b_step == 1)
            for (dim_t i = 0; i < t.columns; ++i) dst[i] = f(a[i] * scale0, b[i] * scale1);
        else
            for (dim_t i = 0; i < t.columns; ++i)
                dst[i] = f(a[i * a_step] * scale0, b[i * b_step] * scale1);
    }
}

template <class Isa> void choose_f64(const row_tile &t, const binary_args &args) {
    for (dim_t row = 0; row < t.rows; ++row)
        for (dim_t i = 0; i < t.columns; ++i) {
            const int s = *element(t.src[2], row, i) == 0;
            *element_as<double>(t.dst, row, i) =
                *element_as<double>(t.src[s], row, i) * double(args.scale[s]);
        }
}

template <class Isa> void run_f64(const row_tile &t, const binary_args &a) {
    using d = double;
    const auto map = [&](auto f) { map_f64<Isa>(t, a, f); };
    switch (a.alg) {
    case algorithm::binary_add: return map([](d x, d y) { return x + y; });
    case algorithm::binary_sub: return map([](d x, d y) { return x - y; });
    case algorithm::binary_mul: return map([](d x, d y) { return x * y; });
    case algorithm::binary_div: return map([](d x, d y) { return x / y; });
    case algorithm::binary_max: return map([](d x, d y) { return x > y ? x : y; });
    case algorithm::binary_min: return map([](d x, d y) { return x < y ? x : y; });
    case algorithm::binary_ge: return map([](d x, d y) { return d(x >= y); });
    case algorithm::binary_gt: return map([](d x, d y) { return d(x > y); });
    case algorithm::binary_le: return map([](d x, d y) { return d(x <= y); });
    case algorithm::binary_lt: return map([](d x, d y) { return d(x < y); });
    case algorithm::binary_eq: return map([](d x, d y) { return d(x == y); });
    case algorithm::binary_ne: return map([](d x, d y) { return d(x != y); });
    case algorithm::binary_select: return choose_f64<Isa>(t, a);
    case algorithm::undef: DNNL_CASES_OF_ELTWISE DNNL_CASES_OF_DST break;
    }
}

// ---- Sum ----

// Sums in f64 of the lanes of a vector of f32.
template <class Isa, int Bytes = Isa::vector_bytes> struct wide_sums;
template <class Isa> struct wide_sums<Isa, 32> {
    __m256d low = _mm256_setzero_pd(), high = low;
    DNNL_INLINE void add(vec<f32, Isa> x, double scale) {
        const __m256d factor = _mm256_set1_pd(scale);
        const __m128 x_low = _mm256_castps256_ps128(x.v), x_high = _mm256_extractf128_ps(x.v, 1);
        low = _mm256_fmadd_pd(_mm256_cvtps_pd(x_low), factor, low); // the product is exact
        high = _mm256_fmadd_pd(_mm256_cvtps_pd(x_high), factor, high);
    }
    DNNL_INLINE vec<f32, Isa> rounded() const {
        return {_mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low))};
    }
};
#if defined(__AVX512F__)
template <class Isa> struct wide_sums<Isa, 64> {
    __m512d low = _mm512_setzero_pd(), high = low;
    DNNL_INLINE void add(vec<f32, Isa> x, double scale) {
        const __m512d factor = _mm512_set1_pd(scale);
        low = _mm512_fmadd_pd(_mm512_cvtps_pd(low_half(x).v), factor, low);
        high = _mm512_fmadd_pd(_mm512_cvtps_pd(high_half(x).v), factor, high);
    }
    DNNL_INLINE vec<f32, Isa> rounded() const {
        return {_mm512_insertf32x8(
            _mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1)};
    }
};
#endif

// Stores the sums of the n elements of row r from column c on.
template <class Isa>
void sum_piece(const sum_args &a, dim_t r, dim_t c, dim_t n, const any_destination<Isa> &out) {
    constexpr dim_t size = vectors<Isa>::size;
    alignas(64) char adjacent[size * 4];
    for (dim_t i = 0; i < n; i += size) {
        wide_sums<Isa> sums[4];
        for (int s = 0; s < a.count; ++s) {
            const row_tensor &t = a.srcs[s];
            any_source<Isa> source(element(t, r, c + i), t.type, t.column, 1.0f);
            if (n - i < size || t.column != 1) {
                gather_elements<Isa>(
                    source.data, source.bytes, t.column, smaller(size, n - i), adjacent);
                source.data = adjacent;
            }
            const vectors<Isa> x = source.at(0);
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) sums[k].add(x.x[k], a.scales[s]);
        }
        const vectors<Isa> y {
            {sums[0].rounded(), sums[1].rounded(), sums[2].rounded(), sums[3].rounded()}};
        if (n - i >= size) {
            out.store(i, y);
        } else {
            any_destination<Isa> {adjacent, out.type}.store(0, y);
            out.copy(i, n - i, adjacent);
        }
    }
}

// Converts n elements of x into row r of dst, from column c on; its elements are not adjacent.
template <class Isa> void scatter(const row_tensor &dst, dim_t r, dim_t c, const f32 *x, dim_t n) {
    copy_tile_args scattered {};
    scattered.src = x;
    scattered.dst = element(dst, r, c);
    scattered.rows = 1;
    scattered.columns = n;
    scattered.src_column = 1;
    scattered.dst_column = dst.column;
    scattered.src_type = data_type::f32;
    scattered.dst_type = dst.type;
    scattered.through_f32 = true;
    copy_tile<Isa>(scattered);
}

} // namespace

template <class Isa> void binary_rows(const row_tile &tile, const binary_args &args) {
    const bool selects = args.alg == algorithm::binary_select;
    if (tile.dst.type == data_type::f64)
        run_f64<Isa>(tile, args);
    else if (args.integer)
        selects ? run_select<Isa, s32>(tile, args) : run_s32<Isa>(tile, args);
    else
        selects ? run_select<Isa, f32>(tile, args) : run_any<Isa>(tile, args);
}

template <class Isa> void sum_tile(const sum_args &a) {
    alignas(64) f32 x[row_piece];
    for (dim_t r = 0; r < a.rows; ++r)
        for (dim_t c = 0; c < a.columns; c += row_piece) {
            const dim_t n = smaller(row_piece, a.columns - c);
            if (a.dst.column == 1) {
                sum_piece<Isa>(a, r, c, n, {element(a.dst, r, c), a.dst.type});
            } else {
                sum_piece<Isa>(a, r, c, n, {reinterpret_cast<char *>(x), data_type::f32});
                scatter<Isa>(a.dst, r, c, x, n);
            }
        }
}

template void binary_rows<this_isa>(const row_tile &, const binary_args &);
template void sum_tile<this_isa>(const sum_args &);

} // namespace dnnl::impl::cpu
