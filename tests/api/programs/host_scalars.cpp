// SPDX-License-Identifier: Apache-2.0
// An int8 product whose scales and zero point are host scalars: values, not tensors. A new value
// takes effect at the next execution.
#include <algorithm>
#include <cstdint>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() {
    const memory::dim M = 6, K = 40, N = 11;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<uint8_t> src(M * K);
    std::vector<int8_t> weights(K * N), dst(M * N);
    for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<uint8_t>(i * 11 % 256);
    for (size_t i = 0; i < weights.size(); ++i)
        weights[i] = static_cast<int8_t>(i * 17 % 256 - 128);

    primitive_attr attr;
    attr.set_host_scale(DNNL_ARG_SRC);
    attr.set_scales(DNNL_ARG_WEIGHTS, 0, {}, dt::f32, true); // the same in full
    attr.set_host_scale(DNNL_ARG_DST, dt::f32);
    attr.set_host_zero_point(DNNL_ARG_SRC);
    attr.set_zero_points(DNNL_ARG_DST, 0, {}, dt::s32, true);
    memory src_mem({{M, K}, dt::u8, tag::ab}, eng, src.data());
    memory weights_mem({{K, N}, dt::s8, tag::ab}, eng, weights.data());
    memory dst_mem({{M, N}, dt::s8, tag::ab}, eng, dst.data());
    const matmul product(matmul::primitive_desc(
        eng, src_mem.get_desc(), weights_mem.get_desc(), dst_mem.get_desc(), attr));

    const memory::desc f32_value = memory::desc::host_scalar(dt::f32);
    const memory::desc s32_value = memory::desc::host_scalar(dt::s32);
    memory src_scale(f32_value, 0.02f), weights_scale(f32_value, 0.03125f),
        dst_scale(f32_value, 2.f);
    memory src_zero(s32_value, int32_t {100}), dst_zero(s32_value, int32_t {-5});
    bool good = f32_value.get_format_kind() == memory::format_kind::host_scalar &&
                f32_value.get_size() == sizeof(float) && !src_scale.get_engine();

    for (int run = 0; run < 3; ++run) {
        dst_scale.set_host_scalar_value(1.5f + static_cast<float>(run));
        src_zero.set_host_scalar_value(int32_t {100 + 20 * run});
        product.execute(
            strm, {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_WEIGHTS, weights_mem},
                      {DNNL_ARG_DST, dst_mem}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, src_scale},
                      {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, weights_scale},
                      {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, dst_scale},
                      {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, src_zero},
                      {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, dst_zero}});
        strm.wait();
        std::vector<double> expected;
        for (memory::dim i = 0; i < M * N; ++i) {
            double sum = 0;
            for (memory::dim k = 0; k < K; ++k)
                sum += (src[i / N * K + k] - (100 + 20 * run)) * weights[k * N + i % N];
            sum = sum * 0.02f * 0.03125f / dst_scale.get_host_scalar_value<float>() - 5;
            expected.push_back(std::min(127.0, std::max(-128.0, sum)));
        }
        good = agree("dst", dst, expected, 0.501) && good;
    }
    return good ? 0 : 1;
}
