// SPDX-License-Identifier: Apache-2.0
// Makes the elements of a dst of 4 bits, or with scales that the library computes, from blocks of
// f32 results.
#pragma once

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/matmul/matmul.hpp"

namespace dnnl::impl::cpu {

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
