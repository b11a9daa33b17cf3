// SPDX-License-Identifier: Apache-2.0
// Registers of any width as bytes, and shuffles that interleave two of them. Kernels that move
// elements of any type are made of these shuffles.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

// The numbers 0 ... N - 1.
template <int... I> struct numbers {};
template <int N, int... I> struct first_numbers : first_numbers<N - 1, N - 1, I...> {};
template <int... I> struct first_numbers<0, I...> { using type = numbers<I...>; };

// Loads and stores registers of `Bytes` bytes, and interleaves two of them, into the low and the
// high half of the result: within each 16 bytes in units of T, or by 16 bytes.
template <int Bytes> struct lanes {
    typedef u8 bytes __attribute__((vector_size(Bytes)));
    typedef u8 anywhere __attribute__((vector_size(Bytes), aligned(1), may_alias));
    using all = typename first_numbers<Bytes>::type;
    bytes v;

    DNNL_INLINE static lanes load(const void *p) { return {*static_cast<const anywhere *>(p)}; }
    DNNL_INLINE void store(void *p) const { *static_cast<anywhere *>(p) = v; }
    template <int Lane> DNNL_INLINE void store_lane(void *p) const {
        const lanes<16> x = part<Lane>(typename first_numbers<16>::type {});
        x.store(p);
    }
    template <class T> DNNL_INLINE friend lanes low(lanes a, lanes b, T) {
        return interleaved<sizeof(T), 16, 0>(a, b, all {});
    }
    template <class T> DNNL_INLINE friend lanes high(lanes a, lanes b, T) {
        return interleaved<sizeof(T), 16, 1>(a, b, all {});
    }
    DNNL_INLINE friend lanes low_lanes(lanes a, lanes b) {
        return Bytes == 16 ? a : interleaved<16, Bytes, 0>(a, b, all {});
    }
    DNNL_INLINE friend lanes high_lanes(lanes a, lanes b) {
        return Bytes == 16 ? b : interleaved<16, Bytes, 1>(a, b, all {});
    }

  private:
    // Takes units of `Unit` bytes from a and b in turn, from one half of each `Span` bytes.
    template <int Unit, int Span, int Half, int... I>
    DNNL_INLINE static lanes interleaved(lanes a, lanes b, numbers<I...>) {
        return {__builtin_shufflevector(a.v, b.v,
            (I / Span * Span + Half * Span / 2 + I % Span / (2 * Unit) * Unit + I % Unit +
                I / Unit % 2 * Bytes)...)};
    }
    template <int Lane, int... I> DNNL_INLINE lanes<16> part(numbers<I...>) const {
        return {__builtin_shufflevector(v, v, (16 * Lane + I)...)};
    }
};

} // namespace dnnl::impl::cpu
