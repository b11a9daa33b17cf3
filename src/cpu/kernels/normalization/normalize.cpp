// SPDX-License-Identifier: Apache-2.0
// Normalization over rows; see normalize.hpp. Rows become f32 in pieces that stay in L1.
#include "cpu/kernels/normalization/normalize.hpp"

#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/simd/this_isa.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t block_rows = 8, block_columns = 256; // where sums run over rows
constexpr int accumulators = 4;                      // where they run over columns

// The values under n elements from (row, column) on.
template <class Isa>
DNNL_INLINE vec<f32, Isa> under(const normalize_values &v, dim_t row, dim_t column, dim_t n) {
    const f32 *p = v.data + row * v.row_stride;
    return v.column_stride ? load_up_to<Isa>(p + column, n) : vec<f32, Isa>::set(*p);
}

// Parts of rows as f32, and where they begin.
struct row_part {
    const f32 *src, *diff, *passed;
    dim_t row, column;
};
template <int columns> struct row_buffers {
    alignas(64) f32 src[columns], diff[columns], passed[columns];
};

template <class Isa, int columns>
DNNL_INLINE row_part part_of(
    const row_tile &t, dim_t row, dim_t column, dim_t n, row_buffers<columns> &buffers) {
    const auto values = [&](const row_tensor &x, f32 *buffer) {
        return x.data ? values_of<Isa>(x, row, column, n, buffer) : nullptr;
    };
    return {values(t.src[0], buffers.src), values(t.src[1], buffers.diff),
        values(t.src[2], buffers.passed), row, column};
}

// d and z of normalize.hpp for n elements from index i of the part.
template <class Isa> DNNL_INLINE vec<f32, Isa> gradient(const row_part &p, dim_t i, dim_t n) {
    using v = vec<f32, Isa>;
    const v d = load_up_to<Isa>(p.diff + i, n);
    return p.passed ? select(load_up_to<Isa>(p.passed + i, n) > v::zero(), d, v::zero()) : d;
}
template <class Isa>
DNNL_INLINE vec<f32, Isa> deviation(const normalize_args &a, const row_part &p, dim_t i, dim_t n) {
    return load_up_to<Isa>(p.src + i, n) - under<Isa>(a.mean, p.row, p.column + i, n);
}

// What is summed: one or two terms per element.
struct plain_term {
    static constexpr int count = 1;
    template <class Isa>
    DNNL_INLINE static void add(const normalize_args &, const row_part &p, dim_t i, dim_t n,
        vec<f32, Isa> (&sum)[count], bool) {
        sum[0] = sum[0] + load_up_to<Isa>(p.src + i, n);
    }
};
struct square_term {
    static constexpr int count = 1;
    template <class Isa>
    DNNL_INLINE static void add(const normalize_args &a, const row_part &p, dim_t i, dim_t n,
        vec<f32, Isa> (&sum)[count], bool whole) {
        using v = vec<f32, Isa>;
        v d = deviation<Isa>(a, p, i, n);
        if (!whole) d = select(v::lanes::first(n), d, v::zero());
        sum[0] = fma(d, d, sum[0]);
    }
};
struct gradient_terms {
    static constexpr int count = 2;
    template <class Isa>
    DNNL_INLINE static void add(const normalize_args &a, const row_part &p, dim_t i, dim_t n,
        vec<f32, Isa> (&sum)[count], bool whole) {
        using v = vec<f32, Isa>;
        v d = gradient<Isa>(p, i, n);
        if (a.scale.data) d = d * under<Isa>(a.scale, p.row, p.column + i, n);
        v z = deviation<Isa>(a, p, i, n) * under<Isa>(a.inverse, p.row, p.column + i, n);
        if (!whole) {
            d = select(v::lanes::first(n), d, v::zero());
            z = select(v::lanes::first(n), z, v::zero());
        }
        sum[0] = sum[0] + d;
        sum[1] = fma(d, z, sum[1]);
    }
};

// One sum per row, or one for all rows. Chains of additions stay short: lanes are added up after
// some rows, and rows that share lanes begin with different accumulators.
template <class Isa, class Term> [[gnu::flatten]] void sum_columns(const normalize_args &a) {
    using v = vec<f32, Isa>;
    constexpr dim_t shared_rows = 16, shared_elements = 4096;
    row_buffers<row_piece> buffers;
    f32 *const out[] = {a.sums, a.products};
    v sum[accumulators][Term::count];
    dim_t rows_summed = 0;
    for (dim_t row = 0; row < a.tile.rows; ++row) {
        if (rows_summed == 0)
            for (auto &s : sum)
                for (v &x : s) x = v::zero();
        for (dim_t c = 0; c < a.tile.columns; c += row_piece) {
            const dim_t n = smaller(row_piece, a.tile.columns - c);
            const row_part p = part_of<Isa>(a.tile, row, c, n, buffers);
            dim_t i = 0;
            for (; i + accumulators * v::size <= n; i += accumulators * v::size) {
#pragma GCC unroll 4
                for (int k = 0; k < accumulators; ++k)
                    Term::template add<Isa>(a, p, i + k * v::size, v::size, sum[k], true);
            }
            for (dim_t k = rows_summed; i < n; i += v::size, ++k)
                Term::template add<Isa>(
                    a, p, i, smaller(v::size, n - i), sum[k % accumulators], n - i >= v::size);
        }
        ++rows_summed;
        const bool goes_on = !a.sums_row_stride && row + 1 < a.tile.rows &&
                             rows_summed < shared_rows &&
                             (rows_summed + 1) * a.tile.columns <= shared_elements;
        if (goes_on) continue;
        for (int t = 0; t < Term::count; ++t)
            out[t][row * a.sums_row_stride] +=
                reduce_add((sum[0][t] + sum[1][t]) + (sum[2][t] + sum[3][t]));
        rows_summed = 0;
    }
}

// Adds up to block_rows rows, column by column, first to each other and then to the sums.
template <class Isa, class Term>
DNNL_INLINE void add_block(const normalize_args &a, const row_part (&parts)[block_rows], dim_t rows,
    dim_t columns, f32 *const (&sums)[2]) {
    using v = vec<f32, Isa>;
    for (dim_t i = 0; i < columns; i += v::size) {
        const dim_t n = smaller(v::size, columns - i);
        v sum[Term::count];
        for (v &x : sum) x = v::zero();
        for (dim_t r = 0; r < rows; ++r) Term::template add<Isa>(a, parts[r], i, n, sum, true);
        for (int t = 0; t < Term::count; ++t)
            store_up_to(sums[t] + i, load_up_to<Isa>(sums[t] + i, n) + sum[t], n);
    }
}

// One sum per column: blocks of rows, their sums over some blocks, and the sums of these.
template <class Isa, class Term> [[gnu::flatten]] void sum_rows(const normalize_args &a) {
    constexpr dim_t partial_rows = 32 * block_rows;
    row_buffers<block_columns> buffers[block_rows];
    row_part parts[block_rows];
    alignas(64) f32 partial[2][block_columns];
    // Rows with sums of their own do not share a block.
    const dim_t together = a.sums_row_stride ? 1 : block_rows;
    for (dim_t c = 0; c < a.tile.columns; c += block_columns) {
        const dim_t columns = smaller(block_columns, a.tile.columns - c);
        for (dim_t row = 0; row < a.tile.rows; row += together) {
            const dim_t rows = smaller(together, a.tile.rows - row),
                        first = row * a.sums_row_stride + c;
            for (dim_t r = 0; r < rows; ++r)
                parts[r] = part_of<Isa>(a.tile, row + r, c, columns, buffers[r]);
            f32 *const out[2] = {a.sums + first, a.products + first};
            if (a.sums_row_stride || a.tile.rows <= block_rows) {
                add_block<Isa, Term>(a, parts, rows, columns, out);
                continue;
            }
            f32 *const sums[2] = {partial[0], partial[1]};
            if (row % partial_rows == 0)
                for (int t = 0; t < Term::count; ++t)
                    for (dim_t i = 0; i < columns; ++i) partial[t][i] = 0;
            add_block<Isa, Term>(a, parts, rows, columns, sums);
            if (row + rows < a.tile.rows && (row + rows) % partial_rows != 0) continue;
            for (int t = 0; t < Term::count; ++t)
                for (dim_t i = 0; i < columns; ++i) out[t][i] += partial[t][i];
        }
    }
}

template <class Isa, class Term> void sum_up(const normalize_args &a) {
    if (a.sums_column_stride)
        sum_rows<Isa, Term>(a);
    else
        sum_columns<Isa, Term>(a);
}

// Calls compute(part, i, n) for the vectors of all rows and stores what it gives.
template <class Isa, class Compute>
DNNL_INLINE void for_each_result(const row_tile &t, const Compute &compute) {
    row_buffers<row_piece> buffers;
    alignas(64) f32 results[row_piece];
    for (dim_t row = 0; row < t.rows; ++row)
        for (dim_t c = 0; c < t.columns; c += row_piece) {
            const dim_t columns = smaller(row_piece, t.columns - c);
            const row_part p = part_of<Isa>(t, row, c, columns, buffers);
            f32 *y = results_at(t, row, c, results);
            for_vectors<Isa>(
                columns, [&](dim_t i, dim_t n) { store_up_to(y + i, compute(p, i, n), n); });
            finish_row<Isa>(t, y, columns, row, c);
        }
}

} // namespace

template <class Isa> void normalize_sums(const normalize_args &a) { sum_up<Isa, plain_term>(a); }
template <class Isa> void normalize_squares(const normalize_args &a) {
    sum_up<Isa, square_term>(a);
}
template <class Isa> void normalize_gradient_sums(const normalize_args &a) {
    sum_up<Isa, gradient_terms>(a);
}

template <class Isa> [[gnu::flatten]] void normalize_forward(const normalize_args &a) {
    using v = vec<f32, Isa>;
    row_tile tile = a.tile;
    const row_tensor passed = tile.src[2];
    tile.src[2].data = nullptr; // not read
    for_each_result<Isa>(tile, [&](const row_part &p, dim_t i, dim_t n) {
        const dim_t column = p.column + i;
        const v factor =
            under<Isa>(a.inverse, p.row, column, n) * under<Isa>(a.scale, p.row, column, n);
        const v y = fma(deviation<Isa>(a, p, i, n), factor, under<Isa>(a.shift, p.row, column, n));
        if (!a.relu) return y;
        const v flags = select(y > v::zero(), v::set(1.0f), v::zero());
        if (passed.data)
            store_up_to(reinterpret_cast<u8 *>(element(passed, p.row, column)), flags, n);
        return select(y <= v::zero(), v::zero(), y);
    });
}

template <class Isa> [[gnu::flatten]] void normalize_backward(const normalize_args &a) {
    using v = vec<f32, Isa>;
    for_each_result<Isa>(a.tile, [&](const row_part &p, dim_t i, dim_t n) {
        const dim_t column = p.column + i;
        const v inverse = under<Isa>(a.inverse, p.row, column, n);
        v d = gradient<Isa>(p, i, n) * under<Isa>(a.scale, p.row, column, n);
        if (a.sum_part.data) {
            const v z = deviation<Isa>(a, p, i, n) * inverse;
            d = d - fma(z, under<Isa>(a.product_part, p.row, column, n),
                        under<Isa>(a.sum_part, p.row, column, n));
        }
        return inverse * d;
    });
}

template void normalize_sums<this_isa>(const normalize_args &);
template void normalize_squares<this_isa>(const normalize_args &);
template void normalize_gradient_sums<this_isa>(const normalize_args &);
template void normalize_forward<this_isa>(const normalize_args &);
template void normalize_backward<this_isa>(const normalize_args &);

} // namespace dnnl::impl::cpu
