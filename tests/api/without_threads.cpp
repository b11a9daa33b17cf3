// SPDX-License-Identifier: Apache-2.0
// Runs with no_threads.c in front of it: no thread can be created, and a product large enough for
// several threads must still come out right, on the calling thread.
#include <thread>

#include "objects.hpp"

using namespace api_tests;

BOOST_AUTO_TEST_CASE(work_for_many_threads_on_one) { // N-45
    BOOST_CHECK_THROW(std::thread([] {}).join(), std::system_error);
    constexpr dnnl_dim_t M = 256, N = 192, K = 128;
    const auto a = integers(M * K, 1), b = integers(K * N, 2);
    std::vector<float> c(M * N, -1.0f);
    const auto primitive = primitive_of(matmul_desc(M, N, K));
    const auto src = memory_of(plain({M, K}), a), weights = memory_of(plain({K, N}), b);
    const auto dst = memory_of(plain({M, N}), c);
    ok(execute(primitive, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}));
    BOOST_TEST((c == product(a, b, M, N, K)));
}
