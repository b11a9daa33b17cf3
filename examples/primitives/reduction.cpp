// SPDX-License-Identifier: Apache-2.0
// Reduction: an extent of 1 in dst says which dimensions are folded. Means of the pixels of each
// channel, and the largest channel of each pixel.
#include <algorithm>

#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim c = 4, h = 3, w = 5, pixels = h * w;
        std::vector<float> src = numbers(c * pixels), means(c), largest(pixels);
        const memory::desc src_md({c, h, w}, dt::f32, tag::abc);
        const memory::desc means_md({c, 1, 1}, dt::f32, tag::abc);
        const memory::desc largest_md({1, h, w}, dt::f32, tag::abc);

        // p and eps are those of the norms; other algorithms ignore them.
        const dnnl::reduction::primitive_desc mean_pd(
            cpu, algorithm::reduction_mean, src_md, means_md, 0.f, 0.f);
        const dnnl::reduction::primitive_desc max_pd(
            cpu, algorithm::reduction_max, src_md, largest_md, 0.f, 0.f);
        const memory src_m(src_md, cpu, src.data());
        execute(dnnl::reduction(mean_pd), cpu,
            {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_DST, memory(means_md, cpu, means.data())}});
        execute(dnnl::reduction(max_pd), cpu,
            {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_DST, memory(largest_md, cpu, largest.data())}});

        std::vector<float> expected_means(c), expected_largest(src.begin(), src.begin() + pixels);
        for (std::size_t i = 0; i < src.size(); ++i) {
            expected_means[i / std::size_t(pixels)] += src[i] / float(pixels);
            float &top = expected_largest[i % std::size_t(pixels)];
            top = std::max(top, src[i]);
        }
        expect_near("means", means, expected_means);
        expect_near("largest", largest, expected_largest, 0);
    });
}
