// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution forward and backward data (one input and one output channel per group).
// Rows of the result are cut into runs of pixels whose windows hit the same taps; one kernel call
// computes a run. Backward data is the same sum over diff_dst with inverted tables: with strides
// its runs are the phases of the position, so that products equal those of forward. Inside a
// deconvolution it has bias and attributes.
#include <algorithm>

#include "common/descriptors/problem.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/convolution/convolution_plan.hpp"
#include "cpu/cpu.hpp"
#include "cpu/epilogue/epilogue.hpp"
#include "cpu/gemm/gemm_types.hpp"
#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/window/image_view.hpp"
#include "cpu/window/tap_axis.hpp"

namespace dnnl::impl::cpu {

namespace {

class depthwise_convolution : public convolution_plan {
  public:
    explicit depthwise_convolution(problem &p);
    void execute(const exec_context &ctx) const override;

  private:
    /// The taps of one run, as a kernel call takes them; `count` of them so far.
    struct tap_list {
        const void **sources;
        dim_t *steps;
        dim_t *places;
        dim_t count;
    };
    struct execution {
        const char *src, *weights;
        char *dst;
        const char *padding; ///< a pixel outside the source
        const epilogue *finish;
        tap_list lists; ///< of thread 0
    };
    void list_line(tap_list &list, const char *line, const position_run &run, dim_t kd, dim_t kh,
        const char *padding) const;
    void list_window(tap_list &list, const char *image, const position_run &run, dim_t d, dim_t h,
        const char *padding) const;
    void run_row(const execution &e, int thread, dim_t row, dim_t share) const;
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
    image_view from_ {}, to_ {};
    dim_t group_ = 1; ///< taps that lie together in weights
    dim_t share_ = 0; ///< channels of one item
    scratch_slot<const void *> sources_;
    scratch_slot<dim_t> steps_, places_;
    scratch_slot<char> padding_;
    scratch_slot<s32> compensation_;
};

depthwise_convolution::depthwise_convolution(problem &p)
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
    // A run has every pixel of a row, unless nothing depends on the pixel: then backward data may
    // make runs of the pixels that are a stride from each other.
    runs_ = {window_.w, forward_ || epilogue_.varies_along_rows() ? 1 : shape_.SW};
    from_ = view_of(src_.wanted());
    to_ = view_of(dst_.wanted());
    const dim_t rows = std::max<dim_t>(shape_.MB * to_.D * to_.H, 1);
    const dim_t splits =
        threads_ > 1 ? std::clamp<dim_t>(div_up(4 * threads_, rows), 1, div_up(C_, 64)) : 1;
    share_ = round_up(div_up(C_, splits), 64);
    threads_ = threads_for(items());
    sources_ = p.scratchpad.reserve<const void *>(threads_ * list_size());
    steps_ = p.scratchpad.reserve<dim_t>(threads_ * list_size());
    places_ = p.scratchpad.reserve<dim_t>(threads_ * list_size());
    if (integer) padding_ = p.scratchpad.reserve<char>(C_);
    if (!zero_point) return;
    compensation_ = p.scratchpad.reserve<s32>(C_);
    reference_ = nested_plan(p, op, p.attr, isa::none);
    if (!reference_) why_not_ = reference_.why_not();
}

/// The taps of one kernel row. line: the image row that they hit, null: none. Integers come
/// in whole groups, where taps outside the source read the padding.
void depthwise_convolution::list_line(tap_list &list, const char *line, const position_run &run,
    dim_t kd, dim_t kh, const char *padding) const {
    const tap_hits &hits = run.hits;
    const dim_t step = run.source_step * from_.w, row = kd * shape_.KH + kh;
    if (group_ == 1) {
        const char *source = line + hits.index * from_.w;
        dim_t place = row * shape_.KW + hits.tap;
        for (dim_t i = 0; i < hits.count; ++i, place += hits.tap_step) {
            list.sources[list.count] = source + i * hits.index_step * from_.w;
            list.steps[list.count] = step;
            list.places[list.count++] = place;
        }
        return;
    }
    const dim_t groups = div_up(shape_.KW, group_);
    const dim_t first = list.count * group_;
    std::fill_n(list.sources + first, groups * group_, padding);
    std::fill_n(list.steps + first, groups * group_, dim_t {0});
    for (dim_t g = 0; g < groups; ++g) list.places[list.count++] = row * groups + g;
    for (dim_t i = 0; line && i < hits.count; ++i) {
        const dim_t at = first + hits.tap + i * hits.tap_step;
        list.sources[at] = line + (hits.index + i * hits.index_step) * from_.w;
        list.steps[at] = step;
    }
}

/// The window of the run's first pixel in row (d, h). Kernel rows outside the source are left out
/// unless their zero points count.
void depthwise_convolution::list_window(tap_list &list, const char *image, const position_run &run,
    dim_t d, dim_t h, const char *padding) const {
    list.count = 0;
    const bool whole = epilogue_.has_src_zero_point();
    for (dim_t kd = 0; kd < shape_.KD; ++kd)
        for (dim_t kh = 0; kh < shape_.KH; ++kh) {
            const dim_t id = window_.d.at(d, kd), ih = window_.h.at(h, kh);
            const bool inside = id >= 0 && ih >= 0;
            if (!inside && !whole) continue;
            const char *line = inside ? image + id * from_.d + ih * from_.h : nullptr;
            list_line(list, line, run, kd, kh, padding);
        }
}

/// The channels of one share in one row of the result.
void depthwise_convolution::run_row(const execution &e, int thread, dim_t row, dim_t share) const {
    const dim_t h = row % to_.H, d = row / to_.H % to_.D, mb = row / to_.H / to_.D;
    const dim_t c0 = share * share_;
    const memory_desc &weights = weights_.wanted();
    tap_list list = e.lists;
    list.sources += thread * list_size();
    list.steps += thread * list_size();
    list.places += thread * list_size();

    depthwise_args call {};
    call.type = src_.wanted().dtype;
    call.taps = list.sources;
    call.steps = list.steps;
    call.places = list.places;
    call.weights_block = weights.strides[0] * static_cast<dim_t>(size_of(weights.dtype));
    call.weights = e.weights + c0 / depthwise_block(group_ > 1) * call.weights_block;
    call.channels = std::min(share_, C_ - c0);
    call.finish = epilogue_.is_identity() ? nullptr : e.finish;
    const char *image = e.src + mb * from_.n + c0 * from_.bytes;
    const char *padding = moved(e.padding, c0);
    runs_.for_each([&](const position_run &run) {
        list_window(list, image, run, d, h, padding);
        call.count = list.count;
        call.pixels = run.count;
        call.dst = e.dst + to_.at(mb, 0, d, h, run.first) + c0 * to_.bytes;
        call.dst_step = run.step * to_.w;
        const dim_t position[position_rank] {mb, d, h, run.first, c0};
        std::copy_n(position, position_rank, call.position);
        run_(call);
    });
}

void depthwise_convolution::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    const tensors first = begin(ctx);
    execution e {first.src, first.weights, first.dst, nullptr, &finish.data,
        {ctx.scratch(sources_), ctx.scratch(steps_), ctx.scratch(places_), 0}};
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
        scale_column_sums(zero_point, sums, C_, compensation);
        finish.data.compensation = compensation;
    }
    const dim_t shares = channel_shares();
    const double products = static_cast<double>(std::min(share_, C_) * to_.W) *
                            static_cast<double>(shape_.KD * shape_.KH * shape_.KW + 2);
    parallel_for(items(), 50 + products / 30, threads_, [&](int thread, dim_t begin, dim_t end) {
        for (dim_t item = begin; item < end; ++item)
            run_row(e, thread, item / shares, item % shares);
    });
    end(ctx);
}

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
