// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/elementwise/attention_rows.hpp"

#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/math.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {
namespace {

constexpr f32 lowest = -__builtin_inff();

// Weights are computed from pairs of vectors: so many lanes of a row at once.
template <class Isa> constexpr dim_t pair = 2 * vec<f32, Isa>::size;

// Replaces the sums of a row by its scores, as f32, and returns the largest one. Scores that fill
// up the last pair are -infinity.
template <class Isa, class Sum>
DNNL_INLINE f32 scores_of(Sum *sums, const f32 *mask, f32 factor, dim_t n) {
    using v = vec<f32, Isa>;
    f32 *scores = reinterpret_cast<f32 *>(sums);
    v best = v::set(lowest);
    for (dim_t i = 0; i < n; i += v::size) {
        v x = load_as_f32<Isa>(sums + i) * v::set(factor);
        if (mask) x = x + load_up_to<Isa>(mask + i, n - i);
        if (n - i < v::size) x = select(v::lanes::first(n - i), x, v::set(lowest));
        x.store(scores + i);
        best = max(best, x);
    }
    for (dim_t i = (n + v::size - 1) / v::size * v::size; i % pair<Isa> != 0; i += v::size)
        v::set(lowest).store(scores + i);
    return reduce_max(best);
}

// Stores exp(scores - largest) as weights and returns their sum, that of bytes as rounded.
template <class Isa, class T>
DNNL_INLINE f32 weights_of(const f32 *scores, f32 largest, dim_t n, T *weights) {
    using v = vec<f32, Isa>;
    v sum[2] {v::zero(), v::zero()};
    const auto weight = [&](dim_t i) __attribute__((always_inline)) {
        const v y = exp_nonpositive<Isa>(v::load(scores + i) - v::set(largest));
        return is_byte<T> ? round_even(y * v::set(255.0f)) : y;
    };
    for (dim_t i = 0; i < n; i += pair<Isa>) {
        const v first = weight(i), second = weight(i + v::size);
        sum[0] = sum[0] + first;
        sum[1] = sum[1] + second;
        store_pair(weights + i, first, second);
    }
    return reduce_add(sum[0] + sum[1]);
}

template <class Isa, class Sum, class T>
void rows_of_scores(const attention_args &a, Sum *sums, T *weights) {
    using v = vec<f32, Isa>;
    for (dim_t r = 0; r < a.rows; ++r, sums += a.sums_stride, weights += a.weights_stride) {
        const dim_t visible = a.visible + r * a.more;
        const dim_t n = visible < 0 ? 0 : smaller(visible, a.keys);
        const f32 *mask = nullptr;
        if (a.mask)
            mask = row_values<Isa>(element_at(a.mask, a.mask_type, r * a.mask_stride), a.mask_type,
                1, n, a.mask_buffer);
        const f32 before = a.largest[r], here = scores_of<Isa>(sums, mask, a.scale, n);
        const f32 largest = here > before ? here : before;
        const f32 base = largest == lowest ? 0 : largest; // exp(-inf) is 0 then, and not NaN
        const f32 sum = weights_of<Isa>(reinterpret_cast<const f32 *>(sums), base, n, weights);
        exp_nonpositive<Isa>(v::set(before - base)).store(a.correction + r, dim_t {1});
        a.largest[r] = largest;
        a.sum[r] = a.sum[r] * a.correction[r] + sum;
        if (n < a.keys) // they are not seen
            __builtin_memset(weights + n, 0, std::size_t(a.keys - n) * sizeof(T));
    }
}

template <class Isa, class Product>
void rows_of_results(const attention_args &a, const Product *products) {
    using v = vec<f32, Isa>;
    f32 *results = a.results;
    for (dim_t r = 0; r < a.rows; ++r, results += a.results_stride, products += a.products_stride) {
        const v correction = v::set(a.correction[r]);
        f32 *to = results;
        v last = v::set(1.0f);
        if (a.dst) {
            last = v::set(a.sum[r] == 0 ? 0 : a.dst_scale / a.sum[r]); // 0 where no key is seen
            if (a.dst_type == data_type::f32) to = static_cast<f32 *>(a.dst) + r * a.dst_stride;
        }
        for_vectors<Isa>(
            a.columns, [&](dim_t i, dim_t lanes) __attribute__((always_inline)) {
                // The rows of both buffers are padded to whole vectors.
                const v y = fma(v::load(results + i), correction, load_as_f32<Isa>(products + i));
                store_up_to(to + i, y * last, lanes);
            });
        if (a.dst && to == results)
            row_from_f32<Isa>(
                results, a.columns, a.dst_type, element_at(a.dst, a.dst_type, r * a.dst_stride));
    }
}

} // namespace

template <class Isa> void attention_scores(const attention_args &a) {
    if (a.integers)
        return rows_of_scores<Isa>(a, static_cast<s32 *>(a.sums), static_cast<u8 *>(a.weights));
    with_float(a.weights_type, [&](auto weight) {
        rows_of_scores<Isa>(
            a, static_cast<f32 *>(a.sums), static_cast<decltype(weight) *>(a.weights));
    });
}

template <class Isa> void attention_results(const attention_args &a) {
    a.integers ? rows_of_results<Isa>(a, static_cast<const s32 *>(a.products))
               : rows_of_results<Isa>(a, static_cast<const f32 *>(a.products));
}

template void attention_scores<this_isa>(const attention_args &);
template void attention_results<this_isa>(const attention_args &);

} // namespace dnnl::impl::cpu
