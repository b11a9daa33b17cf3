// SPDX-License-Identifier: Apache-2.0
// Applies the commonest epilogues (common_epilogue.hpp) to sums in memory in one pass.
#include "cpu/kernels/epilogue/common_epilogue.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {
namespace {

template <class Isa, class Acc, class Dst, bool Full, bool Adds, bool ByRow>
void finish_rows(const common_columns &c, const epilogue_rows_args &e) {
    constexpr dim_t size = vec<f32, Isa>::size;
    const common_numbers<Isa> all(c);
    char *first = static_cast<char *>(e.dst);
    const dim_t first_row = e.position[row_dim];
    const addend_rows addends(c, first_row, first, e.dst_stride_bytes);
    for (dim_t p = 0; p < e.columns; p += 2 * size) {
        const dim_t n = smaller(e.columns - p, 2 * size), of_right = n < size ? 0 : n - size;
        const common_vector<Isa> left(c, p), right(c, p + size);
        for (dim_t i = 0; i < e.rows; ++i) {
            const Acc *acc = reinterpret_cast<const Acc *>(
                                 static_cast<const char *>(e.acc) + i * e.acc_stride_bytes) +
                             p;
            const Dst *addend = addends.template row<Dst>(i) + p;
            const row_numbers<Isa, ByRow> numbers(c, first_row + i);
            const auto x = finish_common<Full, Adds>(
                numbers, load_up_to<Isa, Acc>(acc, n), left, all, addend, n);
            const auto y = finish_common<Full, Adds>(numbers,
                load_up_to<Isa, Acc>(acc + size, of_right), right, all, addend + size, of_right);
            store_pair(reinterpret_cast<Dst *>(first + i * e.dst_stride_bytes) + p, x, y, n);
        }
    }
}

template <class Isa, class Acc, class Dst> common_rows_function rows_of(const common_columns &c) {
    if (has_numbers_of_rows(c))
        return c.adds ? finish_rows<Isa, Acc, Dst, true, true, true>
                      : finish_rows<Isa, Acc, Dst, true, false, true>;
    if (c.full)
        return c.adds ? finish_rows<Isa, Acc, Dst, true, true, false>
                      : finish_rows<Isa, Acc, Dst, true, false, false>;
    return c.adds ? finish_rows<Isa, Acc, Dst, false, true, false>
                  : finish_rows<Isa, Acc, Dst, false, false, false>;
}

template <class Isa, class Acc>
common_rows_function rows_of(data_type dst, const common_columns &c) {
    switch (dst) {
    case data_type::f32: return rows_of<Isa, Acc, f32>(c);
    case data_type::bf16: return rows_of<Isa, Acc, bf16>(c);
    case data_type::f16: return rows_of<Isa, Acc, f16>(c);
    case data_type::s8: return rows_of<Isa, Acc, s8>(c);
    case data_type::u8: return rows_of<Isa, Acc, u8>(c);
    default: return nullptr;
    }
}

} // namespace

template <class Isa>
common_rows_function common_rows(const epilogue &f, data_type acc,
    const dim_t (&position)[position_rank], dim_t column, dim_t n, common_columns &c) {
    if (!prepare_common<Isa>(f, position, column, n, c)) return nullptr;
    return acc == data_type::s32 ? rows_of<Isa, s32>(f.dst_type, c)
                                 : rows_of<Isa, f32>(f.dst_type, c);
}

template common_rows_function common_rows<this_isa>(
    const epilogue &, data_type, const dim_t (&)[position_rank], dim_t, dim_t, common_columns &);

} // namespace dnnl::impl::cpu
