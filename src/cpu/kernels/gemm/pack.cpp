// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/pack.hpp"
#include "cpu/kernels/gemm/gemm_block.hpp"
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {
namespace {

template <class T> constexpr dim_t group_of = 4 / dim_t(sizeof(T));
template <class T> constexpr dim_t columns_of = sizeof(T) == 4 ? 64 : 32;

// Packs one panel from rows of adjacent elements of 4 bytes, each of which is a k group.
template <class Isa, class T>
void pack_words(const pack_b_args &p, const T *src, dim_t columns, T *to) {
    using word = vec<s32, Isa>;
    constexpr dim_t width = columns_of<T>, size = word::size;
    for (dim_t k = 0; k < p.k_padded; ++k, src += p.k_stride, to += width) {
        const s32 *from = reinterpret_cast<const s32 *>(src);
        s32 *out = reinterpret_cast<s32 *>(to);
        ask_for(src + rows_ahead * p.k_stride, width * 4);
        if (columns == width && k < p.k) {
            for (dim_t j = 0; j < width; j += size) word::load(from + j).store(out + j);
            continue;
        }
        for (dim_t j = 0; j < width; j += size) {
            const dim_t left = k < p.k ? columns - j : 0;
            // A masked load of no lane is slow where the page is not mapped, so there is none.
            const word x =
                left > 0 ? word::load(from + j, left < size ? left : size) : word::zero();
            x.store(out + j);
        }
    }
}

// Packs one k group of a whole panel from adjacent columns; pack_words() takes f32.
template <class Isa, class T>
void pack_group_from_rows(const T *__restrict from, dim_t k_stride, T *__restrict to) {
    if constexpr (group_of<T> == 2) interleave_32_pairs<Isa>(from, from + k_stride, to);
    if constexpr (group_of<T> == 4) interleave_32_quads<Isa>(from, k_stride, to);
}

// Packs one k group of a panel that sticks out of the matrix; src is its first element there.
template <class Isa, class T>
void pack_edge_group(const pack_b_args &p, const T *src, dim_t rows, dim_t columns, T *to) {
    constexpr dim_t group = group_of<T>, width = columns_of<T>;
    const dim_t there = rows < group ? rows : group; // less, or none, in the padding of k
    alignas(64) T whole[group * width];
    T *gathered = group == 1 ? to : whole;
    for (dim_t i = 0; i < group * width; ++i) gathered[i] = T {};
    for (dim_t q = 0; q < there; ++q, gathered += width) {
        const T *from = src + q * p.k_stride;
        if (p.n_stride == 1)
            __builtin_memcpy(gathered, from, std::size_t(columns) * sizeof(T));
        else
            for (dim_t j = 0; j < columns; ++j) gathered[j] = from[j * p.n_stride];
    }
    if constexpr (group > 1) pack_group_from_rows<Isa>(whole, width, to);
}

// Packs one whole k group of a whole panel from adjacent k: a group is one 32-bit word.
template <class Isa, class T>
void pack_group_from_columns(const T *__restrict from, dim_t n_stride, T *__restrict to) {
    constexpr dim_t group = group_of<T>;
    for (dim_t j = 0; j < columns_of<T>; ++j)
        __builtin_memcpy(to + j * group, from + j * n_stride, group * sizeof(T));
}

// Packs the whole k groups of a whole panel from adjacent k, as a matrix of 32-bit words that is
// transposed. Returns how many k are packed: none when the words are not aligned.
template <class Isa, class T>
dim_t pack_groups_transposed(const pack_b_args &p, const T *src, T *to) {
    constexpr dim_t group = group_of<T>, row_words = columns_of<T>;
    const dim_t stride_bytes = p.n_stride * dim_t(sizeof(T));
    if (stride_bytes % 4 != 0 || reinterpret_cast<std::uintptr_t>(src) % 4 != 0) return 0;
    const dim_t groups = p.k / group;
    transpose<Isa>({src, to, stride_bytes / 4, row_words, groups, columns_of<T>, 4, false});
    return groups * group;
}

// Adds the packed group's elements of column j to sums[j].
template <class Isa, class T> void add_column_sums(const T *group, dim_t columns, s32 *sums) {
    for (dim_t j = 0; j < columns; ++j)
        for (dim_t q = 0; q < group_of<T>; ++q) sums[j] += group[j * group_of<T> + q];
}

// Packs the k group from k on of one panel of `columns` columns; src is the first of them.
template <class Isa, class T>
void pack_group(const pack_b_args &p, const T *src, dim_t k, dim_t columns, T *to) {
    const bool whole = columns == columns_of<T> && k + group_of<T> <= p.k;
    for (dim_t i = 0; p.n_stride == 1 && i < group_of<T>; ++i)
        ask_for(src + (k + i + rows_ahead) * p.k_stride);
    if (whole && p.n_stride == 1)
        pack_group_from_rows<Isa>(src + k * p.k_stride, p.k_stride, to);
    else if (whole && p.k_stride == 1)
        pack_group_from_columns<Isa>(src + k, p.n_stride, to);
    else
        pack_edge_group<Isa>(p, src + k * p.k_stride, p.k - k, columns, to);
}

// Packs whole pairs of k of one panel, its columns adjacent and even in number. Returns their k.
template <class Isa, class T>
dim_t pack_pairs(const pack_b_args &p, const T *src, dim_t columns, T *to) {
    using word = vec<s32, Isa>;
    using reg = lanes<Isa::vector_bytes>;
    constexpr dim_t size = Isa::vector_bytes / dim_t(sizeof(T));
    const auto load = [](const T *from, dim_t left) __attribute__((always_inline)) {
        if (left >= size) return reg::load(from);
        // No masked load of no lane, as above.
        const word some =
            left > 0 ? word::load(reinterpret_cast<const s32 *>(from), left / 2) : word::zero();
        return reg::load(&some);
    };
    dim_t k = 0;
    for (; k + 2 <= p.k; k += 2, src += 2 * p.k_stride) {
        ask_for(src + rows_ahead * p.k_stride);
        ask_for(src + (rows_ahead + 1) * p.k_stride);
        for (dim_t j = 0; j < columns_of<T>; j += size, to += 2 * size) {
            const reg a = load(src + j, columns - j), b = load(src + p.k_stride + j, columns - j);
            const reg even = low(a, b, T {}), odd = high(a, b, T {});
            low_lanes(even, odd).store(to);
            high_lanes(even, odd).store(to + size);
        }
    }
    return k;
}

template <class Isa, class T> void pack_panel(const pack_b_args &p, dim_t column) {
    constexpr dim_t group = group_of<T>;
    const dim_t columns = p.n - column < columns_of<T> ? p.n - column : columns_of<T>;
    const T *src = static_cast<const T *>(p.src) + column * p.n_stride;
    T *to =
        reinterpret_cast<T *>(static_cast<char *>(p.dst) + column / columns_of<T> * p.panel_bytes);
    if constexpr (group == 1)
        if (p.n_stride == 1) return pack_words<Isa>(p, src, columns, to);
    dim_t packed = 0;
    if (columns == columns_of<T> && p.k_stride == 1 && p.n_stride != 1)
        packed = pack_groups_transposed<Isa>(p, src, to);
    if constexpr (group == 2)
        if (p.n_stride == 1 && columns % 2 == 0) packed = pack_pairs<Isa>(p, src, columns, to);
    for (dim_t k = 0; k < p.k_padded; k += group, to += columns_of<T> * group) {
        if (k >= packed) pack_group<Isa>(p, src, k, columns, to);
        if constexpr (sizeof(T) == 1)
            if (p.column_sums) add_column_sums<Isa>(to, columns, p.column_sums + column);
    }
}

} // namespace

template <class Isa, class T> void pack_b(const pack_b_args &p) {
    for (dim_t column = 0; column < p.n; column += columns_of<T>) pack_panel<Isa, T>(p, column);
}

template void pack_b<this_isa, f32>(const pack_b_args &);
template void pack_b<this_isa, bf16>(const pack_b_args &);
template void pack_b<this_isa, f16>(const pack_b_args &);
template void pack_b<this_isa, s8>(const pack_b_args &);
template void pack_b<this_isa, u8>(const pack_b_args &);

} // namespace dnnl::impl::cpu
