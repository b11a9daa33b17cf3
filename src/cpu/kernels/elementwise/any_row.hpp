// SPDX-License-Identifier: Apache-2.0
// Loads and stores rows of any activation type, four vectors at a time. The type is chosen inside
// the loop, by branches that go the same way each time, so that one loop serves all types. Used by
// kernels only: no driver includes this file.
#pragma once

#include "cpu/kernels/movement/movement.hpp"
#include "cpu/simd/block.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

/// Four vectors of neighbouring elements.
template <class Isa> using vectors = block<Isa, f32, 4>;

/// Stands for an element type that is known at run time only.
struct any_type {};

// Copies n elements of `bytes` bytes, which are `stride` elements apart, to adjacent places.
template <class Isa>
[[gnu::noinline]] void gather_elements(
    const char *from, dim_t bytes, dim_t stride, dim_t n, char *to) {
    for (dim_t i = 0; i < n; ++i)
        for (dim_t b = 0; b < bytes; ++b) to[i * bytes + b] = from[i * stride * bytes + b];
}

// Calls f(T {}) for the types that a few instructions convert to f32. Returns false, without a
// call, for the others.
template <class F> DNNL_INLINE bool with_quick_type(data_type type, const F &f) {
    switch (type) {
    case data_type::f32: f(f32 {}); return true;
    case data_type::bf16: f(bf16 {}); return true;
    case data_type::f16: f(f16 {}); return true;
    case data_type::s32: f(s32 {}); return true;
    case data_type::s8: f(s8 {}); return true;
    case data_type::u8: f(u8 {}); return true;
    default: return false;
    }
}

template <class Isa> [[gnu::noinline]] void load_slowly(const char *p, data_type type, f32 *out) {
    row_to_f32<Isa>(p, type, 1, vectors<Isa>::size, out);
}
template <class Isa, class T> DNNL_INLINE vectors<Isa> load_any(const char *p, data_type type) {
    if constexpr (!__is_same(T, any_type)) {
        return vectors<Isa>::load(reinterpret_cast<const T *>(p));
    } else {
        vectors<Isa> x;
        if (with_quick_type(
                type, [&](auto element) __attribute__((always_inline)) {
                    x = vectors<Isa>::load(reinterpret_cast<const decltype(element) *>(p));
                }))
            return x;
        alignas(64) f32 values[vectors<Isa>::size];
        load_slowly<Isa>(p, type, values);
        return vectors<Isa>::load(values);
    }
}

template <class Isa, class T> DNNL_INLINE void store_vectors(T *p, const vectors<Isa> &y) {
    using v = vec<f32, Isa>;
    if constexpr (is_byte<T>) {
        const v most = v::set(__is_same(T, u8) ? 255.0f : 127.0f); // NaN stays
        store_pair(p, min(most, y.x[0]), min(most, y.x[1]));
        store_pair(p + 2 * v::size, min(most, y.x[2]), min(most, y.x[3]));
    } else {
        store_pair(p, y.x[0], y.x[1]);
        store_pair(p + 2 * v::size, y.x[2], y.x[3]);
    }
}
template <class Isa, class T>
DNNL_INLINE void store_any(char *p, data_type type, const vectors<Isa> &y) {
    if constexpr (!__is_same(T, any_type)) {
        store_vectors(reinterpret_cast<T *>(p), y);
    } else {
        if (with_quick_type(
                type, [&](auto element) __attribute__((always_inline)) {
                    store_vectors(reinterpret_cast<decltype(element) *>(p), y);
                }))
            return;
        alignas(64) f32 values[vectors<Isa>::size];
        store_vectors(static_cast<f32 *>(values), y);
        row_from_f32<Isa>(values, vectors<Isa>::size, type, p);
    }
}

/// A row that is read, times a scale. Its elements are `stride` apart; 0: one element for all.
template <class Isa> struct any_source {
    using v = vec<f32, Isa>;
    const char *data;
    data_type type;
    dim_t bytes, stride;
    bool is_scaled;
    v scale;

    DNNL_INLINE any_source(const void *row, data_type t, dim_t step, f32 factor)
        : data(static_cast<const char *>(row)), type(t), bytes(size_in_bytes(t)), stride(step),
          is_scaled(factor != 1.0f), scale(v::set(factor)) {}
    /// The four vectors of elements from i on; the stride is 1.
    template <class T = any_type> DNNL_INLINE vectors<Isa> at(dim_t i) const {
        return load_any<Isa, T>(data + i * bytes, type).map([&](v x) { return x * scale; });
    }
    /// The one element of a broadcast row in every lane.
    DNNL_INLINE vectors<Isa> all() const {
        alignas(64) char lanes[vectors<Isa>::size * 4];
        gather_elements<Isa>(data, bytes, 0, vectors<Isa>::size, lanes);
        return load_any<Isa, any_type>(lanes, type).map([&](v x) { return x * scale; });
    }
    /// A source of the n elements from i on, copied to `adjacent`; a broadcast row as it is.
    any_source gathered(dim_t i, dim_t n, char *adjacent) const {
        any_source copy = *this;
        if (stride == 0) return copy;
        gather_elements<Isa>(data + i * stride * bytes, bytes, stride, n, adjacent);
        copy.data = adjacent;
        copy.stride = 1;
        return copy;
    }
};

/// A row of `type` that is written, its elements adjacent.
template <class Isa> struct any_destination {
    char *data;
    data_type type;

    template <class T = any_type> DNNL_INLINE void store(dim_t i, const vectors<Isa> &y) const {
        store_any<Isa, T>(data + i * size_in_bytes(type), type, y);
    }
    /// Writes the n elements from i on; they are the first n of `whole`.
    void copy(dim_t i, dim_t n, const char *whole) const {
        const dim_t bytes = size_in_bytes(type);
        gather_elements<Isa>(whole, bytes, 1, n, data + i * bytes);
    }
};

} // namespace dnnl::impl::cpu
