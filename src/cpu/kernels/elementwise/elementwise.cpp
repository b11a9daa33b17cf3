// SPDX-License-Identifier: Apache-2.0
// PReLU on rows, whose pieces are converted into L1, combined and stored; see elementwise.hpp.
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

namespace {

template <class Isa> DNNL_INLINE vec<f32, Isa> product(vec<f32, Isa> x, vec<f32, Isa> w) {
    return x * w;
}
template <class Isa> DNNL_INLINE vec<s32, Isa> product(vec<s32, Isa> x, vec<f32, Isa> w) {
    return to_s32_saturate(to_f32(x) * w);
}

template <class Isa, class Value> void run_prelu(const row_tile &t, bool forward) {
    using v = vec<Value, Isa>;
    alignas(64) Value s_buffer[row_piece], x_buffer[row_piece], result[row_piece];
    alignas(64) f32 w_buffer[row_piece];
    for (dim_t row = 0; row < t.rows; ++row)
        for (dim_t c = 0; c < t.columns; c += row_piece) {
            const dim_t n = smaller(row_piece, t.columns - c);
            const Value *s = values_of<Isa>(t.src[0], row, c, n, s_buffer);
            const Value *x = forward ? s : values_of<Isa>(t.src[2], row, c, n, x_buffer);
            const f32 *w = values_of<Isa>(t.src[1], row, c, n, w_buffer);
            Value *out = results_at(t, row, c, result);
            for_vectors<Isa>(n, [&](dim_t i, dim_t m) {
                const v y = load_up_to<Isa, Value>(x + i, m);
                const auto positive = load_up_to<Isa, Value>(s + i, m) > v::zero();
                store_up_to(
                    out + i, select(positive, y, product<Isa>(y, load_up_to<Isa>(w + i, m))), m);
            });
            finish_row<Isa>(t, out, n, row, c);
        }
}

// min(src, 0) * diff_dst for n elements of a row; zeros up to whole vectors.
template <class Isa>
void products(const prelu_weights_args &t, dim_t row, dim_t c, dim_t n, f32 *out) {
    using v = vec<f32, Isa>;
    alignas(64) f32 s_buffer[row_piece], d_buffer[row_piece];
    const f32 *s = values_of<Isa>(t.src, row, c, n, s_buffer);
    const f32 *d = values_of<Isa>(t.diff_dst, row, c, n, d_buffer);
    for (dim_t i = 0; i < n; i += v::size) {
        const v x = load_up_to<Isa>(s + i, n - i);
        select(x > v::zero(), v::zero(), x * load_up_to<Isa>(d + i, n - i)).store(out + i);
    }
}

} // namespace

template <class Isa> void prelu_rows(const row_tile &tile, bool forward) {
    is_integer_type(tile.dst.type) ? run_prelu<Isa, s32>(tile, forward)
                                   : run_prelu<Isa, f32>(tile, forward);
}
template <class Isa, bool ByColumns> void prelu_weights(const prelu_weights_args &t) {
    constexpr dim_t rows_at_once = ByColumns ? 8 : 1; // long rows are read from end to end
    alignas(64) f32 terms[rows_at_once * row_piece];
    reduce_args call {reduced_by::sum, 0, {terms, data_type::f32, row_piece, 1}, 0, 0, nullptr};
    for (dim_t row = 0; row < t.rows; row += rows_at_once)
        for (dim_t c = 0; c < t.columns; c += row_piece) {
            call.rows = smaller(rows_at_once, t.rows - row);
            call.columns = smaller(row_piece, t.columns - c);
            call.totals = t.totals + (ByColumns ? c : row);
            for (dim_t r = 0; r < call.rows; ++r)
                products<Isa>(t, row + r, c, call.columns, terms + r * row_piece);
            ByColumns ? reduce_columns<Isa>(call) : reduce_rows<Isa>(call);
        }
}

template void prelu_rows<this_isa>(const row_tile &, bool);
template void prelu_weights<this_isa, true>(const prelu_weights_args &);
template void prelu_weights<this_isa, false>(const prelu_weights_args &);

} // namespace dnnl::impl::cpu
