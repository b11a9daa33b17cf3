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

    void wait() override {
        std::unique_lock<std::mutex> lock(mutex_);
        ++waits;
        changed_.wait(lock, [this] { return pending_ == 0; });
    }

    int waits = 0;
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

/// Holds every call until wait(), which makes them on its threads, the last one first.
class held_pool : public threadpool_iface {
  public:
    explicit held_pool(int threads) : threads_(threads) {}
    int get_num_threads() const override { return threads_; }
    bool get_in_parallel() const override { return pool_of_this_thread == this; }
    std::uint64_t get_flags() const override { return ASYNCHRONOUS; }
    void parallel_for(int n, const std::function<void(int, int)> &fn) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (int i = 0; i < n; ++i) calls_.emplace_back([fn, i, n] { fn(i, n); });
    }
    void wait() override {
        std::vector<std::thread> workers;
        for (int i = 0; i < threads_; ++i) workers.emplace_back([this] { make_calls(); });
        for (std::thread &worker : workers) worker.join();
    }
    std::size_t held() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return calls_.size();
    }

  private:
    void make_calls() {
        pool_of_this_thread = this;
        for (;;) {
            std::function<void()> call;
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                if (calls_.empty()) return;
                call = std::move(calls_.back());
                calls_.pop_back();
            }
            call();
        }
    }

    int threads_;
    std::mutex mutex_;
    std::vector<std::function<void()>> calls_;
};

const memory::dim M = 96, N = 160, K = 64;

std::vector<float> ramp(memory::dim n, int step) {
    std::vector<float> values(n);
    for (memory::dim i = 0; i < n; ++i) values[i] = static_cast<float>(i * step % 23 - 11) / 8;
    return values;
}

/// What a chain works on.
struct operands {
    std::vector<float> a = ramp(M * K, 5), b = ramp(K * N, 7), product, result = ramp(M * N, 3);
    operands() : product(M * N) {}
};

/// result = softmax(a * b) + result, by three primitives that are gone before they may have run.
void submit_chain(stream &strm, operands &of) {
    const engine eng = cpu();
    const memory src({{M, K}, dt::f32, tag::ab}, eng, of.a.data());
    const memory weights({{K, N}, dt::f32, tag::ab}, eng, of.b.data());
    const memory dst({{M, N}, dt::f32, tag::ab}, eng, of.product.data());
    const memory sum({{M, N}, dt::f32, tag::ab}, eng, of.result.data());
    matmul(matmul::primitive_desc(eng, src.get_desc(), weights.get_desc(), dst.get_desc()))
        .execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    softmax_forward(softmax_forward::primitive_desc(eng, prop_kind::forward_inference,
                        algorithm::softmax_accurate, dst.get_desc(), dst.get_desc(), 1))
        .execute(strm, {{DNNL_ARG_SRC, dst}, {DNNL_ARG_DST, dst}});
    binary(binary::primitive_desc(
               eng, algorithm::binary_add, sum.get_desc(), dst.get_desc(), sum.get_desc()))
        .execute(strm, {{DNNL_ARG_SRC_0, sum}, {DNNL_ARG_SRC_1, dst}, {DNNL_ARG_DST, sum}});
}

std::vector<float> chain(stream &strm) {
    operands of;
    submit_chain(strm, of);
    strm.wait();
    return of.result;
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
    return chain(strm);
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
            for (int again = 0; again < 20; ++again) BOOST_REQUIRE(chain(strm) == expected);
            BOOST_TEST((pool.regions > 0) == (asynchronous || threads > 1));
            BOOST_TEST(pool.largest == (asynchronous || threads > 1 ? threads : 0));
            BOOST_TEST(pool.waits == (asynchronous ? 20 : 0)); // synchronous ones are not asked
        }
}

BOOST_AUTO_TEST_CASE(an_asynchronous_pool_gets_executions_and_the_caller_goes_on) {
    const concurrency hint(4);
    const std::vector<float> expected = serial();
    for (const int threads : {1, 3}) {
        held_pool pool(threads);
        stream strm = threadpool_interop::make_stream(cpu(), &pool);
        operands tensors[3];
        for (operands &one : tensors) submit_chain(strm, one); // nothing runs yet
        for (const operands &one : tensors) BOOST_TEST((one.result == ramp(M * N, 3)));
        BOOST_TEST(pool.held() == 9 * static_cast<std::size_t>(threads));
        strm.wait(); // the calls come in the order opposite to that of the executions
        for (const operands &one : tensors) BOOST_TEST((one.result == expected));
    }
}

BOOST_AUTO_TEST_CASE(the_error_of_a_submitted_execution_comes_with_the_wait) {
    held_pool pool(2);
    const dnnl::engine eng = cpu();
    stream strm = threadpool_interop::make_stream(eng, &pool);
    // A mask of dropout with another layout than dst is found when the extents are known.
    const memory::dim any = DNNL_RUNTIME_DIM_VAL;
    primitive_attr attr;
    attr.set_dropout({{any, 4}, dt::u8, memory::dims {any, 1}});
    const matmul product(matmul::primitive_desc(eng, {{any, 4}, dt::f32, memory::dims {any, 1}},
        {{4, 4}, dt::f32, tag::ab}, {{any, 4}, dt::f32, memory::dims {any, 1}}, attr));
    const memory src({{2, 4}, dt::f32, tag::ab}, eng), weights({{4, 4}, dt::f32, tag::ab}, eng);
    const memory dst({{2, 4}, dt::f32, tag::ab}, eng), number({{1}, dt::f32, tag::a}, eng);
    const memory seed({{1}, dt::s32, tag::a}, eng);
    const memory wide({{2, 4}, dt::u8, memory::dims {8, 1}}, eng);
    product.execute(
        strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst},
                  {DNNL_ARG_ATTR_DROPOUT_MASK, wide}, {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, number},
                  {DNNL_ARG_ATTR_DROPOUT_SEED, seed}});
    BOOST_TEST(dnnl_stream_wait(strm.get()) == dnnl_invalid_arguments);
    BOOST_TEST(dnnl_stream_wait(strm.get()) == dnnl_success); // told once
}

BOOST_AUTO_TEST_CASE(each_stream_uses_its_own_pool) {
    const concurrency hint(4);
    queue_pool first(2, false), second(3, true);
    stream on_first = threadpool_interop::make_stream(cpu(), &first);
    stream on_second = threadpool_interop::make_stream(cpu(), &second), alone(cpu());
    chain(on_first);
    BOOST_TEST(first.regions > 0);
    BOOST_TEST(second.regions == 0);
    const int before = first.regions;
    chain(on_second);
    chain(alone);
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
        results[i] = chain(strm);
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
    std::vector<float> values = ramp(16 * M * N, 3); // enough for two threads
    const memory data({{16 * M, N}, dt::f32, tag::ab}, cpu(), values.data());
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
