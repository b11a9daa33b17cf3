// SPDX-License-Identifier: Apache-2.0
// Copies lines of an image into windows of groups; see grouped.hpp.
#include "cpu/kernels/convolution/grouped.hpp"
#include "cpu/simd/convert.hpp"

namespace dnnl::impl::cpu {
namespace {

// Copies n elements of bf16 or bytes, or of f32; s8 become u8.
template <class Isa, class From, class To> DNNL_INLINE void copy(const From *p, To *to, dim_t n) {
    using words = vec<s32, Isa>;
    constexpr bool shifts = __is_same(From, s8);
    constexpr dim_t of_word = 4 / dim_t {sizeof(From)}, size = words::size * of_word;
    const auto step = [&](dim_t i, auto lanes) {
        words x = words::load(reinterpret_cast<const s32 *>(p + i), lanes);
        if constexpr (shifts) x = x ^ words::set(static_cast<s32>(0x80808080u));
        x.store(reinterpret_cast<s32 *>(to + i), lanes);
    };
    dim_t i = 0;
    for (; i + size <= n; i += size) step(i, all_lanes {});
    const dim_t lanes = (n - i) / of_word;
    if (lanes > 0) step(i, lanes);
    for (i += lanes * of_word; i < n; ++i) {
        if constexpr (shifts)
            to[i] = static_cast<u8>(static_cast<u8>(p[i]) ^ 0x80);
        else
            to[i] = p[i];
    }
}

// Converts n elements at p to as many elements of the type of words.
template <class Isa, class From, class To>
DNNL_INLINE void convert(const From *p, To *to, dim_t n) {
    if constexpr (sizeof(From) == sizeof(To))
        copy<Isa>(p, to, n);
    else
        for_vectors<Isa>(n, [&](dim_t i, dim_t lanes) {
            store_up_to(to + i, load_up_to<Isa>(p + i, lanes), lanes);
        });
}

// Calls body(i, place) for pixels [begin, end) of a line: the i-th of them, its place in a window.
template <class Body>
DNNL_INLINE void for_pixels(
    const grouped_lines_args &call, dim_t begin, dim_t end, const Body &body) {
    const dim_t pixel_bytes = call.pixel_words * 4;
    dim_t of_stride = begin % call.stride, place = begin / call.stride * pixel_bytes;
    for (dim_t i = 0; i < end - begin; ++i) {
        body(i, place + of_stride * call.stride_bytes);
        if (++of_stride < call.stride) continue;
        of_stride = 0;
        place += pixel_bytes;
    }
}

template <class Isa> void fill_padding(const grouped_lines_args &call, dim_t begin, dim_t end) {
    const dim_t window_channels = call.group_channels * call.window_groups;
    const auto word = vec<s32, Isa>::set(call.padding);
    char *window = call.windows;
    for (dim_t c = 0; c < call.channels; c += window_channels, window += call.window_bytes)
        for_pixels(call, begin, end, [&](dim_t, dim_t place) {
            for_vectors<Isa>(call.pixel_words, [&](dim_t i, dim_t lanes) {
                store_up_to(reinterpret_cast<s32 *>(window + place) + i, word, lanes);
            });
        });
}

// Fills a window of Words words without zeros between them.
template <class Isa, class From, class To, int Words>
DNNL_INLINE void convert_window(const From *p, char *to) {
    if constexpr (sizeof(From) == sizeof(To)) {
        typedef std::uint32_t words __attribute__((vector_size(4 * Words)));
        words x;
        __builtin_memcpy(&x, p, sizeof x);
        if constexpr (__is_same(From, s8)) x ^= 0x80808080u;
        __builtin_memcpy(to, &x, sizeof x);
    } else {
        constexpr dim_t size = smaller(Words, vec<f32, Isa>::size);
#pragma GCC unroll 4
        for (dim_t i = 0; i < Words; i += size)
            store_up_to(reinterpret_cast<To *>(to) + i, load_up_to<Isa>(p + i, size), size);
    }
}

template <class Isa, class From, class To, int Words>
void whole_windows(const grouped_lines_args &call) {
    constexpr dim_t channels = Words * (4 / dim_t {sizeof(To)});
    const auto *source = static_cast<const char *>(call.source);
    for_pixels(call, call.before, call.before + call.pixels, [&](dim_t pixel, dim_t place) {
        const auto *p = reinterpret_cast<const From *>(source + pixel * call.source_step_bytes);
        char *to = call.windows + place;
        for (dim_t c = channels; c <= call.channels; c += channels, to += call.window_bytes)
            convert_window<Isa, From, To, Words>(p + c - channels, to);
    });
}

// Makes a word of each of n elements.
template <class Isa, class From> DNNL_INLINE void spread(const From *p, s32 *to, dim_t n) {
    const auto shift = vec<s32, Isa>::set(__is_same(From, s8) ? 0x80 : 0);
    for_vectors<Isa>(n, [&](dim_t i, dim_t lanes) {
        if constexpr (sizeof(From) == 1)
            store_up_to(to + i,
                load_up_to<Isa, s32>(reinterpret_cast<const u8 *>(p) + i, lanes) ^ shift, lanes);
        else
            store_up_to(to + i, shift_right<16>(as_s32(load_up_to<Isa>(p + i, lanes))), lanes);
    });
}

// Fills windows whose groups end within a word, the last window, and windows of other sizes.
template <class Isa, class From, class To>
void any_windows(const grouped_lines_args &call, char *windows, dim_t first) {
    constexpr dim_t of_word = 4 / dim_t {sizeof(To)};
    const dim_t K = call.group_channels, group_bytes = (K + of_word - 1) / of_word * 4;
    const dim_t window_channels = K * call.window_groups, full = K / of_word * of_word;
    const auto *source = static_cast<const char *>(call.source);
    for_pixels(call, call.before, call.before + call.pixels, [&](dim_t pixel, dim_t place) {
        const auto *p = reinterpret_cast<const From *>(source + pixel * call.source_step_bytes);
        char *window = windows + place;
        for (dim_t c = first; c < call.channels;
             c += window_channels, window += call.window_bytes) {
            const dim_t left = smaller(call.channels - c, window_channels);
            if (full == K) {
                convert<Isa>(p + c, reinterpret_cast<To *>(window), left);
                continue;
            }
            if constexpr (sizeof(To) < 4)
                if (K == 1) {
                    spread<Isa>(p + c, reinterpret_cast<s32 *>(window), left);
                    continue;
                }
            char *group = window;
            for (dim_t g = 0; g < left; g += K, group += group_bytes) {
                To last[4] = {};
                convert<Isa>(p + c + g, reinterpret_cast<To *>(group), full);
                convert<Isa>(p + c + g + full, last, K - full);
                __builtin_memcpy(group + full * dim_t {sizeof(To)}, last, 4);
            }
        }
    });
}

template <class Isa, class From, class To> void lines(const grouped_lines_args &call) {
    const dim_t of_window = call.group_channels * call.window_groups;
    dim_t whole = call.channels / of_window;
    const bool filled = of_window * dim_t {sizeof(To)} == call.pixel_words * 4;
    if (filled && call.pixel_words == 4)
        whole_windows<Isa, From, To, 4>(call);
    else if (filled && call.pixel_words == 8)
        whole_windows<Isa, From, To, 8>(call);
    else if (filled && call.pixel_words == 16)
        whole_windows<Isa, From, To, 16>(call);
    else
        whole = 0;
    any_windows<Isa, From, To>(call, call.windows + whole * call.window_bytes, whole * of_window);
}

} // namespace

template <class Isa> void grouped_lines(const grouped_lines_args &call) {
    const dim_t end = call.before + call.pixels;
    fill_padding<Isa>(call, 0, call.before);
    fill_padding<Isa>(call, end, end + call.after);
    switch (call.from) {
    case data_type::s8: return lines<Isa, s8, u8>(call);
    case data_type::u8: return lines<Isa, u8, u8>(call);
    case data_type::f16: return lines<Isa, f16, f32>(call);
    case data_type::bf16:
        return call.to == data_type::f32 ? lines<Isa, bf16, f32>(call)
                                         : lines<Isa, bf16, bf16>(call);
    default: return lines<Isa, f32, f32>(call);
    }
}

template void grouped_lines<this_isa>(const grouped_lines_args &);

} // namespace dnnl::impl::cpu
