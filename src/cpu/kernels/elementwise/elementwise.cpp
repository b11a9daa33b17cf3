// SPDX-License-Identifier: Apache-2.0
// Eltwise, binary and sum on rows, whose pieces are converted into L1, combined and stored.
// Eltwise of adjacent f32, bf16 and f16 elements is computed in one pass.
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/simd/eltwise.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {

namespace {

// ---- Eltwise ----

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
    with_float(t.dst.type,
        [&](auto e) { compute<Isa, Forward, decltype(e)>(a, x, saved, dst, t.columns); });
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

// ---- Binary ----

// n elements of source s times its scale; the buffer has room for whole vectors.
template <class Isa, class Value>
const Value *scaled_values(const row_tile &t, const binary_args &a, int s, dim_t row, dim_t column,
    dim_t n, Value *buffer) {
    const Value *x = values_of<Isa>(t.src[s], row, column, n, buffer);
    if constexpr (is_whole<Value>)
        return x;
    else {
        using v = vec<f32, Isa>;
        if (a.scale[s] == 1.0f) return x;
        for (dim_t i = 0; i < n; i += v::size)
            (load_up_to<Isa>(x + i, n - i) * v::set(a.scale[s])).store(buffer + i);
        return buffer;
    }
}

// out[i] = f(a[i], b[i])
template <class Isa, class Value, class F>
DNNL_INLINE void map(const Value *a, const Value *b, Value *out, dim_t n, const F &f) {
    for_vectors<Isa>(n, [&](dim_t i, dim_t m) {
        store_up_to(
            out + i, f(load_up_to<Isa, Value>(a + i, m), load_up_to<Isa, Value>(b + i, m)), m);
    });
}

template <class Isa, class Value>
void choose(const s32 *which, const Value *a, const Value *b, Value *out, dim_t n) {
    for_vectors<Isa>(n, [&](dim_t i, dim_t m) {
        const auto first = load_up_to<Isa, s32>(which + i, m) != vec<s32, Isa>::zero();
        const auto x = load_up_to<Isa, Value>(a + i, m), y = load_up_to<Isa, Value>(b + i, m);
        store_up_to(out + i, select(first, x, y), m);
    });
}

template <class Isa, class Value> void run_binary(const row_tile &t, const binary_args &args) {
    alignas(64) Value a_buffer[row_piece], b_buffer[row_piece], results[row_piece];
    alignas(64) s32 which_buffer[row_piece];
    for (dim_t row = 0; row < t.rows; ++row)
        for (dim_t column = 0; column < t.columns; column += row_piece) {
            const dim_t n = smaller(row_piece, t.columns - column);
            Value *out = results_at(t, row, column, results);
            const Value *a = scaled_values<Isa>(t, args, 0, row, column, n, a_buffer);
            const Value *b = scaled_values<Isa>(t, args, 1, row, column, n, b_buffer);
            if (args.alg == algorithm::binary_select)
                choose<Isa>(values_of<Isa>(t.src[2], row, column, n, which_buffer), a, b, out, n);
            else
                with_binary<Isa, Value>(args.alg, [=](auto f) { map<Isa>(a, b, out, n, f); });
            finish_row<Isa>(t, out, n, row, column);
        }
}

// dst = f(src[0] * scale[0], src[1] * scale[1]) in f64.
template <class Isa, class F> void map_f64(const row_tile &t, const binary_args &args, const F &f) {
    const double scale0 = args.scale[0], scale1 = args.scale[1];
    for (dim_t row = 0; row < t.rows; ++row) {
        const auto *a = reinterpret_cast<const double *>(element(t.src[0], row, 0));
        const auto *b = reinterpret_cast<const double *>(element(t.src[1], row, 0));
        auto *dst = reinterpret_cast<double *>(element(t.dst, row, 0));
        const dim_t a_step = t.src[0].column, b_step = t.src[1].column;
        if (a_step == 1 && b_step == 1)
            for (dim_t i = 0; i < t.columns; ++i) dst[i] = f(a[i] * scale0, b[i] * scale1);
        else
            for (dim_t i = 0; i < t.columns; ++i)
                dst[i] = f(a[i * a_step] * scale0, b[i * b_step] * scale1);
    }
}

template <class Isa> void choose_f64(const row_tile &t, const binary_args &args) {
    for (dim_t row = 0; row < t.rows; ++row)
        for (dim_t i = 0; i < t.columns; ++i) {
            const int s = *element(t.src[2], row, i) == 0;
            *reinterpret_cast<double *>(element(t.dst, row, i)) =
                *reinterpret_cast<const double *>(element(t.src[s], row, i)) *
                static_cast<double>(args.scale[s]);
        }
}

template <class Isa> void run_f64(const row_tile &t, const binary_args &a) {
    using d = double;
    const auto map = [&](auto f) { map_f64<Isa>(t, a, f); };
    switch (a.alg) {
    case algorithm::binary_add: return map([](d x, d y) { return x + y; });
    case algorithm::binary_sub: return map([](d x, d y) { return x - y; });
    case algorithm::binary_mul: return map([](d x, d y) { return x * y; });
    case algorithm::binary_div: return map([](d x, d y) { return x / y; });
    case algorithm::binary_max: return map([](d x, d y) { return x > y ? x : y; });
    case algorithm::binary_min: return map([](d x, d y) { return x < y ? x : y; });
    case algorithm::binary_ge: return map([](d x, d y) { return d(x >= y); });
    case algorithm::binary_gt: return map([](d x, d y) { return d(x > y); });
    case algorithm::binary_le: return map([](d x, d y) { return d(x <= y); });
    case algorithm::binary_lt: return map([](d x, d y) { return d(x < y); });
    case algorithm::binary_eq: return map([](d x, d y) { return d(x == y); });
    case algorithm::binary_ne: return map([](d x, d y) { return d(x != y); });
    default: return choose_f64<Isa>(t, a);
    }
}

// ---- Sum ----

// At most row_piece elements of a row.
template <class Isa> void sum_piece(const sum_args &a, dim_t r, dim_t c, dim_t n) {
    alignas(64) f32 x[row_piece];
    alignas(64) double total[row_piece];
    for (dim_t i = 0; i < n; ++i) total[i] = 0;
    for (int s = 0; s < a.count; ++s) {
        const row_tensor &t = a.srcs[s];
        row_to_f32<Isa>(element(t, r, c), t.type, t.column, n, x);
        const double scale = a.scales[s];
        for (dim_t i = 0; i < n; ++i) total[i] += scale * static_cast<double>(x[i]);
    }
    for (dim_t i = 0; i < n; ++i) x[i] = static_cast<f32>(total[i]);
    char *dst = element(a.dst, r, c);
    if (a.dst.column == 1) return row_from_f32<Isa>(x, n, a.dst.type, dst);
    copy_tile_args scattered {};
    scattered.src = x;
    scattered.dst = dst;
    scattered.rows = 1;
    scattered.columns = n;
    scattered.src_column = 1;
    scattered.dst_column = a.dst.column;
    scattered.src_type = data_type::f32;
    scattered.dst_type = a.dst.type;
    scattered.through_f32 = true;
    copy_tile<Isa>(scattered);
}

} // namespace

template <class Isa, bool Forward> void eltwise_rows(const row_tile &t, const eltwise_args &a) {
    const data_type type = t.dst.type;
    const auto is_direct = [&](const row_tensor &s) { return s.type == type && s.column == 1; };
    const bool direct =
        !t.finish && is_direct(t.src[0]) && (Forward || is_direct(t.src[1])) &&
        (type == data_type::f32 || type == data_type::bf16 || type == data_type::f16);
    for (dim_t row = 0; row < t.rows; ++row)
        direct ? compute_row<Isa, Forward>(t, a, row) : compute_in_pieces<Isa, Forward>(t, a, row);
}

template <class Isa> void binary_rows(const row_tile &tile, const binary_args &args) {
    if (tile.dst.type == data_type::f64)
        run_f64<Isa>(tile, args);
    else if (args.integer)
        run_binary<Isa, s32>(tile, args);
    else
        run_binary<Isa, f32>(tile, args);
}

template <class Isa> void sum_tile(const sum_args &a) {
    for (dim_t r = 0; r < a.rows; ++r)
        for (dim_t c = 0; c < a.columns; c += row_piece)
            sum_piece<Isa>(a, r, c, smaller(row_piece, a.columns - c));
}

template void eltwise_rows<this_isa, true>(const row_tile &, const eltwise_args &);
template void eltwise_rows<this_isa, false>(const row_tile &, const eltwise_args &);
template void binary_rows<this_isa>(const row_tile &, const binary_args &);
template void sum_tile<this_isa>(const sum_args &);

} // namespace dnnl::impl::cpu
