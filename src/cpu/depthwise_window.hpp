// SPDX-License-Identifier: Apache-2.0
// What the drivers of depthwise convolution share: the layout of weights, the strides of images,
// and runs of pixels whose windows hit the same taps.
#pragma once

#include <vector>

#include "common/problem.hpp"
#include "cpu/spatial_gather.hpp"

namespace dnnl::impl::cpu {

/// Null when every group has one input and one output channel, else the reason.
const char *depthwise_refusal(const convolution_desc &op);

/// Weights (G, 1, 1, spatial...) as the kernels read them (kernels/depthwise.hpp).
memory_desc depthwise_weights_layout(memory_desc md);

/// Bytes from neighbour to neighbour of a plain tensor (MB, C, spatial...); 0 for dims that it
/// lacks.
struct image_strides {
    dim_t mb, d, h, w;
    dim_t at(dim_t mb_index, dim_t d_index, dim_t h_index, dim_t w_index) const {
        return mb_index * mb + d_index * d + h_index * h + w_index * w;
    }
};
image_strides strides_in_bytes(const memory_desc &md);

/// Tap k of a position reads source index `index`.
struct tap_hit {
    dim_t k, index;
    bool operator==(const tap_hit &) const = default;
};
std::vector<tap_hit> hits_of(const tap_table &table, dim_t position);

/// Positions first, first + step, ... that hit the same taps; every hit moves by source_step from
/// one to the next.
struct position_run {
    dim_t first, count, step, source_step;
    std::vector<tap_hit> hits; ///< of the first position
};
/// All positions of a dimension. Neighbours of a run are `step` apart: 1 for forward tables, the
/// stride for backward ones, so that only taps that exist are listed.
std::vector<position_run> runs_of(const tap_table &table, dim_t step, dim_t source_step);

} // namespace dnnl::impl::cpu
