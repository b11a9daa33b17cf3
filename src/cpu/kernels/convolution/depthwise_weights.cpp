// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution backward weights; see depthwise.hpp. The sums of a few taps and vectors of
// channels stay in registers while a row of pixels is walked.
#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/simd/convert.hpp"
#include "cpu/simd/vec.hpp"

namespace dnnl::impl::cpu {
namespace {

// The channels of one call of a tile; `lanes` of the last vector are there.
struct place {
    const depthwise_weights_args *call;
    dim_t channel, lanes;
};

template <class Isa, class T, int NV>
DNNL_INLINE vec<f32, Isa> load(const char *p, int j, const place &t) {
    using v = vec<f32, Isa>;
    const T *x = reinterpret_cast<const T *>(p) + j * v::size;
    return NV > 1 || t.lanes == v::size ? load_as_f32<Isa>(x) : load_as_f32<Isa>(x, t.lanes);
}

template <class Isa> DNNL_INLINE f32 *sums_at(const place &t, dim_t tap, int j) {
    const depthwise_weights_args &call = *t.call;
    const dim_t channel = t.channel + j * vec<f32, Isa>::size;
    return call.sums + channel / 16 * call.sums_block + call.taps[tap].place * 16 + channel % 16;
}

// Taps [first, first + K).
template <class Isa, class T, int K, int NV> void tile(const place &t, dim_t first) {
    using v = vec<f32, Isa>;
    const depthwise_weights_args &call = *t.call;
    const dim_t from = t.channel * dim_t {sizeof(T)};
    v c[K][NV];
    const char *x[K], *y = static_cast<const char *>(call.diff_dst) + from;
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) {
        x[k] = static_cast<const char *>(call.taps[first + k].source) + from;
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) c[k][j] = v::load(sums_at<Isa>(t, first + k, j));
    }
    for (dim_t p = 0; p < call.pixels; ++p, y += call.diff_dst_step_bytes) {
        v gradient[NV];
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) gradient[j] = load<Isa, T, NV>(y, j, t);
#pragma GCC unroll 4
        for (int k = 0; k < K; ++k) {
#pragma GCC unroll 4
            for (int j = 0; j < NV; ++j)
                c[k][j] = fma(load<Isa, T, NV>(x[k], j, t), gradient[j], c[k][j]);
            x[k] += call.taps[first + k].step_bytes;
        }
    }
#pragma GCC unroll 4
    for (int k = 0; k < K; ++k) {
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) c[k][j].store(sums_at<Isa>(t, first + k, j));
    }
}

template <class Isa, class T, int NV> void add_to_bias(const place &t) {
    using v = vec<f32, Isa>;
    const depthwise_weights_args &call = *t.call;
    const char *y = static_cast<const char *>(call.diff_dst) + t.channel * dim_t {sizeof(T)};
    f32 *sums = call.bias_sums + t.channel;
    v c[NV];
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) c[j] = v::load(sums + j * v::size);
    for (dim_t p = 0; p < call.pixels; ++p, y += call.diff_dst_step_bytes) {
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) c[j] = c[j] + load<Isa, T, NV>(y, j, t);
    }
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) c[j].store(sums + j * v::size);
}

template <class Isa, class T, int NV> void taps(const place &t) {
    dim_t tap = 0;
    const dim_t count = t.call->count;
    for (; tap + 4 <= count; tap += 4) tile<Isa, T, 4, NV>(t, tap);
    if (count - tap == 3) tile<Isa, T, 3, NV>(t, tap);
    if (count - tap == 2) tile<Isa, T, 2, NV>(t, tap);
    if (count - tap == 1) tile<Isa, T, 1, NV>(t, tap);
    if (t.call->bias_sums) add_to_bias<Isa, T, NV>(t);
}

template <class Isa, class T> void row(const depthwise_weights_args &call) {
    constexpr dim_t size = vec<f32, Isa>::size;
    constexpr int widest = Isa::vector_registers == 32 ? 4 : 2;
    place t {&call, 0, 0};
    for (; t.channel < call.channels; t.channel += t.lanes) {
        const dim_t left = call.channels - t.channel;
        const bool wide = left >= widest * size;
        t.lanes = wide ? widest * size : left < size ? left : size;
        if (wide)
            taps<Isa, T, widest>(t);
        else
            taps<Isa, T, 1>(t);
    }
}

} // namespace

template <class Isa> void depthwise_weights(const depthwise_weights_args &call) {
    with_float(call.type, [&](auto element) { row<Isa, decltype(element)>(call); });
}

template void depthwise_weights<this_isa>(const depthwise_weights_args &);

} // namespace dnnl::impl::cpu
