// SPDX-License-Identifier: Apache-2.0
// Pooling forward: windows as lists of offsets, outputs that share a list in one kernel call. Rows
// of pixels with strides above 1 are split into their phases first, so that outputs lie adjacent.
#include "common/descriptors/pooling.hpp"

#include <cstring>

#include "common/runtime/parallel.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/pooling/pooling.hpp"
#include "cpu/walk/tiled_box.hpp"
#include "cpu/window/tap_axis.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Row [S * J] to [S][J]: element p * J + j of the result is element j * S + p of src.
template <class T> void split_phases(const char *src, dim_t extent, dim_t S, dim_t J, char *dst) {
    constexpr auto bytes = static_cast<dim_t>(sizeof(T));
    for (dim_t p = 0; p < std::min(S, extent); ++p)
        for (dim_t j = 0; j < J && j * S < extent - p; ++j)
            std::memcpy(dst + (p * J + j) * bytes, src + (j * S + p) * bytes, sizeof(T));
}
void split_phases(dim_t bytes, const char *src, dim_t extent, dim_t S, dim_t J, char *dst) {
    if (bytes == 1) return split_phases<std::uint8_t>(src, extent, S, J, dst);
    if (bytes == 2) return split_phases<std::uint16_t>(src, extent, S, J, dst);
    split_phases<std::uint32_t>(src, extent, S, J, dst);
}

/// Bytes of a stage that the L2 cache still holds together with others.
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
        window_ = axes_of(shape_, true);
        runs_ = position_runs(window_.w, 1);
        dst_md_ = op.dst;
        workspace_md_ = op.workspace;
        operands_[0] = {DNNL_ARG_SRC, view_of(op.src)};
        operands_[1] = {DNNL_ARG_DST, view_of(op.dst)};
        if (!op.workspace.is_zero()) operands_[2] = {DNNL_ARG_WORKSPACE, view_of(op.workspace)};
        plan_stages(p.target);
        const epilogue_request request = image_request(op.dst, order_);
        why_not_ = epilogue_plan::refusal(p.attr, request);
        average_ = op.alg != dnnl_pooling_max;
        if (!why_not_ && average_ && op.src.dtype == data_type::s32 && window_.taps() >= 1 << 15)
            why_not_ = "the windows are too large for sums of s32";
        if (why_not_) return;
        epilogue_ = epilogue_plan(p.target, p.attr, p.scratchpad, request);
        has_epilogue_ = !p.attr.post_ops.entries.empty();
        whole_divisor_ = op.alg == dnnl_pooling_avg_include_padding;
        type_ = op.src.dtype;
        run_ = kernel_for<vector_levels>(p.target, []<class Isa> { return pool_forward<Isa>; });
        plan_split();
        threads_ = threads_for(items());
        offsets_ = p.scratchpad.reserve<dim_t>(threads_ * window_.taps());
        if (has_workspace()) index_ = p.scratchpad.reserve<s32>(threads_ * window_.taps());
        if (splits_ || staged_) planes_ = p.scratchpad.reserve<char>(threads_ * planes_bytes_);
    }

    void execute(const exec_context &ctx) const override {
        if (dst_md_.has_zero_dim()) return;
        bound_epilogue bound;
        if (has_epilogue_) epilogue_.bind(ctx, bound);
        const dim_t blocks = div_up(shape_.C, order_.block), rows = shape_.OD * shape_.OH;
        const dim_t rows_per_item = rows / items_of_plane(), taps = window_.taps();
        const double row_ns =
            20 + 0.02 * static_cast<double>(shape_.OW * order_.block) * static_cast<double>(taps);
        parallel_for(items(), row_ns * static_cast<double>(rows_per_item), threads_,
            [&](int thread, dim_t begin, dim_t end) {
                state s {ctx, has_epilogue_ ? &bound.data : nullptr,
                    ctx.scratch(offsets_) + thread * taps, ctx.scratch(index_) + thread * taps,
                    ctx.scratch(planes_) + thread * planes_bytes_, {}, 0, 0};
                for (dim_t row = begin * rows_per_item; row < end * rows_per_item; ++row) {
                    s.mb = row / rows / blocks;
                    s.cb = row / rows % blocks;
                    if (row % rows == 0 || rows_per_item == 1) enter_item(s);
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
    bool has_workspace() const { return !workspace_md_.is_zero(); }

    /// A tensor, and what the kernel sees of it: the tensor itself or its stage.
    struct operand {
        int arg = DNNL_ARG_UNDEF; ///< undefined: there is no such tensor
        image_view user {}, seen = user;
        channel_stage stage {};
    };
    /// What one thread works on.
    struct state {
        const exec_context &ctx;
        const epilogue *finish;
        dim_t *offsets;
        s32 *index;
        char *scratch;   ///< for planes
        char *planes[3]; ///< of src, dst and workspace, as the kernel sees them
        dim_t mb, cb;
    };

    char *user_plane(const state &s, const operand &o) const {
        const dim_t step = staged_ ? channel_stage::lanes : 1;
        return s.ctx.out<char>(o.arg) + o.user.offset0_bytes +
               o.user.at(s.mb, s.cb * step, 0, 0, 0);
    }
    dim_t channels_of(const state &s) const {
        return std::min(order_.block, shape_.C - s.cb * order_.block);
    }

    /// Many channels whose pixels are adjacent are worked on as blocks of channels.
    void plan_stages(isa target) {
        if (order_.by_channels || shape_.C < 8 || window_.taps() == 1) return;
        staged_ = true;
        for (operand &o : operands_) {
            if (o.arg) o.stage = channel_stage(target, o.user);
            planes_bytes_ += o.stage.bytes();
            staged_ = staged_ && o.stage.bytes() <= stage_limit;
        }
        if (!staged_) return;
        order_ = {true, channel_stage::lanes};
        for (operand &o : operands_) o.seen = o.stage.view();
    }

    /// Rows of adjacent pixels with strides are split first: pixel i of src becomes element
    /// (i mod SW) * split_ + i / SW of its row. A stride beyond the image leaves them in order.
    void plan_split() {
        splits_ = !order_.by_channels && shape_.SW > 1;
        image_view &src = operands_[0].seen;
        if (!order_.by_channels) src.w = src.bytes;
        if (!splits_) return;
        split_ = div_up(shape_.IW, shape_.SW);
        src.h = std::min(shape_.SW, shape_.IW) * split_ * src.bytes;
        src.d = shape_.IH * src.h;
        planes_bytes_ = shape_.ID * src.d;
    }

    /// Finds the planes of an image and its channels, and brings them into the scratch of the
    /// thread where they are split or staged.
    void enter_item(state &s) const {
        char *next = s.scratch;
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const operand &o = operands_[i];
            if (!o.arg) continue;
            s.planes[i] = user_plane(s, o);
            if (!staged_) continue;
            if (i == 0) o.stage.load(s.planes[i], channels_of(s), next);
            s.planes[i] = next;
            next += o.stage.bytes();
        }
        if (!splits_) return;
        const image_view &from = operands_[0].user, &to = operands_[0].seen;
        for (dim_t id = 0; id < shape_.ID; ++id)
            for (dim_t ih = 0; ih < shape_.IH; ++ih)
                split_phases(from.bytes, s.planes[0] + id * from.d + ih * from.h, shape_.IW,
                    shape_.SW, split_, next + id * to.d + ih * to.h);
        s.planes[0] = next;
    }
    void store_stages(const state &s) const {
        for (std::size_t i = 1; i < operands_.size(); ++i)
            if (operands_[i].arg)
                operands_[i].stage.store(s.planes[i], channels_of(s), user_plane(s, operands_[i]));
    }

    /// Bytes from the beginning of a row to its pixel i.
    dim_t place_of(dim_t i) const {
        return (splits_ ? i % shape_.SW * split_ + i / shape_.SW : i) * operands_[0].seen.w;
    }
    /// Lists what the taps touch; returns their number.
    dim_t list_window(
        const state &s, const tap_hits &d, const tap_hits &h, const tap_hits &w) const {
        dim_t count = 0;
        for (dim_t i = 0; i < d.count; ++i)
            for (dim_t j = 0; j < h.count; ++j) {
                const dim_t row = operands_[0].seen.at(
                    0, 0, d.index + i * d.index_step, h.index + j * h.index_step, 0);
                const dim_t tap = ((d.tap + i) * shape_.KH + h.tap + j) * shape_.KW + w.tap;
                for (dim_t k = 0; k < w.count; ++k, ++count) {
                    s.offsets[count] = row + place_of(w.index + k * w.index_step);
                    if (has_workspace()) s.index[count] = static_cast<s32>(tap + k);
                }
            }
        return count;
    }

    void outputs_of_row(const state &s, dim_t od, dim_t oh) const {
        const operand &src = operands_[0], &dst = operands_[1], &workspace = operands_[2];
        const bool channels = order_.by_channels;
        const dim_t c = s.cb * order_.block;
        const tap_hits d = window_.d.hits(od), h = window_.h.hits(oh);
        pool_forward_args call {};
        call.maximum = !average_;
        call.type = type_;
        call.src = s.planes[0];
        call.offsets = s.offsets;
        call.window_index = has_workspace() ? s.index : nullptr;
        call.workspace_type = workspace_md_.dtype;
        call.finish = s.finish;
        // Pixels of one run are less than a row of src from each other.
        call.src_step = std::min(shape_.SW, shape_.IW) * src.seen.w;
        call.dst_step = dst.seen.w;
        call.workspace_step = workspace.seen.w;
        runs_.for_each([&](const position_run &run) {
            const dim_t ow = run.first;
            call.count = list_window(s, d, h, run.hits);
            call.n = channels ? channels_of(s) : run.count;
            call.pixels = channels ? run.count : 1;
            call.divisor = static_cast<f32>(whole_divisor_ ? window_.taps() : call.count);
            call.dst = s.planes[1] + dst.seen.at(0, 0, od, oh, ow);
            if (has_workspace()) call.workspace = s.planes[2] + workspace.seen.at(0, 0, od, oh, ow);
            const dim_t position[position_rank] = {
                s.mb, channels ? od : c, channels ? oh : od, channels ? ow : oh, channels ? c : ow};
            std::copy_n(position, position_rank, call.position);
            run_(call);
        });
    }

    image_order order_ {};
    pooling_shape shape_ {};
    window_axes window_ {};
    position_runs runs_; ///< of a row
    memory_desc dst_md_, workspace_md_;
    std::array<operand, 3> operands_; ///< src, dst and workspace
    bool splits_ = false, staged_ = false, average_ = false, whole_divisor_ = false,
         has_epilogue_ = false;
    dim_t split_ = 0, planes_bytes_ = 0;
    int threads_ = 1;
    data_type type_ = data_type::undef;
    epilogue_plan epilogue_;
    scratch_slot<dim_t> offsets_;
    scratch_slot<s32> index_;
    scratch_slot<char> planes_;
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
