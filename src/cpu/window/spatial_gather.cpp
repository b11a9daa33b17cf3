// SPDX-License-Identifier: Apache-2.0
#include "cpu/window/spatial_gather.hpp"

#include <algorithm>
#include <cstring>

#include "common/layout/data_type.hpp"

namespace dnnl::impl::cpu {

window_axes forward_axes(const convolution_shape &s) {
    return {forward_taps(s.OD, s.ID, s.KD, s.SD, s.DD, s.PD),
        forward_taps(s.OH, s.IH, s.KH, s.SH, s.DH, s.PH),
        forward_taps(s.OW, s.IW, s.KW, s.SW, s.DW, s.PW)};
}
window_axes backward_axes(const convolution_shape &s) {
    return {backward_taps(s.OD, s.ID, s.KD, s.SD, s.DD, s.PD),
        backward_taps(s.OH, s.IH, s.KH, s.SH, s.DH, s.PH),
        backward_taps(s.OW, s.IW, s.KW, s.SW, s.DW, s.PW)};
}

namespace {
/// Stride of spatial dimension `place` counted from the last one; 0 where the tensor lacks it.
dim_t spatial_stride(const memory_desc &md, int place) {
    const int d = md.ndims - 1 - place;
    return d >= 2 ? md.strides[d] : 0;
}
} // namespace

spatial_gather::spatial_gather(
    const memory_desc &src, dim_t channels, dim_t k_group, const window_axes &axes)
    : MB_(src.dims[0]), channels_(channels), tap_size_(round_up(channels, k_group)),
      bytes_(static_cast<dim_t>(size_of(src.dtype))), d_(axes[0]), h_(axes[1]), w_(axes[2]) {
    n_stride_ = src.strides[0];
    w_stride_ = spatial_stride(src, 0);
    h_stride_ = spatial_stride(src, 1);
    d_stride_ = spatial_stride(src, 2);
    tap_bytes_ = tap_size_ * bytes_;
    step_bytes_ = w_.tap_step * w_stride_ * bytes_;
    copy_ = choose_copy();
    direct_ = tap_size_ == channels_ && (pixels_are_rows() || images_are_rows());
    direct_ = direct_ || (d_.taps * h_.taps * w_.taps == 1 && pixels_are_rows());
}

namespace {
// Indices are linear in position and tap: what holds for the first and the last holds between.

/// The taps of the only position are the source indices 0, 1, 2, ...
bool covers_source(const tap_axis &t) {
    if (t.positions != 1) return false;
    return t.taps == 0 || (t.at(0, 0) == 0 && t.at(0, t.taps - 1) == t.taps - 1);
}

/// One tap, and position o touches source index o.
bool is_identity(const tap_axis &t) {
    if (t.taps != 1) return false;
    const dim_t last = t.positions - 1;
    return t.positions == 0 || (t.at(0, 0) == 0 && t.at(last, 0) == last);
}
} // namespace

/// Every row is one pixel, and pixels follow each other evenly through lines, planes and images.
bool spatial_gather::pixels_are_rows() {
    if (!is_identity(d_) || !is_identity(h_) || !is_identity(w_)) return false;
    dim_t extent = 1;
    row_stride_ = 0;
    const std::pair<dim_t, dim_t> nested[] {{w_.positions, w_stride_}, {h_.positions, h_stride_},
        {d_.positions, d_stride_}, {MB_, n_stride_}};
    for (const auto &[count, stride] : nested) {
        if (count == 1) continue;
        if (extent == 1)
            row_stride_ = stride;
        else if (stride != row_stride_ * extent)
            return false;
        extent *= count;
    }
    return true;
}

/// The kernel covers the image, and the channels of its taps follow each other without gaps.
bool spatial_gather::images_are_rows() {
    if (!covers_source(d_) || !covers_source(h_) || !covers_source(w_)) return false;
    const dim_t line = channels_ * w_.taps;
    const bool adjacent = (w_.taps == 1 || w_stride_ == channels_) &&
                          (h_.taps == 1 || h_stride_ == line) &&
                          (d_.taps == 1 || d_stride_ == line * h_.taps);
    row_stride_ = n_stride_;
    return adjacent;
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
template <std::size_t ChannelBytes, class Args>
void copy_words(const char *src, char *dst, const Args &args) {
    for (dim_t tap = 0; tap < args.taps; ++tap, src += args.step, dst += sizeof(std::uint32_t)) {
        const std::uint32_t word = load_bytes<ChannelBytes>(src);
        std::memcpy(dst, &word, sizeof word);
    }
}

/// Pixels that follow each other as taps do.
template <class Args> void copy_line(const char *src, char *dst, const Args &args) {
    std::memcpy(dst, src, static_cast<std::size_t>(args.taps * args.tap));
}

/// Taps of so many bytes without a fill.
template <std::size_t TapBytes, class Args>
void copy_whole_taps(const char *src, char *dst, const Args &args) {
    for (dim_t tap = 0; tap < args.taps; ++tap, src += args.step, dst += TapBytes)
        std::memcpy(dst, src, TapBytes);
}

template <class Args> void copy_any_taps(const char *src, char *dst, const Args &args) {
    for (dim_t tap = 0; tap < args.taps; ++tap, src += args.step, dst += args.tap) {
        std::memcpy(dst, src, static_cast<std::size_t>(args.channels));
        if (args.channels < args.tap)
            std::memset(dst + args.channels, 0, static_cast<std::size_t>(args.tap - args.channels));
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
    const dim_t channel_bytes = channels_ * bytes_;
    const bool whole = channel_bytes == tap_bytes_;
    if (whole && (step_bytes_ == tap_bytes_ || w_.taps == 1)) return copy_line<copy_args>;
    if (tap_bytes_ == sizeof(std::uint32_t)) {
        constexpr copy_function by_bytes[] {copy_words<1, copy_args>, copy_words<2, copy_args>,
            copy_words<3, copy_args>, copy_words<4, copy_args>};
        return by_bytes[channel_bytes - 1];
    }
    if (whole && tap_bytes_ == 8) return copy_whole_taps<8, copy_args>;
    if (whole && tap_bytes_ == 16) return copy_whole_taps<16, copy_args>;
    if (whole && tap_bytes_ == 32) return copy_whole_taps<32, copy_args>;
    if (whole && tap_bytes_ == 64) return copy_whole_taps<64, copy_args>;
    return copy_any_taps<copy_args>;
}

void spatial_gather::gather_whole_row(const char *first, char *dst) const {
    const dim_t line_bytes = w_.taps * tap_bytes_;
    const dim_t d_step = d_.tap_step * d_stride_ * bytes_,
                h_step = h_.tap_step * h_stride_ * bytes_;
    for (dim_t kd = 0; kd < d_.taps; ++kd, first += d_step) {
        const char *line = first;
        for (dim_t kh = 0; kh < h_.taps; ++kh, line += h_step, dst += line_bytes)
            copy_taps(line, w_.taps, dst);
    }
}

void spatial_gather::gather_row(
    const char *first, const touched_taps &taps, char *dst, const void *padding) const {
    const auto tap_bytes = static_cast<std::size_t>(tap_bytes_);
    const auto is_in = [](const tap_range &r, dim_t k) { return k >= r.first && k < r.last; };
    for (dim_t kd = 0; kd < d_.taps; ++kd)
        for (dim_t kh = 0; kh < h_.taps; ++kh, dst += w_.taps * tap_bytes_) {
            if (!taps.any() || !is_in(taps.d, kd) || !is_in(taps.h, kh)) {
                fill_taps(dst, w_.taps, tap_bytes, padding);
                continue;
            }
            const char *line = first + ((kd - taps.d.first) * d_.tap_step * d_stride_ +
                                           (kh - taps.h.first) * h_.tap_step * h_stride_) *
                                           bytes_;
            const tap_range &w = taps.w;
            if (w.first > 0) fill_taps(dst, w.first, tap_bytes, padding);
            copy_taps(line, w.count(), dst + w.first * tap_bytes_);
            if (w.last < w_.taps)
                fill_taps(dst + w.last * tap_bytes_, w_.taps - w.last, tap_bytes, padding);
        }
}

void spatial_gather::gather_rows(const char *image, dim_t od, dim_t oh, dim_t ow, dim_t count,
    char *dst, const void *padding) const {
    const dim_t row_bytes = row_size() * bytes_, end = ow + count;
    touched_taps taps {d_.inside(od), h_.inside(oh), {}};
    while (ow < end) {
        taps.w = w_.inside(ow);
        const dim_t alike = std::min(w_.alike(ow, taps.w), end - ow);
        const bool any = taps.any();
        const bool whole =
            taps.d.count() == d_.taps && taps.h.count() == h_.taps && taps.w.count() == w_.taps;
        const char *first = image;
        if (any)
            first +=
                (taps.d.index * d_stride_ + taps.h.index * h_stride_ + taps.w.index * w_stride_) *
                bytes_;
        const dim_t step = any ? w_.position_step * w_stride_ * bytes_ : 0;
        for (dim_t i = 0; i < alike; ++i, dst += row_bytes) {
            if (whole)
                gather_whole_row(first + i * step, dst);
            else
                gather_row(first + i * step, taps, dst, padding);
        }
        ow += alike;
    }
}

void spatial_gather::gather_divided_line(
    const char *line, dim_t ow, char *dst, const void *padding) const {
    const auto tap_bytes = static_cast<std::size_t>(tap_bytes_);
    if (!line) return fill_taps(dst, w_.taps, tap_bytes, padding);
    tap_cursor tap(w_, ow);
    for (dim_t kw = 0; kw < w_.taps; ++kw, tap.next(), dst += tap_bytes) {
        if (tap.index() < 0)
            fill_taps(dst, 1, tap_bytes, padding);
        else
            copy_taps(line + tap.index() * w_stride_ * bytes_, 1, dst);
    }
}

void spatial_gather::gather_divided_row(
    const char *image, dim_t od, dim_t oh, dim_t ow, char *dst, const void *padding) const {
    for (dim_t kd = 0; kd < d_.taps; ++kd) {
        const dim_t id = d_.at(od, kd);
        for (dim_t kh = 0; kh < h_.taps; ++kh, dst += w_.taps * tap_bytes_) {
            const dim_t ih = h_.at(oh, kh);
            const bool inside = id >= 0 && ih >= 0;
            gather_divided_line(
                inside ? image + (id * d_stride_ + ih * h_stride_) * bytes_ : nullptr, ow, dst,
                padding);
        }
    }
}

void spatial_gather::run(
    const void *src, dim_t begin, dim_t end, void *dst, const void *padding) const {
    const dim_t W = w_.positions, H = h_.positions, D = d_.positions;
    const dim_t row_bytes = row_size() * bytes_;
    const bool divided = d_.divisor != 1 || h_.divisor != 1 || w_.divisor != 1;
    char *out = static_cast<char *>(dst);
    dim_t ow = begin % W, oh = begin / W % H, od = begin / W / H % D, mb = begin / W / H / D;
    for (dim_t row = begin; row < end;) {
        const dim_t count = std::min(W - ow, end - row);
        const char *image = static_cast<const char *>(src) + mb * n_stride_ * bytes_;
        if (divided)
            for (dim_t i = 0; i < count; ++i)
                gather_divided_row(image, od, oh, ow + i, out + i * row_bytes, padding);
        else
            gather_rows(image, od, oh, ow, count, out, padding);
        row += count;
        out += count * row_bytes;
        ow = 0;
        if (++oh < H) continue;
        oh = 0;
        if (++od < D) continue;
        od = 0;
        ++mb;
    }
}

} // namespace dnnl::impl::cpu
