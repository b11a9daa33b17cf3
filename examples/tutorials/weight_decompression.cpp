// SPDX-License-Identifier: Apache-2.0
// Weights of 4 bits beside f32 activations, as in language models: groups of 32 along K share a
// scale and a zero point. The library widens the weights while it multiplies; they stay 8 times
// smaller in memory. `fpmath_mode` with apply_to_int says that this is wanted.
#include <algorithm>
#include <cstdint>

#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim m = 3, k = 128, n = 16, group = 32;
        std::vector<float> src = numbers(m * k, 1), real = numbers(k * n, 2), dst(m * n);

        // Asymmetric: stored = round(real / scale) + zero point, from 0 to 15.
        std::vector<float> scales(k / group * n);
        std::vector<std::uint8_t> zero_points(scales.size()), stored(std::size_t(k * n / 2));
        std::vector<float> widened(real.size());
        for (memory::dim g = 0; g < k / group; ++g)
            for (memory::dim j = 0; j < n; ++j) {
                float low = 0, high = 0;
                for (memory::dim i = g * group; i < (g + 1) * group; ++i) {
                    low = std::min(low, real[i * n + j]);
                    high = std::max(high, real[i * n + j]);
                }
                const float scale = (high - low) / 15;
                const int zero = int(std::nearbyint(-low / scale));
                scales[g * n + j] = scale;
                zero_points[g * n + j] = std::uint8_t(zero);
                for (memory::dim i = g * group; i < (g + 1) * group; ++i) {
                    const int code = std::min(
                        std::max(int(std::nearbyint(real[i * n + j] / scale)) + zero, 0), 15);
                    widened[i * n + j] = scale * float(code - zero);
                    // Two codes per byte, the one with the even index in the low bits.
                    stored[(i * n + j) / 2] |= std::uint8_t(code << (i * n + j) % 2 * 4);
                }
            }

        dnnl::primitive_attr attr;
        attr.set_fpmath_mode(dnnl::fpmath_mode::strict, true);
        // Mask 3: values differ along K and N; groups of 32 rows and 1 column.
        attr.set_scales(DNNL_ARG_WEIGHTS, 3, {group, 1}, dt::f32);
        attr.set_zero_points(DNNL_ARG_WEIGHTS, 3, {group, 1}, dt::u8);
        const memory::desc src_md({m, k}, dt::f32, tag::ab), dst_md({m, n}, dt::f32, tag::ab);
        const memory::desc weights_md({k, n}, dt::u4, tag::ab);
        const dnnl::matmul::primitive_desc pd(cpu, src_md, weights_md, dst_md, attr);

        const memory::dims groups {k / group, n};
        execute(dnnl::matmul(pd), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())},
                {DNNL_ARG_WEIGHTS, memory(weights_md, cpu, stored.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
                    memory({groups, dt::f32, tag::ab}, cpu, scales.data())},
                {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS,
                    memory({groups, dt::u8, tag::ab}, cpu, zero_points.data())}});
        std::printf(
            "weights: %zu bytes, %zu in f32\n", weights_md.get_size(), real.size() * sizeof(float));

        std::vector<float> expected(dst.size());
        for (memory::dim i = 0; i < m; ++i)
            for (memory::dim d = 0; d < k; ++d)
                for (memory::dim j = 0; j < n; ++j)
                    expected[i * n + j] += src[i * k + d] * widened[d * n + j];
        expect_near("u4 weights", dst, expected);
    });
}
