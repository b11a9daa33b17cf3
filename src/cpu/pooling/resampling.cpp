// SPDX-License-Identifier: Apache-2.0
// Resampling, forward and backward. A kernel call makes a row of results, or a piece of one. What
// the pixels of a piece take of the other tensor is listed once for all rows of a thread.
#include "common/descriptors/mappings/mappings.hpp"

#include <cstring>
#include <numeric>

#include "cpu/cpu.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/window/window.hpp"

namespace dnnl::impl::cpu {

namespace {

// One dimension of a resampling. The result is dst forward and diff_src backward; each of its
// indices takes elements of the other tensor, which are computed on request.

/// An element of the other tensor that a result takes, times a weight.
struct weighted_hit {
    dim_t index = 0;
    float weight = 0;
};

class resampling_axis {
  public:
    resampling_axis() = default;
    /// src has I elements along the dimension, dst has O; both have at least one.
    resampling_axis(dnnl_alg_kind_t alg, bool forward, dim_t I, dim_t O)
        : nearest_(alg == dnnl_resampling_nearest), forward_(forward), I_(I), O_(O),
          num_(I / std::gcd(I, O)), den_(O / std::gcd(I, O)) {}

    /// The most hits of a result; at least 1.
    dim_t most_hits() const {
        if (forward_) return nearest_ ? 1 : 2;
        // As many outputs take something from an input as lie within its width, or two if linear.
        return std::min(div_up(nearest_ ? den_ : 2 * den_, num_), O_);
    }
    /// A bound: more elements than lie between the first and the last hit of `results` neighbours.
    dim_t span(dim_t results) const;
    /// Result r + period() has the hits of result r, shift() elements further; this holds for all
    /// results except border() of them at either end.
    dim_t period() const { return forward_ ? den_ : num_; }
    dim_t shift() const { return forward_ ? num_ : den_; }
    dim_t border() const { return forward_ ? den_ / (2 * num_) + 1 : 1; }
    /// Writes the hits of a result, the lowest index first; returns their number.
    dim_t list(dim_t result, weighted_hit *hits) const {
        if (I_ == O_) {
            hits[0] = {result, 1.0f};
            return 1;
        }
        return forward_ ? inputs_of(result, hits) : outputs_of(result, hits);
    }

  private:
    dim_t inputs_of(dim_t o, weighted_hit *hits) const;
    dim_t outputs_of(dim_t i, weighted_hit *hits) const;

    bool nearest_ = false, forward_ = true;
    dim_t I_ = 1, O_ = 1;
    dim_t num_ = 1, den_ = 1; ///< I / O in lowest terms
};

/// numerator / denominator as a whole number, rounded down, and a rest.
struct divided {
    dim_t whole, rest;
};
/// (o * factor + summand) / divisor. The product of two extents may need more than 64 bits.
divided divide(dim_t o, dim_t factor, dim_t summand, dim_t divisor) {
    dim_t n = 0;
    if (__builtin_mul_overflow(o, factor, &n) || __builtin_add_overflow(n, summand, &n)) {
        __extension__ typedef __int128 wide;
        const wide exact = static_cast<wide>(o) * factor + summand;
        return {dim_t(exact / divisor), dim_t(exact % divisor)};
    }
    return {n / divisor, n % divisor};
}

dim_t resampling_axis::span(dim_t results) const {
    const dim_t width = forward_ ? divide(results + 2, num_, 0, den_).whole
                                 : divide(results + 2, den_, 0, num_).whole;
    return std::min(width + 3, forward_ ? I_ : O_);
}

/// The place of output o is x = ((2 o + 1) I - O) / (2 O), in whole numbers.
dim_t resampling_axis::inputs_of(dim_t o, weighted_hit *hits) const {
    if (nearest_) {
        hits[0] = {std::min(I_ - 1, divide(2 * o + 1, num_, 0, 2 * den_).whole), 1.0f};
        return 1;
    }
    // x may be -1/2, so 1 is added to keep it positive.
    const divided x = divide(2 * o + 1, num_, den_, 2 * den_);
    const dim_t below = x.whole - 1;
    if (below < 0 || below >= I_ - 1 || x.rest == 0) {
        hits[0] = {std::clamp<dim_t>(below, 0, I_ - 1), 1.0f};
        return 1;
    }
    const auto weight = [&](dim_t part) {
        return static_cast<float>(double(part) / double(2 * den_));
    };
    hits[0] = {below, weight(2 * den_ - x.rest)};
    hits[1] = {below + 1, weight(x.rest)};
    return 2;
}

/// The outputs that take something from input i. Their places are greater than i - 1.
dim_t resampling_axis::outputs_of(dim_t i, weighted_hit *hits) const {
    // x is greater than i - 1 where 2 o + 1 > (2 i - 1) O / I.
    dim_t o = i == 0 ? 0 : (divide(2 * i - 1, den_, 0, num_).whole + 1) / 2;
    dim_t count = 0;
    for (; o < O_; ++o) {
        weighted_hit inputs[2];
        const dim_t found = inputs_of(o, inputs);
        if (inputs[0].index > i) break;
        for (dim_t k = 0; k < found; ++k)
            if (inputs[k].index == i) hits[count++] = {o, inputs[k].weight};
    }
    return count;
}

class vector_resampling : public plan {
  public:
    explicit vector_resampling(problem &p) {
        default_layouts(p);
        const auto &op = std::get<resampling_desc>(p.op);
        forward_ = is_forward(op.prop);
        result_md_ = forward_ ? op.dst : op.src;
        if (result_md_.has_zero_dim()) return;
        why_not_ = choose_layouts(p, forward_ ? op.src : op.dst);
        if (why_not_) return;
        const epilogue_request request = image_request(result_.wanted(), order_);
        if (forward_) {
            why_not_ = epilogue_plan::refusal(p.attr, request);
            if (why_not_) return;
            if (!p.attr.post_ops.entries.empty())
                epilogue_.emplace(p.target, p.attr, p.scratchpad, request);
        }
        call_.copies = forward_ && op.alg == dnnl_resampling_nearest;
        call_.integer = is_integer(op.src.dtype) && is_integer(op.dst.dtype) && !epilogue_;
        call_.src_type = other_.wanted().dtype;
        call_.dst_type = result_md_.dtype;
        // Pixels of some cache lines are copied again as fast.
        const bool longer = to_.w_bytes >= 256 && call_.src_type == call_.dst_type;
        repeats_rows_ = call_.copies && !epilogue_ && !other_.wanted().has_zero_dim() && !longer &&
                        to_.w_bytes == (order_.by_channels ? std::min(order_.block, C()) : 1) *
                                           to_.element_bytes;
        call_.src_pixel_bytes = from_.w_bytes;
        call_.dst_pixel_bytes = to_.w_bytes;
        if (reads_rows()) lanes_ = C();
        const bool channels = order_.by_channels && lanes_ == 1;
        run_ = kernel_for<vector_levels>(p.target, [&]<class Isa> {
            return channels ? interpolate_channels<Isa> : interpolate_pixels<Isa>;
        });
        if (!other_.wanted().has_zero_dim()) {
            const resampling_shape s = shape_of(op);
            d_ = {op.alg, forward_, s.ID, s.OD};
            h_ = {op.alg, forward_, s.IH, s.OH};
            w_ = {op.alg, forward_, s.IW, s.OW};
        }
        reserve(p);
    }

    void execute(const exec_context &ctx) const override {
        if (result_md_.has_zero_dim()) return;
        const int other_arg = forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST;
        const int result_arg = forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
        const bool nothing = other_.wanted().has_zero_dim();
        const char *src = nothing ? nullptr : other_.begin(ctx, other_arg);
        char *dst = result_.begin(ctx, result_arg);
        bound_epilogue bound;
        if (epilogue_) epilogue_->bind(ctx, bound);
        // Measured on a Zen 5 core with AVX-512: 0.06 to 0.24 ns for a row under an element.
        const double row_ns =
            20 + 0.15 * double(piece_ * order_.block) * double(d_.most_hits() * h_.most_hits());
        parallel_for(rows_.volume(), row_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
            const scratch s = scratch_of(ctx, thread);
            interpolate_args call = call_;
            call.finish = epilogue_ ? &bound.data : nullptr;
            call.buffer = s.buffer;
            call.row_offset_bytes = s.row_offset_bytes;
            call.row_weights = s.row_weights;
            listed_piece piece = kept_;
            nest_cursor row(rows_.levels, {}, begin, 0);
            dim_t listed_d = -1, d_count = 0, last_x = -1;
            const char *last_from = nullptr, *last_dst = nullptr;
            for (dim_t item = begin; item < end; ++item, row.next()) {
                const dim_t x = row.position(0) * piece_, mb = row.position(1);
                const dim_t cb = row.position(2), d = row.position(3), h = row.position(4);
                if (x != piece.x) enter_piece(x, s, piece);
                if (d != listed_d) d_count = d_.list(d, s.d_hits);
                listed_d = d;
                call.row_count = nothing ? 0 : list_rows(d_count, h, s);
                call.pixels = piece.pixels * lanes_;
                call.taps = piece.taps;
                call.windows = piece.windows;
                call.weights = piece.weights;
                call.n = piece.n * lanes_;
                call.src = src + from_.bytes_at(mb, cb, 0, 0, piece.first);
                char *const to = dst + to_.bytes_at(mb, cb, d, h, x);
                const char *from = static_cast<const char *>(call.src);
                from = repeats_rows_ ? from + s.row_offset_bytes[0] : nullptr;
                if (from && from == last_from && x == last_x) {
                    std::memcpy(to, last_dst, std::size_t(piece.pixels * to_.w_bytes));
                    continue;
                }
                last_x = x, last_from = from, last_dst = to;
                call.dst = to;
                const bool channels = order_.by_channels;
                const dim_t c = cb * order_.block;
                if (channels && lanes_ == 1) call.n = std::min(order_.block, C() - c);
                const dim_t position[position_rank] = {
                    mb, channels ? d : c, channels ? h : d, channels ? x : h, channels ? c : x};
                std::copy_n(position, position_rank, call.position);
                run_(call);
            }
        });
        result_.end(ctx, result_arg);
        clear_padding(result_md_, ctx.data(result_arg));
    }

  private:
    const char *choose_layouts(problem &p, const memory_desc &other);
    void reserve(problem &p);
    dim_t C() const { return result_md_.dims[1]; }

    /// The hits of the results [x, x + pixels) of a row, relative to pixel `first` of the other
    /// tensor, of which the n pixels from there on are read.
    struct listed_piece {
        dim_t x = -1, pixels = 0, first = 0, n = 0;
        const s32 *taps = nullptr;
        const f32 *weights = nullptr;
        const s32 *windows = nullptr; ///< as the kernel takes them
    };
    /// The lists of one thread.
    struct scratch {
        dim_t *row_offset_bytes;
        f32 *row_weights, *weights, *buffer;
        s32 *taps;
        weighted_hit *d_hits, *h_hits, *w_hits;
    };
    scratch scratch_of(const exec_context &ctx, int thread) const {
        weighted_hit *hits = ctx.scratch(hits_) + thread * hit_limit_;
        weighted_hit *h_hits = hits + d_.most_hits();
        return {ctx.scratch(row_offsets_) + thread * row_limit_,
            ctx.scratch(row_weights_) + thread * row_limit_,
            ctx.scratch(weights_) + thread * tap_limit_,
            ctx.scratch(buffer_) + thread * buffer_size_, ctx.scratch(taps_) + thread * tap_limit_,
            hits, h_hits, h_hits + h_.most_hits()};
    }

    dim_t list_rows(dim_t d_count, dim_t h, const scratch &s) const {
        const dim_t most = h_.most_hits();
        const weighted_hit *h_hits = s.h_hits;
        dim_t h_count = 0, count = 0;
        if (kept_heights_.empty()) {
            h_count = h_.list(h, s.h_hits);
        } else {
            h_hits = kept_heights_.data() + h * most;
            while (h_count < most && h_hits[h_count].weight != 0) ++h_count;
        }
        for (dim_t i = 0; i < d_count; ++i)
            for (dim_t j = 0; j < h_count; ++j) {
                s.row_offset_bytes[count] =
                    from_.bytes_at(0, 0, s.d_hits[i].index, h_hits[j].index, 0);
                s.row_weights[count++] = s.d_hits[i].weight * h_hits[j].weight;
            }
        return count;
    }

    listed_piece list_pixels(dim_t x, weighted_hit *hits, s32 *taps, f32 *weights) const;
    void list_lanes(listed_piece &piece, s32 *taps, f32 *weights) const;
    bool list_windows(dim_t results, const s32 *taps, const f32 *weights, s32 *windows) const;

    /// True for few adjacent channels: a row of the kernel has all channels of its pixels.
    bool reads_rows() const {
        const bool follow =
            from_.w_bytes == C() * from_.element_bytes && to_.w_bytes == C() * to_.element_bytes;
        return forward_ && !epilogue_ && order_.by_channels && order_.block >= C() && C() > 1 &&
               C() < 16 && follow;
    }

    /// True where the piece at x is listed like the one before, but for a shift.
    bool repeats(dim_t x) const {
        return piece_ % w_.period() == 0 && x >= w_.border() && x + piece_ <= to_.W - w_.border();
    }
    void enter_piece(dim_t x, const scratch &s, listed_piece &piece) const {
        if (piece.x >= 0 && repeats(piece.x) && repeats(x)) {
            piece.first += (x - piece.x) / w_.period() * w_.shift();
            piece.x = x;
        } else {
            piece = list_pixels(x, s.w_hits, s.taps, s.weights);
        }
    }

    bool forward_ = true;
    memory_desc result_md_;
    adapted_tensor other_, result_; ///< the tensor that is read and the one that is written
    image_order order_ {};
    image_view from_ {}, to_ {};
    std::optional<epilogue_plan> epilogue_; ///< nothing without post-ops
    resampling_axis d_, h_, w_;
    interpolate_args call_ {};
    interpolate_function run_ = nullptr;
    int threads_ = 1;
    bool repeats_rows_ = false; ///< equal rows are dense, and computed once
    dim_t lanes_ = 1;           ///< elements of a row for each pixel that is listed
    dim_t piece_ = 1;           ///< results of a row that are worked on at once
    walked_box rows_; ///< loops over all pieces: pieces of a row, images, blocks, depth and height
    listed_piece kept_; ///< the only piece, or none
    std::vector<s32> kept_taps_;
    std::vector<f32> kept_weights_;
    std::vector<weighted_hit> kept_heights_; ///< h_.most_hits() for each height; empty: not kept
    dim_t row_limit_ = 1, hit_limit_ = 1, tap_limit_ = 1, buffer_size_ = 0; ///< of each thread
    scratch_slot<dim_t> row_offsets_;
    scratch_slot<f32> row_weights_, weights_, buffer_;
    scratch_slot<s32> taps_;
    scratch_slot<weighted_hit> hits_;
};

/// Keeps the layouts where they can be walked; else gives the result the order of the tensor that
/// is read, else makes both row-major.
const char *vector_resampling::choose_layouts(problem &p, const memory_desc &other) {
    const memory_desc &result = result_md_;
    memory_desc followed = make_any(result.ndims, result.dims.data(), result.dtype);
    set_layout_like(followed, other);
    const memory_desc plain_other = plain_layout(other), plain_result = plain_layout(result);
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
        from_ = view_of(*read);
        to_ = view_of(*written);
        return other_.why_not() ? other_.why_not() : result_.why_not();
    }
    return "neither channels nor pixels of a row are adjacent";
}

/// Lists the piece from x on. Entry k * pixels + i is hit k of result x + i, with a weight of 0
/// where a result has fewer hits. Most results take the shifted hits of the one a period before.
vector_resampling::listed_piece vector_resampling::list_pixels(
    dim_t x, weighted_hit *hits, s32 *taps, f32 *weights) const {
    const dim_t pixels = std::min(piece_, to_.W - x), period = w_.period();
    const dim_t repeated = std::min(pixels, to_.W - w_.border() - x);
    dim_t first = -1, end = 0;
    for (dim_t i = 0; i < pixels; ++i) {
        if (i >= period && x + i - period >= w_.border() && i < repeated) {
            for (dim_t k = 0; k < call_.tap_count; ++k)
                for (dim_t e = k * pixels + i; e < k * pixels + repeated; ++e) {
                    weights[e] = weights[e - period];
                    taps[e] = weights[e] == 0 ? 0 : taps[e - period] + static_cast<s32>(w_.shift());
                    end = std::max<dim_t>(end, taps[e] + 1);
                }
            i = repeated - 1;
            continue;
        }
        const dim_t count = w_.list(x + i, hits);
        if (count > 0 && first < 0) first = hits[0].index;
        if (count > 0) end = hits[count - 1].index + 1 - first;
        for (dim_t k = 0; k < call_.tap_count; ++k) {
            taps[k * pixels + i] = k < count ? static_cast<s32>(hits[k].index - first) : 0;
            weights[k * pixels + i] = k < count ? hits[k].weight : 0.0f;
        }
    }
    listed_piece piece {x, pixels, std::max<dim_t>(first, 0), end, taps, weights};
    list_lanes(piece, taps, weights);
    return piece;
}

/// Makes taps of all lanes, which follow each other, from the taps of pixels. Behind them it lists
/// what neighbours have in common.
void vector_resampling::list_lanes(listed_piece &piece, s32 *taps, f32 *weights) const {
    if (order_.by_channels && lanes_ == 1) return;
    if (lanes_ > 1)
        for (dim_t i = call_.tap_count * piece.pixels - 1; i >= 0; --i)
            for (dim_t c = lanes_ - 1; c >= 0; --c) {
                weights[i * lanes_ + c] = weights[i];
                taps[i * lanes_ + c] = taps[i] * static_cast<s32>(lanes_) + static_cast<s32>(c);
            }
    const dim_t results = piece.pixels * lanes_;
    s32 *windows = taps + call_.tap_count * results;
    if (list_windows(results, taps, weights, windows)) piece.windows = windows;
}

bool vector_resampling::list_windows(
    dim_t results, const s32 *taps, const f32 *weights, s32 *windows) const {
    for (dim_t x = 0; x < results; x += 16) {
        s32 first = taps[x], last = first;
        for (dim_t k = 0; k < call_.tap_count; ++k)
            for (dim_t i = x; i < std::min(x + 16, results); ++i) {
                if (weights[k * results + i] == 0) continue;
                first = std::min(first, taps[k * results + i]);
                last = std::max(last, taps[k * results + i]);
            }
        if (last - first >= 32) return false;
        windows[x / 16] = first;
    }
    return true;
}

void vector_resampling::reserve(problem &p) {
    threads_ = max_threads();
    call_.tap_count = w_.most_hits();
    // The lists of a piece have at most so many entries, so that they stay in L1, and the distances
    // of its pixels fit 32 bits.
    constexpr dim_t entries = 1024, farthest = dim_t {1} << 30;
    piece_ = std::max<dim_t>(entries / call_.tap_count / lanes_, 16);
    // Threads share pieces of nearly equal size, of whole periods where these are short.
    const dim_t unit = w_.period() < piece_ ? w_.period() : 1, most = piece_ / unit * unit;
    piece_ = std::min(round_up(div_up(to_.W, div_up(to_.W, most)), unit), to_.W);
    while (piece_ > 1 && w_.span(piece_) > farthest / lanes_) piece_ /= 2;
    rows_.levels = {{div_up(to_.W, piece_)}, {result_md_.dims[0]}, {div_up(C(), order_.block)},
        {to_.D}, {to_.H}};
    tap_limit_ = (call_.tap_count + 1) * piece_ * lanes_;
    // Lists that are written for each row do not share cache lines with those of other threads.
    row_limit_ = round_up(d_.most_hits() * h_.most_hits(), 32);
    hit_limit_ = round_up(d_.most_hits() + h_.most_hits() + call_.tap_count, 8);
    row_offsets_ = p.scratchpad.reserve<dim_t>(threads_ * row_limit_);
    row_weights_ = p.scratchpad.reserve<f32>(threads_ * row_limit_);
    hits_ = p.scratchpad.reserve<weighted_hit>(threads_ * hit_limit_);
    if (!order_.by_channels || lanes_ > 1) {
        buffer_size_ = round_up(w_.span(piece_) * lanes_, 16);
        buffer_ = p.scratchpad.reserve<f32>(threads_ * buffer_size_);
    }
    // Where rows are short and many, the hits of all heights are listed once.
    if (to_.H * h_.most_hits() <= entries && result_md_.dims[0] * C() > order_.block * 4) {
        kept_heights_.resize(std::size_t(to_.H * h_.most_hits()));
        for (dim_t h = 0; h < to_.H; ++h) h_.list(h, kept_heights_.data() + h * h_.most_hits());
    }
    if (piece_ < to_.W || tap_limit_ > 2 * entries) {
        weights_ = p.scratchpad.reserve<f32>(threads_ * tap_limit_);
        taps_ = p.scratchpad.reserve<s32>(threads_ * tap_limit_);
        return;
    }
    kept_taps_.resize(std::size_t(tap_limit_));
    kept_weights_.resize(std::size_t(tap_limit_));
    std::vector<weighted_hit> hits(std::size_t(call_.tap_count));
    kept_ = list_pixels(0, hits.data(), kept_taps_.data(), kept_weights_.data());
}

} // namespace

planned make_resampling(problem &p) {
    const auto &op = std::get<resampling_desc>(p.op);
    for (const memory_desc *md : {&op.src, &op.dst})
        if (!is_common_or_f8(md->dtype)) return "a tensor is not f32, bf16, f16, f8, s32, s8 or u8";
    return try_plan<vector_resampling>(p);
}

} // namespace dnnl::impl::cpu
