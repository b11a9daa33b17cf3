// SPDX-License-Identifier: Apache-2.0
// A matmul in a process that forbade memory which is writable or new and executable: no code may be
// generated at run time. Exits with 77 (skipped) where the kernel lacks PR_SET_MDWE (before 6.3).
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

namespace {
constexpr unsigned long refuse_exec_gain = 1;

bool can_map_executable() {
    void *page =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    munmap(page, 4096);
    return true;
}

float first_product() {
    using namespace dnnl;
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    const memory::dim M = 33, N = 65, K = 17;
    std::vector<float> a(M * K, 2.f), b(K * N, 0.5f), c(M * N);
    const auto plain = memory::format_tag::ab;
    const auto f32 = memory::data_type::f32;
    const memory::desc src({M, K}, f32, plain), weights({K, N}, f32, plain),
        dst({M, N}, f32, plain);
    const matmul product(matmul::primitive_desc(eng, src, weights, dst));
    product.execute(strm, {{DNNL_ARG_SRC, memory(src, eng, a.data())},
                              {DNNL_ARG_WEIGHTS, memory(weights, eng, b.data())},
                              {DNNL_ARG_DST, memory(dst, eng, c.data())}});
    for (float x : c)
        if (x != 17.f) return x;
    return 17.f;
}
} // namespace

int main() {
    if (prctl(PR_SET_MDWE, refuse_exec_gain, 0L, 0L, 0L) != 0) {
        std::printf("skipped: the kernel has no PR_SET_MDWE (%s)\n", std::strerror(errno));
        return 77;
    }
    if (can_map_executable()) {
        std::puts("the kernel accepted PR_SET_MDWE but still maps executable memory");
        return 1;
    }
    const float value = first_product();
    if (value != 17.f) {
        std::printf("matmul gave %g, not 17\n", static_cast<double>(value));
        return 1;
    }
    std::puts("a matmul ran without executable memory being gained");
}
