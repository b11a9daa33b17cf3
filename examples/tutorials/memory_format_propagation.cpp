// SPDX-License-Identifier: Apache-2.0
// Layouts that the library chooses. Convolution, pooling and a second convolution follow each
// other; everything but the image and the result is `any`, so that each primitive takes the layout
// that the one before it left. A reorder is made only where two descriptors differ.
#include <algorithm>

#include "../example.hpp"

using namespace examples;

namespace {

/// The tensor in the layout of `wanted`: itself, where it has that layout already.
memory in_layout(const memory &m, const memory::desc &wanted, const engine &cpu, int &reorders) {
    if (m.get_desc() == wanted) return m;
    memory other(wanted, cpu);
    memory source = m;
    execute(dnnl::reorder(source, other), cpu, {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, other}});
    ++reorders;
    return other;
}

/// relu of a convolution of 3x3 with padding 1, to `dst_md`.
memory convolve(const memory &src, std::vector<float> &weights, memory::dim oc,
    const memory::desc &dst_md, const engine &cpu, int &reorders) {
    const memory::dims in = src.get_desc().get_dims();
    const memory::desc open_src(in, dt::f32, tag::any);
    const memory::desc open_weights({oc, in[1], 3, 3}, dt::f32, tag::any);
    dnnl::post_ops ops;
    ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
    dnnl::primitive_attr attr;
    attr.set_post_ops(ops);
    const dnnl::convolution_forward::primitive_desc pd(cpu, prop_kind::forward_inference,
        algorithm::convolution_direct, open_src, open_weights, dst_md, {1, 1}, {1, 1}, {1, 1},
        attr);
    const memory plain({{oc, in[1], 3, 3}, dt::f32, tag::oihw}, cpu, weights.data());
    const memory dst(pd.dst_desc(), cpu);
    execute(dnnl::convolution_forward(pd), cpu,
        {{DNNL_ARG_SRC, in_layout(src, pd.src_desc(), cpu, reorders)},
            {DNNL_ARG_WEIGHTS, in_layout(plain, pd.weights_desc(), cpu, reorders)},
            {DNNL_ARG_DST, dst}});
    return dst;
}

/// What the same network gives when every tensor has the layout nchw, by plain loops.
std::vector<float> plain_convolution(const std::vector<float> &src, memory::dim ic, memory::dim h,
    memory::dim w, const std::vector<float> &weights, memory::dim oc) {
    std::vector<float> dst;
    for (memory::dim o = 0; o < oc; ++o)
        for (memory::dim y = 0; y < h; ++y)
            for (memory::dim x = 0; x < w; ++x) {
                double sum = 0;
                for (memory::dim i = 0; i < ic; ++i)
                    for (memory::dim k = 0; k < 9; ++k) {
                        const memory::dim sy = y + k / 3 - 1, sx = x + k % 3 - 1;
                        if (sy >= 0 && sy < h && sx >= 0 && sx < w)
                            sum += src[(i * h + sy) * w + sx] * weights[(o * ic + i) * 9 + k];
                    }
                dst.push_back(float(std::max(sum, 0.0)));
            }
    return dst;
}

} // namespace

int main() {
    return run([](const engine &cpu) {
        const memory::dim c0 = 3, c1 = 16, c2 = 8, h = 12, w = 12;
        std::vector<float> image = numbers(c0 * h * w, 1), first = numbers(c1 * c0 * 9, 2),
                           second = numbers(c2 * c1 * 9, 3), result(c2 * h / 2 * w / 2);
        int reorders = 0;

        const memory src({{1, c0, h, w}, dt::f32, tag::nchw}, cpu, image.data());
        const memory between =
            convolve(src, first, c1, {{1, c1, h, w}, dt::f32, tag::any}, cpu, reorders);

        // Pooling takes the layout that it finds, and hands on its own.
        const dnnl::pooling_forward::primitive_desc pool(cpu, prop_kind::forward_inference,
            algorithm::pooling_max, between.get_desc(), {{1, c1, h / 2, w / 2}, dt::f32, tag::any},
            {2, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0});
        const memory pooled(pool.dst_desc(), cpu);
        execute(
            dnnl::pooling_forward(pool), cpu, {{DNNL_ARG_SRC, between}, {DNNL_ARG_DST, pooled}});

        const memory::desc plain({1, c2, h / 2, w / 2}, dt::f32, tag::nchw);
        const memory last =
            convolve(pooled, second, c2, {plain.get_dims(), dt::f32, tag::any}, cpu, reorders);
        memory dst(plain, cpu, result.data()), from = last;
        execute(dnnl::reorder(from, dst), cpu, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, dst}});
        std::printf("%d reorders before the last one\n", reorders);

        const std::vector<float> large = plain_convolution(image, c0, h, w, first, c1);
        std::vector<float> small;
        for (memory::dim i = 0; i < c1 * h / 2 * w / 2; ++i) {
            const memory::dim row = i / (w / 2) * 2, at = row * w + i % (w / 2) * 2;
            small.push_back(std::max(
                std::max(large[at], large[at + 1]), std::max(large[at + w], large[at + w + 1])));
        }
        expect_near("network", result, plain_convolution(small, c1, h / 2, w / 2, second, c2));
    });
}
