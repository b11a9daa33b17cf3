// SPDX-License-Identifier: Apache-2.0
// Binds processes by hwloc.
#include "placement.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <hwloc.h>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace placement {
namespace {

using topology_pointer = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;
using bitmap_pointer = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

topology_pointer load_topology() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) != 0)
        throw std::runtime_error("hwloc does not know this machine: try --no-placement");
    return {topology, hwloc_topology_destroy};
}

/// The cores of each NUMA domain, as sets of processing units.
std::vector<std::vector<hwloc_const_cpuset_t>> cores_of_domains(hwloc_topology_t topology) {
    std::vector<std::vector<hwloc_const_cpuset_t>> found;
    const int domains = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    for (int n = 0; n < std::max(1, domains); ++n) {
        const hwloc_obj_t domain =
            domains > 0 ? hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, unsigned(n))
                        : hwloc_get_root_obj(topology);
        std::vector<hwloc_const_cpuset_t> cores;
        for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_inside_cpuset_by_type(
                                              topology, domain->cpuset, HWLOC_OBJ_CORE, core));)
            cores.push_back(core->cpuset);
        if (!cores.empty()) found.push_back(cores); // a domain may have memory alone
    }
    if (found.empty()) throw std::runtime_error("hwloc finds no cores: try --no-placement");
    return found;
}

void use_threads(int count) {
    if (std::getenv("OMP_NUM_THREADS")) return;
#ifdef _OPENMP
    omp_set_num_threads(count);
#else
    (void)count;
#endif
}

} // namespace

core_share share_of(int rank, int ranks, const std::vector<int> &cores) {
    const int domains = int(cores.size());
    if (ranks <= domains) {
        const int first = rank * domains / ranks, next = (rank + 1) * domains / ranks;
        return {first, next - first, 0, cores[std::size_t(first)]};
    }
    // The ranks of domain d are those with rank x domains / ranks == d.
    const int domain = rank * domains / ranks;
    const int first_rank = (domain * ranks + domains - 1) / domains;
    const int next_rank = ((domain + 1) * ranks + domains - 1) / domains;
    const int here = next_rank - first_rank, index = rank - first_rank;
    const int all = cores[std::size_t(domain)];
    const int begin = index * all / here, end = std::max(begin + 1, (index + 1) * all / here);
    return {domain, 1, begin, end - begin};
}

std::string place(int rank, int ranks) {
    const topology_pointer topology = load_topology();
    const auto domains = cores_of_domains(topology.get());
    std::vector<int> counts;
    for (const auto &cores : domains) counts.push_back(int(cores.size()));
    const core_share share = share_of(rank, ranks, counts);

    const bitmap_pointer set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
    int cores = 0;
    for (int d = share.first_domain; d < share.first_domain + share.domains; ++d) {
        const auto &here = domains[std::size_t(d)];
        const std::size_t begin = share.domains > 1 ? 0 : std::size_t(share.first_core);
        const std::size_t end = share.domains > 1 ? here.size() : begin + std::size_t(share.cores);
        for (std::size_t c = begin; c < end; ++c, ++cores)
            hwloc_bitmap_or(set.get(), set.get(), here[c]);
    }
    use_threads(cores);
    if (hwloc_set_cpubind(topology.get(), set.get(), HWLOC_CPUBIND_PROCESS) != 0)
        return fmt::format("not bound (the system refuses), {} threads", thread_count());
    // Where the system can't bind memory, pages still come from the domain that first writes them.
    hwloc_set_membind(topology.get(), set.get(), HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_PROCESS);
    char text[256];
    hwloc_bitmap_list_snprintf(text, sizeof(text), set.get());
    return fmt::format("NUMA domain {}{}, processors {}, {} threads", share.first_domain,
        share.domains > 1 ? fmt::format(" to {}", share.first_domain + share.domains - 1) : "",
        text, thread_count());
}

int domain_count() { return int(cores_of_domains(load_topology().get()).size()); }

int thread_count() {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

} // namespace placement
