// SPDX-License-Identifier: Apache-2.0
// Convolution forward with few output channels. Pixels are the columns of the products, so that
// they fill vectors: a line of the source is transposed once, to channels x pixels, and multiplied
// by the taps of all kernel rows and output channels at once. Each kernel row adds to the sums of a
// line of the result of its own, which is finished when its last source line is done.
#include <algorithm>
#include <array>
#include <cstring>

#include "common/runtime/isa.hpp"
#include "cpu/convolution/convolution.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/movement/movement.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Pixels of a line that a block has at most, and those that are transposed or finished together.
constexpr dim_t most_pixels = 512, tile = 64;

/// Weights [kw][ic][kh][oc] of f32: columns of the left operand, one after the other.
memory_desc weights_layout(const memory_desc &md, bool has_groups) {
    const int oc = has_groups, ic = oc + 1, w = md.ndims - 1;
    std::array<int, max_ndims> order {};
    std::size_t count = 0;
    if (has_groups) order[count++] = 0;
    order[count++] = w;
    order[count++] = ic;
    for (int d = ic + 1; d < w; ++d) order[count++] = d;
    order[count++] = oc;
    memory_desc wanted = md;
    wanted.offset0 = 0;
    set_blocked_layout(wanted, std::span<const int>(order.data(), count), {});
    return wanted;
}

class few_outputs_convolution : public convolution_plan {
  public:
    explicit few_outputs_convolution(problem &p);
    void execute(const exec_context &ctx) const override;

  private:
    struct execution {
        const char *src, *weights;
        char *dst;
        const epilogue *finish;
        char *pixels; ///< of a thread from here on: a line [ic][line_stride_]
        f32 *sums;    ///< [line of the block, the last one first][oc][block_pixels_]
        f32 *rows;    ///< [tile][oc]: sums that are finished
    };
    /// Lines [line, line + lines) of a plane and their pixels [pixel, pixel + pixels).
    struct block {
        dim_t mb, d, line, lines, pixel, pixels;
    };
    void choose_blocks();
    block cut(dim_t item) const;
    void run_block(const execution &e, const block &b) const;
    void clear_edges(const execution &e, const block &b) const;
    void transpose_line(const execution &e, const block &b, dim_t ih) const;
    void multiply_line(const execution &e, const block &b, dim_t ih) const;
    void finish_line(const execution &e, const block &b, dim_t line) const;

    /// Pixels of the source line, padding included, that those of the block touch.
    dim_t touched(dim_t pixels) const { return pixels + (shape_.KW - 1) * (shape_.DW + 1); }
    /// Of them, those inside the image: from `begin` to before `end`.
    struct range {
        dim_t begin, end;
    };
    range inside(const block &b) const {
        const dim_t first = window_.w.origin + b.pixel, count = touched(b.pixels);
        const dim_t begin = std::clamp<dim_t>(-first, 0, count);
        return {begin, std::clamp<dim_t>(from_.W - first, begin, count)};
    }
    dim_t items() const {
        return shape_.MB * to_.D * div_up(to_.H, block_lines_) * div_up(to_.W, block_pixels_);
    }
    f32 *sums_of(const execution &e, const block &b, dim_t line) const {
        return e.sums + (b.line + b.lines - 1 - line) * shape_.OC * block_pixels_;
    }

    dim_t vector_;
    epilogue_plan epilogue_;
    gemm_kernel kernel_;
    decltype(&copy_tile<avx2>) copy_;
    decltype(&common_rows<avx2>) common_;
    decltype(&epilogue_rows<avx2>) finish_;
    window_axes window_ {};
    bool flat_ = false; ///< a row of the epilogue is any pixel
    dim_t block_lines_ = 1, block_pixels_ = 1, line_stride_ = 0;
    scratch_slot<char> pixels_;
    scratch_slot<f32> sums_, rows_;
};

few_outputs_convolution::few_outputs_convolution(problem &p)
    : convolution_plan(p), vector_(has(p.target, isa::avx512) ? 16 : 8),
      kernel_(select_strided_gemm(p.target)),
      copy_(kernel_for<vector_levels>(p.target, []<class Isa> { return copy_tile<Isa>; })),
      common_(kernel_for<vector_levels>(p.target, []<class Isa> { return common_rows<Isa>; })),
      finish_(kernel_for<vector_levels>(p.target, []<class Isa> { return epilogue_rows<Isa>; })),
      window_(axes_of(shape_, true)) {
    auto &op = std::get<convolution_desc>(p.op);
    memory_desc wanted = weights_layout(op.weights, shape_.has_groups);
    if (op.weights.is_any()) op.weights = wanted;
    wanted.dtype = data_type::f32;
    prefer_channels_last(op.src, op.dst);
    default_layouts(p);
    flat_ = uniform(p, op.dst, flat_coordinates(op.dst.ndims));
    epilogue_request request {&op.dst,
        flat_ ? flat_coordinates(op.dst.ndims) : image_coordinates(op.dst.ndims, true),
        op.dst.dims[1], 1, shape_.has_groups ? 3 : 1, false, &op.bias};
    request.random = true;
    why_not_ = epilogue_plan::refusal(p.attr, request);
    if (why_not_) return;
    epilogue_ = epilogue_plan(p.target, p.attr, p.scratchpad, request);
    adapt(p, with_dense_channels(op.src), wanted, with_dense_channels(op.dst));
    if (why_not_) return;

    choose_blocks();
    if (line_stride_ > static_cast<dim_t>(caches().l2_bytes) / (shape_.IC * dim_t {sizeof(f32)})) {
        why_not_ = "a piece of a line does not fit L2";
        return;
    }
    threads_ = threads_for(items());
    const dim_t line_bytes = shape_.IC * line_stride_ * dim_t {sizeof(f32)};
    pixels_ = p.scratchpad.reserve<char>(threads_ * line_bytes);
    sums_ = p.scratchpad.reserve<f32>(threads_ * block_lines_ * shape_.OC * block_pixels_);
    rows_ = p.scratchpad.reserve<f32>(threads_ * tile * shape_.OC);
}

/// The line takes half of L2, the sums of the block a quarter, which several threads share evenly.
void few_outputs_convolution::choose_blocks() {
    const auto l2 = static_cast<dim_t>(caches().l2_bytes) / dim_t {sizeof(f32)};
    const dim_t width = std::max<dim_t>(to_.W, 1), height = std::max<dim_t>(to_.H, 1);
    const dim_t fitting = std::clamp(l2 / 2 / std::max<dim_t>(shape_.IC, 1), tile, most_pixels);
    block_pixels_ = round_up(div_up(width, div_up(width, fitting)), vector_);
    // An odd number of cache lines: the channels of a pixel are in different sets of L1.
    line_stride_ = round_up(touched(block_pixels_), 16) | 16;
    block_lines_ = std::clamp(l2 / 4 / (shape_.OC * block_pixels_), dim_t {1}, height);
    while (threads_ > 1 && items() < 4 * threads_ && block_lines_ > 2 * shape_.KH)
        block_lines_ = div_up(block_lines_, 2);
    block_lines_ = div_up(height, div_up(height, block_lines_));
}

few_outputs_convolution::block few_outputs_convolution::cut(dim_t item) const {
    const dim_t pieces = div_up(to_.W, block_pixels_), blocks = div_up(to_.H, block_lines_);
    const dim_t pixel = item % pieces * block_pixels_, line = item / pieces % blocks * block_lines_;
    const dim_t plane = item / pieces / blocks;
    return {plane / to_.D, plane % to_.D, line, std::min(block_lines_, to_.H - line), pixel,
        std::min(block_pixels_, to_.W - pixel)};
}

/// Zeros beside the image; and after it, for the vectors that the kernel reads.
void few_outputs_convolution::clear_edges(const execution &e, const block &b) const {
    const range in = inside(b);
    const dim_t bytes = sizeof(f32);
    for (dim_t c = 0; c < shape_.IC; ++c) {
        char *line = e.pixels + c * line_stride_ * bytes;
        std::memset(line, 0, static_cast<std::size_t>(in.begin * bytes));
        std::memset(
            line + in.end * bytes, 0, static_cast<std::size_t>((line_stride_ - in.end) * bytes));
    }
}

void few_outputs_convolution::transpose_line(const execution &e, const block &b, dim_t ih) const {
    const auto [begin, end] = inside(b);
    const dim_t id = window_.d.at(b.d, 0), iw = window_.w.origin + b.pixel;
    const data_type type = src_.wanted().dtype;
    const bool whole = type == data_type::f32;
    copy_tile_args a {};
    a.src_row = a.dst_column = 1;
    a.src_column = from_.w_bytes / from_.element_bytes;
    a.dst_row = line_stride_;
    a.src_type = type;
    a.dst_type = data_type::f32;
    const dim_t rows = whole ? shape_.IC : tile, columns = whole ? end - begin : tile;
    for (dim_t c = 0; c < shape_.IC; c += rows)
        for (dim_t x = begin; x < end; x += columns) {
            a.rows = std::min(rows, shape_.IC - c);
            a.columns = std::min(columns, end - x);
            a.src = e.src + from_.bytes_at(b.mb, 0, id, ih, iw + x) + c * from_.element_bytes;
            a.dst = reinterpret_cast<f32 *>(e.pixels) + c * line_stride_ + x;
            copy_(a);
        }
}

/// Kernel row kh of source line ih belongs to the line ih - origin - kh of the result: those of the
/// block follow each other, and so do their sums.
void few_outputs_convolution::multiply_line(const execution &e, const block &b, dim_t ih) const {
    const convolution_shape &s = shape_;
    const dim_t last = ih - window_.h.origin; // the line that begins with ih
    const dim_t first_kh = std::max<dim_t>(last - (b.line + b.lines - 1), 0);
    const dim_t end_kh = std::min(last - b.line + 1, s.KH);
    const dim_t bytes = sizeof(f32), rows = s.KH * s.OC;
    std::array<dim_t, 64> offsets; // of as many taps as are multiplied at once
    gemm_block_args g {};
    g.m = (end_kh - first_kh) * s.OC;
    g.n = round_up(b.pixels, vector_);
    g.k = s.IC;
    g.lda_bytes = bytes;
    g.a_k_bytes = rows * bytes;
    g.a_step_bytes = s.IC * rows * bytes;
    g.b_k_bytes = line_stride_ * bytes;
    g.b_panel_bytes = kernel_.panel_columns * bytes;
    g.b_offset_bytes = offsets.data();
    g.c = sums_of(e, b, last - first_kh);
    g.ldc_bytes = block_pixels_ * bytes;
    g.accumulate = true;
    for (dim_t kw = 0; kw < s.KW; kw += g.batch) {
        g.batch = static_cast<int>(std::min<dim_t>(s.KW - kw, std::ssize(offsets)));
        for (std::size_t i = 0; i < static_cast<std::size_t>(g.batch); ++i)
            offsets[i] = static_cast<dim_t>(i) * (s.DW + 1) * bytes;
        const void *a = e.weights + (kw * s.IC * rows + first_kh * s.OC) * bytes;
        g.a = &a;
        g.b = e.pixels + kw * (s.DW + 1) * bytes;
        kernel_.run(g);
    }
}

void few_outputs_convolution::finish_line(const execution &e, const block &b, dim_t line) const {
    epilogue_rows_args rows {};
    rows.finish = e.finish;
    rows.acc = e.rows;
    rows.acc_stride_bytes = shape_.OC * dim_t {sizeof(f32)};
    rows.acc_type = data_type::f32;
    rows.dst_stride_bytes = to_.w_bytes;
    rows.columns = shape_.OC;
    if (!flat_) {
        rows.position[0] = b.mb;
        rows.position[1] = b.d;
        rows.position[2] = line;
    }
    common_columns columns;
    const common_rows_function common =
        common_(*e.finish, rows.acc_type, rows.position, 0, rows.columns, columns);
    const dim_t row = flat_ ? ((b.mb * to_.D + b.d) * to_.H + line) * to_.W : 0;
    copy_tile_args a {};
    a.columns = shape_.OC;
    a.src_row = a.dst_column = 1;
    a.src_column = block_pixels_;
    a.dst_row = shape_.OC;
    a.src_type = a.dst_type = data_type::f32;
    a.dst = e.rows;
    for (dim_t pixel = 0; pixel < b.pixels; pixel += tile) {
        a.rows = rows.rows = std::min(tile, b.pixels - pixel);
        a.src = sums_of(e, b, line) + pixel;
        copy_(a);
        rows.position[row_dim] = row + b.pixel + pixel;
        rows.dst = e.dst + to_.bytes_at(b.mb, 0, b.d, line, b.pixel + pixel);
        if (common)
            common(columns, rows);
        else
            finish_(rows);
    }
}

void few_outputs_convolution::run_block(const execution &e, const block &b) const {
    const dim_t top = window_.h.origin + b.line;
    const dim_t first = std::max<dim_t>(top, 0);
    const dim_t end = std::min(from_.H, top + b.lines + shape_.KH - 1);
    std::fill_n(sums_of(e, b, b.line + b.lines - 1), b.lines * shape_.OC * block_pixels_, 0.0f);
    clear_edges(e, b);
    const bool touches = window_.d.at(b.d, 0) >= 0;
    for (dim_t ih = first; touches && ih < end; ++ih) {
        transpose_line(e, b, ih);
        multiply_line(e, b, ih);
    }
    for (dim_t line = b.line; line < b.line + b.lines; ++line) finish_line(e, b, line);
}

void few_outputs_convolution::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    const tensors first = begin(ctx);
    const execution e {
        first.src, first.weights, first.dst, &finish.data, nullptr, nullptr, nullptr};
    const dim_t sums = block_lines_ * shape_.OC * block_pixels_;
    const double products = static_cast<double>(sums) * static_cast<double>(shape_.IC) *
                            static_cast<double>(shape_.KH * shape_.KW);
    parallel_for(items(), gemm_cost_ns(isa::avx2, data_type::f32, products), threads_,
        [&](int thread, dim_t begin, dim_t end) {
            execution own = e;
            own.pixels =
                ctx.scratch(pixels_) + thread * shape_.IC * line_stride_ * dim_t {sizeof(f32)};
            own.sums = ctx.scratch(sums_) + thread * sums;
            own.rows = ctx.scratch(rows_) + thread * tile * shape_.OC;
            for (dim_t item = begin; item < end; ++item) run_block(own, cut(item));
        });
    this->end(ctx);
}

/// Null when pixels fill vectors better here than output channels do in the GEMM, else the reason.
const char *few_outputs_refusal(const problem &p, const convolution_shape &s) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (s.G != 1) return "several groups";
    if (op.weights.has_zero_dim()) return "weights without elements";
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    if (is_int8(op.src.dtype)) return "f32 does not hold sums of bytes exactly";
    if (s.KD != 1) return "several planes of taps";
    if (s.SW != 1 || s.SH != 1 || (s.DH != 0 && s.KH > 1))
        return "strides, or dilation of the height";
    const dim_t taps = s.KH * s.KW;
    const bool pairs = op.src.dtype == data_type::bf16 && has(effective_isa(), isa::avx512_bf16);
    if (taps * ((pairs ? 8 : 16) - s.OC) < 24) return "output channels and taps that suit the GEMM";
    return nullptr;
}

} // namespace

planned make_few_outputs_convolution(problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (!is_forward(op.prop) || op.of_deconvolution) return another_direction;
    if (const char *reason = few_outputs_refusal(p, shape_of(op))) return reason;
    if (const char *reason = product_refusal(op)) return reason;
    if (const char *reason = gemm_types_refusal(p.target, op.src.dtype, op.weights.dtype))
        return reason;
    const data_type type = op.src.dtype;
    if (op.weights.dtype != type || is_f8(type))
        return "the types of the operands are not supported";
    return try_plan<few_outputs_convolution>(p);
}

} // namespace dnnl::impl::cpu
