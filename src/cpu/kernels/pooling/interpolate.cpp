// SPDX-License-Identifier: Apache-2.0
// Rows of resampling; see pool.hpp.
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

namespace {

template <class T> DNNL_INLINE const T *at(const interpolate_args &t, dim_t bytes) {
    return reinterpret_cast<const T *>(static_cast<const char *>(t.src) + bytes);
}

// Returns the weighted sum of the rows for n elements from `bytes` after their beginnings on.
template <class Isa, class T>
DNNL_INLINE vec<f32, Isa> sum_of_rows(const interpolate_args &t, dim_t bytes, dim_t n) {
    using v = vec<f32, Isa>;
    v sum = v::zero();
    for (dim_t r = 0; r < t.row_count; ++r)
        sum = fma(v::set(t.row_weights[r]),
            load_up_to<Isa>(at<T>(t, t.row_offset_bytes[r] + bytes), n), sum);
    return sum;
}

// Writes n results to `dst`; (row, column) is their position relative to the first one of the call.
template <class Isa, class Value>
DNNL_INLINE void store(
    const interpolate_args &t, const Value *x, dim_t n, void *dst, dim_t row, dim_t column) {
    finish_row<Isa>(t.finish, x, n, t.dst_type, dst,
        {t.position[0], t.position[1], t.position[2], t.position[row_dim] + row,
            t.position[column_dim] + column});
}

// ---- Channels ----

// Computes the channels [c, c + n) of result x.
template <class Isa, class T>
DNNL_INLINE void blend(const interpolate_args &t, dim_t x, dim_t c, dim_t n, f32 *out) {
    using v = vec<f32, Isa>;
    for (dim_t i = 0; i < n; i += v::size) {
        const dim_t from = (c + i) * dim_t(sizeof(T));
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

    // Makes this the weighted sum of the rows at a pixel, `bytes` after their beginnings.
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

// Results of two taps at most, of the type of src: the sum of the rows at a pixel is computed once
// for all results that take this pixel.
template <class Isa, class T, int Count>
void blend_neighbours(const interpolate_args &t, dim_t c, dim_t last) {
    constexpr dim_t bytes = dim_t(sizeof(T));
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
    // The last vectors overlap those before where that makes them whole.
    const dim_t vectors = (t.n - c + size - 1) / size;
    if (t.n >= vectors * size) c = t.n - vectors * size;
    const dim_t last = t.n - c - (vectors - 1) * size;
    if (vectors == 4) return blend_neighbours<Isa, T, 4>(t, c, last);
    if (vectors >= 2) blend_neighbours<Isa, T, 2>(t, c, vectors == 2 ? last : size);
    if (vectors % 2 == 1) blend_neighbours<Isa, T, 1>(t, c + (vectors - 1) * size, last);
}

template <class Isa, class Value> void copy_channels(const interpolate_args &t) {
    alignas(64) Value buffer[row_piece];
    const dim_t src_bytes = size_in_bytes(t.src_type), dst_bytes = size_in_bytes(t.dst_type);
    for (dim_t x = 0; x < t.pixels; ++x) {
        const char *src = at<char>(t, t.row_offset_bytes[0] + t.taps[x] * t.src_pixel_bytes);
        char *dst = static_cast<char *>(t.dst) + x * t.dst_pixel_bytes;
        if (t.src_type == t.dst_type && !t.finish) {
            // The last vector overlaps the one before.
            const dim_t bytes = t.n * src_bytes, last = bytes - Isa::vector_bytes;
            if (last < 0)
                __builtin_memcpy(dst, src, std::size_t(bytes));
            else
                for (dim_t i = 0; i < bytes; i += Isa::vector_bytes)
                    __builtin_memcpy(
                        dst + smaller(i, last), src + smaller(i, last), Isa::vector_bytes);
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
    constexpr dim_t size = vec<f32, Isa>::size, bytes = dim_t(sizeof(T));
    const dim_t n = t.n;
    dim_t i = 0;
    if (t.row_count == 2) {
        using v = vec<f32, Isa>;
        const T *first = at<T>(t, t.row_offset_bytes[0]), *second = at<T>(t, t.row_offset_bytes[1]);
        const v w0 = v::set(t.row_weights[0]), w1 = v::set(t.row_weights[1]);
        f32 *to = t.buffer;
        for (; i + size <= n; i += size)
            fma(w1, load_as_f32<Isa>(second + i), fma(w0, load_as_f32<Isa>(first + i), v::zero()))
                .store(to + i);
    }
    for (; i < n; i += size) sum_of_rows<Isa, T>(t, i * bytes, n - i).store(t.buffer + i);
}

// Returns the results whose taps begin at `entry`, computed or copied; element(numbers) returns
// elements of the row.
template <class Isa, class Element>
DNNL_INLINE vec<f32, Isa> of_taps(
    const interpolate_args &t, dim_t entry, dim_t left, const Element &element) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    if (t.copies) return element(i32::load(t.taps + entry, left));
    v sum = v::zero();
    for (const dim_t end = entry + t.tap_count * t.pixels; entry < end; entry += t.pixels) {
        const v weight = v::load(t.weights + entry, left);
        const auto taken = weight != v::zero();
        if (!any(taken)) break;
        sum = select(taken, fma(weight, element(i32::load(t.taps + entry, left)), sum), sum);
    }
    return sum;
}

// Computes or copies the results [x, x + n) from the row that is read; x is a multiple of 16. With
// AVX-512, elements of a window of 32 are permuted.
template <class Isa>
DNNL_INLINE void pick_results(const interpolate_args &t, const f32 *row, dim_t x, dim_t n, f32 *y) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    for (dim_t i = 0; i < n; i += v::size) {
        const dim_t left = smaller(v::size, n - i);
#if defined(__AVX512F__)
        if constexpr (Isa::vector_bytes == 64)
            if (t.windows) {
                const s32 first = t.windows[(x + i) / v::size];
                const dim_t rest = t.n - first - v::size;
                const v low = load_up_to<Isa>(row + first, t.n - first);
                const v high = rest > 0 ? load_up_to<Isa>(row + first + v::size, rest) : v::zero();
                of_taps<Isa>(t, x + i, left, [&](i32 number) {
                    return v {_mm512_permutex2var_ps(low.v, (number - i32::set(first)).v, high.v)};
                }).store(y + i);
                continue;
            }
#endif
        of_taps<Isa>(t, x + i, left, [&](i32 number) {
            return v::gather(row, number);
        }).store(y + i);
    }
}

// Returns the row that is read as f32, or as s32 where integers are copied.
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
        using T = decltype(element);
        if constexpr (__is_same(T, f32) || __is_same(T, bf16) || is_byte<T>)
            if (near) return neighbours<Isa, T>(args);
        channels<Isa, T>(args);
    });
}

template <class Isa> void interpolate_pixels(const interpolate_args &args) {
    alignas(64) f32 out[row_piece];
    const f32 *row = row_of<Isa>(args);
    const dim_t dst_bytes = size_in_bytes(args.dst_type);
    for (dim_t x = 0; x < args.pixels; x += row_piece) {
        const dim_t n = smaller(row_piece, args.pixels - x);
        char *dst = static_cast<char *>(args.dst) + x * dst_bytes;
        pick_results<Isa>(args, row, x, n, out);
        if (args.copies && args.integer)
            store<Isa>(args, reinterpret_cast<const s32 *>(out), n, dst, 0, x);
        else
            store<Isa>(args, out, n, dst, 0, x);
    }
}

template void interpolate_channels<this_isa>(const interpolate_args &);
template void interpolate_pixels<this_isa>(const interpolate_args &);

} // namespace dnnl::impl::cpu
