// SPDX-License-Identifier: Apache-2.0
// Recurrent networks on sums of gates: what the network with weights_layer computes, in every row
// that takes them; and what is refused.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "checks.hpp"
#include "dnnl_ext.hpp"
#include "plain_values.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

const engine cpu(engine::kind::cpu, 0);
const memory::dim T = 3, MB = 5, SLC = 11, DHC = 37;
const rnn_direction forwards = rnn_direction::unidirectional_left2right;
const rnn_direction backwards = rnn_direction::unidirectional_right2left;
const prop_kind inference = prop_kind::forward_inference;

/// Numbers in -1 ... 1, in the type and layout of `md`.
memory filled(const memory::desc &md, unsigned seed) {
    std::vector<float> values(count_of(md));
    for (float &value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = float(seed >> 8) / float(1 << 23) - 1;
    }
    return made_of(values, md, cpu);
}

struct problem {
    memory::dim gates, biases;
    dt type;
    bool states;
    rnn_direction direction;

    memory::desc src() const { return memory::desc({T, MB, SLC}, type, tag::tnc); }
    memory::desc sums() const { return memory::desc({T, MB, gates * DHC}, dt::f32, tag::tnc); }
    memory::desc weights(memory::dim channels) const {
        return memory::desc({1, 1, channels, gates, DHC}, type, tag::any);
    }
    memory::desc bias() const { return memory::desc({1, 1, biases, DHC}, dt::f32, tag::ldgo); }
    memory::desc dst() const { return memory::desc({T, MB, DHC}, type, tag::tnc); }
    memory::desc state(dt t) const {
        return states ? memory::desc({1, 1, MB, DHC}, t, tag::ldnc) : memory::desc();
    }
};

/// src x weights of the layer, summed in double.
memory sums_of(const problem &p) {
    const std::vector<float> x = values_of(filled(p.src(), 1));
    const memory plain_weights =
        filled(memory::desc({1, 1, SLC, p.gates, DHC}, p.type, tag::ldigo), 2);
    const memory as_f32(memory::desc({1, 1, SLC, p.gates, DHC}, dt::f32, tag::ldigo), cpu);
    stream s(cpu);
    reorder(plain_weights, as_f32)
        .execute(s, const_cast<memory &>(plain_weights), const_cast<memory &>(as_f32));
    s.wait();
    const float *const w = static_cast<const float *>(as_f32.get_data_handle());
    const memory sums(p.sums(), cpu);
    float *const out = static_cast<float *>(sums.get_data_handle());
    const memory::dim columns = p.gates * DHC;
    for (memory::dim row = 0; row < T * MB; ++row)
        for (memory::dim column = 0; column < columns; ++column) {
            double sum = 0;
            for (memory::dim k = 0; k < SLC; ++k)
                sum += double(x[size_t(row * SLC + k)]) * w[k * columns + column];
            out[row * columns + column] = float(sum);
        }
    return sums;
}

struct results {
    std::vector<float> layer, state;
};

template <typename Cell>
results run(const typename Cell::primitive_desc &pd, const problem &p, bool on_sums) {
    std::unordered_map<int, memory> args;
    args[DNNL_ARG_SRC_LAYER] = on_sums ? sums_of(p) : filled(p.src(), 1);
    if (!on_sums) args[DNNL_ARG_WEIGHTS_LAYER] = filled(pd.weights_layer_desc(), 2);
    args[DNNL_ARG_WEIGHTS_ITER] = filled(pd.weights_iter_desc(), 3);
    args[DNNL_ARG_BIAS] = filled(p.bias(), 4);
    const memory dst(p.dst(), cpu);
    args[DNNL_ARG_DST_LAYER] = dst;
    memory last;
    if (p.states) {
        args[DNNL_ARG_SRC_ITER] = filled(p.state(p.type), 5);
        args[DNNL_ARG_DST_ITER] = last = memory(p.state(p.type), cpu);
        if (p.gates == 4) {
            args[DNNL_ARG_SRC_ITER_C] = filled(p.state(dt::f32), 6);
            args[DNNL_ARG_DST_ITER_C] = last = memory(p.state(dt::f32), cpu);
        }
    }
    stream s(cpu);
    Cell(pd).execute(s, args);
    s.wait();
    results found;
    found.layer = values_of(dst);
    if (p.states) found.state = values_of(last);
    return found;
}

void compare(const std::vector<float> &found, const std::vector<float> &expected, double bound,
    const std::string &what) {
    double error = found.size() == expected.size() ? 0 : 1e9, largest = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        error = std::fmax(error, std::fabs(double(found[i]) - expected[i]));
        largest = std::fmax(largest, std::fabs(double(expected[i])));
    }
    check(error <= bound && (expected.empty() || largest > .1),
        (what + ", error " + std::to_string(error)).c_str());
}

int rows = 0;

/// Every row that takes the network on sums, against the first one of the network with weights.
template <typename Cell>
void same(const typename Cell::primitive_desc &with_weights, typename Cell::primitive_desc on_sums,
    const problem &p) {
    const results expected = run<Cell>(with_weights, p, false);
    const double bound = p.type == dt::f32 ? 2e-6 : p.type == dt::f16 ? 4e-3 : 3e-2;
    do {
        ++rows;
        check(on_sums.src_layer_desc() == p.sums(), "src_layer has the sums");
        check(on_sums.weights_layer_desc().is_zero(), "there are no weights of the layer");
        const results found = run<Cell>(on_sums, p, true);
        const std::string what =
            std::string(on_sums.impl_info_str()) + ", " + std::to_string(p.gates) + " gates";
        compare(found.layer, expected.layer, bound, what);
        compare(found.state, expected.state, 2 * bound, what + ", last state");
    } while (on_sums.next_impl());
}

void all_cells(dt type, bool states, rnn_direction direction) {
    const primitive_attr none;
    const problem lstm {4, 4, type, states, direction};
    same<lstm_forward>(
        lstm_forward::primitive_desc(cpu, inference, direction, lstm.src(), lstm.state(type),
            lstm.state(dt::f32), lstm.weights(SLC), lstm.weights(DHC), lstm.bias(), lstm.dst(),
            lstm.state(type), lstm.state(dt::f32)),
        ext::lstm_of_gate_sums(cpu, direction, lstm.sums(), lstm.state(type), lstm.state(dt::f32),
            lstm.weights(DHC), lstm.bias(), lstm.dst(), lstm.state(type), lstm.state(dt::f32)),
        lstm);
    const problem gru {3, 3, type, states, direction};
    same<gru_forward>(
        gru_forward::primitive_desc(cpu, inference, direction, gru.src(), gru.state(type),
            gru.weights(SLC), gru.weights(DHC), gru.bias(), gru.dst(), gru.state(type)),
        ext::gru_of_gate_sums(cpu, direction, gru.sums(), gru.state(type), gru.weights(DHC),
            gru.bias(), gru.dst(), gru.state(type)),
        gru);
    const problem lbr {3, 4, type, states, direction};
    same<lbr_gru_forward>(
        lbr_gru_forward::primitive_desc(cpu, inference, direction, lbr.src(), lbr.state(type),
            lbr.weights(SLC), lbr.weights(DHC), lbr.bias(), lbr.dst(), lbr.state(type)),
        ext::gru_of_gate_sums<true>(cpu, direction, lbr.sums(), lbr.state(type), lbr.weights(DHC),
            lbr.bias(), lbr.dst(), lbr.state(type)),
        lbr);
}

dnnl_status_t created(dnnl_prop_kind_t prop, dnnl_rnn_direction_t direction,
    const memory::desc &src, const memory::desc &layer, const memory::desc &iter, dt type,
    memory::dim directions = 1) {
    const memory::desc dst({T, MB, directions * DHC}, type, tag::tnc);
    dnnl_primitive_desc_t pd = nullptr;
    const dnnl_status_t status = dnnl_lstm_forward_primitive_desc_create(&pd, cpu.get(), prop,
        direction, src.get(), nullptr, nullptr, layer.get(), iter.get(), nullptr, nullptr, nullptr,
        dst.get(), nullptr, nullptr, dnnl_ext_rnn_flags_gate_sums, nullptr);
    if (status == dnnl_success) dnnl_primitive_desc_destroy(pd);
    return status;
}

void refusals() {
    const auto to_right = dnnl_unidirectional_left2right;
    const memory::desc none, sums({T, MB, 4 * DHC}, dt::f32, tag::tnc);
    const auto iter = [](memory::dim layers, memory::dim directions, dt type) {
        return memory::desc({layers, directions, DHC, 4, DHC}, type, tag::any);
    };
    check(created(dnnl_forward_inference, to_right, sums, none, iter(1, 1, dt::f32), dt::f32) ==
              dnnl_success,
        "sums alone");
    check(created(dnnl_forward_training, to_right, sums, none, iter(1, 1, dt::f32), dt::f32) ==
              dnnl_unimplemented,
        "training");
    check(std::strstr(dnnl_ext_last_error(), "flags") != nullptr, "training: the reason");
    check(created(dnnl_forward_inference, to_right, sums,
              memory::desc({1, 1, 4 * DHC, 4, DHC}, dt::f32, tag::any), iter(1, 1, dt::f32),
              dt::f32) == dnnl_invalid_arguments,
        "weights of the layer");
    check(std::strstr(dnnl_ext_last_error(), "weights_layer") != nullptr, "weights: the reason");
    check(created(dnnl_forward_inference, to_right, sums, none, iter(2, 1, dt::f32), dt::f32) ==
              dnnl_invalid_arguments,
        "two layers");
    check(created(dnnl_forward_inference, dnnl_bidirectional_concat, sums, none,
              iter(1, 2, dt::f32), dt::f32, 2) == dnnl_invalid_arguments,
        "two directions");
    check(created(dnnl_forward_inference, to_right, memory::desc({T, MB, DHC}, dt::f32, tag::tnc),
              none, iter(1, 1, dt::f32), dt::f32) == dnnl_invalid_arguments,
        "sums of one gate");
    check(created(dnnl_forward_inference, to_right,
              memory::desc({T, MB, 4 * DHC}, dt::bf16, tag::tnc), none, iter(1, 1, dt::bf16),
              dt::bf16) == dnnl_unimplemented,
        "sums in bf16");
    check(created(dnnl_forward_inference, to_right, sums, none, iter(1, 1, dt::s8), dt::u8) ==
              dnnl_unimplemented,
        "8-bit states");
}

} // namespace

int main() {
    for (const dt type : {dt::f32, dt::bf16, dt::f16})
        for (const bool states : {false, true})
            for (const rnn_direction direction : {forwards, backwards})
                all_cells(type, states, direction);
    refusals();
    std::printf("%d networks, %d failures\n", rows, failures);
    return failures != 0 || rows < 36;
}
