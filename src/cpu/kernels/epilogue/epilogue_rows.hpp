// SPDX-License-Identifier: Apache-2.0
// The epilogue of accumulators: plain data that crosses from baseline code into kernels, and the
// kernel that interprets it. doc/epilogue.md has its arithmetic.
#pragma once

#include "common/plain_types.hpp"

namespace dnnl::impl::cpu {

// Accumulators -> destination:
//
//   x   = f32(acc - compensation[j] - row_compensation[i] * row_factors[j])   s32 arithmetic, wraps
//   x   = fma(x, row_scales[i] * scales[j], bias[j])      or bias_operand instead of bias
//   x   = dropout(x)
//   x   = step[n](... step[0](x))
//   dst = saturate(round_to_nearest_even(x / dst_scale + dst_zero_point))
//         or rounded stochastically
//
// i is the row and j the column of the element; what is null (or 1 and 0 for the numbers) is left
// out. An s32 accumulator goes to an s32 destination as an integer, x = saturate(acc - ... +
// bias_operand + prev), when all that is used in addition to compensation is an s32 bias_operand
// and a sum of the s32 destination itself, with scale 1 and zero point 0. The product and the sums
// outside fma() are rounded one by one.

/// Where an element lies, from the outermost to the innermost coordinate: three outer ones (batch,
/// depth, height or whatever a driver makes of them), the row and the column of its matrix.
inline constexpr int position_rank = 5;
inline constexpr int row_dim = 3, column_dim = 4;

/// Returns the number of elements from the first one of a tensor to that at a position, by the
/// tensor's strides along the coordinates.
DNNL_INLINE dim_t offset_at(
    const dim_t (&position)[position_rank], const dim_t (&strides)[position_rank]) {
    dim_t offset = 0;
    for (int d = 0; d < position_rank; ++d) offset += position[d] * strides[d];
    return offset;
}

/// One post-op, or a half of a select. Coordinate d of the element's position moves `operand` by
/// strides[d] elements of operand_type; 0 broadcasts. A column stride other than 0 and 1 is
/// allowed.
///   eltwise: x = scale * f(x; alpha, beta)      f is `alg`; scale is 1 but in special cases
///   sum:     x = fma(scale, f32(prev) - zero_point, x)   prev: the old dst read as operand_type
///   binary:  x = alg(x, f32(operand))
///   prelu:   x = x > 0 ? x : x * f32(operand)
///   condition: leaves x as it is; its operand, of s8, is that of the select, which is the next
///   step select:  x = condition != 0 ? x : f32(operand)
struct epilogue_step {
    enum class kind : std::int32_t { eltwise, sum, binary, prelu, condition, select };
    kind what;
    algorithm alg;
    f32 alpha, beta;
    f32 scale;
    s32 zero_point;
    data_type operand_type; // f32 bf16 f16 s32 s8 u8; sum: of the size of dst_type
    const void *operand;    // null for eltwise and sum
    dim_t strides[position_rank];
};

/// Steps that depend on random numbers. An element uses the word of its offset in the user's dst,
/// first + sum over d of position[d] * strides[d].
///   dropout:  keep = word(offset) > dropout_threshold; x = keep ? x * dropout_scale : 0
///   rounding: the bits of rounding_kept of bits(x) + random bits below them, saturated at
///             rounding_max, 0 below rounding_min_normal
struct random_steps {
    dim_t first, strides[position_rank];
    bool drops_out;
    u8 *dropout_mask; // where the first element of dst is at `first`; null: is not stored
    std::uint32_t dropout_threshold;
    f32 dropout_scale;
    std::uint64_t dropout_seed, dropout_offset; // 32 bits of the seed count without an offset
    s32 rounding_seed;
    int rounding_per_word; // 4 bytes or 2 halves of a random word serve so many elements; 0: no
                           // stochastic rounding
    std::uint32_t rounding_kept;
    f32 rounding_max, rounding_min_normal;
};

/// Vectors are indexed by the row or column of the position; a stride of 0 means one value for all.
struct epilogue {
    const s32 *compensation;     // per column
    const s32 *row_compensation; // per row: row sums where weights have zero points
    const s32 *row_factors;      // per column: what row_compensation is multiplied by; null: 1
    const f32 *scales;           // per column or one: src_scale * weights_scale
    const f32 *row_scales;       // per row
    const f32 *bias;             // per column
    const epilogue_step *bias_operand; // instead of bias: operand, operand_type, strides of any
                                       // broadcast tensor; null: unused
    const epilogue_step *steps;        // in the order of the attributes
    const random_steps *random;        // null: none
    const s32 *dst_zero_points;        // per column or one
    dim_t scale_stride;                // 1: per column, 0: one value
    dim_t dst_zero_point_stride;       // 1: per column, 0: one value
    int step_count;
    // x / dst_scale is computed as fma(x, inverse_dst_scale, x * inverse_dst_scale_low), which
    // rounds as a division does, unless the quotient is within 2^-22 ulp of the middle between two
    // numbers. inverse_dst_scale is 1 / dst_scale rounded, 1 when unused; the low part is what
    // rounding took off it. A scale without a normal reciprocal is the operand of a step.
    f32 inverse_dst_scale = 1, inverse_dst_scale_low;
    data_type dst_type; // f32 bf16 f16 s32 s8 u8
};

/// True when an s32 accumulator reaches dst as an integer.
DNNL_INLINE bool adds_integers(const epilogue &f) {
    const bool adds_dst = f.step_count == 1 && f.steps->what == epilogue_step::kind::sum &&
                          f.steps->scale == 1.0f && f.steps->zero_point == 0 &&
                          f.steps->operand_type == data_type::s32;
    return f.dst_type == data_type::s32 && !f.scales && !f.row_scales && !f.bias && !f.random &&
           (!f.bias_operand || f.bias_operand->operand_type == data_type::s32) &&
           (f.step_count == 0 || adds_dst) && f.inverse_dst_scale == 1.0f && !f.dst_zero_points;
}

/// Applies an epilogue to a block of accumulators.
struct epilogue_rows_args {
    const epilogue *finish;
    const void *acc;        // [rows][columns], f32 or s32
    dim_t acc_stride_bytes; // bytes from row to row
    data_type acc_type;     // f32 or s32
    void *dst;              // [rows][columns] of dst_type; may be acc when types have one size
    dim_t dst_stride_bytes; // bytes from row to row
    dim_t rows, columns;    // any count
    dim_t position[position_rank]; // of element (0, 0)
};

/// The columns of a panel under one of the commonest epilogues (common_epilogue.hpp); what an
/// epilogue lacks is neutral here.
struct common_columns {
    alignas(64) s32 compensation[64];
    alignas(64) f32 scale[64];
    alignas(64) f32 bias[64];
    alignas(64) s32 row_factors[64]; // with numbers of rows only
    const f32 *row_scales;           // numbers of rows: null where there are none
    const s32 *row_compensation;     // the same
    f32 lowest, highest;             // bounds of the result
    f32 largest;                     // of bytes: the largest number of the type
    f32 inverse_dst_scale, inverse_dst_scale_low, dst_zero_point;
    bool plain;             // nothing changes the sums, but compensation
    bool normal;            // sums that are not subnormal give no results that are
    bool full;              // there are bounds; bytes: others than the type's, or a scale or zero
                            // point of dst
    bool adds;              // an addend of the type of dst, or bytes: dst itself or another tensor
    const char *addend;     // under position 0 of the rows and the first column; null: dst itself
    dim_t addend_row_bytes; // bytes from row to row of another tensor
    f32 addend_scale, addend_zero_point;
    s32 addend_turn; // bits of bytes that are turned: 0, or the highest and those above it
};

/// Applies the epilogue that c describes to rows of sums. args.columns is at most 64, args.finish
/// is not used.
using common_rows_function = void (*)(const common_columns &c, const epilogue_rows_args &args);

/// Fills c for n columns, at most 64, from `column` after the position on; null when the epilogue
/// is not one of the commonest, with or without numbers of rows. Defined for avx2 and avx512.
template <class Isa>
common_rows_function common_rows(const epilogue &f, data_type acc,
    const dim_t (&position)[position_rank], dim_t column, dim_t n, common_columns &c);

using epilogue_rows_function = void (*)(const epilogue_rows_args &);

/// Defined for the tags sse41, avx2 and avx512.
template <class Isa> void epilogue_rows(const epilogue_rows_args &args);

/// Rows of f32 results that become codes of f8 or f4_e2m1, with scales that follow from them: one
/// for each group of neighbours in a row (doc/numerics.md, "Scales that the library computes").
struct quantize_rows_args {
    const f32 *src;
    dim_t src_stride;    // elements from row to row
    dim_t rows, columns; // columns: whole groups
    void *dst;           // 4-bit elements begin with a byte in each row
    dim_t dst_stride_bytes;
    data_type dst_type; // f8_e5m2, f8_e4m3 or f4_e2m1
    dim_t group;        // 16 or 32; 0: no scales, results are converted as they are
    bool powers_of_two; // scales are e8m0, else f8_e4m3
    u8 *scales;
    dim_t scales_stride; // scales from row to row
};

template <class Isa> void quantize_rows(const quantize_rows_args &args);

} // namespace dnnl::impl::cpu
