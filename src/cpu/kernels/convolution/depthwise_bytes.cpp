// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of bytes where an instruction multiplies groups of four (depthwise.hpp).
// The groups are columns of the window: a pixel of four lines is interleaved once and multiplied by
// all taps of a row that it meets in a tile of pixels.
//
// The instruction takes unsigned bytes u of the source: signed ones are shifted by 128, as is their
// zero point. Sums start from minus the zero point times the weights of the lines that are there;
// pixels beside the image count as zero points.
#include "cpu/kernels/convolution/depthwise_tile.hpp"
#include "cpu/simd/dot_bytes.hpp"

namespace dnnl::impl::cpu {
// Turns four vectors of bytes, one per row, into four vectors whose lane c holds channel c of the
// four rows. Loads exchange the 32-bit parts, so that interleaving within 128 bits leaves the
// channels in their order.
DNNL_INLINE __m256i channels_in_order(const char *p, dim_t n, __m256i) {
    __m256i bytes;
    if (n >= 32) {
        bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
    } else {
        alignas(32) char copy[32] = {};
        for (dim_t i = 0; i < n; ++i) copy[i] = p[i];
        bytes = _mm256_load_si256(reinterpret_cast<const __m256i *>(copy));
    }
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
}
#if defined(__AVX512BW__)
DNNL_INLINE __m512i channels_in_order(const char *p, dim_t n, __m512i) {
    const __mmask64 wanted = n >= 64 ? ~__mmask64 {0} : (__mmask64 {1} << n) - 1;
    const __m512i bytes = n >= 64 ? _mm512_loadu_si512(p) : _mm512_maskz_loadu_epi8(wanted, p);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, bytes);
}
#endif

template <class V, class Lanes> DNNL_INLINE void interleave(const V (&rows)[4], Lanes (&out)[4]) {
    const V low01 = unpacklo_epi8(rows[0], rows[1]), high01 = unpackhi_epi8(rows[0], rows[1]);
    const V low23 = unpacklo_epi8(rows[2], rows[3]), high23 = unpackhi_epi8(rows[2], rows[3]);
    out[0].v = unpacklo_epi16(low01, low23);
    out[1].v = unpackhi_epi16(low01, low23);
    out[2].v = unpacklo_epi16(high01, high23);
    out[3].v = unpackhi_epi16(high01, high23);
}

namespace {

constexpr int vectors = 4; // of sums, from one of bytes

struct bytes_place {
    row_place row;
    dim_t row_taps;
    s32 padding;      // four bytes of u beside the image; 0: they count nothing
    const s32 *start; // of the sums of a pixel
};

template <class Isa, class T> struct byte_block {
    using v = vec<s32, Isa>;
    static constexpr dim_t channels = vectors * v::size;
    static constexpr int pixels = Isa::vector_registers == 32 ? 4 : 2; // of a tile
    static constexpr bool is_signed = T(-1) < T(0);
};

/// Loads a pixel of four lines. A line that does not exist has weights of zero.
template <class Isa, class T>
DNNL_INLINE void load_pixel(
    const char *const (&lines)[4], dim_t at, dim_t lanes, vec<s32, Isa> (&x)[vectors]) {
    using reg = typename vec<s32, Isa>::reg;
    reg rows[4];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) rows[r] = channels_in_order(lines[r] + at, lanes, reg {});
    interleave(rows, x);
    if constexpr (byte_block<Isa, T>::is_signed) {
#pragma GCC unroll 4
        for (int j = 0; j < vectors; ++j) x[j] = dot<Isa, T, s8>::flip_signs(x[j]);
    }
}

template <class Isa, class T, int K, int S, int P>
DNNL_INLINE void add_segment(vec<s32, Isa> (&c)[P][vectors], const bytes_place &t,
    const depthwise_segment &segment, dim_t pixel, dim_t pixels) {
    using v = vec<s32, Isa>;
    const row_place &row = t.row;
    const dim_t step = (K == 1 ? row.call->stride : 1) * row.call->source_step_bytes;
    const unsigned present = present_pixels(segment, pixel * S, (pixels - 1) * S + K);
    const dim_t first = segment.offset + pixel * S * step + row.channel_bytes;
    const s32 padding = t.padding;
    const char *weights = reinterpret_cast<const char *>(row.weights) +
                          segment.tap * vectors * dim_t {Isa::vector_bytes};
    for (dim_t q = 0; q < row.line_count; q += 4) {
        const char *lines[4];
#pragma GCC unroll 4
        for (dim_t r = 0; r < 4; ++r) {
            const dim_t there = q + r < row.line_count ? q + r : q;
            lines[r] = static_cast<const char *>(row.lines[there].source);
        }
        dim_t at = first;
        unsigned bits = present;
        forget_origin(at);
        forget_origin(bits);
#pragma GCC unroll 32
        for (int p = 0; p < (P - 1) * S + K; ++p, at += step) {
            v x[vectors];
            if (__builtin_expect(bits & 1u << p, 1)) {
                load_pixel<Isa, T>(lines, at, row.lanes, x);
            } else {
                if (padding == 0) continue;
#pragma GCC unroll 4
                for (int j = 0; j < vectors; ++j) x[j] = v::set(padding);
            }
#pragma GCC unroll 7
            for (int i = 0; i < P; ++i) {
                const int k = p - i * S;
                if (k < 0 || k >= K) continue;
#pragma GCC unroll 4
                for (int j = 0; j < vectors; ++j)
                    c[i][j] = dot_bytes(c[i][j], x[j],
                        v::load(reinterpret_cast<const s32 *>(
                            weights + (k * vectors + j) * Isa::vector_bytes)));
            }
        }
        weights += t.row_taps * vectors * Isa::vector_bytes;
    }
}

template <class Isa, class Dst, bool Full>
DNNL_INLINE void finish_pixel_as(
    const vec<s32, Isa> (&c)[vectors], const common_columns &columns, Dst *to, dim_t lanes) {
    constexpr dim_t size = vec<f32, Isa>::size;
    const common_numbers<Isa> all(columns);
    const row_numbers<Isa, false> row(columns, 0);
    vec<f32, Isa> y[vectors];
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j)
        y[j] = finish_common<Full, false>(
            row, c[j], common_vector<Isa>(columns, j * size), all, static_cast<const Dst *>(to));
    if (lanes == vectors * size) {
        Dst *const halves[2] = {to, to + 2 * size};
        const vec<f32, Isa> even[2] = {y[0], y[2]}, odd[2] = {y[1], y[3]};
        return store_pairs(halves, even, odd, 2 * size);
    }
    store_pair(to, y[0], y[1], smaller(lanes, 2 * size));
    if (lanes > 2 * size) store_pair(to + 2 * size, y[2], y[3], lanes - 2 * size);
}

template <class Isa, class Dst>
DNNL_INLINE void finish_pixel(
    const vec<s32, Isa> (&c)[vectors], const common_columns &columns, Dst *to, dim_t lanes) {
    columns.full ? finish_pixel_as<Isa, Dst, true>(c, columns, to, lanes)
                 : finish_pixel_as<Isa, Dst, false>(c, columns, to, lanes);
}

template <class Isa, class T, int K, int S, int P>
void tile(const bytes_place &t, dim_t pixel, char *out) {
    using v = vec<s32, Isa>;
    const row_place &row = t.row;
    const depthwise_args &call = *row.call;
    const dim_t pixels = smaller(row.end - pixel, P);
    v c[P][vectors];
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
#pragma GCC unroll 4
        for (int j = 0; j < vectors; ++j) c[i][j] = v::load(t.start + j * v::size);
    }
    const depthwise_segment *segment = call.segments, *wide = segment + call.wide;
    if constexpr (K > 1)
        for (; segment != wide; ++segment)
            add_segment<Isa, T, K, S, P>(c, t, *segment, pixel, pixels);
    for (const depthwise_segment *last = wide + call.single; segment != last; ++segment)
        add_segment<Isa, T, 1, 1, P>(c, t, *segment, pixel, pixels);
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i, out += row.out_step_bytes) {
        if (i >= pixels) break;
        if (row.columns) {
            if (call.finish->dst_type == data_type::u8)
                finish_pixel<Isa>(c[i], *row.columns, reinterpret_cast<u8 *>(out), row.lanes);
            else
                finish_pixel<Isa>(c[i], *row.columns, reinterpret_cast<s8 *>(out), row.lanes);
        } else {
#pragma GCC unroll 4
            for (int j = 0; j < vectors; ++j)
                c[i][j].store(reinterpret_cast<s32 *>(out) + j * v::size);
        }
    }
}

// ---- Weights: [group of four lines][tap of a row][channel of the block][4 lines] ----

template <class Isa, class T> void copy_weights(const bytes_place &t, dim_t channel) {
    using v = vec<s32, Isa>;
    using block = byte_block<Isa, T>;
    const depthwise_args &call = *t.row.call;
    const char *from = static_cast<const char *>(call.weights) +
                       channel / depthwise_block * call.weights_block_bytes;
    char *const first = reinterpret_cast<char *>(call.own_weights), *to = first;
    for (dim_t q = 0; q < t.row.line_count; q += 4)
        for (dim_t tap = 0; tap < t.row_taps; ++tap)
            for (dim_t c = 0; c < block::channels;
                 c += depthwise_block, to += 4 * depthwise_block) {
                __m128i rows[4];
                vec<s32, Isa, 16> groups[4];
                for (dim_t r = 0; r < 4; ++r) {
                    rows[r] = _mm_setzero_si128();
                    if (q + r >= t.row.line_count || c >= t.row.lanes) continue;
                    const dim_t place = call.places[t.row.lines[q + r].tap + tap];
                    rows[r] = _mm_loadu_si128(reinterpret_cast<const __m128i *>(
                        from + c / depthwise_block * call.weights_block_bytes +
                        place * depthwise_block));
                }
                interleave(rows, groups);
                __builtin_memcpy(to, groups, sizeof groups);
            }
    v start[vectors];
    for (v &x : start) x = v::zero();
    if (t.padding)
        for (const char *p = first; p != to; p += vectors * Isa::vector_bytes)
            for (int j = 0; j < vectors; ++j)
                start[j] = dot_bytes(start[j], v::set(t.padding),
                    v::load(reinterpret_cast<const s32 *>(p + j * Isa::vector_bytes)));
    for (int j = 0; j < vectors; ++j)
        (v::zero() - start[j]).store(const_cast<s32 *>(t.start) + j * v::size);
}

/// True where the lines of both rows hit the same rows of the window.
DNNL_INLINE bool alike(const depthwise_line *a, const depthwise_line *b, dim_t count) {
    for (dim_t i = 0; i < count; ++i)
        if (a[i].tap != b[i].tap) return false;
    return true;
}

template <class Isa, class T>
void block_of_channels(const depthwise_args &call, dim_t channel, dim_t lanes) {
    using block = byte_block<Isa, T>;
    alignas(64) s32 sums[part_pixels * block::channels], start[block::channels];
    const auto run = with_tile_shape(
        call.width, call.stride, []<int K, int S>() { return tile<Isa, T, K, S, block::pixels>; });
    sums_finisher<Isa, T, s32> finish(call, channel, lanes);
    const unsigned zero_point = static_cast<u8>(call.zero_point + (block::is_signed ? 128 : 0));
    bytes_place t {};
    t.row_taps = call.wide * call.width + call.single;
    t.padding = static_cast<s32>(zero_point * 0x01010101u);
    t.start = start;
    row_place &place = t.row;
    place.call = &call;
    place.weights = call.own_weights;
    place.channel_bytes = channel;
    place.lanes = lanes;
    place.lines = call.lines;
    const depthwise_line *copied = nullptr;
    dim_t copied_count = -1;
    for (dim_t r = 0; r < call.row_count; ++r, place.lines += place.line_count) {
        const depthwise_row_args &row = call.rows[r];
        place.line_count = row.line_count;
        if (copied_count != row.line_count || !alike(copied, place.lines, copied_count)) {
            copy_weights<Isa, T>(t, channel);
            copied = place.lines;
            copied_count = row.line_count;
        }
        finish.begin_row(row, r == 0);
        place.columns = finish.columns();
        char *dst = static_cast<char *>(row.dst) + channel * finish.dst_bytes();
        const bool direct = finish.direct();
        place.out_step_bytes = direct ? call.dst_step_bytes : block::channels * dim_t {sizeof(s32)};
        for (dim_t part = 0; part < call.pixels; part += part_pixels) {
            char *out = direct ? dst : reinterpret_cast<char *>(sums);
            place.end = smaller(part + part_pixels, call.pixels);
            for (dim_t pixel = part; pixel < place.end; pixel += block::pixels) {
                run(t, pixel, out);
                out += block::pixels * place.out_step_bytes;
            }
            if (!direct) finish.finish(sums, block::channels, part, place.end - part, dst);
            dst += part_pixels * call.dst_step_bytes;
        }
    }
}

template <class Isa, class T> void channels(const depthwise_args &call) {
    constexpr dim_t most = byte_block<Isa, T>::channels;
    for (dim_t channel = call.first_channel; channel < call.channels; channel += most)
        block_of_channels<Isa, T>(call, channel, smaller(call.channels - channel, most));
}

} // namespace

template <class Isa> void depthwise_bytes(const depthwise_args &call) {
    call.type == data_type::u8 ? channels<Isa, u8>(call) : channels<Isa, s8>(call);
}

template void depthwise_bytes<this_isa>(const depthwise_args &);

} // namespace dnnl::impl::cpu
