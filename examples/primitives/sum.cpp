// SPDX-License-Identifier: Apache-2.0
// Sum: a weighted sum of any number of tensors, as an optimiser averages gradients.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const std::size_t count = 100, tensors = 3;
        const std::vector<float> factors {0.5f, 0.25f, 0.25f};
        const memory::desc md({memory::dim(count)}, dt::f32, tag::x);
        std::vector<std::vector<float>> src;
        for (std::size_t t = 0; t < tensors; ++t) src.push_back(numbers(count, int(t)));
        std::vector<float> dst(count), expected(count);

        // The layout and type of dst are those of the first source where no dst is given.
        const dnnl::sum::primitive_desc pd(cpu, factors, std::vector<memory::desc>(tensors, md));
        std::unordered_map<int, memory> arguments {{DNNL_ARG_DST, memory(md, cpu, dst.data())}};
        for (std::size_t t = 0; t < tensors; ++t)
            arguments[DNNL_ARG_MULTIPLE_SRC + int(t)] = memory(md, cpu, src[t].data());
        execute(dnnl::sum(pd), cpu, arguments);

        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t t = 0; t < tensors; ++t) expected[i] += factors[t] * src[t][i];
        expect_near("sum", dst, expected);
    });
}
