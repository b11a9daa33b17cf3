// SPDX-License-Identifier: Apache-2.0
// Shuffle: the channels as a matrix of `group` rows, transposed, as between grouped convolutions.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim n = 1, c = 6, w = 4, group = 2;
        const int axis = 1;
        std::vector<float> src = numbers(n * c * w), dst(src.size()), expected(src.size());
        const memory::desc md({n, c, w}, dt::f32, tag::ncw);

        const dnnl::shuffle_forward::primitive_desc pd(
            cpu, prop_kind::forward_inference, md, md, axis, int(group));
        execute(dnnl::shuffle_forward(pd), cpu,
            {{DNNL_ARG_SRC, memory(md, cpu, src.data())},
                {DNNL_ARG_DST, memory(md, cpu, dst.data())}});

        // Channel j * (c / group) + i of dst is channel i * group + j of src.
        for (memory::dim j = 0; j < group; ++j)
            for (memory::dim i = 0; i < c / group; ++i)
                for (memory::dim x = 0; x < w; ++x)
                    expected[(j * (c / group) + i) * w + x] = src[(i * group + j) * w + x];
        expect_near("shuffle", dst, expected, 0);
    });
}
