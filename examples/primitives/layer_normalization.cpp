// SPDX-License-Identifier: Apache-2.0
// Layer normalization of rows, and its relative without means (rms_norm), which divides each row by
// the root of the mean of its squares.
#include "../example.hpp"

using namespace examples;
using flags = dnnl::normalization_flags;

int main() {
    return run([](const engine &cpu) {
        const memory::dim tokens = 6, channels = 32;
        const float epsilon = 1e-5f;
        std::vector<float> src = numbers(tokens * channels, 1), scale = numbers(channels, 2),
                           shift = numbers(channels, 3), dst(src.size()), rms(src.size());
        const memory::desc md({tokens, channels}, dt::f32, tag::ab);
        const memory::desc per_channel({channels}, dt::f32, tag::x);

        // In inference mean and variance stay inside the library.
        const dnnl::layer_normalization_forward::primitive_desc pd(cpu,
            prop_kind::forward_inference, md, md, epsilon, flags::use_scale | flags::use_shift);
        execute(dnnl::layer_normalization_forward(pd), cpu,
            {{DNNL_ARG_SRC, memory(md, cpu, src.data())},
                {DNNL_ARG_SCALE, memory(per_channel, cpu, scale.data())},
                {DNNL_ARG_SHIFT, memory(per_channel, cpu, shift.data())},
                {DNNL_ARG_DST, memory(md, cpu, dst.data())}});

        const dnnl::layer_normalization_forward::primitive_desc rms_pd(
            cpu, prop_kind::forward_inference, md, md, epsilon, flags::use_scale | flags::rms_norm);
        execute(dnnl::layer_normalization_forward(rms_pd), cpu,
            {{DNNL_ARG_SRC, memory(md, cpu, src.data())},
                {DNNL_ARG_SCALE, memory(per_channel, cpu, scale.data())},
                {DNNL_ARG_DST, memory(md, cpu, rms.data())}});

        std::vector<float> expected(src.size()), expected_rms(src.size());
        for (memory::dim t = 0; t < tokens; ++t) {
            const float *row = &src[t * channels];
            double sum = 0, squares = 0, deviations = 0;
            for (memory::dim c = 0; c < channels; ++c) {
                sum += row[c];
                squares += double(row[c]) * row[c];
            }
            const double mean = sum / channels;
            for (memory::dim c = 0; c < channels; ++c) deviations += std::pow(row[c] - mean, 2);
            for (memory::dim c = 0; c < channels; ++c) {
                expected[t * channels + c] =
                    float((row[c] - mean) / std::sqrt(deviations / channels + epsilon) * scale[c] +
                          shift[c]);
                expected_rms[t * channels + c] =
                    float(row[c] / std::sqrt(squares / channels + epsilon) * scale[c]);
            }
        }
        expect_near("layer normalization", dst, expected);
        expect_near("rms_norm", rms, expected_rms);
    });
}
