// SPDX-License-Identifier: Apache-2.0
// Eltwise on rows; see elementwise_kernels.hpp. Adjacent elements of f32 are computed where they
// lie, others in pieces of f32 in L1. bf16_rows.cpp takes tensors that are all of bf16.
#include "cpu/simd/eltwise.hpp"
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"

namespace dnnl::impl::cpu {

namespace {

// dst[i] = f(x[i]), or f(x[i], saved[i]) backward
template <class Isa, bool Forward> struct f32_loop {
    const f32 *x, *saved;
    f32 *dst;
    dim_t n;
    bool past;
    template <class F> DNNL_INLINE void operator()(const F &f) const {
        for (dim_t i = 0; i < n; i += vec<f32, Isa>::size) {
            const auto y = load_up_to<Isa>(x + i, n - i);
            if constexpr (Forward)
                store_up_to(dst + i, f(y), n - i, past);
            else
                store_up_to(dst + i, f(y, load_up_to<Isa>(saved + i, n - i)), n - i, past);
        }
    }
};
// flatten: the function that with_eltwise chooses is inlined into the loop.
template <class Isa, bool Forward>
[[gnu::flatten]] void compute(
    const eltwise_args &a, const f32 *x, const f32 *saved, f32 *dst, dim_t n, bool past = false) {
    const f32_loop<Isa, Forward> loop {x, saved, dst, n, past};
    if constexpr (Forward)
        with_eltwise<Isa>(a.alg, a.alpha, a.beta, loop);
    else
        with_eltwise_gradient<Isa>(a.alg, a.alpha, a.beta, loop);
}

// Computes `rows` rows from `row` on in pieces; several rows are one piece together.
template <class Isa, bool Forward>
void compute_in_pieces(const row_tile &t, const eltwise_args &a, dim_t row, dim_t rows) {
    alignas(64) f32 results[row_piece], saved_buffer[row_piece];
    for (dim_t c = 0; c < t.columns; c += row_piece) {
        const dim_t n = smaller(row_piece, t.columns - c);
        for (dim_t r = 0; r < rows; ++r) {
            f32 *y = results + r * n;
            const f32 *x = values_of<Isa>(t.src[0], row + r, c, n, y), *saved = nullptr;
            if (!Forward) saved = values_of<Isa>(t.src[1], row + r, c, n, saved_buffer);
            compute<Isa, Forward>(a, x, saved, y, n);
        }
        if (rows > 1)
            finish_rows<Isa>(t, results, rows, row);
        else
            finish_row<Isa>(t, results, n, row, c);
    }
}

} // namespace

template <class Isa, bool Forward> void eltwise_rows(const row_tile &t, const eltwise_args &a) {
    const data_type type = t.dst.type;
    const auto is_direct = [&](const row_tensor &s) { return s.type == type && s.column == 1; };
    const bool direct = !t.finish && is_direct(t.src[0]) && (Forward || is_direct(t.src[1]));
    dim_t rows = 1;
    for (dim_t row = 0; row < t.rows; row += rows) {
        rows = rows_at_once(t, row);
        const void *x = element(t.src[0], row, 0);
        const void *saved = Forward ? nullptr : element(t.src[1], row, 0);
        void *dst = element(t.dst, row, 0);
        if (direct && type == data_type::f32)
            compute<Isa, Forward>(a, static_cast<const f32 *>(x), static_cast<const f32 *>(saved),
                static_cast<f32 *>(dst), t.columns, t.passes(dst));
        else
            compute_in_pieces<Isa, Forward>(t, a, row, rows);
    }
    if (t.past) _mm_sfence();
}

template void eltwise_rows<this_isa, true>(const row_tile &, const eltwise_args &);
template void eltwise_rows<this_isa, false>(const row_tile &, const eltwise_args &);

} // namespace dnnl::impl::cpu
