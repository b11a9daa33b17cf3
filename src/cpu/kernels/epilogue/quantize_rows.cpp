// SPDX-License-Identifier: Apache-2.0
// Gives groups of results a scale and divides them by it; see epilogue_rows.hpp. A row is worked on
// in pieces of row_piece elements: first the largest magnitudes of all groups, then their scales,
// many in a vector, then the elements.
#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {
namespace {

constexpr dim_t least_group = 16, most_groups = row_piece / least_group;
constexpr s32 infinity_bits = 0x7f800000;

// The largest magnitude of each group of a piece, and the reciprocal and the code of its scale.
struct piece_scales {
    alignas(64) s32 largest[most_groups]; // bits of the largest magnitude; of infinity where a
                                          // result is infinite or NaN
    alignas(64) f32 inverse[most_groups];
    alignas(64) u8 codes[most_groups];
};

// The largest number of a type, and the exponent of the power of two below it.
template <data_type T> constexpr f32 largest_of = 6;
template <> inline constexpr f32 largest_of<data_type::f8_e4m3> = 448;
template <> inline constexpr f32 largest_of<data_type::f8_e5m2> = 57344;
template <data_type T> constexpr s32 exponent_of = 2;
template <> inline constexpr s32 exponent_of<data_type::f8_e4m3> = 8;
template <> inline constexpr s32 exponent_of<data_type::f8_e5m2> = 15;

// Compares magnitudes as integers, which have the order of the numbers; NaN is above infinity.
template <class Isa> DNNL_INLINE s32 largest_magnitude(const f32 *x, dim_t group) {
    using i32 = vec<s32, Isa>;
    i32 most = i32::zero();
    for (dim_t i = 0; i < group; i += i32::size)
        most = max(most, as_s32(vec<f32, Isa>::load(x + i)) & i32::set(0x7fffffff));
    const f32 number = reduce_max(as_f32(min(most, i32::set(infinity_bits))));
    s32 bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    return bits;
}

// Scales of e8m0: the power of two below the largest magnitude, divided by that of the type. Its
// code is the exponent of the f32; the reciprocal of 2^(c - 127) has the exponent 254 - c.
template <class Isa, data_type T> DNNL_INLINE void find_powers_of_two(piece_scales &s, dim_t i) {
    using i32 = vec<s32, Isa>;
    const i32 largest = i32::load(s.largest + i), nan = i32::set(0x7fc00000);
    const i32 code = max(shift_right<23>(largest) - i32::set(exponent_of<T>), i32::zero());
    const auto is_finite = largest < i32::set(infinity_bits);
    const i32 inverse = shift_left<23>(i32::set(254) - code);
    as_f32(select(is_finite, inverse, nan)).store(s.inverse + i);
    narrow<Isa>::store(s.codes + i,
        narrow<Isa>::pack_u8_range(select(is_finite, code, i32::set(0xff))), all_lanes {});
}

// Scales of f8_e4m3: the largest magnitude through that of the type, at least 2^-9 and at most 448;
// 1 where all results are 0.
template <class Isa, data_type T> DNNL_INLINE void find_f8_scales(piece_scales &s, dim_t i) {
    using i32 = vec<s32, Isa>;
    using v = vec<f32, Isa>;
    constexpr data_type f8 = data_type::f8_e4m3;
    const i32 largest = i32::load(s.largest + i);
    const v ratio = as_f32(largest) / v::set(largest_of<T>);
    i32 code = f32_to_code<Isa, f8>(min(ratio, v::set(largest_of<f8>)));
    code = max(code, i32::set(1));
    code = select(largest == i32::zero(), i32::set(0x38), code);
    code = select(largest < i32::set(infinity_bits), code, i32::set(0x7f));
    (v::set(1.0f) / code_to_f32<Isa, f8>(code)).store(s.inverse + i);
    narrow<Isa>::store(s.codes + i, narrow<Isa>::pack_u8_range(code), all_lanes {});
}

// Makes codes of n numbers (whole vectors) times `inverse`, one per byte, saturated.
template <class Isa, data_type T>
DNNL_INLINE void convert_group(const f32 *x, f32 inverse, dim_t n, u8 *codes) {
    using v = vec<f32, Isa>;
    const v factor = v::set(inverse), most = v::set(largest_of<T>);
    for (dim_t i = 0; i < n; i += v::size) {
        const v y = max(min(v::load(x + i) * factor, most), -most);
        narrow<Isa>::store(
            codes + i, narrow<Isa>::pack_u8_range(f32_to_code<Isa, T>(y)), all_lanes {});
    }
}

// Stores codes as they lie in memory; the half of a byte behind the last one stays as it is.
template <class Isa> DNNL_INLINE void pack_row(const u8 *codes, dim_t n, u8 *to) {
    pack_nibbles<Isa>(codes, n / 2 * 2, to);
    if (n % 2) to[n / 2] = static_cast<u8>((to[n / 2] & 0xf0) | codes[n - 1]);
}

template <class Isa, data_type T>
void quantize_piece(const quantize_rows_args &a, const f32 *x, dim_t n, u8 *to, u8 *scales) {
    constexpr bool halves = T == data_type::f4_e2m1;
    const dim_t groups = n / a.group;
    piece_scales s;
    for (dim_t g = 0; g < groups; ++g)
        s.largest[g] = largest_magnitude<Isa>(x + g * a.group, a.group);
    for (dim_t g = groups; g % vec<f32, Isa>::size != 0; ++g) s.largest[g] = 0;
    for (dim_t g = 0; g < groups; g += vec<f32, Isa>::size)
        a.powers_of_two ? find_powers_of_two<Isa, T>(s, g) : find_f8_scales<Isa, T>(s, g);
    for (dim_t g = 0; g < groups; ++g) scales[g] = s.codes[g];
    alignas(64) u8 buffer[row_piece];
    u8 *codes = halves ? buffer : to;
    for (dim_t g = 0; g < groups; ++g) {
        u8 *group = codes + g * a.group;
        if (s.largest[g] < infinity_bits)
            convert_group<Isa, T>(x + g * a.group, s.inverse[g], a.group, group);
        else
            for (dim_t i = 0; i < a.group; ++i) group[i] = small_float_of<T>::nan;
    }
    if (halves) pack_row<Isa>(codes, n, to);
}

// Converts a row without scales.
template <class Isa>
void convert_piece(const quantize_rows_args &a, const f32 *x, dim_t n, u8 *to) {
    if (a.dst_type != data_type::f4_e2m1) return row_from_f32<Isa>(x, n, a.dst_type, to);
    alignas(64) u8 codes[row_piece];
    row_from_f32<Isa>(x, n, a.dst_type, codes);
    pack_row<Isa>(codes, n, to);
}

} // namespace

template <class Isa> void quantize_rows(const quantize_rows_args &a) {
    const bool halves = a.dst_type == data_type::f4_e2m1;
    const auto quantize = halves ? quantize_piece<Isa, data_type::f4_e2m1>
                          : a.dst_type == data_type::f8_e5m2
                              ? quantize_piece<Isa, data_type::f8_e5m2>
                              : quantize_piece<Isa, data_type::f8_e4m3>;
    for (dim_t row = 0; row < a.rows; ++row)
        for (dim_t i = 0; i < a.columns; i += row_piece) {
            const f32 *x = a.src + row * a.src_stride + i;
            const dim_t n = smaller(row_piece, a.columns - i);
            u8 *to = static_cast<u8 *>(a.dst) + row * a.dst_stride_bytes + (halves ? i / 2 : i);
            if (a.group == 0) {
                convert_piece<Isa>(a, x, n, to);
                continue;
            }
            u8 *scales = a.scales + row * a.scales_stride + i / a.group;
            quantize(a, x, n, to, scales);
        }
}

template void quantize_rows<this_isa>(const quantize_rows_args &);

} // namespace dnnl::impl::cpu
