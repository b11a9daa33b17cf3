// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/spatial_gather.hpp"

#include <algorithm>
#include <cstring>

namespace dnnl::impl::cpu {

namespace {

/// Nested loops, the innermost first: iterations, and bytes from one to the next.
struct level {
    dim_t count, stride;
};
/// The stride with which these loops step evenly through memory, `first` where none iterates more
/// than once; -1 of uneven ones.
dim_t even_stride(std::initializer_list<level> levels, dim_t first) {
    dim_t stride = first, extent = 1;
    for (const auto &[count, step] : levels) {
        if (count == 1) continue;
        if (extent == 1)
            stride = step;
        else if (step != stride * extent)
            return -1;
        extent *= count;
    }
    return stride;
}

/// Every tap touches the source at every position, tap 0 of position 0 its beginning.
bool is_whole(const tap_axis &t) {
    // Indices are linear in position and tap: what holds at the ends holds between.
    const dim_t o = t.positions - 1, k = t.taps - 1;
    return t.taps > 0 && (t.divisor == 1 || (o == 0 && k == 0)) && t.at(0, 0) == 0 &&
           t.at(0, k) >= 0 && (o < 0 || t.at(o, k) >= 0);
}

} // namespace

spatial_gather::spatial_gather(
    const memory_desc &src, dim_t channels, dim_t k_group, const window_axes &axes)
    : MB_(src.dims[0]), channels_(channels), tap_size_(round_up(channels, k_group)), window_(axes),
      from_(view_of(src)) {
    const auto &[d, h, w] = window_;
    lengths_ = {w.tap_distance() * from_.w, tap_size_ * from_.bytes, channels * from_.bytes};
    copy_ = choose_copy();
    const dim_t tap =
        even_stride({{w.taps, lengths_.step_bytes}, {h.taps, h.tap_distance() * from_.h},
                        {d.taps, d.tap_distance() * from_.d}},
            lengths_.tap_bytes);
    const dim_t row =
        even_stride({{w.positions, w.position_distance() * from_.w},
                        {h.positions, h.position_distance() * from_.h},
                        {d.positions, d.position_distance() * from_.d}, {MB_, from_.n}},
            0);
    row_stride_ = row / from_.bytes;
    direct_ = is_whole(d) && is_whole(h) && is_whole(w) && row >= 0 &&
              (window_.taps() == 1 || (tap_size_ == channels_ && tap == lengths_.tap_bytes));
}

namespace {
/// 1 to 4 bytes as a little-endian word. Loads that overlap a store of other width would stall.
template <std::size_t ChannelBytes> std::uint32_t load_bytes(const char *from) {
    std::uint16_t low = 0;
    std::uint32_t all = 0;
    if constexpr (ChannelBytes == 1) return static_cast<unsigned char>(*from);
    if constexpr (ChannelBytes == 4) {
        std::memcpy(&all, from, 4);
        return all;
    }
    std::memcpy(&low, from, 2);
    if constexpr (ChannelBytes == 3)
        all = std::uint32_t {static_cast<unsigned char>(from[2])} << 16;
    return all | low;
}

/// A tap is one group of k, four bytes: one word instead of a copy and a fill.
template <std::size_t ChannelBytes>
void copy_words(const char *src, char *dst, dim_t taps, const tap_lengths &of) {
    for (; taps > 0; --taps, src += of.step_bytes, dst += sizeof(std::uint32_t)) {
        const std::uint32_t word = load_bytes<ChannelBytes>(src);
        std::memcpy(dst, &word, sizeof word);
    }
}

/// Copies the taps of one kernel row, where they are adjacent in src.
void copy_adjacent_taps(const char *src, char *dst, dim_t taps, const tap_lengths &of) {
    std::memcpy(dst, src, static_cast<std::size_t>(taps * of.tap_bytes));
}

/// Copies taps of TapBytes bytes, all of which lie inside the image.
template <std::size_t TapBytes>
void copy_whole_taps(const char *src, char *dst, dim_t taps, const tap_lengths &of) {
    for (; taps > 0; --taps, src += of.step_bytes, dst += TapBytes) std::memcpy(dst, src, TapBytes);
}

void copy_any_taps(const char *src, char *dst, dim_t taps, const tap_lengths &of) {
    const auto channels = static_cast<std::size_t>(of.channel_bytes);
    const auto zeros = static_cast<std::size_t>(of.tap_bytes) - channels;
    for (; taps > 0; --taps, src += of.step_bytes, dst += of.tap_bytes) {
        std::memcpy(dst, src, channels);
        if (zeros > 0) std::memset(dst + channels, 0, zeros);
    }
}

void fill_taps(char *dst, dim_t taps, std::size_t tap_bytes, const void *padding) {
    if (!padding) {
        std::memset(dst, 0, static_cast<std::size_t>(taps) * tap_bytes);
    } else if (tap_bytes == sizeof(std::uint32_t)) {
        std::uint32_t word;
        std::memcpy(&word, padding, sizeof word);
        for (; taps > 0; --taps, dst += sizeof word) std::memcpy(dst, &word, sizeof word);
    } else {
        for (; taps > 0; --taps, dst += tap_bytes) std::memcpy(dst, padding, tap_bytes);
    }
}
} // namespace

spatial_gather::copy_function spatial_gather::choose_copy() const {
    const auto [step_bytes, tap_bytes, channel_bytes] = lengths_;
    const bool whole = channel_bytes == tap_bytes;
    if (whole && (step_bytes == tap_bytes || window_.w.taps == 1)) return copy_adjacent_taps;
    if (tap_bytes == sizeof(std::uint32_t)) {
        constexpr copy_function by_bytes[] {
            copy_words<1>, copy_words<2>, copy_words<3>, copy_words<4>};
        return by_bytes[channel_bytes - 1];
    }
    if (whole && tap_bytes == 8) return copy_whole_taps<8>;
    if (whole && tap_bytes == 16) return copy_whole_taps<16>;
    if (whole && tap_bytes == 32) return copy_whole_taps<32>;
    if (whole && tap_bytes == 64) return copy_whole_taps<64>;
    return copy_any_taps;
}

void spatial_gather::gather_whole_row(const char *first, char *dst) const {
    const auto &[d, h, w] = window_;
    const dim_t kernel_row_bytes = w.taps * lengths_.tap_bytes;
    const dim_t d_step = d.tap_distance() * from_.d, h_step = h.tap_distance() * from_.h;
    for (dim_t kd = 0; kd < d.taps; ++kd, first += d_step) {
        const char *image_row = first;
        for (dim_t kh = 0; kh < h.taps; ++kh, image_row += h_step, dst += kernel_row_bytes)
            copy_taps(image_row, w.taps, dst);
    }
}

void spatial_gather::gather_row(
    const char *first, const window_hits &hits, char *dst, const void *padding) const {
    const auto &[d, h, w] = window_;
    const auto tap_bytes = static_cast<std::size_t>(lengths_.tap_bytes);
    const auto is_in = [](const tap_hits &r, dim_t k) { return k >= r.tap && k < r.end(); };
    for (dim_t kd = 0; kd < d.taps; ++kd)
        for (dim_t kh = 0; kh < h.taps; ++kh, dst += w.taps * lengths_.tap_bytes) {
            if (!is_in(hits.d, kd) || !is_in(hits.h, kh) || hits.w.count == 0) {
                fill_taps(dst, w.taps, tap_bytes, padding);
                continue;
            }
            const char *image_row = first + (kd - hits.d.tap) * d.tap_step * from_.d +
                                    (kh - hits.h.tap) * h.tap_step * from_.h;
            if (hits.w.tap > 0) fill_taps(dst, hits.w.tap, tap_bytes, padding);
            copy_taps(image_row, hits.w.count, dst + hits.w.tap * lengths_.tap_bytes);
            if (hits.w.end() < w.taps)
                fill_taps(dst + hits.w.end() * lengths_.tap_bytes, w.taps - hits.w.end(), tap_bytes,
                    padding);
        }
}

void spatial_gather::gather_rows(const char *image, dim_t od, dim_t oh, dim_t ow, dim_t count,
    char *dst, const void *padding) const {
    const auto &[d, h, w] = window_;
    const dim_t row_bytes = row_size() * from_.bytes, end = ow + count;
    window_hits hits {d.hits(od), h.hits(oh), {}};
    while (ow < end) {
        hits.w = w.hits(ow);
        const dim_t alike = std::min(w.alike(ow, hits.w), end - ow);
        const bool any = hits.d.count > 0 && hits.h.count > 0 && hits.w.count > 0;
        const bool whole =
            hits.d.count == d.taps && hits.h.count == h.taps && hits.w.count == w.taps;
        const char *first =
            any ? image + from_.at(0, 0, hits.d.index, hits.h.index, hits.w.index) : image;
        const dim_t step = any ? w.position_step * from_.w : 0;
        for (dim_t i = 0; i < alike; ++i, dst += row_bytes, first += step) {
            if (whole)
                gather_whole_row(first, dst);
            else
                gather_row(first, hits, dst, padding);
        }
        ow += alike;
    }
}

void spatial_gather::gather_divided_row(
    const char *image, dim_t od, dim_t oh, dim_t ow, char *dst, const void *padding) const {
    const tap_hits d = window_.d.hits(od), h = window_.h.hits(oh), w = window_.w.hits(ow);
    fill_taps(dst, window_.taps(), static_cast<std::size_t>(lengths_.tap_bytes), padding);
    for (dim_t i = 0; i < d.count; ++i)
        for (dim_t j = 0; j < h.count; ++j)
            for (dim_t k = 0; k < w.count; ++k) {
                const dim_t row =
                    (d.tap + i * d.tap_step) * window_.h.taps + h.tap + j * h.tap_step;
                const dim_t tap = row * window_.w.taps + w.tap + k * w.tap_step;
                const char *pixel =
                    image + from_.at(0, 0, d.index + i * d.index_step, h.index + j * h.index_step,
                                w.index + k * w.index_step);
                copy_taps(pixel, 1, dst + tap * lengths_.tap_bytes);
            }
}

void spatial_gather::run(
    const void *src, dim_t begin, dim_t end, void *dst, const void *padding) const {
    const auto &[d, h, w] = window_;
    const dim_t row_bytes = row_size() * from_.bytes;
    const bool divided = d.divisor != 1 || h.divisor != 1 || w.divisor != 1;
    char *out = static_cast<char *>(dst);
    const dim_t plane = h.positions * w.positions;
    dim_t ow = begin % w.positions, oh = begin / w.positions % h.positions;
    dim_t od = begin / plane % d.positions, mb = begin / plane / d.positions;
    for (dim_t row = begin; row < end;) {
        const dim_t count = std::min(w.positions - ow, end - row);
        const char *image = static_cast<const char *>(src) + mb * from_.n;
        if (divided)
            for (dim_t i = 0; i < count; ++i)
                gather_divided_row(image, od, oh, ow + i, out + i * row_bytes, padding);
        else
            gather_rows(image, od, oh, ow, count, out, padding);
        row += count;
        out += count * row_bytes;
        ow = 0;
        if (++oh < h.positions) continue;
        oh = 0;
        if (++od < d.positions) continue;
        od = 0;
        ++mb;
    }
}

} // namespace dnnl::impl::cpu
