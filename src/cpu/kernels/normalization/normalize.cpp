// SPDX-License-Identifier: Apache-2.0
// Normalization of any types and strides; see normalize.hpp. Rows are converted to f32 in pieces of
// at most 512 elements, which stay in L1.
#include "cpu/kernels/normalization/normalize.hpp"

#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/kernels/normalization/terms.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t block_rows = 8, block_columns = 256; // of sum_rows()
constexpr int accumulators = 4;                      // of sum_columns()

// A part of a row of each source as f32, null where there is no tensor, and where it begins.
struct row_part {
    const f32 *src, *diff, *passed;
    dim_t row, column;
};

// The values under the elements of a row from a column on: adjacent, or one for all.
template <class Isa> struct values_under {
    const f32 *data;
    bool varies;
    DNNL_INLINE vec<f32, Isa> at(dim_t i, dim_t n) const {
        return varies ? load_up_to<Isa>(data + i, n) : vec<f32, Isa>::set(*data);
    }
};
template <class Isa>
DNNL_INLINE values_under<Isa> under(const normalize_values &v, const row_part &p, bool varies) {
    return {v.data + p.row * v.row_stride + (varies ? p.column : 0), varies};
}
template <class Isa>
DNNL_INLINE values_under<Isa> under(const normalize_values &v, const row_part &p) {
    return under<Isa>(v, p, v.column_stride != 0);
}

template <int Columns> struct row_buffers {
    alignas(64) f32 src[Columns], diff[Columns], passed[Columns];
};

template <class Isa, int Columns>
DNNL_INLINE row_part part_of(
    const row_tile &t, dim_t row, dim_t column, dim_t n, row_buffers<Columns> &buffers) {
    const auto values = [&](const row_tensor &x, f32 *buffer) {
        return x.data ? values_of<Isa>(x, row, column, n, buffer) : nullptr;
    };
    return {values(t.src[0], buffers.src), values(t.src[1], buffers.diff),
        values(t.src[2], buffers.passed), row, column};
}

// d of normalize.hpp for n elements from index i of the part.
template <class Isa> DNNL_INLINE vec<f32, Isa> gradient(const row_part &p, dim_t i, dim_t n) {
    using v = vec<f32, Isa>;
    const v d = load_up_to<Isa>(p.diff + i, n);
    return p.passed ? select(load_up_to<Isa>(p.passed + i, n) > v::zero(), d, v::zero()) : d;
}
// Adds the terms of n elements from index i of the part on.
template <class Isa, class Term> struct term_of_part {
    using v = vec<f32, Isa>;
    static constexpr int sums = Term::sums;
    row_part p;
    values_under<Isa> mean, inverse, scale;
    bool scales;
    DNNL_INLINE static term_of_part of(const normalize_args &a, const row_part &p) {
        return {p, under<Isa>(a.mean, p), under<Isa>(a.inverse, p),
            under<Isa>(a.scale.data ? a.scale : a.mean, p), a.scale.data != nullptr};
    }
    DNNL_INLINE void add(dim_t i, dim_t n, v (&sum)[sums]) const {
        v d = v::zero(), m = d, r = d;
        if constexpr (Term::has_mean) m = mean.at(i, n);
        if constexpr (Term::has_gradient) {
            d = gradient<Isa>(p, i, n);
            if (scales) d = d * scale.at(i, n);
            r = inverse.at(i, n);
        }
        Term::add(sum[0], sum[sums - 1], load_up_to<Isa>(p.src + i, n), d, m, r, n);
    }
};

// Computes one sum per row, or one for all rows. That one restarts after 16 rows at the latest, if
// possible before 4,096 elements, and the ends of rows take turns in the accumulators: both bound
// its rounding error. A row is never cut.
template <class Isa, class Term> [[gnu::flatten]] void sum_columns(const normalize_args &a) {
    using v = vec<f32, Isa>;
    constexpr dim_t shared_rows = 16, shared_elements = 4096;
    row_buffers<row_piece> buffers;
    f32 *const out[] = {a.sums, a.products};
    v sum[accumulators][Term::sums];
    dim_t rows_summed = 0;
    for (dim_t row = 0; row < a.tile.rows; ++row) {
        if (rows_summed == 0)
            for (auto &s : sum)
                for (v &x : s) x = v::zero();
        for (dim_t c = 0; c < a.tile.columns; c += row_piece) {
            const dim_t n = smaller(row_piece, a.tile.columns - c);
            const Term term = Term::of(a, part_of<Isa>(a.tile, row, c, n, buffers));
            dim_t i = 0;
            for (; i + accumulators * v::size <= n; i += accumulators * v::size) {
#pragma GCC unroll 4
                for (int k = 0; k < accumulators; ++k) term.add(i + k * v::size, v::size, sum[k]);
            }
            for (dim_t k = rows_summed; i < n; i += v::size, ++k)
                term.add(i, smaller(v::size, n - i), sum[k % accumulators]);
        }
        ++rows_summed;
        const bool goes_on = !a.sums_row_stride && row + 1 < a.tile.rows &&
                             rows_summed < shared_rows &&
                             (rows_summed + 1) * a.tile.columns <= shared_elements;
        if (goes_on) continue;
        for (int t = 0; t < Term::sums; ++t)
            out[t][row * a.sums_row_stride] +=
                reduce_add((sum[0][t] + sum[1][t]) + (sum[2][t] + sum[3][t]));
        rows_summed = 0;
    }
}

// Adds up at most block_rows rows, column by column, and adds the results to `sums`.
template <class Isa, class Term>
DNNL_INLINE void add_block(
    const Term (&terms)[block_rows], dim_t rows, dim_t columns, f32 *const (&sums)[2]) {
    using v = vec<f32, Isa>;
    for (dim_t i = 0; i < columns; i += v::size) {
        const dim_t n = smaller(v::size, columns - i);
        v sum[Term::sums];
        for (v &x : sum) x = v::zero();
        for (dim_t r = 0; r < rows; ++r) terms[r].add(i, n, sum);
        for (int t = 0; t < Term::sums; ++t)
            store_up_to(sums[t] + i, load_up_to<Isa>(sums[t] + i, n) + sum[t], n);
    }
}

// Computes one sum per column, which restarts after 8 and 256 rows to bound its rounding error.
template <class Isa, class Term> [[gnu::flatten]] void sum_rows(const normalize_args &a) {
    constexpr dim_t partial_rows = 32 * block_rows;
    row_buffers<block_columns> buffers[block_rows];
    Term terms[block_rows];
    alignas(64) f32 partial[2][block_columns];
    // Rows with sums of their own do not share a block.
    const dim_t together = a.sums_row_stride ? 1 : block_rows;
    for (dim_t c = 0; c < a.tile.columns; c += block_columns) {
        const dim_t columns = smaller(block_columns, a.tile.columns - c);
        for (dim_t row = 0; row < a.tile.rows; row += together) {
            const dim_t rows = smaller(together, a.tile.rows - row),
                        first = row * a.sums_row_stride + c;
            for (dim_t r = 0; r < rows; ++r)
                terms[r] = Term::of(a, part_of<Isa>(a.tile, row + r, c, columns, buffers[r]));
            f32 *const out[2] = {a.sums + first, a.products + first};
            if (a.sums_row_stride || a.tile.rows <= block_rows) {
                add_block<Isa>(terms, rows, columns, out);
                continue;
            }
            f32 *const sums[2] = {partial[0], partial[1]};
            if (row % partial_rows == 0)
                for (int t = 0; t < Term::sums; ++t)
                    for (dim_t i = 0; i < columns; ++i) partial[t][i] = 0;
            add_block<Isa>(terms, rows, columns, sums);
            if (row + rows < a.tile.rows && (row + rows) % partial_rows != 0) continue;
            for (int t = 0; t < Term::sums; ++t)
                for (dim_t i = 0; i < columns; ++i) out[t][i] += partial[t][i];
        }
    }
}

template <class Isa, class TermOfLanes> void sum_up(const normalize_args &a) {
    using Term = term_of_part<Isa, TermOfLanes>;
    a.sums_column_stride ? sum_rows<Isa, Term>(a) : sum_columns<Isa, Term>(a);
}

// A condition that is part of a type.
template <bool Value> struct always {
    constexpr operator bool() const { return Value; }
};

// Calls compute(part, n, y, statistics_vary, vectors_vary) for parts of rows, whose n results it
// stores from y on. The last two are of types that say whether statistics and vectors vary within a
// row, so that every case has a loop of its own.
template <class Isa, class Compute>
DNNL_INLINE void for_each_part(const normalize_args &a, const row_tile &t, const Compute &compute) {
    row_buffers<row_piece> buffers;
    alignas(64) f32 results[row_piece];
    for (dim_t row = 0; row < t.rows; ++row)
        for (dim_t c = 0; c < t.columns; c += row_piece) {
            const dim_t n = smaller(row_piece, t.columns - c);
            const row_part p = part_of<Isa>(t, row, c, n, buffers);
            f32 *y = results_at(t, row, c, results);
            const auto choose = [&](auto statistics_vary) {
                a.scale.column_stride ? compute(p, n, y, statistics_vary, always<true> {})
                                      : compute(p, n, y, statistics_vary, always<false> {});
            };
            a.mean.column_stride ? choose(always<true> {}) : choose(always<false> {});
            finish_row<Isa>(t, y, n, row, c);
        }
}

} // namespace

template <class Isa>
void inverse_deviations(const f32 *variance, dim_t n, f32 epsilon, f32 *inverse) {
    for (dim_t i = 0; i < n; ++i)
        inverse[i] = static_cast<f32>(1.0 / __builtin_sqrt(double {variance[i]} + epsilon));
}
template <class Isa> void normalize_sums(const normalize_args &a) {
    if (!run_by_channel<Isa>(normalize_step::sums, a)) sum_up<Isa, source_term<Isa>>(a);
}
template <class Isa> void normalize_deviations(const normalize_args &a) {
    if (!run_by_channel<Isa>(normalize_step::deviations, a)) sum_up<Isa, deviation_term<Isa>>(a);
}
template <class Isa> void normalize_gradient_sums(const normalize_args &a) {
    if (!run_by_channel<Isa>(normalize_step::gradient_sums, a)) sum_up<Isa, gradient_term<Isa>>(a);
}

template <class Isa> [[gnu::flatten]] void normalize_forward(const normalize_args &args) {
    using v = vec<f32, Isa>;
    if (run_by_channel<Isa>(normalize_step::forward, args)) return;
    const normalize_args a = args;
    row_tile tile = a.tile;
    const row_tensor passed = tile.src[2];
    tile.src[2].data = nullptr; // written only
    for_each_part<Isa>(a, tile,
        [&](const row_part &p, dim_t columns, f32 *to, auto statistics_vary, auto vectors_vary) {
            const auto mean = under<Isa>(a.mean, p, statistics_vary),
                       inverse = under<Isa>(a.inverse, p, statistics_vary);
            const auto scale = under<Isa>(a.scale, p, vectors_vary),
                       shift = under<Isa>(a.shift, p, vectors_vary);
            for_vectors<Isa>(columns, [&](dim_t i, dim_t n) {
                const v d = load_up_to<Isa>(p.src + i, n) - mean.at(i, n);
                v y = fma(d, inverse.at(i, n) * scale.at(i, n), shift.at(i, n));
                if (a.relu) {
                    const v flags = select(y > v::zero(), v::set(1.0f), v::zero());
                    if (passed.data)
                        store_up_to(
                            reinterpret_cast<u8 *>(element(passed, p.row, p.column + i)), flags, n);
                    y = select(y <= v::zero(), v::zero(), y);
                }
                store_up_to(to + i, y, n);
            });
        });
}

template <class Isa> [[gnu::flatten]] void normalize_backward(const normalize_args &args) {
    using v = vec<f32, Isa>;
    if (run_by_channel<Isa>(normalize_step::backward, args)) return;
    const normalize_args a = args;
    for_each_part<Isa>(a, a.tile,
        [&](const row_part &p, dim_t columns, f32 *to, auto statistics_vary, auto vectors_vary) {
            const bool sums = a.sum_part.data;
            const auto mean = under<Isa>(a.mean, p, statistics_vary),
                       inverse = under<Isa>(a.inverse, p, statistics_vary);
            const auto scale = under<Isa>(a.scale, p, vectors_vary);
            const auto sum_part = under<Isa>(sums ? a.sum_part : a.mean, p, statistics_vary);
            const auto product = under<Isa>(sums ? a.product_part : a.mean, p, statistics_vary);
            for_vectors<Isa>(columns, [&](dim_t i, dim_t n) {
                const v factor = inverse.at(i, n);
                const v d = gradient<Isa>(p, i, n) * scale.at(i, n);
                if (!sums) return store_up_to(to + i, factor * d, n);
                const v z = (load_up_to<Isa>(p.src + i, n) - mean.at(i, n)) * factor;
                store_up_to(
                    to + i, gradient_of<Isa>(d, z, factor, sum_part.at(i, n), product.at(i, n)), n);
            });
        });
}

template void inverse_deviations<this_isa>(const f32 *, dim_t, f32, f32 *);
template void normalize_sums<this_isa>(const normalize_args &);
template void normalize_deviations<this_isa>(const normalize_args &);
template void normalize_gradient_sums<this_isa>(const normalize_args &);
template void normalize_forward<this_isa>(const normalize_args &);
template void normalize_backward<this_isa>(const normalize_args &);

} // namespace dnnl::impl::cpu
