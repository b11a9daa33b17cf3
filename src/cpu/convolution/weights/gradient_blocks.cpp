// SPDX-License-Identifier: Apache-2.0
#include "cpu/convolution/weights/gradient_blocks.hpp"

#include <cstring>
#include <numeric>

namespace dnnl::impl::cpu {

gradient_blocks::cut::cut(dim_t all, dim_t most) : extent(all) {
    const dim_t pieces = std::max<dim_t>(div_up(all, std::max<dim_t>(most, 1)), 1);
    share = std::max<dim_t>(div_up(all, pieces), 1);
    count = div_up(all, share);
}

gradient_blocks::gradient_blocks(dim_t planes, dim_t OH, dim_t OW, dim_t most) {
    // One dimension is cut, those inside it are taken whole, those outside one by one.
    const dim_t line = std::max<dim_t>(OW, 1), plane = line * std::max<dim_t>(OH, 1);
    planes_ = cut(planes, most / plane);
    lines_ = cut(OH, plane <= most ? OH : most / line);
    pixels_ = cut(OW, line <= most ? OW : most);
}

gradient_block gradient_blocks::of(dim_t index) const {
    const dim_t w = index % pixels_.count, h = index / pixels_.count % lines_.count,
                p = index / pixels_.count / lines_.count;
    return {planes_.begin(p), planes_.size(p), lines_.begin(h), lines_.size(h), pixels_.begin(w),
        pixels_.size(w)};
}

dim_t gradient_share::items(const gradient_sums &all) const {
    return all.parts * div_up(all.taps, taps) * div_up(all.rows, rows) *
           div_up(all.columns, columns);
}

gradient_share share_gradient(
    const gradient_sums &all, dim_t tile_rows, dim_t panel_columns, dim_t threads) {
    // An element of an operand takes as long to transpose or pack as this many products. (Measured
    // on a Zen 5 core with f32.)
    constexpr dim_t products_of_element = 10;
    const dim_t taps = std::max<dim_t>(all.taps, 1), rows = std::max<dim_t>(all.rows, 1),
                columns = std::max<dim_t>(all.columns, 1);
    const dim_t row_tiles = div_up(rows, tile_rows), panels = div_up(columns, panel_columns);
    gradient_share best {taps, rows, columns};
    if (threads <= 1) return best;
    double least = -1;
    const auto weigh = [&](dim_t t, dim_t r, dim_t c) {
        const gradient_share share {div_up(taps, t),
            std::min(rows, div_up(row_tiles, r) * tile_rows),
            std::min(columns, div_up(panels, c) * panel_columns)};
        const double item = double(share.taps) * double(share.rows * share.columns) +
                            double(products_of_element * (share.rows + share.columns));
        const double time = item * double(div_up(share.items(all), threads));
        if (least >= 0 && time >= least) return;
        least = time;
        best = share;
    };
    const dim_t parts = std::max<dim_t>(all.parts, 1);
    for (dim_t t = 1; t <= std::min({taps, threads, dim_t {32}}); ++t)
        for (dim_t c = 1; c <= std::min({panels, threads, dim_t {32}}); ++c)
            for (dim_t rounds = 1; rounds <= 6; ++rounds) {
                const dim_t r = rounds * threads / (parts * t * c);
                weigh(t, std::clamp<dim_t>(r, 1, row_tiles), c);
            }
    return best;
}

phase_axis::phase_axis(const tap_axis &axis, dim_t most) : axis_(axis) {
    const dim_t S = axis.position_step;
    const bool apart = (axis.taps - 1) * axis.tap_step / S > most;
    // Without phases of their own, taps so far from each other would begin in the same place.
    const dim_t period = apart ? axis.taps : S / std::gcd(S, axis.tap_step);
    for (dim_t k = 0; k < axis.taps; ++k) {
        const dim_t distance = k * axis.tap_step;
        const dim_t start = apart ? distance : distance % S, shift = (distance - start) / S;
        if (k < period) starts_.push_back(start);
        taps_.push_back({k % period, shift});
        halo_ = std::max(halo_, shift);
    }
}

phase_axis::range phase_axis::inside(dim_t first, dim_t count) const {
    const dim_t S = axis_.position_step;
    const dim_t begin = first < 0 ? std::min(count, ceiling(-first, S)) : 0;
    const dim_t end = std::clamp(ceiling(axis_.extent - first, S), begin, count);
    return {begin, end};
}

transposed_lines::transposed_lines(const window_axes &axes, const image_view &view, data_type type,
    copy_function copy, const gradient_blocks &blocks, dim_t pixel_group)
    : d_(axes.d), h_(axes.h, blocks.largest().lines), w_(axes.w, blocks.largest().pixels),
      view_(view), type_(type), copy_(copy) {
    const gradient_block b = blocks.largest();
    planes_ = b.planes;
    plane_lines_ = b.lines + h_.halo();
    line_stride_ = round_up(b.pixels + w_.halo(), pixel_group);
    constexpr dim_t line_elements = 16; // of a cache line or two
    const dim_t size = h_.phases() * w_.phases() * planes_ * plane_lines_ * line_stride_;
    row_stride_ = round_up(size, 2 * line_elements) + line_elements;
    const auto all_inside = [](const tap_axis &t) {
        for (dim_t k = 0; k < t.taps; ++k)
            if (t.at(0, k) < 0 || t.at(t.positions - 1, k) < 0) return false;
        return true;
    };
    dense_ = h_.halo() == 0 && line_stride_ == b.pixels && d_.positions > 0 &&
             h_.axis().positions > 0 && all_inside(d_) && all_inside(h_.axis());
    // Where lines are taken whole, the same pixels of each line are outside the image.
    clears_lines_ = blocks.cuts_lines();
}

void transposed_lines::clear(char *rows, dim_t channels) const {
    std::memset(rows, 0, std::size_t(channels * row_stride_ * view_.element_bytes));
}

void transposed_lines::fill(
    const char *src, const gradient_block &b, dim_t kd, dim_t channels, char *rows) const {
    const dim_t bytes = view_.element_bytes;
    for (dim_t plane = 0; plane < b.planes; ++plane) {
        const dim_t n = (b.plane + plane) / d_.positions, od = (b.plane + plane) % d_.positions;
        const dim_t id = d_.at(od, kd);
        if (id < 0) continue;
        for (dim_t phase = 0; phase < h_.phases(); ++phase) {
            const dim_t first = h_.first(phase, b.oh);
            const auto [begin, end] = h_.inside(first, b.lines + h_.halo());
            for (dim_t line = begin; line < end; ++line) {
                const dim_t ih = first + line * h_.axis().position_step;
                for (dim_t w = 0; w < w_.phases(); ++w) {
                    const dim_t place =
                        ((phase * w_.phases() + w) * planes_ + plane) * plane_lines_ + line;
                    fill_line(src + view_.bytes_at(n, 0, id, ih, 0), b, w, channels,
                        rows + place * line_stride_ * bytes);
                }
            }
        }
    }
}

void transposed_lines::fill_line(
    const char *line, const gradient_block &b, dim_t phase, dim_t channels, char *rows) const {
    const dim_t bytes = view_.element_bytes, count = b.pixels + w_.halo();
    const dim_t first = w_.first(phase, b.ow);
    const auto [begin, end] = w_.inside(first, count);
    if (clears_lines_)
        for (dim_t c = 0; c < channels; ++c) {
            char *row = rows + c * row_stride_ * bytes;
            std::memset(row, 0, std::size_t(begin * bytes));
            std::memset(row + end * bytes, 0, std::size_t((line_stride_ - end) * bytes));
        }
    if (begin == end) return;
    copy_tile_args a {};
    a.src = line + (first + begin * w_.axis().position_step) * view_.w_bytes;
    a.dst = rows + begin * bytes;
    a.rows = channels;
    a.columns = end - begin;
    a.src_row = a.dst_column = 1;
    a.src_column = w_.axis().position_distance() * (view_.w_bytes / bytes);
    a.dst_row = row_stride_;
    a.src_type = a.dst_type = type_;
    copy_(a);
}

} // namespace dnnl::impl::cpu
