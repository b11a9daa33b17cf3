// SPDX-License-Identifier: Apache-2.0
// Pooling of adjacent outputs, forward; see pool.hpp. Vectors of outputs stay in registers while
// the window is walked.
#include "cpu/kernels/pooling/pool.hpp"
#include "cpu/kernels/epilogue/row_values.hpp"
#include "cpu/kernels/pooling/pool_elements.hpp"
#include "cpu/simd/block.hpp"

namespace dnnl::impl::cpu {

namespace {

// The first min(n, size) lanes of element w of the windows from output i on, as f32 or s32.
template <class Isa, class T>
DNNL_INLINE auto load(const pool_forward_args &t, dim_t w, dim_t i, dim_t n) {
    return load_element<Isa, T>(t.type, at<char>(t.src, t.offset_bytes[w]), i, n);
}
template <class Isa>
DNNL_INLINE void store_workspace(const pool_forward_args &t, vec<s32, Isa> k, dim_t i, dim_t n) {
    if (t.workspace_type == data_type::u8)
        store_up_to(static_cast<u8 *>(t.workspace) + i, k, n);
    else
        store_up_to(static_cast<s32 *>(t.workspace) + i, k, n);
}

// A maximum starts from this value: no element is below it.
template <class T>
inline constexpr pool_value<T> start_of_maximum = is_whole<T> ? lowest<T> : -__builtin_inff();
template <> inline constexpr s32 start_of_maximum<any_element<s32>> = lowest<s32>;

template <class Isa, class Value> struct maximum {
    vec<Value, Isa> value;
    vec<s32, Isa> where;
};

// The maximum of a window that ignores NaN unless all elements are NaN. For the rare vectors whose
// maximum came out as -infinity.
template <class Isa>
[[gnu::noinline]] maximum<Isa, f32> careful_maximum(const pool_forward_args &t, dim_t i, dim_t n) {
    using v = vec<f32, Isa>;
    using i32 = vec<s32, Isa>;
    using T = any_element<f32>;
    maximum<Isa, f32> best {load<Isa, T>(t, 0, i, n), i32::set(0)};
    for (dim_t w = 1; w < t.count; ++w) {
        const v x = load<Isa, T>(t, w, i, n);
        const auto taken = ~((x <= best.value) | is_nan(x));
        best = {
            select(taken, x, best.value), select(taken, i32::set(static_cast<s32>(w)), best.where)};
    }
    // Places in the list become indices in the window.
    i32 where = i32::zero();
    for (dim_t w = 0; t.window_index && w < t.count; ++w)
        where =
            select(best.where == i32::set(static_cast<s32>(w)), i32::set(t.window_index[w]), where);
    return {best.value, where};
}

// Maxima: Count whole vectors of outputs from i on, or one that is cut off after n lanes.
template <class Isa, class T, class Out, int Count, bool Record>
DNNL_INLINE void maxima(const pool_forward_args &t, dim_t i, dim_t n, Out *out) {
    using Value = pool_value<T>;
    using v = vec<Value, Isa>;
    using i32 = vec<s32, Isa>;
    v best[Count];
    i32 where[Count];
#pragma GCC unroll 4
    for (int c = 0; c < Count; ++c) {
        best[c] = v::set(start_of_maximum<T>);
        where[c] = i32::set(Record && t.count ? t.window_index[0] : 0);
    }
    for (dim_t w = 0; w < t.count; ++w) {
#pragma GCC unroll 4
        for (int c = 0; c < Count; ++c) {
            const v x = load<Isa, T>(t, w, i + c * v::size, n);
            if constexpr (Record)
                where[c] = select(x > best[c], i32::set(t.window_index[w]), where[c]);
            best[c] = max(x, best[c]); // the second operand where one is NaN or both are zero
        }
    }
#pragma GCC unroll 4
    for (int c = 0; c < Count; ++c) {
        maximum<Isa, Value> m {best[c], where[c]};
        if (!is_whole<T> && t.count == 0)
            m.value = v::set(lowest_element<T>(t.type));
        else if constexpr (!is_whole<Value>)
            if (any(m.value == v::set(-__builtin_inff())))
                m = careful_maximum<Isa>(t, i + c * v::size, n);
        store_up_to(out + c * v::size, m.value, n);
        if constexpr (Record) store_workspace<Isa>(t, m.where, i + c * v::size, n);
    }
}

template <class Isa, class T, class Out, int Count>
DNNL_INLINE void averages(const pool_forward_args &t, dim_t i, dim_t n, Out *out) {
    using v = vec<pool_value<T>, Isa>;
    v sum[Count];
#pragma GCC unroll 4
    for (int c = 0; c < Count; ++c) sum[c] = v::zero();
    for (dim_t w = 0; w < t.count; ++w) {
#pragma GCC unroll 4
        for (int c = 0; c < Count; ++c) sum[c] = sum[c] + load<Isa, T>(t, w, i + c * v::size, n);
    }
#pragma GCC unroll 4
    for (int c = 0; c < Count; ++c)
        store_up_to(out + c * v::size, as_float<Isa>(sum[c]) / vec<f32, Isa>::set(t.divisor), n);
}

// Averages of s32: the high and the low 16 bits are added up separately and divided in f64.
template <class Isa, class Out>
void averages_of_s32(const pool_forward_args &t, dim_t i, dim_t n, Out *out) {
    using i32 = vec<s32, Isa>;
    i32 high = i32::zero(), low = i32::zero();
    for (dim_t w = 0; w < t.count; ++w) {
        const i32 x = load<Isa, s32>(t, w, i, n);
        const i32 upper = shift_right_signed<16>(x);
        high = high + upper;
        low = low + (x - shift_left<16>(upper));
    }
    alignas(64) s32 highs[i32::size], lows[i32::size];
    alignas(64) f32 quotients[i32::size];
    high.store(highs);
    low.store(lows);
    for (dim_t k = 0; k < i32::size; ++k)
        quotients[k] =
            static_cast<f32>((double(highs[k]) * 65536.0 + double(lows[k])) / double(t.divisor));
    store_up_to(out, vec<f32, Isa>::load(quotients), n);
}

// Averages over windows of more than long_window elements, unless they are s32, add up sums of 256
// elements in f64. A sum of 256 bytes is exact in f32.
constexpr dim_t long_window = 16384, part_of_window = 256;

template <class Isa> void long_averages(const pool_forward_args &t, dim_t i, dim_t n, f32 *out) {
    using v = vec<f32, Isa>;
    const bool bytes = is_byte_type(t.type);
    alignas(64) f32 part[v::size];
    double total[v::size] = {};
    for (dim_t w = 0; w < t.count;) {
        v sum = v::zero();
        for (const dim_t end = smaller(w + part_of_window, t.count); w < end; ++w)
            sum = sum + (bytes ? to_f32(load<Isa, any_element<s32>>(t, w, i, n))
                               : load<Isa, any_element<f32>>(t, w, i, n));
        sum.store(part);
        for (dim_t k = 0; k < v::size; ++k) total[k] += double(part[k]);
    }
    for (dim_t k = 0; k < v::size; ++k) part[k] = static_cast<f32>(total[k] / double(t.divisor));
    store_up_to(out, v::load(part), n);
}

enum class mode { max, max_recorded, average };

// The type that holds results exactly: for maxima that of the elements, for averages f32.
template <class T, mode> struct result { using type = typename element_traits<T>::exact; };
template <class T> struct result<T, mode::average> { using type = f32; };

// Count whole vectors of outputs from i on, or one that is cut off after n lanes.
template <class Isa, class T, mode Mode, class Out, int Count>
DNNL_INLINE void some_outputs(const pool_forward_args &t, dim_t i, dim_t n, Out *out) {
    if constexpr (Mode != mode::average)
        maxima<Isa, T, Out, Count, Mode == mode::max_recorded>(t, i, n, out);
    else if constexpr (__is_same(T, s32))
        averages_of_s32<Isa>(t, i, n, out);
    else
        averages<Isa, T, Out, Count>(t, i, n, out);
}

// Writes outputs [begin, end) to out.
template <class Isa, class T, mode Mode, class Out>
void outputs(const pool_forward_args &t, dim_t begin, dim_t end, Out *out) {
    constexpr dim_t size = vec<f32, Isa>::size;
    constexpr int many = is_any<T> || (__is_same(T, s32) && Mode == mode::average) ? 1 : 4;
    dim_t i = begin;
    for (; i + many * size <= end; i += many * size)
        some_outputs<Isa, T, Mode, Out, many>(t, i, size, out + i - begin);
    for (; i < end; i += size)
        some_outputs<Isa, T, Mode, Out, 1>(t, i, smaller(size, end - i), out + i - begin);
}

// Writes n results, of outputs from i on, to dst, through the epilogue if there is one.
template <class Isa, class Result>
DNNL_INLINE void finish_results(const pool_forward_args &t, const Result *found, dim_t i, dim_t n) {
    using Value = value_of<Result>;
    alignas(64) Value values[row_piece];
    void *dst = element_at(t.dst, t.type, i);
    finish_row<Isa>(t.finish, row_values<Isa>(found, type_of<Result>, 1, n, values), n, t.type, dst,
        {t.position[0], t.position[1], t.position[2], t.position[row_dim],
            t.position[column_dim] + i});
}

template <class Isa, class T, mode Mode>
DNNL_INLINE void run_pixel(const pool_forward_args &t, dim_t begin) {
    using Result = typename result<T, Mode>::type;
    if constexpr (!is_any<T> && !__is_same(T, s32))
        if (!t.finish) return outputs<Isa, T, Mode>(t, begin, t.n, static_cast<T *>(t.dst) + begin);
    alignas(64) Result results[row_piece];
    for (dim_t i = begin; i < t.n; i += row_piece) {
        const dim_t n = smaller(row_piece, t.n - i);
        outputs<Isa, T, Mode>(t, i, i + n, results);
        finish_results<Isa>(t, results, i, n);
    }
}

// ---- Whole blocks of channels, of all pixels of a call ----

// The maxima or sums of a window so far, of Count blocks of channels in registers.
template <class Isa, class T, mode Mode, int Count> struct combined {
    using values = register_block<Isa, T>;
    values of[Count];
    DNNL_INLINE static combined start() {
        combined c;
#pragma GCC unroll 8
        for (int i = 0; i < Count; ++i)
            c.of[i] = values::set(Mode == mode::average ? 0.0f : start_of_maximum<T>);
        return c;
    }
    DNNL_INLINE void add(const T *p) {
#pragma GCC unroll 8
        for (int i = 0; i < Count; ++i) add(i, values::load(p + i * values::size));
    }
    DNNL_INLINE void add(const combined &other) {
#pragma GCC unroll 8
        for (int i = 0; i < Count; ++i) add(i, other.of[i]);
    }
    DNNL_INLINE void add(int i, const values &x) {
        of[i] = Mode == mode::average ? of[i] + x : max(x, of[i]);
    }
};

template <class Isa, class T>
[[gnu::noinline]] void store_careful_maxima(const pool_forward_args &t, dim_t c, dim_t n) {
    constexpr dim_t lanes = vec<f32, Isa>::size;
    for (dim_t i = c; i < c + n; i += lanes)
        store_as(static_cast<T *>(t.dst) + i, careful_maximum<Isa>(t, i, lanes).value);
}

// Stores the results of channels from c on.
template <class Isa, class T, mode Mode, int Count>
DNNL_INLINE void store_blocks(const pool_forward_args &t, const combined<Isa, T, Mode, Count> &x,
    const pool_quotient<Isa> &quotient, dim_t c) {
    using values = register_block<Isa, T>;
    T *out = static_cast<T *>(t.dst) + c;
    if constexpr (Mode == mode::average) {
#pragma GCC unroll 8
        for (int i = 0; i < Count; ++i) x.of[i].map(quotient).store(out + i * values::size);
        return;
    }
    values least = x.of[0];
#pragma GCC unroll 8
    for (int i = 0; i < Count; ++i) {
        least = min(least, x.of[i]);
        x.of[i].store_exact(out + i * values::size);
    }
    vec<f32, Isa> lowest = least.x[0];
    if constexpr (values::count == 2) lowest = min(lowest, least.x[1]);
    if (__builtin_expect(any(lowest == vec<f32, Isa>::set(-__builtin_inff())), 0))
        store_careful_maxima<Isa, T>(t, c, Count * values::size);
}

DNNL_INLINE void step_to_next_pixel(pool_forward_args &t) {
    if (t.src) t.src = static_cast<const char *>(t.src) + t.src_step_bytes; // null: no element
    t.dst = static_cast<char *>(t.dst) + t.dst_step_bytes;
    if (t.workspace) t.workspace = static_cast<char *>(t.workspace) + t.workspace_step_bytes;
    ++t.position[row_dim];
}

template <class Isa, class T, mode Mode, int Count> void walk_pixels(pool_forward_args t, dim_t c) {
    const pool_quotient<Isa> quotient(t.divisor);
    for (; t.pixels > 0; --t.pixels, step_to_next_pixel(t)) {
        auto x = combined<Isa, T, Mode, Count>::start();
        for (dim_t w = 0; w < t.count; ++w) x.add(at<T>(t.src, t.offset_bytes[w], c));
        store_blocks<Isa, T, Mode, Count>(t, x, quotient, c);
    }
}

// Windows of Width columns, Step columns from one to the next: each column is combined once.
template <class Isa, class T, mode Mode, int Count, int Width, int Step>
void walk_columns(pool_forward_args t, dim_t c) {
    using values = combined<Isa, T, Mode, Count>;
    const pool_quotient<Isa> quotient(t.divisor);
    values column[Width];
    const auto combine = [&](int k) {
        column[k] = values::start();
        for (dim_t w = k; w < t.count; w += Width)
            column[k].add(at<T>(t.src, t.offset_bytes[w], c));
    };
#pragma GCC unroll 8
    for (int k = 0; k < Width - Step; ++k) combine(k);
    for (; t.pixels > 0; --t.pixels, step_to_next_pixel(t)) {
#pragma GCC unroll 8
        for (int k = Width - Step; k < Width; ++k) combine(k);
        values x = column[0];
#pragma GCC unroll 8
        for (int k = 1; k < Width; ++k) x.add(column[k]);
        store_blocks<Isa, T, Mode, Count>(t, x, quotient, c);
#pragma GCC unroll 8
        for (int k = 0; k < Width - Step; ++k) column[k] = column[k + Step];
    }
}

// One window of 16 or more elements: four at a time are read as streams of channels and combined
// with up to 128 blocks of results in L1. Returns how many channels are done.
template <class Isa, class T, mode Mode> dim_t walk_streams(const pool_forward_args &t) {
    using values = combined<Isa, T, Mode, 1>;
    constexpr dim_t size = register_block<Isa, T>::size, most = 128, streams = 4;
    const pool_quotient<Isa> quotient(t.divisor);
    values sums[most];
    dim_t c = 0;
    for (dim_t blocks; (blocks = smaller(most, (t.n - c) / size)) > 0; c += blocks * size) {
        for (dim_t b = 0; b < blocks; ++b) sums[b] = values::start();
        dim_t w = 0;
        for (; w + streams <= t.count; w += streams)
            for (dim_t b = 0; b < blocks; ++b) {
                values x = sums[b];
#pragma GCC unroll 4
                for (dim_t k = 0; k < streams; ++k)
                    x.add(at<T>(t.src, t.offset_bytes[w + k], c + b * size));
                sums[b] = x;
            }
        for (; w < t.count; ++w)
            for (dim_t b = 0; b < blocks; ++b)
                sums[b].add(at<T>(t.src, t.offset_bytes[w], c + b * size));
        for (dim_t b = 0; b < blocks; ++b)
            store_blocks<Isa, T, Mode, 1>(t, sums[b], quotient, c + b * size);
    }
    return c;
}

// The number of blocks in 32 KiB.
template <class Isa, class T>
inline constexpr dim_t line_blocks = 32768 / dim_t(sizeof(register_block<Isa, T>));

// Calls body(b, number<Count>) for blocks [0, blocks), Count at a time.
template <class Body> DNNL_INLINE void for_blocks(dim_t blocks, const Body &body) {
    dim_t b = 0;
    for (; b + 4 <= blocks; b += 4) body(b, number<4> {});
    for (; b < blocks; ++b) body(b, number<1> {});
}

// Windows that are one column from each other: the columns of many pixels are combined first, then
// the columns of each window. Takes `blocks` blocks of channels; their columns fill 32 KiB at most.
template <class Isa, class T, mode Mode>
void walk_lines(const pool_forward_args &all, dim_t c, dim_t blocks) {
    constexpr dim_t size = register_block<Isa, T>::size;
    const pool_quotient<Isa> quotient(all.divisor);
    combined<Isa, T, Mode, 1> line[line_blocks<Isa, T>];
    pool_forward_args t = all;
    dim_t step = line_blocks<Isa, T> / blocks - (t.width - 1);
    for (; t.pixels > 0; t.pixels -= step) {
        step = smaller(step, t.pixels);
        for (dim_t x = 0; x < step + t.width - 1; ++x)
            for_blocks(blocks, [&]<int Count>(dim_t b, number<Count>) {
                auto taps = combined<Isa, T, Mode, Count>::start();
                for (dim_t w = 0; w < t.count; w += t.width)
                    taps.add(at<T>(t.src, t.offset_bytes[w] + x * t.tap_step_bytes, c + b * size));
                for (int i = 0; i < Count; ++i) line[x * blocks + b + i].of[0] = taps.of[i];
            });
        for (dim_t x = 0; x < step; ++x, step_to_next_pixel(t))
            for_blocks(blocks, [&]<int Count>(dim_t b, number<Count>) {
                auto window = combined<Isa, T, Mode, Count>::start();
                for (dim_t k = 0; k < t.width; ++k)
                    for (int i = 0; i < Count; ++i)
                        window.add(i, line[(x + k) * blocks + b + i].of[0]);
                store_blocks<Isa, T, Mode, Count>(t, window, quotient, c + b * size);
            });
    }
}

// Returns how many channels, from the first one on, are done.
template <class Isa, class T, mode Mode> dim_t run_blocks(const pool_forward_args &t) {
    constexpr dim_t size = register_block<Isa, T>::size;
    constexpr int parts = register_block<Isa, T>::count;
    constexpr int many = 8 / parts, some = Isa::vector_registers / 8 / parts;
    dim_t c = 0;
    if (t.pixels == 1 && t.count >= 16) return walk_streams<Isa, T, Mode>(t);
    const auto walk = [&]<int Count>(auto function, number<Count>) {
        for (; c + Count * size <= t.n; c += Count * size) function(t, c);
    };
    const bool several = t.pixels > 1, adjacent = t.src_step_bytes == t.tap_step_bytes;
    if (several && adjacent && t.width > 3 && t.width <= line_blocks<Isa, T> / 16) {
        const dim_t most = line_blocks<Isa, T> / (2 * t.width);
        for (dim_t blocks; (blocks = smaller(most, (t.n - c) / size)) > 0; c += blocks * size)
            walk_lines<Isa, T, Mode>(t, c, blocks);
    } else if (several && adjacent && t.width == 3) {
        walk(walk_columns<Isa, T, Mode, some, 3, 1>, number<some> {});
        walk(walk_columns<Isa, T, Mode, 1, 3, 1>, number<1> {});
    } else if (several && t.src_step_bytes == 2 * t.tap_step_bytes && t.width == 3) {
        walk(walk_columns<Isa, T, Mode, some, 3, 2>, number<some> {});
        walk(walk_columns<Isa, T, Mode, 1, 3, 2>, number<1> {});
    }
    walk(walk_pixels<Isa, T, Mode, many>, number<many> {});
    walk(walk_pixels<Isa, T, Mode, some>, number<some> {});
    walk(walk_pixels<Isa, T, Mode, 1>, number<1> {});
    return c;
}

// ---- Maxima of bytes ----

// Stores the results of as many channels from c on as Bytes holds; the window is not empty.
template <class T, class Bytes>
DNNL_INLINE void store_byte_maxima(const pool_forward_args &t, dim_t c) {
    Bytes most, x;
    __builtin_memcpy(&most, at<T>(t.src, t.offset_bytes[0], c), sizeof(Bytes));
    for (dim_t w = 1; w < t.count; ++w) {
        __builtin_memcpy(&x, at<T>(t.src, t.offset_bytes[w], c), sizeof(Bytes));
        most = __is_same(T, u8) ? max_epu8(most, x) : max_epi8(most, x);
    }
    __builtin_memcpy(static_cast<T *>(t.dst) + c, &most, sizeof(Bytes));
}

// Takes at least 16 channels; the last registers may overlap those before.
template <class Isa, class T> void walk_bytes(pool_forward_args t) {
    constexpr dim_t size = Isa::vector_bytes, few = 16;
    for (; t.pixels > 0; --t.pixels, step_to_next_pixel(t)) {
        dim_t c = 0;
        for (; c + size <= t.n; c += size) store_byte_maxima<T, decltype(vec<s32, Isa>::v)>(t, c);
        for (; c < t.n; c += few) store_byte_maxima<T, __m128i>(t, smaller(c, t.n - few));
    }
}

template <class Isa> void run_long_averages(pool_forward_args t) {
    constexpr dim_t size = vec<f32, Isa>::size;
    alignas(64) f32 results[size];
    for (; t.pixels > 0; --t.pixels, step_to_next_pixel(t))
        for (dim_t i = 0; i < t.n; i += size) {
            const dim_t n = smaller(size, t.n - i);
            long_averages<Isa>(t, i, n, results);
            finish_results<Isa>(t, results, i, n);
        }
}

template <class Isa, class T, mode Mode> void run(pool_forward_args t) {
    dim_t begin = 0;
    if constexpr ((__is_same(T, f32) || __is_same(T, bf16)) && Mode != mode::max_recorded)
        if (!t.finish && t.count > 0) begin = run_blocks<Isa, T, Mode>(t);
    if (begin == t.n) return;
    for (; t.pixels > 0; --t.pixels, step_to_next_pixel(t)) run_pixel<Isa, T, Mode>(t, begin);
}
template <class Isa, class T> void maxima_of_whole_numbers(const pool_forward_args &t) {
    if constexpr (is_byte<T>)
        if (!t.workspace && !t.finish && t.count > 0 && t.n >= 16) return walk_bytes<Isa, T>(t);
    using any = any_element<s32>;
    t.workspace ? run<Isa, any, mode::max_recorded>(t) : run<Isa, any, mode::max>(t);
}
template <class Isa, class T> void forward(const pool_forward_args &t) {
    if (!t.maximum && !__is_same(T, s32) && t.count > long_window) return run_long_averages<Isa>(t);
    if (!t.maximum) return run<Isa, T, mode::average>(t);
    if constexpr (is_whole<T>)
        maxima_of_whole_numbers<Isa, T>(t);
    else
        t.workspace ? run<Isa, T, mode::max_recorded>(t) : run<Isa, T, mode::max>(t);
}

} // namespace

template <class Isa> void pool_forward(const pool_forward_args &args) {
    switch (args.type) {
    case data_type::f32: return forward<Isa, f32>(args);
    case data_type::bf16: return forward<Isa, bf16>(args);
    case data_type::s32: return forward<Isa, s32>(args);
    case data_type::s8: return forward<Isa, s8>(args);
    case data_type::u8: return forward<Isa, u8>(args);
    default: return forward<Isa, any_element<f32>>(args);
    }
}
template void pool_forward<this_isa>(const pool_forward_args &);

} // namespace dnnl::impl::cpu
