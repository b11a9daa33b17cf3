// SPDX-License-Identifier: Apache-2.0
// Resampling, forward and backward: a row of results, or a piece of one, per kernel call. What the
// pixels of a piece take from the other tensor is listed once for all rows that a thread works on.
#include "common/descriptors/resampling.hpp"

#include "common/descriptors/default_layouts.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/pooling/interpolate.hpp"
#include "cpu/kernels/select/select_rows.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/pooling/resampling_axis.hpp"
#include "cpu/walk/box_nest.hpp"
#include "cpu/window/pooling_window.hpp"

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
    explicit vector_resampling(problem &p) {
        default_layouts(p);
        const auto &op = std::get<resampling_desc>(p.op);
        forward_ = is_forward(op.prop);
        shape_ = shape_of(op);
        result_md_ = forward_ ? op.dst : op.src;
        if (result_md_.has_zero_dim()) return;
        why_not_ = choose_layouts(p, forward_ ? op.src : op.dst);
        if (why_not_) return;
        const epilogue_request request = pooled_request(result_.wanted(), order_);
        if (forward_) {
            why_not_ = epilogue_plan::refusal(p.attr, request);
            if (why_not_) return;
            epilogue_ = epilogue_plan(p.target, p.attr, p.scratchpad, request);
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
        const dim_t blocks = div_up(shape_.C, order_.block);
        const double row_ns = 20 + 0.3 * static_cast<double>(std::min(W, piece_) * order_.block) *
                                       static_cast<double>(row_limit_);
        parallel_for(div_up(W, piece_) * shape_.MB * blocks * D * H, row_ns, threads_,
            [&](int thread, dim_t begin, dim_t end) {
                const scratch s = scratch_of(ctx, thread);
                interpolate_args call = call_;
                call.finish = has_epilogue_ ? &bound.data : nullptr;
                call.buffer = s.buffer;
                call.rows = s.rows;
                call.row_weights = s.row_weights;
                listed_piece piece = kept_;
                piece_row at {begin, D, H, blocks, shape_.MB};
                dim_t listed_d = -1, d_count = 0;
                for (dim_t item = begin; item < end; ++item, at.next()) {
                    const dim_t x = at.piece * piece_;
                    if (x != piece.x) enter_piece(x, std::min(piece_, W - x), s, piece);
                    if (at.d != listed_d) d_count = d_.list(at.d, s.d_shares);
                    listed_d = at.d;
                    call.row_count = nothing ? 0 : list_rows(d_count, at.h, s);
                    call.pixels = piece.pixels;
                    call.taps = piece.taps;
                    call.weights = piece.weights;
                    call.n = piece.n;
                    call.src = src + from_.at(at.mb, at.cb, 0, 0, piece.first);
                    call.dst = dst + to_.at(at.mb, at.cb, at.d, at.h, x);
                    place(call, at, x);
                    run_(call);
                }
            });
        result_.end(ctx, ctx.data(result_arg));
        clear_padding(result_md_, ctx.data(result_arg));
    }

  private:
    const char *choose_layouts(problem &p, const memory_desc &other);
    void reserve(problem &p);

    /// The rows of all pieces, one after the other: piece by piece, image by image.
    struct piece_row {
        piece_row(dim_t index, dim_t D_, dim_t H_, dim_t blocks_, dim_t MB_)
            : D(D_), H(H_), blocks(blocks_), MB(MB_), h(index % H), d(index / H % D),
              cb(index / H / D % blocks), mb(index / H / D / blocks % MB),
              piece(index / H / D / blocks / MB) {}
        void next() {
            if (++h < H) return;
            h = 0;
            if (++d < D) return;
            d = 0;
            if (++cb < blocks) return;
            cb = 0;
            if (++mb < MB) return;
            mb = 0;
            ++piece;
        }
        dim_t D, H, blocks, MB;
        dim_t h, d, cb, mb, piece;
    };
    /// What the results [x, x + pixels) of a row take, relative to pixel `first` of the other
    /// tensor; n pixels of that are read.
    struct listed_piece {
        dim_t x = -1, pixels = 0, first = 0, n = 0;
        const s32 *taps = nullptr;
        const f32 *weights = nullptr;
    };
    /// The lists of one thread.
    struct scratch {
        dim_t *rows;
        f32 *row_weights, *weights, *buffer;
        s32 *taps;
        share *d_shares, *h_shares, *w_shares;
    };
    scratch scratch_of(const exec_context &ctx, int thread) const {
        share *shares = ctx.scratch(shares_) + thread * share_limit_;
        share *h_shares = shares + d_.most_shares(), *w_shares = h_shares + h_.most_shares();
        return {ctx.scratch(rows_) + thread * row_limit_,
            ctx.scratch(row_weights_) + thread * row_limit_,
            ctx.scratch(weights_) + thread * tap_limit_,
            ctx.scratch(buffer_) + thread * buffer_size_, ctx.scratch(taps_) + thread * tap_limit_,
            shares, h_shares, w_shares};
    }

    dim_t list_rows(dim_t d_count, dim_t h, const scratch &s) const {
        const dim_t h_count = h_.list(h, s.h_shares);
        dim_t count = 0;
        for (dim_t i = 0; i < d_count; ++i)
            for (dim_t j = 0; j < h_count; ++j) {
                s.rows[count] = s.d_shares[i].from * from_.d + s.h_shares[j].from * from_.h;
                s.row_weights[count++] = s.d_shares[i].weight * s.h_shares[j].weight;
            }
        return count;
    }

    listed_piece list_pixels(dim_t x, dim_t pixels, share *shares, s32 *taps, f32 *weights) const;

    /// True for pieces that are listed alike, but for a shift.
    bool repeats(dim_t x) const {
        const dim_t W = w_.results();
        return piece_ % w_.period() == 0 && x >= w_.border() && x + piece_ <= W - w_.border();
    }
    void enter_piece(dim_t x, dim_t pixels, const scratch &s, listed_piece &piece) const {
        if (piece.x >= 0 && repeats(piece.x) && repeats(x)) {
            piece.first += (x - piece.x) / w_.period() * w_.shift();
            piece.x = x;
        } else {
            piece = list_pixels(x, pixels, s.w_shares, s.taps, s.weights);
        }
    }

    /// Where the first result of a piece stands, and how many channels there are.
    void place(interpolate_args &call, const piece_row &at, dim_t x) const {
        const bool channels = order_.layout == pooled_layout::channels;
        const dim_t c = at.cb * order_.block;
        if (channels) call.n = std::min(order_.block, shape_.C - c);
        const dim_t position[position_rank] = {at.mb, channels ? at.d : c, channels ? at.h : at.d,
            channels ? x : at.h, channels ? c : x};
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
    dim_t piece_ = 1;   ///< results of a row that are worked on at once
    listed_piece kept_; ///< the only piece, or none
    std::vector<s32> kept_taps_;
    std::vector<f32> kept_weights_;
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

/// Entry k * pixels + i is share k of result x + i.
vector_resampling::listed_piece vector_resampling::list_pixels(
    dim_t x, dim_t pixels, share *shares, s32 *taps, f32 *weights) const {
    dim_t first = 0, last = -1;
    for (dim_t i = 0; i < pixels; ++i) {
        const dim_t count = w_.list(x + i, shares);
        if (count > 0 && last < 0) first = shares[0].from;
        if (count > 0) last = shares[count - 1].from;
        for (dim_t k = 0; k < call_.tap_count; ++k) {
            taps[k * pixels + i] = k < count ? static_cast<s32>(shares[k].from - first) : 0;
            weights[k * pixels + i] = k < count ? shares[k].weight : 0.0f;
        }
    }
    return {x, pixels, first, last < 0 ? 0 : last + 1 - first, taps, weights};
}

void vector_resampling::reserve(problem &p) {
    threads_ = max_threads();
    call_.tap_count = w_.most_shares();
    // The lists of a piece stay in L1; 32 bits hold the distances of its pixels.
    constexpr dim_t entries = 1024, farthest = dim_t {1} << 30;
    const dim_t W = forward_ ? shape_.OW : shape_.IW;
    piece_ = std::max<dim_t>(entries / call_.tap_count, 16);
    if (w_.period() < piece_) piece_ -= piece_ % w_.period();
    piece_ = std::min(piece_, W);
    while (piece_ > 1 && w_.span(piece_) > farthest) piece_ /= 2;
    tap_limit_ = call_.tap_count * piece_;
    row_limit_ = d_.most_shares() * h_.most_shares();
    share_limit_ = d_.most_shares() + h_.most_shares() + call_.tap_count;
    rows_ = p.scratchpad.reserve<dim_t>(threads_ * row_limit_);
    row_weights_ = p.scratchpad.reserve<f32>(threads_ * row_limit_);
    shares_ = p.scratchpad.reserve<share>(threads_ * share_limit_);
    if (order_.layout == pooled_layout::width) {
        buffer_size_ = round_up(w_.span(piece_), 16);
        buffer_ = p.scratchpad.reserve<f32>(threads_ * buffer_size_);
    }
    if (piece_ < W || tap_limit_ > entries) {
        weights_ = p.scratchpad.reserve<f32>(threads_ * tap_limit_);
        taps_ = p.scratchpad.reserve<s32>(threads_ * tap_limit_);
        return;
    }
    kept_taps_.resize(static_cast<std::size_t>(tap_limit_));
    kept_weights_.resize(static_cast<std::size_t>(tap_limit_));
    std::vector<share> shares(static_cast<std::size_t>(call_.tap_count));
    kept_ = list_pixels(0, W, shares.data(), kept_taps_.data(), kept_weights_.data());
}

} // namespace

planned make_resampling(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return try_plan<vector_resampling>(p);
}

} // namespace dnnl::impl::cpu
