// SPDX-License-Identifier: Apache-2.0
// Matmul around fork(): before any thread was started, after threads were, and while another thread
// of the parent computes. The threads of the runtime do not survive a fork, so a child must go on
// without them, with the same bits. Exits with 0 when every process did.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

// 2 x 256^3 operations are far more than the work for which threads are started.
constexpr memory::dim M = 256, N = 256, K = 256;
// A child that waits for threads that are gone would wait for ever.
constexpr unsigned seconds_to_live = 120;

struct product {
    engine eng {engine::kind::cpu, 0};
    memory::desc md {{M, K}, memory::data_type::f32, memory::format_tag::ab};
    matmul multiply {matmul::primitive_desc(eng, md, md, md)};
    std::vector<float> a = std::vector<float>(M * K), b = std::vector<float>(K * N);

    product() {
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = 0.01f * static_cast<float>(i % 97) - 0.5f;
            b[i] = 0.01f * static_cast<float>(i % 89) - 0.4f;
        }
    }

    std::vector<float> run(const matmul &by) {
        std::vector<float> c(M * N, -1.f);
        stream strm(eng);
        by.execute(strm, {{DNNL_ARG_SRC, memory(md, eng, a.data())},
                             {DNNL_ARG_WEIGHTS, memory(md, eng, b.data())},
                             {DNNL_ARG_DST, memory(md, eng, c.data())}});
        strm.wait();
        return c;
    }
    std::vector<float> run() { return run(multiply); }
};

/// The value of one element by definition, within the error of f32 sums.
bool close_to_definition(const product &p, const std::vector<float> &c) {
    for (memory::dim i = 0; i < M * N; i += 311) {
        double exact = 0, magnitude = 0;
        for (memory::dim k = 0; k < K; ++k) {
            const double term = double(p.a[i / N * K + k]) * double(p.b[k * N + i % N]);
            exact += term;
            magnitude += term < 0 ? -term : term;
        }
        const double difference = exact - double(c[i]);
        if (difference * difference > magnitude * magnitude * 1e-10) return false;
    }
    return true;
}

int threads_of_process() {
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    while (tasks && readdir(tasks)) ++count;
    if (tasks) closedir(tasks);
    return count - 2; // . and ..
}

/// True when the library was built with threads of its own and may use more than one CPU.
bool expects_threads() {
    cpu_set_t cpus;
    const unsigned runtime = dnnl_version()->cpu_runtime;
    return runtime != DNNL_RUNTIME_SEQ && runtime != DNNL_RUNTIME_THREADPOOL &&
           sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 1;
}

/// Runs body() in a child; true when the child ended with its answer `true`.
template <class Body> bool in_child(const char *name, const Body &body) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(seconds_to_live);
        _exit(body() ? 0 : 1);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        std::printf("%s: cannot fork\n", name);
        return false;
    }
    if (WIFSIGNALED(status))
        std::printf("%s: the child ended by signal %d\n", name, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        std::printf("%s: wrong in the child\n", name);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool same_bits(const std::vector<float> &x, const std::vector<float> &y) {
    return std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

/// In a child: the old primitive and a new one give the parent's bits without new threads.
bool child_computes(product &p, const std::vector<float> &expected) {
    const int threads = threads_of_process();
    return same_bits(p.run(), expected) &&
           same_bits(p.run(matmul(matmul::primitive_desc(p.eng, p.md, p.md, p.md))), expected) &&
           threads_of_process() == threads;
}

} // namespace

int main() {
    product p;
    // A child of a process without threads starts its own.
    bool good = in_child("before any thread", [&] {
        const int threads = threads_of_process();
        return close_to_definition(p, p.run()) &&
               (!expects_threads() || threads_of_process() > threads);
    });

    const int threads_before = threads_of_process();
    const std::vector<float> expected = p.run();
    good &= close_to_definition(p, expected);
    if (expects_threads() && threads_of_process() <= threads_before) {
        std::puts("the matmul of the parent started no thread");
        good = false;
    }
    good &= in_child("after threads", [&] { return child_computes(p, expected); });
    good &= in_child("in a child of a child",
        [&] { return in_child("grandchild", [&] { return child_computes(p, expected); }); });

    std::atomic<bool> stop {false}, computed {false};
    std::thread other([&] {
        while (!stop) {
            p.run();
            computed = true;
        }
    });
    while (!computed) std::this_thread::yield();
    good &= in_child("beside a computing thread", [&] { return child_computes(p, expected); });
    stop = true;
    other.join();

    good &= same_bits(p.run(), expected);
    if (good) std::puts("every process computed the same product");
    return good ? 0 : 1;
}
