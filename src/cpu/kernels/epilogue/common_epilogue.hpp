// SPDX-License-Identifier: Apache-2.0
// The commonest epilogues, which one expression computes; what an epilogue lacks is neutral in it:
//   x = fma(f32(acc - compensation[j]), scale[j], bias[j])
//   x = fma(f32(acc - compensation[j] - row_compensation[i] * row_factors[j]),
//           row_scales[i] * scale[j], bias[j])                      with numbers of rows
//   x = fma(addend[i][j] - addend_zero_point, addend_scale, x)     with an addend; the zero point
//                                                                  of bytes alone
//   x = min(highest, max(lowest, x))
//   x = x / dst_scale + dst_zero_point                             for bytes
// Bytes are at most the largest of their type then; what is less than the least is left to the
// conversion. The addend is the previous dst of a sum, or the operand of a binary addition; it has
// the type of dst, or both have bytes.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {

/// True when there are no more steps from `first` on than a relu or a clip; sets the bounds.
DNNL_INLINE bool only_clamps(const epilogue &f, int first, common_columns &c) {
    c.lowest = -__builtin_inff();
    c.highest = __builtin_inff();
    if (f.step_count == first) return true;
    const epilogue_step &s = f.steps[first];
    if (f.step_count > first + 1 || s.what != epilogue_step::kind::eltwise || s.scale != 1.0f)
        return false;
    if (s.alg == algorithm::relu && s.alpha == 0.0f) {
        c.lowest = 0.0f;
        return true;
    }
    if (s.alg != algorithm::clip && s.alg != algorithm::clip_v2) return false;
    c.lowest = s.alpha;
    c.highest = s.beta;
    return true;
}

/// True when the first step adds elements of dst's type, or bytes to bytes; sets what is added but
/// its place. Bytes of the other sign are read as dst's with the highest bit turned: 128 off.
DNNL_INLINE bool begins_with_addend(const epilogue &f, common_columns &c) {
    if (f.step_count == 0) return false;
    const epilogue_step &s = *f.steps;
    const bool bytes = is_byte_type(f.dst_type) && is_byte_type(s.operand_type);
    if (s.operand_type != f.dst_type && !bytes) return false;
    const bool turned = s.operand_type != f.dst_type, is_u8 = f.dst_type == data_type::u8;
    c.addend_turn = !turned ? 0 : is_u8 ? 128 : -128;
    c.addend_scale = 1.0f;
    c.addend_zero_point = static_cast<f32>(c.addend_turn);
    if (s.what == epilogue_step::kind::sum) {
        c.addend_scale = s.scale;
        c.addend_zero_point += static_cast<f32>(s.zero_point);
        const bool exact = s.zero_point < 1 << 23 && s.zero_point > -(1 << 23); // with 128 more
        return s.zero_point == 0 || (bytes && (!turned || exact));
    }
    return s.what == epilogue_step::kind::binary && s.alg == algorithm::binary_add &&
           s.strides[column_dim] == 1;
}

/// True where dst has a scale or a zero point of its own.
DNNL_INLINE bool rescales_dst(const epilogue &f) {
    return f.inverse_dst_scale != 1.0f || f.dst_zero_points;
}

/// Bounds beyond which a quotient is a byte's least or largest number whatever the zero point, so
/// that the two parts of 1 / dst_scale never meet an infinity, whose products with them are NaN.
/// False where dst_scale is so small or large that there are none.
DNNL_INLINE bool bound_dividend(const epilogue &f, common_columns &c) {
    const f32 scale = __builtin_fabsf(f.inverse_dst_scale);
    if (!(scale > 0x1p-80f && scale < 0x1p80f)) return false;
    const f32 bound = 0x1p33f / scale;
    c.lowest = c.lowest > -bound ? c.lowest : -bound;
    c.highest = c.highest < bound ? c.highest : bound;
    return true;
}

/// True when bytes need the whole expression; else the bounds are those of the type, too.
DNNL_INLINE bool needs_rescaling(const epilogue &f, common_columns &c) {
    if (rescales_dst(f)) return true;
    const f32 least = f.dst_type == data_type::u8 ? 0.0f : -128.0f;
    if (c.lowest > least) return true;
    c.highest = c.highest < c.largest ? c.highest : c.largest;
    return false;
}

/// True where an epilogue, or common_columns, has scales or compensations of rows.
template <class Numbers> DNNL_INLINE bool has_numbers_of_rows(const Numbers &n) {
    return n.row_compensation || n.row_scales;
}

/// True when the expression above is the epilogue; sets what does not depend on a position.
DNNL_INLINE bool is_common(const epilogue &f, common_columns &c) {
    if (f.bias_operand || f.random) return false;
    c.row_compensation = f.row_compensation;
    c.row_scales = f.row_scales;
    c.adds = begins_with_addend(f, c);
    if (!only_clamps(f, c.adds, c)) return false;
    c.plain =
        f.step_count == 0 && !has_numbers_of_rows(f) && !f.scales && !f.bias && !rescales_dst(f);
    c.largest = f.dst_type == data_type::u8 ? 255.0f : 127.0f;
    if (!is_byte_type(f.dst_type)) {
        c.full = c.lowest > -__builtin_inff() || c.highest < __builtin_inff();
        return !rescales_dst(f);
    }
    c.full = needs_rescaling(f, c);
    if (c.full && !bound_dividend(f, c)) return false;
    return !f.dst_zero_points || f.dst_zero_point_stride == 0;
}

/// True for numbers other than 0 whose sum with a normal number may be subnormal: both are
/// multiples of 2^-126 else.
DNNL_INLINE bool is_tiny(f32 x) { return x != 0.0f && __builtin_fabsf(x) < 0x1p-102f; }

/// Fills `c` for n columns, at most 64, from `column` after the position on, with neutral values
/// after them; false when the epilogue is of another kind. -0 is neutral in sums, also of zeros.
template <class Isa>
DNNL_INLINE bool prepare_common(const epilogue &f, const dim_t (&position)[position_rank],
    dim_t column, dim_t n, common_columns &c) {
    using real = vec<f32, Isa>;
    using integer = vec<s32, Isa>;
    if (!is_common(f, c)) return false;
    const dim_t first = position[column_dim] + column;
    c.addend = nullptr;
    if (c.adds && f.steps->what == epilogue_step::kind::binary) {
        const epilogue_step &s = *f.steps;
        const dim_t offset = offset_at(position, s.strides) + column;
        c.addend = element_at(static_cast<const char *>(s.operand), s.operand_type,
            offset - position[row_dim] * s.strides[row_dim]);
        c.addend_row_bytes = size_in_bytes(s.operand_type) * s.strides[row_dim];
    }
    c.inverse_dst_scale = f.inverse_dst_scale;
    c.inverse_dst_scale_low = f.inverse_dst_scale_low;
    c.dst_zero_point = f.dst_zero_points ? static_cast<f32>(*f.dst_zero_points) : -0.0f;
    c.normal = f.dst_type == data_type::bf16 && !c.adds && !f.scales && !has_numbers_of_rows(f) &&
               !is_tiny(c.lowest) && !is_tiny(c.highest);
    const real one_scale = real::set(f.scales ? *f.scales : 1.0f);
    for (dim_t p = 0; p < 64; p += real::size) {
        const dim_t left = n - p < real::size ? n - p : dim_t {real::size}, j = first + p;
        const bool own_scales = f.scales && f.scale_stride && left > 0;
        const real scale = own_scales ? real::load(f.scales + j, left) : one_scale;
        const real bias = f.bias && left > 0 ? real::load(f.bias + j, left) : real::set(-0.0f);
        const integer compensation =
            f.compensation && left > 0 ? integer::load(f.compensation + j, left) : integer::zero();
        if (f.row_compensation) {
            const bool own = f.row_factors && left > 0;
            (own ? integer::load(f.row_factors + j, left) : integer::set(1))
                .store(c.row_factors + p);
        }
        if (c.normal && f.bias)
            c.normal = !any((abs(bias) < real::set(0x1p-102f)) & (bias != real::zero()));
        scale.store(c.scale + p);
        bias.store(c.bias + p);
        compensation.store(c.compensation + p);
    }
    return true;
}

/// The numbers of columns p to p + vec::size - 1 in registers.
template <class Isa> struct common_vector {
    vec<f32, Isa> scale, bias;
    vec<s32, Isa> compensation;
    const s32 *row_factors;
    DNNL_INLINE common_vector(const common_columns &c, dim_t p)
        : scale(vec<f32, Isa>::load(c.scale + p)), bias(vec<f32, Isa>::load(c.bias + p)),
          compensation(vec<s32, Isa>::load(c.compensation + p)), row_factors(c.row_factors + p) {}
    DNNL_INLINE vec<f32, Isa> compensated(vec<f32, Isa> sum) const { return sum; }
    DNNL_INLINE vec<f32, Isa> compensated(vec<s32, Isa> sum) const {
        return to_f32(sum - compensation);
    }
};

/// What a row adds to the numbers of its columns: nothing, or its scale and compensation.
template <class Isa, bool ByRow> struct row_numbers {
    DNNL_INLINE row_numbers(const common_columns &, dim_t) {}
    template <class Sum>
    DNNL_INLINE vec<f32, Isa> scaled(Sum sum, const common_vector<Isa> &at) const {
        return fma(at.compensated(sum), at.scale, at.bias);
    }
};
template <class Isa> struct row_numbers<Isa, true> {
    using real = vec<f32, Isa>;
    using integer = vec<s32, Isa>;
    real scale;
    integer compensation;
    DNNL_INLINE row_numbers(const common_columns &c, dim_t row)
        : scale(real::set(c.row_scales ? c.row_scales[row] : 1.0f)),
          compensation(integer::set(c.row_compensation ? c.row_compensation[row] : 0)) {}
    DNNL_INLINE real scaled(real sum, const common_vector<Isa> &at) const {
        return fma(sum, scale * at.scale, at.bias);
    }
    DNNL_INLINE real scaled(integer sum, const common_vector<Isa> &at) const {
        const integer rest = sum - compensation * integer::load(at.row_factors);
        return fma(at.compensated(rest), scale * at.scale, at.bias);
    }
};

/// What all columns share, in registers.
template <class Isa> struct common_numbers {
    using v = vec<f32, Isa>;
    v lowest, highest, largest, inverse_dst_scale, inverse_dst_scale_low, dst_zero_point;
    v addend_scale, addend_zero_point;
    vec<s32, Isa> addend_turn;
    DNNL_INLINE explicit common_numbers(const common_columns &c)
        : lowest(v::set(c.lowest)), highest(v::set(c.highest)), largest(v::set(c.largest)),
          inverse_dst_scale(v::set(c.inverse_dst_scale)),
          inverse_dst_scale_low(v::set(c.inverse_dst_scale_low)),
          dst_zero_point(v::set(c.dst_zero_point)), addend_scale(v::set(c.addend_scale)),
          addend_zero_point(v::set(c.addend_zero_point)),
          addend_turn(vec<s32, Isa>::set(c.addend_turn)) {}
};

/// The rows of the addend that belong to rows of dst.
struct addend_rows {
    const char *first;
    dim_t row_bytes;
    /// For rows from `row` of the coordinate on, whose destination begins at dst.
    DNNL_INLINE addend_rows(
        const common_columns &c, dim_t row, const char *dst, dim_t dst_row_bytes)
        : first(c.addend ? c.addend + row * c.addend_row_bytes : dst),
          row_bytes(c.addend ? c.addend_row_bytes : dst_row_bytes) {}
    template <class Dst> DNNL_INLINE const Dst *row(dim_t i) const {
        return reinterpret_cast<const Dst *>(first + i * row_bytes);
    }
};

/// The expression of this file for a vector of sums. Adds: with an addend, of which n
/// elements or lanes are there. Full: with bounds and, for bytes, the numbers
/// of their formula; else without, but for the highest of bytes.
template <bool Full, bool Adds, class Isa, class Sum, class Dst, bool ByRow,
    class Lanes = all_lanes>
DNNL_INLINE vec<f32, Isa> finish_common(const row_numbers<Isa, ByRow> &row, Sum sum,
    const common_vector<Isa> &at, const common_numbers<Isa> &all, const Dst *addend, Lanes n = {}) {
    vec<f32, Isa> x = row.scaled(sum, at);
    if constexpr (Adds) {
        vec<f32, Isa> y;
        if constexpr (is_byte<Dst>)
            y = to_f32(load_up_to<Isa, s32>(addend, n) ^ all.addend_turn) - all.addend_zero_point;
        else
            y = load_up_to<Isa>(addend, n);
        x = fma(y, all.addend_scale, x);
    }
    // NaN stays, because it is the second operand.
    if constexpr (Full) x = max(all.lowest, x);
    if constexpr (Full || is_byte<Dst>) x = min(all.highest, x);
    if constexpr (!Full || !is_byte<Dst>) return x;
    const vec<f32, Isa> quotient = fma(x, all.inverse_dst_scale, x * all.inverse_dst_scale_low);
    return min(all.largest, quotient + all.dst_zero_point);
}

} // namespace dnnl::impl::cpu
