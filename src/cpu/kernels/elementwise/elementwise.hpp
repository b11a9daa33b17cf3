// SPDX-License-Identifier: Apache-2.0
// The kernels of eltwise, binary, prelu, softmax, sum and reduction, on rows of any element types.
#pragma once

#include "cpu/kernels/kernel_types.hpp"
#include "cpu/kernels/movement/movement.hpp"

namespace dnnl::impl::cpu {

// ---- Eltwise ----

/// forward:  dst = epilogue(f(src[0]))
/// backward: dst = src[0] * f'(src[1]): src[0] is diff_dst, src[1] src or dst of the forward pass,
///           dst diff_src
struct eltwise_args {
    algorithm alg;
    f32 alpha, beta;
};
using eltwise_function = void (*)(const row_tile &, const eltwise_args &);

template <class Isa, bool Forward>
void eltwise_rows(const row_tile &tile, const eltwise_args &args);

/// The same where all tensors are of bf16, the elements of rows adjacent and `finish` is null;
/// f32_rows computes functions of many instructions.
using eltwise_bf16_function = void (*)(const row_tile &, const eltwise_args &, eltwise_function);
template <class Isa, bool Forward>
void eltwise_bf16_rows(const row_tile &tile, const eltwise_args &args, eltwise_function f32_rows);

/// dst = table[code of src[0]], both of bytes. There is one for vectors of 512 bits, which needs
/// AVX512_VBMI.
using map_bytes_function = void (*)(const row_tile &, const u8 *table);
template <class Isa> void map_bytes(const row_tile &tile, const u8 *table);

// ---- Binary ----

/// dst = epilogue(alg(src[0] * scale[0], src[1] * scale[1])); binary_select takes src[0] where
/// src[2], of s8, is not 0. Sums and products in f32, all of them in f64 where the tensors are f64.
/// Maximum, minimum, comparisons and select of two integer sources without scales are exact: f32
/// holds bytes, and for s32 the caller sets `integer`.
struct binary_args {
    algorithm alg;
    bool integer; // compute in s32: both sources are s32 s8 u8
    f32 scale[2]; // 1 leaves out the multiplication
};
using binary_function = void (*)(const row_tile &, const binary_args &);
template <class Isa> void binary_rows(const row_tile &tile, const binary_args &args);
/// The same where all tensors are of bf16, the elements of rows adjacent, but src[1] may be one for
/// all; without select, scales and `finish`.
template <class Isa> void binary_bf16_rows(const row_tile &tile, const binary_args &args);

// ---- PReLU ----

/// dst = src[0] > 0 ? x : x * src[1], the weights; x is src[0], or src[2] (diff_dst) backward, of
/// dst's type. Integers above 0 stay as they are; products are f32.
template <class Isa> void prelu_rows(const row_tile &tile, bool forward);
/// Both gradients where the weights are not broadcast: dst = min(src[0], 0) * src[1], diff_dst, and
/// src[3] = src[0] > 0 ? src[1] : src[1] * src[2], the weights; src[3] may be src[1]. Rows of
/// adjacent elements of one type, f32, bf16 or f16.
template <class Isa> void prelu_gradients(const row_tile &tile);

// ---- Softmax ----

/// Rows that softmax_rows works on at once, at most.
inline constexpr dim_t softmax_group = 4;
/// Columns that softmax_columns takes at most in one call.
inline constexpr dim_t softmax_stripe = 512;

/// forward:  m = max(x), e = exp(x - m), dst = e / sum(e), or (x - m) - ln(sum(e)) for log, of
///           x = src[0]; then the epilogue
/// backward: dst = d * (dd - sum(d * dd)), or dd - exp(d) * sum(dd) for log; dd = src[0] is
///           diff_dst, d = src[1] the forward dst, dst diff_src
/// Sums run over 16 lanes, backward over 4 times 16, in the same order on every instruction set.
struct softmax_args {
    bool log;
    // Forward rows_at_once rows, backward two, each rounded up to 16 elements; columns: a stripe,
    // backward two.
    f32 *buffer;
    dim_t rows_at_once; // at most softmax_group
    dim_t stripe;       // columns: elements from row to row of a stripe; whole vectors
};
using softmax_function = void (*)(const row_tile &, const softmax_args &);

/// The axis runs along the rows.
template <class Isa> void softmax_rows(const row_tile &tile, const softmax_args &args);
template <class Isa> void softmax_rows_backward(const row_tile &tile, const softmax_args &args);
/// The axis runs along the columns, of which there are at most softmax_stripe.
template <class Isa> void softmax_columns(const row_tile &tile, const softmax_args &args);
template <class Isa> void softmax_columns_backward(const row_tile &tile, const softmax_args &args);

// ---- Sum ----

inline constexpr int max_summands = 39;

/// dst[r, c] = round(sum over i of scales[i] * srcs[i][r, c]), added up in f64 in this order and
/// rounded to f32 before the conversion to dst's type. Types: f32 bf16 f16 s32 s8 u8 f8. Two terms
/// without scales are those of binary_add, to the same bits.
struct sum_args {
    row_tensor srcs[max_summands];
    double scales[max_summands];
    int count;
    row_tensor dst;
    dim_t rows, columns;
};
template <class Isa> void sum_tile(const sum_args &args);

// ---- Reduction ----

/// What an element x does to its total t.
enum class reduced_by : std::int32_t {
    max,        ///< t = max(t, x), NaN when one of them is
    min,        ///< t = min(t, x), NaN when one of them is
    sum,        ///< t + x
    product,    ///< t * x; of integers within +-1e300
    abs_sum,    ///< t + |x|
    square_sum, ///< t + x * x
    power_sum   ///< t + |x|^p
};

/// Up to 64 elements are added up in f32 (s8, u8: s32) before they join their total; sums of s32
/// and products go into f64 one by one. The order is the same on every instruction set.
struct reduce_args {
    reduced_by what;
    f32 p;
    row_tensor src; // f32 bf16 f16 s32 s8 u8 f8_e5m2 f8_e4m3
    dim_t rows, columns;
    double *totals;
};
using reduce_function = void (*)(const reduce_args &);

/// The gradient of the weights of PReLU: adds min(src, 0) * diff_dst to the totals.
struct prelu_weights_args {
    row_tensor src, diff_dst;
    dim_t rows, columns;
    double *totals;
};
using prelu_weights_function = void (*)(const prelu_weights_args &);

/// One total per column; at most row_piece columns.
template <class Isa> void reduce_columns(const reduce_args &args);
/// One total per row, whose elements are adjacent in src.
template <class Isa> void reduce_rows(const reduce_args &args);
/// By columns as reduce_columns(), else as reduce_rows().
template <class Isa, bool ByColumns> void prelu_weights(const prelu_weights_args &args);

/// What is done with epsilon.
enum class epsilon_rule : std::int32_t { unused, at_least, added };

/// y = (total / divisor, then epsilon)^(1 / p); then the epilogue and the conversion.
struct reduce_finish_args {
    const double *totals;
    dim_t columns; // at most row_piece
    double divisor;
    epsilon_rule rule;
    double epsilon;
    bool has_root;
    f32 p, root_high, root_low; // 1 / p in two parts
    bool integer;               // y goes to an integer dst without passing through f32
    void *dst;                  // adjacent elements
    data_type dst_type;
    const epilogue *finish; // null: none; steps see the position (0, column)
};
using reduce_finish_function = void (*)(const reduce_finish_args &);

template <class Isa> void reduce_finish(const reduce_finish_args &args);

} // namespace dnnl::impl::cpu
