// SPDX-License-Identifier: Apache-2.0
// Gives each process of a machine cores and memory of its own.
#pragma once

#include <string>
#include <vector>

namespace placement {

/// Which cores process `rank` of `ranks` on one machine gets, out of `cores[domain]` cores of each
/// NUMA domain: a whole domain, or several, where there are enough of them, otherwise an equal
/// share of one. More processes than cores share them.
struct core_share {
    int first_domain = 0, domains = 1; // one after the other
    int first_core = 0, cores = 0;     // of the first domain; all cores where domains > 1
    bool operator==(const core_share &) const = default;
};
core_share share_of(int rank, int ranks, const std::vector<int> &cores);

/// Binds the calling process, its memory and the threads that it starts from now on, and makes
/// OpenMP use one thread for each of its cores unless OMP_NUM_THREADS is set. Says in a few words
/// what was done. Throws std::runtime_error where hwloc does not know the machine.
std::string place(int rank, int ranks);

/// NUMA domains that have cores.
int domain_count();

/// Threads of a parallel region from now on.
int thread_count();

} // namespace placement
