// SPDX-License-Identifier: Apache-2.0
// Group normalization: mean and variance of a quarter of the channels of one image.
#include "../example.hpp"

using namespace examples;
using flags = dnnl::normalization_flags;

int main() {
    return run([](const engine &cpu) {
        const memory::dim n = 2, c = 8, h = 3, w = 3, groups = 4;
        const memory::dim statistics = n * groups, length = c / groups * h * w;
        const float epsilon = 1e-5f;
        std::vector<float> src = numbers(n * c * h * w, 1), scale = numbers(c, 2),
                           shift = numbers(c, 3), dst(src.size()), mean(statistics),
                           variance(statistics);
        const memory::desc md({n, c, h, w}, dt::f32, tag::nchw), per_channel({c}, dt::f32, tag::x);
        const memory::desc statistics_md({n, groups}, dt::f32, tag::ab);

        const dnnl::group_normalization_forward::primitive_desc pd(cpu, prop_kind::forward_training,
            md, md, groups, epsilon, flags::use_scale | flags::use_shift);
        execute(dnnl::group_normalization_forward(pd), cpu,
            {{DNNL_ARG_SRC, memory(md, cpu, src.data())},
                {DNNL_ARG_SCALE, memory(per_channel, cpu, scale.data())},
                {DNNL_ARG_SHIFT, memory(per_channel, cpu, shift.data())},
                {DNNL_ARG_MEAN, memory(statistics_md, cpu, mean.data())},
                {DNNL_ARG_VARIANCE, memory(statistics_md, cpu, variance.data())},
                {DNNL_ARG_DST, memory(md, cpu, dst.data())}});

        // In nchw the elements of one group of one image are neighbours.
        std::vector<float> expected(src.size()), means(statistics);
        for (memory::dim s = 0; s < statistics; ++s) {
            double sum = 0, deviations = 0;
            for (memory::dim i = s * length; i < (s + 1) * length; ++i) sum += src[i];
            means[s] = float(sum / length);
            for (memory::dim i = s * length; i < (s + 1) * length; ++i)
                deviations += std::pow(src[i] - sum / length, 2);
            for (memory::dim i = s * length; i < (s + 1) * length; ++i) {
                const memory::dim channel = i / (h * w) % c;
                expected[i] = float((src[i] - sum / length) /
                                        std::sqrt(deviations / length + epsilon) * scale[channel] +
                                    shift[channel]);
            }
        }
        expect_near("group normalization", dst, expected);
        expect_near("mean", mean, means);
    });
}
