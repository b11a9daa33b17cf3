// SPDX-License-Identifier: Apache-2.0
// The kernels of eltwise, binary, prelu, softmax, sum and reduction, on rows of any element types.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/movement/movement.hpp"

namespace dnnl::impl::cpu {

// ---- Eltwise ----

/// forward:  dst = epilogue(f(src[0]))
/// backward: dst = src[0] * f'(src[1]): src[0] is diff_dst, src[1] src or dst of the forward pass,
///           dst diff_src
struct eltwise_args {
    algorithm alg;
    f32 alpha, beta;
    // eltwise_bf16_rows: eltwise_rows, for pieces of f32 of what it does not compute in registers
    void (*f32_rows)(const row_tile &, const eltwise_args &);
};
using eltwise_function = void (*)(const row_tile &, const eltwise_args &);

template <class Isa, bool Forward>
void eltwise_rows(const row_tile &tile, const eltwise_args &args);

/// The same where all tensors are bf16, the elements of rows adjacent and `finish` is null.
template <class Isa, bool Forward>
void eltwise_bf16_rows(const row_tile &tile, const eltwise_args &args);

/// dst = table[src[0]]; both tensors are of adjacent bytes, src[0] is read as u8.
using map_bytes_function = void (*)(const row_tile &, const u8 *table);
template <class Isa> void map_bytes(const row_tile &tile, const u8 *table);

// ---- Binary ----

/// dst = epilogue(alg(src[0] * scale[0], src[1] * scale[1])); binary_select takes src[0] where
/// src[2], of s8, is not 0, else src[1]. Results are computed in f32; in f64 where the tensors are
/// f64. Maximum, minimum, comparisons and select of two integer sources without scales are exact:
/// f32 holds bytes exactly, and for s32 the caller sets `integer`.
struct binary_args {
    algorithm alg;
    bool integer; // compute in s32: both sources are s32 s8 u8
    f32 scale[2]; // 1 leaves out the multiplication
};
using binary_function = void (*)(const row_tile &, const binary_args &);
template <class Isa> void binary_rows(const row_tile &tile, const binary_args &args);
/// The same where all tensors are bf16 and the elements of rows adjacent, except that src[1] may be
/// one element for all. There is no select, no scale and no `finish`.
template <class Isa> void binary_bf16_rows(const row_tile &tile, const binary_args &args);

// ---- PReLU ----

/// dst = src[0] > 0 ? x : x * src[1]. src[1] are the weights; x is src[0], backward src[2], which
/// is diff_dst. src[0], x and dst have one type. Integers above 0 stay exact; products are f32.
template <class Isa> void prelu_rows(const row_tile &tile, bool forward);
/// Both gradients where the weights are not broadcast; src[1] is diff_dst, src[2] the weights:
///   of the weights: dst = min(src[0], 0) * src[1]
///   of the source:  src[3] = src[0] > 0 ? src[1] : src[1] * src[2]; src[3] may be src[1]
/// All tensors have adjacent elements of one type: f32, bf16 or f16.
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
/// softmax_rows adds up a row in 16 partial sums, backward in 4 times 16; softmax_columns adds up a
/// column in order. Both are the same on every instruction set.
struct softmax_args {
    bool log;
    // softmax_rows: room for rows_at_once rows, backward for two, each rounded up to 16 elements;
    // softmax_columns: for a stripe, backward for two.
    f32 *buffer;
    dim_t rows_at_once; // softmax_rows: at most softmax_group
    dim_t stripe;       // softmax_columns: elements from row to row of a stripe, whole vectors
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
/// rounded to f32 before the conversion to dst's type; s32 elements are rounded to f32 first.
/// Types: f32 bf16 f16 s32 s8 u8 f8. Two terms without scales give the bits of binary_add.
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

/// Each f32 partial sum takes up to 64 elements (plain sums of s8 and u8, and extremes of integers:
/// in s32) before it joins its total: reduce_columns has one for each column, reduce_rows joins 64
/// of them first. Sums of s32 and all products go into f64 one by one. The order is the same on
/// every instruction set.
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

/// How epsilon changes a quotient q: not at all, to max(q, epsilon), to q + epsilon.
enum class epsilon_rule : std::int32_t { unused, at_least, added };

/// y = total / divisor, changed by epsilon; with a root, y^(1 / p). Then epilogue and conversion.
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
