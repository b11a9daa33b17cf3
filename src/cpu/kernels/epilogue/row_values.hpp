// SPDX-License-Identifier: Apache-2.0
// What row kernels share: pieces of rows as f32 or s32, and the way of results to dst.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {

/// 16 lanes: one or two vectors, so that sums have the same order on every instruction set.
template <class Isa> inline constexpr int parts = 16 / vec<f32, Isa>::size;

DNNL_INLINE char *element(const row_tensor &t, dim_t row, dim_t column) {
    return element_at(t.data, t.type, row * t.row + column * t.column);
}

/// The same as an element of T, which stands for the type of the tensor.
template <class T> DNNL_INLINE T *element_as(const row_tensor &t, dim_t row, dim_t column = 0) {
    return reinterpret_cast<T *>(element(t, row, column));
}

/// Returns n elements from src on, `stride` apart, as f32 or s32: where they lie if they are that
/// and adjacent already, else converted into the buffer.
template <class Isa, class Value>
DNNL_INLINE const Value *row_values(
    const void *src, data_type type, dim_t stride, dim_t n, Value *buffer) {
    if (type == type_of<Value> && stride == 1) return static_cast<const Value *>(src);
    if constexpr (is_whole<Value>)
        row_to_s32<Isa>(src, type, stride, n, buffer);
    else
        row_to_f32<Isa>(src, type, stride, n, buffer);
    return buffer;
}
/// The same from an element of a tensor on, along its row.
template <class Isa, class Value>
DNNL_INLINE const Value *values_of(
    const row_tensor &t, dim_t row, dim_t column, dim_t n, Value *buffer) {
    return row_values<Isa>(element(t, row, column), t.type, t.column, n, buffer);
}

/// Returns where results from (row, column) on are computed: in dst itself where they are stored as
/// they are, else in the buffer.
template <class Value>
DNNL_INLINE Value *results_at(const row_tile &t, dim_t row, dim_t column, Value *buffer) {
    const bool direct = !t.finish && t.dst.type == type_of<Value>;
    return direct ? element_as<Value>(t.dst, row, column) : buffer;
}

/// Stores n results, through the epilogue or converted; nothing where they were computed in dst.
template <class Isa, class Value>
DNNL_INLINE void finish_row(const epilogue *finish, const Value *x, dim_t n, data_type type,
    void *dst, const dim_t (&position)[position_rank]) {
    if (finish) {
        epilogue_rows_args e {finish, x, 0, type_of<Value>, dst, 0, 1, n, {}};
        for (int d = 0; d < position_rank; ++d) e.position[d] = position[d];
        epilogue_rows<Isa>(e);
    } else if (x != dst) {
        if constexpr (is_whole<Value>)
            row_from_s32<Isa>(x, n, type, dst);
        else
            row_from_f32<Isa>(x, n, type, dst);
    }
}
/// Returns how many rows of a tile, from `row` on, go through the epilogue in one call: as many as
/// a piece of results holds. A call takes as long as some hundred elements.
DNNL_INLINE dim_t rows_at_once(const row_tile &t, dim_t row) {
    const dim_t fit = t.finish && t.columns > 0 ? row_piece / t.columns : 1;
    return fit > 1 ? smaller(fit, t.rows - row) : 1;
}
/// Stores whole rows of dst from `row` on, whose results follow each other at x.
template <class Isa, class Value>
DNNL_INLINE void finish_rows(const row_tile &t, const Value *x, dim_t rows, dim_t row) {
    void *dst = element(t.dst, row, 0);
    epilogue_rows<Isa>({t.finish, x, t.columns * dim_t {sizeof(Value)}, type_of<Value>, dst,
        t.dst.row * size_in_bytes(t.dst.type), rows, t.columns, {0, 0, 0, row, 0}});
}
template <class Isa, class Value>
DNNL_INLINE void finish_row(const row_tile &t, const Value *x, dim_t n, dim_t row, dim_t c) {
    finish_row<Isa>(t.finish, x, n, t.dst.type, element(t.dst, row, c), {0, 0, 0, row, c});
}

/// x / dst_scale by the two parts of the reciprocal that an epilogue has (epilogue_rows.hpp). Their
/// products with an infinity, and with a number whose quotient overflows, may be NaN: there the
/// product with the first part is the quotient.
template <class Isa> struct dst_scale_quotient {
    using v = vec<f32, Isa>;
    v high, low;
    /// `Scales` has inverse_dst_scale and inverse_dst_scale_low.
    template <class Scales>
    DNNL_INLINE explicit dst_scale_quotient(const Scales &s)
        : high(v::set(s.inverse_dst_scale)), low(v::set(s.inverse_dst_scale_low)) {}
    DNNL_INLINE v operator()(v x) const {
        const v quotient = fma(x, high, x * low);
        return select(is_nan(quotient), x * high, quotient);
    }
};

} // namespace dnnl::impl::cpu
