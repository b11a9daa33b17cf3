// SPDX-License-Identifier: Apache-2.0
// A function of one byte as a table of 256 results in four registers; see elementwise_kernels.hpp.
#include "cpu/kernels/elementwise/elementwise_kernels.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"

namespace dnnl::impl::cpu {

namespace {

struct byte_table {
    __m512i part[4];

    DNNL_INLINE explicit byte_table(const u8 *table) {
        for (int k = 0; k < 4; ++k) part[k] = _mm512_loadu_si512(table + 64 * k);
    }
    // Parts 0 and 1 have the results of codes below 128, parts 2 and 3 the others.
    DNNL_INLINE __m512i at(__m512i codes) const {
        return _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes),
            _mm512_permutex2var_epi8(part[0], codes, part[1]),
            _mm512_permutex2var_epi8(part[2], codes, part[3]));
    }
};

} // namespace

template <class Isa> void map_bytes(const row_tile &t, const u8 *table) {
    const byte_table values(table);
    for (dim_t row = 0; row < t.rows; ++row) {
        const char *x = element(t.src[0], row, 0);
        char *dst = element(t.dst, row, 0);
        dim_t i = 0;
        for (; i + 64 <= t.columns; i += 64)
            store_register(
                dst + i, vec<s32, Isa> {values.at(_mm512_loadu_si512(x + i))}, t.passes(dst));
        const __mmask64 left = (__mmask64 {1} << (t.columns - i)) - 1;
        _mm512_mask_storeu_epi8(dst + i, left, values.at(_mm512_maskz_loadu_epi8(left, x + i)));
    }
    if (t.past) _mm_sfence();
}

template void map_bytes<this_isa>(const row_tile &, const u8 *);

} // namespace dnnl::impl::cpu
