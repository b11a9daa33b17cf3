// SPDX-License-Identifier: Apache-2.0
// What the small examples share: numbers to compute with, a check of the results, and the frame of
// main(), which prints an error and makes it the exit status. C++11.
#pragma once

#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <dnnl.hpp>

#include "random_source.hpp"

namespace examples {

using dnnl::algorithm;
using dnnl::engine;
using dnnl::memory;
using dnnl::prop_kind;
using dt = memory::data_type;
using tag = memory::format_tag;

/// `count` numbers between -1 and 1, the same in every run.
inline std::vector<float> numbers(std::size_t count, int seed = 1) {
    random_source random(static_cast<std::uint64_t>(seed));
    std::vector<float> values(count);
    for (float &v : values) v = static_cast<float>(random.uniform(-1, 1));
    return values;
}

/// Executes a primitive on the CPU and waits for its results.
inline void execute(
    const dnnl::primitive &p, const engine &cpu, const std::unordered_map<int, memory> &arguments) {
    dnnl::stream stream(cpu);
    p.execute(stream, arguments);
    stream.wait();
}

/// Throws unless the claim holds.
inline void expect(bool claim, const std::string &what) {
    if (!claim) throw std::runtime_error("not so: " + what);
}

/// Prints how far `got` is from `expected`, as a share of the largest expected magnitude, and
/// throws where it is more than `bound`.
inline void expect_near(const std::string &what, const std::vector<float> &got,
    const std::vector<float> &expected, double bound = 1e-5) {
    expect(got.size() == expected.size(), what + ": the numbers of elements agree");
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        largest = std::fmax(largest, std::fabs(expected[i]));
        error = std::fmax(error, std::fabs(double(got[i]) - expected[i]));
    }
    if (largest > 0) error /= largest;
    std::printf("%s: %zu values, error %.1e\n", what.c_str(), got.size(), error);
    expect(error <= bound, what + ": the error is at most " + std::to_string(bound));
}

/// The frame of main(): 0 where `body` returns, 1 and a line on stderr where it throws.
template <class Body> int run(const Body &body) {
    try {
        body(engine(engine::kind::cpu, 0));
        return 0;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    return 1;
}

} // namespace examples
