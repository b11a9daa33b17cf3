// SPDX-License-Identifier: Apache-2.0
// Eltwise: a function of each element, in place, and its gradient. Every function of the table in
// the specification is one enumerator of dnnl::algorithm.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        std::vector<float> src = numbers(1000), dst(src.size());
        const memory::desc md({memory::dim(src.size())}, dt::f32, tag::x);

        // swish: x / (1 + exp(-alpha x)); beta has no meaning for it.
        const float alpha = 1.5f;
        const dnnl::eltwise_forward::primitive_desc pd(
            cpu, prop_kind::forward_training, algorithm::eltwise_swish, md, md, alpha, 0.f);
        const memory src_m(md, cpu, src.data()), dst_m(md, cpu, dst.data());
        execute(dnnl::eltwise_forward(pd), cpu, {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_DST, dst_m}});

        // The gradient is computed from the source of the forward pass.
        std::vector<float> diff_dst = numbers(src.size(), 2), diff_src(src.size());
        const dnnl::eltwise_backward::primitive_desc backward(
            cpu, algorithm::eltwise_swish, md, md, md, alpha, 0.f, pd);
        execute(dnnl::eltwise_backward(backward), cpu,
            {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_DIFF_DST, memory(md, cpu, diff_dst.data())},
                {DNNL_ARG_DIFF_SRC, memory(md, cpu, diff_src.data())}});

        std::vector<float> y, dx;
        for (std::size_t i = 0; i < src.size(); ++i) {
            const double s = 1 / (1 + std::exp(-alpha * double(src[i])));
            y.push_back(float(src[i] * s));
            dx.push_back(float(diff_dst[i] * (s + alpha * src[i] * s * (1 - s))));
        }
        expect_near("swish", dst, y);
        expect_near("its gradient", diff_src, dx);

        // Forward passes may write into their source.
        execute(dnnl::eltwise_forward(pd), cpu, {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_DST, src_m}});
        expect_near("in place", src, y);
    });
}
