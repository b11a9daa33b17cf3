// SPDX-License-Identifier: Apache-2.0
// Convolution forward with few output channels. Pixels are the columns of the products, so that
// they fill vectors: a line of the source is transposed once, to channels x pixels, and multiplied
// by the taps of all kernel rows and output channels at once. Each kernel row adds to the sums of a
// line of the result of its own, which is finished when its last source line is done. A word is
// what a lane multiplies at once: one f32, two bf16 or four bytes of adjacent channels.
#include <array>

#include "cpu/convolution/lines/line_convolution.hpp"
#include "cpu/cpu.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The most pixels of a line in a block, and the number of pixels that are finished together.
constexpr dim_t most_pixels = 512, tile = 64;
/// The most output channels that count as few.
constexpr dim_t most_outputs = 24;
/// The number of channels of a 16-bit line that are transposed together.
constexpr dim_t narrow_lines = 32;

dim_t word_elements(data_type type) { return dim_t {sizeof(s32)} / size_in_bytes(type); }

/// The layout of weights [kw][ic][kh][oc][element of a word]: columns of the left operand in turn.
memory_desc weights_layout(const memory_desc &md, bool has_groups, dim_t word) {
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
    const inner_block pairs {ic, word};
    set_blocked_layout(wanted, std::span<const int>(order.data(), count),
        std::span<const inner_block>(&pairs, word > 1 ? 1 : 0));
    return wanted;
}

class few_outputs_convolution : public line_convolution {
  public:
    explicit few_outputs_convolution(problem &p);
    void execute(const exec_context &ctx) const override;

  private:
    struct execution : tensors {
        const epilogue *finish;
        s32 *pixels;  ///< of a thread from here on: words of a line [word][line_stride_]
        s32 *sums;    ///< f32 or s32 [line of the block, the last one first][oc][block_pixels_]
        s32 *rows;    ///< [tile][oc]: sums that are finished
        char *narrow; ///< [narrow_lines][line_stride_]: transposed, in the source's type
    };
    /// Lines of the result and their pixels [pixel, pixel + pixels).
    struct block : lines_of_plane {
        dim_t pixel, pixels;
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
    /// Those of them that are inside the image: [begin, end).
    struct range {
        dim_t begin, end;
    };
    range inside(const block &b) const {
        const dim_t first = window_.w.origin + b.pixel, count = touched(b.pixels);
        const dim_t begin = std::clamp<dim_t>(-first, 0, count);
        return {begin, std::clamp<dim_t>(from_.W - first, begin, count)};
    }
    dim_t items() const { return line_blocks(block_lines_) * div_up(to_.W, block_pixels_); }
    s32 *sums_of(const execution &e, const block &b, dim_t line) const {
        return e.sums + (b.line + b.lines - 1 - line) * shape_.OC * block_pixels_;
    }

    dim_t narrow_bytes() const {
        return widens_ ? narrow_lines * line_stride_ * from_.element_bytes : 0;
    }

    data_type acc_type() const { return is_int8(words_) ? data_type::s32 : data_type::f32; }

    isa target_;
    data_type words_;
    dim_t word_, steps_; ///< channels in a word, words of a pixel
    dim_t vector_;
    gemm_kernel kernel_;
    decltype(&transpose<avx2>) transpose_;
    decltype(&row_to_f32<avx2>) widen_;
    bool widens_ = false; ///< 16-bit elements become words
    dim_t block_lines_ = 1, block_pixels_ = 1, line_stride_ = 0;
    scratch_slot<s32> pixels_, sums_, rows_;
    scratch_slot<char> narrow_;
};

few_outputs_convolution::few_outputs_convolution(problem &p)
    : line_convolution(p), target_(p.target),
      words_(line_word_type(p.target, std::get<convolution_desc>(p.op).src.dtype)),
      word_(word_elements(words_)), steps_(shape_.IC / word_),
      vector_(has(p.target, isa::avx512) ? 16 : 8), kernel_(select_strided_gemm(p.target, words_)),
      transpose_(kernel_for<every_level>(p.target, []<class Isa> { return transpose<Isa>; })),
      widen_(kernel_for<every_level>(p.target, []<class Isa> { return row_to_f32<Isa>; })) {
    auto &op = std::get<convolution_desc>(p.op);
    memory_desc wanted = weights_layout(op.weights, shape_.has_groups, word_);
    if (op.weights.is_any()) op.weights = wanted;
    if (words_ == data_type::f32) wanted.dtype = words_;
    plan_tensors(p, wanted);
    if (!why_not_ && from_.w_bytes % (word_ * from_.element_bytes) != 0)
        why_not_ = "made for channels at equal distances";
    if (why_not_) return;
    widens_ = from_.element_bytes < dim_t {sizeof(f32)} && word_ == 1;

    choose_blocks();
    if (line_stride_ > dim_t(caches().l2_bytes) / (steps_ * dim_t {sizeof(s32)}))
        why_not_ = "made for lines whose pieces fit L2";
    if (why_not_) return;
    threads_ = threads_for(items());
    pixels_ = p.scratchpad.reserve<s32>(threads_ * steps_ * line_stride_);
    sums_ = p.scratchpad.reserve<s32>(threads_ * block_lines_ * shape_.OC * block_pixels_);
    rows_ = p.scratchpad.reserve<s32>(threads_ * tile * shape_.OC);
    narrow_ = p.scratchpad.reserve<char>(threads_ * narrow_bytes());
}

/// The line takes half of L2 and the sums of the block a quarter. Blocks are lower where several
/// threads are done sooner by that, though each also takes the lines of the source around it.
void few_outputs_convolution::choose_blocks() {
    const auto l2 = dim_t(caches().l2_bytes) / dim_t {sizeof(s32)};
    const dim_t width = std::max<dim_t>(to_.W, 1), height = std::max<dim_t>(to_.H, 1);
    const dim_t fitting = std::clamp(l2 / 2 / std::max<dim_t>(steps_, 1), tile, most_pixels);
    block_pixels_ = round_up(div_up(width, div_up(width, fitting)), vector_);
    // A line is an odd number of cache lines: the channels of a pixel are in different sets of L1.
    line_stride_ = round_up(touched(block_pixels_), 16) | 16;
    block_lines_ = std::clamp(l2 / 4 / (shape_.OC * block_pixels_), dim_t {1}, height);
    const auto time = [&] { return div_up(items(), threads_) * (block_lines_ + shape_.KH - 1); };
    dim_t best = block_lines_, least = time();
    for (; threads_ > 1 && block_lines_ > 1; --block_lines_)
        if (time() < least) least = time(), best = block_lines_;
    block_lines_ = div_up(height, div_up(height, best));
}

few_outputs_convolution::block few_outputs_convolution::cut(dim_t item) const {
    const dim_t pieces = div_up(to_.W, block_pixels_), pixel = item % pieces * block_pixels_;
    return {cut_lines(item / pieces, block_lines_), pixel, std::min(block_pixels_, to_.W - pixel)};
}

/// Writes zeros beside the image, and behind it for the vectors that the kernel reads.
void few_outputs_convolution::clear_edges(const execution &e, const block &b) const {
    const range in = inside(b);
    for (dim_t c = 0; c < steps_; ++c) {
        s32 *line = e.pixels + c * line_stride_;
        std::fill(line, line + in.begin, 0);
        std::fill(line + in.end, line + line_stride_, 0);
    }
}

/// Transposes a line. 16-bit elements that become words are transposed as they are, some channels
/// at a time, and widened line by line.
void few_outputs_convolution::transpose_line(const execution &e, const block &b, dim_t ih) const {
    const auto [begin, end] = inside(b);
    const dim_t id = window_.d.at(b.d, 0), iw = window_.w.origin + b.pixel;
    const dim_t step_bytes = word_ * from_.element_bytes;
    transpose_args t {};
    t.columns = end - begin;
    t.src_stride = from_.w_bytes / step_bytes;
    t.dst_stride = line_stride_;
    t.element_bytes = step_bytes;
    for (dim_t c = 0; t.columns > 0 && c < steps_; c += t.rows) {
        s32 *lines = e.pixels + c * line_stride_ + begin;
        t.rows = widens_ ? std::min(narrow_lines, steps_ - c) : steps_;
        t.src = e.src + from_.bytes_at(b.mb, 0, id, ih, iw + begin) + c * step_bytes;
        t.dst = widens_ ? static_cast<void *>(e.narrow) : lines;
        transpose_(t);
        for (dim_t i = 0; widens_ && i < t.rows; ++i)
            widen_(e.narrow + i * line_stride_ * step_bytes, src_.wanted().dtype, 1, t.columns,
                reinterpret_cast<f32 *>(lines + i * line_stride_));
    }
}

/// Multiplies source line ih by all kernel rows. Kernel row kh belongs to the line ih - origin - kh
/// of the result: those of the block follow each other, and so do their sums.
void few_outputs_convolution::multiply_line(const execution &e, const block &b, dim_t ih) const {
    const convolution_shape &s = shape_;
    const dim_t last = ih - window_.h.origin; // the line that begins with ih
    const dim_t first_kh = std::max<dim_t>(last - (b.line + b.lines - 1), 0);
    const dim_t end_kh = std::min(last - b.line + 1, s.KH);
    const dim_t bytes = sizeof(s32), rows = s.KH * s.OC;
    std::array<dim_t, 64> offsets; // of as many taps as are multiplied at once
    gemm_block_args g {};
    g.m = (end_kh - first_kh) * s.OC;
    g.n = round_up(b.pixels, vector_);
    g.k = s.IC;
    g.lda_bytes = bytes;
    g.a_k_bytes = rows * bytes;
    g.a_step_bytes = steps_ * rows * bytes;
    g.b_k_bytes = line_stride_ * bytes;
    g.b_panel_bytes = kernel_.panel_columns * bytes;
    g.b_offset_bytes = offsets.data();
    g.c = sums_of(e, b, last - first_kh);
    g.ldc_bytes = block_pixels_ * bytes;
    g.accumulate = true;
    for (dim_t kw = 0; kw < s.KW; kw += g.batch) {
        g.batch = static_cast<int>(std::min<dim_t>(s.KW - kw, std::ssize(offsets)));
        for (std::size_t i = 0; i < std::size_t(g.batch); ++i)
            offsets[i] = dim_t(i) * (s.DW + 1) * bytes;
        const void *a = e.weights + (kw * steps_ * rows + first_kh * s.OC) * bytes;
        g.a = &a;
        g.b = e.pixels + kw * (s.DW + 1);
        kernel_.run(g);
    }
}

void few_outputs_convolution::finish_line(const execution &e, const block &b, dim_t line) const {
    finisher finish(*this, *e.finish, e.dst, e.rows, shape_.OC, acc_type(), 0, shape_.OC);
    finish.begin_line(b.mb, b.d, line);
    transpose_args t {};
    t.columns = t.dst_stride = shape_.OC;
    t.src_stride = block_pixels_;
    t.element_bytes = sizeof(s32);
    t.dst = e.rows;
    for (dim_t pixel = 0; pixel < b.pixels; pixel += tile) {
        t.rows = std::min(tile, b.pixels - pixel);
        t.src = sums_of(e, b, line) + pixel;
        transpose_(t);
        finish.finish(b.pixel + pixel, t.rows);
    }
}

void few_outputs_convolution::run_block(const execution &e, const block &b) const {
    const dim_t top = window_.h.origin + b.line;
    const dim_t first = std::max<dim_t>(top, 0);
    const dim_t end = std::min(from_.H, top + b.lines + shape_.KH - 1);
    std::fill_n(sums_of(e, b, b.line + b.lines - 1), b.lines * shape_.OC * block_pixels_, 0);
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
    const dim_t sums = block_lines_ * shape_.OC * block_pixels_;
    const double products = double(sums) * double(shape_.IC) * double(shape_.KH * shape_.KW);
    parallel_for(items(), gemm_cost_ns(target_, words_, products), threads_,
        [&](int thread, dim_t begin, dim_t end) {
            const execution e {first, &finish.data,
                ctx.scratch(pixels_) + thread * steps_ * line_stride_,
                ctx.scratch(sums_) + thread * sums, ctx.scratch(rows_) + thread * tile * shape_.OC,
                ctx.scratch(narrow_) + thread * narrow_bytes()};
            for (dim_t item = begin; item < end; ++item) run_block(e, cut(item));
        });
    this->end(ctx);
}

/// Estimates the time of the GEMM of the highest level for OC columns, in columns of words: it
/// fills up vectors, widens f16 on the way, multiplies pairs of bf16 also where words are single
/// elements here, and multiplies eight times as fast by tiles. The numbers are measured, but for
/// tiles, as are the costs below.
double gemm_columns(const convolution_desc &op, bool single, dim_t OC) {
    const isa best = effective_isa();
    const data_type type = op.src.dtype;
    double each = type == data_type::f16 ? 2 : 1;
    if (single && type == data_type::bf16 && has(best, isa::avx512_bf16) && has_fast_bf16_pairs())
        each /= 2;
    if (has(best, isa::amx) && type != data_type::f16 && type != data_type::f32) each /= 8;
    if (has(best, isa::avx512)) return each * (OC <= 16 ? 16 : 27);
    return each * (OC <= 8 ? 10 : OC <= 16 ? 14 : 24);
}

/// True where pixels in vectors cost less than output channels in vectors. Costs are counted in
/// products of words: one takes an AVX-512 core 10 ps, transposing a word of a pixel 0.1 ns.
bool pixels_pay(const convolution_desc &op, const convolution_shape &s, dim_t words) {
    const bool wide = has(effective_isa(), isa::avx512);
    const dim_t vector = wide ? 16 : 8, width = op.dst.dims[op.dst.ndims - 1];
    const double columns =
        double(std::max(round_up(width, vector), 2 * vector)) / double(std::max<dim_t>(width, 1));
    const double steps = double(words), OC = double(s.OC);
    const bool single = words == s.IC, widens = single && op.src.dtype != data_type::f32;
    const double move = (widens ? 16 : 10) * steps + 15 * OC + 30;
    const double saved = gemm_columns(op, single, s.OC) - columns * OC;
    return double(s.KH * s.KW) * steps * saved > (wide ? 1 : 0.7) * move;
}

/// Null when the plan takes the shape and gains by it, else the reason.
const char *few_outputs_refusal(const problem &p, const convolution_shape &s) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (s.G != 1) return "made for one group";
    if (is_f8(op.src.dtype)) return "the types of the operands are not supported";
    if (s.KD != 1) return "made for one plane of taps";
    if (s.SW != 1 || s.SH != 1 || (s.DH != 0 && s.KH > 1))
        return "made for stride 1 and a dense height";
    if (s.OC > most_outputs) return "made for up to 24 output channels";
    if (p.attr.zero_points.find(DNNL_ARG_SRC)) return "made for a source without zero point";
    const dim_t word = word_elements(line_word_type(p.target, op.src.dtype));
    if (s.IC % word != 0) return "made for channels that fill words of 4 bytes";
    if (!pixels_pay(op, s, s.IC / word))
        return "made for more taps, or output channels that leave vectors of the GEMM empty";
    const bool fits = !is_int8(op.src.dtype) ||
                      s.IC * s.KH * s.KW <= exact_sum_length(op.src.dtype, op.weights.dtype);
    return fits ? nullptr : "made for sums of bytes within s32";
}

} // namespace

planned make_few_outputs_convolution(problem &p) {
    if (const char *reason = line_refusal(p)) return reason;
    const convolution_shape shape = shape_of(std::get<convolution_desc>(p.op));
    if (const char *reason = few_outputs_refusal(p, shape)) return reason;
    return try_plan<few_outputs_convolution>(p);
}

} // namespace dnnl::impl::cpu
