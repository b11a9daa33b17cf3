// SPDX-License-Identifier: Apache-2.0
// States of recurrent cells in memory, for the kernels of these cells. A format has type, scale and
// shift: rnn_state_format in kernels/rnn/rnn_cell.hpp.
#pragma once

#include "cpu/simd/math.hpp"
#include "cpu/simd/row_loop.hpp"

namespace dnnl::impl::cpu {

DNNL_INLINE bool is_8_bit(data_type t) { return t == data_type::u8 || t == data_type::s8; }

// n states from element i on, as they are stored.
template <class Isa>
DNNL_INLINE vec<f32, Isa> load_raw(data_type type, const void *p, dim_t i, dim_t n) {
    switch (type) {
    case data_type::bf16: return load_up_to<Isa>(static_cast<const bf16 *>(p) + i, n);
    case data_type::u8: return load_up_to<Isa>(static_cast<const u8 *>(p) + i, n);
    case data_type::s8: return load_up_to<Isa>(static_cast<const s8 *>(p) + i, n);
    default: return load_up_to<Isa>(static_cast<const f32 *>(p) + i, n);
    }
}
// As real numbers.
template <class Isa, class Format>
DNNL_INLINE vec<f32, Isa> load_state(const Format &s, const void *p, dim_t i, dim_t n) {
    using v = vec<f32, Isa>;
    const v x = load_raw<Isa>(s.type, p, i, n);
    return is_8_bit(s.type) ? (x - v::set(s.shift)) / v::set(s.scale) : x;
}

// Rounds to bf16 or f16 where states do.
template <class Isa, class Format>
DNNL_INLINE vec<f32, Isa> rounded(const Format &s, vec<f32, Isa> x) {
    if (s.type == data_type::bf16) return as_f32(shift_left<16>(bf16_bits<Isa>(x)));
    if (s.type == data_type::f16) return narrow<Isa>::widen_f16(narrow<Isa>::to_f16(x));
    return x;
}

// Stores values of the state's kind: 8 bits are rounded and saturated.
template <class Isa>
DNNL_INLINE void store_raw(data_type type, void *p, dim_t i, vec<f32, Isa> x, dim_t n) {
    switch (type) {
    case data_type::bf16: return store_up_to(static_cast<bf16 *>(p) + i, x, n);
    case data_type::u8: return store_up_to(static_cast<u8 *>(p) + i, x, n);
    case data_type::s8: return store_up_to(static_cast<s8 *>(p) + i, x, n);
    default: return store_up_to(static_cast<f32 *>(p) + i, x, n);
    }
}
template <class Isa, class Format>
DNNL_INLINE void store_state(const Format &s, void *p, dim_t i, vec<f32, Isa> x, dim_t n) {
    using v = vec<f32, Isa>;
    if (is_8_bit(s.type)) x = x * v::set(s.scale) + v::set(s.shift);
    store_raw<Isa>(s.type, p, i, rounded<Isa>(s, x), n);
}

} // namespace dnnl::impl::cpu
