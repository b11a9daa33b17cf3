// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/tap_rows.hpp"

#include <cstring>

namespace dnnl::impl::cpu {

namespace {

/// One of several nested loops: its iterations, and the bytes from one to the next.
struct level {
    dim_t count, stride;
};
/// The stride with which nested loops, the innermost first, step evenly through memory; `first`
/// where no loop iterates more than once; -1 where they do not step evenly.
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

/// True where every tap touches the source at every position, tap 0 of position 0 its first index.
bool is_whole(const tap_axis &t) {
    // Indices are linear in position and tap, so what holds at both ends holds between them.
    const dim_t o = t.positions - 1, k = t.taps - 1;
    return t.taps > 0 && (t.divisor == 1 || (o == 0 && k == 0)) && t.at(0, 0) == 0 &&
           t.at(0, k) >= 0 && (o < 0 || t.at(o, k) >= 0);
}

/// Loads 1 to 3 bytes as a little-endian word. Overlapping a store of another width would stall.
template <std::size_t ChannelBytes> std::uint32_t load_bytes(const char *from) {
    std::uint16_t low = 0;
    if constexpr (ChannelBytes == 1) return static_cast<unsigned char>(*from);
    std::memcpy(&low, from, 2);
    if constexpr (ChannelBytes == 2) return low;
    return std::uint32_t {static_cast<unsigned char>(from[2])} << 16 | low;
}

/// Copies taps that are one group of k, four bytes: one word each, in place of a copy and a fill.
template <std::size_t ChannelBytes>
void copy_words(const char *src, char *dst, dim_t taps, const tap_lengths &of) {
    for (; taps > 0; --taps, src += of.step_bytes, dst += sizeof(std::uint32_t)) {
        const std::uint32_t word = load_bytes<ChannelBytes>(src);
        std::memcpy(dst, &word, sizeof word);
    }
}

/// Copies the taps of one kernel row, where they are adjacent in src.
void copy_adjacent_taps(const char *src, char *dst, dim_t taps, const tap_lengths &of) {
    std::memcpy(dst, src, std::size_t(taps * of.tap_bytes));
}

/// Copies taps of TapBytes bytes, none of which is padding.
template <std::size_t TapBytes>
void copy_whole_taps(const char *src, char *dst, dim_t taps, const tap_lengths &of) {
    for (; taps > 0; --taps, src += of.step_bytes, dst += TapBytes) std::memcpy(dst, src, TapBytes);
}

void copy_any_taps(const char *src, char *dst, dim_t taps, const tap_lengths &of) {
    const auto channels = std::size_t(of.channel_bytes);
    const auto zeros = std::size_t(of.tap_bytes) - channels;
    for (; taps > 0; --taps, src += of.step_bytes, dst += of.tap_bytes) {
        std::memcpy(dst, src, channels);
        if (zeros > 0) std::memset(dst + channels, 0, zeros);
    }
}

/// Fills taps with padding, which has the bytes of one tap; null: with zeros.
void fill_taps(char *dst, dim_t bytes, dim_t tap_bytes, const void *padding) {
    if (!padding || bytes == 0) {
        std::memset(dst, 0, std::size_t(bytes));
        return;
    }
    std::memcpy(dst, padding, std::size_t(tap_bytes));
    for (dim_t done = tap_bytes; done < bytes; done *= 2)
        std::memcpy(dst + done, dst, std::size_t(std::min(done, bytes - done)));
}

} // namespace

spatial_gather::spatial_gather(
    const memory_desc &src, dim_t channels, dim_t k_group, const window_axes &axes)
    : MB_(src.dims[0]), channels_(channels), tap_size_(round_up(channels, k_group)), window_(axes),
      from_(view_of(src)) {
    const auto &[d, h, w] = window_;
    lengths_ = {w.tap_distance() * from_.w_bytes, tap_size_ * from_.element_bytes,
        channels * from_.element_bytes};
    copy_ = choose_copy();
    const dim_t tap =
        even_stride({{w.taps, lengths_.step_bytes}, {h.taps, h.tap_distance() * from_.h_bytes},
                        {d.taps, d.tap_distance() * from_.d_bytes}},
            lengths_.tap_bytes);
    const dim_t row =
        even_stride({{w.positions, w.position_distance() * from_.w_bytes},
                        {h.positions, h.position_distance() * from_.h_bytes},
                        {d.positions, d.position_distance() * from_.d_bytes}, {MB_, from_.n_bytes}},
            0);
    row_stride_ = row / from_.element_bytes;
    direct_ = is_whole(d) && is_whole(h) && is_whole(w) && row >= 0 &&
              (window_.taps() == 1 || (tap_size_ == channels_ && tap == lengths_.tap_bytes));
}

spatial_gather::copy_function spatial_gather::choose_copy() const {
    const auto [step_bytes, tap_bytes, channel_bytes] = lengths_;
    const bool whole = channel_bytes == tap_bytes;
    if (whole && (step_bytes == tap_bytes || window_.w.taps == 1)) return copy_adjacent_taps;
    if (whole && tap_bytes == 4) return copy_whole_taps<4>;
    if (whole && tap_bytes == 8) return copy_whole_taps<8>;
    if (whole && tap_bytes == 16) return copy_whole_taps<16>;
    if (whole && tap_bytes == 32) return copy_whole_taps<32>;
    if (whole && tap_bytes == 64) return copy_whole_taps<64>;
    if (tap_bytes != sizeof(std::uint32_t)) return copy_any_taps;
    constexpr copy_function by_bytes[] {copy_words<1>, copy_words<2>, copy_words<3>};
    return by_bytes[channel_bytes - 1];
}

void spatial_gather::gather_whole_row(const char *first, char *dst) const {
    const auto &[d, h, w] = window_;
    const dim_t kernel_row_bytes = w.taps * lengths_.tap_bytes;
    const dim_t plane = d.tap_distance() * from_.d_bytes, line = h.tap_distance() * from_.h_bytes;
    for (dim_t kd = 0; kd < d.taps; ++kd, first += plane) {
        const char *image_row = first;
        for (dim_t kh = 0; kh < h.taps; ++kh, image_row += line, dst += kernel_row_bytes)
            copy_(image_row, dst, w.taps, lengths_);
    }
}

/// Gathers a row with taps that lie in the padding. `first`: the pixel of the first tap of `hits`.
void spatial_gather::gather_row(
    const char *first, const window_hits &hits, char *dst, const void *padding) const {
    const auto &[d, h, w] = hits;
    const dim_t KH = window_.h.taps, KW = window_.w.taps, tap_bytes = lengths_.tap_bytes;
    const bool adjacent = window_.w.divisor == 1; // taps of a row
    char *next = dst, *end = dst + window_.taps() * tap_bytes;
    const auto put = [&](const char *pixel, dim_t tap, dim_t taps) {
        char *to = dst + tap * tap_bytes;
        if (to > next) fill_taps(next, to - next, tap_bytes, padding);
        copy_(pixel, to, taps, lengths_);
        next = to + taps * tap_bytes;
    };
    for (dim_t i = 0; i < d.count; ++i)
        for (dim_t j = 0; j < h.count; ++j) {
            const char *pixel =
                first + i * d.index_step * from_.d_bytes + j * h.index_step * from_.h_bytes;
            const dim_t row = (d.tap + i * d.tap_step) * KH + h.tap + j * h.tap_step;
            if (adjacent)
                put(pixel, row * KW + w.tap, w.count);
            else
                for (dim_t k = 0; k < w.count; ++k)
                    put(pixel + k * w.index_step * from_.w_bytes, row * KW + w.tap + k * w.tap_step,
                        1);
        }
    if (end > next) fill_taps(next, end - next, tap_bytes, padding);
}

void spatial_gather::run(
    const void *src, dim_t begin, dim_t end, void *dst, const void *padding) const {
    const auto &[d, h, w] = window_;
    const dim_t row_bytes = row_size() * from_.element_bytes,
                step = w.position_distance() * from_.w_bytes;
    const bool divided = d.divisor != 1 || h.divisor != 1 || w.divisor != 1;
    char *to = static_cast<char *>(dst);
    dim_t ow = begin % w.positions, oh = begin / w.positions % h.positions;
    dim_t od = begin / w.positions / h.positions % d.positions;
    dim_t mb = begin / w.positions / h.positions / d.positions;
    for (dim_t row = begin; row < end;) {
        window_hits hits {d.hits(od), h.hits(oh), w.hits(ow)};
        const bool any = hits.d.count > 0 && hits.h.count > 0 && hits.w.count > 0;
        const bool whole = any && !divided && hits.d.count == d.taps && hits.h.count == h.taps &&
                           hits.w.count == w.taps;
        const char *first = static_cast<const char *>(src);
        if (any)
            first += from_.bytes_at(mb, 0, hits.d.index, hits.h.index, hits.w.index);
        else
            hits.d.count = 0;
        const dim_t alike = w.alike(ow, hits.w), next = std::min(row + alike, end);
        for (; row < next; ++row, to += row_bytes) {
            if (whole)
                gather_whole_row(first, to);
            else
                gather_row(first, hits, to, padding);
            first += any ? step : 0;
        }
        ow += alike;
        if (ow < w.positions) continue;
        ow = 0;
        if (++oh < h.positions) continue;
        oh = 0;
        if (++od < d.positions) continue;
        od = 0;
        ++mb;
    }
}

} // namespace dnnl::impl::cpu
