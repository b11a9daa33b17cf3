// SPDX-License-Identifier: Apache-2.0
// PReLU and the gradient of its weights on rows; see elementwise_kernels.hpp. Adjacent elements of
// one float type are computed in one pass, others in pieces that are converted into L1.
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/block.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

namespace {

bool is_float_type(data_type type) {
    return type == data_type::f32 || type == data_type::bf16 || type == data_type::f16;
}
bool is_adjacent(const row_tensor &x, data_type type) { return x.type == type && x.column == 1; }

// dst[i] = y(i, lanes) for n elements: y returns a vector, of which `lanes` elements are stored.
template <class Isa, class T, class Results>
DNNL_INLINE void store_all(T *dst, dim_t n, const Results &y) {
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t i = 0;
    for (; i + 2 * size <= n; i += 2 * size)
        store_pair(dst + i, y(i, all_lanes {}), y(i + size, all_lanes {}), 2 * size);
    for (; i < n; i += size) {
        const dim_t left = smaller(size, n - i);
        store_as(dst + i, y(i, left), left);
    }
}

// Computes a row of adjacent elements of type T; weights are adjacent, or with OneWeight only one.
template <class Isa, class T, bool OneWeight>
[[gnu::flatten]] void direct_row(const T *src, const T *x, const T *weights, T *dst, dim_t n) {
    using v = vec<f32, Isa>;
    const v one = load_as_f32<Isa>(weights, dim_t {1}), first = v::set(reduce_add(one));
    store_all<Isa>(dst, n, [&](dim_t i, auto lanes) {
        const v s = load_as_f32<Isa>(src + i, lanes), y = load_as_f32<Isa>(x + i, lanes);
        v w = first;
        if constexpr (!OneWeight) w = load_as_f32<Isa>(weights + i, lanes);
        return select(s > v::zero(), y, y * w);
    });
}
template <class Isa> void direct_rows(const row_tile &t, bool forward) {
    with_float(t.dst.type, [&](auto e) {
        using T = decltype(e);
        const auto run =
            t.src[1].column == 1 ? direct_row<Isa, T, false> : direct_row<Isa, T, true>;
        for (dim_t row = 0; row < t.rows; ++row)
            run(element_as<T>(t.src[0], row), element_as<T>(t.src[forward ? 0 : 2], row),
                element_as<T>(t.src[1], row), element_as<T>(t.dst, row), t.columns);
    });
}

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

// min(src[i], 0) * diff_dst[i]; zero where src[i] is above 0.
template <class Isa, class T>
[[gnu::flatten]] void products(const T *src, const T *diff_dst, dim_t n, f32 *out) {
    using v = vec<f32, Isa>;
    for_vectors<Isa>(n, [&](dim_t i, dim_t m) {
        const v x = load_up_to<Isa>(src + i, m), d = load_up_to<Isa>(diff_dst + i, m);
        select(x > v::zero(), v::zero(), x * d).store(out + i);
    });
}

// These products for n elements of row `row` from column c on, and zeros up to a whole vector.
template <class Isa>
[[gnu::noinline]] void products_of(
    const row_tensor &src, const row_tensor &diff_dst, dim_t row, dim_t c, dim_t n, f32 *out) {
    if (is_float_type(src.type) && is_adjacent(src, src.type) && is_adjacent(diff_dst, src.type))
        return with_float(src.type, [&](auto e) {
            using T = decltype(e);
            products<Isa>(
                element_as<const T>(src, row, c), element_as<const T>(diff_dst, row, c), n, out);
        });
    alignas(64) f32 s_buffer[row_piece], d_buffer[row_piece];
    products<Isa>(values_of<Isa>(src, row, c, n, s_buffer),
        values_of<Isa>(diff_dst, row, c, n, d_buffer), n, out);
}

// Both gradients of a row; diff_src may be diff_dst. The gradient of a weight is a sum that begins
// with 0, so a product of -0 becomes 0.
template <class Isa, class T> struct gradients {
    using v = vec<f32, Isa>;
    const T *src, *diff_dst, *weights;
    T *diff_src, *diff_weights;

    DNNL_INLINE static v of_source(v x, v d, v w) { return select(x > v::zero(), d, d * w); }
    DNNL_INLINE static v of_weights(v x, v d) {
        return select(x > v::zero(), v::zero(), x * d) + v::zero();
    }
    DNNL_INLINE void store(dim_t n) const {
        dim_t i = 0;
        if constexpr (!__is_same(T, f16)) {
            using pair = block<Isa, T, 2>;
            for (; i + pair::size <= n; i += pair::size) {
                const pair x = pair::load(src + i), d = pair::load(diff_dst + i),
                           w = pair::load(weights + i);
                const v x0 = x.x[0], x1 = x.x[1], d0 = d.x[0], d1 = d.x[1];
                pair {{of_source(x0, d0, w.x[0]), of_source(x1, d1, w.x[1])}}.store(diff_src + i);
                pair {{of_weights(x0, d0), of_weights(x1, d1)}}.store(diff_weights + i);
            }
        }
        for (; i < n; i += v::size) {
            const dim_t m = smaller(v::size, n - i);
            const v x = load_up_to<Isa>(src + i, m), d = load_up_to<Isa>(diff_dst + i, m);
            store_up_to(diff_src + i, of_source(x, d, load_up_to<Isa>(weights + i, m)), m);
            store_up_to(diff_weights + i, of_weights(x, d), m);
        }
    }
};

} // namespace

template <class Isa> void prelu_rows(const row_tile &tile, bool forward) {
    const data_type type = tile.dst.type;
    const row_tensor &weights = tile.src[1];
    if (!tile.finish && is_float_type(type) && is_adjacent(tile.src[0], type) &&
        weights.type == type && weights.column <= 1 && (forward || is_adjacent(tile.src[2], type)))
        return direct_rows<Isa>(tile, forward);
    is_integer_type(type) ? run_prelu<Isa, s32>(tile, forward) : run_prelu<Isa, f32>(tile, forward);
}

template <class Isa> void prelu_gradients(const row_tile &t) {
    with_float(t.dst.type, [&](auto e) {
        using T = decltype(e);
        for (dim_t row = 0; row < t.rows; ++row)
            gradients<Isa, T> {element_as<T>(t.src[0], row), element_as<T>(t.src[1], row),
                element_as<T>(t.src[2], row), element_as<T>(t.src[3], row),
                element_as<T>(t.dst, row)}
                .store(t.columns);
    });
}

template <class Isa, bool ByColumns> void prelu_weights(const prelu_weights_args &t) {
    constexpr dim_t rows_at_once = ByColumns ? 8 : 1; // long rows are read from end to end
    alignas(64) f32 part[rows_at_once * row_piece];
    reduce_args call {reduced_by::sum, 0, {part, data_type::f32, row_piece, 1}, 0, 0, nullptr};
    for (dim_t row = 0; row < t.rows; row += rows_at_once)
        for (dim_t c = 0; c < t.columns; c += row_piece) {
            call.rows = smaller(rows_at_once, t.rows - row);
            call.columns = smaller(row_piece, t.columns - c);
            call.totals = t.totals + (ByColumns ? c : row);
            for (dim_t r = 0; r < call.rows; ++r)
                products_of<Isa>(t.src, t.diff_dst, row + r, c, call.columns, part + r * row_piece);
            ByColumns ? reduce_columns<Isa>(call) : reduce_rows<Isa>(call);
        }
}

template void prelu_rows<this_isa>(const row_tile &, bool);
template void prelu_gradients<this_isa>(const row_tile &);
template void prelu_weights<this_isa, true>(const prelu_weights_args &);
template void prelu_weights<this_isa, false>(const prelu_weights_args &);

} // namespace dnnl::impl::cpu
