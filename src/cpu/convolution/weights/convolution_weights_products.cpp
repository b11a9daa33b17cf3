// SPDX-License-Identifier: Apache-2.0
// Executes backward weights on the GEMM: blocks of pixels are copied, or not, and multiplied.
#include <cstring>

#include "cpu/convolution/weights/convolution_weights.hpp"

namespace dnnl::impl::cpu {

void gemm_convolution_weights::execute(const exec_context &ctx) const {
    const tensors first = begin(ctx);
    tensors sums = first;
    if (rounds_) sums.weights = reinterpret_cast<char *>(ctx.scratch(sums_slot_));
    const execution e {swapped_ ? first.dst : first.src, swapped_ ? first.src : first.dst,
        sums_of(ctx, sums), rounds_ ? first.weights : nullptr, ctx.scratch(line_slot_),
        ctx.scratch(window_slot_), ctx.scratch(panel_slot_), ctx.scratch(ones_slot_),
        ctx.scratch(dots_slot_), ctx.scratch(rows_slot_), ctx.scratch(offset_slot_)};
    if (e.sums.bias.first) {
        for (dim_t k = 0; k < block_rows_; ++k) store_f32(type_, e.ones, k, 1.0f);
        for (dim_t chunk = 0; chunk < chunks_; ++chunk)
            std::fill_n(e.sums.bias.of(chunk), e.sums.bias.stride, 0.0f);
    }
    if (blocks_.count() == 0) {
        std::memset(first.weights, 0,
            std::size_t(e.sums.weights.stride * size_in_bytes(weights_.wanted().dtype)));
    } else {
        const double products = double(pixels_) / double(chunks_) *
                                double(share_.taps * share_.rows) * double(share_.columns);
        parallel_for(items_, gemm_cost_ns(target_, type_, products), threads_,
            [&](int thread, dim_t begin, dim_t end) { multiply(e, thread, begin, end); });
    }
    store(ctx, e.sums);
}

gemm_convolution_weights::item gemm_convolution_weights::item_of(
    const execution &e, int thread, dim_t index) const {
    item i {};
    const auto next = [&index](dim_t extent, dim_t share) {
        const dim_t count = div_up(extent, share), at = index % count * share;
        index /= count;
        return at;
    };
    i.m0 = next(rows_, share_.rows);
    i.m = std::min(share_.rows, rows_ - i.m0);
    i.tap = next(taps_, share_.taps);
    i.taps = std::min(share_.taps, taps_ - i.tap);
    i.n0 = next(columns_, share_.columns);
    i.n = std::min(share_.columns, columns_ - i.n0);
    i.chunk = next(chunks_, 1);
    i.g = index;
    i.first_block = i.chunk * blocks_.count() / chunks_;
    i.last_block = (i.chunk + 1) * blocks_.count() / chunks_;
    const dim_t sum = (i.g * taps_ * rows_ + i.m0) * columns_ + i.n0;
    i.sums = moved(e.sums.weights.of(i.chunk), sum);
    i.rounded = moved(e.rounded, sum * size_in_bytes(finish_.dst_type));
    i.lines = e.transposed + thread * line_bytes_;
    i.windows = e.windows + thread * window_bytes_;
    i.panels = e.packed + thread * panels_bytes_;
    if (e.dots) i.dots = e.dots + thread * share_.rows;
    i.rows = e.rows + thread * most_products();
    i.offsets = e.offsets + thread * most_products();
    return i;
}

void gemm_convolution_weights::multiply(
    const execution &e, int thread, dim_t begin, dim_t end) const {
    if (kernel_.begin) kernel_.begin();
    if (!flat_ && !direct_)
        lines_.clear(e.transposed + thread * line_bytes_, expands_ ? channels_ : share_.rows);
    for (dim_t index = begin; index < end; ++index) {
        const item i = item_of(e, thread, index);
        for (dim_t b = i.first_block; b < i.last_block; ++b) multiply_block(e, i, b);
    }
    if (kernel_.end) kernel_.end(nullptr);
}

/// Adds the pixels of a block to the sums of one item, or begins them.
void gemm_convolution_weights::multiply_block(const execution &e, const item &i, dim_t part) const {
    const gradient_block b = blocks_.of(part);
    const bool first = part == i.first_block;
    if (direct_) return multiply_directly(e, i, b, first);
    pack(e, i, b);
    gemm_block_args t {};
    t.a = i.rows;
    t.b = i.panels;
    t.b_offset_bytes = i.offsets;
    t.b_panel_bytes = panel_bytes_;
    t.m = i.m;
    t.n = i.n;
    t.ldc_bytes = columns_ * dim_t {sizeof(f32)};
    t.accumulate = !first;
    if (rounds_ && part + 1 == i.last_block) t.finish = &finish_;
    t.ldd_bytes = columns_ * size_in_bytes(finish_.dst_type);
    const dim_t plane_taps = expands_ ? 0 : left_axes_.h.taps * left_axes_.w.taps;
    const char *left = e.lines + (i.g * left_group_ + (expands_ ? 0 : i.m0)) * bytes_;
    for (dim_t kd = 0; kd < left_axes_.d.taps; ++kd) {
        const dim_t tap = std::max(i.tap, kd * plane_taps),
                    end = std::min(i.tap + i.taps, (kd + 1) * plane_taps);
        if (!expands_ && tap >= end) continue;
        lines_.fill(left, b, kd, expands_ ? channels_ : i.m, i.lines);
        if (expands_) copy_windows(i, b, kd);
        for (dim_t k = tap; k < end; ++k) multiply_tap(i, b, k, t);
    }
    if (expands_) {
        t.lda_bytes = window_stride_ * bytes_;
        t.batch = 1;
        t.k = b.size();
        i.rows[0] = i.windows;
        i.offsets[0] = 0;
        run(i, 0, t);
    }
    if (!bias_.is_zero() && i.tap == 0) add_bias(e, i, b, first);
}

/// Runs the products of a tap, of which t says all but where they go.
void gemm_convolution_weights::run(const item &i, dim_t tap, gemm_block_args &t) const {
    t.c = moved(i.sums, tap * rows_ * columns_);
    t.dst = moved(i.rounded, tap * rows_ * t.ldd_bytes);
    kernel_.run(t);
}

/// Packs the pixels of a block, which follow each other in memory.
void gemm_convolution_weights::pack(
    const execution &e, const item &i, const gradient_block &b) const {
    const dim_t OH = flat_ ? 1 : shape_.OH, OW = flat_ ? pixels_ : shape_.OW;
    const dim_t pixel = (b.plane * OH + b.oh) * OW + b.ow;
    const dim_t line = panel_line(b), lines = b.planes * b.lines;
    const bool together = line == b.pixels;
    pack_b_args a {};
    a.src = e.panels + (pixel * right_stride_ + i.g * columns_ + i.n0) * bytes_;
    a.k_stride = right_stride_;
    a.n_stride = 1;
    a.k = together ? b.size() : b.pixels;
    a.k_padded = together ? round_up(b.size(), dim_t {kernel_.k_group}) : line;
    a.n = i.n;
    a.dst = i.panels;
    a.panel_bytes = panel_bytes_;
    for (dim_t l = 0; l < (together ? 1 : lines); ++l) {
        pack_b_(a);
        a.src = static_cast<const char *>(a.src) + b.pixels * right_stride_ * bytes_;
        a.dst = static_cast<char *>(a.dst) + line * kernel_.panel_columns * bytes_;
    }
}

/// Copies the rows of the item that belong to taps d: for each tap and channel, the pixels of the
/// lines that the tap touches.
void gemm_convolution_weights::copy_windows(const item &i, const gradient_block &b, dim_t d) const {
    const dim_t KH = left_axes_.h.taps, KW = left_axes_.w.taps, taps = KH * KW;
    const auto pixels = std::size_t(b.pixels * bytes_);
    const dim_t first = std::max(i.m0, d * taps * channels_),
                last = std::min(i.m0 + i.m, (d + 1) * taps * channels_);
    for (dim_t row = first; row < last; ++row) {
        const dim_t c = row % channels_, tap = row / channels_ % taps;
        const char *from = i.lines + c * lines_.row_stride() * bytes_;
        char *to = i.windows + (row - i.m0) * window_stride_ * bytes_;
        const auto [begin, end] = lines_.lines(tap / KW, b);
        for (dim_t plane = 0; plane < b.planes; ++plane) {
            const bool inside = lines_.touches(b.plane + plane, d);
            const char *line = from + lines_.at(tap / KW, tap % KW, plane, 0) * bytes_;
            for (dim_t l = 0; l < b.lines; ++l, to += pixels) {
                if (inside && l >= begin && l < end)
                    std::memcpy(to, line + l * lines_.line_stride() * bytes_, pixels);
                else
                    std::memset(to, 0, pixels);
            }
        }
    }
}

/// Multiplies the pixels of one tap. t has everything but the products and their place in A.
void gemm_convolution_weights::multiply_tap(
    const item &i, const gradient_block &b, dim_t tap, gemm_block_args t) const {
    const dim_t KH = left_axes_.h.taps, KW = left_axes_.w.taps, group = kernel_.k_group;
    const dim_t kd = tap / KW / KH, kh = tap / KW % KH, kw = tap % KW;
    const auto add = [&](dim_t plane, dim_t line, dim_t pixel) {
        i.rows[t.batch] = i.lines + (lines_.at(kh, kw, plane, line) + pixel) * bytes_;
        i.offsets[t.batch++] =
            ((plane * b.lines + line) * panel_line(b) + pixel) * kernel_.panel_columns * bytes_;
    };
    t.lda_bytes = lines_.row_stride() * bytes_;
    t.k = b.size();
    if (packs_dense_) {
        add(0, 0, 0);
    } else {
        // Whole groups of pixels: those outside are zeros.
        const auto [line, last_line] = lines_.lines(kh, b);
        auto [pixel, last_pixel] = lines_.pixels(kw, b);
        pixel = pixel / group * group;
        last_pixel = std::min(round_up(last_pixel, group), b.pixels);
        const bool none = line >= last_line || pixel >= last_pixel;
        t.k = merges_lines_ ? (last_line - line - 1) * lines_.line_stride() + b.pixels
                            : last_pixel - pixel;
        for (dim_t plane = 0; plane < b.planes && !none; ++plane) {
            if (!lines_.touches(b.plane + plane, kd)) continue;
            if (merges_lines_)
                add(plane, line, 0);
            else
                for (dim_t l = line; l < last_line; ++l) add(plane, l, pixel);
        }
        if (t.batch == 0) t.k = 0;
    }
    if (t.batch > 0 || !t.accumulate || t.finish) run(i, tap, t);
}

/// Multiplies the pixels of a block where the user has them.
void gemm_convolution_weights::multiply_directly(
    const execution &e, const item &i, const gradient_block &b, bool first) const {
    const tap_axis &d = left_axes_.d, &h = left_axes_.h, &w = left_axes_.w;
    const dim_t OH = h.positions, OW = w.positions, KW = w.taps;
    gemm_block_args t {};
    t.a = i.rows;
    t.b_offset_bytes = i.offsets;
    t.b_panel_bytes = kernel_.panel_columns * bytes_;
    t.b_k_bytes = right_stride_ * bytes_;
    t.a_k_bytes = w.position_distance() * left_view_.w_bytes;
    t.lda_bytes = bytes_;
    t.n = i.n;
    t.ldc_bytes = columns_ * dim_t {sizeof(f32)};
    t.b = e.panels + (i.g * columns_ + i.n0) * bytes_;
    const char *left = e.lines + (i.g * left_group_ + i.m0) * bytes_;
    // Rows of tap kw, and of those to its right; pixels [begin, end).
    const auto multiply = [&](dim_t kernel_row, dim_t kw, dim_t row, dim_t rows, dim_t begin,
                              dim_t end, bool accumulate) {
        const dim_t kd = kernel_row / h.taps, kh = kernel_row % h.taps;
        t.batch = 0;
        t.m = rows;
        t.k = end - begin;
        t.c = i.sums + row * columns_;
        t.accumulate = accumulate;
        for (dim_t plane = b.plane; plane < b.plane + b.planes && begin < end; ++plane) {
            const dim_t id = d.at(plane % d.positions, kd);
            if (id < 0) continue;
            for (dim_t oh = b.oh; oh < b.oh + b.lines; ++oh) {
                const dim_t ih = h.at(oh, kh);
                if (ih < 0) continue;
                i.rows[t.batch] =
                    left + left_view_.bytes_at(plane / d.positions, 0, id, ih, w.at(begin, kw));
                i.offsets[t.batch++] = ((plane * OH + oh) * OW + begin) * t.b_k_bytes;
            }
        }
        if (t.batch > 0 || !accumulate) strided_.run(t);
    };
    phase_axis::range all {b.ow, b.ow + b.pixels}; // that all taps of a kernel row touch
    const auto pixels = [&](dim_t kw) {
        const auto [begin, end] = lines_.pixels(kw, b);
        return phase_axis::range {b.ow + begin, b.ow + end};
    };
    for (dim_t kw = 0; joins_taps_ && kw < KW; ++kw) {
        all.begin = std::max(all.begin, pixels(kw).begin);
        all.end = std::min(all.end, pixels(kw).end);
    }
    all.end = std::max(all.begin, all.end);
    const dim_t channels = joins_taps_ ? rows_ / KW : rows_;
    for (dim_t tap = i.tap; tap < i.tap + i.taps; ++tap) {
        if (!joins_taps_) {
            const phase_axis::range range = pixels(tap % KW);
            multiply(tap / KW, tap % KW, tap * rows_, i.m, range.begin, range.end, !first);
            continue;
        }
        multiply(tap, 0, tap * rows_, rows_, all.begin, all.end, !first);
        for (dim_t kw = 0; kw < KW; ++kw) {
            const phase_axis::range range = pixels(kw);
            multiply(tap, kw, tap * rows_ + kw * channels, channels, range.begin,
                std::min(range.end, all.begin), true);
            multiply(tap, kw, tap * rows_ + kw * channels, channels, std::max(range.begin, all.end),
                range.end, true);
        }
    }
    if (!bias_.is_zero() && i.tap == 0) add_bias(e, i, b, first);
}

void gemm_convolution_weights::add_bias(
    const execution &e, const item &i, const gradient_block &b, bool first) const {
    f32 *sums = e.sums.bias.of(i.chunk) + i.g * shape_.OC;
    if (swapped_ && !direct_) {
        if (i.n0 > 0) return;
        dots_({i.lines, e.ones, lines_.row_stride() * bytes_, 0, i.m, 1, b.size(), i.dots,
            dim_t {sizeof(f32)}});
        for (dim_t c = 0; c < i.m; ++c) sums[i.m0 + c] += i.dots[c];
        return;
    }
    const void *ones = e.ones;
    const dim_t offset = 0;
    gemm_block_args t = one_product(1, i.n, panel_rows(b));
    t.a = &ones;
    t.b = i.panels;
    t.b_offset_bytes = &offset;
    t.b_panel_bytes = panel_bytes_;
    t.c = sums + i.n0;
    t.ldc_bytes = shape_.OC * dim_t {sizeof(f32)};
    t.accumulate = !first;
    if (!direct_) {
        if (i.m0 == 0) kernel_.run(t);
        return;
    }
    if (i.m0 > 0 || (swapped_ && i.n0 > 0)) return;
    const dim_t OH = left_axes_.h.positions, OW = left_axes_.w.positions;
    const dim_t stride = swapped_ ? left_stride_ : right_stride_, c0 = swapped_ ? 0 : i.n0;
    t.b = (swapped_ ? e.lines : e.panels) +
          (((b.plane * OH + b.oh) * OW + b.ow) * stride + i.g * shape_.OC + c0) * bytes_;
    t.b_panel_bytes = kernel_.panel_columns * bytes_;
    t.b_k_bytes = stride * bytes_;
    t.n = swapped_ ? shape_.OC : i.n;
    t.k = b.size();
    t.c = sums + c0;
    strided_.run(t);
}

} // namespace dnnl::impl::cpu
