// SPDX-License-Identifier: Apache-2.0
// Times: of translations in turns, of the fused embeddings, of the search.
#include "figures.hpp"

#include "../techniques/gate_sums.hpp"
#include "../techniques/timing.hpp"
#include "../techniques/top_scores.hpp"

#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace nmt {

namespace {

double median_of(const contestant &one, const std::function<double(const costs &)> &of) {
    std::vector<double> values;
    for (const costs &round : one.rounds) values.push_back(of(round));
    return techniques::median(values);
}

/// One layer and what it reads: rows of a table, one a step.
class reader {
  public:
    reader(const engine &cpu, first_layer first, memory::dim hidden, const lstm_weights &layer,
        const std::vector<float> &table)
        : weights_(cpu, number::f32, first, hidden, {layer}, 1), stack_(weights_, 1, true),
          stream_(cpu), table_(table), hidden_(hidden),
          width_(std::size_t(first == first_layer::gate_sums ? 4 * hidden : hidden)) {}

    std::vector<float> read(const words &sentence, double &seconds) {
        stack_.clear();
        const auto start = std::chrono::steady_clock::now();
        for (const int word : sentence) {
            std::copy_n(&table_[std::size_t(word) * width_], width_,
                static_cast<float *>(stack_.input().get_data_handle()));
            stack_.step(stream_, 1);
        }
        stream_.wait();
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const auto *top = static_cast<const float *>(stack_.top().get_data_handle());
        return {top, top + hidden_};
    }

  private:
    stack_weights weights_;
    lstm_stack stack_;
    stream stream_;
    std::vector<float> table_;
    memory::dim hidden_;
    std::size_t width_;
};

std::vector<float> scaled(std::size_t count, int seed, float by) {
    std::vector<float> values = examples::numbers(count, seed);
    for (float &v : values) v *= by;
    return values;
}

} // namespace

void claim_search(techniques::claims &c) {
    examples::random_source random(3);
    std::vector<float> scores(32000);
    bool same = true;
    for (int tried = 0; tried < 4; ++tried) {
        for (float &s : scores) // many equal ones in half of them
            s = tried % 2 ? float(random.below(40)) : float(random.normal());
        same = same && techniques::equal(techniques::top_scores(scores.data(), int(scores.size())),
                           techniques::expected_top(scores));
    }
    c.holds("S0-32", "the sixteen best of 32,000 are those of a stable sort", same);
    if (!c.timed()) return;
    for (float &s : scores) s = float(random.normal());
    const double gain = techniques::gain_over_partial_sort(scores);
    c.figure("S0-32", "gain over partial_sort, 32,000 scores", gain, "times", "", gain >= 5);
}

void claim_fusion(const engine &cpu, techniques::claims &c) {
    constexpr std::size_t hidden = 512, count = 500;
    std::vector<float> table = examples::numbers(count * hidden, 1);
    lstm_weights layer {scaled(hidden * 4 * hidden, 2, .05f), scaled(hidden * 4 * hidden, 3, .05f),
        examples::numbers(4 * hidden, 4)};
    reader plain(cpu, first_layer::embeddings, hidden, layer, table);
    reader fused(cpu, first_layer::gate_sums, hidden, layer,
        techniques::products_of_table(cpu, table, count, hidden, layer.layer, 4 * hidden));
    words sentence;
    examples::random_source random(5);
    for (int i = 0; i < 40; ++i) sentence.push_back(random.below(int(count)));
    std::vector<double> plain_times, fused_times;
    double error = 0;
    for (int round = 0; round < (c.timed() ? 31 : 1); ++round) {
        double seconds = 0;
        const std::vector<float> expected = plain.read(sentence, seconds);
        plain_times.push_back(seconds);
        const std::vector<float> found = fused.read(sentence, seconds);
        fused_times.push_back(seconds);
        for (std::size_t i = 0; i < found.size(); ++i)
            error = std::fmax(error, std::fabs(double(found[i]) - expected[i]));
    }
    c.figure(
        "S0-27", "largest error of 40 fused steps, states below 1", error, "", "", error < 1e-5);
    if (!c.timed()) return;
    const double gain =
        100 * (techniques::median(plain_times) / techniques::median(fused_times) - 1);
    c.figure("S0-27", "gain of fused embeddings, 512 / 512, batch 1", gain, "%", "about 20 %",
        gain >= 15);
}

void claim_speed(const std::vector<contestant> &all, const options &o, techniques::claims &c) {
    const auto seconds = [](const costs &of) { return of.total(); };
    for (const contestant &one : all) {
        const std::string name = name_of(one.kind);
        c.figure(
            "S0-31", name + ": wasted steps of these sentences", one.rounds[0].wasted(), "%", "");
        if (!c.timed()) continue;
        double words = 0;
        for (const translation &t : one.found) words += double(t.target.size());
        const double time = median_of(one, seconds);
        c.figure("S0-33", name + ": sentences a second", double(one.found.size()) / time, "", "");
        c.figure("S0-33", name + ": words a second", words / time, "", "");
        for (int p = 0; p < parts; ++p)
            c.figure("S0-33", fmt::format("{}: share of time, {}", name, part_names[p]),
                median_of(one,
                    [&](const costs &of) { return 100 * of.seconds[std::size_t(p)] / of.total(); }),
                "%", "");
        if (one.kind == number::f32) continue;
        // Small networks and bf16 without its instructions need not gain.
        const double gain = median_of(all[0], seconds) / time;
        c.figure("S0-33", name + ": gain over f32", gain, "times",
            one.kind == number::int8 ? "1.5 times and more" : "",
            o.quick || one.kind == number::bf16 || gain > 1);
    }
}

} // namespace nmt
