// SPDX-License-Identifier: Apache-2.0
// Pooling: the largest of each 2x2 window, and the gradient, which goes to the pixel that was the
// largest. In training the forward pass notes that pixel in a workspace.
#include <algorithm>

#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim n = 1, c = 2, h = 4, w = 6, k = 2;
        const memory::dim oh = h / k, ow = w / k;
        std::vector<float> src = numbers(n * c * h * w, 1), dst(n * c * oh * ow);
        const memory::desc src_md({n, c, h, w}, dt::f32, tag::nchw);
        const memory::desc dst_md({n, c, oh, ow}, dt::f32, tag::nchw);

        const dnnl::pooling_forward::primitive_desc pd(cpu, prop_kind::forward_training,
            algorithm::pooling_max, src_md, dst_md, {k, k}, {k, k}, {0, 0}, {0, 0}, {0, 0});
        const memory workspace(pd.workspace_desc(), cpu);
        execute(dnnl::pooling_forward(pd), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())}, {DNNL_ARG_WORKSPACE, workspace}});

        std::vector<float> diff_dst = numbers(dst.size(), 2), diff_src(src.size());
        const dnnl::pooling_backward::primitive_desc backward(cpu, algorithm::pooling_max, src_md,
            dst_md, {k, k}, {k, k}, {0, 0}, {0, 0}, {0, 0}, pd);
        execute(dnnl::pooling_backward(backward), cpu,
            {{DNNL_ARG_DIFF_DST, memory(dst_md, cpu, diff_dst.data())},
                {DNNL_ARG_DIFF_SRC, memory(src_md, cpu, diff_src.data())},
                {DNNL_ARG_WORKSPACE, workspace}});

        std::vector<float> largest(dst.size()), gradient(src.size());
        for (memory::dim ch = 0; ch < n * c; ++ch)
            for (memory::dim y = 0; y < oh; ++y)
                for (memory::dim x = 0; x < ow; ++x) {
                    memory::dim best = (ch * h + y * k) * w + x * k;
                    for (memory::dim i = 0; i < k * k; ++i) {
                        const memory::dim at = (ch * h + y * k + i / k) * w + x * k + i % k;
                        if (src[at] > src[best]) best = at;
                    }
                    largest[(ch * oh + y) * ow + x] = src[best];
                    gradient[best] = diff_dst[(ch * oh + y) * ow + x];
                }
        expect_near("largest", dst, largest, 0);
        expect_near("gradient", diff_src, gradient, 0);
    });
}
