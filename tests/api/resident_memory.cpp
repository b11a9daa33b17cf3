// SPDX-License-Identifier: Apache-2.0
// Eight threads create, execute and destroy 10,000 primitives of all kinds, in sizes that grow and
// shrink. While these threads are alive and idle the process is not larger than half as much again
// as one that holds the largest primitive and its tensors.
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "scaled_primitives.hpp"

using namespace api_tests;

namespace {

constexpr int threads = 8, primitives = 10000, largest_every = 250;
constexpr memory::dim sizes = 12;

double resident_mb() {
    long pages = 0, resident = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    if (!file || std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
        throw std::runtime_error("cannot read /proc/self/statm");
    std::fclose(file);
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// A convolution in a layout that it copies: 32 MB of tensors and as much scratchpad.
primitive_desc_base largest(const engine &e) {
    const memory::desc image({1, 16, 512, 512}, type::f32, tag::nchw);
    return dnnl::convolution_forward::primitive_desc(e, prop_kind::forward_inference,
        algorithm::convolution_direct, image, {{16, 16, 1, 1}, type::f32, tag::any}, image, {1, 1},
        {0, 0}, {0, 0});
}

/// Returns the resident memory while the primitive and its tensors are alive.
double run(const engine &e, const primitive_desc_base &pd) {
    dnnl::stream s(e);
    const dnnl::primitive p(pd);
    const auto args = arguments_of(pd, e);
    p.execute(s, args);
    return resident_mb();
}

void run_share(int thread) {
    const engine e(engine::kind::cpu, 0);
    const auto &kinds = scaled_primitives();
    for (int i = 0; i < primitives / threads; ++i) {
        if (i % largest_every == largest_every / 2) {
            run(e, largest(e));
            continue;
        }
        const memory::dim step = i % (2 * sizes), size = step < sizes ? step : 2 * sizes - step;
        run(e, kinds[static_cast<std::size_t>(i + thread) % kinds.size()].second(e, 1 + size));
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(idle_threads_hold_little) {
    const engine e(engine::kind::cpu, 0);
    const double bound = 1.5 * run(e, largest(e));

    std::atomic<int> done {0}, failed {0};
    std::atomic<bool> may_end {false};
    std::vector<std::thread> started;
    for (int t = 0; t < threads; ++t)
        started.emplace_back([&, t] {
            try {
                run_share(t);
            } catch (const std::exception &e) {
                std::printf("thread %d: %s\n", t, e.what());
                ++failed;
            }
            ++done;
            while (!may_end) usleep(1000);
        });
    while (done < threads) usleep(1000);
    const double at_end = resident_mb();
    may_end = true;
    for (std::thread &thread : started) thread.join();
    std::printf("resident after %d primitives on %d threads: %.1f MB; the largest alone x 1.5: "
                "%.1f MB\n",
        primitives, threads, at_end, bound);
    BOOST_TEST(failed == 0);
    BOOST_TEST(at_end <= bound);
}
