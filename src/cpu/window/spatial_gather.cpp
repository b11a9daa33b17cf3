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
      from_(view_of(src)), tap_bytes_(tap_size_ * from_.bytes),
      step_bytes_(axes.w.tap_distance() * from_.w) {
    const auto &[d, h, w] = window_;
    const dim_t tap = even_stride({{w.taps, step_bytes_}, {h.taps, h.tap_distance() * from_.h},
                                      {d.taps, d.tap_distance() * from_.d}},
        tap_bytes_);
    const dim_t row =
        even_stride({{w.positions, w.position_distance() * from_.w},
                        {h.positions, h.position_distance() * from_.h},
                        {d.positions, d.position_distance() * from_.d}, {MB_, from_.n}},
            0);
    row_stride_ = row / from_.bytes;
    direct_ = is_whole(d) && is_whole(h) && is_whole(w) && row >= 0 &&
              (window_.taps() == 1 || (tap_size_ == channels_ && tap == tap_bytes_));
}

namespace {

/// Taps of one group of k, four bytes, from pixels of 1 to 4 bytes: whole words, because a load of
/// another width than the store before it would wait for that.
template <std::size_t ChannelBytes>
void copy_words(const char *src, char *dst, dim_t taps, dim_t step_bytes) {
    for (; taps > 0; --taps, src += step_bytes, dst += sizeof(std::uint32_t)) {
        std::uint32_t word = 0;
        if constexpr (ChannelBytes == 3) {
            std::uint16_t low;
            std::memcpy(&low, src, 2);
            word = std::uint32_t {static_cast<unsigned char>(src[2])} << 16 | low;
        } else {
            std::memcpy(&word, src, ChannelBytes);
        }
        std::memcpy(dst, &word, sizeof word);
    }
}

/// padding: one tap, or null for zeros.
void fill_taps(char *dst, dim_t taps, dim_t tap_bytes, const void *padding) {
    const auto bytes = [&](dim_t count) { return static_cast<std::size_t>(count * tap_bytes); };
    if (!padding || taps == 0) {
        std::memset(dst, 0, bytes(taps));
        return;
    }
    std::memcpy(dst, padding, bytes(1));
    for (dim_t done = 1; done < taps; done *= 2)
        std::memcpy(dst + done * tap_bytes, dst, bytes(std::min(done, taps - done)));
}

} // namespace

/// The channels of pixels of one row become taps that follow each other, filled up with zeros.
void spatial_gather::copy_taps(const char *src, dim_t taps, char *dst) const {
    const auto channel_bytes = static_cast<std::size_t>(channels_ * from_.bytes);
    const auto zeros = static_cast<std::size_t>(tap_bytes_) - channel_bytes;
    if (zeros == 0 && (step_bytes_ == tap_bytes_ || taps == 1)) {
        std::memcpy(dst, src, static_cast<std::size_t>(taps) * channel_bytes);
        return;
    }
    if (tap_bytes_ == sizeof(std::uint32_t)) {
        constexpr void (*by_bytes[])(const char *, char *, dim_t, dim_t) {
            copy_words<1>, copy_words<2>, copy_words<3>, copy_words<4>};
        return by_bytes[channel_bytes - 1](src, dst, taps, step_bytes_);
    }
    for (; taps > 0; --taps, src += step_bytes_, dst += tap_bytes_) {
        std::memcpy(dst, src, channel_bytes);
        if (zeros > 0) std::memset(dst + channel_bytes, 0, zeros);
    }
}

/// first: the pixel of the first tap of `hits`; null where nothing is touched.
void spatial_gather::gather_row(
    const char *first, const window_hits &hits, char *dst, const void *padding) const {
    const auto &[d, h, w] = hits;
    const dim_t KH = window_.h.taps, KW = window_.w.taps;
    if (!first || d.count * h.count * w.count < window_.taps())
        fill_taps(dst, window_.taps(), tap_bytes_, padding);
    if (!first) return;
    for (dim_t i = 0; i < d.count; ++i)
        for (dim_t j = 0; j < h.count; ++j) {
            const char *pixel = first + i * d.index_step * from_.d + j * h.index_step * from_.h;
            const dim_t row = (d.tap + i * d.tap_step) * KH + h.tap + j * h.tap_step;
            char *to = dst + (row * KW + w.tap) * tap_bytes_;
            if (window_.w.divisor == 1) {
                copy_taps(pixel, w.count, to);
                continue;
            }
            for (dim_t k = 0; k < w.count; ++k)
                copy_taps(pixel + k * w.index_step * from_.w, 1, to + k * w.tap_step * tap_bytes_);
        }
}

void spatial_gather::run(
    const void *src, dim_t begin, dim_t end, void *dst, const void *padding) const {
    const auto &[d, h, w] = window_;
    char *to = static_cast<char *>(dst);
    for (dim_t row = begin; row < end;) {
        const dim_t ow = row % w.positions, oh = row / w.positions % h.positions;
        const dim_t image_row = row / w.positions / h.positions;
        const dim_t od = image_row % d.positions, mb = image_row / d.positions;
        const window_hits hits {d.hits(od), h.hits(oh), w.hits(ow)};
        const bool any = hits.d.count > 0 && hits.h.count > 0 && hits.w.count > 0;
        const char *first = any ? static_cast<const char *>(src) +
                                      from_.at(mb, 0, hits.d.index, hits.h.index, hits.w.index)
                                : nullptr;
        const dim_t next = std::min(row + w.alike(ow, hits.w), end);
        for (; row < next; ++row, to += row_size() * from_.bytes) {
            gather_row(first, hits, to, padding);
            first = moved(first, w.position_step * from_.w);
        }
    }
}

} // namespace dnnl::impl::cpu
