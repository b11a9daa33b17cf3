// SPDX-License-Identifier: Apache-2.0
// What needs no other rank: the division of cores, the cost model, checkpoints, parts of a block.
#include "../../int8_accuracy/data/checked_file.hpp"
#include "../../int8_accuracy/execution/program.hpp"
#include "../../int8_accuracy/networks/network_text.hpp"
#include "../../int8_accuracy/tests/checks.hpp"
#include "../../placement/placement.hpp"
#include "../../random_source.hpp"
#include "../checkpoint.hpp"
#include "../cost_model.hpp"
#include "../transformer_block.hpp"

#include <cmath>
#include <fstream>

#include <fmt/format.h>

using namespace distributed;
using int8_accuracy::checks;
using placement::core_share;
using placement::share_of;

namespace {

void cores_are_divided(checks &check) {
    check.that(share_of(0, 1, {8, 8}) == core_share {0, 2, 0, 8}, "one rank has all domains");
    check.that(share_of(1, 2, {8, 8}) == core_share {1, 1, 0, 8}, "two ranks: a domain each");
    check.that(share_of(2, 4, {8, 8}) == core_share {1, 1, 0, 4}, "four ranks: half a domain each");
    check.that(share_of(1, 3, {4}) == core_share {0, 1, 1, 1} &&
                   share_of(2, 3, {4}) == core_share {0, 1, 2, 2},
        "three ranks in one domain of four cores: one, one, two");
    check.that(share_of(3, 4, {2}) == core_share {0, 1, 1, 1}, "more ranks than cores share them");
    bool whole = true;
    for (int ranks = 1; ranks <= 40; ++ranks) {
        std::vector<int> used(3);
        for (int r = 0; r < ranks; ++r) {
            const core_share s = share_of(r, ranks, {6, 5, 8});
            for (int d = s.first_domain; d < s.first_domain + s.domains; ++d)
                used[std::size_t(d)] +=
                    s.domains > 1 ? std::vector<int> {6, 5, 8}[std::size_t(d)] : s.cores;
        }
        whole = whole && used[0] >= 6 && used[1] >= 5 && used[2] >= 8;
    }
    check.that(whole, "no core of three domains is left out by 1 to 40 ranks");
}

void costs_are_right(checks &check) {
    const connection by {1e-6, 1e9};
    const auto near = [](double a, double b) { return std::fabs(a - b) < 1e-9 * b; };
    check.that(sum_seconds(by, 4e6, 1) == 0, "one rank sums nothing");
    check.that(near(sum_seconds(by, 4e6, 2), 2e-6 + 4e-3), "two ranks: two messages");
    check.that(
        near(sum_seconds(by, 4e6, 1024), 20e-6 + 8e-3 * 1023 / 1024), "1024 ranks: 10 rounds");
    const connection found = connection_of(8, sum_seconds(by, 8, 2), 1e6, sum_seconds(by, 1e6, 2));
    check.that(near(found.latency, by.latency) && near(found.bandwidth, by.bandwidth),
        "the connection is found from two sums");
    const training_cost cost {.01, .005, 8e6, 1e6};
    check.that(near(training_step(cost, by, 1, 2), .02), "one rank computes its shares");
    const double last = sum_seconds(by, 1e6, 2), before = sum_seconds(by, 7e6, 2);
    check.that(near(training_step(cost, by, 2, 1), .01 + last + before - .005),
        "what the backward pass does not hide is waited for");
    check.that(near(training_step({.01, .5, 8e6, 1e6}, by, 2, 1), .01 + last),
        "a long backward pass hides all but the last sum");
    check.that(
        near(inference_pass({.008, .001, 4, 1e6}, by, 4), .003 + 4 * sum_seconds(by, 1e6, 4)),
        "inference: a quarter of what is divided, and four sums");
}

void checkpoints_are_checked(checks &check, const std::filesystem::path &folder) {
    using namespace int8_accuracy;
    const network net = parse_network("input 1 4 4\nconvolution 2 kernel 3\nnormalization\n"
                                      "average\ndense 3\n",
        "test");
    checkpoint kept {
        {net, random_parameters(net, 1), {.5f}, {.2f}}, {7, {}}, "batch 4", {1.5, 1.25}};
    for (const layer_parameters &p : kept.trained.learned)
        for (const auto *values : {&p.weights, &p.recurrent, &p.bias})
            if (!values->empty()) kept.moments.moments.emplace_back(values->size(), .25f);
    std::filesystem::create_directories(folder);
    const std::filesystem::path file = folder / "state";
    write_checkpoint(kept, file);
    const std::string bytes = file_bytes(file);
    const checkpoint back = parse_checkpoint(bytes, "state", net, "batch 4");
    check.that(back.losses == kept.losses && back.moments.steps == 7 &&
                   back.moments.moments == kept.moments.moments &&
                   back.trained.learned[1].weights == kept.trained.learned[1].weights &&
                   back.trained.learned[2].variance == kept.trained.learned[2].variance,
        "a checkpoint comes back as it was written");
    check.refuses([&] { parse_checkpoint(bytes, "state", net, "batch 8"); },
        "state: of a run with batch 4, not batch 8", "other settings");
    check.refuses(
        [&] {
            parse_checkpoint(
                bytes, "state", parse_network("input 1 4 4\ndense 3\n", "t"), "batch 4");
        },
        "state: weights of another network", "another network");
    bool refused = true;
    for (std::size_t cut = 0; cut < bytes.size(); cut += 3) {
        std::string damaged = bytes;
        damaged[cut] = char(damaged[cut] ^ 16);
        for (const std::string &bad : {bytes.substr(0, cut), damaged}) try {
                parse_checkpoint(bad, "state", net, "batch 4");
                refused = false;
            } catch (const std::runtime_error &) {
                // As it should be.
            }
    }
    check.that(refused, "every shorter file and every third changed byte is refused");
    check.refuses([&] { write_checkpoint(kept, folder / "none" / "state"); }, "cannot write",
        "a folder that is not there");
}

/// The result of a block in so many parts, the sums made here.
std::vector<float> block_in_parts(const dnnl::engine &engine, const block_shape &shape,
    const block_weights &weights, int parts, const block_ranges *ranges, const dnnl::memory &x,
    block_ranges *seen = nullptr) {
    std::vector<std::unique_ptr<block_part>> all;
    for (int p = 0; p < parts; ++p)
        all.push_back(std::make_unique<block_part>(engine, shape, weights, p, parts, ranges));
    dnnl::stream stream(engine);
    const auto add_up = [&] {
        const std::size_t count = std::size_t(shape.tokens) * std::size_t(shape.channels);
        const auto sum = [&]<typename Number>(Number) {
            std::vector<Number> total(count);
            for (const auto &part : all)
                for (std::size_t i = 0; i < count; ++i)
                    total[i] += static_cast<Number *>(part->partial_sum().get_data_handle())[i];
            for (const auto &part : all)
                std::copy(total.begin(), total.end(),
                    static_cast<Number *>(part->partial_sum().get_data_handle()));
        };
        ranges ? sum(std::int32_t()) : sum(float());
    };
    for (const auto &part : all) part->attend(stream, x);
    add_up();
    for (const auto &part : all) part->feed_forward(stream);
    add_up();
    std::vector<float> result;
    for (const auto &part : all) result = int8_accuracy::values_of(part->finish(stream));
    if (seen) *seen = all[0]->seen();
    return result;
}

/// The block in double, as its formulas say.
std::vector<float> expected_block(
    const block_shape &s, const block_weights &w, const std::vector<float> &x) {
    const int T = s.tokens, C = s.channels, H = s.hidden, d = s.head_channels();
    const auto product = [](const std::vector<double> &a, const std::vector<float> &b, int K, int N,
                             const std::vector<float> &bias) {
        std::vector<double> c(a.size() / std::size_t(K) * std::size_t(N));
        for (std::size_t i = 0; i < c.size(); ++i) {
            c[i] = bias[i % std::size_t(N)];
            for (int k = 0; k < K; ++k)
                c[i] += a[i / std::size_t(N) * std::size_t(K) + std::size_t(k)] *
                        b[std::size_t(k * N) + i % std::size_t(N)];
        }
        return c;
    };
    const auto normalized = [&](std::vector<double> a, const std::vector<double> &b) {
        for (int t = 0; t < T; ++t) {
            double *row = a.data() + t * C;
            double mean = 0, variance = 0;
            for (int c = 0; c < C; ++c) mean += (row[c] += b[std::size_t(t * C + c)]) / C;
            for (int c = 0; c < C; ++c) variance += (row[c] - mean) * (row[c] - mean) / C;
            for (int c = 0; c < C; ++c) row[c] = (row[c] - mean) / std::sqrt(variance);
        }
        return a;
    };
    const std::vector<double> source(x.begin(), x.end());
    const auto q = product(source, w.query, C, C, w.query_bias),
               k = product(source, w.key, C, C, w.key_bias),
               v = product(source, w.value, C, C, w.value_bias);
    std::vector<double> mixed(source.size());
    for (int head = 0; head < s.heads; ++head)
        for (int t = 0; t < T; ++t) {
            std::vector<double> share(static_cast<std::size_t>(T));
            double sum = 0;
            for (int u = 0; u < T; ++u) {
                double dot = 0;
                for (int c = head * d; c < (head + 1) * d; ++c)
                    dot += q[std::size_t(t * C + c)] * k[std::size_t(u * C + c)];
                sum += share[std::size_t(u)] = std::exp(dot / std::sqrt(double(d)));
            }
            for (int u = 0; u < T; ++u)
                for (int c = head * d; c < (head + 1) * d; ++c)
                    mixed[std::size_t(t * C + c)] +=
                        share[std::size_t(u)] / sum * v[std::size_t(u * C + c)];
        }
    const auto middle = normalized(product(mixed, w.output, C, C, w.output_bias), source);
    auto hidden = product(middle, w.widen, C, H, w.widen_bias);
    for (double &h : hidden) h *= .5 * (1 + std::erf(h / std::sqrt(2.)));
    const auto result = normalized(product(hidden, w.narrow, H, C, w.narrow_bias), middle);
    return {result.begin(), result.end()};
}

double error_of(const std::vector<float> &found, const std::vector<float> &expected) {
    double most = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        most = std::max(most, std::fabs(double(found[i]) - expected[i]));
    return most;
}

void blocks_are_divided(checks &check) {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const block_shape shape {10, 48, 6, 96};
    const block_weights weights = random_block(shape, 3);
    examples::random_source random(5);
    std::vector<float> input(std::size_t(shape.tokens) * std::size_t(shape.channels));
    for (float &v : input) v = float(random.normal());
    const dnnl::memory x = int8_accuracy::filled_memory(engine,
        {{shape.tokens, shape.channels}, dnnl::memory::data_type::f32,
            dnnl::memory::format_tag::ab},
        input);
    const std::vector<float> expected = expected_block(shape, weights, input);
    block_ranges ranges;
    const auto exact = block_in_parts(engine, shape, weights, 1, nullptr, x, &ranges);
    const double error = error_of(exact, expected);
    check.that(error < 1e-5, fmt::format("f32, one part: error {:.1e}", error));
    const auto bytes = block_in_parts(engine, shape, weights, 1, &ranges, x);
    const double byte_error = error_of(bytes, expected);
    check.that(byte_error > 1e-4 && byte_error < .15,
        fmt::format("int8, one part: error {:.1e}", byte_error));
    for (int parts : {2, 3, 6}) {
        const double f32_error =
            error_of(block_in_parts(engine, shape, weights, parts, nullptr, x), expected);
        check.that(f32_error < 1e-5, fmt::format("f32, {} parts: error {:.1e}", parts, f32_error));
        check.that(block_in_parts(engine, shape, weights, parts, &ranges, x) == bytes,
            fmt::format("int8, {} parts: the bits of one", parts));
    }
    check.refuses([&] { block_part(engine, shape, weights, 0, 4, nullptr); },
        "48 channels in 6 heads and 96 hidden ones cannot be divided into 4 equal parts",
        "six heads in four parts");
}

} // namespace

int main(int count, char **arguments) {
    checks check;
    cores_are_divided(check);
    costs_are_right(check);
    checkpoints_are_checked(check, count > 1 ? arguments[1] : "units");
    blocks_are_divided(check);
    return check.status();
}
