// SPDX-License-Identifier: Apache-2.0
// A training step of batch normalization with scale and shift: forward with statistics of the
// batch, then the gradients of the source, the scale and the shift.
#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() {
    const memory::dim N = 4, C = 3, S = 5 * 2;
    const float epsilon = 1e-4f;
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<float> src = values(N * C * S, 1), diff_dst = values(N * C * S, 2);
    std::vector<float> scale = values(C, 3), shift = values(C, 4), mean(C), variance(C);
    std::vector<float> dst(src.size()), diff_src(src.size()), diff_scale(C), diff_shift(C);

    const memory::desc data({N, C, 5, 2}, dt::f32, tag::nchw), channels({C}, dt::f32, tag::x);
    const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;
    const auto forward = batch_normalization_forward::primitive_desc(
        eng, prop_kind::forward_training, data, data, epsilon, flags);
    const auto backward = batch_normalization_backward::primitive_desc(
        eng, prop_kind::backward, data, data, data, epsilon, flags, forward);
    memory src_mem(data, eng, src.data()), scale_mem(channels, eng, scale.data());
    memory mean_mem(forward.mean_desc(), eng, mean.data());
    memory variance_mem(forward.variance_desc(), eng, variance.data());
    batch_normalization_forward(forward).execute(strm,
        {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_MEAN, mean_mem}, {DNNL_ARG_VARIANCE, variance_mem},
            {DNNL_ARG_SCALE, scale_mem}, {DNNL_ARG_SHIFT, memory(channels, eng, shift.data())},
            {DNNL_ARG_DST, memory(data, eng, dst.data())}});
    batch_normalization_backward(backward).execute(strm,
        {{DNNL_ARG_SRC, src_mem}, {DNNL_ARG_MEAN, mean_mem}, {DNNL_ARG_VARIANCE, variance_mem},
            {DNNL_ARG_SCALE, scale_mem}, {DNNL_ARG_DIFF_DST, memory(data, eng, diff_dst.data())},
            {DNNL_ARG_DIFF_SRC, memory(data, eng, diff_src.data())},
            {DNNL_ARG_DIFF_SCALE, memory(channels, eng, diff_scale.data())},
            {DNNL_ARG_DIFF_SHIFT, memory(channels, eng, diff_shift.data())}});
    strm.wait();

    const double count = static_cast<double>(N * S);
    std::vector<double> y(src.size()), dx(src.size()), means(C), variances(C), ds(C), db(C);
    for (memory::dim c = 0; c < C; ++c) {
        const auto at = [&](memory::dim i) { return (i / S * C + c) * S + i % S; };
        for (memory::dim i = 0; i < N * S; ++i) means[c] += src[at(i)] / count;
        for (memory::dim i = 0; i < N * S; ++i)
            variances[c] += (src[at(i)] - means[c]) * (src[at(i)] - means[c]) / count;
        const double root = std::sqrt(variances[c] + epsilon);
        for (memory::dim i = 0; i < N * S; ++i) {
            const double x = (src[at(i)] - means[c]) / root;
            y[at(i)] = scale[c] * x + shift[c];
            ds[c] += diff_dst[at(i)] * x;
            db[c] += diff_dst[at(i)];
        }
        for (memory::dim i = 0; i < N * S; ++i) {
            const double x = (src[at(i)] - means[c]) / root;
            dx[at(i)] = scale[c] / root * (diff_dst[at(i)] - db[c] / count - x * ds[c] / count);
        }
    }
    bool good = agree("mean", mean, means, 1e-6);
    good &= agree("variance", variance, variances, 1e-6);
    good &= agree("dst", dst, y, 1e-5);
    good &= agree("diff_src", diff_src, dx, 1e-5);
    good &= agree("diff_scale", diff_scale, ds, 1e-4);
    good &= agree("diff_shift", diff_shift, db, 1e-4);
    return good ? 0 : 1;
}
