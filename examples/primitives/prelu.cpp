// SPDX-License-Identifier: Apache-2.0
// PReLU: negative values are multiplied by a learnt slope, here one for each channel.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim n = 2, c = 4, h = 3, w = 3, pixels = h * w;
        std::vector<float> src = numbers(n * c * pixels, 1), slopes = numbers(c, 2),
                           dst(src.size());
        // An extent of 1 says that all images and pixels share the slope.
        const memory::desc md({n, c, h, w}, dt::f32, tag::nchw);
        const memory::desc slopes_md({1, c, 1, 1}, dt::f32, tag::nchw);

        const dnnl::prelu_forward::primitive_desc pd(
            cpu, prop_kind::forward_training, md, slopes_md, md);
        const memory src_m(md, cpu, src.data()), slopes_m(slopes_md, cpu, slopes.data());
        execute(dnnl::prelu_forward(pd), cpu,
            {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_WEIGHTS, slopes_m},
                {DNNL_ARG_DST, memory(md, cpu, dst.data())}});

        std::vector<float> diff_dst = numbers(src.size(), 3), diff_src(src.size()), diff_slopes(c);
        const dnnl::prelu_backward::primitive_desc backward(
            cpu, md, slopes_md, md, slopes_md, md, pd);
        execute(dnnl::prelu_backward(backward), cpu,
            {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_WEIGHTS, slopes_m},
                {DNNL_ARG_DIFF_DST, memory(md, cpu, diff_dst.data())},
                {DNNL_ARG_DIFF_SRC, memory(md, cpu, diff_src.data())},
                {DNNL_ARG_DIFF_WEIGHTS, memory(slopes_md, cpu, diff_slopes.data())}});

        std::vector<float> y(src.size()), dx(src.size()), ds(c);
        for (std::size_t i = 0; i < src.size(); ++i) {
            const std::size_t channel = i / std::size_t(pixels) % std::size_t(c);
            const bool negative = src[i] < 0;
            y[i] = negative ? slopes[channel] * src[i] : src[i];
            dx[i] = negative ? slopes[channel] * diff_dst[i] : diff_dst[i];
            if (negative) ds[channel] += src[i] * diff_dst[i];
        }
        expect_near("dst", dst, y);
        expect_near("diff_src", diff_src, dx);
        expect_near("gradient of the slopes", diff_slopes, ds);
    });
}
