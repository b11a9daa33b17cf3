// SPDX-License-Identifier: Apache-2.0
// Softmax of rows, then its logarithm in the place of its source, and the gradient.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim rows = 3, columns = 10;
        const int axis = 1;
        std::vector<float> src = numbers(rows * columns), dst(src.size());
        const memory::desc md({rows, columns}, dt::f32, tag::ab);

        const dnnl::softmax_forward::primitive_desc pd(
            cpu, prop_kind::forward_training, algorithm::softmax_accurate, md, md, axis);
        const memory src_m(md, cpu, src.data()), dst_m(md, cpu, dst.data());
        execute(dnnl::softmax_forward(pd), cpu, {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_DST, dst_m}});

        std::vector<float> expected(src.size()), logarithms(src.size());
        for (memory::dim r = 0; r < rows; ++r) {
            double sum = 0;
            for (memory::dim c = 0; c < columns; ++c) sum += std::exp(src[r * columns + c]);
            for (memory::dim c = r * columns; c < (r + 1) * columns; ++c) {
                expected[c] = float(std::exp(src[c]) / sum);
                logarithms[c] = float(src[c] - std::log(sum));
            }
        }
        expect_near("softmax", dst, expected);

        // Source and destination may be one buffer.
        const dnnl::softmax_forward::primitive_desc log_pd(
            cpu, prop_kind::forward_inference, algorithm::softmax_log, md, md, axis);
        execute(dnnl::softmax_forward(log_pd), cpu, {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_DST, src_m}});
        expect_near("log softmax in place", src, logarithms);

        // diff_src = dst * (diff_dst - sum over the row of diff_dst * dst)
        std::vector<float> diff_dst = numbers(dst.size(), 2), diff_src(dst.size());
        const dnnl::softmax_backward::primitive_desc backward(
            cpu, algorithm::softmax_accurate, md, md, md, axis, pd);
        execute(dnnl::softmax_backward(backward), cpu,
            {{DNNL_ARG_DST, dst_m}, {DNNL_ARG_DIFF_DST, memory(md, cpu, diff_dst.data())},
                {DNNL_ARG_DIFF_SRC, memory(md, cpu, diff_src.data())}});
        for (memory::dim r = 0; r < rows; ++r) {
            double dot = 0;
            for (memory::dim c = r * columns; c < (r + 1) * columns; ++c)
                dot += diff_dst[c] * dst[c];
            for (memory::dim c = r * columns; c < (r + 1) * columns; ++c)
                expected[c] = float(dst[c] * (diff_dst[c] - dot));
        }
        expect_near("gradient", diff_src, expected);
    });
}
