// SPDX-License-Identifier: Apache-2.0
// What a mode does with a case.
#pragma once

#include "execution/execution.hpp"
#include "execution/interpreter.hpp"

namespace conformance {

/// What creation on another thread came to: a descriptor that the filter accepts with its primitive
/// (none if there is none), or an exception.
struct made_ahead {
    dnnl::primitive_desc_base pd;
    dnnl::primitive primitive;
    std::exception_ptr fault;
};

class runner {
  public:
    /// Without `judges` the bits of results are recorded only.
    runner(std::uint64_t seed, bool judges) : seed_(seed), judges_(judges) {}
    /// Runs case number `index`, with what was `made` ahead or null. Errors: usage_error.
    case_result run(const test_case &c, const run_options &options, std::size_t index,
        const made_ahead *made = nullptr);
    const dnnl::engine &engine() const { return place_.engine(); }

  private:
    void run_mode_of(const test_problem &problem, const run_options &options,
        const made_ahead *made, case_result &result);

    dnnl::primitive_desc_base created(const test_problem &problem) const;
    /// The next implementation; false at the end.
    bool advance(const test_problem &problem, dnnl::primitive_desc_base &pd) const;
    /// Goes to the first implementation that the filter accepts.
    void select(const test_problem &problem, const implementation_filter &filter,
        dnnl::primitive_desc_base &pd) const;
    void check_implementation(const test_problem &problem, const dnnl::primitive_desc_base &pd,
        const global_options &options) const;

    /// Mode C: every implementation that the filter accepts, with three fills.
    void judge_all(const test_problem &problem, const implementation_filter &filter,
        dnnl::primitive_desc_base pd, case_result &result);
    /// The names of the implementations that next_impl() shows, nothing executed.
    void walk(const test_problem &problem, dnnl::primitive_desc_base pd, case_result &result) const;
    std::vector<evaluation> evaluate(const test_problem &problem) const;
    execution_result judge_implementation(const test_problem &problem,
        const std::vector<evaluation> &evaluations, const dnnl::primitive_desc_base &pd,
        case_result &of_case);
    /// Inputs without results, by a fill or by a constant.
    evaluation inputs(const test_problem &problem, fill kind, bool constant) const;
    /// Mode R: once, unchecked.
    void execute_once(const test_problem &problem, const dnnl::primitive_desc_base &pd,
        const global_options &options);
    /// Mode B: twice, equal bits.
    void repeat(
        const test_problem &problem, const dnnl::primitive_desc_base &pd, case_result &result);
    /// Modes P and F.
    void measure(const test_problem &problem, const dnnl::primitive_desc_base &pd,
        const run_options &options, case_result &result);

    const std::uint64_t seed_;
    workplace place_;
    const bool judges_;
    bool template_printed_ = false;
    int verbose_ = 0; // of the case at hand
    std::string buffer_prefix_;
};

} // namespace conformance
