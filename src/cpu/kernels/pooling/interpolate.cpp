// SPDX-License-Identifier: Apache-2.0
// Rows of resampling; see pooling.hpp.
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/kernels/pooling/pooling.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

namespace {

template <class T> DNNL_INLINE const T *at(const interpolate_args &t, dim_t bytes) {
    return reinterpret_cast<const T *>(static_cast<const char *>(t.src) + bytes);
}

// The weighted sum of the rows: n elements, from `bytes` after the beginning of each row on.
template <class Isa, class T>
DNNL_INLINE vec<f32, Isa> sum_of_rows(const interpolate_args &t, dim_t bytes, dim_t n) {
    using v = vec<f32, Isa>;
    v sum = v::zero();
    for (dim_t r = 0; r < t.row_count; ++r)
        sum = fma(v::set(t.row_weights[r]),
            load_up_to<Isa>(at<T>(t, t.row_offset_bytes[r] + bytes), n), sum);
    return sum;
}

// n results to `dst`, those from (row, column) after the first one on.
template <class Isa, class Value>
DNNL_INLINE void store(
    const interpolate_args &t, const Value *x, dim_t n, void *dst, dim_t row, dim_t column) {
    finish_row<Isa>(t.finish, x, n, t.dst_type, dst,
        {t.position[0], t.position[1], t.position[2], t.position[row_dim] + row,
            t.position[column_dim] + column});
}

// ---- Channels ----

// The channels [c, c + n) of result x.
template <class Isa, class T>
DNNL_INLINE void blend(const interpolate_args &t, dim_t x, dim_t c, dim_t n, f32 *out) {
    using v = vec<f32, Isa>;
    for (dim_t i = 0; i < n; i += v::size) {
        const dim_t from = (c + i) * static_cast<dim_t>(sizeof(T));
        v sum = v::zero();
        for (dim_t k = 0; k < t.tap_count; ++k) {
            const f32 weight = t.weights[k * t.pixels + x];
            if (weight == 0.0f) break;
            sum = fma(v::set(weight),
                sum_of_rows<Isa, T>(t, from + t.taps[k * t.pixels + x] * t.src_pixel_bytes, n - i),
                sum);
        }
        sum.store(out + i);
    }
}

template <class Isa, class T> void channels(const interpolate_args &t) {
    alignas(64) f32 out[row_piece];
    const dim_t dst_bytes = size_in_bytes(t.dst_type);
    for (dim_t x = 0; x < t.pixels; ++x)
        for (dim_t c = 0; c < t.n; c += row_piece) {
            const dim_t n = smaller(row_piece, t.n - c);
            blend<Isa, T>(t, x, c, n, out);
            store<Isa>(t, out, n,
                static_cast<char *>(t.dst) + x * t.dst_pixel_bytes + c * dst_bytes, x, c);
        }
}

// Count vectors of channels, the last one of them with `last` lanes.
template <class Isa, class T, int Count> struct channel_block {
    using v = vec<f32, Isa>;
    v of[Count];

    // The weighted sum of the rows at a pixel.
    DNNL_INLINE void sum_rows(const interpolate_args &t, dim_t bytes, dim_t last) {
        for (int i = 0; i < Count; ++i) of[i] = v::zero();
        for (dim_t r = 0; r < t.row_count; ++r) {
            const T *p = at<T>(t, t.row_offset_bytes[r] + bytes);
            const v weight = v::set(t.row_weights[r]);
#pragma GCC unroll 4
            for (int i = 0; i < Count; ++i) {
                const dim_t left = i + 1 < Count ? dim_t {v::size} : last;
                of[i] = fma(weight, load_up_to<Isa>(p + i * v::size, left), of[i]);
            }
        }
    }
    DNNL_INLINE void add(f32 weight, const channel_block &x) {
#pragma GCC unroll 4
        for (int i = 0; i < Count; ++i) of[i] = fma(v::set(weight), x.of[i], of[i]);
    }
    DNNL_INLINE void store(T *to, dim_t last) const {
#pragma GCC unroll 2
        for (int i = 0; i + 1 < Count; i += 2)
            store_pair(
                to + i * v::size, of[i], of[i + 1], v::size + (i + 2 < Count ? v::size : last));
        if constexpr (Count % 2 == 1) store_up_to(to + (Count - 1) * v::size, of[Count - 1], last);
    }
};

// Two taps at most: the sums of the rows at a pixel serve all results that take it. Results are of
// the type that is read.
template <class Isa, class T, int Count>
void blend_neighbours(const interpolate_args &t, dim_t c, dim_t last) {
    constexpr dim_t bytes = static_cast<dim_t>(sizeof(T));
    channel_block<Isa, T, Count> left, right;
    s32 left_pixel = -1, right_pixel = -1;
    char *dst = static_cast<char *>(t.dst) + c * bytes;
    for (dim_t x = 0; x < t.pixels; ++x, dst += t.dst_pixel_bytes) {
        const s32 pixel = t.taps[x], next = t.taps[t.pixels + x];
        const f32 weight = t.weights[x], next_weight = t.weights[t.pixels + x];
        if (pixel != left_pixel) {
            if (pixel == right_pixel)
                left = right;
            else
                left.sum_rows(t, pixel * t.src_pixel_bytes + c * bytes, last);
            left_pixel = pixel;
        }
        channel_block<Isa, T, Count> sum;
        for (int i = 0; i < Count; ++i) sum.of[i] = vec<f32, Isa>::zero();
        sum.add(weight, left);
        if (next_weight != 0.0f) {
            if (next != right_pixel) {
                right.sum_rows(t, next * t.src_pixel_bytes + c * bytes, last);
                right_pixel = next;
            }
            sum.add(next_weight, right);
        }
        sum.store(reinterpret_cast<T *>(dst), last);
    }
}

template <class Isa, class T> void neighbours(const interpolate_args &t) {
    constexpr dim_t size = vec<f32, Isa>::size;
    dim_t c = 0;
    for (; c + 4 * size <= t.n; c += 4 * size) blend_neighbours<Isa, T, 4>(t, c, size);
    const dim_t vectors = (t.n - c + size - 1) / size, last = t.n - c - (vectors - 1) * size;
    if (vectors == 4) blend_neighbours<Isa, T, 4>(t, c, last);
    if (vectors == 3) blend_neighbours<Isa, T, 3>(t, c, last);
    if (vectors == 2) blend_neighbours<Isa, T, 2>(t, c, last);
    if (vectors == 1) blend_neighbours<Isa, T, 1>(t, c, last);
}

// Bytes in vectors, the last of which may overlap the one before.
template <class Vector> DNNL_INLINE void copy_vectors(char *to, const char *from, dim_t bytes) {
    constexpr dim_t size = sizeof(Vector);
    const auto copy = [&](dim_t i) {
        Vector x;
        __builtin_memcpy(&x, from + i, size);
        __builtin_memcpy(to + i, &x, size);
    };
    for (dim_t i = 0; i + size < bytes; i += size) copy(i);
    copy(bytes - size);
}
DNNL_INLINE void copy_bytes(char *to, const char *from, dim_t bytes) {
    if (bytes >= 32)
        copy_vectors<__m256i>(to, from, bytes);
    else if (bytes >= 16)
        copy_vectors<__m128i>(to, from, bytes);
    else
        for (dim_t i = 0; i < bytes; ++i) to[i] = from[i];
}

template <class Isa, class Value> void copy_channels(const interpolate_args &t) {
    alignas(64) Value buffer[row_piece];
    const dim_t src_bytes = size_in_bytes(t.src_type), dst_bytes = size_in_bytes(t.dst_type);
    for (dim_t x = 0; x < t.pixels; ++x) {
        const char *src = at<char>(t, t.row_offset_bytes[0] + t.taps[x] * t.src_pixel_bytes);
        char *dst = static_cast<char *>(t.dst) + x * t.dst_pixel_bytes;
        if (t.src_type == t.dst_type && !t.finish) {
            copy_bytes(dst, src, t.n * src_bytes);
            continue;
        }
        for (dim_t c = 0; c < t.n; c += row_piece) {
            const dim_t n = smaller(row_piece, t.n - c);
            store<Isa>(t, row_values<Isa>(src + c * src_bytes, t.src_type, 1, n, buffer), n,
                dst + c * dst_bytes, x, c);
        }
    }
}

// ---- Pixels ----

template <class Isa, class T> void blend_rows(const interpolate_args &t) {
    constexpr dim_t size = vec<f32, Isa>::size;
    for (dim_t i = 0; i < t.n; i += size)
        sum_of_rows<Isa, T>(t, i * static_cast<dim_t>(sizeof(T)), t.n - i).store(t.buffer + i);
}

// Elements of a row by their numbers. Where `windows` holds, those of 16 results lie within 32
// elements, which are permuted.
template <class Isa> struct picked {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    const f32 *row;
    DNNL_INLINE picked(const interpolate_args &, const f32 *from, dim_t) : row(from) {}
    DNNL_INLINE v operator()(i32 numbers) const { return v::gather(row, numbers); }
};
#if defined(__AVX512F__)
template <class Isa>
requires(Isa::vector_bytes == 64) struct picked<Isa> {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    const f32 *row;
    bool windows;
    s32 first = 0;
    v low = v::zero(), high = v::zero();
    DNNL_INLINE picked(const interpolate_args &t, const f32 *from, dim_t x)
        : row(from), windows(t.windows != nullptr) {
        if (!windows) return;
        first = t.windows[x / v::size];
        low = load_up_to<Isa>(row + first, t.n - first);
        if (const dim_t left = t.n - first - v::size; left > 0)
            high = load_up_to<Isa>(row + first + v::size, left);
    }
    DNNL_INLINE v operator()(i32 numbers) const {
        if (!windows) return v::gather(row, numbers);
        return {_mm512_permutex2var_ps(low.v, (numbers - i32::set(first)).v, high.v)};
    }
};
#endif

// The results [x, x + n) from the row in f32; x is a multiple of 16.
template <class Isa>
void gather_taps(const interpolate_args &t, const f32 *row, dim_t x, dim_t n, f32 *out) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    for (dim_t i = 0; i < n; i += v::size) {
        const picked<Isa> element(t, row, x + i);
        v sum = v::zero();
        for (dim_t k = 0; k < t.tap_count; ++k) {
            const dim_t entry = k * t.pixels + x + i, left = smaller(v::size, n - i);
            const v weight = v::load(t.weights + entry, left);
            const auto taken = weight != v::zero();
            if (!any(taken)) break;
            const v y = element(i32::load(t.taps + entry, left));
            sum = select(taken, fma(weight, y, sum), sum);
        }
        sum.store(out + i);
    }
}

// The elements named by the taps, 32 bits each.
template <class Isa>
void gather_copies(const interpolate_args &t, const f32 *row, dim_t x, dim_t n, f32 *out) {
    using i32 = vec<s32, Isa>;
    for (dim_t i = 0; i < n; i += i32::size) {
        const picked<Isa> element(t, row, x + i);
        element(i32::load(t.taps + x + i, smaller(i32::size, n - i))).store(out + i);
    }
}

// The row that is read as f32, or as s32 where integers are copied: 32 bits for each element.
template <class Isa> const f32 *row_of(const interpolate_args &t) {
    if (t.copies && t.integer)
        return reinterpret_cast<const f32 *>(row_values<Isa>(at<char>(t, t.row_offset_bytes[0]),
            t.src_type, 1, t.n, reinterpret_cast<s32 *>(t.buffer)));
    if (t.copies || (t.row_count == 1 && t.row_weights[0] == 1.0f))
        return row_values<Isa>(at<char>(t, t.row_offset_bytes[0]), t.src_type, 1, t.n, t.buffer);
    with_activation(t.src_type, [&](auto element) { blend_rows<Isa, decltype(element)>(t); });
    return t.buffer;
}

} // namespace

template <class Isa> void interpolate_channels(const interpolate_args &args) {
    if (args.copies)
        return args.integer ? copy_channels<Isa, s32>(args) : copy_channels<Isa, f32>(args);
    const bool near = args.tap_count == 2 && args.src_type == args.dst_type && !args.finish;
    with_activation(args.src_type, [&](auto element) {
        near ? neighbours<Isa, decltype(element)>(args) : channels<Isa, decltype(element)>(args);
    });
}

template <class Isa> void interpolate_pixels(const interpolate_args &args) {
    alignas(64) f32 out[row_piece];
    const f32 *row = row_of<Isa>(args);
    const dim_t dst_bytes = size_in_bytes(args.dst_type);
    for (dim_t x = 0; x < args.pixels; x += row_piece) {
        const dim_t n = smaller(row_piece, args.pixels - x);
        char *dst = static_cast<char *>(args.dst) + x * dst_bytes;
        if (args.copies)
            gather_copies<Isa>(args, row, x, n, out);
        else
            gather_taps<Isa>(args, row, x, n, out);
        if (args.copies && args.integer)
            store<Isa>(args, reinterpret_cast<const s32 *>(out), n, dst, 0, x);
        else
            store<Isa>(args, out, n, dst, 0, x);
    }
}

template void interpolate_channels<this_isa>(const interpolate_args &);
template void interpolate_pixels<this_isa>(const interpolate_args &);

} // namespace dnnl::impl::cpu
