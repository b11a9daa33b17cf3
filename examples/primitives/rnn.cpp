// SPDX-License-Identifier: Apache-2.0
// Vanilla RNN: h(t) = tanh(W x(t) + U h(t-1) + b), one layer, left to right. The LSTM of the
// tutorials shows packed weights and states that are handed on.
#include "../example.hpp"

using namespace examples;

int main() {
    return run([](const engine &cpu) {
        const memory::dim steps = 4, batch = 2, in = 3, hidden = 5, layers = 1, gates = 1;
        std::vector<float> x = numbers(steps * batch * in, 1), w = numbers(in * hidden, 2),
                           u = numbers(hidden * hidden, 3), b = numbers(hidden, 4),
                           h(steps * batch * hidden);
        const memory::desc x_md({steps, batch, in}, dt::f32, tag::tnc);
        const memory::desc w_md({layers, 1, in, gates, hidden}, dt::f32, tag::ldigo);
        const memory::desc u_md({layers, 1, hidden, gates, hidden}, dt::f32, tag::ldigo);
        const memory::desc b_md({layers, 1, gates, hidden}, dt::f32, tag::ldgo);
        const memory::desc h_md({steps, batch, hidden}, dt::f32, tag::tnc);
        const memory::desc none; // no initial state: zeros; no last state: not wanted

        const dnnl::vanilla_rnn_forward::primitive_desc pd(cpu, prop_kind::forward_inference,
            algorithm::eltwise_tanh, dnnl::rnn_direction::unidirectional_left2right, x_md, none,
            w_md, u_md, b_md, h_md, none);
        execute(dnnl::vanilla_rnn_forward(pd), cpu,
            {{DNNL_ARG_SRC_LAYER, memory(x_md, cpu, x.data())},
                {DNNL_ARG_WEIGHTS_LAYER, memory(w_md, cpu, w.data())},
                {DNNL_ARG_WEIGHTS_ITER, memory(u_md, cpu, u.data())},
                {DNNL_ARG_BIAS, memory(b_md, cpu, b.data())},
                {DNNL_ARG_DST_LAYER, memory(h_md, cpu, h.data())}});

        std::vector<float> expected(h.size());
        for (memory::dim t = 0; t < steps; ++t)
            for (memory::dim n = 0; n < batch; ++n)
                for (memory::dim o = 0; o < hidden; ++o) {
                    double sum = b[o];
                    for (memory::dim i = 0; i < in; ++i)
                        sum += x[(t * batch + n) * in + i] * w[i * hidden + o];
                    for (memory::dim i = 0; t > 0 && i < hidden; ++i)
                        sum += expected[((t - 1) * batch + n) * hidden + i] * u[i * hidden + o];
                    expected[(t * batch + n) * hidden + o] = float(std::tanh(sum));
                }
        expect_near("rnn", h, expected);
    });
}
