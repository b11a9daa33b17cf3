// SPDX-License-Identifier: Apache-2.0
// The plan of a recurrent network's backward pass, in f32. For each layer and direction, from the
// last: step by step the arithmetic of the cell and the product of its gates' gradients with the
// transposed weights of the state; then for all steps at once the gradient with respect to the
// layer's input and, by rnn_weights_gradient, those with respect to the weights.
#pragma once

#include "cpu/rnn/rnn_gradients.hpp"

namespace dnnl::impl::cpu {

class gemm_rnn_backward : public gemm_rnn {
  public:
    explicit gemm_rnn_backward(problem &p);
    void execute(const exec_context &ctx) const override;

  private:
    struct execution : rnn_buffers {
        std::array<char *, rnn_tensor_count> diffs; ///< as adapted; null: not there
        char *zeros;        ///< [MB][max(SIC, DHC)] of 4 bytes: states before the first step
        f32 *diff_gates;    ///< [T][MB][G][DHC]
        f32 *diff_linear;   ///< [T][MB][DHC] linear before reset
        f32 *diff_output;   ///< [T][MB][DIC] with respect to h'
        f32 *operand;       ///< [T][MB][DHC] r h of a GRU
        f32 *diff_operand;  ///< [MB][DHC] with respect to it, or to h before the projection
        f32 *diff_h;        ///< [MB][max(SIC, DIC)]
        f32 *diff_c;        ///< [MB][DHC]
        f32 *peephole_sums; ///< [3][DHC]
        f32 *diff_layer;    ///< [2][D][T][MB][max(SLC, DIC)]: between layers, in turn

        f32 *diff(rnn_tensor t) const {
            return reinterpret_cast<f32 *>(diffs[static_cast<std::size_t>(t)]);
        }
    };
    struct cell {
        dim_t l, d, t;
        const char *previous_h; ///< [MB][SIC]
        const f32 *previous_c;  ///< [MB][DHC]
    };

    dim_t widest_h() const { return std::max(s_.SIC, s_.DIC); }
    dim_t layer_row() const { return std::max(s_.SLC, s_.DIC); }
    /// With respect to the output of layer l, [T][MB][layer_row()].
    f32 *diff_layer(const execution &e, dim_t l, dim_t d) const {
        return e.diff_layer + ((l + 1) % 2 * s_.D + d) * s_.T * s_.MB * layer_row();
    }

    void adapt_tensors(problem &p);
    void reserve(problem &p);
    execution bound(const exec_context &ctx) const;
    cell cell_of(const execution &e, dim_t l, dim_t d, dim_t step) const;
    void load_diff_dst_layer(const execution &e, dim_t d) const;
    void load_diff_dst_iter(const execution &e, dim_t l, dim_t d) const;
    void run_cell(const execution &e, const cell &at) const;
    void add_outputs(const execution &e, const cell &at) const;
    rnn_backward_args arguments(
        const execution &e, const cell &at, const rnn_block &b, rnn_backward_stage stage) const;
    void run_stage(const execution &e, const cell &at, rnn_backward_stage stage) const;
    void multiply_state(
        const execution &e, const cell &at, dim_t first, dim_t gates, const f32 *a) const;
    void multiply_layer(const execution &e, dim_t l, dim_t d) const;
    void store_diff_src_iter(const execution &e, dim_t l, dim_t d) const;
    void store_diff_src_layer(const execution &e) const;
    rnn_operand previous_states(const execution &e, dim_t l, dim_t d) const;
    void store_gradients(const exec_context &ctx, const execution &e, dim_t l, dim_t d) const;
    void store_peephole_gradient(const execution &e, dim_t l, dim_t d) const;

    rnn_state_format format_ {};
    rnn_tensor_list diffs_;
    rnn_weights_gradient gradients_;
    scratch_slot<f32> zeros_, diff_gates_, diff_linear_, diff_output_, operand_, diff_operand_;
    scratch_slot<f32> diff_h_, diff_c_, diff_layer_, peephole_sums_;
};

} // namespace dnnl::impl::cpu
