// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/tap_rows.hpp"

#include <cstring>
#include <utility>

namespace dnnl::impl::cpu {

namespace {

/// The least rows of a product. Fewer rows do not hide the latency of multiply-adds, so shorter
/// lines are multiplied together, with the taps that they have in common.
constexpr dim_t fewest_rows = 4;

/// The least positions of an image whose lines several products share: a list then ends with it.
constexpr dim_t fewest_sharing = 100;

/// True where it pays to cut lines into pieces whose positions hit the same taps: a ninth of the
/// products is saved, and the pieces stay long. (Measured on a Zen 4 core, lines of 19 to 33.)
bool lines_should_be_cut(const tap_axis &axis) {
    dim_t products = 0, pieces = 0;
    for (dim_t o = 0; o < axis.positions; ++pieces) {
        const tap_hits hits = axis.hits(o);
        const dim_t alike = axis.alike(o, hits);
        products += alike * hits.count;
        o += alike;
    }
    const dim_t all = axis.positions * axis.taps;
    return 9 * (all - products) > all && axis.positions >= 6 * pieces;
}

/// The positions [first, end) at which a tap touches the source.
struct positions {
    dim_t first, end;
};
positions positions_of(const tap_axis &axis, dim_t tap) {
    const dim_t n = axis.origin + tap * axis.tap_step, step = axis.position_step;
    const dim_t first = n < 0 ? ceiling(-n, step) : 0;
    const dim_t end = n < axis.extent ? ceiling(axis.extent - n, step) : 0;
    return {std::min(first, axis.positions), std::min(end, axis.positions)};
}

/// Writes `count` pointers, step_bytes from each other.
void fill(const void **to, dim_t count, const char *first, dim_t step_bytes) {
    using pair = std::uintptr_t __attribute__((vector_size(16)));
    constexpr dim_t at_once = 8;
    const auto step = static_cast<std::uintptr_t>(step_bytes);
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    const pair two {2 * step, 2 * step}, all {at_once * step, at_once * step};
    pair next {begin, begin + step};
    dim_t i = 0;
    for (; i + at_once <= count; i += at_once, next += all) {
        const pair out[] {next, next + two, next + two + two, next + two + two + two};
        std::memcpy(to + i, out, sizeof out);
    }
    for (; i < count; ++i) to[i] = first + i * step_bytes;
}

} // namespace

/// The parts of a place, as they are written.
struct tap_rows::writer {
    listed_rows *calls;
    const void **rows;
    dim_t *places;
    char *padding;   ///< a row of it
    char *edges;     ///< rows that are copied
    dim_t count = 0; ///< of calls
};

tap_rows::tap_rows(const spatial_gather &windows, const tap_order &order, dim_t tap_bytes,
    const tap_rows_options &options)
    : windows_(&windows), k_(windows.channels()), order_(order), tap_bytes_(tap_bytes),
      options_(options) {
    const auto &[d, h, w] = windows_->axes();
    if (options_.joins_taps) {
        k_ *= w.taps;
        whole_first_ = positions_of(w, 0).first;
        whole_end_ = std::max(positions_of(w, w.taps - 1).end, whole_first_);
        shares_lines_ = d.taps == 1 && h.tap_step == h.position_step &&
                        h.positions * w.positions >= fewest_sharing;
    } else if (options_.skips && !options_.by_lines) {
        splits_lines_ = lines_should_be_cut(w);
    }
    row_bytes_ = round_up(k_ * windows_->image().element_bytes, 64);
}

/// The number of copied pieces of lines that this many rows need.
dim_t tap_rows::edges_of(dim_t rows) const {
    if (!options_.joins_taps) return 0;
    const auto &[d, h, w] = windows_->axes();
    const dim_t W = std::max<dim_t>(w.positions, 1), lines = std::min((rows + W - 2) / W + 1, rows);
    const dim_t edges = std::min(lines * (w.positions - (whole_end_ - whole_first_)), rows);
    return edges * d.taps * h.taps;
}

dim_t tap_rows::place_bytes(dim_t rows) const {
    const dim_t products = windows_->axes().taps();
    const dim_t lists = rows * dim_t {sizeof(listed_rows)} +
                        rows * products * dim_t {sizeof(void *) + sizeof(dim_t)};
    return lists + (1 + edges_of(rows)) * row_bytes_ + 192;
}

template <class Body>
void tap_rows::for_each_segment(dim_t begin, dim_t end, const Body &body) const {
    const auto &[d, h, w] = windows_->axes();
    dim_t line = begin / w.positions;
    segment s {begin, 0, line / h.positions / d.positions, line / h.positions % d.positions,
        line % h.positions, begin - line * w.positions};
    while (s.row < end) {
        const dim_t left = std::min(w.positions - s.ow, end - s.row);
        s.count = splits_lines_ ? std::min(left, w.alike(s.ow, w.hits(s.ow))) : left;
        body(s);
        s.row += s.count;
        s.ow += s.count;
        if (s.ow < w.positions) continue;
        s.ow = 0;
        if (++s.oh < h.positions) continue;
        s.oh = 0;
        if (++s.od < d.positions) continue;
        s.od = 0;
        ++s.mb;
    }
}

/// The taps that a segment is multiplied with. They follow from the positions alone, not from where
/// a block begins, so that the bits do not depend on the cut even where weights are infinite. Short
/// lines have the taps of their neighbours.
tap_rows::tap_box tap_rows::box_of(const segment &s) const {
    const auto &[d, h, w] = windows_->axes();
    const dim_t width = options_.joins_taps ? 1 : w.taps; // of a row: one product
    if (!options_.skips) return {{0, 0, 0}, {d.taps, h.taps, width}};
    const dim_t together = std::max<dim_t>(fewest_rows / w.positions, 1);
    const dim_t first = s.oh / together * together;
    const tap_hits of_d = d.hits(s.od);
    tap_hits of_w {0, 1, width, 0, 1};
    if (splits_lines_) of_w = w.hits(s.ow);
    dim_t h0 = h.taps, h1 = 0;
    for (dim_t oh = first; oh < std::min(first + together, h.positions); ++oh) {
        const tap_hits of_h = h.hits(oh);
        if (of_h.count <= 0) continue;
        h0 = std::min(h0, of_h.tap);
        h1 = std::max(h1, of_h.end());
    }
    // A segment that touches nothing but padding is multiplied with the first tap and rows of
    // padding, so that its sums are zero.
    if (of_d.count <= 0 || h1 <= h0 || of_w.count <= 0) return {{0, 0, 0}, {1, 1, 1}};
    return {{of_d.tap, h0, of_w.tap}, {of_d.end(), h1, of_w.end()}};
}

/// Writes the pointers of joined taps for the positions of a segment. `line` is pixel 0 of a line
/// of the source.
void tap_rows::write_line(const char *line, const segment &s, const void **out, writer &to) const {
    const tap_axis &w = windows_->axes().w;
    const dim_t pixel_bytes = this->pixel_bytes(), step = w.position_distance();
    const dim_t first = std::clamp<dim_t>(whole_first_ - s.ow, 0, s.count);
    const dim_t end = std::clamp<dim_t>(whole_end_ - s.ow, first, s.count);
    const auto copy_edges = [&](dim_t from, dim_t until) {
        for (dim_t i = from; i < until; ++i, to.edges += row_bytes_) {
            const tap_hits hits = w.hits(s.ow + i);
            out[i] = to.edges;
            std::memcpy(to.edges, to.padding, std::size_t(k_ * windows_->image().element_bytes));
            if (hits.count > 0)
                std::memcpy(to.edges + hits.tap * pixel_bytes, line + hits.index * pixel_bytes,
                    std::size_t(hits.count * pixel_bytes));
        }
    };
    copy_edges(0, first);
    const dim_t iw = first < end ? w.origin + (s.ow + first) * w.position_step : 0;
    fill(out + first, end - first, line + iw * pixel_bytes, step * pixel_bytes);
    copy_edges(end, s.count);
}

void tap_rows::write(
    const char *src, const listed_rows &call, const tap_box &box, writer &to) const {
    const tap_axis &d = windows_->axes().d, &h = windows_->axes().h, &w = windows_->axes().w;
    const void **rows = to.rows;
    dim_t *place = to.places;
    const dim_t call_end = call.first + call.count;
    const dim_t step = shares_lines_ && call.count >= w.positions ? w.positions : call.count;
    for (dim_t kd = box.first[0]; kd < box.end[0]; ++kd)
        for (dim_t kh = box.first[1]; kh < box.end[1]; ++kh)
            for (dim_t kw = box.first[2]; kw < box.end[2]; ++kw) {
                *place++ = place_of(kd, kh, kw);
                const positions hits = positions_of(w, kw);
                // A list that is shared has all but the last line of a further product already.
                const dim_t from = place - 1 > to.places ? call_end - step : call.first;
                for_each_segment(from, call_end, [&](const segment &s) {
                    const dim_t id = d.at(s.od, kd), ih = h.at(s.oh, kh);
                    const void **out = rows + (s.row - call.first);
                    if (id < 0 || ih < 0) return fill(out, s.count, to.padding, 0);
                    if (options_.joins_taps)
                        return write_line(
                            src + windows_->image().bytes_at(s.mb, 0, id, ih, 0), s, out, to);
                    const dim_t first = std::clamp<dim_t>(hits.first - s.ow, 0, s.count);
                    const dim_t end = std::clamp<dim_t>(hits.end - s.ow, first, s.count);
                    const dim_t iw = first < end ? w.at(s.ow + first, kw) : 0;
                    fill(out, first, to.padding, 0);
                    fill(out + first, end - first,
                        src + windows_->image().bytes_at(s.mb, 0, id, ih, iw),
                        w.position_distance() * windows_->image().w_bytes);
                    fill(out + end, s.count - end, to.padding, 0);
                });
                rows += step;
            }
    rows += call.count - step;
    listed_rows &done = to.calls[to.count++] = call;
    done.products = place - to.places;
    done.rows = to.rows;
    done.step = step;
    done.place_bytes = to.places;
    to.rows = rows;
    to.places = place;
}

/// Finds the places of the parts and fills the padding.
tap_rows::writer tap_rows::begin(char *place, dim_t rows, const void *padding) const {
    const dim_t products = windows_->axes().taps(), pixel_bytes = this->pixel_bytes();
    const auto take = [&](dim_t bytes) {
        return std::exchange(place, place + round_up(bytes, 64));
    };
    writer to {};
    to.calls = reinterpret_cast<listed_rows *>(take(rows * dim_t {sizeof(listed_rows)}));
    to.rows = reinterpret_cast<const void **>(take(rows * products * dim_t {sizeof(void *)}));
    to.places = reinterpret_cast<dim_t *>(take(rows * products * dim_t {sizeof(dim_t)}));
    to.padding = take(row_bytes_);
    std::memset(to.padding, 0, std::size_t(row_bytes_));
    if (padding && pixel_bytes > 0)
        for (dim_t i = 0; i + pixel_bytes <= row_bytes_; i += pixel_bytes)
            std::memcpy(to.padding + i, padding, std::size_t(pixel_bytes));
    to.edges = place;
    return to;
}

std::span<const listed_rows> tap_rows::list(
    const char *src, dim_t begin, dim_t end, char *place, const void *padding) const {
    writer to = this->begin(place, end - begin, padding);
    listed_rows call {};
    tap_box box {};
    for_each_segment(begin, end, [&](const segment &s) {
        const tap_box own = box_of(s);
        const bool begins = options_.by_lines || (shares_lines_ && s.oh == 0 && s.ow == 0);
        if (call.count > 0 && (begins || own != box)) {
            write(src, call, box, to);
            call.count = 0;
        }
        if (call.count == 0) call.first = s.row;
        box = own;
        call.count += s.count;
    });
    if (call.count > 0) write(src, call, box, to);
    return {to.calls, std::size_t(to.count)};
}

listed_rows tap_rows::list_padding(char *place, const void *padding) const {
    writer to = begin(place, 1, padding);
    const auto &[d, h, w] = windows_->axes();
    dim_t products = 0;
    for (dim_t kd = 0; kd < d.taps; ++kd)
        for (dim_t kh = 0; kh < h.taps; ++kh)
            for (dim_t kw = 0; kw < (options_.joins_taps ? 1 : w.taps); ++kw, ++products) {
                to.places[products] = place_of(kd, kh, kw);
                to.rows[products] = to.padding;
            }
    return {0, 1, products, 1, to.rows, to.places};
}

} // namespace dnnl::impl::cpu
