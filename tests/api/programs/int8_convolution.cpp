// SPDX-License-Identifier: Apache-2.0
// A quantized convolution as int8 networks have it: u8 source with a zero point, s8 weights with a
// scale per output channel, f32 bias, a value per channel added and a ReLU, s8 result. Channels
// last; the library chooses the layout of the weights.
#include <algorithm>
#include <cstdint>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

const memory::dim N = 2, IC = 10, OC = 12, H = 7, W = 6, K = 3;
const float SRC_SCALE = 0.05f, DST_SCALE = 0.125f;
const int SRC_ZERO = 7, DST_ZERO = -3;

} // namespace

int main() {
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<uint8_t> src(N * H * W * IC);
    std::vector<int8_t> weights(OC * IC * K * K), dst(N * H * W * OC);
    for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<uint8_t>(i * 37 % 251);
    for (size_t i = 0; i < weights.size(); ++i)
        weights[i] = static_cast<int8_t>(i * 29 % 255 - 127);
    std::vector<float> bias = values(OC, 1), added = values(OC, 2), weights_scales(OC);
    for (memory::dim oc = 0; oc < OC; ++oc)
        weights_scales[oc] = 0.001f * static_cast<float>(oc + 1);

    post_ops ops;
    ops.append_binary(algorithm::binary_add, memory::desc({1, OC, 1, 1}, dt::f32, tag::nchw));
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 0);
    attr.set_scales_mask(DNNL_ARG_DST, 0);
    attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    attr.set_zero_points_mask(DNNL_ARG_DST, 0);
    attr.set_post_ops(ops);

    memory src_mem({{N, IC, H, W}, dt::u8, tag::nhwc}, eng, src.data());
    memory user_weights({{OC, IC, K, K}, dt::s8, tag::oihw}, eng, weights.data());
    memory dst_mem({{N, OC, H, W}, dt::s8, tag::nhwc}, eng, dst.data());
    const convolution_forward::primitive_desc pd(eng, prop_kind::forward_inference,
        algorithm::convolution_auto, src_mem.get_desc(), {{OC, IC, K, K}, dt::s8, tag::any},
        {{OC}, dt::f32, tag::x}, dst_mem.get_desc(), {1, 1}, {1, 1}, {1, 1}, attr);
    memory weights_mem(pd.weights_desc(), eng);
    reorder(user_weights, weights_mem).execute(strm, user_weights, weights_mem);

    float src_scale = SRC_SCALE, dst_scale = DST_SCALE;
    int32_t src_zero = SRC_ZERO, dst_zero = DST_ZERO;
    const memory::desc f32_value({1}, dt::f32, tag::x), s32_value({1}, dt::s32, tag::x);
    const memory::desc per_channel({OC}, dt::f32, tag::x);
    convolution_forward(pd).execute(
        strm, {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_WEIGHTS, weights_mem}, {DNNL_ARG_DST, dst_mem},
                  {DNNL_ARG_BIAS, memory(per_channel, eng, bias.data())},
                  {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, memory(f32_value, eng, &src_scale)},
                  {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
                      memory(per_channel, eng, weights_scales.data())},
                  {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, memory(f32_value, eng, &dst_scale)},
                  {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, memory(s32_value, eng, &src_zero)},
                  {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, memory(s32_value, eng, &dst_zero)},
                  {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
                      memory({{1, OC, 1, 1}, dt::f32, tag::nchw}, eng, added.data())}});
    strm.wait();

    std::vector<double> expected(dst.size());
    for (memory::dim place = 0; place < N * H * W; ++place)
        for (memory::dim oc = 0; oc < OC; ++oc) {
            const memory::dim n = place / (H * W), oh = place / W % H, ow = place % W;
            double sum = 0;
            for (memory::dim tap = 0; tap < K * K; ++tap) {
                const memory::dim ih = oh + tap / K - 1, iw = ow + tap % K - 1;
                if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;
                for (memory::dim ic = 0; ic < IC; ++ic)
                    sum += (src[((n * H + ih) * W + iw) * IC + ic] - SRC_ZERO) *
                           weights[(oc * IC + ic) * K * K + tap];
            }
            sum = sum * SRC_SCALE * weights_scales[oc] + bias[oc] + added[oc];
            const double scaled = std::max(sum, 0.0) / DST_SCALE + DST_ZERO;
            expected[place * OC + oc] = std::min(127.0, std::max(-128.0, scaled));
        }
    return agree("dst", dst, expected, 0.501) ? 0 : 1; // half a unit of rounding
}
