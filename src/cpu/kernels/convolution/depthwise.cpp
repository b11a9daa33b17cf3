// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution forward and backward data; see depthwise.hpp. A core sums one tile of
// pixels and channels, what follows finishes it in registers or through a tile in L1.
#include "cpu/kernels/convolution/depthwise.hpp"

#include "cpu/kernels/epilogue/common_epilogue.hpp"
#include "cpu/kernels/epilogue/epilogue_rows.hpp"
#include "cpu/simd/convert.hpp"
#include "cpu/simd/dot_bytes.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {
namespace {

// One tile: pixels from `pixel`, `lanes` channels from `channel`.
struct tile_place {
    const depthwise_args *call;
    const common_columns *columns;
    const s32 *start; // of integer sums, per lane
    dim_t pixel, channel, lanes;
};

DNNL_INLINE const char *source(
    const tile_place &t, const depthwise_tap &from, dim_t element_bytes) {
    return static_cast<const char *>(from.source) + t.pixel * from.step_bytes +
           t.channel * element_bytes;
}

// ---- Floats: one tap at a time, widened to f32 ----

template <class Isa_, class T> struct float_core {
    using Isa = Isa_;
    using sum = vec<f32, Isa>;
    using element = f32;
    static constexpr bool integer = false;
    static constexpr data_type acc_type = data_type::f32;
    static constexpr int most_pixels = 6, vectors = Isa::vector_registers == 32 ? 4 : 2;

    DNNL_INLINE static const T *weights(const tile_place &t, dim_t channel) {
        return reinterpret_cast<const T *>(static_cast<const char *>(t.call->weights) +
                                           channel / 16 * t.call->weights_block_bytes) +
               channel % 16;
    }
    template <int P, int NV> DNNL_INLINE static void add_up(sum (&c)[P][NV], const tile_place &t) {
        const T *block[NV];
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) block[j] = weights(t, t.channel + j * sum::size);
#pragma GCC unroll 6
        for (int i = 0; i < P; ++i) {
#pragma GCC unroll 4
            for (int j = 0; j < NV; ++j) c[i][j] = sum::zero();
        }
        const bool whole = NV > 1 || t.lanes == sum::size;
        const depthwise_tap *end = t.call->taps + t.call->count;
        for (const depthwise_tap *tap = t.call->taps; tap != end; ++tap) {
            const dim_t step_bytes = tap->step_bytes;
            const char *p = source(t, *tap, sizeof(T));
            sum w[NV];
#pragma GCC unroll 4
            for (int j = 0; j < NV; ++j) w[j] = load_as_f32<Isa>(block[j] + tap->place * 16);
#pragma GCC unroll 6
            for (int i = 0; i < P; ++i) {
                const T *x = reinterpret_cast<const T *>(p + i * step_bytes);
#pragma GCC unroll 4
                for (int j = 0; j < NV; ++j) {
                    const sum s =
                        whole ? load_as_f32<Isa>(x + j * sum::size) : load_as_f32<Isa>(x, t.lanes);
                    c[i][j] = fma(s, w[j], c[i][j]);
                }
            }
        }
    }
};

// ---- Integers: four taps at a time, their bytes interleaved ----

// Four vectors of bytes, one per tap -> four vectors of lanes, lane c holding channel c of the
// four. The dwords are exchanged on loading so that interleaving within 128 bits ends in natural
// order.
template <class Isa, int Bytes = Isa::vector_bytes> struct byte_taps;

template <class Isa> struct byte_taps<Isa, 32> {
    using lanes = vec<s32, Isa>;
    __m256i x[4];

    DNNL_INLINE static __m256i load(const char *p, dim_t n) {
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
    DNNL_INLINE void interleave(lanes (&out)[4]) const {
        const __m256i low01 = _mm256_unpacklo_epi8(x[0], x[1]);
        const __m256i high01 = _mm256_unpackhi_epi8(x[0], x[1]);
        const __m256i low23 = _mm256_unpacklo_epi8(x[2], x[3]);
        const __m256i high23 = _mm256_unpackhi_epi8(x[2], x[3]);
        out[0].v = _mm256_unpacklo_epi16(low01, low23);
        out[1].v = _mm256_unpackhi_epi16(low01, low23);
        out[2].v = _mm256_unpacklo_epi16(high01, high23);
        out[3].v = _mm256_unpackhi_epi16(high01, high23);
    }
};

#if defined(__AVX512BW__)
template <class Isa> struct byte_taps<Isa, 64> {
    using lanes = vec<s32, Isa>;
    __m512i x[4];

    DNNL_INLINE static __m512i load(const char *p, dim_t n) {
        const __mmask64 wanted = n >= 64 ? ~__mmask64 {0} : (__mmask64 {1} << n) - 1;
        const __m512i bytes = n >= 64 ? _mm512_loadu_si512(p) : _mm512_maskz_loadu_epi8(wanted, p);
        const __m512i order =
            _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        return _mm512_permutexvar_epi32(order, bytes);
    }
    DNNL_INLINE void interleave(lanes (&out)[4]) const {
        const __m512i low01 = _mm512_unpacklo_epi8(x[0], x[1]);
        const __m512i high01 = _mm512_unpackhi_epi8(x[0], x[1]);
        const __m512i low23 = _mm512_unpacklo_epi8(x[2], x[3]);
        const __m512i high23 = _mm512_unpackhi_epi8(x[2], x[3]);
        out[0].v = _mm512_unpacklo_epi16(low01, low23);
        out[1].v = _mm512_unpackhi_epi16(low01, low23);
        out[2].v = _mm512_unpacklo_epi16(high01, high23);
        out[3].v = _mm512_unpackhi_epi16(high01, high23);
    }
};
#endif

template <class Isa_, class T> struct integer_core {
    using Isa = Isa_;
    using sum = vec<s32, Isa>;
    using element = s32;
    using D = dot<Isa, T, s8>;
    static constexpr bool integer = true;
    static constexpr data_type acc_type = data_type::s32;
    static constexpr int most_pixels = Isa::vector_registers == 32 ? 4 : 1, vectors = 4;

    DNNL_INLINE static const char *weights(const tile_place &t) {
        return static_cast<const char *>(t.call->weights) +
               t.channel / 64 * t.call->weights_block_bytes + t.channel % 64 * 4;
    }
    DNNL_INLINE static auto multiplicand(sum x) {
        if constexpr (!Isa::vnni)
            return widen_bytes<Isa>(x, static_cast<const T *>(nullptr));
        else if constexpr (D::shifts_a)
            return D::flip_signs(x);
        else
            return x;
    }
    template <int P, int NV> DNNL_INLINE static void add_up(sum (&c)[P][NV], const tile_place &t) {
        const char *block = weights(t);
#pragma GCC unroll 4
        for (int i = 0; i < P; ++i) {
#pragma GCC unroll 4
            for (int j = 0; j < NV; ++j)
                c[i][j] = D::shifts_a ? sum::load(t.start + j * sum::size) : sum::zero();
        }
        const depthwise_tap *end = t.call->taps + 4 * t.call->count;
        for (const depthwise_tap *tap = t.call->taps; tap != end; tap += 4) {
            const char *w = block + tap->place * 256;
            const char *p[4];
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) p[k] = source(t, tap[k], 1);
#pragma GCC unroll 4
            for (int i = 0; i < P; ++i) {
                byte_taps<Isa> bytes;
                sum x[4];
#pragma GCC unroll 4
                for (int k = 0; k < 4; ++k) {
                    bytes.x[k] = byte_taps<Isa>::load(p[k], t.lanes);
                    p[k] += tap[k].step_bytes;
                }
                bytes.interleave(x);
#pragma GCC unroll 4
                for (int j = 0; j < NV; ++j)
                    c[i][j] =
                        D::step(c[i][j], multiplicand(x[j]), D::load_b(w + j * Isa::vector_bytes));
            }
        }
    }
    // What the shift of signed sources by 128 adds, taken off beforehand.
    DNNL_INLINE static void set_start(const tile_place &t, s32 *start) {
        if constexpr (D::shifts_a) {
            const char *block = weights(t);
            for (int j = 0; j < vectors; ++j) {
                sum all = sum::zero();
                for (dim_t group = 0; group < t.call->count; ++group)
                    all = dot_bytes(all, sum::set(static_cast<s32>(0x80808080u)),
                        sum::load(reinterpret_cast<const s32 *>(
                            block + t.call->taps[4 * group].place * 256 + j * Isa::vector_bytes)));
                (sum::zero() - all).store(start + j * sum::size);
            }
        }
    }
};

// ---- What becomes of the sums ----

template <class Core, bool Adds, class Dst>
DNNL_INLINE void store_finished(typename Core::sum x, const common_columns &c, int j, Dst *dst,
    const Dst *addend, dim_t lanes) {
    using Isa = typename Core::Isa;
    constexpr dim_t size = vec<f32, Isa>::size;
    const common_vector<Isa> columns(c, j * size);
    const vec<f32, Isa> y = finish_common<true, Adds>(row_numbers<Isa, false>(c, 0), x, columns,
        common_numbers<Isa>(c), addend, lanes < 0 ? 0 : lanes);
    if (lanes >= size)
        store_as(dst, y);
    else if (lanes > 0)
        store_as(dst, y, lanes);
}

template <class Core, class Dst, bool Adds, int P, int NV>
DNNL_INLINE void store_tile(const typename Core::sum (&c)[P][NV], const tile_place &t, char *dst) {
    constexpr int size = Core::sum::size;
    const dim_t step_bytes = t.call->dst_step_bytes;
    const addend_rows addends(*t.columns, t.call->position[row_dim] + t.pixel, dst, step_bytes);
#pragma GCC unroll 6
    for (int i = 0; i < P; ++i) {
        Dst *row = reinterpret_cast<Dst *>(dst + i * step_bytes);
        const Dst *addend = addends.template row<Dst>(i);
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j)
            store_finished<Core, Adds>(c[i][j], *t.columns, j, row + j * size, addend + j * size,
                NV > 1 && !Core::integer ? dim_t {size} : t.lanes - j * size);
    }
}

template <class Core, int P, int NV>
void finish_in_memory(const typename Core::element *sums, const tile_place &t) {
    const depthwise_args &call = *t.call;
    epilogue_rows_args e;
    e.finish = call.finish;
    e.acc = sums;
    e.acc_stride_bytes = NV * Core::sum::size * dim_t {4};
    e.acc_type = Core::acc_type;
    e.dst = element_at(static_cast<char *>(call.dst) + t.pixel * call.dst_step_bytes,
        call.finish->dst_type, t.channel);
    e.dst_stride_bytes = call.dst_step_bytes;
    e.rows = P;
    e.columns = t.lanes;
    for (int d = 0; d < position_rank; ++d) e.position[d] = call.position[d];
    e.position[row_dim] += t.pixel;
    e.position[column_dim] += t.channel;
    epilogue_rows<typename lowest_isa<Core::Isa::vector_bytes>::tag>(e);
}

// Dst void: the sums themselves, to dst or through the epilogue's interpreter.
template <class Core, class Dst, int P, int NV> void tile(const tile_place &t) {
    using sum = typename Core::sum;
    using element = typename Core::element;
    sum c[P][NV];
    Core::add_up(c, t);
    char *dst = static_cast<char *>(t.call->dst) + t.pixel * t.call->dst_step_bytes;
    if constexpr (__is_same(Dst, void)) {
        alignas(64) element sums[P * NV * sum::size];
        const bool direct = t.call->finish == nullptr;
        dst += t.channel * dim_t {sizeof(element)};
#pragma GCC unroll 6
        for (int i = 0; i < P; ++i) {
            element *row = direct ? reinterpret_cast<element *>(dst + i * t.call->dst_step_bytes)
                                  : sums + i * NV * sum::size;
#pragma GCC unroll 4
            for (int j = 0; j < NV; ++j) {
                const dim_t left = direct ? t.lanes - j * sum::size : dim_t {sum::size};
                if (left >= sum::size)
                    c[i][j].store(row + j * sum::size);
                else if (left > 0)
                    c[i][j].store(row + j * sum::size, left);
            }
        }
        if (!direct) finish_in_memory<Core, P, NV>(sums, t);
    } else {
        if (t.columns->adds)
            store_tile<Core, Dst, true>(c, t, dst + t.channel * dim_t {sizeof(Dst)});
        else
            store_tile<Core, Dst, false>(c, t, dst + t.channel * dim_t {sizeof(Dst)});
    }
}

// ---- The row: blocks of channels, tiles of pixels ----

template <class Core, class Dst, int NV> void pixels(tile_place t) {
    constexpr int most = Core::most_pixels;
    const dim_t end = t.call->pixels;
    for (; t.pixel + most <= end; t.pixel += most) tile<Core, Dst, most, NV>(t);
    if constexpr (most > 2)
        for (; t.pixel + 2 <= end; t.pixel += 2) tile<Core, Dst, 2, NV>(t);
    for (; t.pixel < end; ++t.pixel) tile<Core, Dst, 1, NV>(t);
}

template <class Core, class Dst> void row(const depthwise_args &call) {
    using Isa = typename Core::Isa;
    constexpr dim_t size = Core::sum::size;
    common_columns columns;
    alignas(64) s32 start[64];
    tile_place t {&call, &columns, start, 0, 0, 0};
    for (; t.channel < call.channels; t.channel += t.lanes) {
        const dim_t left = call.channels - t.channel;
        int vectors = Core::vectors;
        if constexpr (!Core::integer)
            while (vectors > 1 && left < vectors * size) vectors /= 2;
        t.lanes = left < vectors * size ? left : vectors * size;
        if constexpr (!__is_same(Dst, void))
            prepare_common<Isa>(*call.finish, call.position, t.channel, t.lanes, columns);
        if constexpr (Core::integer) {
            Core::set_start(t, start);
            pixels<Core, Dst, 4>(t);
        } else {
            if (vectors == 4) pixels<Core, Dst, Core::vectors>(t);
            if (vectors == 2) pixels<Core, Dst, 2>(t);
            if (vectors == 1) pixels<Core, Dst, 1>(t);
        }
    }
}

// A common epilogue with one of these destinations is computed in registers.
template <class Core, class... Dst> void any_row(const depthwise_args &call) {
    common_columns columns;
    const bool common =
        call.finish && !has_numbers_of_rows(*call.finish) && is_common(*call.finish, columns);
    const bool done =
        common && ((call.finish->dst_type == type_of<Dst> && (row<Core, Dst>(call), true)) || ...);
    if (!done) row<Core, void>(call);
}

} // namespace

template <class Isa> void depthwise(const depthwise_args &call) {
    if (call.type == data_type::u8) return any_row<integer_core<Isa, u8>, f32, s8, u8>(call);
    if (call.type == data_type::s8) return any_row<integer_core<Isa, s8>, f32, s8, u8>(call);
#if !defined(__AVXVNNI__) && !defined(__AVX512VNNI__) // the levels above change integers only
    if (call.type == data_type::f32) return any_row<float_core<Isa, f32>, f32>(call);
    if (call.type == data_type::bf16) return any_row<float_core<Isa, bf16>, f32, bf16>(call);
    if (call.type == data_type::f16) return any_row<float_core<Isa, f16>, f32, f16>(call);
#endif
}

template void depthwise<this_isa>(const depthwise_args &);

} // namespace dnnl::impl::cpu
