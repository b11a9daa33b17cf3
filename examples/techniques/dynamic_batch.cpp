// SPDX-License-Identifier: Apache-2.0
// Sentences of a batch have different lengths. A batch that shrinks when sentences end wastes few
// steps, one that runs to its longest sentence wastes more than it uses.
#include "../example.hpp"
#include "claims.hpp"
#include "sentence_lengths.hpp"

#include <algorithm>
#include <chrono>

using namespace examples;

namespace {

/// A decoder of one LSTM whose batch is the first `active` rows; the states of each sentence when
/// it ends.
class decoder {
  public:
    static constexpr memory::dim H = 256, gates = 4;

    decoder(const engine &cpu, int batch) : cpu_(cpu), stream_(cpu), batch_(batch) {
        for (int active = 1; active <= batch; ++active) {
            const memory::desc states({1, 1, active, H}, dt::f32, tag::ldnc),
                rows({1, active, H}, dt::f32, tag::tnc),
                weights({1, 1, H, gates, H}, dt::f32, tag::any),
                bias({1, 1, gates, H}, dt::f32, tag::ldgo);
            pds_.emplace_back(cpu, prop_kind::forward_inference,
                dnnl::rnn_direction::unidirectional_left2right, rows, states, states, weights,
                weights, bias, rows, states, states);
            cells_.emplace_back(pds_.back());
        }
        layer_ = packed(2);
        iter_ = packed(3);
        bias_ = numbers(gates * H, 4);
    }

    std::vector<float> run(const std::vector<int> &lengths, bool dynamic, double &took) {
        const std::size_t states = std::size_t(batch_) * H;
        std::vector<float> x = numbers(states, 5), h(states), c(states), out(states), ended(states);
        const auto start = std::chrono::steady_clock::now();
        const int longest = *std::max_element(lengths.begin(), lengths.end());
        int active = batch_;
        for (int step = 0; step < longest; ++step) {
            while (dynamic && lengths[std::size_t(active - 1)] <= step) --active;
            const auto &pd = pds_[std::size_t(active - 1)];
            const auto over = [&](const memory::desc &md, std::vector<float> &v) {
                return memory(md, cpu_, v.data());
            };
            cells_[std::size_t(active - 1)].execute(
                stream_, {{DNNL_ARG_SRC_LAYER, over(pd.src_layer_desc(), x)},
                             {DNNL_ARG_SRC_ITER, over(pd.src_iter_desc(), h)},
                             {DNNL_ARG_SRC_ITER_C, over(pd.src_iter_c_desc(), c)},
                             {DNNL_ARG_WEIGHTS_LAYER, layer_}, {DNNL_ARG_WEIGHTS_ITER, iter_},
                             {DNNL_ARG_BIAS, over(pd.bias_desc(), bias_)},
                             {DNNL_ARG_DST_LAYER, over(pd.dst_layer_desc(), out)},
                             {DNNL_ARG_DST_ITER, over(pd.dst_iter_desc(), h)},
                             {DNNL_ARG_DST_ITER_C, over(pd.dst_iter_c_desc(), c)}});
            stream_.wait();
            for (int j = 0; j < active; ++j)
                if (lengths[std::size_t(j)] == step + 1)
                    std::copy_n(h.begin() + j * H, H, ended.begin() + j * H);
        }
        took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return ended;
    }

  private:
    memory packed(int seed) {
        std::vector<float> values = numbers(H * gates * H, seed);
        for (float &v : values) v *= .05f;
        const memory::desc wanted = pds_.back().weights_layer_desc();
        const memory from({wanted.get_dims(), dt::f32, tag::ldigo}, cpu_, values.data());
        memory to(wanted, cpu_);
        execute(dnnl::reorder(from, to), cpu_, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
        return to;
    }

    engine cpu_;
    dnnl::stream stream_;
    int batch_;
    std::vector<dnnl::lstm_forward::primitive_desc> pds_; // of 1 ... batch sentences
    std::vector<dnnl::lstm_forward> cells_;
    memory layer_, iter_;
    std::vector<float> bias_;
};

} // namespace

int main(int count, char **arguments) {
    return run([&](const engine &cpu) {
        techniques::claims c(count, arguments);
        techniques::claim_waste(c, techniques::corpus(160000));
        const std::vector<int> lengths {60, 47, 41, 30, 26, 19, 11, 4};
        decoder d(cpu, int(lengths.size()));
        double still = 1e9, dynamic = 1e9, took = 0;
        bool equal = true;
        for (int round = 0; round < (c.timed() ? 9 : 1); ++round) {
            const auto expected = d.run(lengths, false, took);
            still = std::min(still, took);
            equal = d.run(lengths, true, took) == expected && equal;
            dynamic = std::min(dynamic, took);
        }
        c.holds("S0-31", "a batch that shrinks has the bits of one that does not", equal);
        if (c.timed())
            c.figure("S0-31", "gain on 8 sentences of 4 to 60 words", still / dynamic, "times", "",
                still > dynamic);
        expect(c.finish() == 0, "every claim holds");
    });
}
