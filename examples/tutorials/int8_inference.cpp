// SPDX-License-Identifier: Apache-2.0
// A trained f32 layer becomes int8: activations are measured on calibration data (min and max give
// scale and zero point), weights get a scale per output channel. The layer then reads and writes
// bytes; its products are exact sums of integers on every processor.
#include <algorithm>
#include <cstdint>

#include "../example.hpp"

using namespace examples;

namespace {

/// real = scale * (stored - zero_point), stored from 0 to 255. 0 must be a stored value.
struct range {
    float scale;
    std::int32_t zero_point;

    explicit range(const std::vector<float> &measured) {
        const float low = std::min(0.f, *std::min_element(measured.begin(), measured.end()));
        const float high = std::max(0.f, *std::max_element(measured.begin(), measured.end()));
        scale = (high - low) / 255;
        zero_point = std::int32_t(std::nearbyint(-low / scale));
    }
};

std::vector<float> layer(const std::vector<float> &src, const std::vector<float> &weights,
    const std::vector<float> &bias, memory::dim k) {
    const memory::dim n = memory::dim(bias.size()), m = memory::dim(src.size()) / k;
    std::vector<float> dst;
    for (memory::dim i = 0; i < m; ++i)
        for (memory::dim j = 0; j < n; ++j) {
            double sum = bias[j];
            for (memory::dim d = 0; d < k; ++d) sum += src[i * k + d] * weights[d * n + j];
            dst.push_back(float(std::max(sum, 0.0)));
        }
    return dst;
}

} // namespace

int main() {
    return run([](const engine &cpu) {
        const memory::dim m = 32, k = 64, n = 16;
        std::vector<float> weights = numbers(k * n, 1), bias = numbers(n, 2);

        // Calibration: what goes in and comes out for some typical inputs.
        const std::vector<float> typical = numbers(256 * k, 3);
        range in(typical), out(layer(typical, weights, bias, k));

        // Weights: symmetric, one scale per column. A reorder rounds them and packs them, once.
        std::vector<float> weight_scales(n);
        for (memory::dim i = 0; i < k * n; ++i)
            weight_scales[i % n] = std::max(weight_scales[i % n], std::fabs(weights[i]) / 127);

        const memory::desc src_md({m, k}, dt::u8, tag::ab), dst_md({m, n}, dt::u8, tag::ab);
        const memory::desc real({k, n}, dt::f32, tag::ab), bias_md({1, n}, dt::f32, tag::ab);
        const memory::desc per_column({n}, dt::f32, tag::x), one({1}, dt::f32, tag::x),
            one_s32({1}, dt::s32, tag::x);

        dnnl::post_ops ops;
        ops.append_eltwise(algorithm::eltwise_relu, 0.f, 0.f);
        dnnl::primitive_attr attr;
        attr.set_post_ops(ops);
        attr.set_scales_mask(DNNL_ARG_SRC, 0);
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 1);
        attr.set_scales_mask(DNNL_ARG_DST, 0);
        attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
        attr.set_zero_points_mask(DNNL_ARG_DST, 0);
        const dnnl::matmul::primitive_desc pd(
            cpu, src_md, {{k, n}, dt::s8, tag::any}, bias_md, dst_md, attr);

        const memory scales_m(per_column, cpu, weight_scales.data());
        dnnl::primitive_attr rounding;
        rounding.set_scales_mask(DNNL_ARG_DST, 1 << 1);
        const memory packed(pd.weights_desc(), cpu);
        execute(dnnl::reorder(
                    dnnl::reorder::primitive_desc(cpu, real, cpu, pd.weights_desc(), rounding)),
            cpu,
            {{DNNL_ARG_FROM, memory(real, cpu, weights.data())}, {DNNL_ARG_TO, packed},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scales_m}});

        // Inference on data that the calibration has not seen.
        const std::vector<float> unseen = numbers(m * k, 4);
        std::vector<std::uint8_t> src(unseen.size()), dst(std::size_t(m * n));
        for (std::size_t i = 0; i < src.size(); ++i) {
            const float stored = std::nearbyint(unseen[i] / in.scale) + float(in.zero_point);
            src[i] = std::uint8_t(std::min(std::max(stored, 0.f), 255.f));
        }
        execute(dnnl::matmul(pd), cpu,
            {{DNNL_ARG_SRC, memory(src_md, cpu, src.data())}, {DNNL_ARG_WEIGHTS, packed},
                {DNNL_ARG_BIAS, memory(bias_md, cpu, bias.data())},
                {DNNL_ARG_DST, memory(dst_md, cpu, dst.data())},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, memory(one, cpu, &in.scale)},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scales_m},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, memory(one, cpu, &out.scale)},
                {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, memory(one_s32, cpu, &in.zero_point)},
                {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, memory(one_s32, cpu, &out.zero_point)}});

        std::vector<float> result;
        for (const std::uint8_t stored : dst)
            result.push_back(out.scale * float(stored - out.zero_point));
        expect_near("int8 against f32", result, layer(unseen, weights, bias, k), 0.02);
    });
}
