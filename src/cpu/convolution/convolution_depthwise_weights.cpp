// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution backward weights: for each channel and tap the sum over pixels of
// src * diff_dst. Rows of diff_dst are cut into runs of pixels whose windows hit the same taps; one
// kernel call adds a run to the sums of a kernel row. Partial sums over chunks of rows are cut by
// shape alone and added in order.
#include <algorithm>

#include "common/descriptors/problem.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/convolution/channel_sums.hpp"
#include "cpu/convolution/convolution_plan.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/window/image_view.hpp"
#include "cpu/window/tap_axis.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t block = depthwise_block(false);
/// Channels of one item: their sums and the rows of both sources stay close.
constexpr dim_t share = 64;

class depthwise_convolution_weights : public convolution_plan {
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

    memory_desc bias_;
    depthwise_weights_function run_ = nullptr;
    window_axes window_;
    position_runs runs_; ///< of a row of diff_dst
    image_view from_ {}, to_ {};
    dim_t chunks_ = 1; ///< partial sums
    scratch_slot<const void *> taps_;
    scratch_slot<dim_t> places_;
    scratch_slot<f32> more_sums_, bias_sums_;
};

depthwise_convolution_weights::depthwise_convolution_weights(problem &p)
    : convolution_plan(p),
      run_(kernel_for<vector_levels>(p.target, []<class Isa> { return depthwise_weights<Isa>; })),
      window_(axes_of(shape_, true)), runs_(window_.w, 1) {
    auto &op = std::get<convolution_desc>(p.op);
    if (op.weights.is_any()) op.weights = depthwise_weights_layout(op.weights);
    prefer_channels_last(op.src, op.dst);
    default_layouts(p);
    bias_ = op.bias;
    memory_desc sums = op.weights;
    sums.dtype = data_type::f32;
    adapt(p, with_dense_channels(op.src), depthwise_weights_layout(sums),
        with_dense_channels(op.dst));
    if (why_not_) return;

    const convolution_shape &s = shape_;
    from_ = view_of(src_.wanted());
    to_ = view_of(dst_.wanted());
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
    const dim_t c0_bytes = c0 * from_.bytes;
    const void **taps = e.taps + thread * shape_.KW;
    dim_t *places = e.places + thread * shape_.KW;
    f32 *bias_sums = call.bias_sums;
    call.taps = taps;
    call.places = places;
    const tap_hits d = window_.d.hits(od), h = window_.h.hits(oh);
    runs_.for_each([&](const position_run &run) {
        call.pixels = run.count;
        call.diff_dst = e.diff_dst + to_.at(mb, 0, od, oh, run.first) + c0_bytes;
        call.bias_sums = bias_sums;
        call.count = 0;
        if (bias_sums) run_(call);
        call.bias_sums = nullptr;
        for (dim_t i = 0; i < d.count; ++i)
            for (dim_t j = 0; j < h.count; ++j) {
                const char *line = e.src + c0_bytes +
                                   from_.at(mb, 0, d.index + i * d.index_step,
                                       h.index + j * h.index_step, run.hits.index);
                const dim_t place =
                    ((d.tap + i) * shape_.KH + h.tap + j) * shape_.KW + run.hits.tap;
                for (call.count = 0; call.count < run.hits.count; ++call.count) {
                    taps[call.count] = line + call.count * run.hits.index_step * from_.w;
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
    call.type = src_.wanted().dtype;
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
    const tensors first = begin(ctx);
    const execution e {first.src, first.dst,
        {reinterpret_cast<f32 *>(first.weights), ctx.scratch(more_sums_), chunks_, sums_size()},
        bias_.is_zero() ? nullptr : ctx.scratch(bias_sums_), ctx.scratch(taps_),
        ctx.scratch(places_)};
    const double products = static_cast<double>(rows() * shape_.OW) / static_cast<double>(chunks_) *
                            static_cast<double>(taps() * share);
    parallel_for(items(), 100 + products / 30, threads_, [&](int thread, dim_t begin, dim_t end) {
        for (dim_t item = begin; item < end; ++item) add_rows(e, thread, item);
    });
    e.sums.add_up_into_first(sums_size());
    end(ctx);
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
