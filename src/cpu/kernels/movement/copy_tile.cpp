// SPDX-License-Identifier: Apache-2.0
// Copies of tiles; see copy_tile.hpp. Conversions go line by line through buffers in L1, along the
// direction in which src is contiguous; a transposition follows where dst is contiguous in the
// other.
#include "cpu/kernels/movement/copy_tile.hpp"

#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/kernels/movement/transpose.hpp"
#include "cpu/simd/element_size.hpp"
#include "cpu/simd/this_isa.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {
namespace {

// ---- Without conversion ----

// Runs of a size known to the compiler are a load and a store.
template <class Isa, int Bytes> void copy_runs(const copy_tile_args &a, dim_t element) {
    const char *src = static_cast<const char *>(a.src);
    char *dst = static_cast<char *>(a.dst);
    for (dim_t r = 0; r < a.rows; ++r)
        __builtin_memcpy(dst + r * a.dst_row * element, src + r * a.src_row * element, Bytes);
}

template <class Isa> void copy_rows(const copy_tile_args &a, dim_t element) {
    const dim_t bytes = a.columns * element;
    switch (bytes) {
    case 4: return copy_runs<Isa, 4>(a, element);
    case 8: return copy_runs<Isa, 8>(a, element);
    case 16: return copy_runs<Isa, 16>(a, element);
    case 32: return copy_runs<Isa, 32>(a, element);
    case 64: return copy_runs<Isa, 64>(a, element);
    default: break;
    }
    const char *src = static_cast<const char *>(a.src);
    char *dst = static_cast<char *>(a.dst);
    for (dim_t r = 0; r < a.rows; ++r)
        __builtin_memcpy(dst + r * a.dst_row * element, src + r * a.src_row * element,
            static_cast<std::size_t>(bytes));
}

template <class Isa, class T> void copy_elements(const copy_tile_args &a) {
    const T *src = static_cast<const T *>(a.src);
    T *dst = static_cast<T *>(a.dst);
    for (dim_t r = 0; r < a.rows; ++r)
        for (dim_t c = 0; c < a.columns; ++c)
            dst[r * a.dst_row + c * a.dst_column] = src[r * a.src_row + c * a.src_column];
}

template <class Isa> void move_tile(const copy_tile_args &a) {
    const dim_t element = size_in_bytes(a.src_type);
    if (a.src_column == 1 && a.dst_column == 1) return copy_rows<Isa>(a, element);
    if (a.src_row == 1 && a.dst_column == 1)
        return transpose<Isa>(
            {a.src, a.dst, a.src_column, a.dst_row, a.rows, a.columns, element, a.streaming});
    if (element == 1) return copy_elements<Isa, u8>(a);
    if (element == 2) return copy_elements<Isa, f16>(a);
    copy_elements<Isa, s32>(a);
}

// ---- With conversion ----

// Both sides of one line of a tile: n elements.
template <class Isa> struct line {
    const char *src;
    char *dst;
    dim_t src_stride, dst_stride, n;
    const f32 *src_zero_point, *src_scale, *dst_scale, *dst_zero_point; // null: absent
    dim_t src_zero_point_stride, src_scale_stride, dst_scale_stride, dst_zero_point_stride;
};

// x[i] = change(x[i], values[i * stride]).
template <class Isa, class Change>
DNNL_INLINE void combine(f32 *x, dim_t n, const f32 *values, dim_t stride, const Change &change) {
    using v = vec<f32, Isa>;
    if (!values) return;
    f32 adjacent[row_piece];
    if (stride == 0) {
        const v all = v::set(values[0]);
        for (dim_t i = 0; i < n; i += v::size) change(v::load(x + i), all).store(x + i);
        return;
    }
    if (stride != 1)
        for (dim_t i = 0; i < n; ++i) adjacent[i] = values[i * stride];
    const f32 *y = stride == 1 ? values : adjacent;
    dim_t i = 0;
    for (; i + v::size <= n; i += v::size) change(v::load(x + i), v::load(y + i)).store(x + i);
    if (i < n) change(v::load(x + i), v::load_first(y + i, n - i)).store(x + i);
}

// x is row_piece elements long: what lies behind n is overwritten with anything.
template <class Isa> void quantise(const copy_tile_args &a, const line<Isa> &l, f32 *x) {
    using v = vec<f32, Isa>;
    for (dim_t i = l.n; i < l.n + v::size && i < row_piece; ++i) x[i] = 0;
    combine<Isa>(x, l.n, l.src_zero_point, l.src_zero_point_stride, [](v p, v q) { return p - q; });
    combine<Isa>(x, l.n, l.src_scale, l.src_scale_stride, [](v p, v q) { return p * q; });
    if (a.has_sum) {
        f32 before[row_piece];
        row_to_f32<Isa>(l.dst, a.dst_type, l.dst_stride, l.n, before);
        const v scale = v::set(a.sum_scale);
        combine<Isa>(x, l.n, before, 1, [&](v p, v q) { return p + scale * q; });
    }
    combine<Isa>(x, l.n, l.dst_scale, l.dst_scale_stride, [](v p, v q) { return p / q; });
    combine<Isa>(x, l.n, l.dst_zero_point, l.dst_zero_point_stride, [](v p, v q) { return p + q; });
}

// Converts a line of at most row_piece elements; `to` takes them adjacent, in dst's type.
template <class Isa> void convert_line(const copy_tile_args &a, const line<Isa> &l, void *to) {
    if (!a.through_f32 && is_integer_type(a.src_type) && is_integer_type(a.dst_type)) {
        alignas(64) s32 x[row_piece];
        row_to_s32<Isa>(l.src, a.src_type, l.src_stride, l.n, x);
        return row_from_s32<Isa>(x, l.n, a.dst_type, to);
    }
    alignas(64) f32 x[row_piece];
    row_to_f32<Isa>(l.src, a.src_type, l.src_stride, l.n, x);
    if (a.through_f32) quantise(a, l, x);
    row_from_f32<Isa>(x, l.n, a.dst_type, to);
}

template <class Isa> DNNL_INLINE const f32 *at(const tile_values &v, dim_t r, dim_t c) {
    return v.data ? v.data + r * v.row + c * v.column : nullptr;
}

// n elements from (r, c) on, along the columns or along the rows.
template <class Isa>
line<Isa> line_at(const copy_tile_args &a, dim_t r, dim_t c, dim_t n, bool along_columns) {
    const auto pick = [&](dim_t row, dim_t column) { return along_columns ? column : row; };
    const auto stride = [&](const tile_values &v) { return pick(v.row, v.column); };
    line<Isa> l;
    l.src = static_cast<const char *>(a.src) +
            (r * a.src_row + c * a.src_column) * size_in_bytes(a.src_type);
    l.dst =
        static_cast<char *>(a.dst) + (r * a.dst_row + c * a.dst_column) * size_in_bytes(a.dst_type);
    l.src_stride = pick(a.src_row, a.src_column);
    l.dst_stride = pick(a.dst_row, a.dst_column);
    l.n = n;
    l.src_zero_point = at<Isa>(a.src_zero_point, r, c);
    l.src_scale = at<Isa>(a.src_scale, r, c);
    l.dst_scale = at<Isa>(a.dst_scale, r, c);
    l.dst_zero_point = at<Isa>(a.dst_zero_point, r, c);
    l.src_zero_point_stride = stride(a.src_zero_point);
    l.src_scale_stride = stride(a.src_scale);
    l.dst_scale_stride = stride(a.dst_scale);
    l.dst_zero_point_stride = stride(a.dst_zero_point);
    return l;
}

// Rows straight to their place.
template <class Isa> void convert_rows(const copy_tile_args &a) {
    for (dim_t r = 0; r < a.rows; ++r)
        for (dim_t c = 0; c < a.columns; c += row_piece) {
            const dim_t n = a.columns - c < row_piece ? a.columns - c : row_piece;
            const line<Isa> l = line_at<Isa>(a, r, c, n, true);
            convert_line(a, l, l.dst);
        }
}

// Through a staging tile of dst's type: [rows][columns], or [columns][rows] when src is contiguous
// along rows().
template <class Isa> void convert_and_move(const copy_tile_args &a) {
    alignas(64) char stage[convert_tile_elements * 4];
    const dim_t element = size_in_bytes(a.dst_type);
    const bool along_columns = a.src_row != 1;
    const dim_t lines = along_columns ? a.rows : a.columns;
    const dim_t n = along_columns ? a.columns : a.rows;
    for (dim_t i = 0; i < lines; ++i) {
        const line<Isa> l =
            along_columns ? line_at<Isa>(a, i, 0, n, true) : line_at<Isa>(a, 0, i, n, false);
        convert_line(a, l, stage + i * n * element);
    }
    copy_tile_args staged = a;
    staged.src = stage;
    staged.src_type = a.dst_type;
    staged.src_row = along_columns ? n : 1;
    staged.src_column = along_columns ? 1 : n;
    move_tile<Isa>(staged);
}

template <class Isa, class T> void add_sums(const column_sums_args &a) {
    const T *__restrict elements = static_cast<const T *>(a.elements);
    s32 *__restrict sums = a.sums;
    if (a.sums_column == 0 && a.column == 1 && a.columns == 4 && a.row == 4 && a.sums_row == 1) {
        // [column][k group], as panels have it
        for (dim_t r = 0; r < a.rows; ++r)
            sums[r] +=
                elements[4 * r] + elements[4 * r + 1] + elements[4 * r + 2] + elements[4 * r + 3];
        return;
    }
    for (dim_t r = 0; r < a.rows; ++r)
        for (dim_t c = 0; c < a.columns; ++c)
            sums[r * a.sums_row + c * a.sums_column] += elements[r * a.row + c * a.column];
}

} // namespace

template <class Isa> void copy_tile(const copy_tile_args &a) {
    if (!a.through_f32 && a.src_type == a.dst_type) return move_tile<Isa>(a);
    const bool to_place = a.dst_column == 1 && (a.src_column == 1 || a.src_row != 1);
    to_place ? convert_rows<Isa>(a) : convert_and_move<Isa>(a);
}

template <class Isa> void add_column_sums(const column_sums_args &a) {
    a.type == data_type::u8 ? add_sums<Isa, u8>(a) : add_sums<Isa, s8>(a);
}

template void copy_tile<this_isa>(const copy_tile_args &);
template void add_column_sums<this_isa>(const column_sums_args &);

} // namespace dnnl::impl::cpu
