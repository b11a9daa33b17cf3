// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution (one input and one output channel per group). Rows of positions are cut
// into runs whose windows hit the same taps; one kernel call takes a run.
#include <algorithm>

#include "common/descriptors/problem.hpp"
#include "cpu/convolution/convolution.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/window/position_runs.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Null when every group has one input and one output channel, else the reason.
const char *depthwise_refusal(const convolution_desc &op) {
    const convolution_shape s = shape_of(op);
    if (!s.has_groups || s.IC != 1 || s.OC != 1)
        return "groups do not have one input and one output channel each";
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    return nullptr;
}

/// Weights (G, 1, 1, spatial...) as the kernels of depthwise convolution read them.
memory_desc depthwise_weights_layout(memory_desc md) {
    const bool integer = is_int8(md.dtype);
    const inner_block blocks[] {
        {0, depthwise_block(integer)}, {md.ndims - 1, depthwise_tap_group(integer)}};
    return weights_in_order(md, true, 1, 2, std::span<const inner_block>(blocks, integer ? 2 : 1));
}

// ---- Forward and backward data ----
//
// Backward data is the same sum over diff_dst with inverted windows: with strides its runs are the
// phases of the position, so that products equal those of forward. Inside a deconvolution it has
// bias and attributes.

constexpr dim_t whole_group = depthwise_tap_group(true);

class depthwise_convolution : public convolution_plan {
  public:
    explicit depthwise_convolution(problem &p)
        : convolution_plan(p), C_(shape_.G),
          run_(kernel_for<byte_levels>(p.target, []<class Isa> { return depthwise<Isa>; })) {
        auto &op = std::get<convolution_desc>(p.op);
        const bool zero_point = p.attr.zero_points.find(DNNL_ARG_SRC) != nullptr;
        memory_desc wanted_weights = depthwise_weights_layout(op.weights);
        wanted_weights.column_sums_mask = zero_point ? 3 : 0;
        if (op.weights.is_any()) op.weights = wanted_weights;
        prefer_channels_last(op.src, op.dst);
        default_layouts(p);
        const memory_desc &from = source(op), &to = result(op);

        const bool integer = is_int8(op.weights.dtype);
        const epilogue_request request {
            &to, image_coordinates(to.ndims, true), to.dims[1], 1, 3, integer, &op.bias};
        why_not_ = epilogue_plan::refusal(p.attr, request);
        if (why_not_) return;
        epilogue_ = epilogue_plan(p.target, p.attr, p.scratchpad, request);
        adapt(p, with_dense_channels(from), wanted_weights, with_dense_channels(to));
        if (why_not_) return;

        group_ = depthwise_tap_group(integer);
        window_ = axes_of(shape_, forward_);
        // A run has every pixel of a row, unless nothing depends on the pixel: then backward data
        // may make runs of the pixels that are a stride from each other.
        runs_ = {window_.w, forward_ || epilogue_.varies_along_rows() ? 1 : shape_.SW};
        const dim_t rows = std::max<dim_t>(shape_.MB * to_.D * to_.H, 1);
        const dim_t splits =
            threads_ > 1 ? std::clamp<dim_t>(div_up(dim_t {4} * threads_, rows), 1, div_up(C_, 64))
                         : 1;
        share_ = round_up(div_up(C_, splits), 64);
        threads_ = threads_for(items());
        taps_ = p.scratchpad.reserve<depthwise_tap>(threads_ * list_size());
        if (integer) padding_ = p.scratchpad.reserve<char>(C_);
        if (!zero_point) return;
        compensation_ = p.scratchpad.reserve<s32>(C_);
        reference_ = nested_plan(p, op, p.attr, isa::none);
        why_not_ = reference_.why_not();
    }

    void execute(const exec_context &ctx) const override {
        bound_epilogue finish;
        epilogue_.bind(ctx, finish);
        const tensors first = begin(ctx);
        execution e {
            first.src, first.weights, first.dst, nullptr, &finish.data, ctx.scratch(taps_)};
        const s32 zero_point = finish.src_zero_point;
        if (group_ > 1) {
            if (!is_byte(src_.wanted().dtype, zero_point))
                return reference_.execute(ctx, ctx.arguments());
            char *padding = ctx.scratch(padding_);
            std::fill_n(padding, C_, static_cast<char>(zero_point));
            e.padding = padding;
        }
        if (epilogue_.has_src_zero_point()) {
            s32 *compensation = ctx.scratch(compensation_);
            const auto *sums =
                reinterpret_cast<const s32 *>(e.weights + weights_.wanted().elements_bytes());
            for (dim_t c = 0; c < C_; ++c)
                compensation[c] = compensation_of<s32>(zero_point, sums[c]);
            finish.data.compensation = compensation;
        }
        const dim_t shares = channel_shares();
        const double products = static_cast<double>(std::min(share_, C_) * to_.W) *
                                static_cast<double>(shape_.KD * shape_.KH * shape_.KW + 2);
        // Measured on a Zen 5 core, for 64 channels in L1: 20 ns for a call and 60 to 77 products
        // in a nanosecond with AVX-512, 75 ns and 30 to 38 with AVX2.
        parallel_for(
            items(), 50 + products / 30, threads_, [&](int thread, dim_t begin, dim_t end) {
                for (dim_t item = begin; item < end; ++item)
                    run_row(e, thread, item / shares, item % shares);
            });
        end(ctx);
    }

  private:
    struct execution {
        const char *src, *weights;
        char *dst;
        const char *padding; ///< a pixel outside the source
        const epilogue *finish;
        depthwise_tap *taps; ///< of thread 0
    };

    /// Lists the taps of one kernel row and returns their number. image_row: the row that they hit,
    /// null where it lies outside the source. Integers come in whole groups, where taps outside the
    /// source read the padding.
    dim_t list_row(depthwise_tap *taps, const char *image_row, const position_run &run,
        dim_t kernel_row, const char *padding) const {
        const tap_hits &hits = run.hits;
        const dim_t step_bytes = run.source_step * from_.w_bytes,
                    index_bytes = hits.index_step * from_.w_bytes;
        const char *source = moved(image_row, hits.index * from_.w_bytes);
        if (group_ == 1) {
            dim_t place = kernel_row * shape_.KW + hits.tap;
            for (dim_t i = 0; i < hits.count; ++i, source += index_bytes, place += hits.tap_step)
                taps[i] = {source, step_bytes, place};
            return hits.count;
        }
        const dim_t row_taps = round_up(shape_.KW, whole_group);
        for (dim_t tap = 0; tap < row_taps; ++tap)
            taps[tap] = {padding, 0, (kernel_row * row_taps + tap) / whole_group};
        for (dim_t i = 0; image_row && i < hits.count; ++i, source += index_bytes) {
            depthwise_tap &tap = taps[hits.tap + i * hits.tap_step];
            tap.source = source;
            tap.step_bytes = step_bytes;
        }
        return row_taps;
    }

    /// Lists the window of the run's first pixel in row (d, h). Kernel rows outside the source are
    /// left out unless their zero points count.
    dim_t list_window(depthwise_tap *taps, const char *image, const position_run &run, dim_t d,
        dim_t h, const char *padding) const {
        dim_t count = 0;
        for (dim_t kd = 0; kd < shape_.KD; ++kd)
            for (dim_t kh = 0; kh < shape_.KH; ++kh) {
                const dim_t id = window_.d.at(d, kd), ih = window_.h.at(h, kh);
                const bool inside = id >= 0 && ih >= 0;
                if (inside || epilogue_.has_src_zero_point())
                    count += list_row(taps + count,
                        inside ? image + id * from_.d_bytes + ih * from_.h_bytes : nullptr, run,
                        kd * shape_.KH + kh, padding);
            }
        return count;
    }

    /// The channels of one share in one row of the result.
    void run_row(const execution &e, int thread, dim_t row, dim_t share) const {
        const dim_t h = row % to_.H, d = row / to_.H % to_.D, mb = row / to_.H / to_.D;
        const dim_t c0 = share * share_;
        const memory_desc &weights = weights_.wanted();
        depthwise_tap *taps = e.taps + thread * list_size();
        depthwise_args call {};
        call.type = src_.wanted().dtype;
        call.taps = taps;
        call.weights_block_bytes = weights.strides[0] * size_in_bytes(weights.dtype);
        call.weights = e.weights + c0 / depthwise_block(group_ > 1) * call.weights_block_bytes;
        call.channels = std::min(share_, C_ - c0);
        call.finish = epilogue_.is_identity() ? nullptr : e.finish;
        const char *image = e.src + mb * from_.n_bytes + c0 * from_.element_bytes;
        const char *padding = moved(e.padding, c0);
        runs_.for_each([&](const position_run &run) {
            call.count = list_window(taps, image, run, d, h, padding);
            if (group_ > 1) call.count /= whole_group;
            call.pixels = run.count;
            call.dst = e.dst + to_.bytes_at(mb, 0, d, h, run.first) + c0 * to_.element_bytes;
            call.dst_step_bytes = run.step * to_.w_bytes;
            const dim_t position[position_rank] {mb, d, h, run.first, c0};
            std::copy_n(position, position_rank, call.position);
            run_(call);
        });
    }

    /// Entries of the longest list: all taps, kernel rows in whole groups.
    dim_t list_size() const { return shape_.KD * shape_.KH * round_up(shape_.KW, group_); }

    dim_t channel_shares() const { return div_up(C_, share_); }
    dim_t items() const { return shape_.MB * to_.D * to_.H * channel_shares(); }

    dim_t C_; ///< channels
    epilogue_plan epilogue_;
    /// For a zero point outside the range of the type of src: a padding pixel cannot hold it.
    nested_plan reference_;
    depthwise_function run_ = nullptr;
    window_axes window_ {};
    position_runs runs_; ///< of a row of the result
    dim_t group_ = 1;    ///< taps that lie together in weights
    dim_t share_ = 0;    ///< channels of one item
    scratch_slot<depthwise_tap> taps_;
    scratch_slot<char> padding_;
    scratch_slot<s32> compensation_;
};

// ---- Backward weights: for each channel and tap the sum over pixels of src * diff_dst ----
//
// A kernel call adds a run to the sums of a kernel row.

constexpr dim_t block = depthwise_block(false);
/// Channels of one item: their sums and the rows of both sources stay close.
constexpr dim_t share = 64;

class depthwise_convolution_weights : public weights_gradient_plan {
  public:
    explicit depthwise_convolution_weights(problem &p)
        : weights_gradient_plan(p), run_(kernel_for<vector_levels>(p.target,
                                        []<class Isa> { return depthwise_weights<Isa>; })),
          window_(axes_of(shape_, true)), runs_(window_.w, 1) {
        auto &op = std::get<convolution_desc>(p.op);
        if (op.weights.is_any()) op.weights = depthwise_weights_layout(op.weights);
        prefer_channels_last(op.src, op.dst);
        default_layouts(p);
        memory_desc sums = op.weights;
        sums.dtype = data_type::f32;
        adapt(p, with_dense_channels(op.src), depthwise_weights_layout(sums),
            with_dense_channels(op.dst));
        if (why_not_) return;

        const convolution_shape &s = shape_;
        const dim_t channels = round_up(s.G, block);
        choose_chunks(channels * taps(), rows() * s.OW, std::clamp<dim_t>(rows(), 1, 8));
        threads_ = threads_for(items());
        taps_ = p.scratchpad.reserve<depthwise_tap>(threads_ * s.KW);
        reserve_sums(p, channels);
    }

    void execute(const exec_context &ctx) const override {
        const tensors first = begin(ctx);
        const execution e {first.src, first.dst, sums_of(ctx, first), ctx.scratch(taps_)};
        const double products = static_cast<double>(rows() * shape_.OW) /
                                static_cast<double>(chunks_) * static_cast<double>(taps() * share);
        // Measured on a Zen 5 core, for 64 channels in L1: 54 to 83 products in a nanosecond with
        // AVX-512, 27 to 40 with AVX2. 100 ns clear the sums.
        parallel_for(
            items(), 100 + products / 30, threads_, [&](int thread, dim_t begin, dim_t end) {
                for (dim_t item = begin; item < end; ++item) add_rows(e, thread, item);
            });
        store(ctx, e.sums);
    }

  private:
    struct execution {
        const char *src, *diff_dst;
        all_sums sums;       ///< of the bias [padded channel]
        depthwise_tap *taps; ///< of thread 0
    };

    /// One share of channels in one chunk of rows.
    void add_rows(const execution &e, int thread, dim_t item) const {
        const dim_t shares = div_up(shape_.G, share);
        const dim_t c0 = item % shares * share, chunk = item / shares;
        const dim_t chunk_size = div_up(rows(), chunks_);
        depthwise_weights_args call {};
        call.type = src_.wanted().dtype;
        call.channels = std::min(share, shape_.G - c0);
        call.diff_dst_step_bytes = to_.w_bytes;
        call.sums_block = taps() * block;
        const dim_t first = c0 / block * call.sums_block;
        const dim_t count = round_up(call.channels, block);
        call.sums = e.sums.weights.of(chunk) + first;
        std::fill_n(call.sums, count * taps(), 0.0f);
        if (e.sums.bias.first) {
            call.bias_sums = e.sums.bias.of(chunk) + c0;
            std::fill_n(call.bias_sums, count, 0.0f);
        }
        const dim_t last = std::min(rows(), (chunk + 1) * chunk_size);
        for (dim_t row = chunk * chunk_size; row < last; ++row) add_row(e, thread, call, row, c0);
    }

    /// One row of diff_dst, for the channels from c0 on.
    void add_row(
        const execution &e, int thread, depthwise_weights_args call, dim_t row, dim_t c0) const {
        const dim_t oh = row % shape_.OH, od = row / shape_.OH % shape_.OD,
                    mb = row / shape_.OH / shape_.OD;
        const dim_t c0_bytes = c0 * from_.element_bytes;
        depthwise_tap *taps = e.taps + thread * shape_.KW;
        f32 *bias_sums = call.bias_sums;
        call.taps = taps;
        const tap_hits d = window_.d.hits(od), h = window_.h.hits(oh);
        runs_.for_each([&](const position_run &run) {
            call.pixels = run.count;
            call.diff_dst = e.diff_dst + to_.bytes_at(mb, 0, od, oh, run.first) + c0_bytes;
            call.bias_sums = bias_sums;
            call.count = 0;
            if (bias_sums) run_(call);
            call.bias_sums = nullptr;
            for (dim_t i = 0; i < d.count; ++i)
                for (dim_t j = 0; j < h.count; ++j) {
                    const char *first = e.src + c0_bytes +
                                        from_.bytes_at(mb, 0, d.index + i * d.index_step,
                                            h.index + j * h.index_step, run.hits.index);
                    const dim_t place =
                        ((d.tap + i) * shape_.KH + h.tap + j) * shape_.KW + run.hits.tap;
                    for (call.count = 0; call.count < run.hits.count; ++call.count)
                        taps[call.count] = {
                            first + call.count * run.hits.index_step * from_.w_bytes,
                            run.source_step * from_.w_bytes, place + call.count};
                    run_(call);
                }
        });
    }

    dim_t rows() const { return shape_.MB * shape_.OD * shape_.OH; }
    dim_t taps() const { return shape_.KD * shape_.KH * shape_.KW; }
    dim_t items() const { return div_up(shape_.G, share) * chunks_; }

    depthwise_weights_function run_ = nullptr;
    window_axes window_;
    position_runs runs_; ///< of a row of diff_dst
    scratch_slot<depthwise_tap> taps_;
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

planned make_depthwise_convolution_weights(problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (op.prop != dnnl_backward_weights) return another_direction;
    if (const char *reason = depthwise_refusal(op)) return reason;
    if (const char *reason = weights_gradient_refusal(p)) return reason;
    return try_plan<depthwise_convolution_weights>(p);
}

} // namespace dnnl::impl::cpu
