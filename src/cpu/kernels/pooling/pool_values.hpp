// SPDX-License-Identifier: Apache-2.0
// What the kernels of pooling compute with. Between kernels; no driver sees it.
#pragma once

#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {

template <int N> struct number {};

/// As many elements as a register holds, in f32: those of bf16 as the even and the odd ones, which
/// takes no shuffle.
template <class Isa, class T> struct pool_block;
template <class T> inline constexpr bool has_pool_block = __is_same(T, f32) || __is_same(T, bf16);

template <class Isa> struct pool_block<Isa, f32> {
    using v = vec<f32, Isa>;
    static constexpr int parts = 1;
    static constexpr dim_t size = v::size;
    v all;

    DNNL_INLINE static pool_block set(f32 x) { return {v::set(x)}; }
    DNNL_INLINE static pool_block load(const f32 *p) { return {v::load(p)}; }
    DNNL_INLINE void store_exact(f32 *p) const { all.store(p); }
    DNNL_INLINE void store_rounded(f32 *p) const { all.store(p); }
    template <class F> DNNL_INLINE pool_block map(const F &f) const { return {f(all)}; }
    DNNL_INLINE v lowest() const { return all; }
    DNNL_INLINE friend pool_block operator+(pool_block a, pool_block b) { return {a.all + b.all}; }
    DNNL_INLINE friend pool_block max(pool_block a, pool_block b) { return {max(a.all, b.all)}; }
    DNNL_INLINE friend pool_block min(pool_block a, pool_block b) { return {min(a.all, b.all)}; }
};

template <class Isa> struct pool_block<Isa, bf16> {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    static constexpr int parts = 2;
    static constexpr dim_t size = 2 * v::size;
    v even, odd;

    DNNL_INLINE static i32 high_halves() { return i32::set(static_cast<s32>(0xffff0000)); }
    DNNL_INLINE static pool_block set(f32 x) { return {v::set(x), v::set(x)}; }
    DNNL_INLINE static pool_block load(const bf16 *p) {
        const i32 pairs = i32::load(reinterpret_cast<const s32 *>(p));
        return {as_f32(shift_left<16>(pairs)), as_f32(pairs & high_halves())};
    }
    /// Values that bf16 holds.
    DNNL_INLINE void store_exact(bf16 *p) const {
        const i32 pairs = shift_right<16>(as_s32(even)) | (as_s32(odd) & high_halves());
        pairs.store(reinterpret_cast<s32 *>(p));
    }
    DNNL_INLINE void store_rounded(bf16 *p) const {
        const i32 pairs = bf16_bits<Isa>(even) | shift_left<16>(bf16_bits<Isa>(odd));
        pairs.store(reinterpret_cast<s32 *>(p));
    }
    template <class F> DNNL_INLINE pool_block map(const F &f) const { return {f(even), f(odd)}; }
    DNNL_INLINE v lowest() const { return min(even, odd); }
    DNNL_INLINE friend pool_block operator+(pool_block a, pool_block b) {
        return {a.even + b.even, a.odd + b.odd};
    }
    DNNL_INLINE friend pool_block max(pool_block a, pool_block b) {
        return {max(a.even, b.even), max(a.odd, b.odd)};
    }
    DNNL_INLINE friend pool_block min(pool_block a, pool_block b) {
        return {min(a.even, b.even), min(a.odd, b.odd)};
    }
};

/// x / divisor, rounded as a division is (divisors are at least 1): the quotient by the reciprocal,
/// and what is left of x. Infinities leave NaN, and are quotients already.
template <class Isa> struct pool_quotient {
    using v = vec<f32, Isa>;
    v divisor, reciprocal;
    DNNL_INLINE explicit pool_quotient(f32 d) : divisor(v::set(d)), reciprocal(v::set(1.0f / d)) {}
    DNNL_INLINE v operator()(v x) const {
        const v quotient = x * reciprocal, rest = fnma(quotient, divisor, x);
        return select(is_nan(rest), quotient, fma(rest, reciprocal, quotient));
    }
};

} // namespace dnnl::impl::cpu
