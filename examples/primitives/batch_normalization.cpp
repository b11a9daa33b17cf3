// SPDX-License-Identifier: Apache-2.0
// Batch normalization in training: mean and variance of each channel over all images and pixels are
// outputs. Inference takes them back by the flag use_global_stats; both give the same result here.
#include "../example.hpp"

using namespace examples;
using flags = dnnl::normalization_flags;

int main() {
    return run([](const engine &cpu) {
        const memory::dim n = 2, c = 3, h = 4, w = 5, pixels = h * w;
        const float epsilon = 1e-5f;
        std::vector<float> src = numbers(n * c * pixels, 1), dst(src.size()), again(src.size());
        std::vector<float> scale = numbers(c, 2), shift = numbers(c, 3), mean(c), variance(c);
        const memory::desc md({n, c, h, w}, dt::f32, tag::nchw), per_channel({c}, dt::f32, tag::x);
        const auto image = [&](std::vector<float> &v) { return memory(md, cpu, v.data()); };
        const auto vector = [&](std::vector<float> &v) {
            return memory(per_channel, cpu, v.data());
        };

        const flags affine = flags::use_scale | flags::use_shift;
        const dnnl::batch_normalization_forward::primitive_desc training(
            cpu, prop_kind::forward_training, md, md, epsilon, affine);
        execute(dnnl::batch_normalization_forward(training), cpu,
            {{DNNL_ARG_SRC, image(src)}, {DNNL_ARG_DST, image(dst)},
                {DNNL_ARG_SCALE, vector(scale)}, {DNNL_ARG_SHIFT, vector(shift)},
                {DNNL_ARG_MEAN, vector(mean)}, {DNNL_ARG_VARIANCE, vector(variance)}});

        std::vector<float> expected(src.size());
        for (memory::dim ch = 0; ch < c; ++ch) {
            double sum = 0, squares = 0;
            for (memory::dim i = 0; i < n * pixels; ++i)
                sum += src[(i / pixels * c + ch) * pixels + i % pixels];
            const double average = sum / (n * pixels);
            for (memory::dim i = 0; i < n * pixels; ++i)
                squares += std::pow(src[(i / pixels * c + ch) * pixels + i % pixels] - average, 2);
            const double factor = scale[ch] / std::sqrt(squares / (n * pixels) + epsilon);
            for (memory::dim i = 0; i < n * pixels; ++i) {
                const memory::dim at = (i / pixels * c + ch) * pixels + i % pixels;
                expected[at] = float((src[at] - average) * factor + shift[ch]);
            }
        }
        expect_near("training", dst, expected);

        const dnnl::batch_normalization_forward::primitive_desc inference(
            cpu, prop_kind::forward_inference, md, md, epsilon, affine | flags::use_global_stats);
        execute(dnnl::batch_normalization_forward(inference), cpu,
            {{DNNL_ARG_SRC, image(src)}, {DNNL_ARG_DST, image(again)},
                {DNNL_ARG_SCALE, vector(scale)}, {DNNL_ARG_SHIFT, vector(shift)},
                {DNNL_ARG_MEAN, vector(mean)}, {DNNL_ARG_VARIANCE, vector(variance)}});
        expect_near("inference", again, expected);

        // Gradients; those of scale and shift are sums over a channel.
        std::vector<float> diff_dst = numbers(src.size(), 4), diff_src(src.size()), diff_scale(c),
                           diff_shift(c), sums(c);
        const dnnl::batch_normalization_backward::primitive_desc backward(
            cpu, prop_kind::backward, md, md, md, epsilon, affine, training);
        execute(dnnl::batch_normalization_backward(backward), cpu,
            {{DNNL_ARG_SRC, image(src)}, {DNNL_ARG_MEAN, vector(mean)},
                {DNNL_ARG_VARIANCE, vector(variance)}, {DNNL_ARG_SCALE, vector(scale)},
                {DNNL_ARG_DIFF_DST, image(diff_dst)}, {DNNL_ARG_DIFF_SRC, image(diff_src)},
                {DNNL_ARG_DIFF_SCALE, vector(diff_scale)},
                {DNNL_ARG_DIFF_SHIFT, vector(diff_shift)}});
        for (std::size_t i = 0; i < diff_dst.size(); ++i)
            sums[i / std::size_t(pixels) % std::size_t(c)] += diff_dst[i];
        expect_near("gradient of the shift", diff_shift, sums);
    });
}
