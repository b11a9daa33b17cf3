// SPDX-License-Identifier: Apache-2.0
// LLVM's OpenMP runtime in the same process as the library and its runtime, as in a program built
// with clang: the library multiplies beside its regions and within them, and the other way round.
// Skipped (77) where libomp is not installed.
#include <cstdio>
#include <dlfcn.h>
#include <vector>

#include "oneapi/dnnl/dnnl.h"

namespace {

constexpr dnnl_dim_t n = 160;
constexpr unsigned threads = 4;

bool multiplies() {
    const std::vector<float> ones(n * n, 1.f);
    std::vector<float> c(n * n);
    if (dnnl_sgemm('N', 'N', n, n, n, 1, ones.data(), n, ones.data(), n, 0, c.data(), n) !=
        dnnl_success)
        return false;
    for (const float value : c)
        if (value != float(n)) return false;
    return true;
}

struct shares {
    int (*number)();
    bool right[threads];
};
void multiply_share(void *data) {
    auto &all = *static_cast<shares *>(data);
    all.right[static_cast<unsigned>(all.number()) % threads] = multiplies();
}

} // namespace

int main() {
    void *runtime = nullptr;
    for (const char *name : {"libomp.so.5", "libomp.so", "libiomp5.so"})
        if (!runtime) runtime = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!runtime) {
        std::puts("skipped: no second OpenMP runtime (libomp, libiomp5) is installed");
        return 77;
    }
    using region = void (*)(void (*)(void *), void *, unsigned, unsigned);
    const auto start = reinterpret_cast<region>(dlsym(runtime, "GOMP_parallel"));
    const auto number = reinterpret_cast<int (*)()>(dlsym(runtime, "omp_get_thread_num"));
    if (!start || !number) {
        std::puts("the second OpenMP runtime lacks GOMP_parallel");
        return 1;
    }
    for (int round = 0; round < 20; ++round) {
        if (!multiplies()) {
            std::puts("wrong beside a region of the second runtime");
            return 1;
        }
        shares all {number, {}};
        start(multiply_share, &all, threads, 0);
        int right = 0;
        for (const bool one : all.right) right += one;
        if (right != threads) {
            std::printf(
                "%d of %u products in a region of the second runtime are right\n", right, threads);
            return 1;
        }
    }
    std::puts("two OpenMP runtimes computed the same");
    return 0;
}
