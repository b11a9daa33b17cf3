// SPDX-License-Identifier: Apache-2.0
// Convolution: 3x3 with stride 2, padding 1, bias and relu, on images whose channels lie last
// (nhwc). Extents are always given as N, C, H, W, whatever the layout.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim n = 2, ic = 3, ih = 9, iw = 8, oc = 4, kernel = 3, stride = 2, pad = 1;
        const memory::dim oh = (ih + 2 * pad - kernel) / stride + 1,
                          ow = (iw + 2 * pad - kernel) / stride + 1;
        std::vector<float> src = numbers(n * ih * iw * ic, 1),
                           weights = numbers(oc * ic * kernel * kernel, 2), bias = numbers(oc, 3),
                           dst(n * oh * ow * oc);

        const memory::desc src_md({n, ic, ih, iw}, dt::f32, tag::nhwc);
        const memory::desc weights_md({oc, ic, kernel, kernel}, dt::f32, tag::oihw);
        const memory::desc chosen({oc, ic, kernel, kernel}, dt::f32, tag::any);
        const memory::desc bias_md({oc}, dt::f32, tag::x);
        const memory::desc dst_md({n, oc, oh, ow}, dt::f32, tag::nhwc);

        dnnl::post_ops ops;
        ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
        dnnl::primitive_attr attr;
        attr.set_post_ops(ops);
        const dnnl::convolution_forward::primitive_desc pd(cpu, prop_kind::forward_inference,
            algorithm::convolution_direct, src_md, chosen, bias_md, dst_md, {stride, stride},
            {pad, pad}, {pad, pad}, attr);

        memory given(weights_md, cpu, weights.data());
        memory packed(pd.weights_desc(), cpu);
        execute(dnnl::reorder(given, packed), cpu, {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, packed}});
        execute(dnnl::convolution_forward(pd), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())}, {DNNL_ARG_WEIGHTS, packed},
                {DNNL_ARG_BIAS, memory(bias_md, cpu, bias.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())}});

        std::vector<float> expected;
        for (memory::dim b = 0; b < n; ++b)
            for (memory::dim y = 0; y < oh; ++y)
                for (memory::dim x = 0; x < ow; ++x)
                    for (memory::dim o = 0; o < oc; ++o) {
                        float sum = bias[o];
                        for (memory::dim i = 0; i < ic; ++i)
                            for (memory::dim ky = 0; ky < kernel; ++ky)
                                for (memory::dim kx = 0; kx < kernel; ++kx) {
                                    const memory::dim sy = y * stride - pad + ky,
                                                      sx = x * stride - pad + kx;
                                    if (sy < 0 || sy >= ih || sx < 0 || sx >= iw) continue;
                                    sum += src[((b * ih + sy) * iw + sx) * ic + i] *
                                           weights[((o * ic + i) * kernel + ky) * kernel + kx];
                                }
                        expected.push_back(sum > 0 ? sum : 0);
                    }
        expect_near("convolution", dst, expected);
    });
}
