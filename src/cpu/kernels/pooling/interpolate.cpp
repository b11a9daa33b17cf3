// SPDX-License-Identifier: Apache-2.0
// Rows of resampling; see pooling.hpp.
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/kernels/pooling/pooling.hpp"
#include "cpu/simd/vec.hpp"

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

template <class Isa, class Value> void copy_channels(const interpolate_args &t) {
    alignas(64) Value buffer[row_piece];
    const dim_t src_bytes = size_in_bytes(t.src_type), dst_bytes = size_in_bytes(t.dst_type);
    for (dim_t x = 0; x < t.pixels; ++x) {
        const char *src = at<char>(t, t.row_offset_bytes[0] + t.taps[x] * t.src_pixel_bytes);
        char *dst = static_cast<char *>(t.dst) + x * t.dst_pixel_bytes;
        if (t.src_type == t.dst_type && !t.finish) {
            __builtin_memcpy(dst, src, static_cast<std::size_t>(t.n * src_bytes));
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

// The results [x, x + n) from the row in f32.
template <class Isa>
void gather_taps(const interpolate_args &t, const f32 *row, dim_t x, dim_t n, f32 *out) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    for (dim_t i = 0; i < n; i += v::size) {
        v sum = v::zero();
        for (dim_t k = 0; k < t.tap_count; ++k) {
            const dim_t entry = k * t.pixels + x + i, left = smaller(v::size, n - i);
            const v weight = v::load(t.weights + entry, left);
            const auto taken = weight != v::zero();
            if (!any(taken)) break;
            const v y = v::gather(row, i32::load(t.taps + entry, left));
            sum = select(taken, fma(weight, y, sum), sum);
        }
        sum.store(out + i);
    }
}

// The elements named by the taps, 32 bits each.
template <class Isa>
void gather_copies(const interpolate_args &t, const f32 *row, dim_t x, dim_t n, f32 *out) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    for (dim_t i = 0; i < n; i += v::size)
        v::gather(row, i32::load(t.taps + x + i, smaller(v::size, n - i))).store(out + i);
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
    with_activation(args.src_type, [&](auto element) { channels<Isa, decltype(element)>(args); });
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
