// SPDX-License-Identifier: Apache-2.0
// Threads that create, and the queue of cases behind them.
#include "execution/creation_ahead.hpp"

#include "execution/threading_context.hpp"
#include "language/usage_error.hpp"

#include <algorithm>
#include <thread>

namespace conformance {

void creation_ahead::take(const test_case &c, const run_options &options, std::size_t index) {
    const bool is_created = options.global.mode != run_mode::list && index >= options.global.start;
    if (!options.global.create_in_parallel || !is_created) {
        finish();
        return on_result_(judge_.run(c, options, index));
    }
    waiting_.push_back(
        {c, options.global, options.filter, options.performance, index, nullptr, {}});
    try {
        waiting_.back().problem = make_problem(c);
    } catch (const std::runtime_error &) {
        // Skipped or malformed: run() meets it again.
    }
    if (waiting_.size() >= threads_) finish();
}

void creation_ahead::create(waiting_case &waiting) const {
    made_ahead &made = waiting.made;
    try {
        const threading_context creation(waiting.wanted, "ctx-init");
        made.pd = waiting.problem->create(judge_.engine(), waiting.problem->attributes());
        while (!waiting.filter.accepts(made.pd.impl_info_str()))
            if (dnnl_primitive_desc_next_impl(made.pd.get()) != dnnl_success) return;
        made.primitive = dnnl::primitive(made.pd.get());
    } catch (...) {
        made.fault = std::current_exception();
    }
}

// A fault on one of the threads names all cases that were being created.
void creation_ahead::create_all() {
    std::string lines, fault;
    for (const waiting_case &waiting : waiting_)
        lines += (lines.empty() ? "" : " ") + waiting.wanted.line();
    const auto action = [&] {
        std::vector<std::thread> threads;
        for (waiting_case &waiting : waiting_)
            if (waiting.problem) threads.emplace_back([&] { create(waiting); });
        for (std::thread &thread : threads) thread.join();
    };
    if (!runs_inside_memory(action, lines, fault)) throw std::runtime_error(fault);
}

void creation_ahead::finish() {
    if (waiting_.empty()) return;
    create_all();
    const std::vector<waiting_case> ready = std::move(waiting_);
    waiting_.clear();
    for (const waiting_case &next : ready) {
        const run_options options {next.global, next.filter, next.performance};
        on_result_(
            judge_.run(next.wanted, options, next.index, next.problem ? &next.made : nullptr));
    }
}

} // namespace conformance
