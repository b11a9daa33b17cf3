// SPDX-License-Identifier: Apache-2.0
// Modifier P of the case language: primitives of several cases are created at the same time, the
// cases run in their order.
#pragma once

#include "execution/runner.hpp"

namespace conformance {

class creation_ahead {
  public:
    using result_handler = std::function<void(const case_result &)>;

    /// `threads` cases at most are created at the same time, each on a thread of its own.
    creation_ahead(runner &judge, std::size_t threads, result_handler on_result)
        : judge_(judge), threads_(threads), on_result_(std::move(on_result)) {}
    /// Runs the case; one whose options ask for creation in parallel waits for its companions.
    void take(const test_case &c, const run_options &options, std::size_t index);
    /// Runs the cases that still wait.
    void finish();

  private:
    struct waiting_case {
        test_case wanted;
        global_options global;
        implementation_filter filter;
        performance_template performance;
        std::size_t index;
        std::unique_ptr<test_problem> problem; // null: the run will tell why
        made_ahead made;
    };
    void create(waiting_case &waiting) const;
    void create_all();

    runner &judge_;
    const std::size_t threads_;
    const result_handler on_result_;
    std::vector<waiting_case> waiting_;
};

} // namespace conformance
