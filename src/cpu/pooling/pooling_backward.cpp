// SPDX-License-Identifier: Apache-2.0
// Pooling backward: every input gathers from the windows over it, so each gradient is written once
// and no thread writes where another does.
#include "cpu/pooling/pooling_backward.hpp"

#include <cstring>

#include "common/runtime/parallel.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/kernels/select/select_rows.hpp"
#include "cpu/layout/relaid_plan.hpp"
#include "cpu/walk/box_nest.hpp"
#include "cpu/window/pooling_window.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Inputs i = phase.first + S * j of a row, and those of them that the same window elements hit.
struct phase_hits {
    axis_phase phase;
    dim_t begin, end; ///< j whose windows all exist (and are whole where that matters)
};

phase_hits hits_of_phase(const pooled_dim &w, dim_t first, bool whole_only) {
    const axis_phase phase = phase_of(w.backward(), first, w.S);
    const tap_axis &a = phase.axis;
    phase_hits hits {phase, 0, a.positions};
    const dim_t o_begin = whole_only ? w.whole_begin() : 0;
    const dim_t o_end = whole_only ? w.whole_end() : w.O;
    if (a.taps > 0) { // outputs of j = 0, the last tap's being the lowest
        const dim_t highest = a.origin, lowest = a.origin + (a.taps - 1) * a.tap_step;
        hits.begin = std::clamp<dim_t>(o_begin - lowest, 0, hits.end);
        hits.end = std::clamp<dim_t>(o_end - highest, hits.begin, hits.end);
    }
    return hits;
}

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
        whole_divisor_ = op.alg != dnnl_pooling_avg_exclude_padding; // a maximum has none
        const auto order = common_order({&op.src, &op.dst, maximum_ ? &op.workspace : nullptr});
        if (!order)
            why_not_ = "neither channels nor pixels of a row are adjacent in all tensors";
        else if (!p.attr.post_ops.entries.empty())
            why_not_ = "post-ops of a gradient";
        if (why_not_) return;
        order_ = *order;
        shape_ = shape_of(op);
        dims_ = dims_of(shape_);
        diff_src_md_ = op.src;
        diff_src_type_ = op.src.dtype;
        diff_dst_type_ = op.dst.dtype;
        workspace_type_ = op.workspace.dtype;
        diff_src_ = strides_of(op.src);
        diff_dst_ = strides_of(op.dst);
        if (maximum_) workspace_ = strides_of(op.workspace);
        d_windows_ = input_windows(dims_.d);
        h_windows_ = input_windows(dims_.h);
        whole_only_ = op.alg == dnnl_pooling_avg_exclude_padding;
        for (dim_t r = 0; r < std::min({dims_.w.S, dims_.w.I, most_phases}); ++r)
            phases_.push_back(hits_of_phase(dims_.w, r, whole_only_));
        run_ = select_pool_backward(p.target);
        threads_ = threads_for(items());
        const dim_t entries = threads_ * dims_.volume();
        offsets_ = p.scratchpad.reserve<dim_t>(entries);
        if (maximum_) {
            workspace_offsets_ = p.scratchpad.reserve<dim_t>(entries);
            index_ = p.scratchpad.reserve<s32>(entries);
        } else {
            divisors_ = p.scratchpad.reserve<f32>(entries);
        }
        const bool by_phases = order_.layout != pooled_layout::channels && dims_.w.S > 1;
        phase_bytes_ = by_phases ? div_up(shape_.IW, dims_.w.S) * diff_src_.bytes : 0;
        phase_ = p.scratchpad.reserve<char>(threads_ * phase_bytes_);
    }

    void execute(const exec_context &ctx) const override {
        if (diff_src_md_.has_zero_dim()) return;
        const dim_t blocks = div_up(shape_.C, order_.block), rows = shape_.ID * shape_.IH;
        const double row_ns = 20 + 0.05 * static_cast<double>(shape_.IW * order_.block) *
                                       static_cast<double>(dims_.volume());
        parallel_for(items(), row_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
            const dim_t first = thread * dims_.volume();
            state s {ctx, ctx.scratch(offsets_) + first, ctx.scratch(workspace_offsets_) + first,
                ctx.scratch(index_) + first, ctx.scratch(divisors_) + first,
                ctx.scratch(phase_) + thread * phase_bytes_, 0, 0, 0, 0, {}, {}};
            for (dim_t row = begin; row < end; ++row) {
                s.mb = row / rows / blocks;
                s.cb = row / rows % blocks;
                s.id = row % rows / shape_.IH;
                s.ih = row % shape_.IH;
                s.d_hits = d_windows_.over(s.id);
                s.h_hits = h_windows_.over(s.ih);
                if (order_.layout == pooled_layout::channels)
                    row_of_pixels(s);
                else
                    row_of_phases(s);
            }
        });
        clear_padding(diff_src_md_, ctx.out<void>(DNNL_ARG_DIFF_SRC));
    }

  private:
    dim_t items() const {
        return shape_.MB * div_up(shape_.C, order_.block) * shape_.ID * shape_.IH;
    }

    /// What one thread works on; the lists have room for a whole window. Maxima have a workspace,
    /// averages divisors.
    struct state {
        const exec_context &ctx;
        dim_t *offsets, *workspace_offsets;
        s32 *index;
        f32 *divisors;
        char *phase;
        dim_t mb, cb, id, ih;
        window_hits d_hits, h_hits; ///< over (id, ih)
    };

    phase_hits phase(dim_t first) const {
        return first < static_cast<dim_t>(phases_.size())
                   ? phases_[static_cast<std::size_t>(first)]
                   : hits_of_phase(dims_.w, first, whole_only_);
    }

    /// Lists the windows over (id, ih) and the given ones along the width.
    dim_t list(const state &s, const window_hits &w_hits, dim_t divisor_ow) const {
        dim_t count = 0;
        const window_hits &d_hits = s.d_hits, &h_hits = s.h_hits;
        for (dim_t d = 0; d < d_hits.count; ++d)
            for (dim_t h = 0; h < h_hits.count; ++h) {
                const dim_t od = d_hits.o + d * d_hits.o_step, oh = h_hits.o + h * h_hits.o_step;
                const dim_t row =
                    ((d_hits.k + d * d_hits.k_step) * dims_.h.K + h_hits.k + h * h_hits.k_step) *
                    dims_.w.K;
                const dim_t covered = whole_divisor_ ? 0 : dims_.d.count(od) * dims_.h.count(oh);
                for (dim_t w = 0; w < w_hits.count; ++w, ++count) {
                    const dim_t ow = w_hits.o + w * w_hits.o_step;
                    s.offsets[count] = od * diff_dst_.d + oh * diff_dst_.h + ow * diff_dst_.w;
                    if (maximum_) {
                        s.workspace_offsets[count] =
                            od * workspace_.d + oh * workspace_.h + ow * workspace_.w;
                        s.index[count] = static_cast<s32>(row + w_hits.k + w * w_hits.k_step);
                    } else {
                        s.divisors[count] = static_cast<f32>(
                            whole_divisor_ ? dims_.volume()
                                           : covered * dims_.w.count(ow + divisor_ow));
                    }
                }
            }
        return count;
    }

    /// n gradients from the listed windows, which are `ow` outputs further than listed.
    void run(const state &s, dim_t count, dim_t ow, dim_t n, void *to) const {
        pool_backward_args call {};
        call.maximum = maximum_;
        call.diff_src_type = diff_src_type_;
        call.diff_dst_type = diff_dst_type_;
        call.diff_dst = s.ctx.in<char>(DNNL_ARG_DIFF_DST) + diff_dst_.at(s.mb, s.cb, 0, 0, ow);
        call.offsets = s.offsets;
        if (maximum_)
            call.workspace =
                s.ctx.in<char>(DNNL_ARG_WORKSPACE) + workspace_.at(s.mb, s.cb, 0, 0, ow);
        call.workspace_offsets = s.workspace_offsets;
        call.workspace_type = workspace_type_;
        call.window_index = s.index;
        call.divisors = s.divisors;
        call.count = count;
        call.n = n;
        call.diff_src = to;
        run_(call);
    }

    char *target(const state &s, dim_t iw) const {
        return s.ctx.out<char>(DNNL_ARG_DIFF_SRC) + diff_src_.at(s.mb, s.cb, s.id, s.ih, iw);
    }

    /// Channels of one pixel are adjacent.
    void row_of_pixels(const state &s) const {
        const dim_t channels = std::min(order_.block, shape_.C - s.cb * order_.block);
        const dim_t phases = static_cast<dim_t>(phases_.size()), S = dims_.w.S;
        for (dim_t iw = 0; iw < shape_.IW; ++iw) {
            const dim_t first = iw % S;
            const window_hits hits = first < phases
                                         ? hits_at(phases_[static_cast<std::size_t>(first)], iw / S)
                                         : windows_over(dims_.w.backward(), iw);
            run(s, list(s, hits, 0), 0, channels, target(s, iw));
        }
    }

    static window_hits hits_at(const phase_hits &hits, dim_t j) {
        return hits_of(hits.phase, hits.phase.axis.inside(j));
    }

    /// Pixels of a row are adjacent: inputs SW apart are hit by adjacent windows.
    void row_of_phases(const state &s) const {
        const dim_t S = dims_.w.S;
        for (dim_t first = 0; first < std::min(S, shape_.IW); ++first) {
            const phase_hits hits = phase(first);
            const tap_axis &axis = hits.phase.axis;
            char *to = S == 1 ? target(s, 0) : s.phase;
            for (dim_t j = 0; j < axis.positions;) {
                const bool shared = j >= hits.begin && j < hits.end;
                const dim_t n = shared ? hits.end - j : 1;
                const window_hits w_hits =
                    shared ? hits_of(hits.phase, {0, axis.taps, axis.origin}) : hits_at(hits, j);
                const dim_t count = list(s, w_hits, shared ? j : 0);
                run(s, count, shared ? j : 0, n, to + j * diff_src_.bytes);
                j += n;
            }
            if (S == 1) continue;
            spread(diff_src_.bytes, to, axis.positions, S, target(s, first));
        }
    }

    pooled_order order_ {};
    pooling_shape shape_ {};
    pooled_dims dims_ {};
    memory_desc diff_src_md_;
    pooled_tensor diff_src_ {}, diff_dst_ {}, workspace_ {};
    bool maximum_ = false, whole_divisor_ = false, whole_only_ = false;
    data_type diff_src_type_ = data_type::undef, diff_dst_type_ = data_type::undef;
    data_type workspace_type_ = data_type::undef;
    input_windows d_windows_, h_windows_;
    std::vector<phase_hits> phases_; ///< the first most_phases of the width
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
