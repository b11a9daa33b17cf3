// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution (one input and one output channel per group), forward and backward data.
// One kernel call takes many rows of the result: it gets the lines of the source that each of them
// hits, and the segments of taps that all lines share.
#include <algorithm>
#include <type_traits>

#include "cpu/convolution/convolution.hpp"
#include "cpu/convolution/depthwise/depthwise_rows.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

// ---- Forward and backward data ----
//
// Backward data is the same sum over diff_dst with inverted windows. With strides the pixels of a
// row are cut into phases by their remainders, so that products equal those of forward; with
// dilation, so that the taps of a phase hit neighbours. A deconvolution adds bias and attributes.

/// The most taps whose sums f32 surely holds, of products of a byte minus a zero point, which is at
/// most 255, and a signed byte.
constexpr dim_t most_integer_taps = (dim_t {1} << 24) / (dim_t {255} * 128);
/// The number of channels whose weights a kernel keeps as f32.
constexpr dim_t own_channels = 32;

/// The kernel of bytes, if the target has one, and the channels that it takes at a time.
struct bytes_kernel {
    depthwise_function run = nullptr;
    dim_t block = 1;
};
bytes_kernel bytes_kernel_of(isa target) {
    return kernel_for<byte_levels>(target, []<class Isa>() -> bytes_kernel {
        if constexpr (std::is_same_v<Isa, avx512_vnni>) return {depthwise_bytes<Isa>, 64};
        if constexpr (std::is_same_v<Isa, avx2_vnni>) return {depthwise_bytes<Isa>, 32};
        return {};
    });
}

class depthwise_convolution : public convolution_plan {
  public:
    explicit depthwise_convolution(problem &p)
        : convolution_plan(p), C_(shape_.G), asks_beyond_(has(p.target, isa::avx512) ? 16 : 4),
          run_(kernel_for<vector_levels>(p.target, []<class Isa> { return depthwise<Isa>; })) {
        auto &op = std::get<convolution_desc>(p.op);
        if (op.weights.is_any()) op.weights = depthwise_weights_layout(op.weights);
        prefer_channels_last(op.src, op.dst);
        default_layouts(p);
        const memory_desc &from = source(op), &to = result(op);

        const bool integer = is_int8(op.weights.dtype);
        if (integer) bytes_ = bytes_kernel_of(p.target);
        const epilogue_request request {
            &to, image_coordinates(to.ndims, true), to.dims[1], 1, 3, integer, &op.bias};
        why_not_ = epilogue_plan::refusal(p.attr, request);
        if (integer && taps() > most_integer_taps) why_not_ = "made for sums of bytes within f32";
        if (why_not_) return;
        epilogue_ = epilogue_plan(p.target, p.attr, p.scratchpad, request);
        adapt(p, with_dense_channels(from), depthwise_weights_layout(op.weights),
            with_dense_channels(to));
        if (why_not_) return;

        window_ = axes_of(shape_, forward_);
        phase_count_ = window_.w.divisor == 1
                           ? dilation_phases(window_.w)
                           : std::min(shape_.SW, std::max<dim_t>(window_.w.positions, 1));
        if (phase_count_ <= most_phases)
            for (const axis_phase &phase : phases_of(window_.w, phase_count_))
                phases_.emplace_back(phase);
        cut_into_items();
        segments_ = p.scratchpad.reserve<depthwise_segment>(threads_ * shape_.KW);
        lines_ = p.scratchpad.reserve<depthwise_line>(threads_ * rows_ * kernel_rows());
        row_args_ = p.scratchpad.reserve<depthwise_row_args>(threads_ * rows_);
        places_ = p.scratchpad.reserve<dim_t>(threads_ * taps());
        own_weights_ = p.scratchpad.reserve<f32>(threads_ * own_size());
        if (phase_count_ > 1 && epilogue_.varies_along_rows())
            finish_ = p.scratchpad.reserve<bound_epilogue>(threads_);
        if (!epilogue_.has_src_zero_point()) return;
        reference_ = zero_point_reference(p);
        why_not_ = reference_.why_not();
    }

    void execute(const exec_context &ctx) const override {
        bound_epilogue finish;
        epilogue_.bind(ctx, finish);
        if (epilogue_.has_src_zero_point() && !is_byte(src_.wanted().dtype, finish.src_zero_point))
            return reference_.execute(ctx);
        const execution e {begin(ctx), ctx, finish};
        const double work = double(std::min(share_, C_) * rows_ * to_.W) * double(taps() + 2);
        // Measured on a Zen 5 core, for 64 channels in L1: with AVX-512 45 (strides) to 150
        // products in a nanosecond, with AVX2 half as many. 100 ns list lines and copy weights.
        parallel_for(items(), 100 + work / 30, threads_, [&](int thread, dim_t begin, dim_t end) {
            for (dim_t item = begin; item < end; ++item) run_item(e, thread, item);
        });
        end(ctx);
    }

  private:
    struct execution : tensors {
        const exec_context &ctx;
        const bound_epilogue &finish;
    };

    /// Cuts the work into rows of an image, and into shares of channels where threads want items.
    void cut_into_items() {
        const dim_t images = shape_.MB * to_.D;
        const dim_t wanted =
            threads_ > 1 ? div_up(dim_t {4} * threads_, std::max<dim_t>(images, 1)) : 1;
        const dim_t shares = std::clamp<dim_t>(wanted, 1, std::max<dim_t>(C_ / 64, 1));
        share_ = round_up(div_up(C_, shares), 64);
        const dim_t bands =
            std::clamp<dim_t>(div_up(wanted, channel_shares()), 1, std::max<dim_t>(to_.H, 1));
        rows_ = std::clamp<dim_t>(
            enough_lines / kernel_rows(), 1, div_up(std::max<dim_t>(to_.H, 1), bands));
        threads_ = threads_for(items());
    }

    void run_item(const execution &e, int thread, dim_t item) const {
        const dim_t share = item % channel_shares(), band = item / channel_shares() % bands();
        const dim_t image = item / channel_shares() / bands();
        const dim_t c0 = share * share_, h0 = band * rows_;
        const memory_desc &weights = weights_.wanted();
        depthwise_args call {};
        call.type = src_.wanted().dtype;
        call.row_count = std::min(rows_, to_.H - h0);
        call.weights_block_bytes = weights.strides[0] * size_in_bytes(weights.dtype);
        call.weights = e.weights + c0 / depthwise_block * call.weights_block_bytes;
        call.own_weights = e.ctx.scratch(own_weights_) + thread * own_size();
        call.zero_point = e.finish.src_zero_point;
        call.channels = std::min(share_, C_ - c0);
        call.dst_step_bytes = phase_count_ * to_.w_bytes;
        call.finish = epilogue_.is_identity() ? nullptr : &e.finish.data;
        const dim_t position[position_rank] {image / to_.D, image % to_.D, h0, 0, c0};
        std::copy_n(position, position_rank, call.position);
        for (dim_t first = 0; first < phase_count_; ++first) {
            if (!phases_.empty())
                run_phase(e, thread, call, phases_[std::size_t(first)]);
            else
                run_phase(e, thread, call, row_phase(phase_of(window_.w, first, phase_count_)));
        }
    }

    void run_phase(
        const execution &e, int thread, depthwise_args call, const row_phase &phase) const {
        if (phase_count_ > 1 && epilogue_.varies_along_rows()) {
            bound_epilogue &own = e.ctx.scratch(finish_)[thread];
            take_rows(e.finish, phase.first, phase_count_, own);
            call.finish = &own.data;
        }
        const depthwise_row &row = phase.row;
        auto *places = e.ctx.scratch(places_) + thread * taps();
        auto *segments = e.ctx.scratch(segments_) + thread * shape_.KW;
        auto *lines = e.ctx.scratch(lines_) + thread * rows_ * kernel_rows();
        auto *rows = e.ctx.scratch(row_args_) + thread * rows_;
        for (dim_t k = 0; k < kernel_rows(); ++k)
            row.list_places(k * shape_.KW, places + k * row.taps());
        row.list_segments(from_.w_bytes, segments);
        call.places = places;
        call.taps = kernel_rows() * row.taps();
        call.width = row.width();
        call.stride = row.stride();
        call.source_step_bytes = row.source_step() * from_.w_bytes;
        call.segments = segments;
        call.wide = row.wide();
        call.single = row.single();
        call.pixels = phase.positions;
        // Measured: from memory up to 4 times faster; from L3 a Zen 3 core (which others disturb)
        // is a twentieth slower, a Zen 4 core a sixth.
        const auto l2_bytes = dim_t(caches().l2_bytes);
        const dim_t bytes = shape_.MB * (from_.n_bytes + to_.n_bytes);
        call.asks = bytes > asks_beyond_ * l2_bytes;
        call.streams = bytes > 16 * l2_bytes;
        call.strip = call.asks ? phase.positions : strip_of(row, phase.positions);
        call.lines = lines;
        call.rows = rows;
        const auto [mb, d, h0, w0, c0] = call.position;
        const char *image = e.src + mb * from_.n_bytes + c0 * from_.element_bytes;
        for (dim_t i = 0; i < call.row_count; ++i) {
            const dim_t h = h0 + i;
            rows[i].dst = e.dst + to_.bytes_at(mb, 0, d, h, phase.first) + c0 * to_.element_bytes;
            rows[i].line_count = list_lines(lines, image, d, h, row.taps());
            rows[i].position[0] = d;
            rows[i].position[1] = h;
            lines += rows[i].line_count;
        }
        run_channels(call);
    }

    /// Returns the pixels of a strip, whose lines stay in L1 from row to row for as many channels
    /// as a kernel takes. All pixels are one strip where strips would be short against the window,
    /// because neighbours share its edges.
    dim_t strip_of(const depthwise_row &row, dim_t pixels) const {
        const dim_t pixel_bytes =
            own_channels * from_.element_bytes * (kernel_rows() * row.stride() + 1);
        const dim_t fitting = dim_t(caches().l1_bytes) * 2 / 3 / pixel_bytes;
        const dim_t strip =
            div_up(pixels, std::max<dim_t>(div_up(pixels, std::max<dim_t>(fitting, 1)), 1));
        return strip >= 8 * shape_.KW ? strip : std::max<dim_t>(pixels, 1);
    }

    /// Computes channels; the last ones, up to half a block, as f32: faster on a Zen 5 core.
    void run_channels(depthwise_args call) const {
        const dim_t rest = call.channels % bytes_.block, all = call.channels;
        if (!bytes_.run) return run_(call);
        if (2 * rest <= bytes_.block) call.channels -= rest;
        if (call.channels > 0) bytes_.run(call);
        if (call.channels == all) return;
        call.first_channel = call.channels;
        call.channels = all;
        run_(call);
    }

    /// Lists the lines that row (d, h) of the result hits and returns their number. row_taps: the
    /// taps of a row of the window.
    dim_t list_lines(depthwise_line *to, const char *from, dim_t d, dim_t h, dim_t row_taps) const {
        const tap_hits depth = window_.d.hits(d), height = window_.h.hits(h);
        for (dim_t i = 0; i < depth.count; ++i)
            for (dim_t j = 0; j < height.count; ++j, ++to) {
                to->source = from + (depth.index + i * depth.index_step) * from_.d_bytes +
                             (height.index + j * height.index_step) * from_.h_bytes;
                to->tap = ((depth.tap + i * depth.tap_step) * shape_.KH + height.tap +
                              j * height.tap_step) *
                          row_taps;
            }
        return depth.count * height.count;
    }

    dim_t kernel_rows() const { return shape_.KD * shape_.KH; }
    dim_t taps() const { return shape_.KD * shape_.KH * shape_.KW; }
    dim_t own_size() const {
        return std::max(round_up(kernel_rows(), 4) * shape_.KW * own_channels,
            taps() > 9 ? 0 : taps() * std::min(C_, depthwise_most_channels));
    }
    dim_t channel_shares() const { return div_up(C_, share_); }
    dim_t bands() const { return div_up(to_.H, rows_); }
    dim_t items() const { return shape_.MB * to_.D * bands() * channel_shares(); }

    dim_t C_;           ///< channels
    dim_t asks_beyond_; ///< so many times the bytes of L2
    epilogue_plan epilogue_;
    /// For a zero point outside the range of the type of src, whose differences are larger.
    zero_point_reference reference_;
    depthwise_function run_ = nullptr;
    bytes_kernel bytes_;
    window_axes window_ {};
    dim_t phase_count_ = 1;
    std::vector<row_phase> phases_; ///< none where they are too many to be kept
    dim_t share_ = 64, rows_ = 1;   ///< channels and rows of one item
    scratch_slot<depthwise_segment> segments_;
    scratch_slot<depthwise_line> lines_;
    scratch_slot<depthwise_row_args> row_args_;
    scratch_slot<dim_t> places_;
    scratch_slot<f32> own_weights_;
    scratch_slot<bound_epilogue> finish_; ///< of the phase that a thread works on
};

} // namespace

planned make_depthwise_convolution(problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (op.prop == dnnl_backward_weights) return another_direction;
    if (const char *reason = depthwise_refusal(op)) return reason;
    const memory_desc &from = is_forward(op.prop) ? op.src : op.dst;
    const memory_desc &to = is_forward(op.prop) ? op.dst : op.src;
    if (const char *reason = gemm_types_refusal(p.target, from.dtype, op.weights.dtype))
        return reason;
    const data_type weights = is_int8(from.dtype) ? data_type::s8 : from.dtype;
    if (op.weights.dtype != weights) return "the types of the operands are not supported";
    if (!is_common(to.dtype)) return "the type of the result is not supported";
    return try_plan<depthwise_convolution>(p);
}

} // namespace dnnl::impl::cpu
