// SPDX-License-Identifier: Apache-2.0
// The first layer of a translator reads rows of a table. Their products with the layer's weights
// are formed once for the whole table, and a step copies a row of sums instead of multiplying: an
// LSTM on sums of gates.
#include "../example.hpp"
#include "claims.hpp"
#include "gate_sums.hpp"

#include <chrono>
#include <cmath>

#include <dnnl_ext.hpp>

using namespace examples;

namespace {

constexpr memory::dim words = 2000, E = 512, H = 512, gates = 4;
const auto to_right = dnnl::rnn_direction::unidirectional_left2right;

memory reordered(
    const engine &cpu, std::vector<float> &values, const memory::desc &wanted, tag plain) {
    const memory from({wanted.get_dims(), dt::f32, plain}, cpu, values.data());
    memory to(wanted, cpu);
    execute(dnnl::reorder(from, to), cpu, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    return to;
}

/// A decoder: one sentence, one word a call, states handed on. Either x with its weights, or sums.
class decoder {
  public:
    decoder(const engine &cpu, bool fused, std::vector<float> &embeddings,
        std::vector<float> &layer, std::vector<float> &iter, std::vector<float> &bias)
        : fused_(fused), stream_(cpu), table_(embeddings) {
        const memory::desc states({1, 1, 1, H}, dt::f32, tag::ldnc), none;
        const memory::desc dst({1, 1, H}, dt::f32, tag::tnc);
        const memory::desc bias_md({1, 1, gates, H}, dt::f32, tag::ldgo);
        const memory::desc iter_any({1, 1, H, gates, H}, dt::f32, tag::any);
        const memory::desc layer_any({1, 1, E, gates, H}, dt::f32, tag::any);
        const memory::desc x({1, 1, fused ? gates * H : E}, dt::f32, tag::tnc);
        const auto pd =
            fused ? dnnl::ext::lstm_of_gate_sums(
                        cpu, to_right, x, states, states, iter_any, bias_md, dst, states, states)
                  : dnnl::lstm_forward::primitive_desc(cpu, prop_kind::forward_inference, to_right,
                        x, states, states, layer_any, iter_any, bias_md, dst, states, states);
        lstm_ = dnnl::lstm_forward(pd);
        x_ = memory(x, cpu);
        h_ = memory(states, cpu);
        c_ = memory(states, cpu);
        dst_ = memory(dst, cpu);
        args_ = {{DNNL_ARG_SRC_LAYER, x_}, {DNNL_ARG_SRC_ITER, h_}, {DNNL_ARG_SRC_ITER_C, c_},
            {DNNL_ARG_WEIGHTS_ITER, reordered(cpu, iter, pd.weights_iter_desc(), tag::ldigo)},
            {DNNL_ARG_BIAS, memory(bias_md, cpu, bias.data())}, {DNNL_ARG_DST_LAYER, dst_},
            {DNNL_ARG_DST_ITER, h_}, {DNNL_ARG_DST_ITER_C, c_}};
        if (!fused)
            args_[DNNL_ARG_WEIGHTS_LAYER] =
                reordered(cpu, layer, pd.weights_layer_desc(), tag::ldigo);
        else
            table_ = techniques::products_of_table(cpu, table_, words, E, layer, gates * H);
    }

    /// The result of a sentence's last word; milliseconds in `took`.
    std::vector<float> run(const std::vector<int> &sentence, double &took) {
        for (const memory &state : {h_, c_})
            std::fill_n(static_cast<float *>(state.get_data_handle()), H, 0.f);
        const auto start = std::chrono::steady_clock::now();
        const memory::dim width = fused_ ? gates * H : E;
        for (const int word : sentence) {
            std::copy_n(
                table_.data() + word * width, width, static_cast<float *>(x_.get_data_handle()));
            lstm_.execute(stream_, args_);
        }
        stream_.wait();
        took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                   .count();
        const auto *out = static_cast<const float *>(dst_.get_data_handle());
        return {out, out + H};
    }

  private:
    bool fused_;
    dnnl::stream stream_;
    std::vector<float> table_;
    dnnl::lstm_forward lstm_;
    memory x_, h_, c_, dst_;
    std::unordered_map<int, memory> args_;
};

} // namespace

int main(int count, char **arguments) {
    return run([&](const engine &cpu) {
        techniques::claims c(count, arguments);
        const auto scaled = [](std::size_t n, int seed, float by) {
            std::vector<float> values = numbers(n, seed);
            for (float &v : values) v *= by;
            return values;
        };
        std::vector<float> embeddings = numbers(words * E, 1),
                           layer = scaled(E * gates * H, 2, .05f),
                           iter = scaled(H * gates * H, 3, .05f), bias = numbers(gates * H, 4);
        decoder plain(cpu, false, embeddings, layer, iter, bias),
            fused(cpu, true, embeddings, layer, iter, bias);
        random_source random(5);
        std::vector<int> sentence;
        for (int i = 0; i < 40; ++i) sentence.push_back(random.below(int(words)));
        std::vector<double> plain_times, fused_times;
        double error = 0, largest = 0;
        for (int round = 0; round < (c.timed() ? 31 : 1); ++round) {
            double plain_time = 0, fused_time = 0;
            const auto expected = plain.run(sentence, plain_time),
                       found = fused.run(sentence, fused_time);
            plain_times.push_back(plain_time);
            fused_times.push_back(fused_time);
            for (std::size_t i = 0; i < found.size(); ++i) {
                error = std::fmax(error, std::fabs(double(found[i]) - expected[i]));
                largest = std::fmax(largest, std::fabs(double(expected[i])));
            }
        }
        c.figure("S0-27", "error of 40 fused steps, as a part of the largest state",
            error / largest, "", "", error < 1e-5 * largest);
        if (c.timed()) {
            std::sort(plain_times.begin(), plain_times.end());
            std::sort(fused_times.begin(), fused_times.end());
            const double gain = plain_times[15] / fused_times[15];
            c.figure("S0-27", "gain of fusing, 512 / 512, batch 1, word by word", 100 * (gain - 1),
                "%", "about 20 %", gain > 1.15);
        }
        expect(c.finish() == 0, "every claim holds");
    });
}
