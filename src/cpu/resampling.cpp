// SPDX-License-Identifier: Apache-2.0
// Resampling, forward and backward: a row of results, or a piece of one, per kernel call. What the
// pixels of a piece take from the other tensor is listed once for all rows that a thread works on.
#include "common/resampling.hpp"

#include "common/default_layouts.hpp"
#include "common/parallel.hpp"
#include "cpu/adapted_tensor.hpp"
#include "cpu/box_nest.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/interpolate.hpp"
#include "cpu/kernels/select_rows.hpp"
#include "cpu/pooling_window.hpp"
#include "cpu/resampling_axis.hpp"

namespace dnnl::impl::cpu {

namespace {

const char *refusal(const problem &p) {
    const auto &op = std::get<resampling_desc>(p.op);
    for (const memory_desc *md : {&op.src, &op.dst})
        if (!is_common_or_f8(md->dtype)) return "a tensor is not f32, bf16, f16, f8, s32, s8 or u8";
    return nullptr;
}

class vector_resampling : public plan {
  public:
    /// Returns the reason when the layouts do not fit; else the plan is ready.
    const char *prepare(problem &p) {
        const auto &op = std::get<resampling_desc>(p.op);
        forward_ = is_forward(op.prop);
        shape_ = shape_of(op);
        result_md_ = forward_ ? op.dst : op.src;
        if (result_md_.has_zero_dim()) return nullptr;
        if (const char *why = choose_layouts(p, forward_ ? op.src : op.dst)) return why;
        const epilogue_request request = pooled_request(result_.wanted(), order_);
        if (forward_) {
            if (const char *why = epilogue_plan::refusal(p, request)) return why;
            epilogue_ = epilogue_plan(p, request);
            has_epilogue_ = !p.attr.post_ops.entries.empty();
        }
        const bool channels = order_.layout == pooled_layout::channels;
        call_.copies = forward_ && op.alg == dnnl_resampling_nearest;
        call_.integer = is_integer(op.src.dtype) && is_integer(op.dst.dtype) && !has_epilogue_;
        call_.src_type = other_.wanted().dtype;
        call_.dst_type = result_md_.dtype;
        call_.src_pixel = from_.w;
        call_.dst_pixel = to_.w;
        run_ = select_interpolate(p.target, channels);
        if (!other_.wanted().has_zero_dim()) {
            d_ = {op.alg, forward_, shape_.ID, shape_.OD};
            h_ = {op.alg, forward_, shape_.IH, shape_.OH};
            w_ = {op.alg, forward_, shape_.IW, shape_.OW};
        }
        reserve(p);
        return nullptr;
    }

    void execute(const exec_context &ctx) const override {
        if (result_md_.has_zero_dim()) return;
        const int other_arg = forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST;
        const int result_arg = forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
        const bool nothing = other_.wanted().has_zero_dim();
        const auto *src =
            nothing ? nullptr : static_cast<const char *>(other_.begin(ctx, ctx.data(other_arg)));
        char *dst = static_cast<char *>(result_.begin(ctx, ctx.data(result_arg)));
        bound_epilogue bound;
        if (has_epilogue_) epilogue_.bind(ctx, bound);
        const dim_t D = forward_ ? shape_.OD : shape_.ID, H = forward_ ? shape_.OH : shape_.IH;
        const dim_t W = forward_ ? shape_.OW : shape_.IW;
        const dim_t blocks = div_up(shape_.C, order_.block), rows = D * H;
        const dim_t rows_of_all = shape_.MB * blocks * rows;
        const double row_ns = 20 + 0.3 * static_cast<double>(std::min(W, piece_) * order_.block) *
                                       static_cast<double>(row_limit_);
        parallel_for(div_up(W, piece_) * rows_of_all, row_ns, threads_,
            [&](int thread, dim_t begin, dim_t end) {
                scratch s = scratch_of(ctx, thread);
                interpolate_args call = call_;
                call.finish = has_epilogue_ ? &bound.data : nullptr;
                call.buffer = s.buffer;
                call.rows = s.rows;
                call.row_weights = s.row_weights;
                call.taps = s.taps;
                call.weights = s.weights;
                dim_t listed = -1, first = 0;
                for (dim_t item = begin; item < end; ++item) {
                    const dim_t piece = item / rows_of_all, row = item % rows_of_all;
                    const dim_t h = row % H, d = row / H % D, x = piece * piece_;
                    const dim_t cb = row / rows % blocks, mb = row / rows / blocks;
                    call.pixels = std::min(piece_, W - x);
                    if (piece != listed) first = list_pixels(x, s, call);
                    listed = piece;
                    call.row_count = nothing ? 0 : list_rows(d, h, s);
                    call.src = src + from_.at(mb, cb, 0, 0, first);
                    call.dst = dst + to_.at(mb, cb, d, h, x);
                    place(call, mb, cb * order_.block, d, h, x);
                    run_(call);
                }
            });
        result_.end(ctx, ctx.data(result_arg));
        clear_padding(result_md_, ctx.data(result_arg));
    }

  private:
    const char *choose_layouts(problem &p, const memory_desc &other);
    void reserve(problem &p);

    /// The lists of one thread.
    struct scratch {
        dim_t *rows;
        f32 *row_weights, *weights, *buffer;
        s32 *taps;
        share *shares;
    };
    scratch scratch_of(const exec_context &ctx, int thread) const {
        return {ctx.scratch(rows_) + thread * row_limit_,
            ctx.scratch(row_weights_) + thread * row_limit_,
            ctx.scratch(weights_) + thread * tap_limit_,
            ctx.scratch(buffer_) + thread * buffer_size_, ctx.scratch(taps_) + thread * tap_limit_,
            ctx.scratch(shares_) + thread * share_limit_};
    }

    dim_t list_rows(dim_t d, dim_t h, const scratch &s) const {
        share *d_shares = s.shares, *h_shares = s.shares + d_.most_shares();
        const dim_t d_count = d_.list(d, d_shares), h_count = h_.list(h, h_shares);
        dim_t count = 0;
        for (dim_t i = 0; i < d_count; ++i)
            for (dim_t j = 0; j < h_count; ++j) {
                s.rows[count] = d_shares[i].from * from_.d + h_shares[j].from * from_.h;
                s.row_weights[count++] = d_shares[i].weight * h_shares[j].weight;
            }
        return count;
    }

    /// Lists what the pixels from x on take, relative to the first pixel of the other tensor that
    /// any of them takes; returns that one.
    dim_t list_pixels(dim_t x, const scratch &s, interpolate_args &call) const {
        const dim_t limit = call_.tap_count, pixels = call.pixels;
        dim_t first = 0, last = -1;
        for (dim_t i = 0; i < pixels; ++i) {
            const dim_t count = w_.list(x + i, s.shares);
            if (count > 0 && last < 0) first = s.shares[0].from;
            if (count > 0) last = s.shares[count - 1].from;
            for (dim_t k = 0; k < limit; ++k) {
                const share &taken = s.shares[k];
                s.taps[k * pixels + i] = k < count ? static_cast<s32>(taken.from - first) : 0;
                s.weights[k * pixels + i] = k < count ? taken.weight : 0.0f;
            }
        }
        if (order_.layout == pooled_layout::width) call.n = last < 0 ? 0 : last + 1 - first;
        return first;
    }

    /// Where the first result of a piece stands, and how many channels there are from c on.
    void place(interpolate_args &call, dim_t mb, dim_t c, dim_t d, dim_t h, dim_t x) const {
        const bool channels = order_.layout == pooled_layout::channels;
        if (channels) call.n = std::min(order_.block, shape_.C - c);
        const dim_t position[position_rank] = {
            mb, channels ? d : c, channels ? h : d, channels ? x : h, channels ? c : x};
        std::copy_n(position, position_rank, call.position);
    }

    bool forward_ = true, has_epilogue_ = false;
    resampling_shape shape_ {};
    memory_desc result_md_;
    adapted_tensor other_, result_; ///< what is read, and what is written
    pooled_order order_ {};
    pooled_tensor from_ {}, to_ {};
    epilogue_plan epilogue_;
    resampling_axis d_, h_, w_;
    interpolate_args call_ {};
    interpolate_function run_ = nullptr;
    int threads_ = 1;
    dim_t piece_ = 1; ///< results of a row that are worked on at once
    dim_t row_limit_ = 1, share_limit_ = 1, tap_limit_ = 1, buffer_size_ = 0; ///< of each thread
    scratch_slot<dim_t> rows_;
    scratch_slot<f32> row_weights_, weights_, buffer_;
    scratch_slot<s32> taps_;
    scratch_slot<share> shares_;
};

/// The layouts as they are; else the result in the order of what is read; else both row-major.
const char *vector_resampling::choose_layouts(problem &p, const memory_desc &other) {
    const memory_desc &result = result_md_;
    memory_desc followed = make_any(result.ndims, result.dims.data(), result.dtype);
    set_layout_like(followed, other);
    const memory_desc plain_other =
        make_with_strides(other.ndims, other.dims.data(), other.dtype, nullptr);
    const memory_desc plain_result =
        make_with_strides(result.ndims, result.dims.data(), result.dtype, nullptr);
    const memory_desc *const choices[][2] = {
        {&other, &result}, {&other, &followed}, {&plain_other, &plain_result}};
    for (const auto &[read, written] : choices) {
        const auto order = common_order({read, written});
        if (!order) continue;
        order_ = *order;
        using use = adapted_tensor::use;
        other_ = adapted_tensor(p, other, *read, use::read);
        const bool sums = forward_ && has_sum(p.attr.post_ops);
        result_ = adapted_tensor(p, result, *written, sums ? use::update : use::write);
        from_ = strides_of(*read);
        to_ = strides_of(*written);
        from_.offset0 = to_.offset0 = 0; // in the pointers
        return other_.why_not() ? other_.why_not() : result_.why_not();
    }
    return "neither channels nor pixels of a row are adjacent";
}

void vector_resampling::reserve(problem &p) {
    threads_ = max_threads();
    call_.tap_count = w_.most_shares();
    // Lists of a piece stay in L1; its pixels are so close to each other that 32 bits count them.
    constexpr dim_t entries = 2048, farthest = dim_t {1} << 30;
    const dim_t W = forward_ ? shape_.OW : shape_.IW;
    piece_ = std::min(std::max<dim_t>(entries / call_.tap_count, 16), W);
    while (piece_ > 1 && w_.span(piece_) > farthest) piece_ /= 2;
    row_limit_ = d_.most_shares() * h_.most_shares();
    share_limit_ = std::max(d_.most_shares() + h_.most_shares(), call_.tap_count);
    tap_limit_ = call_.tap_count * piece_;
    rows_ = p.scratchpad.reserve<dim_t>(threads_ * row_limit_);
    row_weights_ = p.scratchpad.reserve<f32>(threads_ * row_limit_);
    weights_ = p.scratchpad.reserve<f32>(threads_ * tap_limit_);
    taps_ = p.scratchpad.reserve<s32>(threads_ * tap_limit_);
    shares_ = p.scratchpad.reserve<share>(threads_ * share_limit_);
    if (order_.layout == pooled_layout::width) {
        buffer_size_ = round_up(w_.span(piece_), 16);
        buffer_ = p.scratchpad.reserve<f32>(threads_ * buffer_size_);
    }
}

} // namespace

planned make_resampling(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    problem resolved = p;
    default_layouts(resolved);
    auto made = std::make_unique<vector_resampling>();
    if (const char *reason = made->prepare(resolved)) return reason;
    p = std::move(resolved);
    return std::unique_ptr<plan>(std::move(made));
}

} // namespace dnnl::impl::cpu
