// SPDX-License-Identifier: Apache-2.0
// Rows of resampling; see interpolate.hpp.
#include "cpu/kernels/pooling/interpolate.hpp"

#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/kernels/movement/convert_row.hpp"
#include "cpu/simd/element_size.hpp"
#include "cpu/simd/row_loop.hpp"
#include "cpu/simd/this_isa.hpp"

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
        sum = fma(v::set(t.row_weights[r]), load_up_to<Isa>(at<T>(t, t.rows[r] + bytes), n), sum);
    return sum;
}

// n results in f32 from x on, finished; `place` is where the first one goes.
template <class Isa>
DNNL_INLINE void store(
    const interpolate_args &t, const f32 *x, dim_t n, void *place, dim_t row, dim_t column) {
    if (!t.finish) return row_from_f32<Isa>(x, n, t.dst_type, place);
    epilogue_rows_args e {t.finish, x, 0, data_type::f32, place, 0, 1, n, {}};
    for (int d = 0; d < position_rank; ++d) e.position[d] = t.position[d];
    e.position[row_dim] += row;
    e.position[column_dim] += column;
    epilogue_rows<Isa>(e);
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
                sum_of_rows<Isa, T>(t, from + t.taps[k * t.pixels + x] * t.src_pixel, n - i), sum);
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
            store<Isa>(
                t, out, n, static_cast<char *>(t.dst) + x * t.dst_pixel + c * dst_bytes, x, c);
        }
}

template <class Isa> void copy_channels(const interpolate_args &t) {
    alignas(64) s32 integers[row_piece];
    alignas(64) f32 floats[row_piece];
    const dim_t src_bytes = size_in_bytes(t.src_type), dst_bytes = size_in_bytes(t.dst_type);
    const bool same = t.src_type == t.dst_type && !t.finish;
    for (dim_t x = 0; x < t.pixels; ++x) {
        const char *src = at<char>(t, t.rows[0] + t.taps[x] * t.src_pixel);
        char *dst = static_cast<char *>(t.dst) + x * t.dst_pixel;
        if (same) {
            __builtin_memcpy(dst, src, static_cast<std::size_t>(t.n * src_bytes));
            continue;
        }
        for (dim_t c = 0; c < t.n; c += row_piece) {
            const dim_t n = smaller(row_piece, t.n - c);
            if (t.integer) {
                row_to_s32<Isa>(src + c * src_bytes, t.src_type, 1, n, integers);
                row_from_s32<Isa>(integers, n, t.dst_type, dst + c * dst_bytes);
            } else {
                row_to_f32<Isa>(src + c * src_bytes, t.src_type, 1, n, floats);
                store<Isa>(t, floats, n, dst + c * dst_bytes, x, c);
            }
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

template <class Isa> const f32 *copied_row(const interpolate_args &t) {
    const dim_t bytes = size_in_bytes(t.src_type);
    if (t.src_type == data_type::f32) return at<f32>(t, t.rows[0]);
    for (dim_t i = 0; i < t.n; i += row_piece) {
        const void *from = at<char>(t, t.rows[0] + i * bytes);
        const dim_t n = smaller(row_piece, t.n - i);
        if (t.integer)
            row_to_s32<Isa>(from, t.src_type, 1, n, reinterpret_cast<s32 *>(t.buffer + i));
        else
            row_to_f32<Isa>(from, t.src_type, 1, n, t.buffer + i);
    }
    return t.buffer;
}

template <class Isa, class T> const f32 *blended_row(const interpolate_args &t) {
    if (t.copies) return copied_row<Isa>(t);
    const bool as_it_is = t.row_count == 1 && t.row_weights[0] == 1.0f;
    if (t.src_type == data_type::f32 && as_it_is) return at<f32>(t, t.rows[0]);
    blend_rows<Isa, T>(t);
    return t.buffer;
}

template <class Isa> const f32 *row_of(const interpolate_args &t) {
    const f32 *row = nullptr;
    with_activation(
        t.src_type, [&](auto element) { row = blended_row<Isa, decltype(element)>(t); });
    return row;
}

} // namespace

template <class Isa> void interpolate_channels(const interpolate_args &args) {
    if (args.copies) return copy_channels<Isa>(args);
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
            row_from_s32<Isa>(reinterpret_cast<const s32 *>(out), n, args.dst_type, dst);
        else
            store<Isa>(args, out, n, dst, 0, x);
    }
}

template void interpolate_channels<this_isa>(const interpolate_args &);
template void interpolate_pixels<this_isa>(const interpolate_args &);

} // namespace dnnl::impl::cpu
