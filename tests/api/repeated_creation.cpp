// SPDX-License-Identifier: Apache-2.0
// A primitive descriptor that is created again takes the plan of the first one, and one that
// differs from it in anything does not.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "cpu.hpp"
#include "dnnl/dnnl.hpp"
#include "heap.hpp"

namespace {

using api_tests::cpu;
using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using type = memory::data_type;
using tag = memory::format_tag;

dnnl::eltwise_forward::primitive_desc eltwise(algorithm what, float alpha, float beta) {
    const memory::desc md({8}, type::f32, tag::a);
    return {cpu(), prop_kind::forward_inference, what, md, md, alpha, beta};
}

float result_of(const dnnl::eltwise_forward::primitive_desc &pd, float x) {
    std::vector<float> values(8, x);
    const memory data(pd.src_desc(), cpu(), values.data());
    dnnl::stream stream(cpu());
    dnnl::eltwise_forward(pd).execute(stream, {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data}});
    stream.wait();
    return values[0];
}

dnnl::matmul::primitive_desc product(memory::dim K, const dnnl::primitive_attr &attr = {}) {
    return {cpu(), memory::desc({64, K}, type::f32, tag::ab),
        memory::desc({K, 32}, type::f32, tag::any), memory::desc({64, 32}, type::f32, tag::ab),
        attr};
}

/// The bytes that `make` asks the heap for.
long bytes_of(const std::function<void()> &make) {
    const long before = heap::requested_bytes();
    make();
    return heap::requested_bytes() - before;
}

/// Leaves no plan of another test, and keeps `capacity` of those that follow.
struct fresh {
    int before = dnnl::get_primitive_cache_capacity();
    explicit fresh(int capacity) { dnnl::set_primitive_cache_capacity(capacity); }
    ~fresh() { dnnl::set_primitive_cache_capacity(before); }
};

} // namespace

BOOST_AUTO_TEST_CASE(the_second_takes_what_the_first_made) {
    if (!heap::is_watched()) return;
    const fresh begin(1024);
    const long first = bytes_of([] { product(48); }), second = bytes_of([] { product(48); });
    BOOST_TEST(second < first / 4, first << " and " << second << " bytes");
    BOOST_TEST(bytes_of([] { product(47); }) > second * 4);
    BOOST_TEST(product(48).impl_info_str() == product(48).impl_info_str());
}

BOOST_AUTO_TEST_CASE(nothing_is_kept_without_capacity) {
    if (!heap::is_watched()) return;
    const fresh begin(0);
    product(48);
    const long first = bytes_of([] { product(48); });
    BOOST_TEST(bytes_of([] { product(48); }) == first);
}

/// The plan of a product of run-time extents has the plan of its last extents to itself.
BOOST_AUTO_TEST_CASE(run_time_extents_share_nothing) {
    if (!heap::is_watched()) return;
    const fresh begin(1024);
    const auto make = [] {
        const memory::desc rows({DNNL_RUNTIME_DIM_VAL, 48}, type::f32, tag::ab),
            weights({48, 32}, type::f32, tag::ab),
            dst({DNNL_RUNTIME_DIM_VAL, 32}, type::f32, tag::ab);
        dnnl::matmul::primitive_desc(cpu(), rows, weights, dst);
    };
    make();
    const long first = bytes_of(make);
    BOOST_TEST(bytes_of(make) == first);
    BOOST_TEST(first > bytes_of([] { product(48); }) / 4);
}

/// What is kept is bounded, and goes where the capacity is set anew.
BOOST_AUTO_TEST_CASE(kept_plans_are_few) {
    if (!heap::is_watched()) return;
    const fresh begin(1024);
    product(1);
    const long before = heap::live_blocks();
    for (memory::dim K = 2; K < 200; ++K) product(K);
    const long of_many = heap::live_blocks() - before;
    for (memory::dim K = 200; K < 1000; ++K) product(K);
    const long of_more = heap::live_blocks() - before;
    BOOST_TEST(of_more < 2 * of_many, of_many << " and " << of_more << " blocks");
    dnnl::set_primitive_cache_capacity(1024);
    BOOST_TEST(heap::live_blocks() <= before);
}

BOOST_AUTO_TEST_CASE(parameters_tell_creations_apart) {
    const fresh begin(1024);
    for (int again = 0; again < 2; ++again) {
        BOOST_TEST(result_of(eltwise(algorithm::eltwise_relu, 0, 0), -2) == 0);
        BOOST_TEST(result_of(eltwise(algorithm::eltwise_relu, 0.5f, 0), -2) == -1);
        BOOST_TEST(result_of(eltwise(algorithm::eltwise_abs, 0, 0), -2) == 2);
        // Zeros that compare equal: -0 + 0 is 0, and -0 + -0 is -0.
        BOOST_TEST(!std::signbit(result_of(eltwise(algorithm::eltwise_linear, 1, 0.0f), -0.0f)));
        BOOST_TEST(std::signbit(result_of(eltwise(algorithm::eltwise_linear, 1, -0.0f), -0.0f)));
    }
}

BOOST_AUTO_TEST_CASE(attributes_tell_creations_apart) {
    const fresh begin(1024);
    const auto with_chain = [](algorithm what, float scale) {
        dnnl::post_ops chain;
        chain.append_eltwise(what, 0, 0);
        if (scale != 0) chain.append_sum(scale);
        dnnl::primitive_attr attr;
        attr.set_post_ops(chain);
        return product(16, attr).get_primitive_attr().get_post_ops();
    };
    for (int again = 0; again < 2; ++again) {
        algorithm what {};
        float alpha = 0, beta = 0, scale = 0;
        with_chain(algorithm::eltwise_relu, 0).get_params_eltwise(0, what, alpha, beta);
        BOOST_TEST((what == algorithm::eltwise_relu));
        with_chain(algorithm::eltwise_tanh, 0).get_params_eltwise(0, what, alpha, beta);
        BOOST_TEST((what == algorithm::eltwise_tanh));
        with_chain(algorithm::eltwise_tanh, 2).get_params_sum(1, scale);
        BOOST_TEST(scale == 2);
        with_chain(algorithm::eltwise_tanh, 3).get_params_sum(1, scale);
        BOOST_TEST(scale == 3);
        BOOST_TEST(product(16).get_primitive_attr().get_post_ops().len() == 0);
    }
}

/// Descriptors that compare equal: where an extent is 1, its stride moves nothing.
BOOST_AUTO_TEST_CASE(strides_are_those_that_were_asked_for) {
    const fresh begin(1024);
    const memory::desc dst({1, 8}, type::f32, tag::ab);
    for (const memory::dim stride : {8, 100, 8, 64}) {
        const memory::desc src({1, 8}, type::f32, {stride, 1});
        const dnnl::reorder::primitive_desc pd(cpu(), src, cpu(), dst);
        BOOST_TEST(pd.src_desc().get_strides()[0] == stride);
    }
}

BOOST_AUTO_TEST_CASE(every_row_is_reached_again) {
    const fresh begin(1024);
    std::vector<std::string> names[2];
    for (auto &list : names) {
        auto pd = product(24);
        do list.emplace_back(pd.impl_info_str());
        while (pd.next_impl());
    }
    BOOST_TEST(names[0] == names[1], boost::test_tools::per_element());
    BOOST_TEST(names[0].size() > 1u);
}

BOOST_AUTO_TEST_CASE(threads_create_the_same_at_once) {
    const fresh begin(1024);
    std::atomic<int> wrong {0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 300; ++i) {
                const float alpha = 0.25f * static_cast<float>((i + t) % 5);
                if (result_of(eltwise(algorithm::eltwise_relu, alpha, 0), -4) != -4 * alpha)
                    ++wrong;
                if (i % 100 == t) dnnl::set_primitive_cache_capacity(1024);
            }
        });
    for (std::thread &thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
}

/// Where threads meet, they wait for each other's few instructions and do not search the table.
BOOST_AUTO_TEST_CASE(threads_that_meet_find_what_is_kept) {
    if (!heap::is_watched()) return;
    const fresh begin(1024);
    constexpr int count = 5, creations = 2000;
    const auto make = [] { product(48); };
    const long first = bytes_of(make), again = bytes_of(make);
    const long all = bytes_of([&] {
        std::vector<std::thread> threads;
        for (int t = 0; t < count; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < creations; ++i) make();
            });
        for (std::thread &thread : threads) thread.join();
    });
    const double searched = static_cast<double>(all - count * creations * again) /
                            static_cast<double>((first - again) * count * creations);
    BOOST_TEST(searched < 0.01, "share of creations that searched: " << searched);
}
