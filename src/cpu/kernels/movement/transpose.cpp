// SPDX-License-Identifier: Apache-2.0
// Transposition by perfect shuffles: interleaving the first half of 2^k registers of 2^k elements
// with the second half rotates the bits of (register, element) by one, and k rotations exchange
// them. Wider registers do this in each of their 128-bit lanes at once; a last shuffle of lanes,
// of the same form, makes whole registers of each row.
#include "cpu/kernels/movement/movement.hpp"

#include "cpu/simd/vec.hpp"

#include <immintrin.h>

namespace dnnl::impl::cpu {
namespace {

template <class Isa, class T> struct matrices {
    const T *src;
    T *dst;
    dim_t src_stride, dst_stride;
    bool streaming; // rows of dst begin at cache lines
};

// Loads `group` columns by as many rows as a register has elements and transposes them: 16-byte
// lane l of x[j] then holds the `group` elements of row l * group + j.
template <class Isa, class T, int Bytes>
DNNL_INLINE void load_transposed(const matrices<Isa, T> &m, lanes<Bytes> (&x)[16 / sizeof(T)]) {
    constexpr int group = 16 / int(sizeof(T));
    lanes<Bytes> y[group];
#pragma GCC unroll 16
    for (int c = 0; c < group; ++c) x[c] = lanes<Bytes>::load(m.src + c * m.src_stride);
#pragma GCC unroll 4
    for (int rotated = 1; rotated < group; rotated *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < group / 2; ++i) {
            y[2 * i] = low(x[i], x[i + group / 2], T {});
            y[2 * i + 1] = high(x[i], x[i + group / 2], T {});
        }
#pragma GCC unroll 16
        for (int i = 0; i < group; ++i) x[i] = y[i];
    }
}

// Transposes one group of columns and stores it lane by lane.
template <class Isa, class T, int Bytes>
DNNL_INLINE void transpose_group(const matrices<Isa, T> &m) {
    constexpr int group = 16 / int(sizeof(T));
    lanes<Bytes> x[group];
    load_transposed<Isa, T, Bytes>(m, x);
#pragma GCC unroll 16
    for (int j = 0; j < group; ++j) {
        const auto row = [&](int lane) { return m.dst + (lane * group + j) * m.dst_stride; };
        x[j].template store_lane<0>(row(0));
        if constexpr (Bytes >= 32) x[j].template store_lane<1>(row(1));
        if constexpr (Bytes == 64) {
            x[j].template store_lane<2>(row(2));
            x[j].template store_lane<3>(row(3));
        }
    }
}

// Transposes a square, as many rows and columns as a register has elements. Whole registers are
// stored, so that cache lines of dst fill at once. The transposed groups wait on the stack.
template <class Isa, class T, int Bytes>
DNNL_INLINE void transpose_square(const matrices<Isa, T> &m) {
    constexpr int group = 16 / int(sizeof(T)), width = Bytes / 16;
    lanes<Bytes> all[width][group];
#pragma GCC unroll 4
    for (int g = 0; g < width; ++g) {
        const matrices<Isa, T> columns {
            m.src + g * group * m.src_stride, nullptr, m.src_stride, 0, false};
        load_transposed<Isa, T, Bytes>(columns, all[g]);
    }
#pragma GCC unroll 16
    for (int j = 0; j < group; ++j) {
        lanes<Bytes> x[width], y[width];
#pragma GCC unroll 4
        for (int g = 0; g < width; ++g) x[g] = all[g][j];
#pragma GCC unroll 2
        for (int rotated = 1; rotated < width; rotated *= 2) {
#pragma GCC unroll 2
            for (int i = 0; i < width / 2; ++i) {
                y[2 * i] = low_lanes(x[i], x[i + width / 2]);
                y[2 * i + 1] = high_lanes(x[i], x[i + width / 2]);
            }
#pragma GCC unroll 4
            for (int i = 0; i < width; ++i) x[i] = y[i];
        }
#pragma GCC unroll 4
        for (int l = 0; l < width; ++l) {
            T *row = m.dst + (l * group + j) * m.dst_stride;
            m.streaming ? stream(row, x[l]) : x[l].store(row);
        }
    }
}

template <class Isa, class T>
matrices<Isa, T> at(const matrices<Isa, T> &m, dim_t row, dim_t column) {
    return {m.src + column * m.src_stride + row, m.dst + row * m.dst_stride + column, m.src_stride,
        m.dst_stride, m.streaming};
}

// Transposes as many rows as a register of `Bytes` bytes has elements, from `row` on. The last
// group of columns overlaps the one before it.
template <class Isa, class T, int Bytes>
void transpose_band(const matrices<Isa, T> &m, dim_t row, dim_t columns) {
    constexpr dim_t group = 16 / int(sizeof(T)), square = Bytes / int(sizeof(T));
    dim_t c = 0;
    if constexpr (square > group)
        for (; c + square <= columns; c += square) transpose_square<Isa, T, Bytes>(at(m, row, c));
    for (; c + group <= columns; c += group) transpose_group<Isa, T, Bytes>(at(m, row, c));
    if (c < columns) transpose_group<Isa, T, Bytes>(at(m, row, columns - group));
}

// Transposes Rows rows, or where Rows is 0 Columns columns, by a loop of known length. A stride
// that equals this number is a constant for the compiler, too.
template <class Isa, class T, int Rows, int Columns>
void transpose_few(const matrices<Isa, T> &m, dim_t rows, dim_t columns) {
    const auto move = [&](dim_t R, dim_t C, dim_t src_stride, dim_t dst_stride) {
        const T *__restrict src = m.src;
        T *__restrict dst = m.dst;
        for (dim_t r = 0; r < R; ++r)
            for (dim_t c = 0; c < C; ++c) dst[r * dst_stride + c] = src[c * src_stride + r];
    };
    if constexpr (Rows != 0)
        m.src_stride == Rows ? move(Rows, columns, Rows, m.dst_stride)
                             : move(Rows, columns, m.src_stride, m.dst_stride);
    else
        m.dst_stride == Columns ? move(rows, Columns, m.src_stride, Columns)
                                : move(rows, Columns, m.src_stride, m.dst_stride);
}

// Transposes rows of 4 bytes (four or two elements) that follow each other in dst by interleaving
// whole registers of each column. Returns the number of rows done.
template <class Isa, class T> dim_t interleave_columns(const matrices<Isa, T> &m, dim_t rows) {
    constexpr int columns = 4 / int(sizeof(T)), size = Isa::vector_bytes;
    constexpr dim_t step = size / int(sizeof(T));
    using reg = lanes<size>;
    dim_t r = 0;
    for (; r + step <= rows; r += step) {
        reg x[columns], y[columns];
#pragma GCC unroll 4
        for (int c = 0; c < columns; ++c) x[c] = reg::load(m.src + c * m.src_stride + r);
#pragma GCC unroll 2
        for (int rotated = 1; rotated < columns; rotated *= 2) {
#pragma GCC unroll 2
            for (int i = 0; i < columns / 2; ++i) {
                const reg a = low(x[i], x[i + columns / 2], T {});
                const reg b = high(x[i], x[i + columns / 2], T {});
                y[2 * i] = low_lanes(a, b);
                y[2 * i + 1] = high_lanes(a, b);
            }
#pragma GCC unroll 4
            for (int i = 0; i < columns; ++i) x[i] = y[i];
        }
#pragma GCC unroll 4
        for (int i = 0; i < columns; ++i) x[i].store(m.dst + r * columns + i * step);
    }
    return r;
}

// Transposes fewer rows than a 16-byte lane has elements: whole lanes are loaded as long as they
// lie inside src, and only the existing rows are stored. Returns the number of columns done.
template <class Isa, class T>
dim_t transpose_short_rows(const matrices<Isa, T> &m, dim_t rows, dim_t columns) {
    constexpr dim_t group = 16 / int(sizeof(T));
    const dim_t elements = (columns - 1) * m.src_stride + rows;
    dim_t c = 0;
    for (; (c + group - 1) * m.src_stride + group <= elements && c + group <= columns; c += group) {
        lanes<16> x[group];
        load_transposed<Isa, T, 16>(at(m, 0, c), x);
#pragma GCC unroll 16
        for (dim_t r = 0; r < group; ++r)
            if (r < rows) x[r].store(m.dst + r * m.dst_stride + c);
    }
    return c;
}

template <class Isa, class T> void transpose_rest(const matrices<Isa, T> &m, dim_t R, dim_t C) {
    const dim_t done = R < 16 / dim_t(sizeof(T)) ? transpose_short_rows(m, R, C) : 0;
    for (dim_t r = 0; r < R; ++r)
        for (dim_t c = done; c < C; ++c) m.dst[r * m.dst_stride + c] = m.src[c * m.src_stride + r];
}

template <class Isa, class T> void transpose_small(const matrices<Isa, T> &m, dim_t R, dim_t C) {
    if constexpr (sizeof(T) < 4)
        if (constexpr dim_t columns = 4 / dim_t(sizeof(T));
            C == columns && m.dst_stride == columns) {
            const dim_t done = interleave_columns<Isa, T>(m, R);
            if (done > 0) return done < R ? transpose_rest(at(m, done, 0), R - done, C) : void();
        }
    // transpose_few() would move these elements of 2 bytes one by one.
    const bool short_rows = sizeof(T) == 2 && C >= 8 && R > 1 && R < 8;
    if (short_rows) return transpose_rest(m, R, C);
    if (C == 2) return transpose_few<Isa, T, 0, 2>(m, R, C);
    if (C == 3) return transpose_few<Isa, T, 0, 3>(m, R, C);
    if (C == 4) return transpose_few<Isa, T, 0, 4>(m, R, C);
    if (R == 2) return transpose_few<Isa, T, 2, 0>(m, R, C);
    if (R == 3) return transpose_few<Isa, T, 3, 0>(m, R, C);
    if (R == 4) return transpose_few<Isa, T, 4, 0>(m, R, C);
    transpose_rest(m, R, C);
}

template <class Isa, class T>
void transpose_one(const matrices<Isa, T> &m, dim_t rows, dim_t columns) {
    constexpr dim_t group = 16 / int(sizeof(T)), wide = Isa::vector_bytes / int(sizeof(T));
    if (rows < group || columns < group) return transpose_small(m, rows, columns);
    dim_t r = 0;
    for (; r + wide <= rows; r += wide) transpose_band<Isa, T, Isa::vector_bytes>(m, r, columns);
    for (; r + group <= rows; r += group) transpose_band<Isa, T, 16>(m, r, columns);
    if (r < rows) transpose_band<Isa, T, 16>(m, rows - group, columns);
}

template <class Isa, class T> void transpose_of(const transpose_args &a) {
    // Only 64-byte registers stream: they fill a cache line, parts of which are slower to stream.
    const dim_t misaligned = dim_t(reinterpret_cast<std::uintptr_t>(a.dst)) |
                             ((a.dst_stride | a.dst_matrix) * dim_t(sizeof(T)));
    const bool streaming = a.streaming && Isa::vector_bytes == 64 && misaligned % 64 == 0;
    for (dim_t i = 0; i < a.matrices; ++i)
        transpose_one<Isa, T>(
            {static_cast<const T *>(a.src) + i * a.src_matrix,
                static_cast<T *>(a.dst) + i * a.dst_matrix, a.src_stride, a.dst_stride, streaming},
            a.rows, a.columns);
    if (streaming) _mm_sfence();
}

} // namespace

template <class Isa> void transpose(const transpose_args &a) {
    switch (a.element_bytes) {
    case 1: return transpose_of<Isa, u8>(a);
    case 2: return transpose_of<Isa, std::uint16_t>(a);
    default: return transpose_of<Isa, s32>(a);
    }
}

template <class Isa> void interleave_32_pairs(const void *first, const void *second, void *dst) {
    constexpr int size = Isa::vector_bytes;
    using reg = lanes<size>;
#pragma GCC unroll 2
    for (int at = 0; at < 64; at += size) {
        const reg a = reg::load(static_cast<const char *>(first) + at);
        const reg b = reg::load(static_cast<const char *>(second) + at);
        const reg even = low(a, b, f16 {}), odd = high(a, b, f16 {});
        char *to = static_cast<char *>(dst) + 2 * at;
        low_lanes(even, odd).store(to);
        high_lanes(even, odd).store(to + size);
    }
}

template <class Isa> void interleave_32_quads(const void *first, dim_t stride_bytes, void *dst) {
    using reg = lanes<32>; // two lanes of 16 bytes
    const char *from = static_cast<const char *>(first);
    char *to = static_cast<char *>(dst);
    const reg a = reg::load(from), b = reg::load(from + stride_bytes);
    const reg c = reg::load(from + 2 * stride_bytes), d = reg::load(from + 3 * stride_bytes);
    const reg ab_low = low(a, b, u8 {}), ab_high = high(a, b, u8 {});
    const reg cd_low = low(c, d, u8 {}), cd_high = high(c, d, u8 {});
    const reg q0 = low(ab_low, cd_low, f16 {}), q1 = high(ab_low, cd_low, f16 {});
    const reg q2 = low(ab_high, cd_high, f16 {}), q3 = high(ab_high, cd_high, f16 {});
    low_lanes(q0, q1).store(to);
    low_lanes(q2, q3).store(to + 32);
    high_lanes(q0, q1).store(to + 64);
    high_lanes(q2, q3).store(to + 96);
}

template void transpose<this_isa>(const transpose_args &);
template void interleave_32_quads<this_isa>(const void *, dim_t, void *);
template void interleave_32_pairs<this_isa>(const void *, const void *, void *);

} // namespace dnnl::impl::cpu
