// SPDX-License-Identifier: Apache-2.0
// Two products of bytes in one wide multiplication, as slices of programmable devices make them and
// as the 64-bit multiplication of any processor can: what is exact and for how long, what it saves,
// and the library's own results as the judge. See doc/techniques.md.
#include "../../../tests/models/dsp_slice.hpp"
#include "../../random_source.hpp"
#include "../claims.hpp"
#include "layers.hpp"
#include "speed.hpp"

#include <cmath>
#include <exception>

using namespace packed_multiply;
using models::dsp_slice;
using models::packed_field;
using models::split_sums;
using techniques::claims;

namespace {

constexpr int shift = 18;

/// All 2^24 combinations of two upper operands and the common factor.
void all_products(claims &c) {
    bool exact = true, inside = true;
    for (int a = -128; a < 128; ++a)
        for (int b = -128; b < 128; ++b)
            for (int w = -128; w < 128; ++w) {
                dsp_slice slice;
                slice.multiply_add(std::int64_t(a) * (1 << shift), b, w);
                const auto [upper, lower] = split_sums(slice.sum(), shift);
                exact = exact && upper == a * w && lower == b * w;
                inside = inside && !slice.overflowed();
            }
    c.holds("S1-03", "no port and no accumulator overflows over all 2^24 operands", inside);
    c.holds("S1-04", "both products are recovered for all 2^24 operands", exact);
    dsp_slice wider;
    wider.multiply_add(-128 * (std::int64_t(1) << 19), -128, 1);
    c.holds("S1-04", "a shift of 19 overflows the pre-adder at a = b = -128", wider.overflowed());
}

void least_width(claims &c) {
    const packed_field narrow {-128, 127, -128, 127, 16};
    c.figure("S1-05", "products in a field of 16 bits, so that 24 bits are the least input",
        double(narrow.safe_products()), "", "1", narrow.safe_products() == 1);
}

/// The sum of `count` equal products in the low field, decoded.
bool decodes(int count, int b, int w, int first = 0) {
    dsp_slice slice;
    slice.load(first);
    for (int i = 0; i < count; ++i) slice.multiply_add(0, b, w);
    const auto [upper, lower] = split_sums(slice.sum(), shift);
    return upper == 0 && lower - first == std::int64_t(count) * b * w;
}

void guard_bits(claims &c) {
    struct row {
        const char *name;
        int a_low, a_high, b_low, b_high, published;
    };
    constexpr row rows[] = {{"s8 x s8", -128, 127, -128, 127, 7},
        {"s8 x [-127, 127]", -128, 127, -127, 127, 8},
        {"[-127, 127] x [-127, 127]", -127, 127, -127, 127, 8}, {"u7 x s8", 0, 127, -128, 127, 8},
        {"u8 x s8", 0, 255, -128, 127, 4}, {"u8 x [-73, 73]", 0, 255, -73, 73, 7},
        {"u8 x u8", 0, 255, 0, 255, 2}};
    for (const row &r : rows) {
        const auto safe =
            int(packed_field {r.a_low, r.a_high, r.b_low, r.b_high, shift}.safe_products());
        bool fits = true, breaks = false;
        for (const int a : {r.a_low, r.a_high})
            for (const int b : {r.b_low, r.b_high}) {
                fits = fits && decodes(safe, a, b);
                breaks = breaks || !decodes(safe + 1, a, b);
            }
        c.figure(r.a_low < 0 ? "S1-06" : "S1-08",
            std::string("products of ") + r.name + " that fit, and one more that does not", safe,
            "", std::to_string(r.published), safe == r.published && fits && breaks);
    }
    // Which eight products do not fit: extreme operands, all of 3^8 choices of the pairs.
    constexpr std::pair<int, int> extremes[] = {{-128, -128}, {-128, 127}, {127, 127}};
    bool exactly = true;
    for (int choice = 0; choice < 6561; ++choice) {
        dsp_slice slice;
        std::int64_t sum = 0;
        bool all = true;
        for (int i = 0, rest = choice; i < 8; ++i, rest /= 3) {
            const auto [b, w] = extremes[rest % 3];
            slice.multiply_add(0, b, w);
            sum += b * w;
            all = all && rest % 3 == 0;
        }
        exactly = exactly && (split_sums(slice.sum(), shift).second == sum) == !all;
    }
    c.holds("S1-06", "eight products fail exactly where all are (-128)(-128)", exactly);
    c.holds("S1-06", "eight fit with -1 loaded first",
        decodes(8, -128, -128, -1) && decodes(8, -128, 127, -1) && !decodes(9, -128, -128, -1));
}

void correction(claims &c) {
    examples::random_source random(1);
    constexpr int tries = 200000;
    int wrong = 0;
    bool right = true;
    for (int t = 0; t < tries; ++t) {
        dsp_slice slice;
        std::int64_t expected = 0;
        for (int i = 0; i < 7; ++i) {
            const int a = random.below(256) - 128, b = random.below(256) - 128,
                      w = random.below(256) - 128;
            slice.multiply_add(std::int64_t(a) * (1 << shift), b, w);
            expected += a * w;
        }
        wrong += (slice.sum() >> shift) != expected;
        right = right && split_sums(slice.sum(), shift).first == expected;
    }
    c.figure("S1-07", "upper sums that are wrong without the correction", 100. * wrong / tries, "%",
        "49.8 %", right && std::fabs(100. * wrong / tries - 50) < 1);
}

void chains(claims &c) {
    examples::random_source random(2);
    bool exact = true;
    std::int64_t slices = 0, products = 0;
    for (int K = 1; K <= 4000; K += K < 40 ? 1 : 173) {
        std::vector<int> a, b, w;
        std::int64_t a_sum = 0, b_sum = 0;
        for (int i = 0; i < K; ++i) {
            a.push_back(random.below(256) - 128);
            b.push_back(random.below(256) - 128);
            w.push_back(random.below(256) - 128);
            a_sum += a.back() * w.back();
            b_sum += b.back() * w.back();
        }
        const models::chain_result found = models::dsp_chain(a, b, w, 7);
        exact = exact && found.a_sum == a_sum && found.b_sum == b_sum && !found.overflowed &&
                found.slices == K + (K + 6) / 7;
        if (K % 7 == 0) slices += found.slices, products += 2 * K;
    }
    c.holds("S1-09", "chains of 1 to 4000 products are exact, with K + ceil(K / 7) slices", exact);
    const double gain = double(products) / double(slices);
    c.figure("S1-06", "products a slice, counted", gain, "", "1.75", gain == 1.75);
    // A slice has one product of 16 bits; power is not measured, it follows the slices of the same
    // part at the same clock.
    c.figure("S1-15", "products a slice and so a watt, packed bytes over 16 bits", gain, "times",
        "1.75", gain == 1.75);
}

void rivals(claims &c) {
    // (A + B) C: the sum of the operands is all that is left of them.
    dsp_slice first, second;
    first.multiply_add(3, 4, 5);
    second.multiply_add(1, 6, 5);
    c.holds("S1-13", "without a shift different operands give the same accumulator",
        first.sum() == second.sum());
    examples::random_source random(3);
    models::logic_multiplier logic;
    std::int32_t expected[64] {};
    for (int step = 0; step < 1000; ++step) {
        std::uint64_t a[8] {}, b[8] {};
        for (int lane = 0; lane < 64; ++lane) {
            const int x = random.below(256) - 128, y = random.below(256) - 128;
            expected[lane] += x * y;
            for (int bit = 0; bit < 8; ++bit) {
                a[bit] |= std::uint64_t((x >> bit) & 1) << lane;
                b[bit] |= std::uint64_t((y >> bit) & 1) << lane;
            }
        }
        logic.multiply_add(a, b);
    }
    bool exact = true;
    for (int lane = 0; lane < 64; ++lane) exact = exact && logic.lane(lane) == expected[lane];
    c.holds("S1-14", "64 x 1000 multiply-accumulations from logic alone are exact", exact);
}

} // namespace

int main(int count, char **arguments) {
    try {
        claims c(count, arguments);
        all_products(c);
        least_width(c);
        guard_bits(c);
        correction(c);
        chains(c);
        rivals(c);
        check_layers(c);
        measure(c);
        return c.finish();
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "packed_multiply: %s\n", failure.what());
        return 1;
    }
}
