// SPDX-License-Identifier: Apache-2.0
// N-41: environment variables with senseless values. The program starts itself once per variable
// and value; the child must compute a product and end well.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "dnnl/dnnl.hpp"

namespace {

/// What the child does: a product whose values are known, whatever the environment says.
int compute() {
    using namespace dnnl;
    const engine eng(engine::kind::cpu, 0);
    stream s(eng);
    const memory::desc a_md({2, 3}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc b_md({3, 2}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc c_md({2, 2}, memory::data_type::f32, memory::format_tag::ab);
    float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, -1, 2, -2, 3, -3}, c[] = {0, 0, 0, 0};
    const float expected[] = {14, -14, 32, -32};
    try {
        matmul(matmul::primitive_desc(eng, a_md, b_md, c_md))
            .execute(
                s, {{DNNL_ARG_SRC, memory(a_md, eng, a)}, {DNNL_ARG_WEIGHTS, memory(b_md, eng, b)},
                       {DNNL_ARG_DST, memory(c_md, eng, c)}});
        int capacity = -1;
        dnnl_get_primitive_cache_capacity(&capacity);
        dnnl_get_effective_cpu_isa();
        dnnl_get_cpu_isa_hints();
    } catch (const error &) {
        return 3;
    }
    return std::memcmp(c, expected, sizeof c) == 0 ? 0 : 4;
}

/// Starts this program with one variable set; the child's output is thrown away.
bool survives(const char *program, const char *name, const std::string &value) {
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        setenv(name, value.c_str(), 1);
        if (!std::freopen("/dev/null", "w", stdout)) _exit(5);
        execl(program, program, "child", static_cast<char *>(nullptr));
        _exit(6);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
} // namespace

int main(int argc, char **argv) {
    if (argc > 1) return compute();
    const char *const names[] = {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ONEDNN_CPU_ISA_HINTS",
        "ONEDNN_VERBOSE", "DNNL_VERBOSE", "ONEDNN_VERBOSE_TIMESTAMP",
        "ONEDNN_PRIMITIVE_CACHE_CAPACITY", "ONEDNN_DEFAULT_FPMATH_MODE", "ONEDNN_JIT_DUMP",
        "ONEDNN_JIT_PROFILE", "ONEDNN_ITT_TASK_LEVEL"};
    const std::vector<std::string> values {"", " ", "avx2", "AvX512_CoRe_nonsense",
        std::string(5000, 'A'), std::string(100000, ','), "-1", "99999999999999999999", "%n%n%s%s",
        "\xff\xfe\x80", "filter=(((((", "filter=" + std::string(300, '(') + "a*", "debuginfo=-7",
        "all,filter=[", "profile,,dispatch,=", "0x7f", "1e309", "nan"};
    int failures = 0;
    for (const char *name : names)
        for (const std::string &value : values)
            if (!survives(argv[0], name, value)) {
                std::printf("failed: %s=%.40s\n", name, value.c_str());
                ++failures;
            }
    std::printf(
        "%zu settings, %d failures\n", sizeof names / sizeof *names * values.size(), failures);
    return failures != 0;
}
