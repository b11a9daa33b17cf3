// SPDX-License-Identifier: Apache-2.0
// The plan of a recurrent network's forward pass. For each layer and direction one product of all
// time steps with the layer's weights, then step by step a product of the state with its weights
// and the arithmetic of the cell, block by block of channels, so that sums stay in the cache.
#pragma once

#include <vector>

#include "cpu/rnn/rnn.hpp"

namespace dnnl::impl::cpu {

class gemm_rnn_forward : public gemm_rnn {
  public:
    explicit gemm_rnn_forward(problem &p);
    void execute(const exec_context &ctx) const override;

  private:
    struct execution : rnn_buffers {
        s32 *compensation; ///< [G][DHC], then [DIC] of the projection
    };
    /// One time step of a layer and direction: what it reads and what it leaves.
    struct cell {
        dim_t l, d, t;
        const char *previous_h; ///< [MB][SIC]
        const f32 *previous_c;  ///< [MB][DHC]
        f32 *gates, *linear, *c;
        char *h, *operand;
    };

    bool is_training() const { return desc_.prop == dnnl_forward_training; }
    bool is_quantized() const { return is_int8(states_.state_type()); }

    data_type adapted_type(rnn_tensor t) const {
        return tensors_[static_cast<std::size_t>(t)].wanted().dtype;
    }
    void adapt_tensors(problem &p);
    void prepare_quantization(const rnn_quantization &q);
    const char *first_h(const exec_context &ctx, const execution &e, dim_t l, dim_t d) const;
    const f32 *first_c(const exec_context &ctx, const execution &e, dim_t l, dim_t d) const;
    void compensate(const execution &e, dim_t l, dim_t d) const;
    void multiply_layer(const execution &e, dim_t l, dim_t d) const;
    void run_steps(const exec_context &ctx, const execution &e, dim_t l, dim_t d) const;
    rnn_forward_args arguments(
        const execution &e, const cell &at, const rnn_block &b, rnn_forward_stage stage) const;
    void run_cell(const execution &e, const cell &at) const;
    void run_gru_output(const execution &e, const cell &at) const;
    void project(const execution &e, const cell &at, f32 *sums) const;
    void store_states(const execution &e, const cell &last) const;
    void store_layer(const execution &e) const;

    rnn_state_format format_ {};
    std::vector<f32> column_scales_; ///< [G][DHC], then [DIC] of the projection; 8-bit states
    scratch_slot<std::byte> kept_, first_h_, operand_;
    scratch_slot<f32> first_c_, projected_;
    scratch_slot<s32> compensation_;
};

} // namespace dnnl::impl::cpu
