// SPDX-License-Identifier: Apache-2.0
// Pooling of planes; see pooling.hpp. Rows of an image are combined to lines in f32 first, then
// columns by loads that are shifted. With strides of 2 a line is two: elements of even and of odd
// places, so that neighbours among outputs read neighbours.
#include "cpu/kernels/pooling/pool_values.hpp"
#include "cpu/kernels/pooling/pooling.hpp"

namespace dnnl::impl::cpu {

namespace {

DNNL_INLINE dim_t larger(dim_t a, dim_t b) { return a > b ? a : b; }

template <class T> DNNL_INLINE T *moved(void *data, dim_t bytes) {
    return reinterpret_cast<T *>(static_cast<char *>(data) + bytes);
}
template <class T> DNNL_INLINE T *row_of(const pool_plane_image &t, dim_t plane, dim_t d, dim_t h) {
    return moved<T>(t.data, plane * t.c_bytes + d * t.d_bytes + h * t.h_bytes);
}

// The source indices [begin, end) that window o covers.
struct covered {
    dim_t begin, end;
    DNNL_INLINE covered(dim_t o, dim_t S, dim_t P, dim_t K, dim_t I)
        : begin(larger(o * S - P, 0)), end(smaller(o * S - P + K, I)) {
        if (end < begin) end = begin;
    }
    DNNL_INLINE dim_t count() const { return end - begin; }
};
// The windows [begin, end) that cover source index i.
struct covering {
    dim_t begin, end;
    DNNL_INLINE covering(dim_t i, dim_t S, dim_t P, dim_t K, dim_t O)
        : begin(i + P - K < 0 ? 0 : (i + P - K) / S + 1), end(smaller((i + P) / S + 1, O)) {}
};

// ---- Forward ----

template <class Isa, bool Maximum>
DNNL_INLINE vec<f32, Isa> combined(vec<f32, Isa> x, vec<f32, Isa> so_far) {
    if constexpr (Maximum)
        return max(x, so_far); // so_far where x is NaN
    else
        return so_far + x;
}
template <class Isa, bool Maximum> DNNL_INLINE vec<f32, Isa> nothing() {
    return vec<f32, Isa>::set(Maximum ? -__builtin_inff() : 0.0f);
}

// The maximum of a window element by element, where nothing is above -infinity: a NaN counts where
// there is nothing else.
template <class Isa, class T>
void store_careful_maximum(
    const pool_planes_args &t, dim_t plane, covered d, covered h, covered w, T *to) {
    using v = vec<f32, Isa>;
    v best = v::set(lowest<T>);
    bool first = true;
    for (dim_t id = d.begin; id < d.end; ++id)
        for (dim_t ih = h.begin; ih < h.end; ++ih)
            for (dim_t iw = w.begin; iw < w.end; ++iw, first = false) {
                const v x = load_as_f32<Isa>(row_of<const T>(t.src, plane, id, ih) + iw, 1);
                best = first ? x : select((x <= best) | is_nan(x), best, x);
            }
    store_as(to, best, 1);
}

// Lines of the rows that a row of outputs covers. Element i of a row is element i of `even`, or
// with SW = 2 element i / 2 of one of the two.
struct lines {
    f32 *even, *odd, *counts; // counts: of columns that exist, for each output
};

template <class Isa, class T, bool Maximum>
DNNL_INLINE vec<f32, Isa> combined_rows(
    const pool_planes_args &t, dim_t plane, covered d, covered h, dim_t i) {
    vec<f32, Isa> x = nothing<Isa, Maximum>();
    const dim_t left = t.shape.IW - i;
    for (dim_t id = d.begin; id < d.end; ++id) {
        const char *row = row_of<const char>(t.src, plane, id, h.begin);
        for (dim_t ih = h.begin; ih < h.end; ++ih, row += t.src.h_bytes)
            x = combined<Isa, Maximum>(
                load_up_to<Isa>(reinterpret_cast<const T *>(row) + i, left), x);
    }
    return x;
}

template <class Isa, class T, bool Maximum>
DNNL_INLINE void combine_rows(
    const pool_planes_args &t, const lines &to, dim_t plane, covered d, covered h) {
    constexpr dim_t size = vec<f32, Isa>::size;
    const dim_t IW = t.shape.IW;
    const auto at = [&](dim_t i) { return combined_rows<Isa, T, Maximum>(t, plane, d, h, i); };
    if (t.shape.SW == 1) {
        for (dim_t i = 0; i < IW; i += size) store_up_to(to.even + i, at(i), IW - i);
        return;
    }
    for (dim_t i = 0; i < IW; i += 2 * size) {
        const auto second = i + size < IW ? at(i + size) : vec<f32, Isa>::zero();
        const vector_pair<Isa> x = even_and_odd<Isa>(at(i), second);
        store_up_to(to.even + i / 2, x.first, (IW - i + 1) / 2);
        store_up_to(to.odd + i / 2, x.second, (IW - i) / 2);
    }
}

// The first element that tap k reads for outputs from 0 on.
DNNL_INLINE const f32 *first_of_tap(const pool_plane_shape &s, const lines &l, dim_t k) {
    const dim_t i = k - s.PW;
    if (s.SW == 1) return l.even + i;
    return (i & 1 ? l.odd : l.even) + (i >> 1);
}

template <class Isa, class T, bool Maximum>
DNNL_INLINE void combine_columns(const pool_planes_args &t, const lines &l, dim_t plane, dim_t od,
    dim_t oh, const pool_quotient<Isa> &whole) {
    using v = vec<f32, Isa>;
    const pool_plane_shape &s = t.shape;
    const covered d(od, s.SD, s.PD, s.KD, s.ID), h(oh, s.SH, s.PH, s.KH, s.IH);
    T *dst = row_of<T>(t.dst, plane, od, oh);
    const v rows = v::set(static_cast<f32>(d.count() * h.count()));
    for (dim_t o = 0; o < s.OW; o += v::size) {
        v x = nothing<Isa, Maximum>();
        for (dim_t k = 0; k < s.KW; ++k)
            x = combined<Isa, Maximum>(v::load(first_of_tap(s, l, k) + o), x);
        const dim_t left = s.OW - o;
        if constexpr (!Maximum) x = t.excludes ? x / (rows * v::load(l.counts + o)) : whole(x);
        store_up_to(dst + o, x, left);
        if constexpr (Maximum) {
            const auto rare =
                (x == nothing<Isa, true>()) & mask<Isa>::first(smaller(v::size, left));
            if (__builtin_expect(!any(rare), 1)) continue;
            alignas(64) f32 values[v::size];
            x.store(values);
            for (dim_t i = 0; i < smaller(v::size, left); ++i)
                if (values[i] == -__builtin_inff())
                    store_careful_maximum<Isa>(
                        t, plane, d, h, covered(o + i, s.SW, s.PW, s.KW, s.IW), dst + o + i);
        }
    }
}

template <class Isa, class T, bool Maximum> void forward_planes(const pool_planes_args &t) {
    const pool_plane_shape &s = t.shape;
    const dim_t pitch = pool_line_pitch(s);
    for (dim_t i = 0; i < 2 * pitch; ++i) t.buffer[i] = Maximum ? -__builtin_inff() : 0.0f;
    const dim_t margin = s.PW + 1;
    const lines l {t.buffer + margin, t.buffer + pitch + margin, t.buffer + 2 * pitch};
    for (dim_t o = 0; o < pitch; ++o) l.counts[o] = 1;
    for (dim_t o = 0; o < s.OW; ++o)
        l.counts[o] = static_cast<f32>(covered(o, s.SW, s.PW, s.KW, s.IW).count());
    const pool_quotient<Isa> whole(static_cast<f32>(s.KD * s.KH * s.KW));
    for (dim_t plane = 0; plane < t.planes; ++plane)
        for (dim_t od = 0; od < s.OD; ++od)
            for (dim_t oh = 0; oh < s.OH; ++oh) {
                combine_rows<Isa, T, Maximum>(t, l, plane, covered(od, s.SD, s.PD, s.KD, s.ID),
                    covered(oh, s.SH, s.PH, s.KH, s.IH));
                combine_columns<Isa, T, Maximum>(t, l, plane, od, oh, whole);
            }
}

// Each plane is one window.
template <class Isa, class T, bool Maximum> void forward_whole(const pool_planes_args &t) {
    using v = vec<f32, Isa>;
    const pool_plane_shape &s = t.shape;
    const dim_t n = s.ID * s.IH * s.IW, whole_vectors = n / v::size * v::size;
    const pool_quotient<Isa> quotient(static_cast<f32>(n));
    alignas(64) f32 results[v::size];
    for (dim_t plane = 0; plane < t.planes; plane += v::size) {
        const dim_t count = smaller(v::size, t.planes - plane);
        for (dim_t c = 0; c < count; ++c) {
            const T *p = row_of<const T>(t.src, plane + c, 0, 0);
            v x = nothing<Isa, Maximum>();
            for (dim_t i = 0; i < whole_vectors; i += v::size)
                x = combined<Isa, Maximum>(load_as_f32<Isa>(p + i), x);
            if (whole_vectors < n) {
                const v last = load_as_f32<Isa>(p + whole_vectors, n - whole_vectors);
                const auto exist = mask<Isa>::first(n - whole_vectors);
                x = combined<Isa, Maximum>(select(exist, last, nothing<Isa, Maximum>()), x);
            }
            results[c] = Maximum ? reduce_max(x) : reduce_add(x);
        }
        const v values = v::load(results, count);
        const v stored = Maximum ? values : quotient(values);
        if (t.dst.c_bytes == sizeof(T)) store_up_to(row_of<T>(t.dst, plane, 0, 0), stored, count);
        stored.store(results);
        for (dim_t c = 0; c < count; ++c) {
            T *to = row_of<T>(t.dst, plane + c, 0, 0);
            if (Maximum && results[c] == -__builtin_inff())
                store_careful_maximum<Isa>(t, plane + c, {0, 1, 0, s.KD, s.ID},
                    {0, 1, 0, s.KH, s.IH}, {0, 1, 0, s.KW, s.IW}, to);
            else if (t.dst.c_bytes != sizeof(T))
                store_as(to, v::set(results[c]), 1);
        }
    }
}

// ---- Backward ----

// The gradients of all outputs of a plane as rows in f32 with zeros on both sides, divided where
// they are of averages; and, `indices` further, which element of its window each is of.
struct gradient_rows {
    f32 *first;
    dim_t pitch, indices;
};

template <class Isa, class From, class Index, bool Maximum>
DNNL_INLINE void load_gradients(const pool_planes_args &t, const gradient_rows &g, dim_t plane,
    const f32 *counts, const pool_quotient<Isa> &whole) {
    using v = vec<f32, Isa>;
    const pool_plane_shape &s = t.shape;
    for (dim_t od = 0; od < s.OD; ++od)
        for (dim_t oh = 0; oh < s.OH; ++oh) {
            const From *from = row_of<const From>(t.dst, plane, od, oh);
            f32 *to = g.first + (od * s.OH + oh) * g.pitch;
            const v rows = v::set(static_cast<f32>(covered(od, s.SD, s.PD, s.KD, s.ID).count() *
                                                   covered(oh, s.SH, s.PH, s.KH, s.IH).count()));
            for_vectors<Isa>(s.OW, [&](dim_t o, dim_t n) {
                v x = load_up_to<Isa>(from + o, n);
                if constexpr (!Maximum)
                    x = t.excludes ? x / (rows * v::load(counts + o)) : whole(x);
                store_up_to(to + o, x, n);
                if constexpr (Maximum) {
                    const auto *index = row_of<const Index>(t.workspace, plane, od, oh) + o;
                    store_up_to(reinterpret_cast<s32 *>(to + g.indices) + o,
                        load_up_to<Isa, s32>(index, n), n);
                }
            });
        }
}

// The gradients of elements i, i + SW, ... of row (id, ih).
template <class Isa, bool Maximum>
DNNL_INLINE vec<f32, Isa> gathered(
    const pool_plane_shape &s, const gradient_rows &g, dim_t id, dim_t ih, dim_t i) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    const covering d(id, s.SD, s.PD, s.KD, s.OD), h(ih, s.SH, s.PH, s.KH, s.OH);
    const dim_t first_tap = s.SW == 1 ? 0 : (i + s.PW) & 1;
    v sum = v::zero();
    for (dim_t od = d.begin; od < d.end; ++od)
        for (dim_t oh = h.begin; oh < h.end; ++oh) {
            const f32 *row = g.first + (od * s.OH + oh) * g.pitch;
            const dim_t kd = id + s.PD - od * s.SD, kh = ih + s.PH - oh * s.SH;
            for (dim_t k = first_tap; k < s.KW; k += s.SW) {
                const f32 *from = row + ((i + s.PW - k) >> (s.SW - 1));
                v x = v::load(from);
                if constexpr (Maximum) {
                    const i32 index = i32::load(reinterpret_cast<const s32 *>(from + g.indices));
                    const dim_t tap = (kd * s.KH + kh) * s.KW + k;
                    x = select(index == i32::set(static_cast<s32>(tap)), x, v::zero());
                }
                sum = sum + x;
            }
        }
    return sum;
}

template <class Isa, class To, bool Maximum>
DNNL_INLINE void store_gradients(
    const pool_planes_args &t, const gradient_rows &g, dim_t plane, dim_t id, dim_t ih) {
    constexpr dim_t size = vec<f32, Isa>::size;
    const pool_plane_shape &s = t.shape;
    To *to = row_of<To>(t.src, plane, id, ih);
    if (s.SW == 1) {
        for (dim_t i = 0; i < s.IW; i += size)
            store_up_to(to + i, gathered<Isa, Maximum>(s, g, id, ih, i), s.IW - i);
        return;
    }
    for (dim_t i = 0; i < s.IW; i += 2 * size) {
        const vector_pair<Isa> x = interleaved<Isa>(
            gathered<Isa, Maximum>(s, g, id, ih, i), gathered<Isa, Maximum>(s, g, id, ih, i + 1));
        store_up_to(to + i, x.first, s.IW - i);
        if (i + size < s.IW) store_up_to(to + i + size, x.second, s.IW - i - size);
    }
}

template <class Isa, class From, class To, class Index, bool Maximum>
void backward_planes(const pool_planes_args &t) {
    const pool_plane_shape &s = t.shape;
    const dim_t pitch = pool_line_pitch(s), rows = s.OD * s.OH;
    for (dim_t i = 0; i < 2 * rows * pitch; ++i) t.buffer[i] = 0;
    f32 *counts = t.buffer + 2 * rows * pitch;
    for (dim_t o = 0; o < pitch; ++o) counts[o] = 1;
    for (dim_t o = 0; o < s.OW; ++o)
        counts[o] = static_cast<f32>(covered(o, s.SW, s.PW, s.KW, s.IW).count());
    const gradient_rows g {t.buffer + s.KW, pitch, rows * pitch};
    const pool_quotient<Isa> whole(static_cast<f32>(s.KD * s.KH * s.KW));
    for (dim_t plane = 0; plane < t.planes; ++plane) {
        load_gradients<Isa, From, Index, Maximum>(t, g, plane, counts, whole);
        for (dim_t id = 0; id < s.ID; ++id)
            for (dim_t ih = 0; ih < s.IH; ++ih)
                store_gradients<Isa, To, Maximum>(t, g, plane, id, ih);
    }
}

template <class Isa, class From, class To, class Index, bool Maximum>
void backward_whole(const pool_planes_args &t) {
    using v = vec<f32, Isa>;
    const pool_plane_shape &s = t.shape;
    const dim_t n = s.ID * s.IH * s.IW;
    const v divisor = v::set(static_cast<f32>(n));
    for (dim_t plane = 0; plane < t.planes; ++plane) {
        alignas(64) f32 value[v::size];
        load_as_f32<Isa>(row_of<const From>(t.dst, plane, 0, 0), 1).store(value);
        const v one = v::set(value[0]), all = Maximum ? v::zero() : one / divisor;
        To *to = row_of<To>(t.src, plane, 0, 0);
        for_vectors<Isa>(n, [&](dim_t i, dim_t left) { store_up_to(to + i, all, left); });
        if constexpr (Maximum)
            store_as(to + *row_of<const Index>(t.workspace, plane, 0, 0), one, 1);
    }
}

template <class Isa, class From, class To> void backward(const pool_planes_args &t) {
    const auto run = [&]<class Index, int Maximum>(Index, number<Maximum>) {
        t.shape.whole ? backward_whole<Isa, From, To, Index, Maximum>(t)
                      : backward_planes<Isa, From, To, Index, Maximum>(t);
    };
    if (!t.maximum)
        run(u8 {}, number<0> {});
    else if (t.workspace_type == data_type::u8)
        run(u8 {}, number<1> {});
    else
        run(s32 {}, number<1> {});
}

} // namespace

template <class Isa> void pool_planes_forward(const pool_planes_args &args) {
    with_float(args.src_type, [&](auto t) {
        using T = decltype(t);
        if (args.shape.whole)
            args.maximum ? forward_whole<Isa, T, true>(args) : forward_whole<Isa, T, false>(args);
        else
            args.maximum ? forward_planes<Isa, T, true>(args) : forward_planes<Isa, T, false>(args);
    });
}
template <class Isa> void pool_planes_backward(const pool_planes_args &args) {
    with_float(args.dst_type, [&](auto from) {
        with_float(
            args.src_type, [&](auto to) { backward<Isa, decltype(from), decltype(to)>(args); });
    });
}
template void pool_planes_forward<this_isa>(const pool_planes_args &);
template void pool_planes_backward<this_isa>(const pool_planes_args &);

} // namespace dnnl::impl::cpu
