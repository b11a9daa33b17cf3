// SPDX-License-Identifier: Apache-2.0
// --ctx-init and --ctx-exe: the number of threads during creation or execution.
#pragma once

#include "language/case.hpp"

namespace conformance {

/// Sets the number of threads that the case asks for, and puts the old one back at its end. Only
/// the OpenMP runtime can be told; elsewhere, and for core types, it throws skipped_case.
class threading_context {
  public:
    threading_context(const test_case &c, const std::string &knob_name);
    threading_context(const threading_context &) = delete;
    threading_context &operator=(const threading_context &) = delete;
    ~threading_context();

  private:
    int before_ = 0; // 0: nothing was changed
};

/// Threads that the runtime of the process would use.
std::size_t threads_of_runtime();

} // namespace conformance
