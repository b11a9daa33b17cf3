// SPDX-License-Identifier: Apache-2.0
// Copies of tiles; see movement.hpp. A conversion takes strips, rows or columns of a tile,
// whichever are contiguous in src, through buffers in L1; where dst is contiguous in the other
// direction, a transposition follows.
#include "cpu/kernels/movement/movement.hpp"

#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {
namespace {

// ---- Without conversion ----

// Rows of a size that the compiler knows are copied by loads and stores without a call; 0: others.
template <class Isa, int Bytes> void copy_runs(const copy_tile_args &a, dim_t element) {
    const char *src = static_cast<const char *>(a.src);
    char *dst = static_cast<char *>(a.dst);
    for (dim_t r = 0; r < a.rows; ++r)
        __builtin_memcpy(dst + r * a.dst_row * element, src + r * a.src_row * element,
            Bytes ? Bytes : std::size_t(a.columns * element));
}

template <class Isa> void copy_rows(const copy_tile_args &a, dim_t element) {
    switch (a.columns * element) {
    case 4: return copy_runs<Isa, 4>(a, element);
    case 8: return copy_runs<Isa, 8>(a, element);
    case 16: return copy_runs<Isa, 16>(a, element);
    case 32: return copy_runs<Isa, 32>(a, element);
    case 64: return copy_runs<Isa, 64>(a, element);
    case 128: return copy_runs<Isa, 128>(a, element);
    default: return copy_runs<Isa, 0>(a, element);
    }
}

template <class Isa, class T> void copy_elements(const copy_tile_args &a) {
    const T *src = static_cast<const T *>(a.src);
    T *dst = static_cast<T *>(a.dst);
    for (dim_t r = 0; r < a.rows; ++r)
        for (dim_t c = 0; c < a.columns; ++c)
            dst[r * a.dst_row + c * a.dst_column] = src[r * a.src_row + c * a.src_column];
}

template <class Isa> void move_piece(const copy_tile_args &a) {
    const dim_t element = size_in_bytes(a.src_type);
    if (a.src_column == 1 && a.dst_column == 1) return copy_rows<Isa>(a, element);
    if (element == 1) return copy_elements<Isa, u8>(a);
    if (element == 2) return copy_elements<Isa, f16>(a);
    copy_elements<Isa, s32>(a);
}

template <class Isa> void move_tile(const copy_tile_args &a) {
    if (a.src_row == 1 && a.dst_column == 1 && a.src_column != 1)
        return transpose<Isa>({a.src, a.dst, a.src_column, a.dst_row, a.rows, a.columns,
            size_in_bytes(a.src_type), a.streaming, a.pieces, a.src_piece, a.dst_piece});
    copy_tile_args piece = a;
    for (dim_t p = 0; p < a.pieces; ++p) {
        piece.src = element_at(a.src, a.src_type, p * a.src_piece);
        piece.dst = element_at(a.dst, a.dst_type, p * a.dst_piece);
        move_piece<Isa>(piece);
    }
}

// ---- With conversion ----

// Scales or zero points of a strip, one f32 for each of n elements. Null: none.
struct strip_values {
    const f32 *data;
    dim_t stride;
};
// n elements of a row or of a column of a tile, in src and in dst.
struct strip {
    const char *src;
    char *dst;
    dim_t src_stride, dst_stride, n;
    strip_values src_zero_point, src_scale, dst_scale, dst_zero_point;
};

// x[i] = change(x[i], values[i * stride]).
template <class Isa, class Change>
DNNL_INLINE void combine(f32 *x, dim_t n, const strip_values &values, const Change &change) {
    using v = vec<f32, Isa>;
    if (!values.data) return;
    f32 adjacent[row_piece];
    if (values.stride == 0) {
        const v all = v::set(values.data[0]);
        for (dim_t i = 0; i < n; i += v::size) change(v::load(x + i), all).store(x + i);
        return;
    }
    if (values.stride != 1)
        for (dim_t i = 0; i < n; ++i) adjacent[i] = values.data[i * values.stride];
    const f32 *y = values.stride == 1 ? values.data : adjacent;
    for_vectors<Isa>(n, [&](dim_t i, dim_t m) {
        store_up_to(x + i, change(load_up_to<Isa>(x + i, m), load_up_to<Isa>(y + i, m)), m);
    });
}

template <class Isa> void quantise(const copy_tile_args &a, const strip &s, f32 *x) {
    using v = vec<f32, Isa>;
    for (dim_t i = s.n; i < s.n + v::size && i < row_piece; ++i) x[i] = 0;
    combine<Isa>(x, s.n, s.src_zero_point, [](v p, v q) { return p - q; });
    combine<Isa>(x, s.n, s.src_scale, [](v p, v q) { return p * q; });
    if (a.has_sum) {
        f32 before[row_piece];
        row_to_f32<Isa>(s.dst, a.dst_type, s.dst_stride, s.n, before);
        const v scale = v::set(a.sum_scale);
        combine<Isa>(x, s.n, {before, 1}, [&](v p, v q) { return p + scale * q; });
    }
    combine<Isa>(x, s.n, s.dst_scale, [](v p, v q) { return p / q; });
    combine<Isa>(x, s.n, s.dst_zero_point, [](v p, v q) { return p + q; });
}

// Converts at most row_piece elements; `to` takes them adjacent, in dst's type.
template <class Isa> void convert_strip(const copy_tile_args &a, const strip &s, void *to) {
    if (!a.through_f32 && is_integer_type(a.src_type) && is_integer_type(a.dst_type)) {
        alignas(64) s32 x[row_piece];
        row_to_s32<Isa>(s.src, a.src_type, s.src_stride, s.n, x);
        return row_from_s32<Isa>(x, s.n, a.dst_type, to);
    }
    alignas(64) f32 x[row_piece];
    row_to_f32<Isa>(s.src, a.src_type, s.src_stride, s.n, x);
    if (a.through_f32) quantise<Isa>(a, s, x);
    row_from_f32<Isa>(x, s.n, a.dst_type, to);
}

// n elements from (r, c) on, along the columns or along the rows.
strip strip_at(const copy_tile_args &a, dim_t r, dim_t c, dim_t n, bool along_columns) {
    const auto pick = [&](dim_t row, dim_t column) { return along_columns ? column : row; };
    const auto values = [&](const tile_values &v) -> strip_values {
        return {v.data ? v.data + r * v.row + c * v.column : nullptr, pick(v.row, v.column)};
    };
    return {element_at(a.src, a.src_type, r * a.src_row + c * a.src_column),
        element_at(a.dst, a.dst_type, r * a.dst_row + c * a.dst_column),
        pick(a.src_row, a.src_column), pick(a.dst_row, a.dst_column), n, values(a.src_zero_point),
        values(a.src_scale), values(a.dst_scale), values(a.dst_zero_point)};
}

// Converts rows directly into dst, where their elements are adjacent.
template <class Isa> void convert_to_place(const copy_tile_args &a) {
    if (a.src_column == 1 && convert_rows<Isa>(a)) return;
    for (dim_t r = 0; r < a.rows; ++r)
        for (dim_t c = 0; c < a.columns; c += row_piece) {
            const strip s = strip_at(a, r, c, smaller(row_piece, a.columns - c), true);
            convert_strip<Isa>(a, s, s.dst);
        }
}

// The arguments that convert the tile into `stage`. Unless along_columns, rows and columns are
// exchanged, so that src is adjacent along the columns.
copy_tile_args in_order_of_src(const copy_tile_args &a, bool along_columns, void *stage) {
    copy_tile_args b = a;
    if (!along_columns) {
        const auto exchange = [](dim_t &x, dim_t &y) {
            const dim_t before = x;
            x = y;
            y = before;
        };
        exchange(b.rows, b.columns);
        exchange(b.src_row, b.src_column);
        tile_values *const all[] {&b.src_zero_point, &b.src_scale, &b.dst_scale, &b.dst_zero_point};
        for (tile_values *values : all) exchange(values->row, values->column);
    }
    b.dst = stage;
    b.dst_row = b.columns;
    b.dst_column = 1;
    return b;
}

// Converts into a staging tile of dst's type and moves that to dst. The staging tile is
// [rows][columns], or [columns][rows] where the elements of a column are adjacent in src.
template <class Isa> void convert_and_move(const copy_tile_args &a) {
    alignas(64) char stage[convert_tile_elements * 4];
    const dim_t element = size_in_bytes(a.dst_type);
    const bool along_columns = a.src_row != 1;
    const copy_tile_args to_stage = in_order_of_src(a, along_columns, stage);
    const dim_t n = to_stage.columns;
    if (to_stage.src_column != 1 || !convert_rows<Isa>(to_stage))
        for (dim_t i = 0; i < to_stage.rows; ++i)
            convert_strip<Isa>(a,
                along_columns ? strip_at(a, i, 0, n, true) : strip_at(a, 0, i, n, false),
                stage + i * n * element);
    copy_tile_args staged = a;
    staged.src = stage;
    staged.src_type = a.dst_type;
    staged.src_row = along_columns ? n : 1;
    staged.src_column = along_columns ? 1 : n;
    move_tile<Isa>(staged);
}

template <class Isa, class T> void add_sums(const column_sums_args &a) {
    const T *__restrict e = static_cast<const T *>(a.elements);
    s32 *__restrict sums = a.sums;
    if (a.sums_column == 0 && a.column == 1 && a.columns == 4 && a.row == 4 && a.sums_row == 1) {
        // Panels of packed weights: row r is the k group (4 bytes) of one column of the matrix.
        for (dim_t r = 0; r < a.rows; ++r)
            sums[r] += e[4 * r] + e[4 * r + 1] + e[4 * r + 2] + e[4 * r + 3];
        return;
    }
    for (dim_t r = 0; r < a.rows; ++r)
        for (dim_t c = 0; c < a.columns; ++c)
            sums[r * a.sums_row + c * a.sums_column] += e[r * a.row + c * a.column];
}

} // namespace

template <class Isa> void copy_tile(const copy_tile_args &a) {
    if (!a.through_f32 && a.src_type == a.dst_type) return move_tile<Isa>(a);
    const bool to_place = a.dst_column == 1 && (a.src_column == 1 || a.src_row != 1);
    to_place ? convert_to_place<Isa>(a) : convert_and_move<Isa>(a);
}

template <class Isa> void add_column_sums(const column_sums_args &a) {
    a.type == data_type::u8 ? add_sums<Isa, u8>(a) : add_sums<Isa, s8>(a);
}

template void copy_tile<this_isa>(const copy_tile_args &);
template void add_column_sums<this_isa>(const column_sums_args &);

} // namespace dnnl::impl::cpu
