// SPDX-License-Identifier: Apache-2.0
// The program owns all memory: in scratchpad mode `user` the library allocates nothing during an
// execution. One buffer, as large as the hungriest primitive needs, serves all that follow each
// other.
#include <algorithm>
#include <cstdint>

#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim m = 64, k = 96, n = 80;
        std::vector<float> src = numbers(m * k, 1), weights = numbers(k * n, 2), product(m * n),
                           dst(m * n);
        const memory::desc src_md({m, k}, dt::f32, tag::ab), weights_md({k, n}, dt::f32, tag::ab),
            dst_md({m, n}, dt::f32, tag::ab);

        dnnl::primitive_attr attr;
        attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        const dnnl::matmul::primitive_desc first(cpu, src_md, weights_md, dst_md, attr);
        const dnnl::softmax_forward::primitive_desc second(cpu, prop_kind::forward_inference,
            algorithm::softmax_accurate, dst_md, dst_md, 1, attr);

        const std::size_t bytes =
            std::max(first.scratchpad_desc().get_size(), second.scratchpad_desc().get_size());
        std::vector<std::uint8_t> buffer(bytes);
        std::printf("scratchpad: %zu bytes for matmul, %zu for softmax\n",
            first.scratchpad_desc().get_size(), second.scratchpad_desc().get_size());

        const memory product_m(dst_md, cpu, product.data());
        execute(dnnl::matmul(first), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())},
                {DNNL_ARG_WEIGHTS, memory(weights_md, cpu, weights.data())},
                {DNNL_ARG_DST, product_m},
                {DNNL_ARG_SCRATCHPAD, memory(first.scratchpad_desc(), cpu, buffer.data())}});
        execute(dnnl::softmax_forward(second), cpu,
            {{DNNL_ARG_SRC, product_m}, {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())},
                {DNNL_ARG_SCRATCHPAD, memory(second.scratchpad_desc(), cpu, buffer.data())}});

        std::vector<float> sums, ones(m, 1.f);
        for (memory::dim i = 0; i < m; ++i) {
            double sum = 0;
            for (memory::dim j = 0; j < n; ++j) sum += dst[i * n + j];
            sums.push_back(float(sum));
        }
        expect_near("each row sums to 1", sums, ones);
    });
}
