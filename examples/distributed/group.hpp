// SPDX-License-Identifier: Apache-2.0
// MPI as this folder needs it: ranks that sum, and what is said when one of them is lost.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace distributed {

/// Throws std::runtime_error with one line, `what` and MPI's own words, unless `status` is success.
void require_success(int status, const char *what);

/// Ranks that work together, 0 ... size() - 1. A failed call throws std::runtime_error.
class group {
  public:
    explicit group(MPI_Comm all);
    ~group();
    group(const group &) = delete;
    group &operator=(const group &) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    MPI_Comm handle() const { return all_; }

    /// The sums over all ranks, in place. The order of the terms is MPI's; of two ranks it does not
    /// matter.
    void sum(std::vector<double> &values) const;
    void sum(float *values, std::size_t count) const;
    void sum(std::int32_t *values, std::size_t count) const;
    double largest(double value) const;

    /// The bytes of rank 0 for all.
    void broadcast(std::string &bytes) const;

    /// Rank and number of ranks among those on this machine.
    std::pair<int, int> on_machine() const;

    void barrier() const;
    /// As barrier(), but whoever waits leaves the processor to others meanwhile.
    void sleeping_barrier() const;

  private:
    MPI_Comm all_ = MPI_COMM_NULL; // our own copy, whose errors come back as statuses
    int rank_ = 0, size_ = 1;
};

/// MPI from its first to its last call. What an exception leaves is ended with all other ranks.
class mpi_job {
  public:
    mpi_job(int &argc, char **&argv);
    ~mpi_job();
    mpi_job(const mpi_job &) = delete;
    mpi_job &operator=(const mpi_job &) = delete;

    const group &world() const { return *world_; }

    /// The first `count` ranks of the world; a null pointer on all others. A call of all ranks.
    const group *first_ranks(int count);

    /// What is printed when this process is ended from outside, as mpirun ends all ranks where one
    /// is lost. One line; the first two ranks print it.
    void set_farewell(const std::string &line) const;

    /// Ends all ranks with status 1 after a line that names this one.
    [[noreturn]] void end_all(const std::string &reason) const;

  private:
    std::unique_ptr<group> world_;
    std::vector<std::unique_ptr<group>> parts_; // of first_ranks()
};

} // namespace distributed
