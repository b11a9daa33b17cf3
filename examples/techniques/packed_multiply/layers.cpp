// SPDX-License-Identifier: Apache-2.0
// Sharing of inputs and of weights.
#include "layers.hpp"

#include "../../../tests/models/dsp_slice.hpp"
#include "../../random_source.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <dnnl.hpp>

namespace packed_multiply {

using dnnl::memory;
using tag = memory::format_tag;
using type = memory::data_type;
using values = std::vector<std::int8_t>;

namespace {

constexpr int group = 7;

values random_bytes(std::size_t count, std::uint64_t seed) {
    examples::random_source random(seed);
    values all(count);
    for (auto &v : all) v = std::int8_t(random.below(256) - 128);
    return all;
}

/// What the library's primitive makes of the operands, in the order of `dst`.
std::vector<std::int32_t> sums_of(const dnnl::engine &cpu, const dnnl::primitive &primitive,
    const memory &src, const memory &weights, const memory::desc &dst) {
    std::vector<std::int32_t> sums(dst.get_size() / sizeof(std::int32_t));
    dnnl::stream stream(cpu);
    primitive.execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights},
                                  {DNNL_ARG_DST, memory(dst, cpu, sums.data())}});
    stream.wait();
    return sums;
}

/// Two sums that share their second factors. Without a second operand b counts as 0.
std::pair<std::int32_t, std::int32_t> two_sums(
    const std::vector<int> &a, const std::vector<int> &b, const std::vector<int> &shared) {
    const models::chain_result found = models::dsp_chain(a, b, shared, group);
    if (found.overflowed) throw std::runtime_error("a port overflows");
    return {std::int32_t(found.a_sum), std::int32_t(found.b_sum)};
}

/// src M x K, weights K x N.
bool connected(const dnnl::engine &cpu, int M, int K, int N) {
    values src = random_bytes(std::size_t(M) * K, 5), weights = random_bytes(std::size_t(K) * N, 6);
    const memory::desc src_md({M, K}, type::s8, tag::ab), weights_md({K, N}, type::s8, tag::ab),
        dst_md({M, N}, type::s32, tag::ab);
    const auto expected = sums_of(cpu, dnnl::matmul({cpu, src_md, weights_md, dst_md}),
        {src_md, cpu, src.data()}, {weights_md, cpu, weights.data()}, dst_md);
    bool equal = true;
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; n += 2) {
            std::vector<int> a, b, x;
            for (int k = 0; k < K; ++k) {
                x.push_back(src[std::size_t(m * K + k)]);
                b.push_back(weights[std::size_t(k * N + n)]);
                a.push_back(n + 1 < N ? weights[std::size_t(k * N + n + 1)] : 0);
            }
            const auto [second, first] = two_sums(a, b, x);
            equal = equal && first == expected[std::size_t(m * N + n)];
            if (n + 1 < N) equal = equal && second == expected[std::size_t(m * N + n + 1)];
        }
    return equal;
}

/// One image C x H x W, kernel 3 x 3, no padding, channels last.
bool convolved(const dnnl::engine &cpu, int C, int OC, int H, int W) {
    const int OH = H - 2, OW = W - 2;
    values src = random_bytes(std::size_t(C) * H * W, 7);
    values weights = random_bytes(std::size_t(OC) * C * 9, 8);
    const memory::desc src_md({1, C, H, W}, type::s8, tag::nhwc),
        weights_md({OC, C, 3, 3}, type::s8, tag::oihw),
        dst_md({1, OC, OH, OW}, type::s32, tag::nhwc);
    const memory::dims ones {1, 1}, none {0, 0};
    const dnnl::convolution_forward convolution({cpu, dnnl::prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, src_md, weights_md, dst_md, ones, none, none});
    const auto expected = sums_of(
        cpu, convolution, {src_md, cpu, src.data()}, {weights_md, cpu, weights.data()}, dst_md);
    bool equal = true;
    for (int oc = 0; oc < OC; ++oc)
        for (int y = 0; y < OH; ++y)
            for (int x = 0; x < OW; x += 2) {
                std::vector<int> a, b, w;
                for (int i = 0; i < C * 9; ++i) {
                    const int ic = i / 9, ky = i / 3 % 3, kx = i % 3;
                    const auto pixel = [&](int at) {
                        return at + kx < W ? src[std::size_t(((y + ky) * W + at + kx) * C + ic)]
                                           : 0;
                    };
                    b.push_back(pixel(x));
                    a.push_back(pixel(x + 1));
                    w.push_back(weights[std::size_t(((oc * C + ic) * 3 + ky) * 3 + kx)]);
                }
                const auto [second, first] = two_sums(a, b, w);
                equal = equal && first == expected[std::size_t((y * OW + x) * OC + oc)];
                if (x + 1 < OW)
                    equal = equal && second == expected[std::size_t((y * OW + x + 1) * OC + oc)];
            }
    return equal;
}

} // namespace

void check_layers(techniques::claims &c) {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    bool equal = true;
    for (const int N : {1, 2, 7, 16}) equal = equal && connected(cpu, 5, 131, N);
    c.holds(
        "S1-10", "a fully connected layer on packed multiplications equals the library's", equal);
    c.holds("S1-11", "two outputs share an input: 1, 2, 7 and 16 outputs", equal);
    equal = convolved(cpu, 5, 3, 8, 9) && convolved(cpu, 8, 2, 7, 8);
    c.holds("S1-12", "two pixels share a weight: rows of 7 and 6 pixels", equal);
}

} // namespace packed_multiply
