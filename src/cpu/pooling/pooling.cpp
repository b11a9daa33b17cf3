// SPDX-License-Identifier: Apache-2.0
// The folder pooling/ has the drivers of pooling, resampling and local response normalization. This
// file is the forward pass of pooling: a window is a list of offsets, and neighbours of a row that
// share a list are one kernel call.
#include "cpu/kernels/select.hpp"
#include "cpu/pooling/pooling_plan.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Where pixels are adjacent, 16 planes are copied into a stage, [D][H][W][stage_lanes] of one
/// image, and pooled as blocks of channels: a kernel works on many channels of a pixel at once.
constexpr dim_t stage_lanes = 16;
image_view stage_of(image_view v) {
    v.w_bytes = stage_lanes * v.element_bytes;
    v.h_bytes = v.W * v.w_bytes;
    v.d_bytes = v.H * v.h_bytes;
    return v;
}
/// The bytes of a stage that fit the L2 cache together with the other stages.
constexpr dim_t stage_limit = dim_t {1} << 20;

/// Rows of adjacent pixels with a stride above 1 are split into their phases first, so that the
/// inputs of neighbouring outputs are adjacent.
class vector_pooling : public pooling_plan {
  public:
    explicit vector_pooling(problem &p) : pooling_plan(std::get<pooling_desc>(p.op)) {
        if (why_not_) return;
        const auto &op = std::get<pooling_desc>(p.op);
        runs_ = position_runs(window_.w, 1);
        dst_md_ = op.dst;
        operands_[0] = {DNNL_ARG_SRC, view_of(op.src)};
        operands_[1] = {DNNL_ARG_DST, view_of(op.dst)};
        if (has_workspace()) operands_[2] = {DNNL_ARG_WORKSPACE, view_of(op.workspace)};
        plan_stages(p.target);
        const epilogue_request request = image_request(op.dst, order_);
        why_not_ = epilogue_plan::refusal(p.attr, request);
        if (!why_not_ && !maximum_ && op.src.dtype == data_type::s32 && window_.taps() >= 1 << 15)
            why_not_ = "the windows are too large for sums of s32";
        if (why_not_) return;
        if (!p.attr.post_ops.entries.empty())
            epilogue_.emplace(p.target, p.attr, p.scratchpad, request);
        whole_divisor_ = op.alg == dnnl_pooling_avg_include_padding;
        run_ = kernel_for<vector_levels>(p.target, []<class Isa> { return pool_forward<Isa>; });
        plan_split();
        reserve_lists(p, items());
        if (splits_ || staged_) planes_ = p.scratchpad.reserve<char>(threads_ * planes_bytes_);
    }

    void execute(const exec_context &ctx) const override {
        if (dst_md_.has_zero_dim()) return;
        bound_epilogue bound;
        if (epilogue_) epilogue_->bind(ctx, bound);
        const dim_t blocks = div_up(shape_.C, order_.block), rows = shape_.OD * shape_.OH;
        const dim_t rows_per_item = rows / items_of_plane(), taps = window_.taps();
        // Measured on a Zen 5 core with AVX-512: 0.03 ns for a tap of channels, 0.08 ns of pixels.
        const double row_ns = 20 + 0.04 * double(shape_.OW * order_.block) * double(taps);
        parallel_for(items(), row_ns * double(rows_per_item), threads_,
            [&](int thread, dim_t begin, dim_t end) {
                state s {ctx, epilogue_ ? &bound.data : nullptr,
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
    /// An item of work is a plane where planes are split or staged first, else a row of outputs.
    dim_t items_of_plane() const { return splits_ || staged_ ? 1 : shape_.OD * shape_.OH; }
    dim_t items() const { return planes() * items_of_plane(); }

    /// A tensor as the kernel sees it: the user's, or a stage of it.
    struct operand {
        int arg = DNNL_ARG_UNDEF; ///< undefined: the primitive has no such tensor
        image_view user {}, seen = user;
        dim_t stage_bytes() const { return round_up(seen.D * seen.d_bytes, 64); }
    };
    /// The data of one thread.
    struct state {
        const exec_context &ctx;
        const epilogue *finish;
        dim_t *offset_bytes;
        s32 *index;
        char *scratch;   ///< for planes
        char *planes[3]; ///< planes of src, dst and workspace, as the kernel sees them
        dim_t mb, cb;
    };

    char *user_plane(const state &s, const operand &o) const {
        const dim_t step = staged_ ? stage_lanes : 1;
        return s.ctx.out<char>(o.arg) + o.user.offset0_bytes +
               o.user.bytes_at(s.mb, s.cb * step, 0, 0, 0);
    }

    /// Plans stages for many channels whose pixels are adjacent.
    void plan_stages(isa target) {
        if (order_.by_channels || shape_.C < 8 || window_.taps() == 1) return;
        std::array<operand, 3> staged = operands_;
        dim_t bytes = 0;
        for (operand &o : staged) {
            o.seen = stage_of(o.user);
            if (o.stage_bytes() > stage_limit) return;
            bytes += o.stage_bytes();
        }
        staged_ = true;
        planes_bytes_ = bytes;
        operands_ = staged;
        order_ = {true, stage_lanes};
        copy_ = kernel_for<every_level>(target, []<class Isa> { return copy_tile<Isa>; });
    }

    /// Copies the channels of the item into the stage (loads) or out of it.
    void move_stage(bool loads, const state &s, const operand &o, char *stage) const {
        const image_view &v = o.user;
        const bool one_run = v.rows_follow(v.element_bytes);
        const dim_t runs = one_run ? 1 : v.D * v.H, pixels = one_run ? v.D * v.H * v.W : v.W;
        const dim_t channels = channels_of(s.cb), channel = v.c_bytes / v.element_bytes;
        copy_tile_args tile {};
        tile.src_type = tile.dst_type = v.element_bytes == 1   ? data_type::u8
                                        : v.element_bytes == 2 ? data_type::f16
                                                               : data_type::s32;
        tile.rows = loads ? pixels : channels;
        tile.columns = loads ? channels : pixels;
        tile.src_row = tile.dst_column = 1;
        tile.src_column = loads ? channel : stage_lanes;
        tile.dst_row = loads ? stage_lanes : channel;
        for (dim_t run = 0; run < runs && pixels > 0; ++run, stage += o.seen.h_bytes) {
            char *user = user_plane(s, o) + run / v.H * v.d_bytes + run % v.H * v.h_bytes;
            tile.src = loads ? user : stage;
            tile.dst = loads ? stage : user;
            copy_(tile);
        }
    }

    /// Plans the split of rows of adjacent pixels with a stride: pixel i of src becomes element (i
    /// mod SW) * split_ + i / SW of its row. A stride beyond the image leaves the pixels in order.
    void plan_split() {
        splits_ = !order_.by_channels && shape_.SW > 1;
        image_view &src = operands_[0].seen;
        if (!order_.by_channels) src.w_bytes = src.element_bytes;
        if (!splits_) return;
        split_ = div_up(shape_.IW, shape_.SW);
        src.h_bytes = std::min(shape_.SW, shape_.IW) * split_ * src.element_bytes;
        src.d_bytes = shape_.IH * src.h_bytes;
        planes_bytes_ = shape_.ID * src.d_bytes;
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
            if (i == 0) move_stage(true, s, o, next);
            s.planes[i] = next;
            next += o.stage_bytes();
        }
        if (!splits_) return;
        const image_view &from = operands_[0].user, &to = operands_[0].seen;
        const dim_t S = shape_.SW;
        for (dim_t id = 0; id < shape_.ID; ++id)
            for (dim_t ih = 0; ih < shape_.IH; ++ih)
                for (dim_t p = 0; p < std::min(S, shape_.IW); ++p)
                    copy_pixels(from.element_bytes,
                        s.planes[0] + id * from.d_bytes + ih * from.h_bytes +
                            p * from.element_bytes,
                        S, div_up(shape_.IW - p, S),
                        next + id * to.d_bytes + ih * to.h_bytes + p * split_ * from.element_bytes,
                        1);
        s.planes[0] = next;
    }
    void store_stages(const state &s) const {
        for (std::size_t i = 1; i < operands_.size(); ++i)
            if (const operand &o = operands_[i]; o.arg) move_stage(false, s, o, s.planes[i]);
    }

    /// Bytes from the beginning of a row to its pixel i.
    dim_t place_of(dim_t i) const {
        return (splits_ ? i % shape_.SW * split_ + i / shape_.SW : i) * operands_[0].seen.w_bytes;
    }
    /// Lists the offsets that the taps read; returns their number.
    dim_t list_window(
        const state &s, const tap_hits &d, const tap_hits &h, const tap_hits &w) const {
        dim_t count = 0;
        for (dim_t i = 0; i < d.count; ++i)
            for (dim_t j = 0; j < h.count; ++j) {
                const dim_t row = operands_[0].seen.bytes_at(
                    0, 0, d.index + i * d.index_step, h.index + j * h.index_step, 0);
                const dim_t tap = ((d.tap + i) * shape_.KH + h.tap + j) * shape_.KW + w.tap;
                for (dim_t k = 0; k < w.count; ++k, ++count) {
                    s.offset_bytes[count] = row + place_of(w.index + k * w.index_step);
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
        call.maximum = maximum_;
        call.type = dst_md_.dtype;
        call.src = s.planes[0];
        call.offset_bytes = s.offset_bytes;
        call.window_index = has_workspace() ? s.index : nullptr;
        call.workspace_type = workspace_md_.dtype;
        call.finish = s.finish;
        // The pixels of one run are less than a row of src from each other.
        call.src_step_bytes = std::min(shape_.SW, shape_.IW) * src.seen.w_bytes;
        call.dst_step_bytes = dst.seen.w_bytes;
        call.workspace_step_bytes = workspace.seen.w_bytes;
        runs_.for_each([&](const position_run &run) {
            const dim_t ow = run.first;
            call.count = list_window(s, d, h, run.hits);
            call.width = run.hits.count;
            call.tap_step_bytes = run.hits.index_step * src.seen.w_bytes;
            call.n = channels ? channels_of(s.cb) : run.count;
            call.pixels = channels ? run.count : 1;
            call.divisor = static_cast<f32>(whole_divisor_ ? window_.taps() : call.count);
            call.dst = s.planes[1] + dst.seen.bytes_at(0, 0, od, oh, ow);
            if (has_workspace())
                call.workspace = s.planes[2] + workspace.seen.bytes_at(0, 0, od, oh, ow);
            const dim_t position[position_rank] = {
                s.mb, channels ? od : c, channels ? oh : od, channels ? ow : oh, channels ? c : ow};
            std::copy_n(position, position_rank, call.position);
            run_(call);
        });
    }

    memory_desc dst_md_;
    std::array<operand, 3> operands_; ///< src, dst and workspace
    bool splits_ = false, staged_ = false, whole_divisor_ = false;
    dim_t split_ = 0, planes_bytes_ = 0;
    std::optional<epilogue_plan> epilogue_; ///< nothing without post-ops
    scratch_slot<char> planes_;
    pool_forward_function run_ = nullptr;
    void (*copy_)(const copy_tile_args &) = nullptr; ///< of stages
};

planned make_planes_or_windows(problem &p) {
    planned planes = make_plane_pooling(p);
    if (planes.result) return planes;
    return is_forward(std::get<pooling_desc>(p.op).prop) ? try_plan<vector_pooling>(p)
                                                         : make_window_pooling_backward(p);
}

} // namespace

planned make_pooling(problem &p) {
    const auto &op = std::get<pooling_desc>(p.op);
    const bool forward = is_forward(op.prop);
    for (const memory_desc *md : {&op.src, &op.dst}) {
        if (!is_common_or_f8(md->dtype)) return "a tensor is not f32, bf16, f16, s32, s8, u8 or f8";
        if (md->has_runtime()) return "run-time dimensions";
    }
    if (forward && op.src.dtype != op.dst.dtype) return "src and dst differ in type";
    if (!forward && (!is_float(op.src.dtype) || !is_float(op.dst.dtype)))
        return "gradients are not f32, bf16 or f16";
    return make_walked_or_relaid(p, make_planes_or_windows, channels_last);
}

} // namespace dnnl::impl::cpu
