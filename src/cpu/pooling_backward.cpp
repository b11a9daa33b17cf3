// SPDX-License-Identifier: Apache-2.0
// Pooling backward: every input gathers from the windows over it, so each gradient is written once
// and no thread writes where another does.
#include "cpu/pooling_backward.hpp"

#include <cstring>

#include "common/parallel.hpp"
#include "cpu/box_nest.hpp"
#include "cpu/kernels/pool.hpp"
#include "cpu/kernels/select_rows.hpp"
#include "cpu/pooling_window.hpp"
#include "cpu/relaid_plan.hpp"

namespace dnnl::impl::cpu {

namespace {

using hit_table = std::vector<std::vector<window_hit>>; ///< by input index

hit_table hits_of(const pooled_dim &dim) {
    hit_table table;
    for (dim_t i = 0; i < dim.I; ++i) table.push_back(windows_over(dim, i));
    return table;
}

/// Inputs i = phase + S * j of a row, which the same elements kw of windows o = start + j hit.
struct phase_hits {
    std::vector<window_hit> starts; ///< o is that of j = 0, perhaps outside
    dim_t J;                        ///< inputs of the phase
    dim_t begin, end; ///< j whose windows all exist (and are whole where that matters)
};

phase_hits hits_of_phase(const pooled_dim &w, dim_t phase, bool whole_only) {
    phase_hits hits {{}, phase < w.I ? div_up(w.I - phase, w.S) : 0, 0, 0};
    const dim_t o_begin = whole_only ? w.whole_begin() : 0;
    const dim_t o_end = whole_only ? w.whole_end() : w.O;
    hits.end = hits.J;
    for (dim_t k = 0; k < w.K; ++k) {
        const dim_t shifted = phase + w.P - k * w.step;
        if (shifted % w.S != 0) continue;
        const dim_t o = shifted / w.S;
        hits.starts.push_back({k, o});
        hits.begin = std::max(hits.begin, o_begin - o);
        hits.end = std::min(hits.end, o_end - o);
    }
    hits.begin = std::min(hits.begin, hits.J);
    hits.end = std::max(hits.end, hits.begin);
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
    const char *prepare(problem &p) {
        const auto &op = std::get<pooling_desc>(p.op);
        maximum_ = op.alg == dnnl_pooling_max;
        whole_divisor_ = op.alg == dnnl_pooling_avg_include_padding;
        const auto order = common_order({&op.src, &op.dst, maximum_ ? &op.workspace : nullptr});
        if (!order) return "neither channels nor pixels of a row are adjacent in all tensors";
        if (!p.attr.post_ops.entries.empty()) return "post-ops of a gradient";
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
        d_hits_ = hits_of(dims_.d);
        h_hits_ = hits_of(dims_.h);
        w_hits_ = hits_of(dims_.w);
        const bool exclude = op.alg == dnnl_pooling_avg_exclude_padding;
        for (dim_t r = 0; r < dims_.w.S; ++r) phases_.push_back(hits_of_phase(dims_.w, r, exclude));
        run_ = select_pool_backward(p.target);
        threads_ = max_threads();
        const dim_t entries = threads_ * dims_.volume();
        offsets_ = p.scratchpad.reserve<dim_t>(2 * entries);
        index_ = p.scratchpad.reserve<s32>(entries);
        divisors_ = p.scratchpad.reserve<f32>(entries);
        phase_bytes_ = div_up(shape_.IW, dims_.w.S) * diff_src_.bytes;
        phase_ = p.scratchpad.reserve<char>(threads_ * phase_bytes_);
        return nullptr;
    }

    void execute(const exec_context &ctx) const override {
        if (diff_src_md_.has_zero_dim()) return;
        const dim_t blocks = div_up(shape_.C, order_.block), rows = shape_.ID * shape_.IH;
        const double row_ns = 20 + 0.05 * static_cast<double>(shape_.IW * order_.block) *
                                       static_cast<double>(dims_.volume());
        parallel_for(
            shape_.MB * blocks * rows, row_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
                const dim_t first = thread * dims_.volume();
                state s {ctx, ctx.scratch(offsets_) + 2 * first,
                    ctx.scratch(offsets_) + 2 * first + dims_.volume(), ctx.scratch(index_) + first,
                    ctx.scratch(divisors_) + first, ctx.scratch(phase_) + thread * phase_bytes_, 0,
                    0, 0, 0};
                for (dim_t row = begin; row < end; ++row) {
                    s.mb = row / rows / blocks;
                    s.cb = row / rows % blocks;
                    s.id = row % rows / shape_.IH;
                    s.ih = row % shape_.IH;
                    if (order_.layout == pooled_layout::channels)
                        row_of_pixels(s);
                    else
                        row_of_phases(s);
                }
            });
        clear_padding(diff_src_md_, ctx.out<void>(DNNL_ARG_DIFF_SRC));
    }

  private:
    /// What one thread works on; the lists have room for a whole window.
    struct state {
        const exec_context &ctx;
        dim_t *offsets, *workspace_offsets;
        s32 *index;
        f32 *divisors;
        char *phase;
        dim_t mb, cb, id, ih;
    };

    /// Lists the windows over (id, ih) and the given ones along the width.
    int list(const state &s, const std::vector<window_hit> &w_hits, dim_t divisor_ow) const {
        int count = 0;
        for (const window_hit &d : d_hits_[static_cast<std::size_t>(s.id)])
            for (const window_hit &h : h_hits_[static_cast<std::size_t>(s.ih)])
                for (const window_hit &w : w_hits) {
                    const dim_t o = w.o + divisor_ow;
                    s.offsets[count] = d.o * diff_dst_.d + h.o * diff_dst_.h + w.o * diff_dst_.w;
                    s.workspace_offsets[count] =
                        d.o * workspace_.d + h.o * workspace_.h + w.o * workspace_.w;
                    s.index[count] = static_cast<s32>((d.k * dims_.h.K + h.k) * dims_.w.K + w.k);
                    s.divisors[count] = static_cast<f32>(
                        whole_divisor_
                            ? dims_.volume()
                            : dims_.d.count(d.o) * dims_.h.count(h.o) * dims_.w.count(o));
                    ++count;
                }
        return count;
    }

    /// n gradients from the listed windows, which are `ow` outputs further than listed.
    void run(const state &s, int count, dim_t ow, dim_t n, void *to) const {
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
        for (dim_t iw = 0; iw < shape_.IW; ++iw)
            run(s, list(s, w_hits_[static_cast<std::size_t>(iw)], 0), 0, channels, target(s, iw));
    }

    /// Pixels of a row are adjacent: inputs SW apart are hit by adjacent windows.
    void row_of_phases(const state &s) const {
        const dim_t S = dims_.w.S;
        for (dim_t phase = 0; phase < S; ++phase) {
            const phase_hits &hits = phases_[static_cast<std::size_t>(phase)];
            char *to = S == 1 ? target(s, 0) : s.phase;
            for (dim_t j = 0; j < hits.J;) {
                const bool shared = j >= hits.begin && j < hits.end;
                const dim_t n = shared ? hits.end - j : 1;
                const auto &w_hits =
                    shared ? hits.starts : w_hits_[static_cast<std::size_t>(phase + S * j)];
                const int count = list(s, w_hits, shared ? j : 0);
                run(s, count, shared ? j : 0, n, to + j * diff_src_.bytes);
                j += n;
            }
            if (S == 1) continue;
            spread(diff_src_.bytes, to, hits.J, S, target(s, phase));
        }
    }

    pooled_order order_ {};
    pooling_shape shape_ {};
    pooled_dims dims_ {};
    memory_desc diff_src_md_;
    pooled_tensor diff_src_ {}, diff_dst_ {}, workspace_ {};
    bool maximum_ = false, whole_divisor_ = false;
    data_type diff_src_type_ = data_type::undef, diff_dst_type_ = data_type::undef;
    data_type workspace_type_ = data_type::undef;
    hit_table d_hits_, h_hits_, w_hits_;
    std::vector<phase_hits> phases_;
    int threads_ = 1;
    dim_t phase_bytes_ = 0;
    scratch_slot<dim_t> offsets_;
    scratch_slot<s32> index_;
    scratch_slot<f32> divisors_;
    scratch_slot<char> phase_;
    pool_backward_function run_ = nullptr;
};

} // namespace

planned make_pooling_backward(problem &p) { return make_prepared<vector_pooling_backward>(p); }

} // namespace dnnl::impl::cpu
