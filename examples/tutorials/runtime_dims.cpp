// SPDX-License-Identifier: Apache-2.0
// One matmul for every number of rows: an extent that is not known at creation is
// DNNL_RUNTIME_DIM_VAL, and each execution brings memories with the real one.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim k = 24, n = 10, unknown = DNNL_RUNTIME_DIM_VAL;
        std::vector<float> weights = numbers(k * n, 1);
        // Row-major without a gap: the strides are known although the rows are not.
        const memory::desc src_md({unknown, k}, dt::f32, memory::dims {k, 1});
        const memory::desc dst_md({unknown, n}, dt::f32, memory::dims {n, 1});
        const memory::desc weights_md({k, n}, dt::f32, tag::ab);
        const dnnl::matmul product(dnnl::matmul::primitive_desc(cpu, src_md, weights_md, dst_md));

        for (const memory::dim m : {1, 7, 300}) {
            std::vector<float> src = numbers(m * k, int(m)), dst(m * n), expected(m * n);
            execute(product, cpu,
                {{DNNL_ARG_SRC, memory({{m, k}, dt::f32, tag::ab}, cpu, src.data())},
                    {DNNL_ARG_WEIGHTS, memory(weights_md, cpu, weights.data())},
                    {DNNL_ARG_DST, memory({{m, n}, dt::f32, tag::ab}, cpu, dst.data())}});
            for (memory::dim i = 0; i < m * k; ++i)
                for (memory::dim j = 0; j < n; ++j)
                    expected[i / k * n + j] += src[i] * weights[i % k * n + j];
            expect_near(std::to_string(m) + " rows", dst, expected);
        }
    });
}
