// SPDX-License-Identifier: Apache-2.0
// Scales of dst divide: where the quotient is a number in the middle between two integers, it is
// rounded to the even one, which a product with a rounded reciprocal of the scale misses. Every
// implementation, in registers and in rows.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
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

constexpr std::int64_t M = 5, K = 24, N = 200;

memory of_values(std::vector<float> &values) {
    const memory::desc md({static_cast<std::int64_t>(values.size())}, type::f32, tag::a);
    return memory(md, cpu(), values.data());
}

/// dst of src * weights + bias with src and weights 0, by every implementation: check(dst, name).
template <class Check>
void for_each_row_of_bias(std::vector<float> bias, std::vector<float> scale, type src_type,
    type dst_type, dnnl::post_ops chain, const Check &check) {
    dnnl::primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_DST, 0);
    attr.set_post_ops(chain);
    const memory::desc bias_md({1, N}, type::f32, tag::ab);
    dnnl::matmul::primitive_desc pd(cpu(), {{M, K}, src_type, tag::ab}, {{K, N}, type::s8, tag::ab},
        bias_md, {{M, N}, dst_type, tag::ab}, attr);
    dnnl::stream stream(cpu());
    do {
        const memory dst = zeros(pd.dst_desc());
        dnnl::matmul(pd).execute(stream,
            {{DNNL_ARG_SRC, zeros(pd.src_desc())}, {DNNL_ARG_WEIGHTS, zeros(pd.weights_desc())},
                {DNNL_ARG_BIAS, memory(bias_md, cpu(), bias.data())}, {DNNL_ARG_DST, dst},
                {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, of_values(scale)}});
        stream.wait();
        check(dst, pd.impl_info_str());
    } while (pd.next_impl());
}

} // namespace

BOOST_AUTO_TEST_CASE(ties_go_to_the_even_integer) {
    dnnl::post_ops long_chain; // beyond what registers finish
    long_chain.append_eltwise(dnnl::algorithm::eltwise_linear, 1.f, 0.f);
    long_chain.append_eltwise(dnnl::algorithm::eltwise_clip, -1e9f, 1e9f);
    for (const dnnl::post_ops &chain : {dnnl::post_ops(), long_chain})
        for (const float scale : {3.f, 7.f, 11.f, 49.f, 0x1.8p-20f, 1.25f}) {
            std::vector<float> bias(N);
            for (std::int64_t j = 0; j < N; ++j)
                bias[static_cast<std::size_t>(j)] = scale * (static_cast<float>(j - 100) + 0.5f);
            for_each_row_of_bias(bias, {scale}, type::u8, type::s8, chain,
                [&](const memory &dst, const std::string &row) {
                    const auto *got = static_cast<const std::int8_t *>(dst.get_data_handle());
                    for (std::int64_t i = 0; i < M * N; ++i) {
                        const double x = static_cast<double>(i % N - 100) + 0.5;
                        BOOST_TEST(got[i] == static_cast<int>(std::nearbyint(x)),
                            row << ": " << x << " * " << scale);
                    }
                });
        }
}

BOOST_AUTO_TEST_CASE(quotients_of_floats) {
    std::vector<float> bias(N);
    for (std::int64_t j = 0; j < N; ++j)
        bias[static_cast<std::size_t>(j)] =
            std::ldexp(1.0f + static_cast<float>(j) / 77.0f, static_cast<int>(j % 40) - 20) *
            (j % 2 ? 1.0f : -1.0f);
    bias[3] = std::numeric_limits<float>::infinity();
    bias[4] = std::numeric_limits<float>::quiet_NaN();
    bias[5] = 3e38f;
    for (const float scale : {3.f, 0.7f, 1e-3f, 1e38f, 1e-38f, 0x1p-140f, 0.f})
        for_each_row_of_bias(
            bias, {scale}, type::u8, type::f32, {}, [&](const memory &dst, const std::string &row) {
                const auto *got = static_cast<const float *>(dst.get_data_handle());
                for (std::int64_t i = 0; i < M * N; ++i) {
                    const float x = bias[static_cast<std::size_t>(i % N)], right = x / scale;
                    const bool same = got[i] == right || (std::isnan(got[i]) && std::isnan(right));
                    const bool subnormal =
                        std::fabs(right) < 0x1p-120f && std::fabs(got[i] - right) <= 0x1p-148f;
                    BOOST_TEST((same || subnormal),
                        row << ": " << x << " / " << scale << " is " << got[i]);
                }
            });
}

BOOST_AUTO_TEST_CASE(infinities_saturate) {
    std::vector<float> bias(N, -std::numeric_limits<float>::infinity());
    bias[1] = -bias[0], bias[2] = 3e38f, bias[3] = -3e38f, bias[4] = 1.5f;
    for (const float scale : {3.f, 0.7f, 1e-3f})
        for_each_row_of_bias(
            bias, {scale}, type::u8, type::s8, {}, [&](const memory &dst, const std::string &row) {
                const auto *got = static_cast<const std::int8_t *>(dst.get_data_handle());
                for (const auto &[j, right] : {std::pair(0, -128), {1, 127}, {2, 127}, {3, -128}})
                    BOOST_TEST(got[j] == right, row << ": " << bias[std::size_t(j)]);
            });
}
