// SPDX-License-Identifier: Apache-2.0
// One primitive executed from many threads, and objects created by many threads, at the same time.
#include <atomic>
#include <cstring>
#include <thread>

#include "objects.hpp"

using namespace api_tests;

namespace {

constexpr int threads = 32, repetitions = 20;
constexpr dnnl_dim_t M = 33, N = 40, K = 65;

/// Starts all threads, lets them run body(thread) together and waits for them.
template <class Body> void run_together(const Body &body) {
    std::atomic<int> ready {0};
    std::vector<std::thread> started;
    for (int t = 0; t < threads; ++t)
        started.emplace_back([&, t] {
            ++ready;
            while (ready < threads) std::this_thread::yield();
            body(t);
        });
    for (std::thread &thread : started) thread.join();
}
} // namespace

BOOST_AUTO_TEST_CASE(one_primitive_many_threads) { // N-40
    const auto a = integers(M * K, 1), b = integers(K * N, 2);
    const auto expected = product(a, b, M, N, K);
    const auto src_md = plain({M, K}), weights_md = plain({K, N}), dst_md = plain({M, N});
    const auto pd = matmul_desc(M, N, K);
    while (true) { // every implementation
        const auto primitive = primitive_of(pd);
        const auto src = memory_of(src_md, a), weights = memory_of(weights_md, b);
        std::atomic<int> wrong {0};
        run_together([&](int) {
            std::vector<float> c(M * N);
            dnnl_memory_t dst = nullptr;
            wrong += dnnl_memory_create(&dst, dst_md, engine(), c.data()) != dnnl_success;
            const dnnl_exec_arg_t args[] {
                {DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}};
            for (int i = 0; i < repetitions; ++i) {
                c.assign(c.size(), -1.0f);
                wrong += dnnl_primitive_execute(primitive, stream(), 3, args) != dnnl_success;
                wrong += c != expected;
            }
            dnnl_memory_destroy(dst);
        });
        BOOST_TEST(wrong == 0);
        if (dnnl_primitive_desc_next_impl(pd) != dnnl_success) break;
    }
}

BOOST_AUTO_TEST_CASE(many_creations) {
    const auto src = plain({M, K}), weights = plain({K, N}), dst = plain({M, N});
    const dnnl_engine_t the_engine = engine();
    std::atomic<int> wrong {0};
    run_together([&](int) {
        for (int i = 0; i < repetitions; ++i) {
            dnnl_primitive_desc_t pd = nullptr;
            dnnl_primitive_t primitive = nullptr;
            wrong += dnnl_matmul_primitive_desc_create(
                         &pd, the_engine, src, weights, nullptr, dst, nullptr) != dnnl_success;
            wrong += dnnl_primitive_create(&primitive, pd) != dnnl_success;
            dnnl_primitive_desc_destroy(pd);
            dnnl_primitive_destroy(primitive);
        }
    });
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(reasons_belong_to_their_thread) {
    const auto one_owner = plain({M, K}), line = plain({K});
    const const_dnnl_memory_desc_t one = one_owner;
    std::atomic<int> wrong {0};
    run_together([&](int thread) {
        for (int i = 0; i < repetitions; ++i) {
            dnnl_primitive_desc_t pd = nullptr;
            const bool even = thread % 2 == 0;
            const dnnl_status_t status = dnnl_matmul_primitive_desc_create(
                &pd, engine(), even ? nullptr : +one, even ? one : nullptr, nullptr, line, nullptr);
            wrong += status != dnnl_invalid_arguments;
            wrong += !std::strstr(dnnl_ext_last_error(), even ? "src" : "weights");
        }
    });
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(queries_and_copies_of_one_descriptor) {
    for (int i = 0; i < repetitions; ++i) {
        const auto pd = matmul_desc(M, N, K);
        std::atomic<int> wrong {0};
        run_together([&](int thread) {
            dnnl_dim_t size = -1;
            const uint8_t *id = nullptr;
            dnnl_primitive_desc_t copy = nullptr;
            if (thread % 2) {
                dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id_size_s64, 0, &size);
                dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id, 0, &id);
            }
            wrong += dnnl_primitive_desc_clone(&copy, pd) != dnnl_success;
            const char *name = nullptr;
            wrong +=
                dnnl_primitive_desc_query(copy, dnnl_query_impl_info_str, 0, &name) != dnnl_success;
            dnnl_primitive_desc_destroy(copy);
        });
        BOOST_TEST(wrong == 0);
    }
}
