// SPDX-License-Identifier: Apache-2.0
// A program whose own OpenMP region started threads forks before the library ran anything. The
// threads are gone in the child, which must compute without them and end.
#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "oneapi/dnnl/dnnl.h"

namespace {

constexpr unsigned seconds_to_live = 60;
constexpr dnnl_dim_t n = 320; // 2 * n^3 operations are far more than the work for one thread

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

} // namespace

int main() {
    int started = 0;
#pragma omp parallel num_threads(4) reduction(+ : started)
    ++started;
    if (started < 2) {
        std::puts("skipped: the OpenMP runtime started no thread");
        return 77;
    }
    const pid_t child = fork();
    if (child == 0) {
        alarm(seconds_to_live);
        _exit(multiplies() ? 0 : 1);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        std::puts("cannot fork");
        return 1;
    }
    if (WIFSIGNALED(status)) std::printf("the child ended by signal %d\n", WTERMSIG(status));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !multiplies()) return 1;
    std::puts("parent and child computed the product");
    return 0;
}
