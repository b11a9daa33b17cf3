// SPDX-License-Identifier: Apache-2.0
// The sums of convolutions of groups; see grouped.hpp. A tile of pixels keeps one vector of sums
// for each pixel in registers.
#include "cpu/kernels/convolution/grouped.hpp"

#include "cpu/simd/dot_bytes.hpp"

namespace dnnl::impl::cpu {
namespace {

// ---- The words of a window in lanes ----

// Gives lane l word order[l].
template <class Isa>
DNNL_INLINE vec<s32, Isa, 32> permuted(vec<s32, Isa, 32> x, vec<s32, Isa, 32> order) {
    return {_mm256_permutevar8x32_epi32(x.v, order.v)};
}
#if defined(__AVX512F__)
template <class Isa>
DNNL_INLINE vec<s32, Isa, 64> permuted(vec<s32, Isa, 64> x, vec<s32, Isa, 64> order) {
    return {_mm512_permutexvar_epi32(order.v, x.v)};
}
#endif

// Loads the first Words lanes; the others are not used.
template <class Isa, int Words> DNNL_INLINE vec<s32, Isa> load_words(const char *p) {
    using words = vec<s32, Isa>;
    if constexpr (Words == words::size)
        return words::load(reinterpret_cast<const s32 *>(p));
    else if constexpr (Words == 1)
        return words::set(four_bytes(p));
    else if constexpr (words::size == 8)
        return {_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)))};
#if defined(__AVX512F__)
    else if constexpr (Words == 8)
        return {_mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)))};
    else
        return {_mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)))};
#endif
}

// ---- Products ----

// Multiplies f32 by weights of type W, which are widened.
template <class Isa_, class W> struct float_core {
    using Isa = Isa_;
    using sum = vec<f32, Isa>;
    using element = f32;
    static constexpr dim_t weight_bytes = sizeof(W);
    static constexpr int most_pixels = Isa::vector_registers == 32 ? 14 : 8;
    DNNL_INLINE static sum source(vec<s32, Isa> x) { return as_f32(x); }
    DNNL_INLINE static sum weights(const char *p, dim_t lanes) {
        return load_up_to<Isa>(reinterpret_cast<const W *>(p), lanes);
    }
    DNNL_INLINE static sum step(sum c, sum a, sum b) { return fma(a, b, c); }
};

// Multiplies words of two bf16 or four bytes.
template <class Isa_, class A, class B, class Element> struct word_core {
    using Isa = Isa_;
    using D = dot<Isa, A, B>;
    using sum = typename D::acc;
    using element = Element;
    static constexpr bool widens = __is_same(B, s8) && !Isa::vnni;
    static constexpr dim_t weight_bytes = 4;
    static constexpr int most_pixels =
        Isa::vector_registers == 32 ? (widens ? 8 : 14) : (widens ? 4 : 8);
    template <class T> DNNL_INLINE static auto ready(vec<s32, Isa> x) {
        if constexpr (widens)
            return widen_bytes<Isa>(x, T {});
        else
            return x;
    }
    DNNL_INLINE static auto source(vec<s32, Isa> x) { return ready<A>(x); }
    DNNL_INLINE static auto weights(const char *p, dim_t lanes) {
        return ready<B>(load_up_to<Isa, s32>(reinterpret_cast<const s32 *>(p), lanes));
    }
    template <class X, class Y> DNNL_INLINE static sum step(sum c, X a, Y b) {
        return D::step(c, a, b);
    }
};

// ---- Tiles ----

// Multiplies T taps whose pixels follow each other: pixel i of the source is that of tap k for sum
// i - k. NV vectors of one group share the words.
template <class Core, int Words, int T, int P, int NV>
DNNL_INLINE void add_taps(typename Core::sum (&c)[P][NV], const grouped_args &call,
    const grouped_taps &taps, dim_t pixel) {
    using Isa = typename Core::Isa;
    using words = vec<s32, Isa>;
    const dim_t step_bytes = 4 * (Words == 1 ? call.pixel_words : dim_t {Words});
    const char *source =
        static_cast<const char *>(taps.source) + call.source_bytes + pixel * step_bytes;
    const dim_t row_bytes = call.lanes * Core::weight_bytes, tap_bytes = call.steps * row_bytes;
    const char *weights = static_cast<const char *>(call.weights) + taps.first * tap_bytes;
    const dim_t next = taps.step * tap_bytes, at = call.first + pixel;
    int outside = (at < taps.begin) | (at + P + T - 2 >= taps.end) << 1;
    for (dim_t s = 0; s < call.steps; ++s, weights += row_bytes) {
        decltype(Core::weights(weights, 0)) w[T][NV];
#pragma GCC unroll 3
        for (int k = 0; k < T; ++k) {
#pragma GCC unroll 2
            for (int j = 0; j < NV; ++j)
                w[k][j] = Core::weights(weights + k * next + j * call.vector_bytes, call.lanes);
        }
        __asm__("" : "+r"(outside)); // no instruction: else GCC makes four loops
        const words lanes = Words == 1 ? words::zero() : words::load(call.order + s * words::size);
        const char *from = source + (Words == 1 ? 4 * s : 0);
#pragma GCC unroll 16
        for (int i = 0; i < P + T - 1; ++i) {
            if constexpr (Words == 1 && T > 1)
                if ((i == 0 && outside & 1) || (i == P + T - 2 && outside & 2)) continue;
            words x = load_words<Isa, Words>(from + i * step_bytes);
            if constexpr (Words > 1) x = permuted(x, lanes);
            const auto a = Core::source(x);
#pragma GCC unroll 3
            for (int k = 0; k < T; ++k) {
                if (i < k || i - k >= P) continue;
#pragma GCC unroll 2
                for (int j = 0; j < NV; ++j) c[i - k][j] = Core::step(c[i - k][j], a, w[k][j]);
            }
        }
    }
}

template <class Core, int Words, int NV, int P>
void tile(const grouped_args &call, dim_t pixel, dim_t pixels) {
    using sum = typename Core::sum;
    sum c[P][NV];
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < NV; ++j) c[i][j] = sum::zero();
    }
    const grouped_taps *end = call.taps + call.count;
    for (const grouped_taps *taps = call.taps; taps != end; ++taps)
        if (taps->count == 3)
            add_taps<Core, Words, 3>(c, call, *taps, pixel);
        else if (taps->count == 2)
            add_taps<Core, Words, 2>(c, call, *taps, pixel);
        else
            add_taps<Core, Words, 1>(c, call, *taps, pixel);
    auto *to = static_cast<typename Core::element *>(call.sums) + pixel * call.sums_step;
#pragma GCC unroll 16
    for (int i = 0; i < P; ++i) {
        if (i >= pixels) continue;
#pragma GCC unroll 2
        for (int j = 0; j < NV; ++j) c[i][j].store(to + i * call.sums_step + j * sum::size);
    }
}

// Computes tiles of the most pixels, then the smallest tile that has as many as are left.
template <class Core, int Words, int NV = 1> void line(const grouped_args &call) {
    constexpr int most = NV == 1 || Core::most_pixels < 8 ? Core::most_pixels
                         : Core::most_pixels == 8         ? 4
                                                          : 8;
    for (dim_t pixel = 0; pixel < call.pixels;) {
        const dim_t left = call.pixels - pixel;
        const dim_t n = left >= most ? most : left >= 8 ? 8 : left;
        if (n > 8)
            tile<Core, Words, NV, most>(call, pixel, n);
        else if (n == 8)
            tile < Core, Words, NV, most<8 ? most : 8>(call, pixel, n);
        else if (n > 4)
            tile < Core, Words, NV, most<8 ? most : 7>(call, pixel, n);
        else if (n > 2)
            tile<Core, Words, NV, 4>(call, pixel, n);
        else
            tile<Core, Words, NV, 2>(call, pixel, n);
        pixel += n;
    }
}

template <class Core> void any_line(const grouped_args &call) {
    constexpr int size = vec<s32, typename Core::Isa>::size;
    if (call.vectors == 2) return line<Core, 1, 2>(call);
    if (!call.order) return line<Core, 1>(call);
    if (call.pixel_words == 4) return line<Core, 4>(call);
    if constexpr (size == 16)
        if (call.pixel_words == 8) return line<Core, 8>(call);
    line<Core, size>(call);
}

} // namespace

template <class Isa> void grouped(const grouped_args &call) {
#if defined(__AVX512BF16__)
    return any_line<word_core<Isa, bf16, bf16, f32>>(call);
#else
    if (call.source_type == data_type::u8) return any_line<word_core<Isa, u8, s8, s32>>(call);
#if !defined(__AVXVNNI__) && !defined(__AVX512VNNI__) // the levels above change integers only
    if (call.weights_type == data_type::bf16) return any_line<float_core<Isa, bf16>>(call);
    if (call.weights_type == data_type::f16) return any_line<float_core<Isa, f16>>(call);
    return any_line<float_core<Isa, f32>>(call);
#endif
#endif
}

template void grouped<this_isa>(const grouped_args &);

} // namespace dnnl::impl::cpu
