// SPDX-License-Identifier: Apache-2.0
// Convolution forward and backward data on the blocked GEMM. Rows of A are windows of the image
// (gathered, or the image itself), B is the weights as panels [g][n panel][kd][kh][kw][k][n], rows
// of C are pixels of the result with dense channels. Backward data is the same product of diff_dst
// with the channels of the weights exchanged and the window tables inverted, one product per phase
// of the strides. Inside a deconvolution it has bias and attributes.
#pragma once

#include <vector>

#include "common/descriptors/convolution.hpp"
#include "common/plan/implementation.hpp"
#include "common/plan/nested_plan.hpp"
#include "cpu/convolution/group_panels.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/window/phase_store.hpp"

namespace dnnl::impl::cpu {

class gemm_convolution : public plan {
  public:
    explicit gemm_convolution(problem &p);
    void execute(const exec_context &ctx) const override;

  private:
    struct execution {
        const char *src, *weights;
        char *panels; ///< of the group that is worked on, where weights are dense
        char *dst;
        const bound_epilogue *finish;    ///< one; by lines those of store_
        const s32 *compensation;         ///< [phase][g * N + n], or null without zero points
        const double *wide_compensation; ///< instead, of a wide driver
        const char *padding;             ///< a tap of zero points per group, or null
        const dim_t *run_offsets;        ///< of all phases
        char *rows;
        s32 *accumulators;
        pending_block *pending;
    };
    /// Rows [m0, m1) of a phase and columns [n0, n0 + n) of a group.
    struct block {
        std::size_t phase;
        dim_t g, m0, m1, n0, n;
    };
    void set_phases(const memory_desc &from, data_type weights, bool split);
    void set_blocking(problem &p);
    bool fill_padding(const exec_context &ctx) const;
    template <class Number>
    const Number *compensation(const exec_context &ctx, const char *weights, s32 zero_point,
        scratch_slot<Number> slot) const;
    const s32 *compensation(const exec_context &ctx, const execution &e) const;
    block block_of(dim_t item) const;
    gemm_task task_of(const execution &e, const block &b) const;
    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const;
    void multiply_rows(gemm_task t, dim_t begin, dim_t end, dim_t column) const;
    void multiply_lines(const execution &e, gemm_task t, const block &b) const;
    dim_t row_blocks(const window_phase &phase) const { return div_up(phase.gather.rows(), MC_); }
    dim_t shares() const { return div_up(N_, column_share_); }

    convolution_shape shape_;
    bool forward_, flat_;
    isa target_;
    int src_arg_, dst_arg_;
    dim_t K_, N_; ///< channels per group of source and result
    std::vector<window_phase> phases_;
    std::vector<dim_t> first_items_, first_runs_; ///< of each phase
    dim_t tap_bytes_ = 0;                         ///< of one tap in a panel
    dim_t items_ = 0;
    /// Sums of one phase go through the epilogue line by line into pixels that are apart; else the
    /// block kernel finishes whole rows.
    bool by_lines_ = false;
    bool has_column_sums_ = false; ///< behind the weights
    gemm_driver driver_;
    epilogue_plan epilogue_;
    phase_store store_;
    adapted_tensor src_, weights_, dst_;
    group_panels panels_;
    /// For a zero point outside the range of the type of src: gathered padding cannot hold it.
    nested_plan reference_;
    dim_t MC_ = 0, column_share_ = 0, line_ = 0, dst_row_stride_ = 0, group_stride_ = 0,
          panel_stride_ = 0;
    dim_t row_bytes_ = 0, accumulator_count_ = 0; ///< of one gathered row, of one thread
    int threads_ = 1;
    quantization zero_points_; ///< of src
    scratch_slot<char> rows_, padding_;
    scratch_slot<s32> accumulators_, compensation_;
    scratch_slot<double> wide_compensation_;
    scratch_slot<pending_block> pending_;
    scratch_slot<dim_t> run_offsets_; ///< bytes from the first tap of the weights
};

} // namespace dnnl::impl::cpu
