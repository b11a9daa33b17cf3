// SPDX-License-Identifier: Apache-2.0
// Pooling of planes; see pool.hpp. The rows of a window are combined first, into a line of f32
// in the buffer, then the columns, by loads that are shifted. With SW = 2 there are two lines, of
// even and of odd elements, so that adjacent outputs read adjacent elements.
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/kernels/pooling/pool_elements.hpp"
#include "cpu/simd/block.hpp"
#include "cpu/simd/store_pair.hpp"

namespace dnnl::impl::cpu {

namespace {

template <class T> DNNL_INLINE T *moved(void *data, dim_t bytes) {
    return reinterpret_cast<T *>(static_cast<char *>(data) + bytes);
}
template <class T> DNNL_INLINE T *row_of(const pool_plane_image &t, dim_t plane, dim_t d, dim_t h) {
    return moved<T>(t.data, plane * t.c_bytes + d * t.d_bytes + h * t.h_bytes);
}

[[gnu::noinline]] void fill(f32 *to, dim_t n, f32 x) {
    for (dim_t i = 0; i < n; ++i) to[i] = x;
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
// x / S. Strides of 1 and 2 are usual, and take no division.
DNNL_INLINE dim_t steps(dim_t x, dim_t S) { return S <= 2 ? x >> (S - 1) : x / S; }
// The windows [begin, end) that cover source index i.
struct covering {
    dim_t index, begin, end;
    DNNL_INLINE covering(dim_t i, dim_t S, dim_t P, dim_t K, dim_t O)
        : index(i), begin(i + P - K < 0 ? 0 : steps(i + P - K, S) + 1),
          end(smaller(steps(i + P, S) + 1, O)) {}
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

// Stores the maximum of a window that ignores NaN unless all elements are NaN. For the rare windows
// whose maximum came out as -infinity.
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

// counts[o] = the columns of window o inside the image; pool_line_pitch() further are reciprocals.
[[gnu::noinline]] void count_columns(const pool_plane_shape &s, f32 *counts) {
    for (dim_t o = 0; o < pool_line_pitch(s); ++o) counts[o] = 1;
    for (dim_t o = 0; o < s.OW; ++o)
        counts[o] = static_cast<f32>(covered(o, s.SW, s.PW, s.KW, s.IW).count());
    for (dim_t o = 0; o < pool_line_pitch(s); ++o) counts[pool_line_pitch(s) + o] = 1 / counts[o];
}

// The combined rows of a row of outputs. Column i is element i of `even`, or with SW = 2 element
// i / 2 of `even` or `odd`.
struct lines {
    f32 *even, *odd;
    const f32 *counts, *reciprocals;
};

// Rows: the number of rows where it is known to the compiler, all of one image; 0: any number.
template <class Isa, class T, bool Maximum, int Rows>
DNNL_INLINE void combine_rows_of(
    const pool_planes_args &t, const lines &to, dim_t plane, covered d, covered h) {
    constexpr dim_t size = vec<f32, Isa>::size;
    const dim_t IW = t.shape.IW, planes = Rows ? 1 : d.count(), rows = Rows ? Rows : h.count();
    const dim_t d_bytes = t.src.d_bytes, h_bytes = t.src.h_bytes;
    const char *first = row_of<const char>(t.src, plane, d.begin, h.begin);
    const auto at = [=](dim_t i, dim_t n) {
        vec<f32, Isa> x = nothing<Isa, Maximum>();
        const char *next_plane = first + i * dim_t(sizeof(T));
        for (dim_t id = 0; id < planes; ++id, next_plane += d_bytes) {
            const char *row = next_plane;
            for (dim_t ih = 0; ih < rows; ++ih, row += h_bytes)
                x = combined<Isa, Maximum>(load_up_to<Isa>(reinterpret_cast<const T *>(row), n), x);
        }
        return x;
    };
    f32 *even = to.even, *odd = to.odd;
    if (t.shape.SW == 1) {
        for_vectors<Isa>(IW, [&](dim_t i, dim_t n) { store_up_to(even + i, at(i, n), n); });
        return;
    }
    dim_t i = 0;
    for (; i + 2 * size <= IW; i += 2 * size) {
        const vector_pair<Isa> x = even_and_odd<Isa>(at(i, size), at(i + size, size));
        x.first.store(even + i / 2);
        x.second.store(odd + i / 2);
    }
    if (i == IW) return;
    const auto second = i + size < IW ? at(i + size, IW - i - size) : vec<f32, Isa>::zero();
    const vector_pair<Isa> x = even_and_odd<Isa>(at(i, IW - i), second);
    store_up_to(even + i / 2, x.first, (IW - i + 1) / 2);
    store_up_to(odd + i / 2, x.second, (IW - i) / 2);
}

template <class Isa, class T, bool Maximum>
DNNL_INLINE void combine_rows(
    const pool_planes_args &t, const lines &to, dim_t plane, covered d, covered h) {
    if (d.count() == 1 && h.count() == 3)
        combine_rows_of<Isa, T, Maximum, 3>(t, to, plane, d, h);
    else
        combine_rows_of<Isa, T, Maximum, 0>(t, to, plane, d, h);
}

// The taps that read one of the two lines: tap k of output o reads first[k + o], k < count.
struct line_taps {
    const f32 *first;
    dim_t count;
};
DNNL_INLINE line_taps taps_of_line(const pool_plane_shape &s, const lines &l, bool odd) {
    if (s.SW == 1) return {l.even - s.PW, odd ? 0 : s.KW};
    const dim_t k = (s.PW + odd) & 1;
    return {(odd ? l.odd : l.even) + ((k - s.PW) >> 1), (s.KW - k + 1) / 2};
}

template <class Isa, class T>
void replace_careful_maxima(const pool_planes_args &t, dim_t plane, covered d, covered h, dim_t o,
    vec<f32, Isa> x, dim_t n, T *to) {
    const pool_plane_shape &s = t.shape;
    alignas(64) f32 values[vec<f32, Isa>::size];
    x.store(values);
    for (dim_t i = 0; i < n; ++i)
        if (values[i] == -__builtin_inff())
            store_careful_maximum<Isa>(
                t, plane, d, h, covered(o + i, s.SW, s.PW, s.KW, s.IW), to + i);
}

// x divided by the number of elements of windows inside the image, nearly as a division rounds.
template <class Isa>
DNNL_INLINE vec<f32, Isa> by_existing(vec<f32, Isa> x, const lines &l, f32 rows, dim_t o) {
    using v = vec<f32, Isa>;
    const v divisor = v::set(rows) * v::load(l.counts + o);
    const v reciprocal = v::set(1 / rows) * v::load(l.reciprocals + o);
    return corrected_quotient(x, divisor, reciprocal);
}

// Columns: the number of taps where it is known to the compiler, all of the even line; 0: any.
template <class Isa, class T, bool Maximum, int Columns>
DNNL_INLINE void combine_columns_of(const pool_planes_args &t, const lines &l, dim_t plane,
    dim_t od, dim_t oh, const pool_quotient<Isa> &whole) {
    using v = vec<f32, Isa>;
    const pool_plane_shape &s = t.shape;
    const covered d(od, s.SD, s.PD, s.KD, s.ID), h(oh, s.SH, s.PH, s.KH, s.IH);
    T *dst = row_of<T>(t.dst, plane, od, oh);
    const f32 rows = static_cast<f32>(d.count() * h.count());
    const line_taps even = taps_of_line(s, l, false), odd = taps_of_line(s, l, true);
    const dim_t even_count = Columns ? Columns : even.count, odd_count = Columns ? 0 : odd.count;
    const bool excludes = t.excludes;
    for_vectors<Isa>(s.OW, [&](dim_t o, dim_t n) {
        v x = nothing<Isa, Maximum>();
        for (dim_t k = 0; k < even_count; ++k)
            x = combined<Isa, Maximum>(v::load(even.first + k + o), x);
        for (dim_t k = 0; k < odd_count; ++k)
            x = combined<Isa, Maximum>(v::load(odd.first + k + o), x);
        if constexpr (!Maximum) x = excludes ? by_existing<Isa>(x, l, rows, o) : whole(x);
        store_up_to(dst + o, x, n);
        if constexpr (Maximum) {
            const auto rare = (x == nothing<Isa, true>()) & mask<Isa>::first(n);
            if (__builtin_expect(any(rare), 0))
                replace_careful_maxima<Isa>(t, plane, d, h, o, x, n, dst + o);
        }
    });
}
template <class Isa, class T, bool Maximum>
DNNL_INLINE void combine_columns(const pool_planes_args &t, const lines &l, dim_t plane, dim_t od,
    dim_t oh, const pool_quotient<Isa> &whole) {
    if (t.shape.SW == 1 && t.shape.KW == 3)
        combine_columns_of<Isa, T, Maximum, 3>(t, l, plane, od, oh, whole);
    else
        combine_columns_of<Isa, T, Maximum, 0>(t, l, plane, od, oh, whole);
}

template <class Isa, class T, bool Maximum> void forward_planes(const pool_planes_args &t) {
    const pool_plane_shape &s = t.shape;
    const dim_t pitch = pool_line_pitch(s), margin = s.PW + 1;
    fill(t.buffer, 2 * pool_line_group * pitch, Maximum ? -__builtin_inff() : 0.0f);
    f32 *counts = t.buffer + 2 * pool_line_group * pitch;
    count_columns(s, counts);
    const pool_quotient<Isa> whole(static_cast<f32>(s.KD * s.KH * s.KW));
    for (dim_t plane = 0; plane < t.planes; ++plane)
        for (dim_t od = 0; od < s.OD; ++od)
            for (dim_t first = 0; first < s.OH; first += pool_line_group) {
                const dim_t end = smaller(first + pool_line_group, s.OH);
                const auto lines_of = [&](dim_t oh) -> lines {
                    f32 *even = t.buffer + 2 * (oh - first) * pitch + margin;
                    return {even, even + pitch, counts, counts + pitch};
                };
                for (dim_t oh = first; oh < end; ++oh)
                    combine_rows<Isa, T, Maximum>(t, lines_of(oh), plane,
                        covered(od, s.SD, s.PD, s.KD, s.ID), covered(oh, s.SH, s.PH, s.KH, s.IH));
                for (dim_t oh = first; oh < end; ++oh)
                    combine_columns<Isa, T, Maximum>(t, lines_of(oh), plane, od, oh, whole);
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
            // Sums restart every 256 vectors, which bounds their rounding errors.
            double parts = 0;
            for (dim_t i = 0; i < whole_vectors;) {
                const dim_t end = smaller(i + 256 * v::size, whole_vectors);
                for (; i < end; i += v::size)
                    x = combined<Isa, Maximum>(load_as_f32<Isa>(p + i), x);
                if (Maximum || end == whole_vectors) continue;
                parts += double(reduce_add(x));
                x = v::zero();
            }
            if (whole_vectors < n) {
                const v last = load_as_f32<Isa>(p + whole_vectors, n - whole_vectors);
                const auto exist = mask<Isa>::first(n - whole_vectors);
                x = combined<Isa, Maximum>(select(exist, last, nothing<Isa, Maximum>()), x);
            }
            results[c] = Maximum ? reduce_max(x) : static_cast<f32>(parts + double(reduce_add(x)));
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

// The gradients of all outputs of a plane as rows of f32 with zeros on both sides; averages are
// divided already. The indices that the workspace records lie `indices` elements further.
struct gradient_rows {
    f32 *first;
    dim_t pitch, indices;
};

// Lanes i to i + n of the indices of a row.
template <class Isa>
DNNL_INLINE vec<s32, Isa> load_indices(const pool_planes_args &t, const char *p, dim_t i, dim_t n) {
    if (t.workspace_type == data_type::u8)
        return load_up_to<Isa, s32>(reinterpret_cast<const u8 *>(p) + i, n);
    return load_up_to<Isa, s32>(reinterpret_cast<const s32 *>(p) + i, n);
}

template <class Isa, class T, bool Maximum>
DNNL_INLINE void load_gradients(const pool_planes_args &t, const gradient_rows &g, dim_t plane,
    const f32 *counts, const pool_quotient<Isa> &whole) {
    using v = vec<f32, Isa>;
    const pool_plane_shape &s = t.shape;
    for (dim_t od = 0; od < s.OD; ++od)
        for (dim_t oh = 0; oh < s.OH; ++oh) {
            const T *from = row_of<const T>(t.dst, plane, od, oh);
            f32 *to = g.first + (od * s.OH + oh) * g.pitch;
            const v rows = v::set(static_cast<f32>(covered(od, s.SD, s.PD, s.KD, s.ID).count() *
                                                   covered(oh, s.SH, s.PH, s.KH, s.IH).count()));
            for_vectors<Isa>(s.OW, [&](dim_t o, dim_t n) {
                v x = load_up_to<Isa>(from + o, n);
                if constexpr (!Maximum)
                    x = t.excludes ? x / (rows * v::load(counts + o)) : whole(x);
                store_up_to(to + o, x, n);
                if constexpr (Maximum) {
                    const char *row = row_of<const char>(t.workspace, plane, od, oh);
                    store_up_to(reinterpret_cast<s32 *>(to + g.indices) + o,
                        load_indices<Isa>(t, row, o, n), n);
                }
            });
        }
}

// The sums that give elements first, first + SW, ... of a row: each part adds the gradients from
// `from` on, for maxima those whose index is `tap`.
struct gathered_row {
    struct part {
        const f32 *from;
        s32 tap;
    } parts[pool_most_taps];
    dim_t count = 0, indices;

    DNNL_INLINE gathered_row(
        const pool_plane_shape &s, const gradient_rows &g, covering d, covering h, dim_t first)
        : indices(g.indices) {
        const dim_t shift = s.SW - 1, first_tap = (first + s.PW) & shift;
        for (dim_t od = d.begin; od < d.end; ++od)
            for (dim_t oh = h.begin; oh < h.end; ++oh) {
                const f32 *row = g.first + (od * s.OH + oh) * g.pitch;
                const dim_t kd = d.index + s.PD - od * s.SD, kh = h.index + s.PH - oh * s.SH;
                for (dim_t k = first_tap; k < s.KW; k += s.SW)
                    parts[count++] = {row + ((first + s.PW - k) >> shift),
                        static_cast<s32>((kd * s.KH + kh) * s.KW + k)};
            }
    }
    template <class Isa, bool Maximum> DNNL_INLINE vec<f32, Isa> sum(dim_t place) const {
        using v = vec<f32, Isa>;
        using i32 = vec<s32, Isa>;
        v sum = v::zero();
        for (const part *p = parts; p != parts + count; ++p) {
            v x = v::load(p->from + place);
            if constexpr (Maximum) {
                const auto *index = reinterpret_cast<const s32 *>(p->from + indices + place);
                x = select(i32::load(index) == i32::set(p->tap), x, v::zero());
            }
            sum = sum + x;
        }
        return sum;
    }
};

template <class Isa, class T, bool Maximum>
DNNL_INLINE void store_gradients(
    const pool_planes_args &t, const gradient_rows &g, dim_t plane, dim_t id, dim_t ih) {
    constexpr dim_t size = vec<f32, Isa>::size;
    const pool_plane_shape &s = t.shape;
    const dim_t IW = s.IW;
    const covering d(id, s.SD, s.PD, s.KD, s.OD), h(ih, s.SH, s.PH, s.KH, s.OH);
    T *to = row_of<T>(t.src, plane, id, ih);
    const gathered_row even(s, g, d, h, 0);
    if (s.SW == 1) {
        for_vectors<Isa>(IW,
            [&](dim_t i, dim_t n) { store_up_to(to + i, even.template sum<Isa, Maximum>(i), n); });
        return;
    }
    const gathered_row odd(s, g, d, h, 1);
    for (dim_t i = 0; i < IW; i += 2 * size) {
        const vector_pair<Isa> x = interleaved<Isa>(
            even.template sum<Isa, Maximum>(i / 2), odd.template sum<Isa, Maximum>(i / 2));
        store_pair(to + i, x.first, x.second, smaller(2 * size, IW - i));
    }
}

template <class Isa, class T, bool Maximum> void backward_planes(const pool_planes_args &t) {
    const pool_plane_shape &s = t.shape;
    const dim_t pitch = pool_line_pitch(s), rows = s.OD * s.OH;
    fill(t.buffer, 2 * rows * pitch, 0);
    f32 *counts = t.buffer + 2 * rows * pitch;
    count_columns(s, counts);
    const gradient_rows g {t.buffer + s.KW, pitch, rows * pitch};
    const pool_quotient<Isa> whole(static_cast<f32>(s.KD * s.KH * s.KW));
    for (dim_t plane = 0; plane < t.planes; ++plane) {
        load_gradients<Isa, T, Maximum>(t, g, plane, counts, whole);
        for (dim_t id = 0; id < s.ID; ++id)
            for (dim_t ih = 0; ih < s.IH; ++ih)
                store_gradients<Isa, T, Maximum>(t, g, plane, id, ih);
    }
}

// True for windows of two columns that neither overlap nor reach into padding: each element takes
// the gradient of one output at most.
DNNL_INLINE bool are_pairs(const pool_plane_shape &s) {
    return s.inside && s.SW == 2 && s.KW == 2 && s.KH <= s.SH && s.KD <= s.SD;
}

[[gnu::noinline]] void clear_uncovered(const pool_planes_args &t, dim_t plane) {
    const pool_plane_shape &s = t.shape;
    const dim_t bytes = size_in_bytes(t.type);
    for (dim_t id = 0; id < s.ID; ++id)
        for (dim_t ih = 0; ih < s.IH; ++ih) {
            const covering d(id, s.SD, 0, s.KD, s.OD), h(ih, s.SH, 0, s.KH, s.OH);
            const dim_t first = d.begin < d.end && h.begin < h.end ? 2 * s.OW : 0;
            char *row = row_of<char>(t.src, plane, id, ih);
            __builtin_memset(row + first * bytes, 0, std::size_t((s.IW - first) * bytes));
        }
}

template <class Isa, class T, bool Maximum> void backward_pairs(const pool_planes_args &t) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    const pool_plane_shape &s = t.shape;
    const pool_quotient<Isa> whole(static_cast<f32>(s.KD * s.KH * s.KW));
    const bool covers_all = s.IW == 2 * s.OW && s.IH == s.KH * s.OH && s.ID == s.KD * s.OD;
    const auto spread = [&](dim_t plane, dim_t od, dim_t oh) {
        const T *from = row_of<const T>(t.dst, plane, od, oh);
        char *first = row_of<char>(t.src, plane, od * s.SD, oh * s.SH);
        const u8 *indices = nullptr;
        if constexpr (Maximum) indices = row_of<const u8>(t.workspace, plane, od, oh);
        for_vectors<Isa>(s.OW, [&](dim_t o, dim_t n) {
            v x = load_up_to<Isa>(from + o, n);
            i32 index = i32::zero();
            if constexpr (Maximum)
                index = load_up_to<Isa, s32>(indices + o, n);
            else
                x = whole(x);
            for (dim_t kd = 0, tap = 0; kd < s.KD; ++kd)
                for (dim_t kh = 0; kh < s.KH; ++kh, tap += 2) {
                    const auto share = [&](dim_t k) {
                        if constexpr (!Maximum) return x;
                        return select(index == i32::set(static_cast<s32>(k)), x, v::zero());
                    };
                    const vector_pair<Isa> both = interleaved<Isa>(share(tap), share(tap + 1));
                    void *row = first + kd * t.src.d_bytes + kh * t.src.h_bytes;
                    T *to = static_cast<T *>(row) + 2 * o;
                    store_pair(to, both.first, both.second, 2 * n);
                }
        });
    };
    for (dim_t plane = 0; plane < t.planes; ++plane) {
        if (!covers_all) clear_uncovered(t, plane);
        for (dim_t od = 0; od < s.OD; ++od)
            for (dim_t oh = 0; oh < s.OH; ++oh) spread(plane, od, oh);
    }
}

DNNL_INLINE dim_t index_of_whole(const pool_planes_args &t, dim_t plane) {
    return t.workspace_type == data_type::u8 ? dim_t {*row_of<const u8>(t.workspace, plane, 0, 0)}
                                             : *row_of<const s32>(t.workspace, plane, 0, 0);
}

template <class Isa, class T, bool Maximum> void backward_whole(const pool_planes_args &t) {
    using v = vec<f32, Isa>;
    const pool_plane_shape &s = t.shape;
    const dim_t n = s.ID * s.IH * s.IW;
    const v divisor = v::set(static_cast<f32>(n));
    for (dim_t plane = 0; plane < t.planes; ++plane) {
        alignas(64) f32 value[v::size];
        load_as_f32<Isa>(row_of<const T>(t.dst, plane, 0, 0), 1).store(value);
        const v one = v::set(value[0]), all = Maximum ? v::zero() : one / divisor;
        T *to = row_of<T>(t.src, plane, 0, 0);
        for_vectors<Isa>(n, [&](dim_t i, dim_t left) { store_up_to(to + i, all, left); });
        if constexpr (Maximum) store_as(to + index_of_whole(t, plane), one, 1);
    }
}

// Calls f(T {}, number<M> {}): T is the element type, M is 1 for maxima and 0 for averages.
template <class F> DNNL_INLINE void with_type_and_algorithm(const pool_planes_args &t, const F &f) {
    if (t.type == data_type::bf16)
        t.maximum ? f(bf16 {}, number<1> {}) : f(bf16 {}, number<0> {});
    else
        t.maximum ? f(f32 {}, number<1> {}) : f(f32 {}, number<0> {});
}

} // namespace

template <class Isa> void pool_planes_forward(const pool_planes_args &args) {
    with_type_and_algorithm(args, [&]<class T, int Maximum>(T, number<Maximum>) {
        args.shape.whole ? forward_whole<Isa, T, Maximum>(args)
                         : forward_planes<Isa, T, Maximum>(args);
    });
}
template <class Isa> void pool_planes_backward(const pool_planes_args &args) {
    with_type_and_algorithm(args, [&]<class T, int Maximum>(T, number<Maximum>) {
        if (args.shape.whole)
            backward_whole<Isa, T, Maximum>(args);
        else if (are_pairs(args.shape) && (!Maximum || args.workspace_type == data_type::u8))
            backward_pairs<Isa, T, Maximum>(args);
        else
            backward_planes<Isa, T, Maximum>(args);
    });
}
template void pool_planes_forward<this_isa>(const pool_planes_args &);
template void pool_planes_backward<this_isa>(const pool_planes_args &);

} // namespace dnnl::impl::cpu
