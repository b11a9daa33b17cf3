// SPDX-License-Identifier: Apache-2.0
// A convolution on bytes as residual networks have it: a scale for each output channel of the
// weights (mask 1), a zero point of the source, a residual that is added as bytes with its own
// scale (sum), relu, and bytes as the result. The integers are exact, so that the check can be,
// too.
#include <algorithm>
#include <cstdint>

#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim ic = 16, oc = 8, h = 6, w = 7, k = 3, pixels = h * w;
        std::vector<std::uint8_t> src(pixels * ic), residual(pixels * oc);
        std::vector<std::int8_t> weights(oc * ic * k * k);
        for (std::size_t i = 0; i < src.size(); ++i) src[i] = std::uint8_t(i * 31 % 256);
        for (std::size_t i = 0; i < residual.size(); ++i) residual[i] = std::uint8_t(i * 57 % 256);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = std::int8_t(int(i * 43 % 255) - 127);
        float src_scale = 0.02f, dst_scale = 0.1f;
        const float residual_scale = 0.05f;
        std::int32_t zero_point = 120;
        std::vector<float> weight_scales, bias = numbers(oc, 1);
        for (memory::dim o = 0; o < oc; ++o) weight_scales.push_back(0.002f * float(o + 1));

        const memory::desc src_md({1, ic, h, w}, dt::u8, tag::nhwc);
        const memory::desc weights_md({oc, ic, k, k}, dt::s8, tag::oihw);
        const memory::desc open({oc, ic, k, k}, dt::s8, tag::any);
        const memory::desc bias_md({oc}, dt::f32, tag::x), one({1}, dt::f32, tag::x);
        const memory::desc dst_md({1, oc, h, w}, dt::u8, tag::nhwc), one_s32({1}, dt::s32, tag::x);

        dnnl::post_ops ops;
        ops.append_sum(residual_scale); // real value of the residual: 0.05 * its byte
        ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
        dnnl::primitive_attr attr;
        attr.set_post_ops(ops);
        attr.set_scales_mask(DNNL_ARG_SRC, 0);
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 0); // with groups: 1 << 0 | 1 << 1
        attr.set_scales_mask(DNNL_ARG_DST, 0);
        attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
        const dnnl::convolution_forward::primitive_desc pd(cpu, prop_kind::forward_inference,
            algorithm::convolution_direct, src_md, open, bias_md, dst_md, {1, 1}, {1, 1}, {1, 1},
            attr);

        // Packing the weights also makes the sums that the zero point of the source needs.
        memory given(weights_md, cpu, weights.data()), packed(pd.weights_desc(), cpu);
        execute(dnnl::reorder(given, packed), cpu, {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, packed}});

        std::vector<std::uint8_t> dst = residual; // sum reads what dst holds
        execute(dnnl::convolution_forward(pd), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())}, {DNNL_ARG_WEIGHTS, packed},
                {DNNL_ARG_BIAS, memory(bias_md, cpu, bias.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, memory(one, cpu, &src_scale)},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
                    memory(bias_md, cpu, weight_scales.data())},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, memory(one, cpu, &dst_scale)},
                {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, memory(one_s32, cpu, &zero_point)}});

        int wrong = 0;
        for (memory::dim y = 0; y < h; ++y)
            for (memory::dim x = 0; x < w; ++x)
                for (memory::dim o = 0; o < oc; ++o) {
                    std::int32_t sum = 0;
                    for (memory::dim i = 0; i < ic; ++i)
                        for (memory::dim t = 0; t < k * k; ++t) {
                            const memory::dim sy = y + t / k - 1, sx = x + t % k - 1;
                            if (sy < 0 || sy >= h || sx < 0 || sx >= w) continue; // real value 0
                            sum += (src[(sy * w + sx) * ic + i] - zero_point) *
                                   weights[(o * ic + i) * k * k + t];
                        }
                    const memory::dim at = (y * w + x) * oc + o;
                    double real = double(sum) * src_scale * weight_scales[o] + bias[o];
                    real = std::max(real + residual_scale * residual[at], 0.0) / dst_scale;
                    const double exact = std::min(std::nearbyint(real), 255.0);
                    // f32 may round a value next to the middle between two integers the other way.
                    if (std::fabs(double(dst[at]) - exact) >
                        (std::fabs(real - exact) > 0.499 ? 1 : 0))
                        ++wrong;
                }
        std::printf("quantised convolution: %zu bytes, %d wrong\n", dst.size(), wrong);
        expect(wrong == 0, "every byte is the rounded exact value");
    });
}
