// SPDX-License-Identifier: Apache-2.0
// Eltwise and binary where all tensors are bf16 and the elements of rows adjacent; see
// elementwise_kernels.hpp. They are computed in registers, but for general powers and, where bf16
// has no instructions of its own, all functions of many instructions: these on f32 in L1.
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/block.hpp"
#include "cpu/simd/eltwise.hpp"

namespace dnnl::impl::cpu {

namespace {

// Calls run(x, y, dst, n, past) for the elements of a row that fill pairs of vectors, then for a
// copy of the last n % register_block::size elements, which stays in L1. y is null or, unless
// y_varies, one element for all.
template <class Isa, class Run>
DNNL_INLINE void for_whole_pairs(
    const bf16 *x, const bf16 *y, bool y_varies, bf16 *dst, const row_tile &t, const Run &run) {
    constexpr dim_t size = register_block<Isa, bf16>::size;
    const dim_t whole = t.columns / size * size, left = t.columns - whole;
    if (whole > 0) run(x, y, dst, whole, t.passes(dst));
    if (left == 0) return;
    alignas(64) bf16 x_left[size] = {}, y_left[size] = {}, dst_left[size];
    for (dim_t i = 0; i < left; ++i) x_left[i] = x[whole + i];
    for (dim_t i = 0; y_varies && i < left; ++i) y_left[i] = y[whole + i];
    run(x_left, y_varies ? y_left : y, dst_left, size, false);
    for (dim_t i = 0; i < left; ++i) dst[whole + i] = dst_left[i];
}

// dst[i] = f(x[i]), or f(x[i], saved[i]) backward
template <class Isa, bool Forward> struct eltwise_loop {
    const bf16 *x, *saved;
    bf16 *dst;
    dim_t n;
    bool past;
    template <class F> DNNL_INLINE void operator()(const F &f) const {
        using pair = register_block<Isa, bf16>;
        for (dim_t i = 0; i < n; i += pair::size) {
            pair y = pair::load(x + i);
            if constexpr (Forward)
                y = y.map(f);
            else
                y = y.map(f, pair::load(saved + i));
            store_register(dst + i, rounded_pairs<Isa>(y.x[0], y.x[1]), past);
        }
    }
};

// flatten: the function is inlined into the loop. Returns false, with nothing done, for general
// powers, and for all functions of many instructions where bf16 has no instructions of its own.
template <class Isa, bool Forward>
[[gnu::flatten]] bool compute_pairs(
    const eltwise_args &a, const bf16 *x, const bf16 *saved, bf16 *dst, dim_t n, bool past) {
    constexpr functions which = Isa::bf16_pairs ? functions::no_powers : functions::few;
    const eltwise_loop<Isa, Forward> loop {x, saved, dst, n, past};
    if constexpr (Forward)
        return with_eltwise<Isa, which>(a.alg, a.alpha, a.beta, loop);
    else
        return with_eltwise_gradient<Isa, which>(a.alg, a.alpha, a.beta, loop);
}

template <class Isa> void spread(const bf16 *x, dim_t n, f32 *out) {
    for (dim_t i = 0; i < n; i += register_block<Isa, bf16>::size) {
        const auto y = register_block<Isa, bf16>::load(x + i);
        y.x[0].store(out + i);
        y.x[1].store(out + i + vec<f32, Isa>::size);
    }
}
template <class Isa> void gather(const f32 *x, dim_t n, bf16 *out) {
    using v = vec<f32, Isa>;
    for (dim_t i = 0; i < n; i += register_block<Isa, bf16>::size)
        register_block<Isa, bf16> {{v::load(x + i), v::load(x + i + v::size)}}.store(out + i);
}
template <class Isa, bool Forward>
void compute_in_pieces(
    const eltwise_args &a, const bf16 *x, const bf16 *saved, bf16 *dst, dim_t count) {
    alignas(64) f32 x_piece[row_piece], saved_piece[row_piece];
    const row_tensor x_row {x_piece, data_type::f32, 0, 1};
    const row_tensor saved_row {saved_piece, data_type::f32, 0, 1};
    for (dim_t c = 0; c < count; c += row_piece) {
        const dim_t n = smaller(row_piece, count - c);
        spread<Isa>(x + c, n, x_piece);
        if (!Forward) spread<Isa>(saved + c, n, saved_piece);
        a.f32_rows({x_row, {x_row, saved_row}, 1, n, nullptr, false}, a);
        gather<Isa>(x_piece, n, dst + c);
    }
}

// dst[i] = f(a[i], b[i]), or f(a[i], b[0])
template <class Isa, bool Broadcasts>
[[gnu::flatten]] void combine(
    algorithm alg, const bf16 *a, const bf16 *b, bf16 *dst, dim_t n, bool past) {
    using pair = register_block<Isa, bf16>;
    const pair all = pair::set(__builtin_bit_cast(f32, std::uint32_t {b->bits} << 16));
    with_binary<Isa>(alg, [&](auto f) {
        for (dim_t i = 0; i < n; i += pair::size) {
            const pair x = pair::load(a + i), y = Broadcasts ? all : pair::load(b + i);
            const pair z = x.map(f, y);
            store_register(dst + i, rounded_pairs<Isa>(z.x[0], z.x[1]), past);
        }
    });
}

} // namespace

template <class Isa, bool Forward>
void eltwise_bf16_rows(const row_tile &t, const eltwise_args &args) {
    for (dim_t row = 0; row < t.rows; ++row) {
        const bf16 *saved = Forward ? nullptr : element_as<const bf16>(t.src[1], row);
        bf16 *dst = element_as<bf16>(t.dst, row);
        for_whole_pairs<Isa>(element_as<const bf16>(t.src[0], row), saved, !Forward, dst, t,
            [&](const bf16 *x, const bf16 *y, bf16 *to, dim_t n, bool past) {
                if (!compute_pairs<Isa, Forward>(args, x, y, to, n, past))
                    compute_in_pieces<Isa, Forward>(args, x, y, to, n);
            });
    }
    if (t.past) _mm_sfence();
}

template <class Isa> void binary_bf16_rows(const row_tile &t, const binary_args &args) {
    const bool varies = t.src[1].column != 0;
    const auto run = varies ? combine<Isa, false> : combine<Isa, true>;
    for (dim_t row = 0; row < t.rows; ++row)
        for_whole_pairs<Isa>(element_as<const bf16>(t.src[0], row),
            element_as<const bf16>(t.src[1], row), varies, element_as<bf16>(t.dst, row), t,
            [&](const bf16 *a, const bf16 *b, bf16 *to, dim_t n, bool past) {
                run(args.alg, a, b, to, n, past);
            });
    if (t.past) _mm_sfence();
}

template void eltwise_bf16_rows<this_isa, true>(const row_tile &, const eltwise_args &);
template void eltwise_bf16_rows<this_isa, false>(const row_tile &, const eltwise_args &);
template void binary_bf16_rows<this_isa>(const row_tile &, const binary_args &);

} // namespace dnnl::impl::cpu
