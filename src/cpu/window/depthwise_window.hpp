// SPDX-License-Identifier: Apache-2.0
// What the drivers of depthwise convolution share: the layout of weights, the strides of images,
// and runs of pixels whose windows hit the same taps.
#pragma once

#include <vector>

#include "common/descriptors/convolution.hpp"
#include "common/descriptors/problem.hpp"
#include "cpu/window/tap_axis.hpp"

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

/// Positions first, first + step, ... whose windows have the same taps inside the source: tap,
/// tap + tap_step, ... At the first position these touch index, index + index_step, ...; from one
/// position to the next every index grows by source_step.
struct position_run {
    dim_t first, step, count;
    dim_t tap, tap_step, hits;
    dim_t index, index_step, source_step;
};
/// The run of a phase from its position o on.
position_run run_from(const axis_phase &phase, dim_t o);

/// Runs that cover the phases of a row, one phase after the other. A few are kept, many are
/// computed when they are walked.
class row_runs {
  public:
    row_runs() = default;
    explicit row_runs(std::vector<axis_phase> phases);

    template <class Body> void for_each(const Body &body) const {
        if (!kept_.empty())
            for (const position_run &run : kept_) body(run);
        else
            walk([&](const position_run &run) {
                body(run);
                return true;
            });
    }

  private:
    /// Until body(run) is false.
    template <class Body> void walk(const Body &body) const {
        for (const axis_phase &phase : phases_)
            for (dim_t o = 0; o < phase.axis.positions;) {
                const position_run run = run_from(phase, o);
                if (!body(run)) return;
                o += run.count;
            }
    }

    std::vector<axis_phase> phases_;
    std::vector<position_run> kept_;
};

} // namespace dnnl::impl::cpu
