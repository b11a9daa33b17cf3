// SPDX-License-Identifier: Apache-2.0
// The THREADPOOL runtime: executions run on the pool of their stream, synchronous or not, with the
// bits of a serial execution. Built in that configuration only.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "cpu.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_threadpool.hpp"

using namespace dnnl;
using api_tests::cpu;
using dnnl::threadpool_interop::threadpool_iface;
using tag = memory::format_tag;
using dt = memory::data_type;

namespace {

thread_local const threadpool_iface *pool_of_this_thread = nullptr;

/// Workers that take calls from a queue; the caller of parallel_for() only waits, or does not even
/// do that when the pool is asynchronous.
class queue_pool : public threadpool_iface {
  public:
    queue_pool(int threads, bool asynchronous) : asynchronous_(asynchronous) {
        for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
    }
    ~queue_pool() override {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stop_ = true;
        }
        changed_.notify_all();
        for (std::thread &worker : workers_) worker.join();
    }
    int get_num_threads() const override { return static_cast<int>(workers_.size()); }
    bool get_in_parallel() const override { return pool_of_this_thread == this; }
    std::uint64_t get_flags() const override { return asynchronous_ ? ASYNCHRONOUS : 0; }
    void parallel_for(int n, const std::function<void(int, int)> &fn) override {
        std::unique_lock<std::mutex> lock(mutex_);
        ++regions;
        largest = std::max(largest, n);
        for (int i = 0; i < n; ++i) queue_.emplace_back([fn, i, n] { fn(i, n); });
        pending_ += n;
        changed_.notify_all();
        if (!asynchronous_) changed_.wait(lock, [this] { return pending_ == 0; });
    }

    int regions = 0; ///< calls of parallel_for()
    int largest = 0; ///< the largest n

  private:
    void work() {
        pool_of_this_thread = this;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
            if (queue_.empty()) return;
            const std::function<void()> call = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            std::this_thread::yield(); // lets an asynchronous parallel_for() return first
            call();
            lock.lock();
            --pending_;
            changed_.notify_all();
        }
    }

    bool asynchronous_, stop_ = false;
    int pending_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> queue_;
    std::vector<std::thread> workers_;
};

const memory::dim M = 96, N = 160, K = 64;

std::vector<float> ramp(memory::dim n, int step) {
    std::vector<float> values(n);
    for (memory::dim i = 0; i < n; ++i) values[i] = static_cast<float>(i * step % 23 - 11) / 8;
    return values;
}

/// softmax(src * weights) + ramp, by three primitives on one stream.
std::vector<float> chain(const engine &eng, stream &strm) {
    std::vector<float> a = ramp(M * K, 5), b = ramp(K * N, 7), product(M * N),
                       result = ramp(M * N, 3);
    const memory src({{M, K}, dt::f32, tag::ab}, eng, a.data());
    const memory weights({{K, N}, dt::f32, tag::ab}, eng, b.data());
    const memory dst({{M, N}, dt::f32, tag::ab}, eng, product.data());
    const memory sum({{M, N}, dt::f32, tag::ab}, eng, result.data());
    matmul(matmul::primitive_desc(eng, src.get_desc(), weights.get_desc(), dst.get_desc()))
        .execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    softmax_forward(softmax_forward::primitive_desc(eng, prop_kind::forward_inference,
                        algorithm::softmax_accurate, dst.get_desc(), dst.get_desc(), 1))
        .execute(strm, {{DNNL_ARG_SRC, dst}, {DNNL_ARG_DST, dst}});
    binary(binary::primitive_desc(
               eng, algorithm::binary_add, dst.get_desc(), sum.get_desc(), sum.get_desc()))
        .execute(strm, {{DNNL_ARG_SRC_0, dst}, {DNNL_ARG_SRC_1, sum}, {DNNL_ARG_DST, sum}});
    strm.wait();
    return result;
}

/// Sets the hint of this thread and gives it back.
struct concurrency {
    int before = 0;
    explicit concurrency(int threads) {
        BOOST_REQUIRE_EQUAL(dnnl_threadpool_interop_get_max_concurrency(&before), dnnl_success);
        BOOST_REQUIRE_EQUAL(dnnl_threadpool_interop_set_max_concurrency(threads), dnnl_success);
    }
    ~concurrency() { dnnl_threadpool_interop_set_max_concurrency(before); }
};

std::vector<float> serial() {
    stream strm(cpu());
    return chain(cpu(), strm);
}

} // namespace

BOOST_AUTO_TEST_CASE(built_for_a_thread_pool) {
    BOOST_TEST(version()->cpu_runtime == DNNL_RUNTIME_THREADPOOL);
}

BOOST_AUTO_TEST_CASE(a_stream_knows_its_pool) {
    queue_pool pool(2, false);
    const stream with = threadpool_interop::make_stream(cpu(), &pool);
    const stream without = threadpool_interop::make_stream(cpu(), nullptr), plain(cpu());
    BOOST_TEST(threadpool_interop::get_threadpool(with) == &pool);
    BOOST_TEST(!threadpool_interop::get_threadpool(without));
    BOOST_TEST(!threadpool_interop::get_threadpool(plain));
    BOOST_TEST((with.get_engine().get_kind() == engine::kind::cpu));
}

BOOST_AUTO_TEST_CASE(executions_run_on_the_pool_with_the_bits_of_a_serial_one) {
    const concurrency hint(4);
    const std::vector<float> expected = serial();
    for (const bool asynchronous : {false, true})
        for (const int threads : {1, 2, 3, 4}) {
            queue_pool pool(threads, asynchronous);
            stream strm = threadpool_interop::make_stream(cpu(), &pool);
            for (int again = 0; again < 20; ++again) BOOST_REQUIRE(chain(cpu(), strm) == expected);
            BOOST_TEST((pool.regions > 0) == (threads > 1));
            BOOST_TEST(pool.largest == (threads > 1 ? threads : 0));
        }
}

BOOST_AUTO_TEST_CASE(each_stream_uses_its_own_pool) {
    const concurrency hint(4);
    queue_pool first(2, false), second(3, true);
    stream on_first = threadpool_interop::make_stream(cpu(), &first);
    stream on_second = threadpool_interop::make_stream(cpu(), &second), alone(cpu());
    chain(cpu(), on_first);
    BOOST_TEST(first.regions > 0);
    BOOST_TEST(second.regions == 0);
    const int before = first.regions;
    chain(cpu(), on_second);
    chain(cpu(), alone);
    BOOST_TEST(first.regions == before);
    BOOST_TEST(second.largest == 3);
}

BOOST_AUTO_TEST_CASE(an_execution_inside_a_region_of_the_pool_stays_on_its_thread) {
    const concurrency hint(4);
    const std::vector<float> expected = serial();
    queue_pool pool(2, false);
    std::vector<std::vector<float>> results(2);
    pool.parallel_for(2, [&](int i, int) {
        stream strm = threadpool_interop::make_stream(cpu(), &pool);
        results[i] = chain(cpu(), strm);
    });
    BOOST_TEST(pool.regions == 1);
    for (const std::vector<float> &result : results) BOOST_TEST((result == expected));
}

BOOST_AUTO_TEST_CASE(the_hint_belongs_to_the_thread_and_bounds_prepared_primitives) {
    int cores = 0, here = 0, there = 0;
    BOOST_TEST(dnnl_threadpool_interop_get_max_concurrency(&cores) == dnnl_success);
    BOOST_TEST(cores == static_cast<int>(std::thread::hardware_concurrency()));
    const concurrency hint(2);
    std::thread([&] { dnnl_threadpool_interop_get_max_concurrency(&there); }).join();
    dnnl_threadpool_interop_get_max_concurrency(&here);
    BOOST_TEST(here == 2);
    BOOST_TEST(there == cores);

    queue_pool pool(4, false);
    stream strm = threadpool_interop::make_stream(cpu(), &pool);
    std::vector<float> values = ramp(M * N, 3);
    const memory data({{M, N}, dt::f32, tag::ab}, cpu(), values.data());
    softmax_forward(softmax_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                        algorithm::softmax_accurate, data.get_desc(), data.get_desc(), 1))
        .execute(strm, {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data}});
    BOOST_TEST(pool.largest == 2);
}

BOOST_AUTO_TEST_CASE(matrix_products_on_a_pool) {
    const std::vector<float> a = ramp(M * K, 5), b = ramp(K * N, 7);
    std::vector<float> expected(M * N), c(M * N);
    BOOST_TEST((sgemm('N', 'N', M, N, K, 1, a.data(), K, b.data(), N, 0, expected.data(), N) ==
                status::success));
    std::vector<std::uint8_t> u8(M * K);
    std::vector<std::int8_t> s8(M * K), w8(K * N);
    for (memory::dim i = 0; i < M * K; ++i)
        u8[i] = i % 251, s8[i] = static_cast<std::int8_t>(i % 127 - 60);
    for (memory::dim i = 0; i < K * N; ++i) w8[i] = static_cast<std::int8_t>(i % 113 - 50);
    const std::int32_t offset = 7;
    std::vector<std::int32_t> s32(M * N), on_pool(M * N);
    for (const bool asynchronous : {false, true}) {
        queue_pool pool(3, asynchronous);
        BOOST_TEST((threadpool_interop::sgemm('N', 'N', M, N, K, 1, a.data(), K, b.data(), N, 0,
                        c.data(), N, &pool) == status::success));
        BOOST_TEST((c == expected));
        BOOST_TEST(pool.largest == 3);

        gemm_u8s8s32(
            'N', 'N', 'F', M, N, K, 1, u8.data(), K, 3, w8.data(), N, 1, 0, s32.data(), N, &offset);
        BOOST_TEST((threadpool_interop::gemm_u8s8s32('N', 'N', 'F', M, N, K, 1, u8.data(), K, 3,
                        w8.data(), N, 1, 0, on_pool.data(), N, &offset, &pool) == status::success));
        BOOST_TEST((on_pool == s32));

        gemm_s8s8s32(
            'N', 'N', 'F', M, N, K, 1, s8.data(), K, 3, w8.data(), N, 1, 0, s32.data(), N, &offset);
        BOOST_TEST((threadpool_interop::gemm_s8s8s32('N', 'N', 'F', M, N, K, 1, s8.data(), K, 3,
                        w8.data(), N, 1, 0, on_pool.data(), N, &offset, &pool) == status::success));
        BOOST_TEST((on_pool == s32));
    }
    BOOST_TEST((threadpool_interop::sgemm('N', 'N', M, N, K, 1, a.data(), K, b.data(), N, 0,
                    c.data(), N, nullptr) == status::success));
    BOOST_TEST((c == expected));
}

BOOST_AUTO_TEST_CASE(refusals) {
    dnnl_stream_t out = nullptr;
    void *pool = nullptr;
    BOOST_TEST(dnnl_threadpool_interop_stream_create(nullptr, cpu().get(), nullptr) ==
               dnnl_invalid_arguments);
    BOOST_TEST(
        dnnl_threadpool_interop_stream_create(&out, nullptr, nullptr) == dnnl_invalid_arguments);
    BOOST_TEST(!out);
    BOOST_TEST(
        dnnl_threadpool_interop_stream_get_threadpool(nullptr, &pool) == dnnl_invalid_arguments);
    const stream strm(cpu());
    BOOST_TEST(dnnl_threadpool_interop_stream_get_threadpool(strm.get(), nullptr) ==
               dnnl_invalid_arguments);
    BOOST_TEST(dnnl_threadpool_interop_get_max_concurrency(nullptr) == dnnl_invalid_arguments);
    for (const int bad : {0, -1})
        BOOST_TEST(dnnl_threadpool_interop_set_max_concurrency(bad) == dnnl_invalid_arguments);
}
