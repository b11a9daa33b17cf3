// SPDX-License-Identifier: Apache-2.0
// Steps of a product whose operands have scales and zero points: what the zero points of bytes
// contribute to whole sums is subtracted from them, and src is copied times its scales.
#pragma once

#include "cpu/matmul/matmul.hpp"

namespace dnnl::impl::cpu {

/// True where s32 need not hold the sums of bytes.
bool needs_wide_sums(const matmul_desc &op, const operand_types &types, const operand_values &v);

/// sums[batch][piece of K][m] = sum over the piece of the elements of A; integers.
void sum_rows_of_a(const matmul_operands &o, const char *a, dim_t piece, s32 *sums);

/// Compensation in the epilogue: src zero point * (column sum of the weights - K * weights zero
/// point) comes off each column, row sum of src * weights zero point off each element.
class matmul_zero_points {
  public:
    matmul_zero_points() = default;
    /// slice_columns: of panels that are made while the product runs.
    matmul_zero_points(scratchpad_layout &scratch, const matmul_operands &o,
        const epilogue_plan &epilogue, dim_t slice_columns);

    /// Called once per execution.
    void sum_rows(const matmul_execution &e, const matmul_operands &o) const {
        if (of_weights_) sum_rows_of_a(o, e.src, K_, e.ctx.scratch(row_sums_));
    }
    /// Called once the panels of a part are there, with their column sums.
    void sum_columns(
        const matmul_execution &e, const matmul_operands &o, const matmul_operands::part &p) const;
    /// Points the epilogue of t, `finish`, at the sums of a block; the pending block is finished
    /// first where they change.
    void use(const matmul_execution &e, const matmul_operands &o, const matmul_operands::block &b,
        gemm_task &t, epilogue &finish) const;

    /// Returns room for the column sums of one slice; null where none are asked for.
    s32 *slice_sums(const matmul_execution &e, int thread) const {
        if (!of_src_ || !streamed_) return nullptr;
        return e.ctx.scratch(slice_sums_) + thread * slice_columns_;
    }
    /// Turns the column sums of the columns [n0, n0 + n) into compensation.
    void compensate_slice(const matmul_execution &e, dim_t n0, dim_t n, s32 *sums) const;

  private:
    bool of_src_ = false, of_weights_ = false, streamed_ = false, wide_ = false;
    dim_t K_ = 0, N_ = 0, slice_columns_ = 0;
    scratch_slot<s32> row_sums_, compensation_, slice_sums_;
    scratch_slot<double> wide_compensation_; ///< instead, of a wide driver
};

/// Applies scales of a float src that the epilogue does not: the product takes a copy of src.
class matmul_source_scales {
  public:
    matmul_source_scales() = default; ///< none
    matmul_source_scales(
        scratchpad_layout &scratch, matmul_operands &o, const quantization_values &scales);

    explicit operator bool() const { return !!scales_; }
    /// Returns a dense row-major copy of src, which is f32 here, times its scales.
    const char *apply(const matmul_execution &e, const matmul_operands &o) const;

  private:
    value_table<f32> scales_;
    scratch_slot<f32> scaled_;
};

/// Makes a dst of 4 bits, or with scales that the library computes, from blocks of f32 results.
class matmul_codes {
  public:
    /// True where the epilogue cannot store such a dst itself.
    static bool are_needed(const problem &p);
    /// Null, or why such a dst is not supported.
    static const char *refusal(const problem &p);

    matmul_codes() = default; ///< absent
    /// The threads of `o` and its blocks are known already.
    matmul_codes(problem &p, const matmul_operands &o);
    explicit operator bool() const { return store_ != nullptr; }
    const char *why_not() const { return why_not_; }

    /// Where the results of a block of one thread are kept, rows results_stride() apart.
    f32 *results(const exec_context &ctx, int thread) const {
        return ctx.scratch(results_) + thread * block_elements_;
    }
    dim_t results_stride() const { return stride_; }
    /// Makes the block of dst, and its scales.
    void store(const matmul_execution &e, const matmul_operands &o, const matmul_operands::block &b,
        int thread) const;

  private:
    void (*store_)(const quantize_rows_args &) = nullptr;
    scratch_slot<f32> results_;
    dim_t stride_ = 0, block_elements_ = 0;
    dim_t group_ = 0; ///< of scales; 0: none
    bool powers_of_two_ = false;
    const char *why_not_ = nullptr;
};

} // namespace dnnl::impl::cpu
