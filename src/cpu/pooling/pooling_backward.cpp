// SPDX-License-Identifier: Apache-2.0
// Pooling backward: every input gathers from the windows over it, so each gradient is written once
// and no thread writes where another does.
#include "common/descriptors/pooling.hpp"

#include <cstring>

#include "common/runtime/parallel.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/pooling/pooling.hpp"
#include "cpu/walk/tiled_box.hpp"
#include "cpu/window/tap_axis.hpp"

namespace dnnl::impl::cpu {

namespace {

/// to[S * j] = from[j]
template <class T> void spread(const char *from, dim_t count, dim_t S, char *to) {
    const dim_t step = S * static_cast<dim_t>(sizeof(T));
    for (dim_t j = 0; j < count; ++j, from += sizeof(T), to += step)
        std::memcpy(to, from, sizeof(T));
}
void spread(dim_t bytes, const char *from, dim_t count, dim_t S, char *to) {
    if (bytes == 2) return spread<std::uint16_t>(from, count, S, to);
    spread<std::uint32_t>(from, count, S, to);
}

class vector_pooling_backward : public plan {
  public:
    explicit vector_pooling_backward(problem &p) {
        const auto &op = std::get<pooling_desc>(p.op);
        maximum_ = op.alg == dnnl_pooling_max;
        excludes_ = op.alg == dnnl_pooling_avg_exclude_padding;
        const auto order = common_order({&op.src, &op.dst, maximum_ ? &op.workspace : nullptr});
        if (!order)
            why_not_ = "neither channels nor pixels of a row are adjacent in all tensors";
        else if (!p.attr.post_ops.entries.empty())
            why_not_ = "post-ops of a gradient";
        if (why_not_) return;
        order_ = *order;
        shape_ = shape_of(op);
        window_ = axes_of(shape_, true);
        over_ = axes_of(shape_, false);
        runs_ = position_runs(over_.w, shape_.SW);
        diff_src_md_ = op.src;
        diff_dst_type_ = op.dst.dtype;
        workspace_type_ = op.workspace.dtype;
        diff_src_ = view_of(op.src);
        diff_dst_ = view_of(op.dst);
        if (maximum_) workspace_ = view_of(op.workspace);
        run_ = kernel_for<vector_levels>(p.target, []<class Isa> { return pool_backward<Isa>; });
        threads_ = threads_for(items());
        const dim_t entries = threads_ * window_.taps();
        offsets_ = p.scratchpad.reserve<dim_t>(entries);
        if (maximum_) {
            workspace_offsets_ = p.scratchpad.reserve<dim_t>(entries);
            index_ = p.scratchpad.reserve<s32>(entries);
        } else {
            divisors_ = p.scratchpad.reserve<f32>(entries + threads_ * shape_.KW);
        }
        phase_bytes_ = order_.by_channels || shape_.SW == 1
                           ? 0
                           : div_up(shape_.IW, shape_.SW) * diff_src_.bytes;
        phase_ = p.scratchpad.reserve<char>(threads_ * phase_bytes_);
    }

    void execute(const exec_context &ctx) const override {
        if (diff_src_md_.has_zero_dim()) return;
        const dim_t blocks = div_up(shape_.C, order_.block), rows = shape_.ID * shape_.IH;
        const double row_ns = 20 + 0.05 * static_cast<double>(shape_.IW * order_.block) *
                                       static_cast<double>(window_.taps());
        const auto first_of = [&](int arg, const image_view &view) {
            return ctx.out<char>(arg) + view.offset0_bytes;
        };
        state all {first_of(DNNL_ARG_DIFF_SRC, diff_src_), first_of(DNNL_ARG_DIFF_DST, diff_dst_),
            maximum_ ? first_of(DNNL_ARG_WORKSPACE, workspace_) : nullptr, ctx.scratch(offsets_),
            ctx.scratch(workspace_offsets_), ctx.scratch(index_), ctx.scratch(divisors_), nullptr,
            ctx.scratch(phase_)};
        parallel_for(items(), row_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
            const dim_t first = thread * window_.taps();
            f32 *divisors = all.divisors + first + thread * shape_.KW;
            for (dim_t row = begin; row < end; ++row) {
                const dim_t mb = row / rows / blocks, cb = row / rows % blocks;
                const dim_t id = row % rows / shape_.IH, ih = row % shape_.IH;
                row_of_gradients(
                    {all.diff_src + diff_src_.at(mb, cb, id, ih, 0),
                        all.diff_dst + diff_dst_.at(mb, cb, 0, 0, 0),
                        moved(all.workspace, workspace_.at(mb, cb, 0, 0, 0)), all.offsets + first,
                        all.workspace_offsets + first, all.index + first, divisors,
                        divisors + window_.taps(), all.phase + thread * phase_bytes_},
                    over_.d.hits(id), over_.h.hits(ih),
                    std::min(order_.block, shape_.C - cb * order_.block));
            }
        });
        clear_padding(diff_src_md_, ctx.out<void>(DNNL_ARG_DIFF_SRC));
    }

  private:
    dim_t items() const {
        return shape_.MB * div_up(shape_.C, order_.block) * shape_.ID * shape_.IH;
    }

    /// What one thread works on: a row of gradients, the planes over it, and lists with room for a
    /// whole window. Maxima have a workspace, averages divisors.
    struct state {
        char *diff_src;
        const char *diff_dst, *workspace;
        dim_t *offsets, *workspace_offsets;
        s32 *index;
        f32 *divisors, *width_divisors;
        char *phase; ///< of gradients that lie SW pixels from each other
    };

    /// Lists the windows whose outputs the hits say, for their taps; returns their number.
    dim_t list(const state &s, const tap_hits &d, const tap_hits &h, const tap_hits &w) const {
        dim_t count = 0;
        for (dim_t i = 0; i < d.count; ++i) {
            const dim_t od = d.index + i * d.index_step;
            const dim_t depth = excludes_ ? window_.d.hits(od).count : window_.taps();
            for (dim_t j = 0; j < h.count; ++j) {
                const dim_t oh = h.index + j * h.index_step;
                const dim_t tap =
                    ((d.tap + i * d.tap_step) * shape_.KH + h.tap + j * h.tap_step) * shape_.KW;
                const auto divisor =
                    static_cast<f32>(excludes_ ? depth * window_.h.hits(oh).count : depth);
                for (dim_t k = 0; k < w.count; ++k, ++count) {
                    const dim_t ow = w.index + k * w.index_step;
                    s.offsets[count] = diff_dst_.at(0, 0, od, oh, ow);
                    if (maximum_) {
                        s.workspace_offsets[count] = workspace_.at(0, 0, od, oh, ow);
                        s.index[count] = static_cast<s32>(tap + w.tap + k * w.tap_step);
                    } else {
                        s.divisors[count] = divisor * s.width_divisors[k];
                    }
                }
            }
        }
        return count;
    }

    /// Of `most` positions, each with windows one further than the position before: those whose
    /// windows have the same divisors. Lists what the width contributes to these.
    dim_t alike(const state &s, const tap_hits &w, dim_t most) const {
        for (dim_t k = 0; !maximum_ && k < w.count; ++k) {
            s.width_divisors[k] = 1;
            if (!excludes_) continue;
            const dim_t ow = w.index + k * w.index_step;
            const tap_hits covered = window_.w.hits(ow);
            s.width_divisors[k] = static_cast<f32>(covered.count);
            if (most > 1) most = std::min(most, window_.w.alike(ow, covered));
        }
        return most;
    }

    /// Inputs that are hit by the same taps take one list. Where the pixels of a row are adjacent,
    /// those SW pixels from each other are hit by adjacent windows.
    void row_of_gradients(
        const state &s, const tap_hits &d, const tap_hits &h, dim_t channels) const {
        pool_backward_args call {};
        call.maximum = maximum_;
        call.diff_src_type = diff_src_md_.dtype;
        call.diff_dst_type = diff_dst_type_;
        call.offsets = s.offsets;
        call.workspace_offsets = s.workspace_offsets;
        call.workspace_type = workspace_type_;
        call.window_index = s.index;
        call.divisors = s.divisors;
        runs_.for_each([&](const position_run &run) {
            tap_hits w = run.hits;
            for (dim_t i = 0, n; i < run.count; i += n, w.index += n * run.source_step) {
                n = alike(s, w, run.count - i);
                call.count = list(s, d, h, w);
                call.diff_dst = s.diff_dst;
                call.workspace = s.workspace;
                char *to = s.diff_src + (run.first + i * run.step) * diff_src_.w;
                if (!order_.by_channels) {
                    const bool spreads = n > 1 && run.step > 1;
                    call.n = n;
                    call.diff_src = spreads ? s.phase : to;
                    run_(call);
                    if (spreads) spread(diff_src_.bytes, s.phase, n, run.step, to);
                    continue;
                }
                call.n = channels;
                for (dim_t j = 0; j < n; ++j, to += run.step * diff_src_.w) {
                    call.diff_src = to;
                    call.diff_dst = s.diff_dst + j * run.source_step * diff_dst_.w;
                    call.workspace = moved(s.workspace, j * run.source_step * workspace_.w);
                    run_(call);
                }
            }
        });
    }

    image_order order_ {};
    pooling_shape shape_ {};
    window_axes window_ {}, over_ {}; ///< what an output covers; the outputs that cover an input
    position_runs runs_;              ///< of the inputs of a row
    memory_desc diff_src_md_;
    image_view diff_src_ {}, diff_dst_ {}, workspace_ {};
    bool maximum_ = false, excludes_ = false; ///< excludes_: divisors count no padding
    data_type diff_dst_type_ = data_type::undef, workspace_type_ = data_type::undef;
    int threads_ = 1;
    dim_t phase_bytes_ = 0;
    scratch_slot<dim_t> offsets_, workspace_offsets_;
    scratch_slot<s32> index_;
    scratch_slot<f32> divisors_;
    scratch_slot<char> phase_;
    pool_backward_function run_ = nullptr;
};

} // namespace

planned make_pooling_backward(problem &p) { return try_plan<vector_pooling_backward>(p); }

} // namespace dnnl::impl::cpu
