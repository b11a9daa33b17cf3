// SPDX-License-Identifier: Apache-2.0
// Matmul: a batch of products with a bias and a gelu. The weights have the layout `any`: the
// library chooses one that its kernels read fastest, and a reorder brings the values there, once.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim batch = 2, m = 5, k = 7, n = 3;
        std::vector<float> src = numbers(batch * m * k, 1), weights = numbers(k * n, 2),
                           bias = numbers(n, 3), dst(batch * m * n);

        // One matrix of weights serves the whole batch, one row of bias all rows.
        const memory::desc src_md({batch, m, k}, dt::f32, tag::abc);
        const memory::desc weights_md({1, k, n}, dt::f32, tag::abc);
        const memory::desc bias_md({1, 1, n}, dt::f32, tag::abc);
        const memory::desc dst_md({batch, m, n}, dt::f32, tag::abc);
        const memory::desc chosen({1, k, n}, dt::f32, tag::any);

        dnnl::post_ops ops;
        ops.append_eltwise(algorithm::eltwise_gelu_erf, 0.f, 0.f);
        dnnl::primitive_attr attr;
        attr.set_post_ops(ops);
        const dnnl::matmul::primitive_desc pd(cpu, src_md, chosen, bias_md, dst_md, attr);

        memory given(weights_md, cpu, weights.data());
        memory packed(pd.weights_desc(), cpu);
        execute(dnnl::reorder(given, packed), cpu, {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, packed}});

        execute(dnnl::matmul(pd), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())}, {DNNL_ARG_WEIGHTS, packed},
                {DNNL_ARG_BIAS, memory(bias_md, cpu, bias.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())}});

        std::vector<float> expected(dst.size());
        for (memory::dim row = 0; row < batch * m; ++row)
            for (memory::dim j = 0; j < n; ++j) {
                double sum = bias[j];
                for (memory::dim i = 0; i < k; ++i) sum += src[row * k + i] * weights[i * n + j];
                expected[row * n + j] = float(0.5 * sum * (1 + std::erf(sum / std::sqrt(2.0))));
            }
        expect_near("matmul", dst, expected);
    });
}
