// SPDX-License-Identifier: Apache-2.0
// Scalar loops, compiled without vector instructions, so that they differ in the multiplications
// alone.
#include "speed.hpp"

#include "../../../tests/models/dsp_slice.hpp"
#include "../../random_source.hpp"
#include "../timing.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace packed_multiply {
namespace {

constexpr int K = 252, N = 24; // inputs and outputs of a layer; packed weights fit L1
constexpr int group = 63;      // products that fit in 21 bits

struct layer {
    std::vector<std::int8_t> input, weights; // K; N x K
    std::vector<std::int64_t> two, three;    // packed weights, N / 2 x K and N / 3 x K
};

layer make_layer() {
    examples::random_source random(9);
    layer l;
    for (int k = 0; k < K; ++k) l.input.push_back(std::int8_t(random.below(256) - 128));
    for (int i = 0; i < N * K; ++i) l.weights.push_back(std::int8_t(random.below(256) - 128));
    const auto packed = [&](int lanes, int shift) {
        std::vector<std::int64_t> all;
        for (int n = 0; n < N; n += lanes)
            for (int k = 0; k < K; ++k) {
                std::int64_t value = 0;
                for (int lane = lanes; lane-- > 0;)
                    value = value * (std::int64_t(1) << shift) +
                            l.weights[std::size_t((n + lane) * K + k)];
                all.push_back(value);
            }
        return all;
    };
    l.two = packed(2, 32);
    l.three = packed(3, 21);
    return l;
}

using sums = std::vector<std::int64_t>;

sums one_by_one(const layer &l) {
    sums found(N);
    for (int n = 0; n < N; ++n) {
        const std::int8_t *w = l.weights.data() + n * K;
        std::int32_t sum = 0;
        for (int k = 0; k < K; ++k) sum += l.input[std::size_t(k)] * w[k];
        found[std::size_t(n)] = sum;
    }
    return found;
}

sums two_at_once(const layer &l) {
    sums found(N);
    for (int n = 0; n < N; n += 2) {
        const std::int64_t *w = l.two.data() + n / 2 * K;
        std::int64_t sum = 0;
        for (int k = 0; k < K; ++k) sum += l.input[std::size_t(k)] * w[k];
        const auto [upper, lower] = models::split_sums(sum, 32);
        found[std::size_t(n)] = lower;
        found[std::size_t(n + 1)] = upper;
    }
    return found;
}

sums three_at_once(const layer &l) {
    sums found(N);
    for (int n = 0; n < N; n += 3) {
        const std::int64_t *w = l.three.data() + n / 3 * K;
        for (int begin = 0; begin < K; begin += group) {
            std::int64_t sum = 0;
            const int end = std::min(K, begin + group);
            for (int k = begin; k < end; ++k) sum += l.input[std::size_t(k)] * w[k];
            const auto [rest, first] = models::split_sums(sum, 21);
            const auto [third, second] = models::split_sums(rest, 21);
            found[std::size_t(n)] += first;
            found[std::size_t(n + 1)] += second;
            found[std::size_t(n + 2)] += third;
        }
    }
    return found;
}

} // namespace

void measure(techniques::claims &c) {
    const layer l = make_layer();
    const sums expected = one_by_one(l);
    c.holds("S1-11", "two and three outputs a 64-bit multiplication are exact",
        two_at_once(l) == expected && three_at_once(l) == expected);
    using models::packed_field;
    const auto most = packed_field {-128, 127, -128, 127, 21}.safe_products();
    c.figure(
        "S1-06", "products of s8 x s8 that fit in 21 bits", double(most), "", "63", most == group);
    if (!c.timed()) return;
    volatile std::int64_t kept = 0;
    const auto seconds = [&](sums (*product)(const layer &)) {
        const auto often = [&] {
            for (int i = 0; i < 100; ++i) kept = kept + product(l)[0];
        };
        return techniques::fastest(often, 60);
    };
    const double one = seconds(one_by_one), two = seconds(two_at_once),
                 three = seconds(three_at_once);
    c.figure("S1-06", "speed of two products a 64-bit multiplication over one", one / two, "times",
        "", one / two >= 1.3);
    c.figure("S1-06", "speed of three over one", one / three, "times", "", one / three >= 1.5);
}

} // namespace packed_multiply
