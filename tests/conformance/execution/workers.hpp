// SPDX-License-Identifier: Apache-2.0
// Cases spread over several processes; a process that dies costs its case, not the run.
#pragma once

#include "report/report.hpp"

#include <functional>

namespace conformance {

/// What a worker process sees of the run.
class worker {
  public:
    virtual ~worker() = default;
    /// True if the worker is to run case `index`; asked for every case of the run in ascending
    /// order. A case is claimed once over all workers. `line` names it if the worker dies.
    virtual bool claims(std::size_t index, const std::string &line) = 0;
    virtual void finish(const case_result &result) = 0;
};

/// Forks `jobs` processes that call `body` once each, and hands what they finish to `results`.
/// A worker that ends early counts as a failed case and is replaced. With `until_failure` no
/// further case is dealt out after the first that failed. This process must not have started
/// threads.
void run_in_workers(unsigned jobs, const std::function<void(worker &)> &body, report &results,
    bool until_failure = false);

/// The number of processes that suits this machine.
unsigned default_jobs();

/// Starts the program again with waiting threads that sleep, unless the environment already says
/// how threads wait: several processes share the cores.
void let_waiting_threads_sleep(char **argv);

} // namespace conformance
