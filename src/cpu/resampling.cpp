// SPDX-License-Identifier: Apache-2.0
// Resampling: for every index of the result along a dimension the list of what it takes from the
// other tensor, made once; one row of results per kernel call. Backward turns the lists round.
#include "common/resampling.hpp"

#include "common/default_layouts.hpp"
#include "common/parallel.hpp"
#include "cpu/adapted_tensor.hpp"
#include "cpu/box_nest.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/interpolate.hpp"
#include "cpu/kernels/select_rows.hpp"
#include "cpu/pooling_window.hpp"

namespace dnnl::impl::cpu {

namespace {

/// What is taken from index `from`.
struct share {
    dim_t from;
    f32 weight;
};
using shares = std::vector<std::vector<share>>; ///< one list per index of the result

/// The inputs of output o. Its place is x = ((2 o + 1) I - O) / (2 O), in whole numbers.
std::vector<share> inputs_of(dnnl_alg_kind_t alg, dim_t o, dim_t I, dim_t O) {
    const dim_t doubled = (2 * o + 1) * I;
    if (alg == dnnl_resampling_nearest) return {{std::min(I - 1, doubled / (2 * O)), 1.0f}};
    if (doubled <= O) return {{0, 1.0f}};
    const dim_t below = (doubled - O) / (2 * O), rest = (doubled - O) % (2 * O);
    if (below >= I - 1 || rest == 0) return {{std::min(below, I - 1), 1.0f}};
    const auto weight = [&](dim_t part) {
        return static_cast<f32>(static_cast<double>(part) / static_cast<double>(2 * O));
    };
    return {{below, weight(2 * O - rest)}, {below + 1, weight(rest)}};
}

shares shares_along(dnnl_alg_kind_t alg, bool forward, dim_t I, dim_t O) {
    shares result(static_cast<std::size_t>(forward ? O : I));
    for (dim_t o = 0; o < O; ++o)
        for (const share &s : inputs_of(alg, o, I, O))
            if (forward)
                result[static_cast<std::size_t>(o)].push_back(s);
            else
                result[static_cast<std::size_t>(s.from)].push_back({o, s.weight});
    return result;
}

std::size_t longest(const shares &lists) {
    std::size_t length = 0;
    for (const auto &list : lists) length = std::max(length, list.size());
    return length;
}

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
        set_shares(op);
        const bool channels = order_.layout == pooled_layout::channels;
        call_.copies = forward_ && op.alg == dnnl_resampling_nearest;
        call_.integer = is_integer(op.src.dtype) && is_integer(op.dst.dtype) && !has_epilogue_;
        call_.src_type = other_.wanted().dtype;
        call_.dst_type = result_md_.dtype;
        call_.pixels = forward_ ? shape_.OW : shape_.IW;
        call_.n = channels ? order_.block : forward_ ? shape_.IW : shape_.OW;
        call_.dst_pixel = to_.w;
        call_.taps = taps_.data();
        call_.weights = weights_.data();
        run_ = select_interpolate(p.target, channels);
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
        const dim_t D = static_cast<dim_t>(d_.size()), H = static_cast<dim_t>(h_.size());
        const dim_t blocks = div_up(shape_.C, order_.block), rows = D * H;
        const double row_ns = 20 + 0.3 * static_cast<double>(call_.pixels * order_.block) *
                                       static_cast<double>(row_limit_);
        parallel_for(
            shape_.MB * blocks * rows, row_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
                interpolate_args call = call_;
                call.finish = has_epilogue_ ? &bound.data : nullptr;
                call.buffer = ctx.scratch(buffer_) + thread * buffer_size_;
                dim_t *offsets = ctx.scratch(rows_) + thread * row_limit_;
                f32 *weights = ctx.scratch(row_weights_) + thread * row_limit_;
                call.rows = offsets;
                call.row_weights = weights;
                for (dim_t item = begin; item < end; ++item) {
                    const dim_t h = item % H, d = item / H % D;
                    const dim_t cb = item / rows % blocks, mb = item / rows / blocks;
                    call.row_count = list_rows(d, h, offsets, weights);
                    call.src = src + from_.at(mb, cb, 0, 0, 0);
                    call.dst = dst + to_.at(mb, cb, d, h, 0);
                    place(call, mb, cb * order_.block, d, h);
                    run_(call);
                }
            });
        result_.end(ctx, ctx.data(result_arg));
        clear_padding(result_md_, ctx.data(result_arg));
    }

  private:
    const char *choose_layouts(problem &p, const memory_desc &other);
    void set_shares(const resampling_desc &op);
    void reserve(problem &p);

    int list_rows(dim_t d, dim_t h, dim_t *offsets, f32 *weights) const {
        int count = 0;
        for (const share &sd : d_[static_cast<std::size_t>(d)])
            for (const share &sh : h_[static_cast<std::size_t>(h)]) {
                offsets[count] = sd.from * from_.d + sh.from * from_.h;
                weights[count++] = sd.weight * sh.weight;
            }
        return count;
    }

    /// Where the first result of a row stands, and how many channels there are from c on.
    void place(interpolate_args &call, dim_t mb, dim_t c, dim_t d, dim_t h) const {
        const bool channels = order_.layout == pooled_layout::channels;
        if (channels) call.n = std::min(order_.block, shape_.C - c);
        const dim_t position[position_rank] = {
            mb, channels ? d : c, channels ? h : d, channels ? 0 : h, channels ? c : 0};
        std::copy_n(position, position_rank, call.position);
    }

    bool forward_ = true, has_epilogue_ = false;
    resampling_shape shape_ {};
    memory_desc result_md_;
    adapted_tensor other_, result_; ///< what is read, and what is written
    pooled_order order_ {};
    pooled_tensor from_ {}, to_ {};
    epilogue_plan epilogue_;
    shares d_, h_;
    std::vector<s32> taps_;
    std::vector<f32> weights_;
    interpolate_args call_ {};
    interpolate_function run_ = nullptr;
    int threads_ = 1;
    dim_t row_limit_ = 1, buffer_size_ = 0;
    scratch_slot<dim_t> rows_;
    scratch_slot<f32> row_weights_, buffer_;
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

/// The lists along the width become a table, one row per tap.
void vector_resampling::set_shares(const resampling_desc &op) {
    d_ = shares_along(op.alg, forward_, shape_.ID, shape_.OD);
    h_ = shares_along(op.alg, forward_, shape_.IH, shape_.OH);
    const shares w = shares_along(op.alg, forward_, shape_.IW, shape_.OW);
    const bool channels = order_.layout == pooled_layout::channels;
    const std::size_t taps = std::max<std::size_t>(longest(w), 1);
    call_.tap_count = static_cast<int>(taps);
    taps_.assign(taps * w.size(), 0);
    weights_.assign(taps * w.size(), 0);
    for (std::size_t x = 0; x < w.size(); ++x)
        for (std::size_t k = 0; k < w[x].size(); ++k) {
            const dim_t tap = w[x][k].from * (channels ? from_.w : 1);
            taps_[k * w.size() + x] = static_cast<s32>(tap);
            weights_[k * w.size() + x] = w[x][k].weight;
        }
}

void vector_resampling::reserve(problem &p) {
    threads_ = max_threads();
    row_limit_ = std::max<dim_t>(static_cast<dim_t>(longest(d_) * longest(h_)), 1);
    rows_ = p.scratchpad.reserve<dim_t>(threads_ * row_limit_);
    row_weights_ = p.scratchpad.reserve<f32>(threads_ * row_limit_);
    if (order_.layout == pooled_layout::width) {
        buffer_size_ = round_up(call_.n, 16);
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
