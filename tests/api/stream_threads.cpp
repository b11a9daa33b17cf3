// SPDX-License-Identifier: Apache-2.0
// The number of threads of a stream: no more are started, and results do not depend on it. Needs
// OMP_NUM_THREADS=3.
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

#include "checks.hpp"
#include "dnnl_ext.hpp"

using namespace dnnl;

namespace {

/// Of this process, as the system counts them.
int threads() {
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 ? int(tasks.st_nlink) - 2 : 0;
}

} // namespace

int main() {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    check(throws(dnnl_invalid_arguments, [&] { ext::set_threads(s, -1); }), "a negative number");
    check(throws(dnnl_invalid_arguments, [] { ext::set_threads(stream(), 1); }), "no stream");
    const bool openmp = dnnl_version()->cpu_runtime == DNNL_RUNTIME_OMP;
    if (dnnl_version()->cpu_runtime == DNNL_RUNTIME_THREADPOOL) {
        check(
            throws(dnnl_unimplemented, [&] { ext::set_threads(s, 1); }), "a thread pool's stream");
        return failures != 0;
    }
    const memory::desc md({256, 256}, memory::data_type::f32, memory::format_tag::ab);
    const matmul product(matmul::primitive_desc(cpu, md, md, md));
    const memory a(md, cpu), c(md, cpu);
    float *const values = static_cast<float *>(a.get_data_handle());
    for (int i = 0; i < 256 * 256; ++i) values[i] = float(i % 251) - 125;
    std::vector<char> first;
    for (const int most : {1, 2, 3, 0, 1}) {
        ext::set_threads(s, most);
        product.execute(s, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, a}, {DNNL_ARG_DST, c}});
        s.wait();
        const char *const bytes = static_cast<const char *>(c.get_data_handle());
        if (first.empty()) first.assign(bytes, bytes + md.get_size());
        check(std::memcmp(first.data(), bytes, first.size()) == 0, "the bits of the result");
        std::printf("at most %d: %d threads\n", most, threads());
        // Threads that OpenMP has started stay.
        if (openmp && most > 0 && most != 1)
            check(threads() == most, "no more threads than allowed, and no fewer");
        if (openmp && most == 1) check(threads() == 1 || threads() == 3, "one thread alone");
    }
    std::printf("%d failures\n", failures);
    return failures != 0;
}
