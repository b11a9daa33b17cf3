// SPDX-License-Identifier: Apache-2.0
// Eltwise on rows. Adjacent f32, bf16 and f16 elements are computed in one pass; everything else
// is converted in pieces that stay in L1.
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/eltwise.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

// dst[i] = f(x[i]), or f(x[i], saved[i]) backward
template <class Isa, class T, bool Forward> struct eltwise_loop {
    const T *x, *saved;
    T *dst;
    dim_t n;
    template <class F> DNNL_INLINE void operator()(const F &f) const {
        for (dim_t i = 0; i < n; i += vec<f32, Isa>::size) {
            const auto y = load_up_to<Isa>(x + i, n - i);
            if constexpr (Forward)
                store_up_to(dst + i, f(y), n - i);
            else
                store_up_to(dst + i, f(y, load_up_to<Isa>(saved + i, n - i)), n - i);
        }
    }
};

// flatten: the functions of with_eltwise become the bodies of the loops.
template <class Isa, bool Forward, class T>
[[gnu::flatten]] void compute(
    const eltwise_args &a, const void *x, const void *saved, void *dst, dim_t n) {
    const eltwise_loop<Isa, T, Forward> loop {
        static_cast<const T *>(x), static_cast<const T *>(saved), static_cast<T *>(dst), n};
    if constexpr (Forward)
        with_eltwise<Isa>(a.alg, a.alpha, a.beta, loop);
    else
        with_eltwise_gradient<Isa>(a.alg, a.alpha, a.beta, loop);
}

template <class Isa, bool Forward>
void compute_row(const row_tile &t, const eltwise_args &a, dim_t row) {
    const void *x = element(t.src[0], row, 0);
    const void *saved = Forward ? nullptr : element(t.src[1], row, 0);
    void *dst = element(t.dst, row, 0);
    switch (t.dst.type) {
    case data_type::f32: return compute<Isa, Forward, f32>(a, x, saved, dst, t.columns);
    case data_type::bf16: return compute<Isa, Forward, bf16>(a, x, saved, dst, t.columns);
    default: return compute<Isa, Forward, f16>(a, x, saved, dst, t.columns);
    }
}

template <class Isa, bool Forward>
void compute_in_pieces(const row_tile &t, const eltwise_args &a, dim_t row) {
    alignas(64) f32 x_buffer[row_piece], saved_buffer[row_piece];
    for (dim_t c = 0; c < t.columns; c += row_piece) {
        const dim_t n = smaller(row_piece, t.columns - c);
        const f32 *x = values_of<Isa>(t.src[0], row, c, n, x_buffer), *saved = nullptr;
        if (!Forward) saved = values_of<Isa>(t.src[1], row, c, n, saved_buffer);
        compute<Isa, Forward, f32>(a, x, saved, x_buffer, n);
        finish_row<Isa>(t, x_buffer, n, row, c);
    }
}

template <class Isa, bool Forward> void run(const row_tile &t, const eltwise_args &a) {
    const data_type type = t.dst.type;
    const auto is_direct = [&](const row_tensor &s) { return s.type == type && s.column == 1; };
    const bool direct =
        !t.finish && is_direct(t.src[0]) && (Forward || is_direct(t.src[1])) &&
        (type == data_type::f32 || type == data_type::bf16 || type == data_type::f16);
    for (dim_t row = 0; row < t.rows; ++row)
        direct ? compute_row<Isa, Forward>(t, a, row) : compute_in_pieces<Isa, Forward>(t, a, row);
}

} // namespace

template <class Isa> void eltwise_forward(const row_tile &tile, const eltwise_args &args) {
    run<Isa, true>(tile, args);
}
template <class Isa> void eltwise_backward(const row_tile &tile, const eltwise_args &args) {
    run<Isa, false>(tile, args);
}

template void eltwise_forward<this_isa>(const row_tile &, const eltwise_args &);
template void eltwise_backward<this_isa>(const row_tile &, const eltwise_args &);

} // namespace dnnl::impl::cpu
