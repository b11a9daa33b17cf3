// SPDX-License-Identifier: Apache-2.0
// Convolution forward of groups with few channels each. Blocks of lines of the source are copied
// once, padding included, into windows of groups (kernels/convolution/grouped.hpp); then every
// vector of output channels walks the lines of the block while its weights stay in L1.
#include <array>

#include "cpu/convolution/lines/line_convolution.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/convolution/grouped.hpp"

namespace dnnl::impl::cpu {

namespace {

/// How the channels of groups lie in vectors of sums.
struct group_lanes {
    dim_t vector;      ///< lanes of a register
    dim_t element;     ///< channels in a word
    dim_t groups = 1;  ///< of a vector: several, or one
    dim_t lanes;       ///< that a vector uses
    dim_t vectors;     ///< of a group, where it has several
    dim_t steps;       ///< words of a group
    dim_t pixel_words; ///< of a window; several groups: 4, 8 or 16

    group_lanes(isa target, data_type word_type, dim_t IC, dim_t OC)
        : vector(has(target, isa::avx512) ? 16 : 8), element(4 / size_in_bytes(word_type)),
          lanes(std::min(OC, vector)), vectors(div_up(OC, vector)), steps(div_up(IC, element)),
          pixel_words(steps) {
        const dim_t channels = std::max(std::max(OC, steps), dim_t {1});
        if (vector / channels < 2) return;
        groups = vector / channels;
        lanes = groups * OC;
        const dim_t all = groups * steps;
        pixel_words = all <= 4 ? 4 : all <= 8 ? 8 : 16;
    }
};

/// The type of words: s8 sources are shifted to u8.
data_type word_type(isa target, data_type source) {
    return is_int8(source) ? data_type::u8 : line_word_type(target, source);
}

/// The layout of weights [group block][vector][spatial][step][group][lane][element of a word].
memory_desc weights_layout(memory_desc md, const group_lanes &in, bool has_sums) {
    std::array<int, max_ndims> order {0, 1};
    std::size_t count = 2;
    for (int d = 3; d < md.ndims; ++d) order[count++] = d;
    order[count++] = 2;
    std::array<inner_block, 3> blocks {};
    std::size_t inner = 0;
    if (in.groups > 1) blocks[inner++] = {0, in.groups};
    blocks[inner++] = {1, in.lanes / in.groups};
    if (in.element > 1) blocks[inner++] = {2, in.element};
    md.offset0 = 0;
    set_blocked_layout(md, std::span(order.data(), count), std::span(blocks.data(), inner));
    md.column_sums_mask = has_sums ? 3 : 0;
    return md;
}

/// The number of pixels whose sums wait for the epilogue: a multiple of tiles of 14 and of 8.
constexpr dim_t most_pixels = 56;
/// The number of vectors of adjacent channels that are finished together.
constexpr dim_t panel_vectors = 2;

class grouped_convolution : public line_convolution {
  public:
    explicit grouped_convolution(problem &p);
    void execute(const exec_context &ctx) const override;

  private:
    struct execution : tensors {
        const epilogue *finish;
        s32 padding;        ///< a word of it
        char *lines;        ///< of a thread from here on
        grouped_taps *taps; ///< [line of the block][taps()]
        dim_t *counts;      ///< of them in each line
        s32 *sums;
    };
    /// Lines of the result and the windows [window, window + windows).
    struct block : lines_of_plane {
        dim_t window, windows;
    };
    void choose_blocks();
    block cut(dim_t item) const;
    void run_block(const execution &e, const block &b) const;
    void copy_lines(const execution &e, const block &b) const;
    dim_t list_line(const execution &e, const block &b, dim_t line, grouped_taps *taps) const;
    dim_t list_row(const char *line, dim_t first_tap, grouped_taps *taps) const;
    void run_panel(const execution &e, const block &b, dim_t first, dim_t count) const;
    const s32 *compensate(const exec_context &ctx, const char *weights, s32 padding) const;

    dim_t taps() const { return shape_.KD * shape_.KH * shape_.KW; }
    /// Returns the number of lines of the source that so many lines of the result touch.
    dim_t lines_of(dim_t lines) const {
        return (lines - 1) * shape_.SH + (shape_.KH - 1) * (shape_.DH + 1) + 1;
    }
    dim_t pixel_bytes() const { return in_.pixel_words * dim_t {sizeof(s32)}; }
    dim_t sums_size() const { return most_pixels * panel_vectors * in_.vector; }
    dim_t window_count() const { return div_up(shape_.G, in_.groups); }
    dim_t items() const {
        return line_blocks(block_lines_) * div_up(window_count(), block_windows_);
    }
    dim_t first_channel(dim_t vector) const {
        return vector / in_.vectors * in_.groups * shape_.OC + vector % in_.vectors * in_.vector;
    }
    dim_t end_channel(dim_t vector) const {
        const bool last = vector % in_.vectors == in_.vectors - 1;
        const dim_t end = last ? first_channel(vector + 1) : first_channel(vector) + in_.vector;
        return std::min(end, shape_.G * shape_.OC);
    }

    data_type words_;
    group_lanes in_;
    grouped_function run_;
    grouped_lines_function copy_;
    /// Takes over where a zero point is outside the range of src's type: padding cannot hold it.
    zero_point_reference reference_;
    std::array<s32, 128> order_ {}; ///< grouped_args::order
    bool skips_ = false;            ///< lines in the padding are left out
    dim_t line_pixels_ = 0, stride_bytes_ = 0, line_bytes_ = 0, window_bytes_ = 0, lines_bytes_ = 0;
    dim_t block_lines_ = 1, block_windows_ = 1;
    scratch_slot<char> lines_;
    scratch_slot<grouped_taps> taps_;
    scratch_slot<dim_t> counts_;
    scratch_slot<s32> sums_, compensation_;
};

grouped_convolution::grouped_convolution(problem &p)
    : line_convolution(p),
      words_(word_type(p.target, std::get<convolution_desc>(p.op).weights.dtype)),
      in_(p.target, words_, shape_.IC, shape_.OC),
      run_(kernel_for<product_levels>(p.target, []<class Isa> { return grouped<Isa>; })),
      copy_(kernel_for<vector_levels>(p.target, []<class Isa> { return grouped_lines<Isa>; })) {
    auto &op = std::get<convolution_desc>(p.op);
    const bool zero_point = p.attr.zero_points.find(DNNL_ARG_SRC) != nullptr;
    const bool shifts = op.src.dtype == data_type::s8;
    const memory_desc wanted = weights_layout(op.weights, in_, zero_point || shifts);
    if (op.weights.is_any()) op.weights = wanted;
    plan_tensors(p, wanted);
    if (why_not_) return;

    for (dim_t s = 0; s < (in_.groups > 1 ? in_.steps : 0); ++s)
        for (dim_t lane = 0; lane < in_.vector; ++lane)
            order_[s * in_.vector + lane] =
                static_cast<s32>(std::min(lane / shape_.OC, in_.groups - 1) * in_.steps + s);
    skips_ = !zero_point && !shifts;
    choose_blocks();
    threads_ = threads_for(items());
    lines_ = p.scratchpad.reserve<char>(threads_ * lines_bytes_);
    taps_ = p.scratchpad.reserve<grouped_taps>(threads_ * block_lines_ * taps());
    counts_ = p.scratchpad.reserve<dim_t>(threads_ * block_lines_);
    sums_ = p.scratchpad.reserve<s32>(threads_ * sums_size());
    if (zero_point || shifts) compensation_ = p.scratchpad.reserve<s32>(shape_.G * shape_.OC);
    if (!zero_point) return;
    reference_ = zero_point_reference(p);
    why_not_ = reference_.why_not();
}

/// Copied lines take a quarter of L2. They are those of all windows, if so many lines fit that the
/// lines which two blocks share are few. Each of several threads has four blocks at least.
void grouped_convolution::choose_blocks() {
    const convolution_shape &s = shape_;
    line_pixels_ = (std::max<dim_t>(s.OW, 1) - 1) * s.SW + (s.KW - 1) * (s.DW + 1) + 1;
    stride_bytes_ = div_up(line_pixels_, s.SW) * pixel_bytes();
    line_bytes_ = round_up(std::min(s.SW, line_pixels_) * stride_bytes_, 64);
    const auto budget = dim_t(caches().l2_bytes) / 4;
    // A window is an odd number of cache lines: those of one pixel are in different sets of L1.
    const auto window_bytes = [&](dim_t lines) {
        return (s.KD * lines_of(lines) * line_bytes_) | dim_t {64};
    };
    const dim_t height = std::max<dim_t>(to_.H, 1);
    block_lines_ = std::min(height, std::max<dim_t>(8, 4 * (s.KH - 1) * (s.DH + 1) / s.SH));
    block_windows_ = budget / window_bytes(block_lines_);
    block_windows_ = std::clamp(round_up(block_windows_, panel_vectors), dim_t {1}, window_count());
    while (block_lines_ < height && block_windows_ * window_bytes(block_lines_ + 1) <= budget)
        ++block_lines_;
    block_lines_ = div_up(height, div_up(height, block_lines_));
    while (threads_ > 1 && items() < dim_t {4} * threads_ && block_windows_ > 2 * panel_vectors)
        block_windows_ = round_up(div_up(block_windows_, 2), panel_vectors);
    while (threads_ > 1 && items() < dim_t {4} * threads_ && block_lines_ > 4)
        block_lines_ = div_up(block_lines_, 2);
    window_bytes_ = window_bytes(block_lines_);
    // Tiles read pixels after the last one.
    lines_bytes_ = block_windows_ * window_bytes_ + round_up(grouped_pixels * pixel_bytes(), 64);
}

grouped_convolution::block grouped_convolution::cut(dim_t item) const {
    const dim_t shares = div_up(window_count(), block_windows_);
    const dim_t window = item % shares * block_windows_;
    return {cut_lines(item / shares, block_lines_), window,
        std::min(block_windows_, window_count() - window)};
}

/// Copies the lines inside the source that the block touches, one after the other in each window.
void grouped_convolution::copy_lines(const execution &e, const block &b) const {
    const convolution_shape &s = shape_;
    const dim_t channel = b.window * in_.groups * s.IC;
    const dim_t first = std::max<dim_t>(window_.w.origin, 0);
    grouped_lines_args call {};
    call.from = src_.wanted().dtype;
    call.to = words_;
    call.source_step_bytes = from_.w_bytes;
    call.before = std::clamp<dim_t>(first - window_.w.origin, 0, line_pixels_);
    call.pixels = std::clamp<dim_t>(from_.W - first, 0, line_pixels_ - call.before);
    call.after = line_pixels_ - call.before - call.pixels;
    call.padding = e.padding;
    call.stride = s.SW;
    call.stride_bytes = stride_bytes_;
    call.channels = std::min(b.windows * in_.groups * s.IC, s.G * s.IC - channel);
    call.group_channels = s.IC;
    call.window_groups = in_.groups;
    call.window_bytes = window_bytes_;
    call.pixel_words = in_.pixel_words;
    const dim_t lines = lines_of(block_lines_), top = window_.h.origin + b.line * s.SH;
    grouped_lines_args outside = call;
    outside.before = line_pixels_;
    outside.pixels = outside.after = 0;
    for (dim_t kd = 0; kd < s.KD; ++kd)
        for (dim_t i = 0; i < lines_of(b.lines); ++i) {
            const dim_t id = window_.d.at(b.d, kd), ih = top + i;
            const bool inside = id >= 0 && ih >= 0 && ih < from_.H;
            if (!inside && skips_) continue;
            grouped_lines_args &line = inside ? call : outside;
            line.windows = e.lines + (kd * lines + i) * line_bytes_;
            if (inside)
                line.source =
                    e.src + from_.bytes_at(b.mb, 0, id, ih, first) + channel * from_.element_bytes;
            copy_(line);
        }
}

/// Lists the taps of a row of the window; those a stride from each other come three by three.
dim_t grouped_convolution::list_row(const char *line, dim_t first_tap, grouped_taps *taps) const {
    const dim_t stride = shape_.SW, step = shape_.DW + 1;
    const dim_t next = stride % step == 0 ? stride / step : shape_.KW;
    dim_t count = 0;
    for (dim_t first = 0; first < std::min(next, shape_.KW); ++first)
        for (dim_t kw = first; kw < shape_.KW; kw += 3 * next) {
            const dim_t x = kw * step, at = window_.w.origin + x;
            taps[count++] = {line + x % stride * stride_bytes_ + x / stride * pixel_bytes(),
                first_tap + kw, next, std::min<dim_t>(3, div_up(shape_.KW - kw, next)),
                skips_ ? ceiling(-at, stride) : 0,
                skips_ ? ceiling(from_.W - at, stride) : line_pixels_ + grouped_pixels};
        }
    return count;
}

/// Lists the taps of a line of the result, in window 0 of the block.
dim_t grouped_convolution::list_line(
    const execution &e, const block &b, dim_t line, grouped_taps *taps) const {
    const convolution_shape &s = shape_;
    const dim_t lines = lines_of(block_lines_);
    dim_t count = 0;
    for (dim_t kd = 0; kd < s.KD; ++kd)
        for (dim_t kh = 0; kh < s.KH; ++kh) {
            if (skips_ && (window_.d.at(b.d, kd) < 0 || window_.h.at(line, kh) < 0)) continue;
            const dim_t slot = kd * lines + (line - b.line) * s.SH + kh * (s.DH + 1);
            count += list_row(e.lines + slot * line_bytes_, (kd * s.KH + kh) * s.KW, taps + count);
        }
    return count;
}

/// Computes `count` vectors from vector `first` on.
void grouped_convolution::run_panel(
    const execution &e, const block &b, dim_t first, dim_t count) const {
    const memory_desc &w = weights_.wanted();
    const dim_t columns0 = first_channel(first);
    grouped_args call {};
    call.source_type = words_;
    call.weights_type = w.dtype;
    call.pixel_words = in_.pixel_words;
    call.steps = in_.steps;
    call.order = in_.groups > 1 ? order_.data() : nullptr;
    call.lanes = in_.lanes;
    call.vector_bytes = w.strides[1] * size_in_bytes(w.dtype);
    call.sums_step = panel_vectors * in_.vector;

    finisher finish(*this, *e.finish, e.dst, e.sums, call.sums_step,
        words_ == data_type::u8 ? data_type::s32 : data_type::f32, columns0,
        end_channel(first + count - 1) - columns0);
    for (dim_t line = b.line; line < b.line + b.lines; ++line) {
        call.taps = e.taps + (line - b.line) * taps();
        call.count = e.counts[line - b.line];
        finish.begin_line(b.mb, b.d, line);
        for (dim_t pixel = 0; pixel < to_.W; pixel += most_pixels) {
            call.first = pixel;
            call.pixels = std::min(to_.W - pixel, most_pixels);
            for (dim_t v = first; v < first + count; v += call.vectors) {
                const dim_t window = v / in_.vectors;
                call.vectors = v + 1 < first + count && (v + 1) / in_.vectors == window ? 2 : 1;
                call.source_bytes = (window - b.window) * window_bytes_ + pixel * pixel_bytes();
                call.weights =
                    e.weights + (window * w.strides[0] + v % in_.vectors * w.strides[1]) *
                                    size_in_bytes(w.dtype);
                call.sums = e.sums + (first_channel(v) - columns0);
                run_(call);
            }
            finish.finish(pixel, call.pixels);
        }
    }
}

void grouped_convolution::run_block(const execution &e, const block &b) const {
    copy_lines(e, b);
    for (dim_t line = 0; line < b.lines; ++line)
        e.counts[line] = list_line(e, b, b.line + line, e.taps + line * taps());
    const dim_t end = (b.window + b.windows) * in_.vectors;
    for (dim_t v = b.window * in_.vectors; v < end; v += panel_vectors)
        run_panel(e, b, v, std::min(panel_vectors, end - v));
}

void grouped_convolution::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    const tensors first = begin(ctx);
    s32 word = 0; // of padding
    if (words_ == data_type::u8) {
        const data_type type = src_.wanted().dtype;
        if (!is_byte(type, finish.src_zero_point)) return reference_.execute(ctx);
        const s32 padding = finish.src_zero_point + (type == data_type::s8 ? 128 : 0);
        word = static_cast<s32>(static_cast<std::uint32_t>(padding) * 0x01010101u);
        if (!skips_) finish.data.compensation = compensate(ctx, first.weights, padding);
    }
    const double words = double(block_lines_ * to_.W) * double(block_windows_ * in_.vectors) *
                         double(taps() * in_.steps);
    // Measured on a Zen 5 core: 0.15 to 0.2 ns for a word of each lane of a vector.
    parallel_for(items(), 200 + 0.2 * words, threads_, [&](int thread, dim_t begin, dim_t end) {
        const execution e {first, &finish.data, word, ctx.scratch(lines_) + thread * lines_bytes_,
            ctx.scratch(taps_) + thread * block_lines_ * taps(),
            ctx.scratch(counts_) + thread * block_lines_,
            ctx.scratch(sums_) + thread * sums_size()};
        for (dim_t item = begin; item < end; ++item) run_block(e, cut(item));
    });
    this->end(ctx);
}

/// Computes what `padding`, the zero point of words, adds to the sums of each channel.
const s32 *grouped_convolution::compensate(
    const exec_context &ctx, const char *weights, s32 padding) const {
    const memory_desc &w = weights_.wanted();
    const auto *sums = reinterpret_cast<const s32 *>(weights + w.elements_bytes());
    s32 *out = ctx.scratch(compensation_);
    // Measured on a Zen 5 core: 0.5 ns for a channel.
    parallel_for_each(shape_.G, 0.5 * double(shape_.OC), [&](dim_t g) {
        for (dim_t n = 0; n < shape_.OC; ++n)
            out[g * shape_.OC + n] = compensation_of<s32>(padding, sums[g * w.padded_dims[1] + n]);
    });
    return out;
}

/// Null where a Zen 5 core was faster with such groups here than by the GEMM; else the reason.
const char *grouped_refusal(const problem &p, const convolution_shape &s) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (!s.has_groups || s.G == 1) return "made for several groups";
    const group_lanes in(p.target, word_type(p.target, op.src.dtype), s.IC, s.OC);
    const bool wide = has(p.target, isa::avx512);
    const data_type type = op.weights.dtype;
    const bool widens_bytes = is_int8(type) && p.target == isa::avx512;
    const dim_t most = wide ? (widens_bytes ? 16 : 32) : type == data_type::f32 ? 8 : 16;
    if (s.IC > 32 || s.OC > most) return "made for groups of fewer channels";
    if (s.KD * s.KH * s.KW == 1 && (in.groups == 1 || !wide))
        return "made for windows of several taps";
    if (!wide && size_in_bytes(type) == 2 && in.lanes % in.vector != 0)
        return "made for 16-bit weights in whole vectors at AVX2";
    const bool zero_point = p.attr.zero_points.find(DNNL_ARG_SRC) != nullptr;
    const bool fits = !is_int8(type) ||
                      s.IC * s.KD * s.KH * s.KW <= exact_sum_length(op.src.dtype, type, zero_point);
    return fits ? nullptr : "made for sums of bytes within s32";
}

} // namespace

planned make_grouped_convolution(problem &p) {
    if (const char *reason = line_refusal(p)) return reason;
    const convolution_shape shape = shape_of(std::get<convolution_desc>(p.op));
    if (const char *reason = grouped_refusal(p, shape)) return reason;
    return try_plan<grouped_convolution>(p);
}

} // namespace dnnl::impl::cpu
