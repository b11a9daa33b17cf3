// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution backward weights: for each channel and tap the sum over pixels of
// src * diff_dst. Rows of diff_dst are cut into runs of pixels whose windows hit the same taps; one
// kernel call adds a run to the sums of a kernel row. Partial sums over chunks of rows are cut by
// shape alone and added in order.
#include "common/descriptors/convolution.hpp"

#include <algorithm>

#include "common/descriptors/default_layouts.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/convolution/channel_sums.hpp"
#include "cpu/convolution/weights_gradient.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/kernels/select/select_rows.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/window/channels_last.hpp"
#include "cpu/window/depthwise_window.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t block = depthwise_block(false);
/// Channels of one item: their sums and the rows of both sources stay close.
constexpr dim_t share = 64;

class depthwise_convolution_weights : public plan {
  public:
    explicit depthwise_convolution_weights(problem &p);
    void execute(const exec_context &ctx) const override;

  private:
    struct execution {
        const char *src, *diff_dst;
        ordered_sums<f32> sums;
        f32 *bias_sums;    ///< [chunk][padded channel], or null
        const void **taps; ///< of thread 0
        dim_t *places;
    };
    void add_rows(const execution &e, int thread, dim_t item) const;
    void add_row(
        const execution &e, int thread, depthwise_weights_args call, dim_t row, dim_t c0) const;
    dim_t rows() const { return shape_.MB * shape_.OD * shape_.OH; }
    dim_t taps() const { return shape_.KD * shape_.KH * shape_.KW; }
    dim_t padded_channels() const { return round_up(shape_.G, block); }
    dim_t sums_size() const { return padded_channels() * taps(); }
    dim_t items() const { return div_up(shape_.G, share) * chunks_; }

    convolution_shape shape_;
    data_type type_;
    memory_desc bias_;
    adapted_tensor src_, diff_dst_, diff_weights_;
    depthwise_weights_function run_ = nullptr;
    tap_axis d_ {}, h_ {};
    row_runs runs_;
    image_strides from_ {}, to_ {};
    dim_t chunks_ = 1; ///< partial sums
    int threads_ = 1;
    scratch_slot<const void *> taps_;
    scratch_slot<dim_t> places_;
    scratch_slot<f32> more_sums_, bias_sums_;
};

depthwise_convolution_weights::depthwise_convolution_weights(problem &p)
    : shape_(shape_of(std::get<convolution_desc>(p.op))),
      type_(std::get<convolution_desc>(p.op).src.dtype), run_(select_depthwise_weights(p.target)),
      threads_(max_threads()) {
    auto &op = std::get<convolution_desc>(p.op);
    if (op.weights.is_any()) op.weights = depthwise_weights_layout(op.weights);
    prefer_channels_last(op.src, op.dst);
    default_layouts(p);
    bias_ = op.bias;
    memory_desc sums = op.weights;
    sums.dtype = data_type::f32;
    src_ = adapted_tensor(p, op.src, with_dense_channels(op.src), adapted_tensor::use::read);
    diff_dst_ = adapted_tensor(p, op.dst, with_dense_channels(op.dst), adapted_tensor::use::read);
    diff_weights_ =
        adapted_tensor(p, op.weights, depthwise_weights_layout(sums), adapted_tensor::use::write);
    for (const adapted_tensor *t : {&src_, &diff_dst_, &diff_weights_})
        if (t->why_not()) why_not_ = t->why_not();
    if (why_not_) return;

    const convolution_shape &s = shape_;
    d_ = forward_taps(s.OD, s.ID, s.KD, s.SD, s.DD, s.PD);
    h_ = forward_taps(s.OH, s.IH, s.KH, s.SH, s.DH, s.PH);
    runs_ = row_runs({{0, 1, 0, 1, forward_taps(s.OW, s.IW, s.KW, s.SW, s.DW, s.PW)}});
    from_ = strides_in_bytes(src_.wanted());
    to_ = strides_in_bytes(diff_dst_.wanted());
    chunks_ = weights_gradient_chunks(sums_size(), rows() * s.OW, std::clamp<dim_t>(rows(), 1, 8));
    threads_ = threads_for(items());
    taps_ = p.scratchpad.reserve<const void *>(threads_ * s.KW);
    places_ = p.scratchpad.reserve<dim_t>(threads_ * s.KW);
    more_sums_ = p.scratchpad.reserve<f32>((chunks_ - 1) * sums_size());
    if (!bias_.is_zero()) bias_sums_ = p.scratchpad.reserve<f32>(chunks_ * padded_channels());
}

/// One row of diff_dst, for the channels from c0 on.
void depthwise_convolution_weights::add_row(
    const execution &e, int thread, depthwise_weights_args call, dim_t row, dim_t c0) const {
    const dim_t oh = row % shape_.OH, od = row / shape_.OH % shape_.OD,
                mb = row / shape_.OH / shape_.OD;
    const dim_t c0_bytes = c0 * static_cast<dim_t>(size_of(type_));
    const void **taps = e.taps + thread * shape_.KW;
    dim_t *places = e.places + thread * shape_.KW;
    f32 *bias_sums = call.bias_sums;
    call.taps = taps;
    call.places = places;
    const tap_range d_taps = d_.inside(od), h_taps = h_.inside(oh);
    runs_.for_each([&](const position_run &run) {
        call.pixels = run.count;
        call.diff_dst = e.diff_dst + to_.at(mb, od, oh, run.first) + c0_bytes;
        call.bias_sums = bias_sums;
        call.count = 0;
        if (bias_sums) run_(call);
        call.bias_sums = nullptr;
        for (dim_t kd = d_taps.first; kd < d_taps.last; ++kd)
            for (dim_t kh = h_taps.first; kh < h_taps.last; ++kh) {
                const char *line = e.src + from_.at(mb, d_.at(od, kd), h_.at(oh, kh), 0) + c0_bytes;
                const dim_t place = (kd * shape_.KH + kh) * shape_.KW + run.tap;
                for (call.count = 0; call.count < run.hits; ++call.count) {
                    taps[call.count] = line + (run.index + call.count * run.index_step) * from_.w;
                    places[call.count] = place + call.count;
                }
                run_(call);
            }
    });
}

/// One share of channels in one chunk of rows.
void depthwise_convolution_weights::add_rows(const execution &e, int thread, dim_t item) const {
    const dim_t shares = div_up(shape_.G, share);
    const dim_t c0 = item % shares * share, chunk = item / shares;
    const dim_t chunk_size = div_up(rows(), chunks_);
    depthwise_weights_args call {};
    call.type = type_;
    call.channels = std::min(share, shape_.G - c0);
    call.step = shape_.SW * from_.w;
    call.diff_dst_step = to_.w;
    call.sums_block = taps() * block;
    const dim_t first = c0 / block * call.sums_block;
    const dim_t count = round_up(call.channels, block);
    call.sums = e.sums.of(chunk) + first;
    std::fill_n(call.sums, count * taps(), 0.0f);
    if (e.bias_sums) {
        call.bias_sums = e.bias_sums + chunk * padded_channels() + c0;
        std::fill_n(call.bias_sums, count, 0.0f);
    }
    const dim_t last = std::min(rows(), (chunk + 1) * chunk_size);
    for (dim_t row = chunk * chunk_size; row < last; ++row) add_row(e, thread, call, row, c0);
}

void depthwise_convolution_weights::execute(const exec_context &ctx) const {
    execution e {};
    e.src = static_cast<const char *>(src_.begin(ctx, ctx.data(DNNL_ARG_SRC)));
    e.diff_dst = static_cast<const char *>(diff_dst_.begin(ctx, ctx.data(DNNL_ARG_DIFF_DST)));
    e.sums = {static_cast<f32 *>(diff_weights_.begin(ctx, ctx.data(DNNL_ARG_DIFF_WEIGHTS))),
        ctx.scratch(more_sums_), chunks_, sums_size()};
    e.taps = ctx.scratch(taps_);
    e.places = ctx.scratch(places_);
    if (!bias_.is_zero()) e.bias_sums = ctx.scratch(bias_sums_);
    const double products = static_cast<double>(rows() * shape_.OW) / static_cast<double>(chunks_) *
                            static_cast<double>(taps() * share);
    parallel_for(items(), 100 + products / 30, threads_, [&](int thread, dim_t begin, dim_t end) {
        for (dim_t item = begin; item < end; ++item) add_rows(e, thread, item);
    });
    e.sums.add_up_into_first(sums_size());
    diff_weights_.end(ctx, ctx.data(DNNL_ARG_DIFF_WEIGHTS));
    if (!bias_.is_zero())
        store_channel_sums(bias_, ctx.data(DNNL_ARG_DIFF_BIAS),
            {e.bias_sums, e.bias_sums + padded_channels(), chunks_, padded_channels()});
}

} // namespace

planned make_depthwise_convolution_weights(problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (op.prop != dnnl_backward_weights) return another_direction;
    if (const char *reason = depthwise_refusal(op)) return reason;
    if (const char *reason = weights_gradient_refusal(p)) return reason;
    return try_plan<depthwise_convolution_weights>(p);
}

} // namespace dnnl::impl::cpu
