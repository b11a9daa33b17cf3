// SPDX-License-Identifier: Apache-2.0
// The binary primitive on rows; pieces of a row are converted into L1, combined and stored.
#include "cpu/kernels/elementwise/elementwise.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/eltwise.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

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

template <class Isa> void combine(algorithm alg, const f32 *a, const f32 *b, f32 *out, dim_t n) {
    with_binary<Isa>(alg, [=](auto f) { map<Isa>(a, b, out, n, f); });
}

template <class Isa> void combine(algorithm alg, const s32 *a, const s32 *b, s32 *out, dim_t n) {
    using v = vec<s32, Isa>;
    const v one = v::set(1), zero = v::zero();
    const auto apply = [=](auto f) { map<Isa>(a, b, out, n, f); };
    switch (alg) {
    case algorithm::binary_max: return apply([](v x, v y) { return max(x, y); });
    case algorithm::binary_min: return apply([](v x, v y) { return min(x, y); });
    case algorithm::binary_ge: return apply([=](v x, v y) { return select(x >= y, one, zero); });
    case algorithm::binary_gt: return apply([=](v x, v y) { return select(x > y, one, zero); });
    case algorithm::binary_le: return apply([=](v x, v y) { return select(x <= y, one, zero); });
    case algorithm::binary_lt: return apply([=](v x, v y) { return select(x < y, one, zero); });
    case algorithm::binary_eq: return apply([=](v x, v y) { return select(x == y, one, zero); });
    default: return apply([=](v x, v y) { return select(x != y, one, zero); });
    }
}

template <class Isa, class Value>
void choose(const s32 *which, const Value *a, const Value *b, Value *out, dim_t n) {
    for_vectors<Isa>(n, [&](dim_t i, dim_t m) {
        const auto first = load_up_to<Isa, s32>(which + i, m) != vec<s32, Isa>::zero();
        const auto x = load_up_to<Isa, Value>(a + i, m), y = load_up_to<Isa, Value>(b + i, m);
        store_up_to(out + i, select(first, x, y), m);
    });
}

template <class Isa, class Value> void run(const row_tile &t, const binary_args &args) {
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
                combine<Isa>(args.alg, a, b, out, n);
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

} // namespace

template <class Isa> void binary_rows(const row_tile &tile, const binary_args &args) {
    if (tile.dst.type == data_type::f64)
        run_f64<Isa>(tile, args);
    else if (args.integer)
        run<Isa, s32>(tile, args);
    else
        run<Isa, f32>(tile, args);
}
template void binary_rows<this_isa>(const row_tile &, const binary_args &);

} // namespace dnnl::impl::cpu
