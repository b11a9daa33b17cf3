// SPDX-License-Identifier: Apache-2.0
// Training in bf16 with f32 masters. Products read bf16, which halves the bytes; the optimiser adds
// to f32 weights, because a bf16 number swallows an addend below 1/512 of it. A layer of 16 weights
// is fitted; with weights kept in bf16 alone the same steps stop short of it.
#include "../example.hpp"

using namespace examples;

namespace {

/// The values of `m` as another type, by a reorder.
memory as(const memory &m, const memory::desc &md, const engine &cpu) {
    memory from = m, to(md, cpu);
    execute(dnnl::reorder(from, to), cpu, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    return to;
}

/// Fits weights to make `wanted` from `inputs` by gradient descent, and returns the largest error
/// of a weight against `truth`.
double fit(bool masters, const std::vector<float> &inputs, const std::vector<float> &wanted,
    const std::vector<float> &truth, memory::dim batch, const engine &cpu) {
    const memory::dim features = memory::dim(truth.size());
    const memory::desc src32({batch, features}, dt::f32, tag::nc),
        w32({1, features}, dt::f32, tag::oi);
    const memory::desc src16({batch, features}, dt::bf16, tag::nc),
        w16({1, features}, dt::bf16, tag::oi);
    const memory::desc y32({batch, 1}, dt::f32, tag::nc), y16({batch, 1}, dt::bf16, tag::nc);

    const dnnl::inner_product_forward::primitive_desc forward(
        cpu, prop_kind::forward_training, src16, w16, y32);
    const dnnl::inner_product_backward_weights::primitive_desc backward(
        cpu, src16, w32, y16, forward); // sums of bf16 products, kept in f32
    const dnnl::inner_product_forward run_forward(forward);
    const dnnl::inner_product_backward_weights run_backward(backward);

    std::vector<float> data = inputs, weights(features), y(batch), slope(batch), gradient(features);
    const memory master(w32, cpu, weights.data()), y_m(y32, cpu, y.data());
    const memory slope_m(y32, cpu, slope.data()), gradient_m(w32, cpu, gradient.data());
    const memory src = as(memory(src32, cpu, data.data()), src16, cpu);
    const float rate = 2e-2f;
    for (int step = 0; step < 1500; ++step) {
        const memory weights16 = as(master, w16, cpu);
        execute(run_forward, cpu,
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights16}, {DNNL_ARG_DST, y_m}});
        for (std::size_t i = 0; i < y.size(); ++i) // of half the mean squared error
            slope[i] = (y[i] - wanted[i]) / float(batch);
        execute(run_backward, cpu,
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, as(slope_m, y16, cpu)},
                {DNNL_ARG_DIFF_WEIGHTS, gradient_m}});
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= rate * gradient[i];
        if (!masters) { // what a program keeps that has bf16 weights alone
            const memory rounded = as(as(master, w16, cpu), w32, cpu);
            const float *r = static_cast<const float *>(rounded.get_data_handle());
            weights.assign(r, r + features);
        }
    }
    double error = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
        error = std::fmax(error, std::fabs(double(weights[i]) - truth[i]));
    return error;
}

} // namespace

int main() {
    return run([](const engine &cpu) {
        const memory::dim batch = 64, features = 16;
        const std::vector<float> inputs = numbers(batch * features, 1),
                                 truth = numbers(features, 2);
        std::vector<float> wanted(batch);
        for (memory::dim i = 0; i < batch * features; ++i)
            wanted[i / features] += inputs[i] * truth[i % features];

        const double with = fit(true, inputs, wanted, truth, batch, cpu);
        const double without = fit(false, inputs, wanted, truth, batch, cpu);
        std::printf(
            "largest error of a weight: %.4f with f32 masters, %.4f without\n", with, without);
        expect(with < 0.02, "with masters the weights are found");
        expect(without > 3 * with, "without masters the steps are lost to rounding");
    });
}
