// SPDX-License-Identifier: Apache-2.0
// Local response normalization across 5 neighbouring channels.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim n = 1, c = 8, h = 2, w = 2, pixels = h * w, size = 5;
        const float alpha = 1e-2f, beta = 0.75f, k = 1.f;
        std::vector<float> src = numbers(n * c * pixels), dst(src.size()), expected(src.size());
        const memory::desc md({n, c, h, w}, dt::f32, tag::nchw);

        const dnnl::lrn_forward::primitive_desc pd(cpu, prop_kind::forward_inference,
            algorithm::lrn_across_channels, md, md, size, alpha, beta, k);
        execute(dnnl::lrn_forward(pd), cpu,
            {{DNNL_ARG_SRC, memory(md, cpu, src.data())},
                {DNNL_ARG_DST, memory(md, cpu, dst.data())}});

        for (memory::dim ch = 0; ch < c; ++ch)
            for (memory::dim p = 0; p < pixels; ++p) {
                double squares = 0;
                for (memory::dim near = ch - size / 2; near <= ch + size / 2; ++near)
                    if (near >= 0 && near < c) squares += std::pow(src[near * pixels + p], 2);
                expected[ch * pixels + p] =
                    float(src[ch * pixels + p] * std::pow(k + alpha * squares / size, -beta));
            }
        expect_near("lrn", dst, expected);
    });
}
