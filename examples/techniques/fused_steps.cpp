// SPDX-License-Identifier: Apache-2.0
// What follows a convolution of bytes, done on its sums and done by primitives of its own:
// residual, relu, quantisation to bytes, and the average over the image.
#include "../example.hpp"
#include "claims.hpp"
#include "timing.hpp"

#include <algorithm>
#include <cstdint>

using namespace examples;

namespace {

constexpr memory::dim N = 4, C = 64, OC = 64, H = 28;

memory bytes(const engine &cpu, const memory::desc &md, int seed) {
    memory to(md, cpu);
    random_source random(static_cast<std::uint64_t>(seed));
    auto *values = static_cast<std::uint8_t *>(to.get_data_handle());
    for (std::size_t i = 0; i < md.get_size(); ++i) values[i] = std::uint8_t(random.below(256));
    return to;
}

memory scalar(const engine &cpu, float value) {
    memory to({{1}, dt::f32, tag::x}, cpu);
    *static_cast<float *>(to.get_data_handle()) = value;
    return to;
}

/// Primitives that run one after the other.
struct chain {
    std::vector<std::pair<dnnl::primitive, std::unordered_map<int, memory>>> steps;
    memory result;

    void run(dnnl::stream &stream) const {
        for (const auto &[primitive, args] : steps) primitive.execute(stream, args);
        stream.wait();
    }
    double fastest(dnnl::stream &stream) const {
        return techniques::fastest([&] { run(stream); }, 60);
    }
};

/// The same convolution in different company.
class layer {
  public:
    layer(const engine &cpu)
        : cpu_(cpu), src_(bytes(cpu, image(dt::u8, C), 1)),
          weights_(bytes(cpu, {{OC, C, 3, 3}, dt::s8, tag::oihw}, 2)),
          residual_(bytes(cpu, image(dt::u8, OC), 3)),
          scales_(memory::desc({OC}, dt::f32, tag::x), cpu) {
        for (memory::dim o = 0; o < OC; ++o)
            static_cast<float *>(scales_.get_data_handle())[o] = 1e-4f * float(1 + o % 7);
    }

    static memory::desc image(dt type, memory::dim channels) {
        return {{N, channels, H, H}, type, tag::nhwc};
    }

    /// A convolution into `type`; relu and the residual on its sums where asked for. Bytes have the
    /// scale 1/32.
    void convolve(chain &to, dt type, bool relu, bool residual) const {
        dnnl::primitive_attr attr;
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1);
        if (type == dt::u8) attr.set_scales_mask(DNNL_ARG_DST, 0);
        dnnl::post_ops ops;
        if (residual) ops.append_sum(.5f, 0, dt::u8);
        if (relu) ops.append_eltwise(algorithm::eltwise_relu, 0, 0);
        attr.set_post_ops(ops);
        const memory::dims ones {1, 1};
        const dnnl::convolution_forward::primitive_desc pd(cpu_, prop_kind::forward_inference,
            algorithm::convolution_direct, image(dt::u8, C), {{OC, C, 3, 3}, dt::s8, tag::any},
            image(type, OC), ones, ones, ones, attr);
        const memory packed(pd.weights_desc(), cpu_);
        execute(dnnl::reorder(weights_, packed), cpu_,
            {{DNNL_ARG_FROM, weights_}, {DNNL_ARG_TO, packed}});
        to.result = memory(image(type, OC), cpu_);
        std::unordered_map<int, memory> args {{DNNL_ARG_SRC, src_}, {DNNL_ARG_WEIGHTS, packed},
            {DNNL_ARG_DST, to.result}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scales_}};
        if (type == dt::u8) args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = scalar(cpu_, 1.f / 32);
        if (residual) {
            // The sum reads the result's place: a fresh copy of the residual for each run.
            const dnnl::reorder copy(residual_, to.result);
            to.steps.push_back({copy, {{DNNL_ARG_FROM, residual_}, {DNNL_ARG_TO, to.result}}});
        }
        to.steps.push_back({dnnl::convolution_forward(pd), args});
    }

    void add_residual(chain &to) const {
        dnnl::primitive_attr attr;
        attr.set_scales_mask(DNNL_ARG_SRC_1, 0);
        const dnnl::binary::primitive_desc pd(cpu_, algorithm::binary_add, image(dt::f32, OC),
            image(dt::u8, OC), image(dt::f32, OC), attr);
        to.steps.push_back({dnnl::binary(pd),
            {{DNNL_ARG_SRC_0, to.result}, {DNNL_ARG_SRC_1, residual_}, {DNNL_ARG_DST, to.result},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC_1, scalar(cpu_, .5f)}}});
    }
    void relu(chain &to) const {
        const dnnl::eltwise_forward::primitive_desc pd(cpu_, prop_kind::forward_inference,
            algorithm::eltwise_relu, image(dt::f32, OC), image(dt::f32, OC), 0.f, 0.f);
        to.steps.push_back(
            {dnnl::eltwise_forward(pd), {{DNNL_ARG_SRC, to.result}, {DNNL_ARG_DST, to.result}}});
    }
    void quantize(chain &to) const {
        dnnl::primitive_attr attr;
        attr.set_scales_mask(DNNL_ARG_DST, 0);
        const memory from = to.result;
        to.result = memory(image(dt::u8, OC), cpu_);
        to.steps.push_back(
            {dnnl::reorder({cpu_, from.get_desc(), cpu_, to.result.get_desc(), attr}),
                {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to.result},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scalar(cpu_, 1.f / 32)}}});
    }
    void average(chain &to) const {
        const memory from = to.result;
        const dt type = from.get_desc().get_data_type();
        to.result = memory({{N, OC, 1, 1}, type, tag::nhwc}, cpu_);
        const dnnl::pooling_forward::primitive_desc pd(cpu_, prop_kind::forward_inference,
            algorithm::pooling_avg_exclude_padding, from.get_desc(), to.result.get_desc(), {H, H},
            {H, H}, {0, 0}, {0, 0}, {0, 0});
        to.steps.push_back(
            {dnnl::pooling_forward(pd), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to.result}}});
    }

  private:
    engine cpu_;
    memory src_, weights_, residual_, scales_;
};

bool equal(const memory &a, const memory &b) {
    const auto *x = static_cast<const std::uint8_t *>(a.get_data_handle());
    return std::equal(
        x, x + a.get_desc().get_size(), static_cast<const std::uint8_t *>(b.get_data_handle()));
}

} // namespace

int main(int count, char **arguments) {
    return run([&](const engine &cpu) {
        techniques::claims c(count, arguments);
        const layer l(cpu);
        dnnl::stream stream(cpu);
        chain fused, apart, relu_fused, relu_apart, bare, averaged;
        l.convolve(relu_fused, dt::u8, true, false);
        l.convolve(relu_apart, dt::f32, false, false);
        l.relu(relu_apart);
        l.quantize(relu_apart);
        l.convolve(fused, dt::u8, true, true);
        l.convolve(apart, dt::f32, false, false);
        l.add_residual(apart);
        l.relu(apart);
        l.quantize(apart);
        l.convolve(bare, dt::u8, false, false);
        averaged = relu_fused;
        l.average(averaged);
        for (const chain *each : {&fused, &apart, &relu_fused, &relu_apart, &bare, &averaged})
            each->run(stream);
        c.holds("S0-19", "relu and quantisation on the sums have the bits of primitives in f32",
            equal(relu_fused.result, relu_apart.result));
        c.holds("S0-21", "so has the residual", equal(fused.result, apart.result));
        const double narrow = double(layer::image(dt::u8, OC).get_size()),
                     wide = double(layer::image(dt::f32, OC).get_size());
        c.figure("S0-18", "bytes written for those of f32", narrow / wide, "", "1/4",
            narrow * 4 == wide);
        if (c.timed()) {
            const double with_relu = relu_fused.fastest(stream), without = bare.fastest(stream);
            c.figure("S0-18", "gain over convolution, relu and quantisation apart",
                relu_apart.fastest(stream) / with_relu, "times", "", true);
            c.figure("S0-20", "cost of relu on the sums", 100 * (with_relu / without - 1), "%",
                "negligible", with_relu < 1.1 * without);
            fused.steps.erase(
                fused.steps.begin()); // in a network the residual lies where it is needed
            c.figure("S0-21", "gain over residual, relu and quantisation apart",
                apart.fastest(stream) / fused.fastest(stream), "times", "", true);
            c.figure("S0-22", "share of an average over 28 x 28 after the convolution",
                100 * (1 - with_relu / averaged.fastest(stream)), "%", "", true);
        }
        expect(c.finish() == 0, "every claim holds");
    });
}
