// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution, backward weights: for each channel and tap the sum over pixels of
// src * diff_dst. A kernel call takes all rows of a chunk and some channels.
#include <algorithm>

#include "cpu/convolution/convolution.hpp"
#include "cpu/convolution/depthwise/depthwise_rows.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The most channels of one item, whose sums and rows of both sources stay in the caches; the least
/// pixels that are worth sums of their own.
constexpr dim_t most_channels = 64, pixels_of_chunk = 256;

class depthwise_convolution_weights : public weights_gradient_plan {
  public:
    explicit depthwise_convolution_weights(problem &p)
        : weights_gradient_plan(p), run_(kernel_for<vector_levels>(p.target,
                                        []<class Isa> { return depthwise_weights<Isa>; })),
          add_pixels_(
              kernel_for<vector_levels>(p.target, []<class Isa> { return add_pixels<Isa>; })),
          window_(axes_of(shape_, true)), phase_count_(dilation_phases(window_.w)) {
        for (const axis_phase &phase : phases_of(window_.w, phase_count_))
            phases_.emplace_back(phase);
        auto &op = std::get<convolution_desc>(p.op);
        if (op.weights.is_any()) op.weights = depthwise_weights_layout(op.weights);
        prefer_channels_last(op.src, op.dst);
        default_layouts(p);
        memory_desc sums = op.weights;
        sums.dtype = data_type::f32;
        adapt(p, with_dense_channels(op.src), depthwise_weights_layout(sums),
            with_dense_channels(op.dst));
        if (why_not_) return;

        const dim_t channels = round_up(shape_.G, depthwise_block);
        choose_chunks(channels * taps(), rows(), rows() * shape_.OW / pixels_of_chunk);
        while (threads_ > 1 && items() / 4 < threads_ && share_ > depthwise_block) share_ /= 2;
        threads_ = threads_for(items());
        band_ = std::clamp<dim_t>(
            enough_lines / window_rows(), 1, std::max<dim_t>(div_up(rows(), chunks_), 1));
        segments_ = p.scratchpad.reserve<depthwise_segment>(phase_count_ * shape_.KW);
        places_ = p.scratchpad.reserve<dim_t>(phase_count_ * taps());
        lines_ = p.scratchpad.reserve<const void *>(threads_ * band_ * (window_rows() + 1));
        reserve_sums(p, channels);
    }

    void execute(const exec_context &ctx) const override {
        const tensors first = begin(ctx);
        const execution e {first.src, first.dst, sums_of(ctx, first), ctx.scratch(segments_),
            ctx.scratch(places_), ctx.scratch(lines_)};
        for (dim_t i = 0; i < dim_t(phases_.size()); ++i) {
            const depthwise_row &row = phases_[std::size_t(i)].row;
            row.list_segments(from_.w_bytes, e.segments + i * shape_.KW);
            for (dim_t k = 0; k < window_rows(); ++k)
                row.list_places(k * shape_.KW, e.places + i * taps() + k * row.taps());
        }
        const double work = double(rows() * shape_.OW) / double(chunks_) * double(taps() * share_);
        // Measured on a Zen 5 core, tensors in L2 and L3: with AVX-512 25 (strides) to 100
        // products in a nanosecond, with AVX2 half as many. 100 ns clear the sums.
        parallel_for(items(), 100 + work / 30, threads_, [&](int thread, dim_t begin, dim_t end) {
            for (dim_t item = begin, last; item < end; item = last) {
                const dim_t chunk = item / shares(), first = chunk * shares();
                last = std::min(end, first + shares());
                add_rows(e, thread, chunk, (item - first) * share_,
                    std::min((last - first) * share_, shape_.G));
            }
        });
        store(ctx, e.sums);
    }

  private:
    struct execution {
        const char *src, *diff_dst;
        all_sums sums; ///< of the bias [padded channel]
        depthwise_segment *segments;
        dim_t *places;
        const void **lines; ///< of thread 0
    };

    /// Adds up channels from c0 to c1 in one chunk of rows, a share at a time.
    void add_rows(const execution &e, int thread, dim_t chunk, dim_t c0, dim_t c1) const {
        const dim_t chunk_size = div_up(rows(), chunks_);
        depthwise_weights_args call {};
        call.type = src_.wanted().dtype;
        call.window_rows = window_rows();
        call.diff_dst_step_bytes = phase_count_ * to_.w_bytes;
        call.sums_block = taps() * depthwise_block;
        call.sums = e.sums.weights.of(chunk);
        const dim_t count = round_up(c1 - c0, depthwise_block);
        std::fill_n(call.sums + c0 * taps(), count * taps(), 0.0f);
        f32 *bias_sums = e.sums.bias.first ? e.sums.bias.of(chunk) : nullptr;
        if (bias_sums) std::fill_n(bias_sums + c0, count, 0.0f);
        const void **diff_dst = e.lines + thread * band_ * (window_rows() + 1);
        const void **sources = diff_dst + band_;
        call.diff_dst = diff_dst;
        call.sources = sources;
        const dim_t last = std::min(rows(), (chunk + 1) * chunk_size);
        for (dim_t row = chunk * chunk_size; row < last; row += call.rows) {
            call.rows = std::min(band_, last - row);
            for (dim_t i = 0; i < call.rows; ++i)
                diff_dst[i] = list_row(e, row + i, sources + i * window_rows());
            for (call.channel = c0; call.channel < c1; call.channel = call.end_channel) {
                call.end_channel = std::min(call.channel + share_, c1);
                if (bias_sums) add_to_bias(call, bias_sums + call.channel);
                for (dim_t i = 0; i < dim_t(phases_.size()); ++i) run_phase(e, call, i);
            }
        }
    }

    void add_to_bias(const depthwise_weights_args &call, f32 *sums) const {
        for (dim_t i = 0; i < call.rows; ++i)
            add_pixels_({call.type,
                static_cast<const char *>(call.diff_dst[i]) + call.channel * to_.element_bytes,
                to_.w_bytes, shape_.OW, call.end_channel - call.channel, sums});
    }

    void run_phase(const execution &e, depthwise_weights_args call, dim_t index) const {
        const row_phase &phase = phases_[std::size_t(index)];
        call.width = phase.row.width();
        call.stride = phase.row.stride();
        call.wide = phase.row.wide();
        call.single = phase.row.single();
        call.row_taps = phase.row.taps();
        call.segments = e.segments + index * shape_.KW;
        call.places = e.places + index * taps();
        call.source_step_bytes = phase.row.source_step() * from_.w_bytes;
        call.first_bytes = phase.first * to_.w_bytes;
        call.pixels = phase.positions;
        run_(call);
    }

    /// Lists the lines that a row of diff_dst hits, and returns the row.
    const void *list_row(const execution &e, dim_t row, const void **sources) const {
        const dim_t oh = row % shape_.OH, od = row / shape_.OH % shape_.OD,
                    mb = row / shape_.OH / shape_.OD;
        const char *image = e.src + mb * from_.n_bytes;
        std::fill_n(sources, window_rows(), nullptr);
        const tap_hits d = window_.d.hits(od), h = window_.h.hits(oh);
        for (dim_t i = 0; i < d.count; ++i)
            for (dim_t j = 0; j < h.count; ++j)
                sources[(d.tap + i) * shape_.KH + h.tap + j] =
                    image + (d.index + i * d.index_step) * from_.d_bytes +
                    (h.index + j * h.index_step) * from_.h_bytes;
        return e.diff_dst + to_.bytes_at(mb, 0, od, oh, 0);
    }

    dim_t rows() const { return shape_.MB * shape_.OD * shape_.OH; }
    dim_t window_rows() const { return shape_.KD * shape_.KH; }
    dim_t taps() const { return window_rows() * shape_.KW; }
    dim_t shares() const { return div_up(shape_.G, share_); }
    dim_t items() const { return shares() * chunks_; }

    depthwise_weights_function run_ = nullptr;
    pixel_sums_function add_pixels_ = nullptr;
    window_axes window_;
    dim_t phase_count_;
    std::vector<row_phase> phases_; ///< that make taps of dilated windows neighbours
    dim_t share_ = most_channels;   ///< channels of one item
    dim_t band_ = 1;                ///< rows of one call
    scratch_slot<depthwise_segment> segments_;
    scratch_slot<dim_t> places_;
    scratch_slot<const void *> lines_;
};

} // namespace

planned make_depthwise_convolution_weights(problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (op.prop != dnnl_backward_weights) return another_direction;
    if (const char *reason = depthwise_refusal(op)) return reason;
    if (const char *reason = weights_gradient_refusal(p)) return reason;
    return try_plan<depthwise_convolution_weights>(p);
}

} // namespace dnnl::impl::cpu
