// SPDX-License-Identifier: Apache-2.0
// What kernels of depthwise convolution share: pixels as vectors of f32, which of them a tile
// meets, and where sums go: to dst, or through the epilogue of the call.
#pragma once

#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/kernels/epilogue/common_epilogue.hpp"
#include "cpu/simd/block.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

// Sizes of tiles. Seven divides the rows of networks on images of 224 pixels; with two vectors of
// channels the sums and the weights of seven taps fit 32 registers.
inline constexpr dim_t wide_pixels = 7, narrow_pixels = 4;

/// Returns f.operator()<K, S>() for segments of K taps at the stride S where kernels take these
/// (depthwise_has_tiles()) and K is at most Widest, else for single taps, <1, 1>.
template <int Widest = 7, class F> auto with_tile_shape(dim_t width, dim_t stride, const F &f) {
    if (stride == 1 && width == 2) return f.template operator()<2, 1>();
    if (stride == 1 && width == 3) return f.template operator()<3, 1>();
    if (stride == 2 && width == 3) return f.template operator()<3, 2>();
    if constexpr (Widest > 3) {
        if (stride == 1 && width == 5) return f.template operator()<5, 1>();
        if (stride == 1 && width == 7) return f.template operator()<7, 1>();
        if (stride == 2 && width == 5) return f.template operator()<5, 2>();
    }
    return f.template operator()<1, 1>();
}

/// The lines of the source that the next row of the result hits and this one does not, and the next
/// row. A kernel that takes a piece of each pixel makes no stream that the processor would follow.
struct next_row {
    dim_t lines = 0, line_bytes = 0;
    const char *source = nullptr, *dst = nullptr; // at the channels of the block; dst null: no row
};

/// Some pixels of a row of the result, from `pixel` to `end`, and some channels.
struct row_place {
    const depthwise_args *call;
    const depthwise_line *lines;
    dim_t line_count;
    const f32 *weights;
    dim_t channel_bytes, lanes;
    dim_t pixel, end;
    char *out; // of `pixel`
    dim_t out_step_bytes;
    const common_columns *columns; // how sums are finished; null: they are not
    next_row next;
};

// Empty statements, spelt so that tests/models do not take them for an instruction.

/// Hides from the compiler where x comes from, so that what follows from it is computed where it is
/// used. Otherwise GCC keeps every test of a bit and every address of a row on the stack.
template <class Value> DNNL_INLINE void forget_origin(Value &x) { __asm__("" : "+r"(x)); }
/// The same for a vector: otherwise GCC loads a vector of f32 anew for each product.
template <class Vector> DNNL_INLINE void keep_in_register(Vector &x) {
#if defined(__AVX512F__)
    __asm__("" : "+v"(x.v));
#else
    __asm__("" : "+x"(x.v));
#endif
}

/// Asks for a line that will be written; __builtin_prefetch does not on every target.
DNNL_INLINE void ask_to_write(const char *to) { __asm__ volatile("prefetchw %0" : : "m"(*to)); }

/// Asks for P pixels of the next row, from `pixel` on, and for their places in the source. A few at
/// a time: what exceeds the misses that a core has under way is forgotten.
DNNL_INLINE void ask_for_next(const row_place &t, dim_t pixel, dim_t P, dim_t stride) {
    if (!t.next.dst) return;
    const dim_t step = t.call->source_step_bytes;
    for (dim_t line = 0; line < t.next.lines; ++line) {
        const char *from = t.next.source + line * t.next.line_bytes + pixel * stride * step;
#pragma GCC unroll 14
        for (dim_t i = 0; i < P * stride; ++i, from += step) __builtin_prefetch(from, 0, 2);
    }
    const char *to = t.next.dst + pixel * t.call->dst_step_bytes;
    for (dim_t i = 0; i < P; ++i, to += t.call->dst_step_bytes) ask_to_write(to);
}

/// Bit x is set where source pixel from + x of the segment exists; x < count <= 31.
DNNL_INLINE unsigned present_pixels(const depthwise_segment &s, dim_t from, dim_t count) {
    const dim_t first = s.first - from, end = s.end - from;
    const dim_t low = first < 0 ? 0 : smaller(first, count);
    const dim_t high = end < 0 ? 0 : smaller(end, count);
    return ((1u << high) - 1u) & ~((1u << low) - 1u);
}

// Two vectors of bf16 channels hold the even and the odd channels (simd/block.hpp), which takes one
// instruction each.
template <class Isa, class T, int NV>
inline constexpr bool splits_pairs = __is_same(T, bf16) && NV == 2;

/// Loads pixels of NV vectors of channels: all lanes of two or more, `lanes` of a single one.
template <class Isa, class T, int NV, bool Whole> struct pixel_loader {
    using v = vec<f32, Isa>;
    dim_t lanes;
    v zero_point;

    pixel_loader() = default;
    DNNL_INLINE explicit pixel_loader(const row_place &t)
        : lanes(t.lanes), zero_point(v::set(static_cast<f32>(t.call->zero_point))) {}
    /// Returns vector j of the pixel at p.
    DNNL_INLINE v operator()(const char *p, int j) const {
        if constexpr (splits_pairs<Isa, T, NV>)
            return block<Isa, T, NV>::load(reinterpret_cast<const T *>(p)).x[j];
        const T *from = reinterpret_cast<const T *>(p) + j * v::size;
        v x = Whole ? load_as_f32<Isa>(from) : load_as_f32<Isa>(from, lanes);
        if constexpr (is_byte<T>) x = x - zero_point;
        if constexpr (__is_same(T, f32)) keep_in_register(x);
        return x;
    }
    /// Puts x in the order of channels.
    DNNL_INLINE static void in_order([[maybe_unused]] v (&x)[NV]) {
        if constexpr (splits_pairs<Isa, T, NV>) {
            const vector_pair<Isa> y = interleaved<Isa>(x[0], x[1]);
            x[0] = y.first;
            x[1] = y.second;
        }
    }
    DNNL_INLINE void store(f32 *to, const v (&x)[NV]) const {
#pragma GCC unroll 2
        for (int j = 0; j < NV; ++j) Whole ? x[j].store(to + j * v::size) : x[j].store(to, lanes);
    }
    template <bool Full>
    DNNL_INLINE void finish(T *to, const v (&x)[NV], const common_columns &c) const {
        const common_numbers<Isa> all(c);
        const row_numbers<Isa, false> row(c, 0);
        v y[NV];
#pragma GCC unroll 2
        for (int j = 0; j < NV; ++j)
            y[j] = finish_common<Full, false>(
                row, x[j], common_vector<Isa>(c, j * v::size), all, static_cast<const T *>(to));
        if constexpr (NV == 2)
            store_pair(to, y[0], y[1]);
        else
            Whole ? store_as(to, y[0]) : store_as(to, y[0], lanes);
    }
};

/// The type of weights is that of the source; beside bytes it is s8.
template <class T> struct weights_of { using type = T; };
template <> struct weights_of<u8> { using type = s8; };

/// Copies the weights of NV vectors of channels, tap by tap in the order of `places`, with channels
/// in the order in which pixel_loader has them.
template <class Isa, class T, int NV> void copy_weights(const depthwise_args &call, dim_t channel) {
    using v = vec<f32, Isa>;
    using W = typename weights_of<T>::type;
    const W *from[NV];
    for (int j = 0; j < NV; ++j) {
        const dim_t c = channel + j * v::size;
        from[j] = reinterpret_cast<const W *>(static_cast<const char *>(call.weights) +
                                              c / depthwise_block * call.weights_block_bytes) +
                  c % depthwise_block;
    }
    f32 *to = call.own_weights;
    for (dim_t tap = 0; tap < call.taps; ++tap, to += NV * v::size) {
        v x[NV];
        for (int j = 0; j < NV; ++j)
            x[j] = load_as_f32<Isa>(from[j] + call.places[tap] * depthwise_block);
        if constexpr (splits_pairs<Isa, T, NV>) {
            const vector_pair<Isa> y = even_and_odd<Isa>(x[0], x[1]);
            x[0] = y.first;
            x[1] = y.second;
        }
        for (int j = 0; j < NV; ++j) x[j].store(to + j * v::size);
    }
}

/// The number of pixels whose sums wait in L1 for an epilogue that is not computed in registers.
inline constexpr dim_t part_pixels = 4 * wide_pixels;

/// Finishes the sums of some channels, which are of type Sum, f32 or s32, and were computed from a
/// source of type T.
template <class Isa, class T, class Sum = f32> class sums_finisher {
  public:
    DNNL_INLINE sums_finisher(const depthwise_args &args, dim_t channel, dim_t lanes)
        : call_(args), channel_(channel) {
        rows_.columns = lanes;
        columns_.adds = false;
    }
    /// True where sums are stored as dst or finished in registers.
    DNNL_INLINE bool direct() const { return call_.finish ? in_registers_ : !integer; }
    DNNL_INLINE const common_columns *columns() const {
        return in_registers_ ? &columns_ : nullptr;
    }
    DNNL_INLINE dim_t dst_bytes() const {
        return call_.finish ? size_in_bytes(call_.finish->dst_type) : dim_t {sizeof(f32)};
    }

    DNNL_INLINE void begin_row(const depthwise_row_args &row, bool first) {
        for (int d = 0; d < position_rank; ++d) rows_.position[d] = call_.position[d];
        rows_.position[1] = row.position[0];
        rows_.position[2] = row.position[1];
        if (call_.finish && (first || columns_.adds)) {
            common_ = common_rows<tag>(
                *call_.finish, type_of<Sum>, rows_.position, channel_, rows_.columns, columns_);
            const data_type dst = call_.finish->dst_type;
            in_registers_ =
                common_ && !columns_.adds &&
                (dst == type_of<T> || (whole && (dst == data_type::u8 || dst == data_type::s8)));
        }
        rows_.position[column_dim] += channel_;
    }
    DNNL_INLINE void finish(Sum *sums, dim_t stride, dim_t pixel, dim_t pixels, void *dst) {
        if constexpr (integer && !whole)
            if (!common_) to_integers(sums, pixels * stride);
        if (!call_.finish) return copy(sums, stride, pixels, dst);
        rows_.finish = call_.finish;
        rows_.acc = sums;
        rows_.acc_stride_bytes = stride * dim_t {sizeof(f32)};
        rows_.acc_type = integer && !common_ ? data_type::s32 : type_of<Sum>;
        rows_.dst = dst;
        rows_.dst_stride_bytes = call_.dst_step_bytes;
        rows_.rows = pixels;
        rows_.position[row_dim] = call_.position[row_dim] + pixel;
        common_ ? common_(columns_, rows_) : epilogue_rows<tag>(rows_);
    }

  private:
    static constexpr bool integer = is_byte<T>, whole = __is_same(Sum, s32);
    using tag = typename lowest_isa<Isa::vector_bytes>::tag;

    DNNL_INLINE static void to_integers(f32 *sums, dim_t n) {
        using v = vec<f32, Isa>;
        for (dim_t i = 0; i < n; i += v::size)
            to_s32_round(v::load(sums + i)).store(reinterpret_cast<s32 *>(sums + i));
    }
    DNNL_INLINE void copy(const Sum *sums, dim_t stride, dim_t pixels, void *dst) const {
        for (dim_t p = 0; p < pixels; ++p)
            __builtin_memcpy(static_cast<char *>(dst) + p * call_.dst_step_bytes, sums + p * stride,
                std::size_t(rows_.columns) * sizeof(f32));
    }

    const depthwise_args &call_;
    const dim_t channel_;
    bool in_registers_ = false;
    common_columns columns_;
    common_rows_function common_ = nullptr;
    epilogue_rows_args rows_ {};
};

} // namespace dnnl::impl::cpu
