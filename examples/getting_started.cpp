// SPDX-License-Identifier: Apache-2.0
// The smallest program: relu(A * B) of two matrices of 2x2. It prints 19 0 / 43 0.
#include <cstdio>
#include <vector>

#include <dnnl.hpp>

int main() {
    using dnnl::memory;
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);

    std::vector<float> a {1, 2, 3, 4}, b {5, -6, 7, 2}, c(4);
    const memory::desc matrix({2, 2}, memory::data_type::f32, memory::format_tag::ab);
    dnnl::post_ops relu;
    relu.append_eltwise(dnnl::algorithm::eltwise_relu, 0.f, 0.f);
    dnnl::primitive_attr attr;
    attr.set_post_ops(relu);

    const dnnl::matmul product(dnnl::matmul::primitive_desc(engine, matrix, matrix, matrix, attr));
    product.execute(stream, {{DNNL_ARG_SRC, memory(matrix, engine, a.data())},
                                {DNNL_ARG_WEIGHTS, memory(matrix, engine, b.data())},
                                {DNNL_ARG_DST, memory(matrix, engine, c.data())}});
    stream.wait();
    std::printf("%g %g / %g %g\n", c[0], c[1], c[2], c[3]);
}
