// SPDX-License-Identifier: Apache-2.0
// Gradients of the weights of one layer and direction of a recurrent network: C[i][o] = sum over
// time steps and batch of a[t][n][i] * b[t][n][o], a the operand of the forward product, b the
// gradient of its result.
#pragma once

#include "common/plan/implementation.hpp"
#include "cpu/rnn/rnn.hpp"

namespace dnnl::impl::cpu {

/// A matrix [T][MB][channels]. With `first` the rows of a time step are those that `rows` holds one
/// step earlier in the direction's order, and `first` where there is none.
struct rnn_operand {
    const void *rows;
    data_type dtype; ///< f32 or bf16
    dim_t channels;
    const void *first;
    bool reversed;
};

class rnn_weights_gradient {
  public:
    rnn_weights_gradient() = default;
    rnn_weights_gradient(problem &p, const rnn_shape &s, int threads);

    const char *why_not() const { return driver_ ? nullptr : "no GEMM kernel for f32"; }

    /// Takes b: f32, rows `row` elements apart.
    void load_gradient(const exec_context &ctx, const f32 *b, dim_t row, dim_t columns) const;
    /// Takes a.
    void load_operand(const exec_context &ctx, const rnn_operand &a) const;

    /// C, rows `row` elements apart; with accumulate the whole sums are added to what is there. The
    /// first `columns` of b.
    struct result {
        f32 *sums;
        dim_t row, rows, columns;
        bool accumulate;
    };
    void multiply(const exec_context &ctx, const result &c) const;
    /// One row: the sums of b.
    void sum_rows(const exec_context &ctx, const result &c) const;

  private:
    void run(const exec_context &ctx, const result &c, const f32 *a) const;

    gemm_driver driver_;
    isa target_ = isa::none;
    int threads_ = 1;
    dim_t T_ = 0, MB_ = 0;
    scratch_slot<f32> operand_, ones_, panels_; ///< [channels][T][MB], [T][MB], panels over (T, MB)
    scratch_slot<s32> accumulators_;            ///< of each thread
};

} // namespace dnnl::impl::cpu
