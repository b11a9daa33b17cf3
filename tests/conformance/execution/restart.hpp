// SPDX-License-Identifier: Apache-2.0
// Runs this program again under another instruction-set cap or number of threads: both take
// effect once per process.
#pragma once

#include <string>
#include <vector>

namespace conformance {

/// The instruction-set caps that the default set visits, as ONEDNN_MAX_CPU_ISA names them.
std::vector<std::string> default_caps();

/// True if the library may use everything of `cap` in this process; false names the reason.
bool reaches_cap(const std::string &cap, std::string &why_not);

/// Runs `arguments` once per cap; prints a table; the exit status is 1 if any run failed.
int run_per_cap(const std::vector<std::string> &arguments, const std::vector<std::string> &caps);

/// Runs `arguments` once per number of threads and compares the result bits of every case.
int run_per_thread_count(
    const std::vector<std::string> &arguments, const std::vector<std::string> &counts);

} // namespace conformance
