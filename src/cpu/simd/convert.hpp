// SPDX-License-Identifier: Apache-2.0
// Loads and stores that convert between f32 vectors and the element types of memory.
//
//   load_as_f32<Isa>(p, n)  one vector from memory of f32 bf16 f16 s32 s8 u8, or of codes of
//                           f8 f4 e8m0 s4 u4, one per byte
//   load_as_s32<Isa>(p, n)  from s32 s8 u8 s4 u4
//   store_as(p, x, n)       an f32 vector, converted to the element type of p; an s32 vector to
//                           s32, or saturated to s8, u8, s4 and u4
//
// n is a number of lanes, 0 <= n <= size: the others do not touch memory and load as zero. Without
// n all lanes do.
//
// Rounding is to nearest even. Integers saturate and NaN becomes 0. bf16 and f16 keep subnormal
// values, infinities and the sign of zero; a NaN stays a quiet NaN. Where values beyond the range
// of f8, f4 and e8m0 and their NaN go, common/layout/data_type.hpp says.
#pragma once

#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

// ---- The element types that kernels read and write ----

/// An element of at most 8 bits that is no C++ integer: storage only, converted to f32 or s32 to
/// compute. Kernels have those of 4 bits one per byte, in its low half.
template <data_type Type> struct code {
    static constexpr data_type type = Type;
    u8 bits;
};

/// The type of an element that kernels compute with.
template <class T> inline constexpr data_type type_of = data_type::f32;
template <> inline constexpr data_type type_of<bf16> = data_type::bf16;
template <> inline constexpr data_type type_of<f16> = data_type::f16;
template <> inline constexpr data_type type_of<s32> = data_type::s32;
template <> inline constexpr data_type type_of<s8> = data_type::s8;
template <> inline constexpr data_type type_of<u8> = data_type::u8;

/// True for s32 and narrower integers, whose values s32 holds without rounding.
DNNL_INLINE constexpr bool is_integer_type(data_type type) {
    return type == data_type::s32 || type == data_type::s8 || type == data_type::u8 ||
           type == data_type::s4 || type == data_type::u4;
}

DNNL_INLINE constexpr bool is_byte_type(data_type t) {
    return t == data_type::s8 || t == data_type::u8;
}

/// The type that elements of T are computed in: s32 where they are s32, s8 or u8, else f32.
template <class T>
inline constexpr bool is_whole = __is_same(T, s32) || __is_same(T, s8) || __is_same(T, u8);
template <bool Whole> struct computed_type { using type = f32; };
template <> struct computed_type<true> { using type = s32; };
template <class T> using value_of = typename computed_type<is_whole<T>>::type;

/// Calls f(T {}), T being the element type of memory of `type`: f32, bf16 or f16.
template <class F> DNNL_INLINE void with_float(data_type type, const F &f) {
    switch (type) {
    case data_type::bf16: return f(bf16 {});
    case data_type::f16: return f(f16 {});
    default: return f(f32 {});
    }
}
/// The same for the types of activations: s32 s8 u8 f8_e5m2 f8_e4m3, too.
template <class F> DNNL_INLINE void with_activation(data_type type, const F &f) {
    switch (type) {
    case data_type::s32: return f(s32 {});
    case data_type::s8: return f(s8 {});
    case data_type::u8: return f(u8 {});
    case data_type::f8_e5m2: return f(code<data_type::f8_e5m2> {});
    case data_type::f8_e4m3: return f(code<data_type::f8_e4m3> {});
    default: return with_float(type, f);
    }
}
/// The same for any type but f64 and boolean.
template <class F> DNNL_INLINE void with_element(data_type type, const F &f) {
    switch (type) {
    case data_type::e8m0: return f(code<data_type::e8m0> {});
    case data_type::f4_e2m1: return f(code<data_type::f4_e2m1> {});
    case data_type::s4: return f(code<data_type::s4> {});
    case data_type::u4: return f(code<data_type::u4> {});
    default: return with_activation(type, f);
    }
}

template <class Isa> DNNL_INLINE vec<f32, Isa> as_float(vec<f32, Isa> x) { return x; }
template <class Isa> DNNL_INLINE vec<f32, Isa> as_float(vec<s32, Isa> x) { return to_f32(x); }

// Rounds x, which is no NaN, to bf16, whose bits are the high half of each lane; the low half is
// arbitrary. The instruction for this flushes subnormal values, so integers are computed with.
template <class Isa> DNNL_INLINE vec<s32, Isa> rounded_to_bf16(vec<f32, Isa> x) {
    using i32 = vec<s32, Isa>;
    const i32 bits = as_s32(x);
    return bits + i32::set(0x7fff) + (shift_right<16>(bits) & i32::set(1));
}
#if defined(__AVX512BF16__)
template <class Isa> DNNL_INLINE __mmask16 subnormal_lanes(vec<f32, Isa> x) {
    return _mm512_fpclass_ps_mask(x.v, 0x20);
}
// The bf16 of x, then those of y, by the instruction, which makes zeros of subnormal numbers. In
// asm for the reason given in dot_bytes.hpp.
template <class Isa> DNNL_INLINE __m512i bf16_of_normal(vec<f32, Isa> x, vec<f32, Isa> y) {
    __m512i both;
    asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both) : "v"(y.v), "v"(x.v));
    return both;
}
#endif
// Returns the bits of bf16(x) in the low half of each lane; the high half is zero.
template <class Isa> DNNL_INLINE vec<s32, Isa> bf16_bits(vec<f32, Isa> x) {
    using i32 = vec<s32, Isa>;
    const i32 rounded = shift_right<16>(rounded_to_bf16(x));
    const i32 quiet = shift_right<16>(as_s32(x)) | i32::set(0x40);
    return select(is_nan(x), quiet, rounded);
}

// ---- Elements of at most 8 bits: between the code in each s32 lane and its value ----

// Clamps x to [low, high] and rounds it to nearest even; NaN gives 0.
template <class Isa> DNNL_INLINE vec<s32, Isa> to_s32_clamped(vec<f32, Isa> x, f32 low, f32 high) {
    using v = vec<f32, Isa>;
    const vec<s32, Isa> rounded = to_s32_round(min(max(x, v::set(low)), v::set(high)));
    return select(is_nan(x), vec<s32, Isa>::zero(), rounded);
}

// A type with a sign, an exponent with a bias and MantissaBits, with subnormal values. Codes above
// Largest are not numbers; Beyond is the code of a value that is too large.
template <int MantissaBits, int Bias, int SignBit, int Largest, int Beyond, int Nan>
struct small_float {
    static constexpr int mantissa_bits = MantissaBits, sign_bit = SignBit;
    static constexpr int largest = Largest, beyond = Beyond, nan = Nan;
    static constexpr int dropped_bits = 23 - MantissaBits;
    static constexpr int sign_shift = 31 - __builtin_ctz(SignBit); // to the sign bit of f32
    static constexpr int exponent_shift = 127 - Bias;
    // Steps between subnormal values: 1 / steps_per_one.
    static constexpr f32 steps_per_one = static_cast<f32>(1 << (Bias + MantissaBits - 1));
};

template <data_type T> struct small_float_of;
template <>
struct small_float_of<data_type::f8_e5m2> : small_float<2, 15, 0x80, 0x7b, 0x7c, 0x7e> {};
template <>
struct small_float_of<data_type::f8_e4m3> : small_float<3, 7, 0x80, 0x7e, 0x7f, 0x7f> {};
template <>
struct small_float_of<data_type::f16> : small_float<10, 15, 0x8000, 0x7bff, 0x7c00, 0x7e00> {};
template <> struct small_float_of<data_type::f4_e2m1> : small_float<1, 1, 8, 7, 7, 7> {};

template <class Isa, data_type T> DNNL_INLINE vec<f32, Isa> small_float_to_f32(vec<s32, Isa> c) {
    using format = small_float_of<T>;
    using i32 = vec<s32, Isa>;
    const i32 magnitude = c & i32::set(format::sign_bit - 1);
    const i32 sign = shift_left<format::sign_shift>(c & i32::set(format::sign_bit));
    const i32 rebiased = magnitude + i32::set(format::exponent_shift << format::mantissa_bits);
    const i32 normal = shift_left<format::dropped_bits>(rebiased);
    const i32 small = as_s32(to_f32(magnitude) * vec<f32, Isa>::set(1.0f / format::steps_per_one));
    i32 bits = select(magnitude < i32::set(1 << format::mantissa_bits), small, normal);
    if constexpr (format::largest <
                  format::sign_bit -
                      1) { // what follows the largest number: infinity and NaN, or NaN
        const i32 infinity = i32::set(0x7f800000);
        i32 special = shift_left<format::dropped_bits>(magnitude) | infinity;
        if constexpr (format::beyond == format::nan) special = i32::set(0x7fc00000);
        bits = select(magnitude > i32::set(format::largest), special, bits);
    }
    return as_f32(bits | sign);
}

template <class Isa, data_type T> DNNL_INLINE vec<s32, Isa> f32_to_small_float(vec<f32, Isa> x) {
    using format = small_float_of<T>;
    using i32 = vec<s32, Isa>;
    const i32 magnitude = as_s32(x) & i32::set(0x7fffffff);
    const i32 sign = shift_right<format::sign_shift>(as_s32(x)) & i32::set(format::sign_bit);
    const i32 rebiased = magnitude - i32::set(format::exponent_shift << 23);
    const i32 odd = shift_right<format::dropped_bits>(rebiased) & i32::set(1);
    const i32 half = i32::set((1 << (format::dropped_bits - 1)) - 1);
    const i32 normal = shift_right<format::dropped_bits>(rebiased + half + odd);
    const i32 small = to_s32_round(as_f32(magnitude) * vec<f32, Isa>::set(format::steps_per_one));
    i32 c = select(magnitude < i32::set((format::exponent_shift + 1) << 23), small, normal);
    c = select(c > i32::set(format::largest), i32::set(format::beyond), c) | sign;
    return select(is_nan(x), i32::set(format::nan) | sign, c);
}

// Code c stands for 2^(c - 127), code 255 for NaN.
template <class Isa> DNNL_INLINE vec<f32, Isa> e8m0_to_f32(vec<s32, Isa> c) {
    using i32 = vec<s32, Isa>;
    const i32 bits = select(c == i32::zero(), i32::set(0x400000), shift_left<23>(c));
    return as_f32(select(c == i32::set(0xff), i32::set(0x7fc00000), bits));
}
// The code is the exponent of f32, which has the same bias.
template <class Isa> DNNL_INLINE vec<s32, Isa> f32_to_e8m0(vec<f32, Isa> x) {
    return shift_right<23>(as_s32(x)) & vec<s32, Isa>::set(0xff);
}

// Codes of s4 are two's complement.
template <class Isa, data_type T> DNNL_INLINE vec<s32, Isa> code_to_s32(vec<s32, Isa> c) {
    static_assert(T == data_type::s4 || T == data_type::u4);
    const vec<s32, Isa> eight = vec<s32, Isa>::set(8);
    if constexpr (T == data_type::s4) return (c ^ eight) - eight;
    return c;
}
template <class Isa, data_type T> DNNL_INLINE vec<s32, Isa> s32_to_code(vec<s32, Isa> x) {
    static_assert(T == data_type::s4 || T == data_type::u4);
    using i32 = vec<s32, Isa>;
    constexpr s32 lowest = T == data_type::s4 ? -8 : 0;
    return min(max(x, i32::set(lowest)), i32::set(lowest + 15)) & i32::set(15);
}

template <class Isa, data_type T> DNNL_INLINE vec<f32, Isa> code_to_f32(vec<s32, Isa> c) {
    if constexpr (T == data_type::e8m0)
        return e8m0_to_f32<Isa>(c);
    else if constexpr (T == data_type::s4 || T == data_type::u4)
        return to_f32(code_to_s32<Isa, T>(c));
    else
        return small_float_to_f32<Isa, T>(c);
}
template <class Isa, data_type T> DNNL_INLINE vec<s32, Isa> f32_to_code(vec<f32, Isa> x) {
    if constexpr (T == data_type::e8m0)
        return f32_to_e8m0<Isa>(x);
    else if constexpr (T == data_type::s4)
        return to_s32_clamped<Isa>(x, -8.0f, 7.0f) & vec<s32, Isa>::set(15);
    else if constexpr (T == data_type::u4)
        return to_s32_clamped<Isa>(x, 0.0f, 15.0f);
    else
        return f32_to_small_float<Isa, T>(x);
}

// ---- Memory of 8-bit and 16-bit lanes: whole vectors and the first n lanes ----

template <class Isa, int Bytes = Isa::vector_bytes> struct narrow;

// In registers of 16 bytes, for vectors of 16 and of 32 bytes.
template <class Isa, int Bytes> struct narrow {
    static constexpr int size = Bytes / 4;

    template <class T> DNNL_INLINE static __m128i load(const T *p, all_lanes) {
        const auto *from = reinterpret_cast<const __m128i *>(p);
        constexpr int bytes = size * int(sizeof(T));
        return bytes == 16  ? _mm_loadu_si128(from)
               : bytes == 8 ? _mm_loadl_epi64(from)
                            : _mm_loadu_si32(from);
    }
    template <class T> DNNL_INLINE static void store(T *p, __m128i x, all_lanes) {
        auto *to = reinterpret_cast<__m128i *>(p);
        constexpr int bytes = size * int(sizeof(T));
        bytes == 16  ? _mm_storeu_si128(to, x)
        : bytes == 8 ? _mm_storel_epi64(to, x)
                     : _mm_storeu_si32(to, x);
    }
    // A partial vector goes through 16 bytes on the stack: below AVX-512 short lanes have no masks.
    template <class T> DNNL_INLINE static __m128i load(const T *p, dim_t n) {
        alignas(16) T lanes[16 / sizeof(T)] = {};
#pragma GCC unroll 1
        for (dim_t i = 0; i < n; ++i) {
            lanes[i] = p[i];
            __asm__(""); // else GCC makes vectors of it
        }
        return _mm_load_si128(reinterpret_cast<const __m128i *>(lanes));
    }
    template <class T> DNNL_INLINE static void store(T *p, __m128i x, dim_t n) {
        alignas(16) T lanes[16 / sizeof(T)];
        _mm_store_si128(reinterpret_cast<__m128i *>(lanes), x);
#pragma GCC unroll 1
        for (dim_t i = 0; i < n; ++i) {
            p[i] = lanes[i];
            __asm__("");
        }
    }
    DNNL_INLINE static __m128i packed_words(vec<s32, Isa> x) {
        return _mm_packs_epi32(half(x.v, 0), half(x.v, 1));
    }
    // Lanes hold 0 ... 65535.
    DNNL_INLINE static __m128i pack16(vec<s32, Isa> x) {
        return _mm_packus_epi32(half(x.v, 0), half(x.v, 1));
    }
    DNNL_INLINE static __m128i pack_s8(vec<s32, Isa> x) {
        const __m128i words = packed_words(x);
        return _mm_packs_epi16(words, words);
    }
    DNNL_INLINE static __m128i pack_u8(vec<s32, Isa> x) {
        const __m128i words = packed_words(x);
        return _mm_packus_epi16(words, words);
    }
    // Lanes hold 0 ... 255.
    DNNL_INLINE static __m128i pack_u8_range(vec<s32, Isa> x) { return pack_u8(x); }
    DNNL_INLINE static vec<s32, Isa> widen_u16(__m128i x) { return {widened_u16(x, zeros {})}; }
    DNNL_INLINE static vec<s32, Isa> widen_s8(__m128i x) { return {widened_s8(x, zeros {})}; }
    DNNL_INLINE static vec<s32, Isa> widen_u8(__m128i x) { return {widened_u8(x, zeros {})}; }
#if defined(__F16C__)
    DNNL_INLINE static vec<f32, Isa> widen_f16(__m128i x) { return {_mm256_cvtph_ps(x)}; }
    DNNL_INLINE static __m128i to_f16(vec<f32, Isa> x) {
        return _mm256_cvtps_ph(x.v, _MM_FROUND_TO_NEAREST_INT);
    }
#else
    DNNL_INLINE static vec<f32, Isa> widen_f16(__m128i x) {
        return small_float_to_f32<Isa, data_type::f16>(widen_u16(x));
    }
    DNNL_INLINE static __m128i to_f16(vec<f32, Isa> x) {
        return pack16(f32_to_small_float<Isa, data_type::f16>(x));
    }
#endif

  private:
    using zeros = typename vec<s32, Isa>::reg;
};

#if defined(__AVX512F__)
template <class Isa> struct narrow<Isa, 64> {
    static constexpr int size = 16;

    template <class T> DNNL_INLINE static auto load(const T *p, all_lanes) {
        if constexpr (sizeof(T) == 2)
            return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
        else
            return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
    }
    template <class T> DNNL_INLINE static auto load(const T *p, mask<Isa> m) {
        if constexpr (sizeof(T) == 2)
            return _mm256_maskz_loadu_epi16(m.v, p);
        else
            return _mm_maskz_loadu_epi8(m.v, p);
    }
    template <class T> DNNL_INLINE static auto load(const T *p, dim_t n) {
        return load(p, mask<Isa>::first(n));
    }
    DNNL_INLINE static void store(void *p, __m256i x, all_lanes) {
        _mm256_storeu_si256(static_cast<__m256i *>(p), x);
    }
    DNNL_INLINE static void store(void *p, __m128i x, all_lanes) {
        _mm_storeu_si128(static_cast<__m128i *>(p), x);
    }
    // Conversions that store a part of their lanes themselves are slow on AMD processors; the empty
    // statements keep GCC from making such ones.
    DNNL_INLINE static void store(void *p, __m256i x, mask<Isa> m) {
        __asm__("" : "+v"(x));
        _mm256_mask_storeu_epi16(p, m.v, x);
    }
    DNNL_INLINE static void store(void *p, __m128i x, mask<Isa> m) {
        __asm__("" : "+v"(x));
        _mm_mask_storeu_epi8(p, m.v, x);
    }
    // Stores with masks hold up loads behind them on AMD processors, so whole vectors go without.
    template <class Values> DNNL_INLINE static void store(void *p, Values x, dim_t n) {
        if (n >= size)
            store(p, x, all_lanes {});
        else
            store(p, x, mask<Isa>::first(n));
    }
    DNNL_INLINE static __m256i pack16(vec<s32, Isa> x) { return _mm512_cvtepi32_epi16(x.v); }
    DNNL_INLINE static __m128i pack_s8(vec<s32, Isa> x) { return _mm512_cvtsepi32_epi8(x.v); }
    DNNL_INLINE static __m128i pack_u8(vec<s32, Isa> x) {
        return _mm512_cvtusepi32_epi8(_mm512_max_epi32(x.v, _mm512_setzero_si512()));
    }
    DNNL_INLINE static __m128i pack_u8_range(vec<s32, Isa> x) { return _mm512_cvtepi32_epi8(x.v); }
    DNNL_INLINE static vec<s32, Isa> widen_u16(__m256i x) { return {_mm512_cvtepu16_epi32(x)}; }
    DNNL_INLINE static vec<s32, Isa> widen_s8(__m128i x) { return {_mm512_cvtepi8_epi32(x)}; }
    DNNL_INLINE static vec<s32, Isa> widen_u8(__m128i x) { return {_mm512_cvtepu8_epi32(x)}; }
    DNNL_INLINE static vec<f32, Isa> widen_f16(__m256i x) { return {_mm512_cvtph_ps(x)}; }
    DNNL_INLINE static __m256i to_f16(vec<f32, Isa> x) {
        return _mm512_cvtps_ph(x.v, _MM_FROUND_TO_NEAREST_INT);
    }
};
#endif

// ---- Vectors from and to memory of element type T ----

template <class Isa, class T, class Lanes = all_lanes>
DNNL_INLINE vec<s32, Isa> load_as_s32(const T *p, Lanes n = {}) {
    if constexpr (__is_same(T, s32))
        return vec<s32, Isa>::load(p, n);
    else if constexpr (__is_same(T, s8))
        return narrow<Isa>::widen_s8(narrow<Isa>::load(p, n));
    else if constexpr (__is_same(T, u8))
        return narrow<Isa>::widen_u8(narrow<Isa>::load(p, n));
    else
        return code_to_s32<Isa, T::type>(load_as_s32<Isa>(reinterpret_cast<const u8 *>(p), n));
}

template <class Isa, class T, class Lanes = all_lanes>
DNNL_INLINE vec<f32, Isa> load_as_f32(const T *p, Lanes n = {}) {
    if constexpr (__is_same(T, f32)) {
        return vec<f32, Isa>::load(p, n);
    } else if constexpr (__is_same(T, bf16)) {
        return as_f32(shift_left<16>(narrow<Isa>::widen_u16(narrow<Isa>::load(p, n))));
    } else if constexpr (__is_same(T, f16)) {
        return narrow<Isa>::widen_f16(narrow<Isa>::load(p, n));
    } else if constexpr (is_whole<T>) {
        return to_f32(load_as_s32<Isa>(p, n));
    } else {
        const auto codes = load_as_s32<Isa>(reinterpret_cast<const u8 *>(p), n);
        const vec<f32, Isa> x = code_to_f32<Isa, T::type>(codes);
        // Lanes that are not loaded are 0, which for e8m0 is not the code of the number 0.
        if constexpr (T::type == data_type::e8m0 && !__is_same(Lanes, all_lanes))
            return select(mask<Isa>::first(n), x, vec<f32, Isa>::zero());
        else
            return x;
    }
}

/// As vectors of Value, f32 or s32.
template <class Value, class Isa, class T, class Lanes = all_lanes>
DNNL_INLINE vec<Value, Isa> load_as(const T *p, Lanes n = {}) {
    if constexpr (__is_same(Value, s32))
        return load_as_s32<Isa>(p, n);
    else
        return load_as_f32<Isa>(p, n);
}

template <class T, class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(T *p, vec<s32, Isa, B> x, Lanes n = {}) {
    using memory = narrow<Isa>;
    if constexpr (__is_same(T, s32))
        x.store(p, n);
    else if constexpr (__is_same(T, s8))
        memory::store(p, memory::pack_s8(x), n);
    else if constexpr (__is_same(T, u8))
        memory::store(p, memory::pack_u8(x), n);
    else
        memory::store(&p->bits, memory::pack_u8_range(s32_to_code<Isa, T::type>(x)), n);
}

// NaN becomes 0 on its way through max().
template <class Isa> DNNL_INLINE vec<s32, Isa> to_u8_range(vec<f32, Isa> x) {
    using v = vec<f32, Isa>;
    return to_s32_round(min(max(x, v::zero()), v::set(255.0f)));
}

template <class T, class Isa, int B, class Lanes = all_lanes>
DNNL_INLINE void store_as(T *p, vec<f32, Isa, B> x, Lanes n = {}) {
    using memory = narrow<Isa>;
    if constexpr (__is_same(T, f32))
        x.store(p, n);
    else if constexpr (__is_same(T, bf16))
        memory::store(p, memory::pack16(bf16_bits<Isa>(x)), n);
    else if constexpr (__is_same(T, f16))
        memory::store(p, memory::to_f16(x), n);
    else if constexpr (__is_same(T, s32))
        to_s32_saturate(x).store(p, n);
    else if constexpr (__is_same(T, s8))
        store_as(p, to_s32_clamped<Isa>(x, -128.0f, 127.0f), n);
    else if constexpr (__is_same(T, u8))
        memory::store(p, memory::pack_u8_range(to_u8_range<Isa>(x)), n);
    else
        memory::store(&p->bits, memory::pack_u8_range(f32_to_code<Isa, T::type>(x)), n);
}

// ---- Rows of elements vector by vector, the last one partial ----

DNNL_INLINE constexpr dim_t smaller(dim_t a, dim_t b) { return a < b ? a : b; }
DNNL_INLINE constexpr dim_t larger(dim_t a, dim_t b) { return a > b ? a : b; }

// Calls body(i, n) for each vector of a row: n lanes from element i on.
template <class Isa, class Body> DNNL_INLINE void for_vectors(dim_t length, const Body &body) {
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t i = 0;
    for (; i + size <= length; i += size) body(i, size);
    if (i < length) body(i, length - i);
}

// True where lanes have masks: a partial vector is converted like a whole one.
template <class Isa> constexpr bool masks_lanes = Isa::vector_bytes == 64;

/// The vector of f32 or s32 at p in a row of which `left` elements are still to come: whole or, at
/// the end of the row, partial. Both share the code around the call; the branch is predicted.
template <class Isa, class Value = f32, class T>
DNNL_INLINE vec<Value, Isa> load_up_to(const T *p, dim_t left) {
    constexpr dim_t size = vec<Value, Isa>::size;
    if constexpr (masks_lanes<Isa> && sizeof(T) < sizeof(Value))
        if (!__builtin_constant_p(left)) return load_as<Value, Isa>(p, smaller(left, size));
    return left >= size ? load_as<Value, Isa>(p) : load_as<Value, Isa>(p, left);
}
template <class Isa, class Value = f32, class T>
DNNL_INLINE vec<Value, Isa> load_up_to(const T *p, all_lanes) {
    return load_as<Value, Isa>(p);
}
template <class T, class Value, class Isa, int Bytes>
DNNL_INLINE void store_up_to(T *p, vec<Value, Isa, Bytes> x, dim_t left) {
    if constexpr (masks_lanes<Isa> && sizeof(T) < sizeof(Value))
        store_as(p, x, left); // it makes the difference after the conversion
    else if (left >= x.size)
        store_as(p, x);
    else
        store_as(p, x, left);
}
/// The same past the caches where `past`.
template <class Isa, int Bytes>
DNNL_INLINE void store_up_to(f32 *p, vec<f32, Isa, Bytes> x, dim_t left, bool past) {
    left >= x.size ? store_register(p, x, past) : store_up_to(p, x, left);
}

} // namespace dnnl::impl::cpu
