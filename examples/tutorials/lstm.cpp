// SPDX-License-Identifier: Apache-2.0
// LSTM that reads a sequence in two parts: weights are packed once, the states of the first part go
// into the second, and the result is that of one pass over the whole.
#include "../example.hpp"

using namespace examples;

namespace {

struct lstm {
    engine cpu;
    memory::dim batch, channels;
    std::vector<float> weights_layer, weights_iter, bias;
    memory packed_layer, packed_iter; // made by the first read()

    /// Reads `steps` of `x`, changes the states h and c, and returns the hidden state of each step.
    std::vector<float> read(
        const float *x, memory::dim steps, std::vector<float> &h, std::vector<float> &c) {
        const memory::dim gates = 4;
        const memory::desc x_md({steps, batch, channels}, dt::f32, tag::tnc);
        const memory::desc state({1, 1, batch, channels}, dt::f32, tag::ldnc);
        const memory::desc plain({1, 1, channels, gates, channels}, dt::f32, tag::ldigo);
        const memory::desc open({1, 1, channels, gates, channels}, dt::f32, tag::any);
        const memory::desc bias_md({1, 1, gates, channels}, dt::f32, tag::ldgo);
        const dnnl::lstm_forward::primitive_desc pd(cpu, prop_kind::forward_inference,
            dnnl::rnn_direction::unidirectional_left2right, x_md, state, state, open, open, bias_md,
            x_md, state, state);

        // The packed layout does not depend on the number of steps: it is made for the first part.
        if (!packed_layer) {
            packed_layer = pack(weights_layer, plain, pd.weights_layer_desc());
            packed_iter = pack(weights_iter, plain, pd.weights_iter_desc());
        }
        expect(pd.weights_layer_desc() == packed_layer.get_desc(), "packed weights fit again");

        std::vector<float> source(x, x + steps * batch * channels), all(source.size());
        const memory h_m(state, cpu, h.data()), c_m(state, cpu, c.data());
        std::vector<float> new_h(h.size()), new_c(c.size());
        execute(dnnl::lstm_forward(pd), cpu,
            {{DNNL_ARG_SRC_LAYER, memory(x_md, cpu, source.data())}, {DNNL_ARG_SRC_ITER, h_m},
                {DNNL_ARG_SRC_ITER_C, c_m}, {DNNL_ARG_WEIGHTS_LAYER, packed_layer},
                {DNNL_ARG_WEIGHTS_ITER, packed_iter},
                {DNNL_ARG_BIAS, memory(bias_md, cpu, bias.data())},
                {DNNL_ARG_DST_LAYER, memory(x_md, cpu, all.data())},
                {DNNL_ARG_DST_ITER, memory(state, cpu, new_h.data())},
                {DNNL_ARG_DST_ITER_C, memory(state, cpu, new_c.data())}});
        h = new_h;
        c = new_c;
        return all;
    }

    memory pack(std::vector<float> &values, const memory::desc &plain, const memory::desc &wanted) {
        memory from(plain, cpu, values.data()), to(wanted, cpu);
        execute(dnnl::reorder(from, to), cpu, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
        return to;
    }
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

} // namespace

int main() {
    return run([](const engine &cpu) {
        const memory::dim steps = 6, batch = 2, n = 8, gates = 4;
        lstm network {cpu, batch, n, numbers(n * gates * n, 1), numbers(n * gates * n, 2),
            numbers(gates * n, 3), memory(), memory()};
        const std::vector<float> x = numbers(steps * batch * n, 4);

        std::vector<float> h(batch * n), c(batch * n);
        std::vector<float> result = network.read(x.data(), 2, h, c);
        const std::vector<float> rest = network.read(&x[2 * batch * n], steps - 2, h, c);
        result.insert(result.end(), rest.begin(), rest.end());

        // Gates in the order input, forget, candidate, output.
        std::vector<float> expected, state(batch * n), cell(batch * n);
        for (memory::dim t = 0; t < steps; ++t) {
            const std::vector<float> before = state;
            for (memory::dim b = 0; b < batch; ++b)
                for (memory::dim o = 0; o < n; ++o) {
                    double sum[4];
                    for (memory::dim g = 0; g < gates; ++g) {
                        sum[g] = network.bias[g * n + o];
                        for (memory::dim i = 0; i < n; ++i)
                            sum[g] +=
                                x[(t * batch + b) * n + i] *
                                    network.weights_layer[(i * gates + g) * n + o] +
                                before[b * n + i] * network.weights_iter[(i * gates + g) * n + o];
                    }
                    float &kept = cell[b * n + o];
                    kept = float(logistic(sum[1]) * kept + logistic(sum[0]) * std::tanh(sum[2]));
                    state[b * n + o] = float(logistic(sum[3]) * std::tanh(kept));
                }
            expected.insert(expected.end(), state.begin(), state.end());
        }
        expect_near("lstm in two parts", result, expected);
        expect_near("last state", h, state);
    });
}
