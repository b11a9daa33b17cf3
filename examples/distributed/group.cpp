// SPDX-License-Identifier: Apache-2.0
// Calls of MPI with their errors, and the last words of a process.
#include "group.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include <unistd.h>

#include <fmt/format.h>

namespace distributed {
namespace {

// A signal handler may only write() what is ready.
char farewell[512];
volatile std::sig_atomic_t farewell_length = 0;

void say_farewell(int) {
    if (farewell_length > 0 && write(STDERR_FILENO, farewell, std::size_t(farewell_length)) < 0) {
        // Nobody is left to tell.
    }
    _exit(1);
}

} // namespace

void require_success(int status, const char *what) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(status, text, &length);
    std::replace(text, text + length, '\n', ' ');
    throw std::runtime_error(fmt::format("{}: {}", what, std::string(text, std::size_t(length))));
}

group::group(MPI_Comm all) {
    require_success(MPI_Comm_dup(all, &all_), "making a group of ranks");
    MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &size_);
}

group::~group() { MPI_Comm_free(&all_); }

void group::sum(std::vector<double> &values) const {
    require_success(
        MPI_Allreduce(MPI_IN_PLACE, values.data(), int(values.size()), MPI_DOUBLE, MPI_SUM, all_),
        "adding up the results of all ranks");
}

void group::sum(float *values, std::size_t count) const {
    require_success(MPI_Allreduce(MPI_IN_PLACE, values, int(count), MPI_FLOAT, MPI_SUM, all_),
        "adding up partial products");
}

void group::sum(std::int32_t *values, std::size_t count) const {
    require_success(MPI_Allreduce(MPI_IN_PLACE, values, int(count), MPI_INT32_T, MPI_SUM, all_),
        "adding up partial products");
}

double group::largest(double value) const {
    require_success(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, all_),
        "looking for the largest number of all ranks");
    return value;
}

void group::broadcast(std::string &bytes) const {
    auto size = std::uint64_t(bytes.size());
    require_success(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, all_), "handing on a file");
    bytes.resize(size);
    require_success(MPI_Bcast(bytes.data(), int(size), MPI_BYTE, 0, all_), "handing on a file");
}

std::pair<int, int> group::on_machine() const {
    MPI_Comm machine;
    require_success(MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine),
        "looking for the ranks of this machine");
    std::pair<int, int> found {0, 1};
    MPI_Comm_rank(machine, &found.first);
    MPI_Comm_size(machine, &found.second);
    MPI_Comm_free(&machine);
    return found;
}

void group::barrier() const { require_success(MPI_Barrier(all_), "waiting for all ranks"); }

void group::sleeping_barrier() const {
    MPI_Request request;
    require_success(MPI_Ibarrier(all_, &request), "waiting for all ranks");
    for (int done = 0; !done;) {
        require_success(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "waiting for all ranks");
        if (!done) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

mpi_job::mpi_job(int &argc, char **&argv) {
    int given = 0;
    // Primitives use their threads inside of one call; MPI is called between them, by one thread.
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
        throw std::runtime_error("MPI does not start");
    world_ = std::make_unique<group>(MPI_COMM_WORLD);
    std::signal(SIGTERM, say_farewell);
}

mpi_job::~mpi_job() {
    std::signal(SIGTERM, SIG_DFL);
    parts_.clear();
    world_.reset();
    MPI_Finalize();
}

const group *mpi_job::first_ranks(int count) {
    MPI_Comm part = MPI_COMM_NULL;
    require_success(MPI_Comm_split(world_->handle(), world_->rank() < count ? 0 : MPI_UNDEFINED,
                        world_->rank(), &part),
        "dividing the ranks");
    if (part == MPI_COMM_NULL) return nullptr;
    parts_.push_back(std::make_unique<group>(part));
    MPI_Comm_free(&part);
    return parts_.back().get();
}

void mpi_job::set_farewell(const std::string &line) const {
    if (world_->rank() > 1) return;
    const std::string text = fmt::format("rank {}: {}\n", world_->rank(), line);
    farewell_length = 0;
    std::strncpy(farewell, text.c_str(), sizeof(farewell) - 1);
    farewell_length = int(std::strlen(farewell));
}

void mpi_job::end_all(const std::string &reason) const {
    fmt::print(
        stderr, "rank {} of {}: {}; all ranks end\n", world_->rank(), world_->size(), reason);
    std::fflush(nullptr);
    farewell_length = 0;
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

} // namespace distributed
