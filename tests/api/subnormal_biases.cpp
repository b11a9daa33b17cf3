// SPDX-License-Identifier: Apache-2.0
// A product of zeros is its bias, also where the bias is subnormal: instructions that convert pairs
// of bf16 flush such numbers, so that no implementation may use them there.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu.hpp"
#include "dnnl/dnnl.hpp"
#include "plain_values.hpp"

namespace {

using api_tests::cpu;
using api_tests::zeros;
using dnnl::memory;
using type = memory::data_type;
using tag = memory::format_tag;

/// Rows that fill register tiles and rows that do not; more columns than two vectors.
constexpr std::int64_t M = 29, K = 32, N = 72;

/// Multiplies zeros by every implementation and compares all rows with the bias.
void expect_bias(type src, type dst, std::vector<float> bias, const dnnl::primitive_attr &attr) {
    const memory::desc bias_md({1, N}, type::f32, tag::ab);
    dnnl::matmul::primitive_desc pd(cpu(), {{M, K}, src, tag::ab}, {{K, N}, src, tag::any}, bias_md,
        {{M, N}, dst, tag::ab}, attr);
    dnnl::stream stream(cpu());
    do {
        const memory to = zeros(pd.dst_desc());
        dnnl::matmul(pd).execute(stream,
            {{DNNL_ARG_SRC, zeros(pd.src_desc())}, {DNNL_ARG_WEIGHTS, zeros(pd.weights_desc())},
                {DNNL_ARG_BIAS, memory(bias_md, cpu(), bias.data())}, {DNNL_ARG_DST, to}});
        stream.wait();
        const std::vector<float> got = values_of(to);
        const std::string row = pd.impl_info_str();
        for (std::size_t i = 0; i < got.size(); ++i)
            BOOST_TEST(got[i] == bias[i % N], row << ": " << got[i] << " where the bias is "
                                                  << bias[i % N] << ", in element " << i);
    } while (pd.next_impl());
}

} // namespace

BOOST_AUTO_TEST_CASE(they_are_the_results_of_products_of_zeros) {
    std::vector<float> bias(N);
    for (std::int64_t j = 0; j < N; ++j) // up to 71 units of bf16's last place, both signs
        bias[static_cast<std::size_t>(j)] = std::ldexp(static_cast<float>(j % 2 ? j : -j), -133);
    dnnl::post_ops clip;
    clip.append_eltwise(dnnl::algorithm::eltwise_clip, -1.f, 1.f);
    dnnl::primitive_attr clipped;
    clipped.set_post_ops(clip);
    for (const type src : {type::f32, type::bf16})
        for (const type dst : {type::f32, type::bf16}) {
            if (src == type::f32 && dst == type::bf16) continue; // not offered
            expect_bias(src, dst, bias, {});
            expect_bias(src, dst, bias, clipped);
        }
    // Among others that are normal, a single one.
    std::fill(bias.begin(), bias.end(), 1.f);
    bias[N - 1] = std::ldexp(1.f, -130);
    expect_bias(type::bf16, type::bf16, bias, {});
}
