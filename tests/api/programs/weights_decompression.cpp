// SPDX-License-Identifier: Apache-2.0
// Compressed weights as language models have them: f32 activations times s8 weights, with a scale
// and a zero point for each group of 32 rows of a column. Scales are powers of two and activations
// short fractions, so that a computation in bf16 gives the same products.
#include <cstdint>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() {
    const memory::dim M = 5, K = 96, N = 24, GROUP = 32, GROUPS = K / GROUP;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<float> src(M * K), scales(GROUPS * N), dst(M * N);
    std::vector<int8_t> weights(K * N), zero_points(GROUPS * N);
    for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<float>(i * 7 % 31) / 16 - 1;
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int8_t>(i * 13 % 101 - 50);
    for (size_t i = 0; i < scales.size(); ++i) {
        scales[i] = std::ldexp(1.f, -static_cast<int>(i * 5 % 4) - 5);
        zero_points[i] = static_cast<int8_t>(i % 9 - 4);
    }

    primitive_attr attr;
    attr.set_fpmath_mode(fpmath_mode::bf16, true);
    attr.set_scales(DNNL_ARG_WEIGHTS, (1 << 0) | (1 << 1), {GROUP, 1}, dt::f32);
    attr.set_zero_points(DNNL_ARG_WEIGHTS, (1 << 0) | (1 << 1), {GROUP, 1}, dt::s8);
    memory src_mem({{M, K}, dt::f32, tag::ab}, eng, src.data());
    memory weights_mem({{K, N}, dt::s8, tag::ab}, eng, weights.data());
    memory dst_mem({{M, N}, dt::f32, tag::ab}, eng, dst.data());
    const matmul::primitive_desc pd(
        eng, src_mem.get_desc(), weights_mem.get_desc(), dst_mem.get_desc(), attr);
    matmul(pd).execute(
        strm, {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_WEIGHTS, weights_mem}, {DNNL_ARG_DST, dst_mem},
                  {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
                      memory({{GROUPS, N}, dt::f32, tag::ab}, eng, scales.data())},
                  {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS,
                      memory({{GROUPS, N}, dt::s8, tag::ab}, eng, zero_points.data())}});
    strm.wait();

    std::vector<double> expected(M * N);
    for (memory::dim m = 0; m < M; ++m)
        for (memory::dim n = 0; n < N; ++n)
            for (memory::dim k = 0; k < K; ++k) {
                const memory::dim group = k / GROUP * N + n;
                expected[m * N + n] +=
                    src[m * K + k] * (weights[k * N + n] - zero_points[group]) * scales[group];
            }
    return agree("dst", dst, expected, 1e-4) ? 0 : 1;
}
