// SPDX-License-Identifier: Apache-2.0
// Products of bytes whose sums s32 need not hold: parts of K that it surely holds are summed by the
// kernels and added up in f64, which is exact. Compensation comes off in f64, too, so that the
// value that is rounded, to f32 or to an s32 destination, is the exact one.
#pragma once

#include <type_traits>

#include "cpu/gemm/gemm.hpp"

namespace dnnl::impl::cpu {

/// The longest sum of products of bytes that s32 surely holds. A byte less its zero point lies
/// between -255 and 255, where the zero point is a value of the byte's type.
dim_t exact_sum_length(
    data_type a, data_type b, bool a_has_zero_point = false, bool b_has_zero_point = false);

/// The longest sum of bytes that s32 surely holds: zero points multiply such sums of one operand.
constexpr dim_t longest_operand_sum = INT32_MAX / 255;

/// What a src zero point adds to the sum of a column of products of K bytes, whose weights have a
/// zero point, too, or 0: in s32 modulo 2^32, as the kernels compute; in f64 exact, where the
/// column sum is exact: for up to longest_operand_sum products.
template <class Number>
Number compensation_of(
    s32 src_zero_point, s32 column_sum, dim_t K = 0, s32 weights_zero_point = 0) {
    if constexpr (std::is_floating_point_v<Number>)
        return src_zero_point * (column_sum - static_cast<double>(K) * weights_zero_point);
    const auto wrapped = [](auto x) { return static_cast<std::uint32_t>(x); };
    return static_cast<Number>(
        wrapped(src_zero_point) * (wrapped(column_sum) - wrapped(K) * wrapped(weights_zero_point)));
}

/// The sums of a task in f64, after `sums` accumulators of s32 in its memory.
class wide_sums {
  public:
    /// sums: 0 where no sum is too long. longest: products that s32 holds. finish: the epilogue of
    /// sums that are rounded to f32.
    wide_sums(const gemm_task &t, dim_t sums, dim_t longest, epilogue_rows_function finish)
        : t_(t), longest_(longest), finish_(finish) {
        if (t.c) wide_ = reinterpret_cast<double *>(static_cast<s32 *>(t.c) + sums);
    }

    /// Called before each call of the block kernel. Returns true when that may go on adding to the
    /// sums in s32; otherwise these have been added to the sums in f64.
    bool add(const gemm_block_args &g);
    /// Applies the epilogue to the columns of g, once all of their products are there.
    void finish(const gemm_block_args &g);

  private:
    void take_part(const gemm_block_args &g);

    const gemm_task &t_;
    double *wide_ = nullptr;
    dim_t longest_;
    dim_t length_ = 0;     ///< products in the sums in s32
    bool started_ = false; ///< the sums in f64 have been set
    epilogue_rows_function finish_;
};

} // namespace dnnl::impl::cpu
