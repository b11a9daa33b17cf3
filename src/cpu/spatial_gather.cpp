// SPDX-License-Identifier: Apache-2.0
#include "cpu/spatial_gather.hpp"

#include <algorithm>
#include <cstring>

#include "common/data_type.hpp"

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

/// Taps of one group of k, four bytes, whose pixels are `step` bytes apart: one word each instead
/// of a copy and a fill.
template <std::size_t ChannelBytes>
void gather_words(const char *src, dim_t taps, dim_t step, char *dst) {
    for (; taps > 0; --taps, src += step, dst += sizeof(std::uint32_t)) {
        const std::uint32_t word = load_bytes<ChannelBytes>(src);
        std::memcpy(dst, &word, sizeof word);
    }
}
constexpr decltype(&gather_words<1>) gather_words_by_bytes[] {
    gather_words<1>, gather_words<2>, gather_words<3>, gather_words<4>};

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

void spatial_gather::copy_taps(const char *src, dim_t taps, char *dst) const {
    const dim_t tap_bytes = tap_size_ * bytes_, channel_bytes = channels_ * bytes_;
    const dim_t step = w_.tap_step * w_stride_ * bytes_;
    if (step == tap_bytes && channel_bytes == tap_bytes) { // one behind the other
        std::memcpy(dst, src, static_cast<std::size_t>(taps * tap_bytes));
        return;
    }
    if (tap_bytes == sizeof(std::uint32_t))
        return gather_words_by_bytes[channel_bytes - 1](src, taps, step, dst);
    for (; taps > 0; --taps, src += step, dst += tap_bytes) {
        std::memcpy(dst, src, static_cast<std::size_t>(channel_bytes));
        if (channel_bytes < tap_bytes)
            std::memset(
                dst + channel_bytes, 0, static_cast<std::size_t>(tap_bytes - channel_bytes));
    }
}

void spatial_gather::gather_line(
    const char *line, const tap_range &touched, char *dst, const void *padding) const {
    const dim_t tap_bytes = tap_size_ * bytes_;
    const auto fill = [&](dim_t first, dim_t last) {
        if (first < last)
            fill_taps(dst + first * tap_bytes, last - first, static_cast<std::size_t>(tap_bytes),
                padding);
    };
    if (!line) return fill(0, w_.taps);
    fill(0, touched.first);
    if (touched.count() > 0)
        copy_taps(line + touched.index * w_stride_ * bytes_, touched.count(),
            dst + touched.first * tap_bytes);
    fill(touched.last, w_.taps);
}

/// The same where only some of the taps between others touch a pixel.
void spatial_gather::gather_divided_line(
    const char *line, dim_t ow, char *dst, const void *padding) const {
    const dim_t tap_bytes = tap_size_ * bytes_;
    if (!line) return fill_taps(dst, w_.taps, static_cast<std::size_t>(tap_bytes), padding);
    tap_cursor tap(w_, ow);
    for (dim_t kw = 0; kw < w_.taps; ++kw, tap.next(), dst += tap_bytes) {
        if (tap.index() < 0)
            fill_taps(dst, 1, static_cast<std::size_t>(tap_bytes), padding);
        else
            copy_taps(line + tap.index() * w_stride_ * bytes_, 1, dst);
    }
}

void spatial_gather::gather_row(
    const char *image, dim_t od, dim_t oh, dim_t ow, char *dst, const void *padding) const {
    const dim_t line_bytes = w_.taps * tap_size_ * bytes_;
    const bool divided = w_.divisor != 1;
    const tap_range touched = divided ? tap_range {} : w_.inside(ow);
    for (dim_t kd = 0; kd < d_.taps; ++kd) {
        const dim_t id = d_.at(od, kd);
        for (dim_t kh = 0; kh < h_.taps; ++kh, dst += line_bytes) {
            const dim_t ih = h_.at(oh, kh);
            const bool inside = id >= 0 && ih >= 0;
            const char *line =
                inside ? image + (id * d_stride_ + ih * h_stride_) * bytes_ : nullptr;
            if (divided)
                gather_divided_line(line, ow, dst, padding);
            else
                gather_line(line, touched, dst, padding);
        }
    }
}

void spatial_gather::run(
    const void *src, dim_t begin, dim_t end, void *dst, const void *padding) const {
    const dim_t W = w_.positions, H = h_.positions, D = d_.positions;
    char *out = static_cast<char *>(dst);
    dim_t ow = begin % W, oh = begin / W % H, od = begin / W / H % D, mb = begin / W / H / D;
    for (dim_t row = begin; row < end; ++row, out += row_size() * bytes_) {
        gather_row(
            static_cast<const char *>(src) + mb * n_stride_ * bytes_, od, oh, ow, out, padding);
        if (++ow < W) continue;
        ow = 0;
        if (++oh < H) continue;
        oh = 0;
        if (++od < D) continue;
        od = 0;
        ++mb;
    }
}

} // namespace dnnl::impl::cpu
