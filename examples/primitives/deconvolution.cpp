// SPDX-License-Identifier: Apache-2.0
// Deconvolution (transposed convolution): 2x2 with stride 2, which doubles the height and width of
// an image. Each source pixel adds its multiple of the kernel to the output.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim n = 1, ic = 3, oc = 2, ih = 4, iw = 5, kernel = 2, stride = 2;
        const memory::dim oh = (ih - 1) * stride + kernel, ow = (iw - 1) * stride + kernel;
        std::vector<float> src = numbers(n * ic * ih * iw, 1),
                           weights = numbers(oc * ic * kernel * kernel, 2), dst(n * oc * oh * ow);
        const memory::desc src_md({n, ic, ih, iw}, dt::f32, tag::nchw);
        const memory::desc weights_md({oc, ic, kernel, kernel}, dt::f32, tag::oihw);
        const memory::desc dst_md({n, oc, oh, ow}, dt::f32, tag::nchw);

        const dnnl::deconvolution_forward::primitive_desc pd(cpu, prop_kind::forward_inference,
            algorithm::deconvolution_direct, src_md, weights_md, dst_md, {stride, stride}, {0, 0},
            {0, 0});
        execute(dnnl::deconvolution_forward(pd), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())},
                {DNNL_ARG_WEIGHTS, memory(weights_md, cpu, weights.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())}});

        std::vector<float> expected(dst.size());
        for (memory::dim o = 0; o < oc; ++o)
            for (memory::dim i = 0; i < ic; ++i)
                for (memory::dim y = 0; y < ih; ++y)
                    for (memory::dim x = 0; x < iw; ++x)
                        for (memory::dim ky = 0; ky < kernel; ++ky)
                            for (memory::dim kx = 0; kx < kernel; ++kx)
                                expected[(o * oh + y * stride + ky) * ow + x * stride + kx] +=
                                    src[(i * ih + y) * iw + x] *
                                    weights[((o * ic + i) * kernel + ky) * kernel + kx];
        expect_near("deconvolution", dst, expected);
    });
}
