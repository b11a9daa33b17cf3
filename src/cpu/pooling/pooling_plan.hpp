// SPDX-License-Identifier: Apache-2.0
// What the plans of pooling forward and backward share.
#pragma once

#include "common/descriptors/mappings/mappings.hpp"

#include "cpu/cpu.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/window/position_runs.hpp"

namespace dnnl::impl::cpu {

/// Copies elements of `bytes` bytes: to[j * to_step] = from[j * from_step] for j < count.
void copy_pixels(
    dim_t bytes, const char *from, dim_t from_step, dim_t count, char *to, dim_t to_step);

class pooling_plan : public plan {
  protected:
    explicit pooling_plan(const pooling_desc &op)
        : maximum_(op.alg == dnnl_pooling_max), shape_(shape_of(op)),
          window_(axes_of(shape_, true)), workspace_md_(op.workspace) {
        const auto order = common_order({&op.src, &op.dst, &op.workspace});
        if (order)
            order_ = *order;
        else
            why_not_ = "neither channels nor pixels of a row are adjacent in all tensors";
    }

    bool has_workspace() const { return !workspace_md_.is_zero(); }
    /// The number of blocks of channels in all images.
    dim_t planes() const { return shape_.MB * div_up(shape_.C, order_.block); }
    dim_t channels_of(dim_t cb) const {
        return std::min(order_.block, shape_.C - cb * order_.block);
    }
    void reserve_lists(problem &p, dim_t items) {
        threads_ = threads_for(items);
        offsets_ = p.scratchpad.reserve<dim_t>(threads_ * window_.taps());
        if (has_workspace()) index_ = p.scratchpad.reserve<s32>(threads_ * window_.taps());
    }

    const bool maximum_;
    const pooling_shape shape_;
    const window_axes window_; ///< what an output covers
    image_order order_ {};
    position_runs runs_; ///< runs of a row of outputs; backward, of a row of inputs
    memory_desc workspace_md_;
    int threads_ = 1;
    scratch_slot<dim_t> offsets_; ///< the lists of each thread
    scratch_slot<s32> index_;
};

/// Backward pooling of any layout in which channels, or the pixels of a row, are adjacent.
planned make_window_pooling_backward(problem &p);

/// Pooling forward and backward of f32 or bf16, without dilation, post-ops or a workspace to write,
/// with strides of up to 2 along a row.
planned make_plane_pooling(problem &p);

} // namespace dnnl::impl::cpu
