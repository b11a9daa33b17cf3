// SPDX-License-Identifier: Apache-2.0
// Matmul with sparse weights in compressed rows (CSR): three buffers hold the values that are not
// 0, their columns, and where each row begins.
#include <cstdint>

#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim m = 4, k = 50, n = 30;
        std::vector<float> src = numbers(m * k, 1), dense = numbers(k * n, 2), dst(m * n);

        std::vector<float> values;
        std::vector<std::int32_t> columns, rows {0};
        for (memory::dim i = 0; i < k; ++i) {
            for (memory::dim j = 0; j < n; ++j) {
                float &w = dense[i * n + j];
                if (std::fabs(w) < 0.9f) w = 0; // a tenth of the weights stay
                if (w == 0) continue;
                values.push_back(w);
                columns.push_back(std::int32_t(j));
            }
            rows.push_back(std::int32_t(values.size()));
        }

        const memory::desc src_md({m, k}, dt::f32, tag::ab), dst_md({m, n}, dt::f32, tag::ab);
        const memory::desc weights_md =
            memory::desc::csr({k, n}, dt::f32, memory::dim(values.size()), dt::s32, dt::s32);
        const memory weights(
            weights_md, cpu, std::vector<void *> {values.data(), columns.data(), rows.data()});
        const dnnl::matmul::primitive_desc pd(cpu, src_md, weights_md, dst_md);
        execute(dnnl::matmul(pd), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())}, {DNNL_ARG_WEIGHTS, weights},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())}});
        std::printf("%zu of %d weights are stored\n", values.size(), int(k * n));

        std::vector<float> expected(dst.size());
        for (memory::dim i = 0; i < m * k; ++i)
            for (memory::dim j = 0; j < n; ++j)
                expected[i / k * n + j] += src[i] * dense[i % k * n + j];
        expect_near("sparse weights", dst, expected);
    });
}
