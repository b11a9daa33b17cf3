// SPDX-License-Identifier: Apache-2.0
// Attributes for quantization by groups and by modes: what the library takes and refuses, and an
// int8 product whose grouped scales are set by the longest form of set_scales().
#include <cstdint>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

template <typename Call> bool refused(const Call &call) {
    try {
        call();
    } catch (const error &e) {
        return e.status == dnnl_invalid_arguments;
    }
    return false;
}

bool requests() {
    primitive_attr attr;
    attr.set_scales(DNNL_ARG_DST, 3, {1, 32}, dt::e8m0, false, quantization_mode::dynamic_mx);
    attr.set_scales(DNNL_ARG_DST, 3, {1, 16}, dt::f8_e4m3, false, quantization_mode::dynamic_fp);
    attr.set_precomputed_reductions(DNNL_ARG_SRC, 3, {1, 32});
    attr.set_host_zero_point(DNNL_ARG_SRC, dt::s32);
    const bool without_mode = refused(
        [&] { attr.set_scales(DNNL_ARG_SRC, 0, {}, dt::f32, false, quantization_mode::undef); });
    const bool groups_on_host = refused([&] {
        attr.set_scales(DNNL_ARG_SRC, 3, {1, 32}, dt::f32, true);
    });
    const bool of_weights = refused([&] {
        attr.set_precomputed_reductions(DNNL_ARG_WEIGHTS, 3, {32, 1});
    });
    return without_mode && groups_on_host && of_weights &&
           convert_to_c(quantization_mode::dynamic_fp) == dnnl_quantization_mode_dynamic_fp;
}

} // namespace

int main() {
    if (!requests()) return 1;
    const memory::dim M = 4, K = 64, N = 10, GROUP = 32, GROUPS = K / GROUP;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<int8_t> src(M * K), weights(K * N);
    std::vector<float> src_scales = values(M * GROUPS, 1), weights_scales = values(GROUPS * N, 2);
    std::vector<float> dst(M * N);
    for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<int8_t>(i * 11 % 256 - 128);
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int8_t>(i * 7 % 256 - 128);

    primitive_attr attr;
    attr.set_scales(DNNL_ARG_SRC, 3, {1, GROUP}, dt::f32, false, quantization_mode::static_sazp);
    attr.set_scales(
        DNNL_ARG_WEIGHTS, 3, {GROUP, 1}, dt::f32, false, quantization_mode::static_sazp);
    memory src_mem({{M, K}, dt::s8, tag::ab}, eng, src.data());
    memory weights_mem({{K, N}, dt::s8, tag::ab}, eng, weights.data());
    memory dst_mem({{M, N}, dt::f32, tag::ab}, eng, dst.data());
    const matmul product(matmul::primitive_desc(
        eng, src_mem.get_desc(), weights_mem.get_desc(), dst_mem.get_desc(), attr));
    product.execute(
        strm, {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_WEIGHTS, weights_mem}, {DNNL_ARG_DST, dst_mem},
                  {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
                      memory({{M, GROUPS}, dt::f32, tag::ab}, eng, src_scales.data())},
                  {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
                      memory({{GROUPS, N}, dt::f32, tag::ab}, eng, weights_scales.data())}});
    strm.wait();

    std::vector<double> expected(M * N);
    for (memory::dim i = 0; i < M * N; ++i)
        for (memory::dim k = 0; k < K; ++k) {
            const memory::dim m = i / N, n = i % N, g = k / GROUP;
            expected[i] += double {src_scales[m * GROUPS + g]} * weights_scales[g * N + n] *
                           src[m * K + k] * weights[k * N + n];
        }
    return agree("dst", dst, expected, 0.1) ? 0 : 1; // sums of up to a million, in f32
}
