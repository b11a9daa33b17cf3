// SPDX-License-Identifier: Apache-2.0
#include "cpu/spatial_gather.hpp"

#include <algorithm>
#include <cstring>

#include "common/data_type.hpp"

namespace dnnl::impl::cpu {

tap_table forward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P) {
    tap_table t {O, K, {}};
    t.index.reserve(static_cast<std::size_t>(O * K));
    for (dim_t o = 0; o < O; ++o)
        for (dim_t k = 0; k < K; ++k) {
            const dim_t i = o * S + k * (D + 1) - P;
            t.index.push_back(i >= 0 && i < I ? static_cast<std::int32_t>(i) : -1);
        }
    return t;
}

tap_table backward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P) {
    tap_table t {I, K, {}};
    t.index.reserve(static_cast<std::size_t>(I * K));
    for (dim_t i = 0; i < I; ++i)
        for (dim_t k = 0; k < K; ++k) {
            const dim_t scaled = i + P - k * (D + 1);
            const bool hit = scaled >= 0 && scaled % S == 0 && scaled / S < O;
            t.index.push_back(hit ? static_cast<std::int32_t>(scaled / S) : -1);
        }
    return t;
}

window_tables forward_tables(const convolution_shape &s) {
    return {forward_taps(s.OD, s.ID, s.KD, s.SD, s.DD, s.PD),
        forward_taps(s.OH, s.IH, s.KH, s.SH, s.DH, s.PH),
        forward_taps(s.OW, s.IW, s.KW, s.SW, s.DW, s.PW)};
}
window_tables backward_tables(const convolution_shape &s) {
    return {backward_taps(s.OD, s.ID, s.KD, s.SD, s.DD, s.PD),
        backward_taps(s.OH, s.IH, s.KH, s.SH, s.DH, s.PH),
        backward_taps(s.OW, s.IW, s.KW, s.SW, s.DW, s.PW)};
}

const char *tap_table_refusal(const convolution_desc &op) {
    for (const memory_desc *md : {&op.src, &op.dst})
        for (int d = 2; d < md->ndims; ++d)
            if (md->dims[d] > INT32_MAX) return "a spatial extent of 2^31 or more";
    return nullptr;
}

namespace {
/// Stride of spatial dimension `place` counted from the last one; 0 where the tensor lacks it.
dim_t spatial_stride(const memory_desc &md, int place) {
    const int d = md.ndims - 1 - place;
    return d >= 2 ? md.strides[d] : 0;
}
} // namespace

spatial_gather::spatial_gather(
    const memory_desc &src, dim_t channels, dim_t k_group, window_tables tables)
    : MB_(src.dims[0]), channels_(channels), tap_size_(round_up(channels, k_group)),
      bytes_(static_cast<dim_t>(size_of(src.dtype))), d_(std::move(tables[0])),
      h_(std::move(tables[1])), w_(std::move(tables[2])) {
    n_stride_ = src.strides[0];
    w_stride_ = spatial_stride(src, 0);
    h_stride_ = spatial_stride(src, 1);
    d_stride_ = spatial_stride(src, 2);
    direct_ = tap_size_ == channels_ && (pixels_are_rows() || images_are_rows());
    direct_ = direct_ || (d_.taps * h_.taps * w_.taps == 1 && pixels_are_rows());
}

namespace {
/// The taps of the only position are the source indices 0, 1, 2, ...
bool covers_source(const tap_table &t) {
    if (t.positions != 1) return false;
    for (dim_t k = 0; k < t.taps; ++k)
        if (t.at(0, k) != k) return false;
    return true;
}

/// One tap, and position o touches source index o.
bool is_identity(const tap_table &t) {
    if (t.taps != 1) return false;
    for (dim_t o = 0; o < t.positions; ++o)
        if (t.at(o, 0) != o) return false;
    return true;
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

/// The taps of one kernel row where a tap is one group of k, four bytes: one word each instead of a
/// copy and a fill.
template <std::size_t ChannelBytes>
void gather_words(const std::int32_t *index, dim_t taps, const char *line, dim_t stride_bytes,
    std::uint32_t padding, char *dst) {
    for (dim_t kw = 0; kw < taps; ++kw, dst += sizeof(std::uint32_t)) {
        std::uint32_t word = padding;
        if (index[kw] >= 0) word = load_bytes<ChannelBytes>(line + index[kw] * stride_bytes);
        std::memcpy(dst, &word, sizeof word);
    }
}

void fill_words(dim_t taps, std::uint32_t padding, char *dst) {
    for (dim_t kw = 0; kw < taps; ++kw, dst += sizeof padding)
        std::memcpy(dst, &padding, sizeof padding);
}

void fill_tap(char *dst, const void *padding, std::size_t bytes) {
    if (padding)
        std::memcpy(dst, padding, bytes);
    else
        std::memset(dst, 0, bytes);
}
} // namespace

/// The taps of one kernel row; runs of taps whose pixels are adjacent are copied at once.
void spatial_gather::gather_line(const char *line, dim_t ow, char *dst, const void *padding) const {
    const std::size_t tap_bytes = static_cast<std::size_t>(tap_size_ * bytes_);
    const std::size_t channel_bytes = static_cast<std::size_t>(channels_ * bytes_);
    const bool mergeable = w_stride_ == tap_size_ && channels_ == tap_size_;
    if (!mergeable && tap_bytes == sizeof(std::uint32_t)) {
        std::uint32_t word = 0;
        if (padding) std::memcpy(&word, padding, sizeof word);
        if (!line) return fill_words(w_.taps, word, dst);
        constexpr decltype(&gather_words<1>) by_bytes[] {
            gather_words<1>, gather_words<2>, gather_words<3>, gather_words<4>};
        const std::int32_t *index = w_.index.data() + ow * w_.taps;
        return by_bytes[channel_bytes - 1](index, w_.taps, line, w_stride_ * bytes_, word, dst);
    }
    for (dim_t kw = 0; kw < w_.taps;) {
        const std::int32_t i = line ? w_.at(ow, kw) : -1;
        if (i < 0) {
            fill_tap(dst, padding, tap_bytes);
            dst += tap_bytes;
            ++kw;
            continue;
        }
        dim_t run = 1;
        if (mergeable)
            while (kw + run < w_.taps && w_.at(ow, kw + run) == i + run) ++run;
        const std::size_t copied = channel_bytes + static_cast<std::size_t>(run - 1) * tap_bytes;
        std::memcpy(dst, line + i * w_stride_ * bytes_, copied);
        if (copied < static_cast<std::size_t>(run) * tap_bytes)
            std::memset(dst + copied, 0, tap_bytes - channel_bytes);
        dst += static_cast<std::size_t>(run) * tap_bytes;
        kw += run;
    }
}

void spatial_gather::gather_row(
    const char *image, dim_t od, dim_t oh, dim_t ow, char *dst, const void *padding) const {
    const dim_t line_bytes = w_.taps * tap_size_ * bytes_;
    for (dim_t kd = 0; kd < d_.taps; ++kd) {
        const std::int32_t id = d_.at(od, kd);
        for (dim_t kh = 0; kh < h_.taps; ++kh, dst += line_bytes) {
            const std::int32_t ih = h_.at(oh, kh);
            const bool inside = id >= 0 && ih >= 0;
            gather_line(inside ? image + (id * d_stride_ + ih * h_stride_) * bytes_ : nullptr, ow,
                dst, padding);
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
