// SPDX-License-Identifier: Apache-2.0
// A first program: a convolution with ReLU. The library chooses the layout of the weights, a
// reorder brings them there, and plain loops check the result.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using tag = memory::format_tag;
using dt = memory::data_type;

const memory::dim N = 2, IC = 3, OC = 8, H = 13, W = 11, K = 3, PAD = 1;

// The value of one output element by definition. Tensors are nchw, oihw and x.
float expected(const std::vector<float> &src, const std::vector<float> &weights,
    const std::vector<float> &bias, memory::dim n, memory::dim oc, memory::dim oh, memory::dim ow) {
    float sum = bias[oc];
    for (memory::dim ic = 0; ic < IC; ++ic)
        for (memory::dim kh = 0; kh < K; ++kh)
            for (memory::dim kw = 0; kw < K; ++kw) {
                const memory::dim ih = oh + kh - PAD, iw = ow + kw - PAD;
                if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;
                sum += src[((n * IC + ic) * H + ih) * W + iw] *
                       weights[((oc * IC + ic) * K + kh) * K + kw];
            }
    return std::max(sum, 0.f);
}

int main() {
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);

    std::vector<float> src(N * IC * H * W), weights(OC * IC * K * K), bias(OC), dst(N * OC * H * W);
    for (size_t i = 0; i < src.size(); ++i) src[i] = std::sin(static_cast<float>(i));
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = std::cos(3.f * static_cast<float>(i));
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = 0.25f * static_cast<float>(i) - 1.f;

    memory src_mem({{N, IC, H, W}, dt::f32, tag::nchw}, eng, src.data());
    memory user_weights_mem({{OC, IC, K, K}, dt::f32, tag::oihw}, eng, weights.data());
    memory bias_mem({{OC}, dt::f32, tag::x}, eng, bias.data());
    memory dst_mem({{N, OC, H, W}, dt::f32, tag::nchw}, eng, dst.data());

    post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    primitive_attr attr;
    attr.set_post_ops(ops);
    auto conv_pd = convolution_forward::primitive_desc(eng, prop_kind::forward_inference,
        algorithm::convolution_direct, src_mem.get_desc(), {{OC, IC, K, K}, dt::f32, tag::any},
        bias_mem.get_desc(), dst_mem.get_desc(), {1, 1}, {PAD, PAD}, {PAD, PAD}, attr);

    memory weights_mem = user_weights_mem;
    if (conv_pd.weights_desc() != user_weights_mem.get_desc()) {
        weights_mem = memory(conv_pd.weights_desc(), eng);
        reorder(user_weights_mem, weights_mem).execute(strm, user_weights_mem, weights_mem);
    }
    convolution_forward(conv_pd).execute(
        strm, {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_WEIGHTS, weights_mem}, {DNNL_ARG_BIAS, bias_mem},
                  {DNNL_ARG_DST, dst_mem}});
    strm.wait();

    float worst = 0.f;
    for (memory::dim n = 0; n < N; ++n)
        for (memory::dim oc = 0; oc < OC; ++oc)
            for (memory::dim oh = 0; oh < H; ++oh)
                for (memory::dim ow = 0; ow < W; ++ow)
                    worst = std::max(worst, std::fabs(dst[((n * OC + oc) * H + oh) * W + ow] -
                                                      expected(src, weights, bias, n, oc, oh, ow)));
    std::cout << conv_pd.impl_info_str() << ": largest difference " << worst << std::endl;
    return worst < 1e-5f ? 0 : 1;
}
