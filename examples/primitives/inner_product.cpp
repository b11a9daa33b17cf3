// SPDX-License-Identifier: Apache-2.0
// Inner product, the fully connected layer: forward, and the gradients by data and by weights. Its
// weights are [OC, IC], so that row oc makes output oc.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim batch = 4, ic = 6, oc = 3;
        std::vector<float> src = numbers(batch * ic, 1), weights = numbers(oc * ic, 2),
                           bias = numbers(oc, 3), dst(batch * oc);
        const memory::desc src_md({batch, ic}, dt::f32, tag::nc), bias_md({oc}, dt::f32, tag::x),
            weights_md({oc, ic}, dt::f32, tag::oi), dst_md({batch, oc}, dt::f32, tag::nc);

        const dnnl::inner_product_forward::primitive_desc forward(
            cpu, prop_kind::forward_training, src_md, weights_md, bias_md, dst_md);
        const memory src_m(src_md, cpu, src.data()), weights_m(weights_md, cpu, weights.data());
        execute(dnnl::inner_product_forward(forward), cpu,
            {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_WEIGHTS, weights_m},
                {DNNL_ARG_BIAS, memory(bias_md, cpu, bias.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())}});

        // Gradients of a loss whose derivative by dst is diff_dst.
        std::vector<float> diff_dst = numbers(batch * oc, 4), diff_src(src.size()),
                           diff_weights(weights.size()), diff_bias(oc);
        const memory diff_dst_m(dst_md, cpu, diff_dst.data());
        const dnnl::inner_product_backward_data::primitive_desc by_data(
            cpu, src_md, weights_md, dst_md, forward);
        execute(dnnl::inner_product_backward_data(by_data), cpu,
            {{DNNL_ARG_DIFF_DST, diff_dst_m}, {DNNL_ARG_WEIGHTS, weights_m},
                {DNNL_ARG_DIFF_SRC, memory(src_md, cpu, diff_src.data())}});
        const dnnl::inner_product_backward_weights::primitive_desc by_weights(
            cpu, src_md, weights_md, bias_md, dst_md, forward);
        execute(dnnl::inner_product_backward_weights(by_weights), cpu,
            {{DNNL_ARG_DIFF_DST, diff_dst_m}, {DNNL_ARG_SRC, src_m},
                {DNNL_ARG_DIFF_WEIGHTS, memory(weights_md, cpu, diff_weights.data())},
                {DNNL_ARG_DIFF_BIAS, memory(bias_md, cpu, diff_bias.data())}});

        std::vector<float> y(dst.size()), dx(src.size()), dw(weights.size()), db(oc);
        for (memory::dim b = 0; b < batch; ++b)
            for (memory::dim o = 0; o < oc; ++o) {
                const float slope = diff_dst[b * oc + o];
                y[b * oc + o] = bias[o];
                db[o] += slope;
                for (memory::dim i = 0; i < ic; ++i) {
                    y[b * oc + o] += src[b * ic + i] * weights[o * ic + i];
                    dx[b * ic + i] += slope * weights[o * ic + i];
                    dw[o * ic + i] += slope * src[b * ic + i];
                }
            }
        expect_near("dst", dst, y);
        expect_near("diff_src", diff_src, dx);
        expect_near("diff_weights", diff_weights, dw);
        expect_near("diff_bias", diff_bias, db);
    });
}
