// SPDX-License-Identifier: Apache-2.0
// The way of a phase's sums through the epilogue into its pixels, which lie a stride apart.
#pragma once

#include "cpu/epilogue/epilogue.hpp"
#include "cpu/window/convolution_phases.hpp"
#include "cpu/window/depthwise_window.hpp"

namespace dnnl::impl::cpu {

/// Rows [m0, m1) of a phase, channels [column, column + n) of the result.
struct phase_sums {
    const s32 *sums; ///< [row - m0][channel - column], f32 where acc_type says so
    data_type acc_type;
    dim_t row_stride; ///< elements
    dim_t m0, m1, column, n;
    const s32 *compensation; ///< of the phase, by channel; or null
};

class phase_store {
  public:
    phase_store() = default;
    /// dst has adjacent channels and the coordinates of channels_last_coordinates(), not flat;
    /// step_w: of the phases' positions along the width.
    phase_store(problem &p, const memory_desc &dst, const epilogue_plan &finish, dim_t step_w);

    /// The epilogues of one execution, one per phase of the width where an operand varies along it.
    /// `all` stays in use.
    const bound_epilogue *bind(const exec_context &ctx, const bound_epilogue &all) const;

    /// dst: the first element.
    void run(const bound_epilogue *finish, char *dst, const window_phase &phase,
        const phase_sums &s) const;

  private:
    epilogue_rows_function store_rows_ = nullptr;
    image_strides to_ {};
    dim_t epilogues_ = 1;
    scratch_slot<bound_epilogue> finish_;
};

} // namespace dnnl::impl::cpu
