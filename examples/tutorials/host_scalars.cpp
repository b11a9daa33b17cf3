// SPDX-License-Identifier: Apache-2.0
// Scales and zero points as host scalars: one value that the memory object holds itself, so that no
// buffer of one element is needed. A binary post-op may be one as well.
#include <cstdint>

#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim m = 4, k = 16, n = 8;
        std::vector<std::uint8_t> src(m * k);
        std::vector<std::int8_t> weights(k * n);
        std::vector<float> dst(m * n);
        for (std::size_t i = 0; i < src.size(); ++i) src[i] = std::uint8_t(i * 29 % 256);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = std::int8_t(int(i * 41 % 255) - 127);
        const float scale = 0.03f, weight_scale = 0.5f;
        const std::int32_t zero_point = 100;

        dnnl::primitive_attr attr;
        attr.set_host_scale(DNNL_ARG_SRC);
        attr.set_host_scale(DNNL_ARG_WEIGHTS);
        attr.set_host_zero_point(DNNL_ARG_SRC);
        const memory::desc src_md({m, k}, dt::u8, tag::ab), weights_md({k, n}, dt::s8, tag::ab),
            dst_md({m, n}, dt::f32, tag::ab);
        const dnnl::matmul::primitive_desc pd(cpu, src_md, weights_md, dst_md, attr);

        const memory::desc real = memory::desc::host_scalar(dt::f32);
        const memory::desc integer = memory::desc::host_scalar(dt::s32);
        execute(dnnl::matmul(pd), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())},
                {DNNL_ARG_WEIGHTS, memory(weights_md, cpu, weights.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, memory(real, scale)},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, memory(real, weight_scale)},
                {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, memory(integer, zero_point)}});

        std::vector<float> expected;
        for (memory::dim i = 0; i < m; ++i)
            for (memory::dim j = 0; j < n; ++j) {
                int sum = 0;
                for (memory::dim d = 0; d < k; ++d)
                    sum += (src[i * k + d] - zero_point) * weights[d * n + j];
                expected.push_back(scale * weight_scale * float(sum));
            }
        expect_near("host scalars", dst, expected, 1e-6);
    });
}
