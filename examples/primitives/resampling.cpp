// SPDX-License-Identifier: Apache-2.0
// Resampling: an image twice as large, by the nearest pixel and by linear interpolation.
#include "../example.hpp"

using namespace examples;

namespace {

/// The sample at output position o of a line of `extent` pixels that becomes twice as long: the
/// middles of pixels lie at 1/2, 3/2, ..., and positions beyond the first and last count as these.
float linear(const std::vector<float> &line, memory::dim o) {
    const double at = (double(o) + 0.5) / 2 - 0.5;
    const double clamped = std::fmin(std::fmax(at, 0.0), double(line.size()) - 1);
    const std::size_t left = std::size_t(clamped), right = std::min(left + 1, line.size() - 1);
    return float(line[left] + (clamped - double(left)) * (line[right] - line[left]));
}

} // namespace

int main() {
    return run([](const engine &cpu) {
        const memory::dim w = 7;
        std::vector<float> src = numbers(w), nearest(2 * w), interpolated(2 * w);
        const memory::desc src_md({1, 1, w}, dt::f32, tag::ncw);
        const memory::desc dst_md({1, 1, 2 * w}, dt::f32, tag::ncw);

        // The extents of dst give the factor; a vector of factors gives dst in its place.
        const dnnl::resampling_forward::primitive_desc by_nearest(
            cpu, prop_kind::forward_inference, algorithm::resampling_nearest, src_md, dst_md);
        const dnnl::resampling_forward::primitive_desc by_lines(
            cpu, prop_kind::forward_inference, algorithm::resampling_linear, {2.f}, src_md);
        expect(by_lines.dst_desc().get_dims() == dst_md.get_dims(), "a factor gives the extents");

        execute(dnnl::resampling_forward(by_nearest), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, nearest.data())}});
        execute(dnnl::resampling_forward(by_lines), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, interpolated.data())}});

        std::vector<float> twice, lines;
        for (memory::dim o = 0; o < 2 * w; ++o) {
            twice.push_back(src[std::size_t(o / 2)]);
            lines.push_back(linear(src, o));
        }
        expect_near("nearest", nearest, twice);
        expect_near("linear", interpolated, lines);
    });
}
