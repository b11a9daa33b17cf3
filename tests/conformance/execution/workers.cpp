// SPDX-License-Identifier: Apache-2.0
// fork, a shared counter that deals out the cases, and pipes that carry the results.
#include "execution/workers.hpp"

#include "language/usage_error.hpp"
#include "report/case_record.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace conformance {
namespace {

// The case that a worker is at, for the process that finds it dead.
struct place {
    std::atomic<bool> busy;
    std::size_t index;
    char line[8192];
};

// Memory of all processes. Its zero bytes say: no case dealt out, nobody busy.
class shared_state {
  public:
    explicit shared_state(unsigned jobs) : bytes_(sizeof(contents) + jobs * sizeof(place)) {
        void *const memory =
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw usage_error("no shared memory");
        contents_ = static_cast<contents *>(memory);
    }
    shared_state(const shared_state &) = delete;
    shared_state &operator=(const shared_state &) = delete;
    ~shared_state() { munmap(contents_, bytes_); }
    /// The number of a case that nobody has.
    std::size_t next() { return contents_->next.fetch_add(1); }
    /// Numbers that no case has.
    void deal_no_more() { contents_->next = std::numeric_limits<std::size_t>::max() / 2; }
    place &at(unsigned i) { return reinterpret_cast<place *>(contents_ + 1)[i]; }

  private:
    struct alignas(place) contents {
        std::atomic<std::size_t> next; // behind it one place per worker
    };
    std::size_t bytes_;
    contents *contents_;
};

class forked_worker final : public worker {
  public:
    forked_worker(shared_state &shared, place &here, int pipe_end)
        : shared_(shared), here_(here), output_(fdopen(pipe_end, "w")), mine_(shared.next()) {}
    ~forked_worker() override { std::fclose(output_); }

    bool claims(std::size_t index, const std::string &line) override {
        if (index != mine_) return false;
        here_.index = index;
        here_.line[line.copy(here_.line, sizeof here_.line - 1)] = 0;
        here_.busy = true;
        return true;
    }

    void finish(const case_result &result) override {
        const std::string text = record_of(result) + "\n";
        std::fwrite(text.data(), 1, text.size(), output_);
        std::fflush(output_);
        here_.busy = false;
        mine_ = shared_.next();
    }

  private:
    shared_state &shared_;
    place &here_;
    std::FILE *const output_;
    std::size_t mine_;
};

// The parent's side of a worker.
struct connection {
    pid_t process = -1;
    int input = -1;
    std::string pending; // an unfinished line
};

class worker_pool {
  public:
    worker_pool(unsigned jobs, const std::function<void(worker &)> &body, report &results,
        bool until_failure)
        : body_(body), results_(results), until_failure_(until_failure), shared_(jobs),
          connections_(jobs) {}

    void run() {
        for (unsigned i = 0; i < connections_.size(); ++i) start(i);
        while (wait_for_input()) {}
    }

  private:
    void start(unsigned i) {
        int ends[2];
        if (pipe(ends) != 0) throw usage_error("no pipe");
        std::fflush(nullptr);
        connection &worker = connections_[i];
        worker.process = fork();
        if (worker.process < 0) throw usage_error("no process");
        if (worker.process == 0) work(i, ends[0], ends[1]);
        close(ends[1]);
        worker.input = ends[0];
    }

    [[noreturn]] void work(unsigned i, int read_end, int write_end) {
        close(read_end);
        for (const connection &other : connections_)
            if (other.input >= 0) close(other.input);
        {
            forked_worker self(shared_, shared_.at(i), write_end);
            body_(self);
        }
        std::exit(0);
    }

    // False when every worker has ended.
    bool wait_for_input() {
        std::vector<pollfd> inputs;
        std::vector<unsigned> workers;
        for (unsigned i = 0; i < connections_.size(); ++i) {
            if (connections_[i].input < 0) continue;
            inputs.push_back({connections_[i].input, POLLIN, 0});
            workers.push_back(i);
        }
        if (inputs.empty()) return false;
        poll(inputs.data(), nfds_t(inputs.size()), -1);
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (inputs[k].revents != 0) take_input(workers[k]);
        return true;
    }

    void take_input(unsigned i) {
        connection &worker = connections_[i];
        char bytes[1 << 16];
        const ssize_t length = read(worker.input, bytes, sizeof bytes);
        if (length <= 0) return finish(i);
        worker.pending.append(bytes, std::size_t(length));
        std::size_t start = 0, end;
        while ((end = worker.pending.find('\n', start)) != std::string::npos) {
            count(case_of(worker.pending.substr(start, end - start)));
            start = end + 1;
        }
        worker.pending.erase(0, start);
    }

    void count(const case_result &result) {
        results_.finish_case(result);
        if (until_failure_ && results_.failed() > 0) shared_.deal_no_more();
    }

    void finish(unsigned i) {
        connection &worker = connections_[i];
        close(worker.input);
        int status = 0;
        waitpid(worker.process, &status, 0);
        worker = {};
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
        place &at = shared_.at(i);
        case_result result;
        result.index = at.index;
        result.line = at.busy ? at.line : "";
        result.reason =
            (WIFEXITED(status)
                    ? "the process ended with status " + std::to_string(WEXITSTATUS(status))
                    : "the process ended by signal " + std::to_string(WTERMSIG(status))) +
            (at.busy ? "" : " between two cases");
        count(result);
        if (!at.busy.exchange(false)) return; // would happen again
        start(i);
    }

    const std::function<void(worker &)> &body_;
    report &results_;
    const bool until_failure_;
    shared_state shared_;
    std::vector<connection> connections_;
};

} // namespace

void run_in_workers(
    unsigned jobs, const std::function<void(worker &)> &body, report &results, bool until_failure) {
    worker_pool(jobs, body, results, until_failure).run();
}

unsigned default_jobs() { return std::max(1u, std::thread::hardware_concurrency()); }

void let_waiting_threads_sleep(char **argv) {
    if (getenv("OMP_WAIT_POLICY")) return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
}

} // namespace conformance
