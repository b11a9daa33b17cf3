// SPDX-License-Identifier: Apache-2.0
// Pooling backward: the windows over an input as lists of offsets; see pooling_plan.hpp.
#include "cpu/pooling/pooling_plan.hpp"

#include <cstring>

#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

void copy_pixels(
    dim_t bytes, const char *from, dim_t from_step, dim_t count, char *to, dim_t to_step) {
    const auto copy = [&](auto element) {
        for (dim_t j = 0; j < count; ++j)
            std::memcpy(to + j * to_step * bytes, from + j * from_step * bytes, sizeof(element));
    };
    if (bytes == 1) return copy(std::uint8_t {});
    if (bytes == 2) return copy(std::uint16_t {});
    copy(std::uint32_t {});
}

namespace {

/// Every input gathers its gradient from the windows over it, so that each gradient is written once
/// and no two threads write the same one.
class vector_pooling_backward : public pooling_plan {
  public:
    explicit vector_pooling_backward(problem &p) : pooling_plan(std::get<pooling_desc>(p.op)) {
        const auto &op = std::get<pooling_desc>(p.op);
        if (!why_not_ && !p.attr.post_ops.entries.empty()) why_not_ = "post-ops of a gradient";
        if (why_not_) return;
        excludes_ = op.alg == dnnl_pooling_avg_exclude_padding;
        over_ = axes_of(shape_, false);
        runs_ = position_runs(over_.w, shape_.SW);
        diff_src_md_ = op.src;
        diff_dst_type_ = op.dst.dtype;
        diff_src_ = view_of(op.src);
        is_large_ = op.src.elements_bytes() > cached_bytes;
        diff_dst_ = view_of(op.dst);
        if (maximum_) workspace_ = view_of(op.workspace);
        run_ = kernel_for<vector_levels>(p.target, []<class Isa> { return pool_backward<Isa>; });
        reserve_lists(p, planes() * shape_.ID * shape_.IH);
        const dim_t entries = threads_ * window_.taps();
        if (maximum_)
            workspace_offsets_ = p.scratchpad.reserve<dim_t>(entries);
        else
            divisors_ = p.scratchpad.reserve<f32>(entries + threads_ * shape_.KW);
        phase_bytes_ = order_.by_channels || shape_.SW == 1
                           ? 0
                           : div_up(shape_.IW, shape_.SW) * diff_src_.element_bytes;
        phase_ = p.scratchpad.reserve<char>(threads_ * phase_bytes_);
    }

    void execute(const exec_context &ctx) const override {
        if (diff_src_md_.has_zero_dim()) return;
        const dim_t blocks = div_up(shape_.C, order_.block), rows = shape_.ID * shape_.IH;
        // Measured on a Zen 5 core with AVX-512: 0.03 ns for a tap of channels, 0.17 of pixels.
        const double row_ns = 20 + 0.07 * double(shape_.IW * order_.block) * double(window_.taps());
        const auto first_of = [&](int arg, const image_view &view) {
            return ctx.out<char>(arg) + view.offset0_bytes;
        };
        state all {first_of(DNNL_ARG_DIFF_SRC, diff_src_), first_of(DNNL_ARG_DIFF_DST, diff_dst_),
            maximum_ ? first_of(DNNL_ARG_WORKSPACE, workspace_) : nullptr, ctx.scratch(offsets_),
            ctx.scratch(workspace_offsets_), ctx.scratch(index_), ctx.scratch(divisors_), nullptr,
            ctx.scratch(phase_)};
        parallel_for(planes() * rows, row_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
            const dim_t first = thread * window_.taps();
            f32 *divisors = all.divisors + first + thread * shape_.KW;
            for (dim_t row = begin; row < end; ++row) {
                const dim_t mb = row / rows / blocks, cb = row / rows % blocks;
                const dim_t id = row % rows / shape_.IH, ih = row % shape_.IH;
                row_of_gradients({all.diff_src + diff_src_.bytes_at(mb, cb, id, ih, 0),
                                     all.diff_dst + diff_dst_.bytes_at(mb, cb, 0, 0, 0),
                                     moved(all.workspace, workspace_.bytes_at(mb, cb, 0, 0, 0)),
                                     all.offset_bytes + first, all.workspace_offset_bytes + first,
                                     all.index + first, divisors, divisors + window_.taps(),
                                     all.phase + thread * phase_bytes_},
                    over_.d.hits(id), over_.h.hits(ih), channels_of(cb));
            }
        });
        clear_padding(diff_src_md_, ctx.out<void>(DNNL_ARG_DIFF_SRC));
    }

  private:
    /// The data of one thread: a row of gradients, the planes over it, and lists with room for a
    /// whole window. Maxima have a workspace, averages have divisors.
    struct state {
        char *diff_src;
        const char *diff_dst, *workspace;
        dim_t *offset_bytes, *workspace_offset_bytes;
        s32 *index;
        f32 *divisors, *width_divisors;
        char *phase; ///< gradients that lie SW pixels from each other
    };

    /// Lists the windows that hit an input, given its hits, with their taps; returns their number.
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
                    s.offset_bytes[count] = diff_dst_.bytes_at(0, 0, od, oh, ow);
                    if (maximum_) {
                        s.workspace_offset_bytes[count] = workspace_.bytes_at(0, 0, od, oh, ow);
                        s.index[count] = static_cast<s32>(tap + w.tap + k * w.tap_step);
                    } else {
                        s.divisors[count] = divisor * s.width_divisors[k];
                    }
                }
            }
        }
        return count;
    }

    /// How many of `most` positions, each of whose windows lie one further than those of the one
    /// before, have windows with the same divisors. Lists the share of the width in the divisors.
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

    /// Computes a row of gradients. Inputs that are hit by the same taps share one list. Where the
    /// pixels of a row are adjacent, inputs SW pixels from each other are hit by adjacent windows.
    void row_of_gradients(
        const state &s, const tap_hits &d, const tap_hits &h, dim_t channels) const {
        pool_backward_args call {};
        call.maximum = maximum_;
        call.diff_src_type = diff_src_md_.dtype;
        call.diff_dst_type = diff_dst_type_;
        call.offset_bytes = s.offset_bytes;
        call.workspace_offset_bytes = s.workspace_offset_bytes;
        call.workspace_type = workspace_md_.dtype;
        call.window_index = s.index;
        call.divisors = s.divisors;
        const auto first = reinterpret_cast<std::uintptr_t>(s.diff_src);
        call.streaming = is_large_ && (first | diff_src_.w_bytes) % 64 == 0;
        runs_.for_each([&](const position_run &run) {
            tap_hits w = run.hits;
            for (dim_t i = 0, n; i < run.count; i += n, w.index += n * run.source_step) {
                n = alike(s, w, run.count - i);
                call.count = list(s, d, h, w);
                call.diff_dst = s.diff_dst;
                call.workspace = s.workspace;
                char *to = s.diff_src + (run.first + i * run.step) * diff_src_.w_bytes;
                const bool spreads = !order_.by_channels && n > 1 && run.step > 1;
                call.n = order_.by_channels ? channels : n;
                call.diff_src = spreads ? s.phase : to;
                call.pixels = order_.by_channels ? n : 1;
                call.diff_src_step_bytes = run.step * diff_src_.w_bytes;
                call.diff_dst_step_bytes = run.source_step * diff_dst_.w_bytes;
                call.workspace_step_bytes = run.source_step * workspace_.w_bytes;
                run_(call);
                if (spreads) copy_pixels(diff_src_.element_bytes, s.phase, 1, n, to, run.step);
            }
        });
    }

    window_axes over_ {}; ///< the outputs that cover an input
    memory_desc diff_src_md_;
    image_view diff_src_ {}, diff_dst_ {}, workspace_ {};
    bool excludes_ = false; ///< divisors count no padding
    bool is_large_ = false; ///< diff_src exceeds the caches
    data_type diff_dst_type_ = data_type::undef;
    dim_t phase_bytes_ = 0;
    scratch_slot<dim_t> workspace_offsets_;
    scratch_slot<f32> divisors_;
    scratch_slot<char> phase_;
    pool_backward_function run_ = nullptr;
};

} // namespace

planned make_window_pooling_backward(problem &p) { return try_plan<vector_pooling_backward>(p); }

} // namespace dnnl::impl::cpu
