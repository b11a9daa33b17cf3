// SPDX-License-Identifier: Apache-2.0
// Where the system starts no thread, the calling one does all the work. Exits with 0 when a product
// that is worth several threads is right then, with 77 where threads start in spite of the limit.
#include <cmath>
#include <cstdio>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

constexpr memory::dim size = 256;

bool threads_start() {
    try {
        std::thread([] {}).join();
        return true;
    } catch (const std::system_error &) {
        return false;
    }
}

/// Leaves less address space than the stack of a thread takes.
bool limit_address_space() {
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    const bool known = file && std::fscanf(file, "%lu", &pages) == 1;
    if (file) std::fclose(file);
    const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t {1} << 20);
    const rlimit little {bytes, bytes};
    return known && setrlimit(RLIMIT_AS, &little) == 0;
}

} // namespace

int main() {
    const engine eng(engine::kind::cpu, 0);
    const memory::desc md({size, size}, memory::data_type::f32, memory::format_tag::ab);
    const matmul multiply(matmul::primitive_desc(eng, md, md, md));
    memory a(md, eng), b(md, eng), c(md, eng);
    auto *x = static_cast<float *>(a.get_data_handle());
    auto *y = static_cast<float *>(b.get_data_handle());
    auto *z = static_cast<float *>(c.get_data_handle());
    for (memory::dim i = 0; i < size * size; ++i) {
        x[i] = static_cast<float>(i % 7 - 3);
        y[i] = static_cast<float>(i % 5 - 2);
        z[i] = NAN;
    }
    stream strm(eng);
    if (!limit_address_space() || threads_start()) {
        std::puts("threads start in spite of the limit");
        return 77;
    }
    multiply.execute(strm, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
    for (memory::dim i = 0; i < size * size; ++i) { // small integers: every sum is exact
        float sum = 0;
        for (memory::dim k = 0; k < size; ++k)
            sum += x[i / size * size + k] * y[k * size + i % size];
        if (z[i] != sum) {
            std::printf("element %ld is %g, expected %g\n", static_cast<long>(i), double(z[i]),
                double(sum));
            return 1;
        }
    }
    std::puts("the calling thread computed the product");
    return 0;
}
