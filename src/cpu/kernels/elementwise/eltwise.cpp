// SPDX-License-Identifier: Apache-2.0
// Eltwise on rows. Adjacent f32, bf16 and f16 elements are computed in one pass; everything else
// is converted in pieces that stay in L1.
#include "cpu/kernels/elementwise/eltwise.hpp"

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/simd/element_size.hpp"
#include "cpu/simd/math_backward.hpp"
#include "cpu/simd/row_loop.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

// dst[i] = f(src[i])
template <class Isa, class T> struct forward_loop {
    const T *src;
    T *dst;
    dim_t n;
    template <class F> DNNL_INLINE void operator()(const F &f) const {
        for (dim_t i = 0; i < n; i += vec<f32, Isa>::size)
            store_up_to(dst + i, f(load_up_to<Isa>(src + i, n - i)), n - i);
    }
};

// dst[i] = f(diff_dst[i], saved[i])
template <class Isa, class T> struct backward_loop {
    const T *diff_dst, *saved;
    T *dst;
    dim_t n;
    template <class F> DNNL_INLINE void operator()(const F &f) const {
        for (dim_t i = 0; i < n; i += vec<f32, Isa>::size) {
            const auto gradient = load_up_to<Isa>(diff_dst + i, n - i);
            store_up_to(dst + i, f(gradient, load_up_to<Isa>(saved + i, n - i)), n - i);
        }
    }
};

// flatten: the functions of with_eltwise become the bodies of the loops.
template <class Isa, class T>
[[gnu::flatten]] void forward(const eltwise_args &t, const void *src, void *dst, dim_t n) {
    with_eltwise<Isa>(t.alg, t.alpha, t.beta,
        forward_loop<Isa, T> {static_cast<const T *>(src), static_cast<T *>(dst), n});
}
template <class Isa, class T>
[[gnu::flatten]] void backward(
    const eltwise_args &t, const void *diff_dst, const void *saved, void *dst, dim_t n) {
    with_eltwise_gradient<Isa>(t.alg, t.alpha, t.beta,
        backward_loop<Isa, T> {static_cast<const T *>(diff_dst), static_cast<const T *>(saved),
            static_cast<T *>(dst), n});
}

template <class Isa> void forward_row(const eltwise_args &t, const void *src, void *dst, dim_t n) {
    switch (t.src_type) {
    case data_type::f32: return forward<Isa, f32>(t, src, dst, n);
    case data_type::bf16: return forward<Isa, bf16>(t, src, dst, n);
    default: return forward<Isa, f16>(t, src, dst, n);
    }
}
template <class Isa>
void backward_row(
    const eltwise_args &t, const void *diff_dst, const void *saved, void *dst, dim_t n) {
    switch (t.src_type) {
    case data_type::f32: return backward<Isa, f32>(t, diff_dst, saved, dst, n);
    case data_type::bf16: return backward<Isa, bf16>(t, diff_dst, saved, dst, n);
    default: return backward<Isa, f16>(t, diff_dst, saved, dst, n);
    }
}

DNNL_INLINE bool computes_in_place(data_type type) {
    return type == data_type::f32 || type == data_type::bf16 || type == data_type::f16;
}

template <class Isa> void forward_in_pieces(const eltwise_args &t, const void *src, dim_t row) {
    alignas(64) f32 x[row_piece];
    for (dim_t column = 0; column < t.columns; column += row_piece) {
        const dim_t n = smaller(row_piece, t.columns - column);
        const void *from = element_at(src, t.src_type, column * t.src_column_stride);
        void *dst = element_at(t.dst, t.dst_type, row * t.dst_row_stride + column);
        row_to_f32<Isa>(from, t.src_type, t.src_column_stride, n, x);
        forward<Isa, f32>(t, x, x, n);
        if (t.finish)
            epilogue_rows<Isa>(
                {t.finish, x, 0, data_type::f32, dst, 0, 1, n, {0, 0, 0, row, column}});
        else
            row_from_f32<Isa>(x, n, t.dst_type, dst);
    }
}

template <class Isa>
void backward_in_pieces(const eltwise_args &t, const void *diff_dst, const void *saved, void *dst) {
    alignas(64) f32 gradient[row_piece], x[row_piece];
    for (dim_t column = 0; column < t.columns; column += row_piece) {
        const dim_t n = smaller(row_piece, t.columns - column);
        row_to_f32<Isa>(element_at(diff_dst, t.src_type, column * t.src_column_stride), t.src_type,
            t.src_column_stride, n, gradient);
        row_to_f32<Isa>(element_at(saved, t.saved_type, column * t.saved_column_stride),
            t.saved_type, t.saved_column_stride, n, x);
        backward<Isa, f32>(t, gradient, x, x, n);
        row_from_f32<Isa>(x, n, t.dst_type, element_at(dst, t.dst_type, column));
    }
}

} // namespace

template <class Isa> void eltwise_forward_rows(const eltwise_args &t) {
    const bool direct = !t.finish && t.src_type == t.dst_type && t.src_column_stride == 1 &&
                        computes_in_place(t.src_type);
    for (dim_t row = 0; row < t.rows; ++row) {
        const void *src = element_at(t.src, t.src_type, row * t.src_row_stride);
        if (direct)
            forward_row<Isa>(
                t, src, element_at(t.dst, t.dst_type, row * t.dst_row_stride), t.columns);
        else
            forward_in_pieces<Isa>(t, src, row);
    }
}

template <class Isa> void eltwise_backward_rows(const eltwise_args &t) {
    const bool direct = t.src_type == t.dst_type && t.saved_type == t.dst_type &&
                        t.src_column_stride == 1 && t.saved_column_stride == 1 &&
                        computes_in_place(t.src_type);
    for (dim_t row = 0; row < t.rows; ++row) {
        const void *diff_dst = element_at(t.src, t.src_type, row * t.src_row_stride);
        const void *saved = element_at(t.saved, t.saved_type, row * t.saved_row_stride);
        void *dst = element_at(t.dst, t.dst_type, row * t.dst_row_stride);
        if (direct)
            backward_row<Isa>(t, diff_dst, saved, dst, t.columns);
        else
            backward_in_pieces<Isa>(t, diff_dst, saved, dst);
    }
}

template void eltwise_forward_rows<this_isa>(const eltwise_args &);
template void eltwise_backward_rows<this_isa>(const eltwise_args &);

} // namespace dnnl::impl::cpu
