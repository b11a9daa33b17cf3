// SPDX-License-Identifier: Apache-2.0
// What an execution does beside its products is shared among the threads, too: of the processor
// time that two threads take, the calling one takes about half. Waiting threads sleep here (the
// test's environment says so), so that time is work.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu.hpp"
#include "dnnl/dnnl.hpp"

namespace {

using api_tests::cpu;
using api_tests::zeros;
using dnnl::memory;
using type = memory::data_type;
using tag = memory::format_tag;
using arguments = std::unordered_map<int, memory>;

double seconds(clockid_t clock) {
    timespec now {};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr double most = 0.62;

/// The part of the processor time of `run` that the calling thread takes: the smallest of up to 40
/// measurements, until one is below `most`, since a busy machine may hold up the other thread.
template <class Run> double own_share(const Run &run) {
    run(); // the first takes memory
    double smallest = 1;
    for (int measurement = 0; measurement < 40 && smallest >= most; ++measurement) {
        const double own = seconds(CLOCK_THREAD_CPUTIME_ID),
                     all = seconds(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < 5; ++i) run();
        smallest = std::min(smallest,
            (seconds(CLOCK_THREAD_CPUTIME_ID) - own) / (seconds(CLOCK_PROCESS_CPUTIME_ID) - all));
    }
    return smallest;
}

template <class Primitive> double share_of(const Primitive &primitive, const arguments &args) {
    dnnl::stream stream(cpu());
    return own_share([&] {
        primitive.execute(stream, args);
        stream.wait();
    });
}

} // namespace

BOOST_AUTO_TEST_CASE(scaling_of_the_source) {
    const std::int64_t M = 1024, K = 2048, N = 4;
    const memory::desc src({M, K}, type::f32, tag::ab), weights({K, N}, type::f32, tag::ab),
        dst({M, N}, type::f32, tag::ab), scales({M, K / 128}, type::f32, tag::ab);
    dnnl::primitive_attr attr;
    attr.set_scales(DNNL_ARG_SRC, 3, {1, 128}, type::f32);
    const dnnl::matmul product(dnnl::matmul::primitive_desc(cpu(), src, weights, dst, attr));
    const double share = share_of(product,
        {{DNNL_ARG_SRC, zeros(src)}, {DNNL_ARG_WEIGHTS, zeros(weights)}, {DNNL_ARG_DST, zeros(dst)},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, zeros(scales)}});
    BOOST_TEST(share < most, "the calling thread took " << share << " of the time");
}

BOOST_AUTO_TEST_CASE(zero_points_per_channel_of_a_convolution) {
    const std::int64_t C = 512;
    const memory::desc src({1, C, 1, 1}, type::u8, tag::nhwc),
        dst({1, C, 1, 1}, type::f32, tag::nhwc), zero_points({C}, type::s32, tag::a);
    dnnl::primitive_attr attr;
    attr.set_zero_points_mask(DNNL_ARG_SRC, 2);
    const dnnl::convolution_forward::primitive_desc pd(cpu(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, src, {{C, C, 5, 5}, type::s8, tag::any}, dst, {1, 1},
        {2, 2}, {2, 2}, attr);
    const double share = share_of(dnnl::convolution_forward(pd),
        {{DNNL_ARG_SRC, zeros(src)}, {DNNL_ARG_WEIGHTS, zeros(pd.weights_desc())},
            {DNNL_ARG_DST, zeros(dst)},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, zeros(zero_points)}});
    BOOST_TEST(share < most, "the calling thread took " << share << " of the time");
}

BOOST_AUTO_TEST_CASE(integer_gemm_with_offsets) {
    const dnnl_dim_t M = 512, N = 2048, K = 64;
    const std::vector<std::int8_t> a(M * K, 3), b(K * N, 2);
    const std::vector<std::int32_t> co(N, 5);
    std::vector<std::int32_t> c(M * N);
    for (const float alpha : {1.0f, 0.5f}) {
        const double share = own_share([&] {
            dnnl_gemm_s8s8s32('N', 'N', 'R', M, N, K, alpha, a.data(), K, 1, b.data(), N, 1, 0,
                c.data(), N, co.data());
        });
        BOOST_TEST(share < most, "alpha " << alpha << ": the calling thread took " << share);
    }
}
