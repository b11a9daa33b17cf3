// SPDX-License-Identifier: Apache-2.0
// Pooling forward: windows as lists of offsets, outputs that share a list in one kernel call. Rows
// of pixels with strides above 1 are split into their phases first, so that outputs lie adjacent.
#include "common/descriptors/pooling.hpp"

#include <cstring>

#include "common/runtime/parallel.hpp"
#include "cpu/cpu.hpp"
#include "cpu/epilogue/epilogue.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/kernels/select/select_rows.hpp"
#include "cpu/layout/relaid_plan.hpp"
#include "cpu/pooling/pooling_backward.hpp"
#include "cpu/pooling/pooling_stage.hpp"
#include "cpu/walk/box_nest.hpp"
#include "cpu/window/channels_last.hpp"
#include "cpu/window/pooling_window.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Row [S * J] to [S][J]: element p * J + j of the result is element j * S + p of src.
template <class T> void split_phases(const char *src, dim_t extent, dim_t S, dim_t J, char *dst) {
    for (dim_t p = 0; p < S; ++p) {
        const char *from = src + p * static_cast<dim_t>(sizeof(T));
        char *to = dst + p * J * static_cast<dim_t>(sizeof(T));
        const dim_t step = S * static_cast<dim_t>(sizeof(T));
        for (dim_t i = p; i < extent; i += S, from += step, to += sizeof(T))
            std::memcpy(to, from, sizeof(T));
    }
}
void split_phases(dim_t bytes, const char *src, dim_t extent, dim_t S, dim_t J, char *dst) {
    if (bytes == 1) return split_phases<std::uint8_t>(src, extent, S, J, dst);
    if (bytes == 2) return split_phases<std::uint16_t>(src, extent, S, J, dst);
    split_phases<std::uint32_t>(src, extent, S, J, dst);
}

/// Where the kernel reads: bytes between the neighbours of a plane (one image, one channel or block
/// of channels).
struct plane_view {
    dim_t d, h; ///< between input rows
    dim_t ow;   ///< from output to output
    dim_t S, J; ///< width: pixel i is element (i mod S) * J + i / S of its row
    dim_t w;    ///< between adjacent elements of a row
    /// Bytes from output ow = 0 to window element kw.
    dim_t element(const pooled_dim &dim, dim_t kw) const {
        const dim_t x = kw * dim.step - dim.P;
        const dim_t place = x >= 0 ? x / S : -((S - 1 - x) / S);
        return ((x - place * S) * J + place) * w;
    }
};

/// Bytes of a stage that the L2 cache still holds beside others.
constexpr dim_t stage_limit = dim_t {1} << 20;

class vector_pooling : public plan {
  public:
    explicit vector_pooling(problem &p) {
        const auto &op = std::get<pooling_desc>(p.op);
        const auto order = common_order({&op.src, &op.dst, &op.workspace});
        if (!order) {
            why_not_ = "neither channels nor pixels of a row are adjacent in all tensors";
            return;
        }
        order_ = *order;
        shape_ = shape_of(op);
        dims_ = dims_of(shape_);
        dst_md_ = op.dst;
        workspace_md_ = op.workspace;
        src_ = strides_of(op.src);
        dst_ = strides_of(op.dst);
        if (!op.workspace.is_zero()) workspace_ = strides_of(op.workspace);
        user_src_ = src_;
        user_dst_ = dst_;
        user_workspace_ = workspace_;
        plan_stages(p.target);
        const epilogue_request request = pooled_request(op.dst, order_);
        why_not_ = epilogue_plan::refusal(p.attr, request);
        average_ = op.alg != dnnl_pooling_max;
        if (!why_not_ && average_ && op.src.dtype == data_type::s32 && dims_.volume() >= 1 << 15)
            why_not_ = "the windows are too large for sums of s32";
        if (why_not_) return;
        epilogue_ = epilogue_plan(p.target, p.attr, p.scratchpad, request);
        has_epilogue_ = !p.attr.post_ops.entries.empty();
        whole_divisor_ = op.alg == dnnl_pooling_avg_include_padding;
        type_ = op.src.dtype;
        run_ = select_pool_forward(p.target);
        set_view();
        threads_ = threads_for(items());
        offsets_ = p.scratchpad.reserve<dim_t>(threads_ * dims_.volume());
        lists_index_ = !workspace_md_.is_zero();
        if (lists_index_) index_ = p.scratchpad.reserve<s32>(threads_ * dims_.volume());
        if (splits_ || staged_) plane_ = p.scratchpad.reserve<char>(threads_ * plane_bytes_);
    }

    void execute(const exec_context &ctx) const override {
        if (dst_md_.has_zero_dim()) return;
        bound_epilogue bound;
        if (has_epilogue_) epilogue_.bind(ctx, bound);
        const dim_t blocks = div_up(shape_.C, order_.block), rows = shape_.OD * shape_.OH;
        const dim_t rows_per_item = rows / items_of_plane();
        const double row_ns = 20 + 0.02 * static_cast<double>(shape_.OW * order_.block) *
                                       static_cast<double>(dims_.volume());
        parallel_for(items(), row_ns * static_cast<double>(rows_per_item), threads_,
            [&](int thread, dim_t begin, dim_t end) {
                state s {ctx, has_epilogue_ ? &bound.data : nullptr,
                    ctx.scratch(offsets_) + thread * dims_.volume(),
                    ctx.scratch(index_) + thread * dims_.volume(), nullptr, nullptr, nullptr, 0, 0};
                for (dim_t row = begin * rows_per_item; row < end * rows_per_item; ++row) {
                    s.mb = row / rows / blocks;
                    s.cb = row / rows % blocks;
                    if (staged_ || splits_) {
                        if (row % rows == 0)
                            enter_item(s, ctx.scratch(plane_) + thread * plane_bytes_);
                    } else {
                        enter_item(s, nullptr);
                    }
                    outputs_of_row(s, row % rows / shape_.OH, row % shape_.OH);
                    if (staged_ && row % rows == rows - 1) store_stages(s);
                }
            });
        clear_padding(dst_md_, ctx.out<void>(DNNL_ARG_DST));
        if (has_workspace()) clear_padding(workspace_md_, ctx.out<void>(DNNL_ARG_WORKSPACE));
    }

  private:
    /// Planes that are split or staged first are one item; else every row of outputs is.
    dim_t items_of_plane() const { return splits_ || staged_ ? 1 : shape_.OD * shape_.OH; }
    dim_t items() const { return shape_.MB * div_up(shape_.C, order_.block) * items_of_plane(); }

    /// What one thread works on.
    struct state {
        const exec_context &ctx;
        const epilogue *finish;
        dim_t *offsets;
        s32 *index;
        const char *plane; ///< src, or what it was split or staged into
        char *dst, *workspace;
        dim_t mb, cb;
    };

    char *user(const state &s, int arg, const pooled_tensor &t) const {
        const dim_t step = staged_ ? channel_stage::lanes : 1;
        return s.ctx.out<char>(arg) + t.at(s.mb, s.cb * step, 0, 0, 0);
    }
    dim_t channels_of(const state &s) const {
        return std::min(order_.block, shape_.C - s.cb * order_.block);
    }
    bool has_workspace() const { return !workspace_md_.is_zero(); }

    /// Many channels whose pixels are adjacent are worked on as blocks of channels.
    void plan_stages(isa target) {
        if (order_.layout == pooled_layout::channels || shape_.C < 8 || dims_.volume() == 1) return;
        const channel_stage src(target, src_, shape_.ID, shape_.IH, shape_.IW);
        const channel_stage dst(target, dst_, shape_.OD, shape_.OH, shape_.OW);
        if (src.bytes() > stage_limit || dst.bytes() > stage_limit) return;
        staged_ = true;
        order_ = {pooled_layout::channels, channel_stage::lanes};
        src_stage_ = src;
        dst_stage_ = dst;
        src_ = src.strides();
        dst_ = dst.strides();
        plane_bytes_ = round_up(src.bytes(), 64) + round_up(dst.bytes(), 64);
        if (!has_workspace()) return;
        workspace_stage_ = channel_stage(target, workspace_, shape_.OD, shape_.OH, shape_.OW);
        workspace_ = workspace_stage_.strides();
        plane_bytes_ += round_up(workspace_stage_.bytes(), 64);
    }

    /// Finds the planes of an image and its channels; `scratch` is for those that are copied.
    void enter_item(state &s, char *scratch) const {
        s.plane = user(s, DNNL_ARG_SRC, user_src_);
        s.dst = user(s, DNNL_ARG_DST, user_dst_);
        if (has_workspace()) s.workspace = user(s, DNNL_ARG_WORKSPACE, user_workspace_);
        if (splits_) s.plane = split_plane(s, scratch);
        if (!staged_) return;
        src_stage_.load(s.plane, channels_of(s), scratch);
        s.plane = scratch;
        s.dst = scratch + round_up(src_stage_.bytes(), 64);
        if (has_workspace()) s.workspace = s.dst + round_up(dst_stage_.bytes(), 64);
    }
    void store_stages(const state &s) const {
        const dim_t channels = channels_of(s);
        dst_stage_.store(s.dst, channels, user(s, DNNL_ARG_DST, user_dst_));
        if (has_workspace())
            workspace_stage_.store(
                s.workspace, channels, user(s, DNNL_ARG_WORKSPACE, user_workspace_));
    }

    void set_view() {
        const bool channels = order_.layout == pooled_layout::channels;
        const dim_t S = dims_.w.S;
        splits_ = !channels && S > 1;
        view_ = {src_.d, src_.h, channels ? src_.w * S : src_.bytes, 1, 0,
            channels ? src_.w : src_.bytes};
        if (!splits_) return;
        const dim_t J = div_up(dims_.w.I, S);
        view_.S = S;
        view_.J = J;
        view_.h = S * J * src_.bytes;
        view_.d = shape_.IH * view_.h;
        plane_bytes_ = shape_.ID * view_.d;
    }

    const char *split_plane(const state &s, char *to) const {
        for (dim_t id = 0; id < shape_.ID; ++id)
            for (dim_t ih = 0; ih < shape_.IH; ++ih)
                split_phases(src_.bytes, s.plane + id * src_.d + ih * src_.h, shape_.IW, view_.S,
                    view_.J, to + id * view_.d + ih * view_.h);
        return to;
    }

    /// Lists the window elements inside the input; offsets are relative to output ow = 0.
    dim_t list_window(const state &s, dim_t od, dim_t oh, dim_t kw_first, dim_t kw_last) const {
        dim_t count = 0;
        const pooled_dim &d = dims_.d, &h = dims_.h, &w = dims_.w;
        for (dim_t kd = d.first(od); kd < d.last(od); ++kd)
            for (dim_t kh = h.first(oh); kh < h.last(oh); ++kh) {
                const dim_t row = (od * d.S - d.P + kd * d.step) * view_.d +
                                  (oh * h.S - h.P + kh * h.step) * view_.h;
                for (dim_t kw = kw_first; kw < kw_last; ++kw, ++count) {
                    s.offsets[count] = row + view_.element(w, kw);
                    if (lists_index_) s.index[count] = static_cast<s32>((kd * h.K + kh) * w.K + kw);
                }
            }
        return count;
    }

    void outputs_of_row(const state &s, dim_t od, dim_t oh) const {
        const pooled_dim &w = dims_.w;
        const bool channels = order_.layout == pooled_layout::channels;
        const dim_t c = s.cb * order_.block, whole_end = w.whole_end();
        pool_forward_args call {};
        call.maximum = !average_;
        call.type = type_;
        call.offsets = s.offsets;
        call.window_index = lists_index_ ? s.index : nullptr;
        call.workspace_type = workspace_md_.dtype;
        call.finish = s.finish;
        dim_t listed_first = -1, listed_last = -1;
        call.src_step = view_.ow;
        call.dst_step = dst_.w;
        call.workspace_step = workspace_.w;
        const dim_t row_of_dst = od * dst_.d + oh * dst_.h;
        const dim_t row_of_workspace = od * workspace_.d + oh * workspace_.h;
        for (dim_t ow = 0; ow < w.O; ow += channels ? call.pixels : call.n) {
            const dim_t first = w.first(ow), last = w.last(ow);
            if (first != listed_first || last != listed_last)
                call.count = list_window(s, od, oh, first, last);
            listed_first = first;
            listed_last = last;
            const bool whole = ow >= w.whole_begin() && ow < whole_end;
            const dim_t outputs = whole ? whole_end - ow : 1;
            call.n = channels ? channels_of(s) : outputs;
            call.pixels = channels ? outputs : 1;
            call.src = s.plane + ow * view_.ow;
            call.divisor = static_cast<f32>(whole_divisor_ ? dims_.volume() : call.count);
            call.dst = s.dst + row_of_dst + ow * dst_.w;
            if (has_workspace())
                call.workspace = s.workspace + row_of_workspace + ow * workspace_.w;
            const dim_t position[position_rank] = {
                s.mb, channels ? od : c, channels ? oh : od, channels ? ow : oh, channels ? c : ow};
            std::copy_n(position, position_rank, call.position);
            run_(call);
        }
    }

    pooled_order order_ {};
    pooling_shape shape_ {};
    pooled_dims dims_ {};
    memory_desc dst_md_, workspace_md_;
    pooled_tensor user_src_ {}, user_dst_ {}, user_workspace_ {};
    pooled_tensor src_ {}, dst_ {}, workspace_ {}; ///< of the tensors, or of their stages
    channel_stage src_stage_, dst_stage_, workspace_stage_;
    plane_view view_ {};
    bool splits_ = false, staged_ = false, average_ = false, whole_divisor_ = false,
         has_epilogue_ = false, lists_index_ = false;
    dim_t plane_bytes_ = 0;
    int threads_ = 1;
    data_type type_ = data_type::undef;
    epilogue_plan epilogue_;
    scratch_slot<dim_t> offsets_;
    scratch_slot<s32> index_;
    scratch_slot<char> plane_;
    pool_forward_function run_ = nullptr;
};

const char *refusal(const pooling_desc &op) {
    for (const memory_desc *md : {&op.src, &op.dst}) {
        if (!is_common_or_f8(md->dtype)) return "a tensor is not f32, bf16, f16, s32, s8, u8 or f8";
        if (md->has_runtime()) return "run-time dimensions";
    }
    if (is_forward(op.prop))
        return op.src.dtype == op.dst.dtype ? nullptr : "src and dst differ in type";
    return is_float(op.src.dtype) && is_float(op.dst.dtype) ? nullptr
                                                            : "gradients are not f32, bf16 or f16";
}

} // namespace

planned make_pooling(problem &p) {
    const auto &op = std::get<pooling_desc>(p.op);
    if (const char *reason = refusal(op)) return reason;
    return make_walked_or_relaid(
        p, is_forward(op.prop) ? try_plan<vector_pooling> : make_pooling_backward, channels_last);
}

} // namespace dnnl::impl::cpu
