// SPDX-License-Identifier: Apache-2.0
// PReLU on rows; pieces are converted into L1, combined and stored.
#include "cpu/kernels/elementwise/prelu.hpp"

#include "cpu/kernels/elementwise/reduce.hpp"
#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/simd/element_size.hpp"
#include "cpu/simd/row_loop.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

DNNL_INLINE dim_t whole_vectors(dim_t n) { return (n + 15) / 16 * 16; }
DNNL_INLINE const void *element(const prelu_operand &t, dim_t column) {
    return element_at(t.data, t.type, column * t.stride);
}

// n elements from column c on: in place when they are that already, else in `buffer`.
template <class Isa> const f32 *piece_of(const prelu_operand &t, dim_t c, dim_t n, f32 *buffer) {
    if (t.type == data_type::f32 && t.stride == 1) return static_cast<const f32 *>(element(t, c));
    row_to_f32<Isa>(element(t, c), t.type, t.stride, n, buffer);
    return buffer;
}

template <class Isa> void floats(const prelu_args &t) {
    using v = vec<f32, Isa>;
    alignas(64) f32 s_buffer[row_piece], x_buffer[row_piece], w_buffer[row_piece];
    alignas(64) f32 result[row_piece];
    for (dim_t c = 0; c < t.columns; c += row_piece) {
        const dim_t n = smaller(row_piece, t.columns - c);
        const f32 *s = piece_of<Isa>(t.src, c, n, s_buffer);
        const f32 *x = t.forward ? s : piece_of<Isa>(t.x, c, n, x_buffer);
        const f32 *w = piece_of<Isa>(t.weights, c, n, w_buffer);
        for (dim_t i = 0; i < n; i += v::size) {
            const v y = load_up_to<Isa>(x + i, n - i);
            select(load_up_to<Isa>(s + i, n - i) > v::zero(), y, y * load_up_to<Isa>(w + i, n - i))
                .store(result + i);
        }
        row_from_f32<Isa>(result, n, t.x.type, element_at(t.dst, t.x.type, c));
    }
}

template <class Isa> void integers(const prelu_args &t) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    alignas(64) s32 s[row_piece], x_buffer[row_piece], result[row_piece];
    alignas(64) f32 w[row_piece];
    for (dim_t c = 0; c < t.columns; c += row_piece) {
        const dim_t n = smaller(row_piece, t.columns - c);
        row_to_s32<Isa>(element(t.src, c), t.src.type, t.src.stride, n, s);
        if (!t.forward) row_to_s32<Isa>(element(t.x, c), t.x.type, t.x.stride, n, x_buffer);
        row_to_f32<Isa>(element(t.weights, c), t.weights.type, t.weights.stride, n, w);
        const s32 *x = t.forward ? s : x_buffer;
        for (dim_t i = 0; i < whole_vectors(n); i += v::size) {
            const i32 y = i32::load(x + i);
            select(i32::load(s + i) > i32::zero(), y, to_s32_saturate(to_f32(y) * v::load(w + i)))
                .store(result + i);
        }
        row_from_s32<Isa>(result, n, t.x.type, element_at(t.dst, t.x.type, c));
    }
}

// min(src, 0) * diff_dst for n elements of a row; zeros up to whole vectors.
template <class Isa>
DNNL_INLINE void products(
    const prelu_operand &src, const prelu_operand &diff_dst, dim_t c, dim_t n, f32 *out) {
    using v = vec<f32, Isa>;
    alignas(64) f32 s_buffer[row_piece], d_buffer[row_piece];
    const f32 *s = piece_of<Isa>(src, c, n, s_buffer);
    const f32 *d = piece_of<Isa>(diff_dst, c, n, d_buffer);
    for (dim_t i = 0; i < n; i += v::size) {
        const v x = load_up_to<Isa>(s + i, n - i);
        select(x > v::zero(), v::zero(), x * load_up_to<Isa>(d + i, n - i)).store(out + i);
    }
}

} // namespace

template <class Isa> void prelu_row(const prelu_args &args) {
    if (is_integer_type(args.src.type))
        integers<Isa>(args);
    else
        floats<Isa>(args);
}

template <class Isa> void prelu_weights(const prelu_weights_args &t) {
    constexpr dim_t rows_at_once = 8;
    alignas(64) f32 terms[rows_at_once * row_piece];
    reduce_args call {reduced_by::sum, 0, terms, data_type::f32, row_piece, 1, 0, 0, t.totals};
    for (dim_t row = 0; row < t.rows; row += rows_at_once)
        for (dim_t c = 0; c < t.columns; c += row_piece) {
            call.rows = smaller(rows_at_once, t.rows - row);
            call.columns = smaller(row_piece, t.columns - c);
            for (dim_t r = 0; r < call.rows; ++r) {
                prelu_operand src = t.src, diff_dst = t.diff_dst;
                src.data = element_at(src.data, src.type, (row + r) * t.src_row);
                diff_dst.data =
                    element_at(diff_dst.data, diff_dst.type, (row + r) * t.diff_dst_row);
                products<Isa>(src, diff_dst, c, call.columns, terms + r * row_piece);
            }
            if (t.per_column) {
                call.totals = t.totals + c;
                reduce_columns<Isa>(call);
                continue;
            }
            double sums[rows_at_once] = {};
            call.totals = sums;
            reduce_rows<Isa>(call);
            for (dim_t r = 0; r < call.rows; ++r) t.totals[0] += sums[r];
        }
}

template void prelu_row<this_isa>(const prelu_args &);
template void prelu_weights<this_isa>(const prelu_weights_args &);

} // namespace dnnl::impl::cpu
