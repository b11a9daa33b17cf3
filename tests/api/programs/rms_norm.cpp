// SPDX-License-Identifier: Apache-2.0
// Normalization of tokens by their root mean square, with a scale per feature: forward for
// training, then the gradients. No mean is an argument.
#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() {
    const memory::dim T = 7, C = 50;
    const float epsilon = 1e-5f;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<float> src = values(T * C, 1), scale = values(C, 2), diff_dst = values(T * C, 3);
    std::vector<float> dst(T * C), variance(T), diff_src(T * C), diff_scale(C);

    const memory::desc tokens({T, C}, dt::f32, tag::ab), features({C}, dt::f32, tag::x);
    const auto flags = normalization_flags::rms_norm | normalization_flags::use_scale;
    const auto forward = layer_normalization_forward::primitive_desc(
        eng, prop_kind::forward_training, tokens, tokens, epsilon, flags);
    const auto backward = layer_normalization_backward::primitive_desc(
        eng, prop_kind::backward, tokens, tokens, tokens, epsilon, flags, forward);
    memory src_mem(tokens, eng, src.data()), scale_mem(features, eng, scale.data());
    memory variance_mem(forward.variance_desc(), eng, variance.data());
    layer_normalization_forward(forward).execute(strm,
        {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_SCALE, scale_mem}, {DNNL_ARG_VARIANCE, variance_mem},
            {DNNL_ARG_DST, memory(tokens, eng, dst.data())}});
    layer_normalization_backward(backward).execute(strm,
        {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_SCALE, scale_mem}, {DNNL_ARG_VARIANCE, variance_mem},
            {DNNL_ARG_DIFF_DST, memory(tokens, eng, diff_dst.data())},
            {DNNL_ARG_DIFF_SRC, memory(tokens, eng, diff_src.data())},
            {DNNL_ARG_DIFF_SCALE, memory(features, eng, diff_scale.data())}});
    strm.wait();

    std::vector<double> y(T * C), squares(T), dx(T * C), ds(C);
    for (memory::dim t = 0; t < T; ++t) {
        const float *x = &src[t * C], *dy = &diff_dst[t * C];
        for (memory::dim c = 0; c < C; ++c) squares[t] += double {x[c]} * x[c] / C;
        const double root = std::sqrt(squares[t] + epsilon);
        double product = 0; // of the source and the gradient before the scale
        for (memory::dim c = 0; c < C; ++c) {
            y[t * C + c] = scale[c] * x[c] / root;
            ds[c] += dy[c] * x[c] / root;
            product += double {dy[c]} * scale[c] * x[c] / root;
        }
        for (memory::dim c = 0; c < C; ++c)
            dx[t * C + c] = (double {dy[c]} * scale[c] - x[c] / root * product / C) / root;
    }
    bool good = agree("dst", dst, y, 1e-5);
    good &= agree("variance", variance, squares, 1e-5);
    good &= agree("diff_src", diff_src, dx, 1e-5);
    good &= agree("diff_scale", diff_scale, ds, 1e-5);
    return good ? 0 : 1;
}
