// SPDX-License-Identifier: Apache-2.0
// A library that was built with DNNL_CPU_RUNTIME=THREADPOOL computes on the threads of the program.
// With another runtime this example says so and ends with 77, which CTest counts as skipped.
#include <cstdio>

#include <dnnl_config.h>

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_THREADPOOL
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <dnnl_threadpool.hpp>

#include "../example.hpp"

using namespace examples;

namespace {

thread_local bool in_parallel = false;

/// The smallest pool: it starts its threads for each call. A real one keeps them.
class plain_pool final : public dnnl::threadpool_interop::threadpool_iface {
  public:
    int calls = 0;

    int get_num_threads() const override { return 2; }
    bool get_in_parallel() const override { return in_parallel; }
    std::uint64_t get_flags() const override { return 0; } // parallel_for() waits
    void parallel_for(int n, const std::function<void(int, int)> &body) override {
        ++calls;
        std::atomic<int> next {0};
        const auto work = [&] {
            in_parallel = true;
            for (int i = next++; i < n; i = next++) body(i, n);
            in_parallel = false;
        };
        std::thread other(work);
        work();
        other.join();
    }
    void wait() override {}
};

} // namespace

int main() {
    return run([](const engine &cpu) {
        // Primitives are prepared before any stream is known: this says for how many threads.
        dnnl_threadpool_interop_set_max_concurrency(2);
        const memory::dim m = 256;
        std::vector<float> a = numbers(m * m, 1), b = numbers(m * m, 2), c(m * m), alone(m * m);
        const memory::desc md({m, m}, dt::f32, tag::ab);
        const dnnl::matmul product(dnnl::matmul::primitive_desc(cpu, md, md, md));
        const memory a_m(md, cpu, a.data()), b_m(md, cpu, b.data());

        plain_pool pool;
        dnnl::stream stream = dnnl::threadpool_interop::make_stream(cpu, &pool);
        product.execute(stream, {{DNNL_ARG_SRC, a_m}, {DNNL_ARG_WEIGHTS, b_m},
                                    {DNNL_ARG_DST, memory(md, cpu, c.data())}});
        stream.wait();
        expect(pool.calls > 0, "the pool was used");

        execute(product, cpu,
            {{DNNL_ARG_SRC, a_m}, {DNNL_ARG_WEIGHTS, b_m},
                {DNNL_ARG_DST, memory(md, cpu, alone.data())}});
        expect(c == alone, "the bits do not depend on the number of threads");
        std::printf("computed by 2 threads in %d calls\n", pool.calls);
    });
}
#else
int main() {
    std::printf("this library was built with another threading runtime\n");
    return 77;
}
#endif
