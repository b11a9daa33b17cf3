// SPDX-License-Identifier: Apache-2.0
// Lines of --verbose.
#include "execution/diagnostics.hpp"

#include "language/text.hpp"

#include <cstdio>

namespace conformance {
namespace {

const char *name_of(role use) {
    return use == role::input ? "input" : use == role::output ? "output" : "input and output";
}

} // namespace

void print_memory(const test_problem &problem, const dnnl::primitive_desc_base &pd) {
    std::size_t total = 0;
    for (const tensor_spec &spec : problem.tensors) {
        if (!spec.passed) continue;
        const std::size_t bytes = concrete_desc(spec, pd).get_size();
        std::printf("memory: %s %s %s, %s, %zu bytes\n", spec.name.c_str(),
            name_of(spec.type).c_str(), dims_text(spec.shape).c_str(), name_of(spec.use), bytes);
        total += bytes;
    }
    const std::size_t scratchpad = pd.scratchpad_desc().get_size();
    std::printf("memory: %zu bytes of arguments, %zu bytes of scratchpad\n", total, scratchpad);
}

void print_fills(const test_problem &problem, std::uint64_t seed) {
    std::printf("fill: E small integers and powers of two, R reals over several exponents, X "
                "adversarial; seed %llu\n",
        static_cast<unsigned long long>(seed));
    for (const tensor_spec &spec : problem.tensors) {
        if (spec.use == role::output) continue;
        if (spec.has_constant) std::printf("fill: %s is %g\n", spec.name.c_str(), spec.constant);
        if (spec.reach > 0)
            std::printf("fill: %s lies in [-%g, %g]\n", spec.name.c_str(), spec.reach, spec.reach);
        if (spec.takes_nonfinite)
            std::printf("fill: X has NaN or infinity in %s\n", spec.name.c_str());
    }
    std::printf("compare: a result must be the rounding of a value that f32 arithmetic may give; "
                "padding must be 0\n");
}

void print_filter_step(const implementation_filter &filter, const std::string &implementation) {
    if (filter.names.empty()) return;
    std::printf("filter:%s %s %s\n", filter.text().c_str(),
        filter.accepts(implementation) ? "takes" : "passes over", implementation.c_str());
}

void print_cold_cache(const test_problem &problem, const std::string &cold) {
    if (cold == "none") return;
    for (const tensor_spec &spec : problem.tensors)
        if (cold == "all" || spec.holds == meaning::weights)
            std::printf("cold cache: %s is evicted before each run\n", spec.name.c_str());
}

void print_comparison(
    const tensor_spec &spec, const std::vector<interval> &expected, const tensor &got) {
    dims position(spec.shape.size(), 0);
    for (std::size_t i = 0; i < expected.size(); ++i, next_position(position, spec.shape)) {
        const interval &e = expected[i];
        const bool conforming = conforms(spec.type, e, got.values[i]);
        std::printf("compare: %s%s got %.9g exact %.9g allowed [%.9g, %.9g]%s%s\n",
            spec.name.c_str(), text_of(position).c_str(), got.values[i], e.value, e.low, e.high,
            e.any_allowed   ? ", anything"
            : e.nan_allowed ? ", NaN"
                            : "",
            conforming ? "" : " WRONG");
    }
}

} // namespace conformance
