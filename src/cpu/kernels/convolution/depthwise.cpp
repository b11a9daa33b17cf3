// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution forward and backward data; see depthwise.hpp. Tiles of sums go to dst or
// to a part of a row in L1, where the epilogue takes them.

#include "cpu/kernels/convolution/depthwise_blocks.hpp"

namespace dnnl::impl::cpu {
namespace {

// ---- The tile: sums of P pixels, of which there may be fewer ----

template <class Isa, class T, int K, int S, int P, int NV, bool Whole>
DNNL_INLINE void tile(const row_place &t, dim_t first_pixel, char *out) {
    using v = vec<f32, Isa>;
    const depthwise_args &call = *t.call;
    const pixel_loader<Isa, T, NV, Whole> load(t);
    const dim_t pixels = smaller(t.end - first_pixel, P), step = call.source_step_bytes;
    const depthwise_line *const end = t.lines + t.line_count;
    v c[P][NV];
#pragma GCC unroll 7
    for (int i = 0; i < P; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < NV; ++j) c[i][j] = v::zero();
    }
    const depthwise_segment *segment = call.segments, *wide = segment + call.wide;
    if constexpr (K > 1)
        for (; segment != wide; ++segment) {
            const auto present = present_pixels(*segment, first_pixel * S, (pixels - 1) * S + K);
            const dim_t first = segment->offset + first_pixel * S * step + t.channel_bytes;
            const f32 *weights = t.weights + segment->tap * NV * v::size;
            for (const depthwise_line *line = t.lines; line != end; ++line) {
                const char *source = static_cast<const char *>(line->source);
                const f32 *row_weights = weights + line->tap * NV * v::size;
                dim_t at = first;
                unsigned bits = present;
                forget_origin(at);
                forget_origin(bits);
                v w[K][NV];
#pragma GCC unroll 7
                for (int k = 0; k < K; ++k) {
#pragma GCC unroll 2
                    for (int j = 0; j < NV; ++j)
                        w[k][j] = v::load(row_weights + (k * NV + j) * v::size);
                }
#pragma GCC unroll 32
                for (int x = 0; x < (P - 1) * S + K; ++x, at += step) {
                    if (!(bits & 1u << x)) continue;
#pragma GCC unroll 2
                    for (int j = 0; j < NV; ++j) {
                        const v pixel = load(source + at, j);
#pragma GCC unroll 7
                        for (int i = 0; i < P; ++i) {
                            const int k = x - i * S;
                            if (k >= 0 && k < K) c[i][j] = fma(pixel, w[k][j], c[i][j]);
                        }
                    }
                }
            }
        }
    for (const depthwise_segment *last = wide + call.single; segment != last; ++segment) {
        const unsigned present = present_pixels(*segment, first_pixel, pixels);
        const dim_t single_step = call.stride * step;
        const dim_t first = segment->offset + first_pixel * single_step + t.channel_bytes;
        for (const depthwise_line *line = t.lines; line != end; ++line) {
            const char *source = static_cast<const char *>(line->source);
            const f32 *weights = t.weights + (line->tap + segment->tap) * NV * v::size;
            dim_t at = first;
            unsigned bits = present;
            forget_origin(at);
            forget_origin(bits);
            v w[NV];
#pragma GCC unroll 2
            for (int j = 0; j < NV; ++j) w[j] = v::load(weights + j * v::size);
#pragma GCC unroll 7
            for (int i = 0; i < P; ++i, at += single_step) {
                if (!(bits & 1u << i)) continue;
#pragma GCC unroll 2
                for (int j = 0; j < NV; ++j) c[i][j] = fma(load(source + at, j), w[j], c[i][j]);
            }
        }
    }
    const auto store = [&](const auto &store_pixel) {
        char *to = out;
#pragma GCC unroll 7
        for (int i = 0; i < P; ++i, to += t.out_step_bytes) {
            if (i >= pixels) break;
            load.in_order(c[i]);
            store_pixel(to, c[i]);
        }
    };
    if (!t.columns)
        store([&](char *to, const v(&x)[NV]) { load.store(reinterpret_cast<f32 *>(to), x); });
    else if (t.columns->full)
        store([&](char *to, const v(&x)[NV]) {
            load.template finish<true>(reinterpret_cast<T *>(to), x, *t.columns);
        });
    else
        store([&](char *to, const v(&x)[NV]) {
            load.template finish<false>(reinterpret_cast<T *>(to), x, *t.columns);
        });
}

// ---- Rows of tiles ----

// The rarer types and the last channels have wide tiles alone; the last tile of a row computes some
// pixels that nobody needs.
template <class T, bool Whole>
constexpr bool has_both_sizes = Whole && (__is_same(T, f32) || __is_same(T, bf16));

// 16 registers hold the sums of 4 pixels by two vectors and the weights of three taps.
template <class Isa, int NV> constexpr bool few_registers = NV == 2 && Isa::vector_registers == 16;

template <class Isa, class T, int K, int S, int NV, bool Whole> void tiles(const row_place &t) {
    constexpr dim_t most = few_registers<Isa, NV> ? narrow_pixels : wide_pixels;
    constexpr bool both = most == wide_pixels && has_both_sizes<T, Whole>;
    char *out = t.out;
    for (dim_t pixel = t.pixel; pixel < t.end;) {
        const dim_t left = t.end - pixel;
        const bool wide = !both || (left > narrow_pixels && left != 2 * narrow_pixels);
        ask_for_next(t, pixel, most, K > 1 ? S : t.call->stride);
        if (wide) tile<Isa, T, K, S, most, NV, Whole>(t, pixel, out);
        if constexpr (both)
            if (!wide) tile<Isa, T, K, S, narrow_pixels, NV, Whole>(t, pixel, out);
        const dim_t done = smaller(left, wide ? most : narrow_pixels);
        pixel += done;
        out += done * t.out_step_bytes;
    }
}

/// Finds what row r + 1 hits of the source beyond row r, whose lines ascend, or descend in backward
/// data; with several planes, that of the last one.
DNNL_INLINE next_row next_of(const row_place &t, dim_t r, dim_t dst_channel_bytes) {
    const depthwise_args &call = *t.call;
    if (!call.asks || r + 1 == call.row_count) return {};
    const depthwise_row_args &row = call.rows[r + 1];
    const auto first_of = [&t](const depthwise_line *line) {
        return static_cast<const char *>(line->source) + t.channel_bytes;
    };
    const depthwise_line *line = t.lines + t.line_count, *end = line + row.line_count;
    const char *newest = t.line_count > 0 ? first_of(line - 1) : nullptr;
    if (t.line_count > 1 && first_of(t.lines) > newest) newest = first_of(t.lines);
    while (line != end && first_of(line) <= newest) ++line;
    while (line != end && first_of(end - 1) <= newest) --end;
    const dim_t count = end - line;
    return {count, count > 1 ? first_of(line + 1) - first_of(line) : 0,
        count > 0 ? first_of(line) : nullptr, static_cast<char *>(row.dst) + dst_channel_bytes};
}

/// Computes some channels, of rows that have tiles without the first `done` pixels.
template <class Isa, class T, int NV, bool Whole>
void block_of_channels(const depthwise_args &call, dim_t channel, dim_t lanes, dim_t done = 0) {
    constexpr dim_t stride = NV * vec<f32, Isa>::size;
    alignas(64) f32 sums[part_pixels * stride];
    constexpr int widest = few_registers<Isa, NV> ? 3 : 7;
    const auto run = with_tile_shape<widest>(
        call.width, call.stride, []<int K, int S>() { return tiles<Isa, T, K, S, NV, Whole>; });
    copy_weights<Isa, T, NV>(call, channel);
    sums_finisher<Isa, T> finish(call, channel, lanes);
    row_place t {};
    t.call = &call;
    t.weights = call.own_weights;
    t.channel_bytes = channel * dim_t {sizeof(T)};
    t.lanes = lanes;
    for (dim_t strip = 0; strip < call.pixels; strip += call.strip) {
        const dim_t end = smaller(strip + call.strip, call.pixels);
        t.lines = call.lines;
        for (dim_t r = 0; r < call.row_count; ++r, t.lines += t.line_count) {
            const depthwise_row_args &row = call.rows[r];
            t.line_count = row.line_count;
            finish.begin_row(row, r == 0);
            const dim_t begin = has_tiles(row) ? larger(strip, done) : strip;
            if (begin >= end) continue;
            t.columns = finish.columns();
            t.next = next_of(t, r, channel * finish.dst_bytes());
            char *dst = static_cast<char *>(row.dst) + channel * finish.dst_bytes();
            if (finish.direct()) {
                t.pixel = begin;
                t.end = end;
                t.out = dst + begin * call.dst_step_bytes;
                t.out_step_bytes = call.dst_step_bytes;
                run(t);
                continue;
            }
            t.out_step_bytes = stride * dim_t {sizeof(f32)};
            for (dim_t part = begin; part < end; part += part_pixels) {
                t.pixel = part;
                t.end = smaller(part + part_pixels, end);
                t.out = reinterpret_cast<char *>(sums);
                run(t);
                finish.finish(sums, stride, part, t.end - part, dst + part * call.dst_step_bytes);
            }
        }
    }
}

/// Computes as many blocks of channels from `channel` on as go together, and returns how many
/// channels these are.
template <class Isa, class T> dim_t whole_blocks(const depthwise_args &call, dim_t channel) {
    constexpr dim_t block = tile_channels<Isa>;
    const dim_t most = call.streams ? depthwise_most_channels / block : tiles_at_a_place;
    const dim_t blocks = smaller((call.channels - channel) / block, most);
    const dim_t done = pixels_by_blocks<Isa, T>(call, channel, blocks);
    bool rest = done < call.pixels;
    for (dim_t r = 0; r < call.row_count; ++r) rest = rest || !has_tiles(call.rows[r]);
    for (dim_t b = 0; rest && b < blocks; ++b)
        block_of_channels<Isa, T, 2, true>(call, channel + b * block, block, done);
    return blocks * block;
}

template <class Isa, class T> void channels(const depthwise_args &call) {
    constexpr dim_t size = vec<f32, Isa>::size;
    constexpr bool narrow = few_registers<Isa, 2>;
    for (dim_t channel = call.first_channel, lanes = 0; channel < call.channels; channel += lanes) {
        const dim_t left = call.channels - channel;
        if constexpr (has_both_sizes<T, true>)
            if (call.width == 3 && left >= tile_channels<Isa>) {
                lanes = whole_blocks<Isa, T>(call, channel);
                continue;
            }
        const bool wide = left >= 2 * size && !(narrow && call.width > 3);
        lanes = wide ? 2 * size : smaller(left, size);
        if (wide)
            block_of_channels<Isa, T, 2, true>(call, channel, lanes);
        else if (narrow && lanes == size)
            block_of_channels<Isa, T, 1, narrow>(call, channel, lanes);
        else
            block_of_channels<Isa, T, 1, false>(call, channel, lanes);
    }
}

} // namespace

template <class Isa> void depthwise(const depthwise_args &call) {
    if (call.type == data_type::u8) return channels<Isa, u8>(call);
    if (call.type == data_type::s8) return channels<Isa, s8>(call);
    with_float(call.type, [&](auto element) { channels<Isa, decltype(element)>(call); });
}

template void depthwise<this_isa>(const depthwise_args &);

} // namespace dnnl::impl::cpu
