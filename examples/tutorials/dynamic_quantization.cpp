// SPDX-License-Identifier: Apache-2.0
// Dynamic quantisation: the activations' scales are found when the values are there, one for each
// row, so that nothing needs calibration. Then f8 with a scale per 32 elements, which the library
// finds and stores itself (MX).
#include <algorithm>
#include <cstdint>

#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim m = 8, k = 96, n = 64;
        std::vector<float> src = numbers(m * k, 1), weights = numbers(k * n, 2), dst(m * n);
        for (memory::dim i = 0; i < m * k; ++i) src[i] *= float(1 + i / k); // rows differ in size
        std::vector<float> expected(dst.size());
        for (memory::dim i = 0; i < m; ++i)
            for (memory::dim d = 0; d < k; ++d)
                for (memory::dim j = 0; j < n; ++j)
                    expected[i * n + j] += src[i * k + d] * weights[d * n + j];

        // ---- s8 with a scale per row of src and per column of the weights ----

        std::vector<float> row_scales(m), column_scales(n);
        for (memory::dim i = 0; i < m * k; ++i)
            row_scales[i / k] = std::max(row_scales[i / k], std::fabs(src[i]) / 127);
        for (memory::dim i = 0; i < k * n; ++i)
            column_scales[i % n] = std::max(column_scales[i % n], std::fabs(weights[i]) / 127);
        const memory rows_m({{m}, dt::f32, tag::x}, cpu, row_scales.data());
        const memory columns_m({{n}, dt::f32, tag::x}, cpu, column_scales.data());

        const auto quantized = [&](std::vector<float> &values, const memory::dims &dims, int mask,
                                   const memory &scales) {
            const memory::desc real(dims, dt::f32, tag::ab), bytes(dims, dt::s8, tag::ab);
            dnnl::primitive_attr attr;
            attr.set_scales_mask(DNNL_ARG_DST, mask);
            const memory to(bytes, cpu);
            execute(dnnl::reorder(dnnl::reorder::primitive_desc(cpu, real, cpu, bytes, attr)), cpu,
                {{DNNL_ARG_FROM, memory(real, cpu, values.data())}, {DNNL_ARG_TO, to},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scales}});
            return to;
        };
        const memory src8 = quantized(src, {m, k}, 1 << 0, rows_m);
        const memory weights8 = quantized(weights, {k, n}, 1 << 1, columns_m);

        const memory::desc dst_md({m, n}, dt::f32, tag::ab);
        dnnl::primitive_attr attr;
        attr.set_scales_mask(DNNL_ARG_SRC, 1 << 0);
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 1);
        const dnnl::matmul::primitive_desc pd(
            cpu, src8.get_desc(), weights8.get_desc(), dst_md, attr);
        execute(dnnl::matmul(pd), cpu,
            {{DNNL_ARG_SRC, src8}, {DNNL_ARG_WEIGHTS, weights8},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, rows_m},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, columns_m}});
        expect_near("s8, a scale per row", dst, expected, 0.01);

        // ---- f8 results with scales that the library computes ----

        const memory::dim group = 32;
        const memory::desc src_md({m, k}, dt::f32, tag::ab), weights_md({k, n}, dt::f32, tag::ab);
        const memory::desc dst8({m, n}, dt::f8_e4m3, tag::ab);
        const memory::desc powers({m, n / group}, dt::e8m0, tag::ab);
        dnnl::primitive_attr mx;
        mx.set_scales(
            DNNL_ARG_DST, 3, {1, group}, dt::e8m0, false, dnnl::quantization_mode::dynamic_mx);
        const memory codes(dst8, cpu), powers_m(powers, cpu);
        execute(dnnl::matmul(dnnl::matmul::primitive_desc(cpu, src_md, weights_md, dst8, mx)), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())},
                {DNNL_ARG_WEIGHTS, memory(weights_md, cpu, weights.data())}, {DNNL_ARG_DST, codes},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, powers_m}}); // output

        memory from = codes, widened(dst_md, cpu, dst.data());
        execute(dnnl::reorder(from, widened), cpu, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, widened}});
        const std::uint8_t *exponent =
            static_cast<const std::uint8_t *>(powers_m.get_data_handle());
        for (memory::dim i = 0; i < m * n;
             ++i) // an e8m0 number is 2 to the power of its code - 127
            dst[i] *= std::ldexp(1.f, exponent[i / group] - 127);
        expect_near("f8 with powers per 32", dst, expected, 0.04);
    });
}
