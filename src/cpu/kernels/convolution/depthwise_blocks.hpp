// SPDX-License-Identifier: Apache-2.0
// Depthwise windows of three taps in a row and two or three rows. A tile is 7 pixels by two vectors
// of channels; several blocks of channels are taken at one place before the next one, so that
// pixels that lie a power of two apart do not push each other out of L1.
#pragma once

#include "cpu/kernels/convolution/depthwise_tile.hpp"

namespace dnnl::impl::cpu {

/// Seven pixels of a row by some blocks of tile_channels. The lines of the source that the row hits
/// are at equal distances.
struct block_tile {
    const char *source;     // column 0 of the tile in the first line
    dim_t step, line_bytes; // from column to column, line to line
    dim_t next_bytes;       // from a column to the newest line of the next row, which is asked for;
                            // 0: it is not
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

/// So many blocks of channels, the lines of one tile each, stay in L1 from row to row.
inline constexpr dim_t tiles_at_a_place = 4;
/// The channels of a tile.
template <class Isa> inline constexpr dim_t tile_channels = 2 * vec<f32, Isa>::size;

/// The blocks of a tile one after the other; S is the stride, N the number of lines.
template <class Isa, class T, int S, int N> struct tile_walk {
    using v = vec<f32, Isa>;
    static constexpr int K = 3, P = wide_pixels, columns = (P - 1) * S + K;
    static constexpr int bytes = static_cast<int>(tile_channels<Isa> * sizeof(T));

    const block_tile t; // a copy, which no store can change
    const v lowest, highest;
    const pixel_loader<Isa, T, 2, true> load {};
    const char *source;
    char *dst;
    const f32 *weights[N], *scales, *biases; // of the block
    using pair = block<Isa, T, 2>;           // in the order in which pixels are loaded
    pair scale, bias;

    DNNL_INLINE explicit tile_walk(const block_tile &tile)
        : t(tile), lowest(v::set(t.finish->lowest)), highest(v::set(t.finish->highest)),
          source(t.source), dst(t.dst), scales(t.finish->scale), biases(t.finish->bias) {
        for (int l = 0; l < N; ++l) weights[l] = t.weights + l * t.weights_line;
    }
    DNNL_INLINE void load_numbers() {
        scale = pair::load(scales);
        bias = pair::load(biases);
    }
    DNNL_INLINE void next_block() {
        source += bytes;
        dst += bytes;
        scales += tile_channels<Isa>;
        biases += tile_channels<Isa>;
#pragma GCC unroll 3
        for (int l = 0; l < N; ++l) weights[l] += t.weights_block;
    }
    DNNL_INLINE bool exists(int column) const {
        return (column >= K - 1 && column <= columns - K) || (t.present & 1u << column);
    }
    /// Asks for the new lines of the next row.
    DNNL_INLINE void ask(const char *column) const {
#pragma GCC unroll 2
        for (int b = 0; b < bytes; b += 64) {
            __builtin_prefetch(column + t.next_bytes + b);
            if (S == 2) __builtin_prefetch(column + t.next_bytes - t.line_bytes + b);
        }
    }
    /// Finishes a pixel, asks for its place in the next row.
    DNNL_INLINE void finish(char *to, const v (&x)[2]) const {
        const auto limited = [this](v y) __attribute__((always_inline)) {
            return min(highest, max(lowest, y));
        };
        fma(pair {{x[0], x[1]}}, scale, bias).map(limited).store(reinterpret_cast<T *>(to));
        if (!t.next_dst) return;
#pragma GCC unroll 2
        for (int b = 0; b < bytes; b += 64) ask_to_write(to + t.next_dst + b);
    }

    /// With 16 registers: column by column. The weights stay in memory, operands of the products,
    /// and a pixel is finished behind its last column, so that no more than three are under way.
    DNNL_INLINE void by_columns() {
        v c[P][2];
        const char *at = source;
        char *to = dst;
        load_numbers();
#pragma GCC unroll 15
        for (int x = 0; x < columns; ++x) {
            if (x % S == 0 && x / S < P) c[x / S][0] = c[x / S][1] = v::zero();
            if (exists(x)) {
#pragma GCC unroll 3
                for (int l = 0; l < N; ++l) {
                    forget_origin(weights[l]);
#pragma GCC unroll 2
                    for (int j = 0; j < 2; ++j) {
                        const v pixel = load(at + l * t.line_bytes, j);
#pragma GCC unroll 7
                        for (int i = 0; i < P; ++i)
                            if (const int k = x - i * S; k >= 0 && k < K)
                                c[i][j] = add_product_of(
                                    c[i][j], pixel, weights[l] + (2 * k + j) * v::size);
                    }
                }
            }
            ask(at); // of no next row, for nothing: a test takes longer
            at += t.step;
            forget_origin(at);
            if (x < K - 1 || (x - K + 1) % S != 0) continue;
            finish(to, c[(x - K + 1) / S]);
            to += t.dst_step;
            forget_origin(to);
        }
    }

    /// With 32 registers: line by line, the weights of which are in registers beside all sums.
    DNNL_INLINE void by_lines() {
        v c[P][2];
#pragma GCC unroll 7
        for (int i = 0; i < P; ++i) c[i][0] = c[i][1] = v::zero();
#pragma GCC unroll 3
        for (int l = 0; l < N; ++l) {
            v w[2 * K];
#pragma GCC unroll 6
            for (int i = 0; i < 2 * K; ++i) {
                w[i] = v::load(weights[l] + i * v::size);
                keep_in_register(w[i]);
            }
            const char *at = source + l * t.line_bytes;
#pragma GCC unroll 15
            for (int x = 0; x < columns; ++x, at += t.step) {
                forget_origin(at);
                if (l == 0 && t.next_bytes) ask(at);
                if (!exists(x)) continue;
#pragma GCC unroll 2
                for (int j = 0; j < 2; ++j) {
                    const v pixel = load(at, j);
#pragma GCC unroll 7
                    for (int i = 0; i < P; ++i)
                        if (const int k = x - i * S; k >= 0 && k < K)
                            c[i][j] = fma(pixel, w[2 * k + j], c[i][j]);
                }
            }
        }
        char *to = dst;
        load_numbers();
#pragma GCC unroll 7
        for (int i = 0; i < P; ++i, to += t.dst_step) {
            forget_origin(to);
            finish(to, c[i]);
        }
    }

    static void run(const block_tile &tile) {
        tile_walk walk(tile);
        for (dim_t b = 0; b < tile.blocks; ++b, walk.next_block())
            if constexpr (Isa::vector_registers == 16)
                walk.by_columns();
            else
                walk.by_lines();
    }
};

/// The channels that common_columns describes, and the most of them that a tile goes through.
inline constexpr dim_t set_channels = 64, most_sets = depthwise_most_channels / set_channels;

/// Some blocks of channels, and what is done to their sums.
struct channel_blocks {
    dim_t channel, count; // of tile_channels<Isa>
    common_columns sets[most_sets];
};

/// Describes the epilogue; false where it is not done in registers.
template <class Isa, class T> bool describe(const depthwise_args &call, channel_blocks &of) {
    epilogue none {};
    none.dst_type = data_type::f32;
    const epilogue &finish = call.finish ? *call.finish : none;
    if (finish.dst_type != type_of<T>) return false;
    const dim_t channels = of.count * tile_channels<Isa>;
    for (dim_t c = 0; c < channels; c += set_channels) {
        common_columns &set = of.sets[c / set_channels];
        const dim_t n = smaller(channels - c, set_channels);
        if (!common_rows<Isa>(finish, data_type::f32, call.position, of.channel + c, n, set))
            return false;
        if (set.adds) return false;
    }
    return true;
}

/// True for rows that tiles compute, whatever other rows are: sums go in another order there.
inline bool has_tiles(const depthwise_row_args &row) { return row.line_count >= 2; }

/// The number of pixels that whole tiles cover whose columns exist, all but those at the ends.
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
template <class Isa, class T>
void row_by_blocks(const depthwise_args &call, dim_t r, const depthwise_line *lines,
    const channel_blocks &of, dim_t begin, dim_t end) {
    constexpr void (*run[2][2])(const block_tile &) = {
        {tile_walk<Isa, T, 1, 2>::run, tile_walk<Isa, T, 1, 3>::run},
        {tile_walk<Isa, T, 2, 2>::run, tile_walk<Isa, T, 2, 3>::run}};
    constexpr dim_t block = tile_channels<Isa>, set_blocks = set_channels / block;
    const dim_t N = call.rows[r].line_count, S = call.stride, columns = (wide_pixels - 1) * S + 3;
    const dim_t next = r + 1 < call.row_count ? call.rows[r + 1].line_count : 0;
    const auto first_pixel = [lines](dim_t line) {
        return static_cast<const char *>(lines[line].source);
    };
    block_tile t {};
    t.step = call.source_step_bytes;
    t.dst_step = call.dst_step_bytes;
    t.weights_block = call.taps * block;
    t.line_bytes = first_pixel(1) - first_pixel(0);
    t.weights_line = (lines[1].tap - lines[0].tap) * block;
    // Processors of AVX2 alone gain from L2, too.
    if (next > 0 && (call.asks || Isa::vector_registers == 16))
        t.next_bytes =
            larger(first_pixel(N) - first_pixel(0), first_pixel(N + next - 1) - first_pixel(0));
    if (call.asks && r + 1 < call.row_count)
        t.next_dst =
            static_cast<char *>(call.rows[r + 1].dst) - static_cast<char *>(call.rows[r].dst);
    for (dim_t pixel = begin; pixel < end; pixel += wide_pixels) {
        t.present = present_pixels(*call.segments, pixel * S, columns);
        for (dim_t b = 0; b < of.count; b += set_blocks) {
            const dim_t bytes = (of.channel + b * block) * dim_t {sizeof(T)};
            t.blocks = smaller(of.count - b, set_blocks);
            t.finish = &of.sets[b / set_blocks];
            t.dst = static_cast<char *>(call.rows[r].dst) + pixel * t.dst_step + bytes;
            t.source = first_pixel(0) + call.segments->offset + pixel * S * t.step + bytes;
            t.weights =
                call.own_weights + b * t.weights_block + (lines->tap + call.segments->tap) * block;
            run[S - 1][N - 2](t);
        }
    }
}

/// Computes blocks of channels from `channel` on for as many pixels as pixels_of_tiles() tells, of
/// rows that have tiles. Returns that number, or 0 where the epilogue is another one. Where src and
/// dst come from memory, rows are walked with all channels as they lie there; else tiles below each
/// other, whose lines stay in L1.
template <class Isa, class T>
dim_t pixels_by_blocks(const depthwise_args &call, dim_t channel, dim_t blocks) {
    const dim_t pixels = pixels_of_tiles(call);
    channel_blocks of;
    of.channel = channel;
    of.count = blocks;
    if (pixels == 0 || !describe<Isa, T>(call, of)) return 0;
    depthwise_args block = call;
    for (dim_t b = 0; b < blocks; ++b, block.own_weights += call.taps * tile_channels<Isa>)
        copy_weights<Isa, T, 2>(block, channel + b * tile_channels<Isa>);
    const dim_t strip =
        call.streams ? pixels : smaller(tiles_at_a_place / blocks * wide_pixels, pixels);
    for (dim_t begin = 0, end; begin < pixels; begin = end) {
        end = smaller(begin + strip, pixels);
        const depthwise_line *lines = call.lines;
        for (dim_t r = 0; r < call.row_count; lines += call.rows[r++].line_count)
            if (has_tiles(call.rows[r])) row_by_blocks<Isa, T>(call, r, lines, of, begin, end);
    }
    return pixels;
}

} // namespace dnnl::impl::cpu
