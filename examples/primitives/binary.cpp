// SPDX-License-Identifier: Apache-2.0
// Binary: two tensors element by element, the second one broadcast along the dimensions where its
// extent is 1. A row is added to a matrix; then elements are chosen by a condition.
#include <cstdint>

#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim rows = 5, columns = 6;
        std::vector<float> a = numbers(rows * columns, 1), row = numbers(columns, 2), sum(a.size()),
                           chosen(a.size());
        std::vector<std::int8_t> condition(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) condition[i] = a[i] > 0;
        const memory::desc matrix({rows, columns}, dt::f32, tag::ab);
        const memory::desc row_md({1, columns}, dt::f32, tag::ab);
        const memory::desc condition_md({rows, columns}, dt::s8, tag::ab);

        const dnnl::binary::primitive_desc add(cpu, algorithm::binary_add, matrix, row_md, matrix);
        const memory a_m(matrix, cpu, a.data()), sum_m(matrix, cpu, sum.data());
        execute(dnnl::binary(add), cpu,
            {{DNNL_ARG_SRC_0, a_m}, {DNNL_ARG_SRC_1, memory(row_md, cpu, row.data())},
                {DNNL_ARG_DST, sum_m}});

        // dst = condition ? src0 : src1
        const dnnl::binary::primitive_desc select(
            cpu, algorithm::binary_select, matrix, matrix, condition_md, matrix);
        execute(dnnl::binary(select), cpu,
            {{DNNL_ARG_SRC_0, a_m}, {DNNL_ARG_SRC_1, sum_m},
                {DNNL_ARG_SRC_2, memory(condition_md, cpu, condition.data())},
                {DNNL_ARG_DST, memory(matrix, cpu, chosen.data())}});

        std::vector<float> sums, choice;
        for (std::size_t i = 0; i < a.size(); ++i) {
            sums.push_back(a[i] + row[i % std::size_t(columns)]);
            choice.push_back(condition[i] != 0 ? a[i] : sums[i]);
        }
        expect_near("sum", sum, sums, 0);
        expect_near("select", chosen, choice, 0);
    });
}
