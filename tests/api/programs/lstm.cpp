// SPDX-License-Identifier: Apache-2.0
// A recurrent network: one LSTM layer over a few time steps. Gates are in the order input, forget,
// candidate, output; the library chooses the layouts of the weights.
#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

const memory::dim STEPS = 4, N = 3, IN = 6, OUT = 5, GATES = 4;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

memory in_layout_of(const memory::desc &chosen, memory user, const engine &eng, stream &strm) {
    if (chosen == user.get_desc()) return user;
    memory result(chosen, eng);
    reorder(user, result).execute(strm, user, result);
    return result;
}

} // namespace

int main() {
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    std::vector<float> src = values(STEPS * N * IN, 1), h = values(N * OUT, 2),
                       c = values(N * OUT, 3);
    std::vector<float> w = values(IN * GATES * OUT, 4), u = values(OUT * GATES * OUT, 5);
    std::vector<float> bias = values(GATES * OUT, 6);
    std::vector<float> dst(STEPS * N * OUT), last_h(N * OUT), last_c(N * OUT);

    memory src_mem({{STEPS, N, IN}, dt::f32, tag::tnc}, eng, src.data());
    memory h_mem({{1, 1, N, OUT}, dt::f32, tag::ldnc}, eng, h.data());
    memory c_mem({{1, 1, N, OUT}, dt::f32, tag::ldnc}, eng, c.data());
    memory w_mem({{1, 1, IN, GATES, OUT}, dt::f32, tag::ldigo}, eng, w.data());
    memory u_mem({{1, 1, OUT, GATES, OUT}, dt::f32, tag::ldigo}, eng, u.data());
    memory bias_mem({{1, 1, GATES, OUT}, dt::f32, tag::ldgo}, eng, bias.data());
    memory dst_mem({{STEPS, N, OUT}, dt::f32, tag::tnc}, eng, dst.data());
    memory last_h_mem(h_mem.get_desc(), eng, last_h.data());
    memory last_c_mem(c_mem.get_desc(), eng, last_c.data());

    const lstm_forward::primitive_desc pd(eng, prop_kind::forward_inference,
        rnn_direction::unidirectional_left2right, src_mem.get_desc(), h_mem.get_desc(),
        c_mem.get_desc(), {{1, 1, IN, GATES, OUT}, dt::f32, tag::any},
        {{1, 1, OUT, GATES, OUT}, dt::f32, tag::any}, bias_mem.get_desc(), dst_mem.get_desc(),
        last_h_mem.get_desc(), last_c_mem.get_desc());
    lstm_forward(pd).execute(strm,
        {{DNNL_ARG_SRC_LAYER, src_mem}, {DNNL_ARG_SRC_ITER, h_mem}, {DNNL_ARG_SRC_ITER_C, c_mem},
            {DNNL_ARG_WEIGHTS_LAYER, in_layout_of(pd.weights_layer_desc(), w_mem, eng, strm)},
            {DNNL_ARG_WEIGHTS_ITER, in_layout_of(pd.weights_iter_desc(), u_mem, eng, strm)},
            {DNNL_ARG_BIAS, bias_mem}, {DNNL_ARG_DST_LAYER, dst_mem},
            {DNNL_ARG_DST_ITER, last_h_mem}, {DNNL_ARG_DST_ITER_C, last_c_mem}});
    strm.wait();

    std::vector<double> state(h.begin(), h.end()), cell(c.begin(), c.end()), expected;
    for (memory::dim t = 0; t < STEPS; ++t) {
        std::vector<double> next(N * OUT);
        for (memory::dim n = 0; n < N; ++n)
            for (memory::dim o = 0; o < OUT; ++o) {
                double gate[GATES];
                for (memory::dim g = 0; g < GATES; ++g) {
                    gate[g] = bias[g * OUT + o];
                    for (memory::dim i = 0; i < IN; ++i)
                        gate[g] +=
                            double {src[(t * N + n) * IN + i]} * w[(i * GATES + g) * OUT + o];
                    for (memory::dim i = 0; i < OUT; ++i)
                        gate[g] += state[n * OUT + i] * u[(i * GATES + g) * OUT + o];
                }
                double &kept = cell[n * OUT + o];
                kept = logistic(gate[1]) * kept + logistic(gate[0]) * std::tanh(gate[2]);
                next[n * OUT + o] = logistic(gate[3]) * std::tanh(kept);
            }
        state = next;
        expected.insert(expected.end(), next.begin(), next.end());
    }
    bool good = agree("dst_layer", dst, expected, 1e-5);
    good &= agree("dst_iter", last_h, state, 1e-5);
    good &= agree("dst_iter_c", last_c, cell, 1e-5);
    return good ? 0 : 1;
}
