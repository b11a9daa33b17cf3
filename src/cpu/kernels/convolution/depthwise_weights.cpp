// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution backward weights; see depthwise.hpp. The sums of some rows of the window
// stay in registers while all rows of diff_dst are walked in tiles of pixels: each vector of the
// source is loaded once for all taps that it meets in the tile.
#include "cpu/kernels/convolution/depthwise_tile.hpp"

namespace dnnl::impl::cpu {
namespace {

// The number of rows of the window whose sums are in registers, and of pixels whose gradients are.
template <class Isa, int K> struct tile_sizes {
    static constexpr bool many = Isa::vector_registers == 32;
    static constexpr int rows = many || K <= 3 ? 3 : K <= 5 ? 2 : 1;
    static constexpr int pixels = many || rows == 1 ? 7 : 4;
};

// A vector of channels, and rows of the window from `window_row` on.
struct sums_place {
    const depthwise_weights_args *call;
    const depthwise_segment *segment;
    dim_t channel, lanes, window_row, window_rows;
};

template <class Isa, class T, bool Whole>
DNNL_INLINE vec<f32, Isa> load(const char *p, const sums_place &t) {
    const T *from = reinterpret_cast<const T *>(p);
    vec<f32, Isa> x = Whole ? load_as_f32<Isa>(from) : load_as_f32<Isa>(from, t.lanes);
    if constexpr (__is_same(T, f32)) keep_in_register(x);
    return x;
}

/// Adds P pixels of one row.
template <class Isa, class T, int K, int S, int P, bool Whole, int R>
DNNL_INLINE void add_tile(vec<f32, Isa> (&c)[R][K], const sums_place &t,
    const char *const (&lines)[R], dim_t pixel, const char *gradient) {
    using v = vec<f32, Isa>;
    const depthwise_weights_args &call = *t.call;
    constexpr int reach = (P - 1) * S + K;
    const dim_t step = call.source_step_bytes;
    unsigned present = present_pixels(*t.segment, pixel * S, reach);
    const dim_t at = t.segment->offset + pixel * S * step + t.channel * dim_t {sizeof(T)};
    forget_origin(present);
    v y[P];
#pragma GCC unroll 7
    for (int i = 0; i < P; ++i, gradient += call.diff_dst_step_bytes)
        y[i] = load<Isa, T, Whole>(gradient, t);
#pragma GCC unroll 3
    for (int r = 0; r < R; ++r) {
        if (!lines[r]) continue;
        const char *p = lines[r] + at;
#pragma GCC unroll 32
        for (int x = 0; x < reach; ++x, p += step) {
            forget_origin(p);
            if (!(present & 1u << x)) continue;
            const v source = load<Isa, T, Whole>(p, t);
#pragma GCC unroll 7
            for (int i = 0; i < P; ++i) {
                const int k = x - i * S;
                if (k >= 0 && k < K) c[r][k] = fma(source, y[i], c[r][k]);
            }
        }
    }
}

/// Adds the pixels of a tap one by one, for strides without a tile.
template <class Isa, class T, bool Whole, int R>
DNNL_INLINE void add_single(vec<f32, Isa> (&c)[R][1], const sums_place &t,
    const char *const (&lines)[R], const char *gradients) {
    using v = vec<f32, Isa>;
    const depthwise_weights_args &call = *t.call;
    const dim_t step = call.stride * call.source_step_bytes;
    const dim_t first = t.segment->first < 0 ? 0 : t.segment->first;
    const dim_t end = smaller(t.segment->end, call.pixels);
    for (dim_t p = first; p < end; ++p) {
        const v y = load<Isa, T, Whole>(gradients + p * call.diff_dst_step_bytes, t);
        const dim_t at = t.segment->offset + p * step + t.channel * dim_t {sizeof(T)};
#pragma GCC unroll 3
        for (int r = 0; r < R; ++r)
            if (lines[r]) c[r][0] = fma(load<Isa, T, Whole>(lines[r] + at, t), y, c[r][0]);
    }
}

/// Adds all rows of diff_dst to the sums of a segment and some rows of the window.
template <class Isa, class T, int K, int S, bool Whole> void add_rows(const sums_place &t) {
    using v = vec<f32, Isa>;
    using sizes = tile_sizes<Isa, K>;
    constexpr int R = sizes::rows, P = sizes::pixels;
    const depthwise_weights_args &call = *t.call;
    f32 *const block =
        call.sums + t.channel / depthwise_block * call.sums_block + t.channel % depthwise_block;
    const auto sums_at = [&](int r, int k) {
        const dim_t row = t.window_row + (r < t.window_rows ? r : 0);
        return block + call.places[row * call.row_taps + t.segment->tap + k] * depthwise_block;
    };
    v c[R][K];
#pragma GCC unroll 3
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 7
        for (int k = 0; k < K; ++k) c[r][k] = v::load(sums_at(r, k));
    }
    for (dim_t row = 0; row < call.rows; ++row) {
        const void *const *sources = call.sources + row * call.window_rows + t.window_row;
        const char *lines[R];
#pragma GCC unroll 3
        for (int r = 0; r < R; ++r)
            lines[r] = static_cast<const char *>(r < t.window_rows ? sources[r] : nullptr);
        const char *gradient = static_cast<const char *>(call.diff_dst[row]) + call.first_bytes +
                               t.channel * dim_t {sizeof(T)};
        if constexpr (K == 1) {
            add_single<Isa, T, Whole>(c, t, lines, gradient);
        } else {
            dim_t pixel = 0;
            for (; pixel + P <= call.pixels; pixel += P, gradient += P * call.diff_dst_step_bytes)
                add_tile<Isa, T, K, S, P, Whole>(c, t, lines, pixel, gradient);
            for (; pixel + 2 <= call.pixels; pixel += 2, gradient += 2 * call.diff_dst_step_bytes)
                add_tile<Isa, T, K, S, 2, Whole>(c, t, lines, pixel, gradient);
            if (pixel < call.pixels) add_tile<Isa, T, K, S, 1, Whole>(c, t, lines, pixel, gradient);
        }
    }
#pragma GCC unroll 3
    for (int r = 0; r < R; ++r) {
        if (r >= t.window_rows) break;
#pragma GCC unroll 7
        for (int k = 0; k < K; ++k) c[r][k].store(sums_at(r, k));
    }
}

/// A kernel and how many rows of the window it takes.
struct add_rows_function {
    void (*run)(const sums_place &);
    dim_t rows;
};
template <class Isa, class T, bool Whole>
void add_segments(const depthwise_weights_args &call, dim_t channel, dim_t lanes) {
    sums_place t {&call, call.segments, channel, lanes, 0, 0};
    for (; t.segment != call.segments + call.wide + call.single; ++t.segment) {
        const bool wide = t.segment < call.segments + call.wide;
        const auto add = with_tile_shape(
            wide ? call.width : 1, call.stride, []<int K, int S>() -> add_rows_function {
                return {add_rows<Isa, T, K, S, Whole>, tile_sizes<Isa, K>::rows};
            });
        for (t.window_row = 0; t.window_row < call.window_rows; t.window_row += add.rows) {
            t.window_rows = smaller(add.rows, call.window_rows - t.window_row);
            add.run(t);
        }
    }
}

// With masks for lanes, f16 has no code of its own for whole vectors.
template <class Isa, class T> void add_channels(const depthwise_weights_args &call) {
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t channel = call.channel;
    if constexpr (!masks_lanes<Isa> || !__is_same(T, f16))
        for (; channel + size <= call.end_channel; channel += size)
            add_segments<Isa, T, true>(call, channel, size);
    for (; channel < call.end_channel; channel += size)
        add_segments<Isa, T, false>(call, channel, smaller(call.end_channel - channel, size));
}

/// Adds NV vectors of channels, of which the last one may be partial.
template <class Isa, class T, int NV>
void add_pixels_of(const pixel_sums_args &call, dim_t channel) {
    using v = vec<f32, Isa>;
    const char *from = static_cast<const char *>(call.source) + channel * dim_t {sizeof(T)};
    f32 *sums = call.sums + channel;
    v c[NV];
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) c[j] = v::load(sums + j * v::size);
    for (dim_t p = 0; p < call.pixels; ++p, from += call.step_bytes) {
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) {
            const T *x = reinterpret_cast<const T *>(from) + j * v::size;
            c[j] =
                c[j] + (NV > 1 ? load_as_f32<Isa>(x) : load_up_to<Isa>(x, call.channels - channel));
        }
    }
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) c[j].store(sums + j * v::size);
}

} // namespace

template <class Isa> void depthwise_weights(const depthwise_weights_args &call) {
    with_float(call.type, [&](auto element) { add_channels<Isa, decltype(element)>(call); });
}

template <class Isa> void add_pixels(const pixel_sums_args &call) {
    constexpr dim_t size = vec<f32, Isa>::size;
    with_float(call.type, [&](auto element) {
        using T = decltype(element);
        dim_t channel = 0;
        for (; channel + 4 * size <= call.channels; channel += 4 * size)
            add_pixels_of<Isa, T, 4>(call, channel);
        for (; channel < call.channels; channel += size) add_pixels_of<Isa, T, 1>(call, channel);
    });
}

template void depthwise_weights<this_isa>(const depthwise_weights_args &);
template void add_pixels<this_isa>(const pixel_sums_args &);

} // namespace dnnl::impl::cpu
