// SPDX-License-Identifier: Apache-2.0
// Conversion of rows; see convert_row.hpp.
#include "cpu/kernels/convert_row.hpp"

#include "cpu/simd/convert.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

template <class Isa, class T> DNNL_INLINE void widen(const T *src, dim_t n, f32 *out) {
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t i = 0;
    for (; i + size <= n; i += size) load_as_f32<Isa>(src + i).store(out + i);
    if (i < n) load_as_f32_first<Isa>(src + i, n - i).store_first(out + i, n - i);
}
template <class Isa, class T> DNNL_INLINE void widen(const T *src, dim_t n, s32 *out) {
    constexpr dim_t size = vec<s32, Isa>::size;
    dim_t i = 0;
    for (; i + size <= n; i += size) load_as_s32<Isa>(src + i).store(out + i);
    if (i < n) load_as_s32_first<Isa>(src + i, n - i).store_first(out + i, n - i);
}

// Elements that are not adjacent are made so first; a broadcast one is widened once.
template <class Isa, class T, class Value>
DNNL_INLINE void widen_strided(const void *from, dim_t stride, dim_t n, Value *out) {
    const T *src = static_cast<const T *>(from);
    if (stride == 1) return widen<Isa>(src, n, out);
    if (stride == 0) {
        Value one[1];
        widen<Isa>(src, 1, one);
        const auto all = vec<Value, Isa>::set(one[0]);
        dim_t i = 0;
        for (; i + all.size <= n; i += all.size) all.store(out + i);
        if (i < n) all.store_first(out + i, n - i);
        return;
    }
    alignas(64) T adjacent[row_piece];
    for (dim_t i = 0; i < n; ++i) adjacent[i] = src[i * stride];
    widen<Isa>(adjacent, n, out);
}

template <class Isa, class Value, class T>
DNNL_INLINE void narrow_row(const Value *src, dim_t n, void *to) {
    constexpr dim_t size = vec<Value, Isa>::size;
    T *dst = static_cast<T *>(to);
    dim_t i = 0;
    for (; i + size <= n; i += size) store_as(dst + i, vec<Value, Isa>::load(src + i));
    if (i < n) store_as_first(dst + i, vec<Value, Isa>::load_first(src + i, n - i), n - i);
}

} // namespace

template <class Isa>
void row_to_f32(const void *src, data_type type, dim_t stride, dim_t n, f32 *out) {
    switch (type) {
    case data_type::bf16: return widen_strided<Isa, bf16>(src, stride, n, out);
    case data_type::f16: return widen_strided<Isa, f16>(src, stride, n, out);
    case data_type::s32: return widen_strided<Isa, s32>(src, stride, n, out);
    case data_type::s8: return widen_strided<Isa, s8>(src, stride, n, out);
    case data_type::u8: return widen_strided<Isa, u8>(src, stride, n, out);
    default: return widen_strided<Isa, f32>(src, stride, n, out);
    }
}

template <class Isa>
void row_to_s32(const void *src, data_type type, dim_t stride, dim_t n, s32 *out) {
    switch (type) {
    case data_type::s8: return widen_strided<Isa, s8>(src, stride, n, out);
    case data_type::u8: return widen_strided<Isa, u8>(src, stride, n, out);
    default: return widen_strided<Isa, s32>(src, stride, n, out);
    }
}

template <class Isa> void row_from_f32(const f32 *src, dim_t n, data_type type, void *dst) {
    switch (type) {
    case data_type::bf16: return narrow_row<Isa, f32, bf16>(src, n, dst);
    case data_type::f16: return narrow_row<Isa, f32, f16>(src, n, dst);
    case data_type::s32: return narrow_row<Isa, f32, s32>(src, n, dst);
    case data_type::s8: return narrow_row<Isa, f32, s8>(src, n, dst);
    case data_type::u8: return narrow_row<Isa, f32, u8>(src, n, dst);
    default: return narrow_row<Isa, f32, f32>(src, n, dst);
    }
}

template <class Isa> void row_from_s32(const s32 *src, dim_t n, data_type type, void *dst) {
    switch (type) {
    case data_type::s32: return narrow_row<Isa, s32, s32>(src, n, dst);
    case data_type::s8: return narrow_row<Isa, s32, s8>(src, n, dst);
    case data_type::u8: return narrow_row<Isa, s32, u8>(src, n, dst);
    default: break;
    }
    alignas(64) f32 values[row_piece];
    widen<Isa>(src, n, values);
    row_from_f32<Isa>(values, n, type, dst);
}

template void row_to_f32<this_isa>(const void *, data_type, dim_t, dim_t, f32 *);
template void row_to_s32<this_isa>(const void *, data_type, dim_t, dim_t, s32 *);
template void row_from_f32<this_isa>(const f32 *, dim_t, data_type, void *);
template void row_from_s32<this_isa>(const s32 *, dim_t, data_type, void *);

} // namespace dnnl::impl::cpu
