// SPDX-License-Identifier: Apache-2.0
// What --verbose tells about a case (case-language.md 2).
#pragma once

#include "execution/execution.hpp"
#include "language/global_options.hpp"

namespace conformance {

/// The descriptor, size and use of every argument, and the scratchpad.
void print_memory(const test_problem &problem, const dnnl::primitive_desc_base &pd);

/// What the values of each fill are, and where buffers lie.
void print_fills(const test_problem &problem, std::uint64_t seed);

/// Whether the filter takes an implementation; nothing without a filter.
void print_filter_step(const implementation_filter &filter, const std::string &implementation);

/// The buffers that are evicted from the caches in front of each timed run.
void print_cold_cache(const test_problem &problem, const std::string &cold);

/// Every element: result, exact value, what is allowed.
void print_comparison(
    const tensor_spec &spec, const std::vector<interval> &expected, const tensor &got);

} // namespace conformance
