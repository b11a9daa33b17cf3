// SPDX-License-Identifier: Apache-2.0
// Depthwise windows of three taps in a row and up to three rows, f32, with 16 registers of 32
// bytes: the weights stay in memory, operands of the products, so that the sums of three pixels by
// two vectors, a vector of the source and the numbers of the epilogue fill the registers. A pixel
// of the result is stored behind the last column of the source that it meets.
#pragma once

#include "cpu/kernels/convolution/depthwise_tile.hpp"

namespace dnnl::impl::cpu {

/// Seven pixels of a row by some blocks of 16 channels. The lines of the source that the row hits
/// are at equal distances.
struct block_tile {
    const char *source;     // column 0 of the tile in the first line
    dim_t step, line_bytes; // from column to column, line to line
    dim_t next_bytes;       // from a column to the newest line of the next row, which is asked for
    unsigned present;       // bit x: column x exists; all but those at the two ends do
    const f32 *weights;     // of the first line
    dim_t weights_line, weights_block; // elements from line to line, block to block
    const common_columns *finish;      // of all blocks
    char *dst;
    dim_t dst_step, blocks;
    dim_t next_dst; // bytes to the next row, which is asked for; 0: it is not
};

/// Returns c + a * b, where b stays in memory.
template <class V> DNNL_INLINE V add_product_of(V c, V a, const f32 *b) {
    __asm__("vfmadd231ps %2, %1, %0"
            : "+x"(c.v)
            : "x"(a.v), "m"(*reinterpret_cast<const decltype(c.v) *>(b)));
    return c;
}

/// N is the number of lines, S the stride.
template <class Isa, int S, int N> void run_blocks(const block_tile &t) {
    using v = vec<f32, Isa>;
    constexpr int K = 3, P = wide_pixels, columns = (P - 1) * S + K;
    const v lowest = v::set(t.finish->lowest), highest = v::set(t.finish->highest);
    const dim_t step = t.step, line_bytes = t.line_bytes, next_bytes = t.next_bytes;
    const f32 *weights[N > 0 ? N : 1], *scales = t.finish->scale;
    for (int l = 0; l < N; ++l) weights[l] = t.weights + l * t.weights_line;
    const char *source = t.source;
    char *dst = t.dst;
    for (dim_t block = 0; block < t.blocks; ++block) {
        v c[P][2], scale[2], bias[2];
#pragma GCC unroll 2
        for (int j = 0; j < 2; ++j) {
            scale[j] = v::load(scales + j * v::size);
            bias[j] = v::load(scales + j * v::size + (t.finish->bias - t.finish->scale));
        }
        const char *at = source;
        char *to = dst;
#pragma GCC unroll 15
        for (int x = 0; x < columns; ++x) {
            if (x % S == 0 && x / S < P) c[x / S][0] = c[x / S][1] = v::zero();
            if ((x >= K - 1 && x <= columns - K) || (t.present & 1u << x)) {
#pragma GCC unroll 3
                for (int l = 0; l < N; ++l) {
                    forget_origin(weights[l]);
#pragma GCC unroll 2
                    for (int j = 0; j < 2; ++j) {
                        v pixel = v::load(
                            reinterpret_cast<const f32 *>(at + l * line_bytes) + j * v::size);
                        keep_in_register(pixel);
#pragma GCC unroll 7
                        for (int i = 0; i < P; ++i) {
                            const int k = x - i * S;
                            if (k >= 0 && k < K)
                                c[i][j] = add_product_of(
                                    c[i][j], pixel, weights[l] + (2 * k + j) * v::size);
                        }
                    }
                }
            }
            __builtin_prefetch(at + next_bytes);
            if (S == 2) __builtin_prefetch(at + next_bytes - line_bytes);
            at += step;
            forget_origin(at);
            if (x < K - 1 || (x - K + 1) % S != 0) continue;
#pragma GCC unroll 2
            for (int j = 0; j < 2; ++j) {
                const v y = fma(c[(x - K + 1) / S][j], scale[j], bias[j]);
                min(highest, max(lowest, y)).store(reinterpret_cast<f32 *>(to) + j * v::size);
            }
            if (t.next_dst) __builtin_prefetch(to + t.next_dst, 1);
            to += t.dst_step;
            forget_origin(to);
        }
        source += 2 * Isa::vector_bytes;
        dst += 2 * Isa::vector_bytes;
        scales += 2 * v::size;
#pragma GCC unroll 3
        for (int l = 0; l < N; ++l) weights[l] += t.weights_block;
    }
}

/// The channels that common_columns describes, and the most of them that a tile goes through.
inline constexpr dim_t set_channels = 64, most_sets = depthwise_most_blocks * depthwise_block / 64;

/// Some blocks of channels, and what is done to their sums.
struct channel_blocks {
    dim_t channel, count;
    common_columns sets[most_sets];
};

/// Describes the epilogue; false where it is not done in registers.
template <class Isa> bool describe(const depthwise_args &call, channel_blocks &of) {
    epilogue none {};
    none.dst_type = data_type::f32;
    none.inverse_dst_scale = 1.0f;
    const epilogue &finish = call.finish ? *call.finish : none;
    if (finish.dst_type != data_type::f32) return false;
    const dim_t channels = of.count * depthwise_block;
    for (dim_t c = 0; c < channels; c += set_channels) {
        common_columns &set = of.sets[c / set_channels];
        const dim_t n = smaller(channels - c, set_channels);
        if (!common_rows<Isa>(finish, data_type::f32, call.position, of.channel + c, n, set))
            return false;
        if (set.adds) return false;
    }
    return true;
}

/// Returns the number of pixels that whole tiles cover of which all columns exist but those at the
/// ends.
inline dim_t pixels_of_tiles(const depthwise_args &call) {
    if (call.width != 3 || call.wide != 1 || call.single != 0 || call.taps > 9) return 0;
    const dim_t columns = (wide_pixels - 1) * call.stride + 3;
    const unsigned inner = (1u << (columns - 2)) - 4u;
    dim_t pixels = 0;
    for (; call.pixels - pixels >= wide_pixels; pixels += wide_pixels)
        if (~present_pixels(*call.segments, pixels * call.stride, columns) & inner) break;
    return pixels;
}

/// Computes the tiles of row r of the result, whose lines are given, for the pixels [begin, end),
/// 64 channels at a time.
template <class Isa>
void row_by_blocks(const depthwise_args &call, dim_t r, const depthwise_line *lines,
    const channel_blocks &of, dim_t begin, dim_t end) {
    constexpr void (*run[2][4])(const block_tile &) = {
        {run_blocks<Isa, 1, 0>, run_blocks<Isa, 1, 1>, run_blocks<Isa, 1, 2>,
            run_blocks<Isa, 1, 3>},
        {run_blocks<Isa, 2, 0>, run_blocks<Isa, 2, 1>, run_blocks<Isa, 2, 2>,
            run_blocks<Isa, 2, 3>}};
    constexpr dim_t set_blocks = set_channels / depthwise_block;
    const dim_t N = call.rows[r].line_count, S = call.stride, columns = (wide_pixels - 1) * S + 3;
    const dim_t next = r + 1 < call.row_count ? call.rows[r + 1].line_count : 0;
    const auto first_pixel = [lines](dim_t line) {
        return static_cast<const char *>(lines[line].source);
    };
    block_tile t {};
    t.step = call.source_step_bytes;
    t.dst_step = call.dst_step_bytes;
    t.weights_block = call.taps * depthwise_block;
    if (N > 1) {
        t.line_bytes = first_pixel(1) - first_pixel(0);
        t.weights_line = (lines[1].tap - lines[0].tap) * depthwise_block;
    }
    if (N > 0 && next > 0)
        t.next_bytes =
            larger(first_pixel(N) - first_pixel(0), first_pixel(N + next - 1) - first_pixel(0));
    if (call.asks && r + 1 < call.row_count)
        t.next_dst =
            static_cast<char *>(call.rows[r + 1].dst) - static_cast<char *>(call.rows[r].dst);
    for (dim_t pixel = begin; pixel < end; pixel += wide_pixels) {
        t.present = present_pixels(*call.segments, pixel * S, columns);
        for (dim_t b = 0; b < of.count; b += set_blocks) {
            const dim_t bytes = (of.channel + b * depthwise_block) * dim_t {sizeof(f32)};
            t.blocks = smaller(of.count - b, set_blocks);
            t.finish = &of.sets[b / set_blocks];
            t.dst = static_cast<char *>(call.rows[r].dst) + pixel * t.dst_step + bytes;
            if (N > 0) {
                const dim_t tap = lines->tap + call.segments->tap;
                t.source = first_pixel(0) + call.segments->offset + pixel * S * t.step + bytes;
                t.weights = call.own_weights + b * t.weights_block + tap * depthwise_block;
            }
            run[S - 1][N](t);
        }
    }
}

/// Computes blocks of channels from `channel` on for as many pixels as pixels_of_tiles() tells, and
/// returns that number, or 0 where the epilogue is another one. Where src and dst come from memory,
/// rows are walked with all channels as they lie there; else tiles below each other, whose lines
/// stay in L1.
template <class Isa>
dim_t pixels_by_blocks(const depthwise_args &call, dim_t channel, dim_t blocks) {
    const dim_t pixels = pixels_of_tiles(call);
    channel_blocks of;
    of.channel = channel;
    of.count = blocks;
    if (pixels == 0 || !describe<Isa>(call, of)) return 0;
    depthwise_args block = call;
    for (dim_t b = 0; b < blocks; ++b, block.own_weights += call.taps * depthwise_block)
        copy_weights<Isa, f32, 2>(block, channel + b * depthwise_block);
    const dim_t strip = call.streams ? pixels : dim_t {wide_pixels};
    for (dim_t begin = 0; begin < pixels; begin += strip) {
        const depthwise_line *lines = call.lines;
        for (dim_t r = 0; r < call.row_count; lines += call.rows[r++].line_count)
            row_by_blocks<Isa>(call, r, lines, of, begin, begin + strip);
    }
    return pixels;
}

} // namespace dnnl::impl::cpu
