// SPDX-License-Identifier: Apache-2.0
// The judge is as strict as it says: intervals are no wider than their operations make them, scores
// are measured in half ulps, and every byte of the margins is watched.
#include "execution/execution.hpp"
#include "oracle/bounded.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cfloat>
#include <cmath>

using namespace conformance;

namespace {

interval between(double low, double value, double high) {
    interval x(value);
    x.low = low, x.high = high;
    return x;
}

// Ends that lie as far out as the corners, by a relative rounding at most.
template <class Operation>
void check_corners(const interval &got, const interval &a, const interval &b, Operation op) {
    const auto [low, high] =
        std::minmax({op(a.low, b.low), op(a.low, b.high), op(a.high, b.low), op(a.high, b.high)});
    const double slack = 8 * u32 * (std::fabs(a.low) + std::fabs(a.high) + 1) *
                         (std::fabs(b.low) + std::fabs(b.high) + 1);
    BOOST_CHECK_EQUAL(got.value, op(a.value, b.value));
    BOOST_CHECK(got.low <= low && got.low >= low - slack);
    BOOST_CHECK(got.high >= high && got.high <= high + slack);
    BOOST_CHECK(!got.any_allowed && !got.nan_allowed);
}

} // namespace

BOOST_AUTO_TEST_SUITE(judge)

BOOST_AUTO_TEST_CASE(operations_reach_to_their_corners_and_no_further) {
    const interval operands[] = {between(1, 2, 4), between(-3, -2, 5), between(-7, -6, -5),
        between(0.25, 0.5, 0.75), interval(3.0)};
    for (const interval &a : operands)
        for (const interval &b : operands) {
            check_corners(add(a, b), a, b, [](double x, double y) { return x + y; });
            check_corners(subtract(a, b), a, b, [](double x, double y) { return x - y; });
            check_corners(multiply(a, b), a, b, [](double x, double y) { return x * y; });
            if (b.low > 0 || b.high < 0)
                check_corners(divide(a, b), a, b, [](double x, double y) { return x / y; });
            BOOST_CHECK_SMALL(maximum(a, b).low - std::max(a.low, b.low), 1e-5);
            BOOST_CHECK_SMALL(maximum(a, b).high - std::max(a.high, b.high), 1e-5);
            BOOST_CHECK_SMALL(minimum(a, b).low - std::min(a.low, b.low), 1e-5);
            BOOST_CHECK_SMALL(minimum(a, b).high - std::min(a.high, b.high), 1e-5);
        }
    BOOST_CHECK(divide(operands[0], operands[1]).any_allowed);
    BOOST_CHECK(divide(operands[0], interval(0.0)).any_allowed);
}

BOOST_AUTO_TEST_CASE(what_is_open_stays_open_and_nothing_else_is) {
    interval open(1.0), either(1.0);
    open.any_allowed = either.nan_allowed = true;
    for (const auto operation : {add, subtract, multiply, divide, maximum, minimum})
        for (const bool first : {true, false}) {
            const interval one(1.0);
            BOOST_CHECK((first ? operation(open, one) : operation(one, open)).any_allowed);
            BOOST_CHECK((first ? operation(either, one) : operation(one, either)).nan_allowed);
            BOOST_CHECK(!operation(one, one).any_allowed && !operation(one, one).nan_allowed);
        }
    BOOST_CHECK(leaves_open(data_type::f32, open) && !leaves_open(data_type::f32, interval(1.0)));
    BOOST_CHECK(leaves_open(data_type::s8, interval(0, 1000)));
    BOOST_CHECK(!leaves_open(data_type::s8, interval(0, 127)));
    BOOST_CHECK(!leaves_open(data_type::f32, between(-INFINITY, 0, 0)));
    BOOST_CHECK(!leaves_open(data_type::f32, between(0, 0, INFINITY)));
}

BOOST_AUTO_TEST_CASE(rounding_to_f32_allows_half_an_ulp_on_either_side) {
    const double third = 1.0 / 3;
    const interval x = rounded_to_f32(interval(third));
    BOOST_CHECK_CLOSE(x.high - third, u32 * third, 1e-3);
    BOOST_CHECK_CLOSE(third - x.low, u32 * third, 1e-3);
    BOOST_CHECK(rounded_to_f32(interval(1e39)).any_allowed);
    BOOST_CHECK_EQUAL(rounded_to_f32(interval(1e39)).high, INFINITY);
    BOOST_CHECK_EQUAL(rounded_to_f32(interval(-1e39)).low, -INFINITY);
    BOOST_CHECK(!rounded_to_f32(interval(FLT_MAX)).any_allowed);
}

BOOST_AUTO_TEST_CASE(sums_carry_the_error_of_their_length) {
    accumulator sum;
    double exact = 0, magnitude = 0;
    for (int i = 1; i <= 100; ++i) {
        const double product = (i % 3 - 1) / double(i);
        sum.add(product);
        exact += product, magnitude += std::fabs(product);
    }
    BOOST_CHECK_EQUAL(sum.value(), exact);
    BOOST_CHECK_EQUAL(sum.magnitude(), magnitude);
    BOOST_CHECK_EQUAL(sum.count(), 100);
    BOOST_CHECK(!sum.is_exact());
    BOOST_CHECK_CLOSE(sum.in_f32().high - exact, 22 * u32 * magnitude, 1e-3);
    BOOST_CHECK_CLOSE(exact - sum.in_f32().low, 22 * u32 * magnitude, 1e-3);
    BOOST_CHECK_EQUAL(error_growth(1), 3);
    BOOST_CHECK_EQUAL(error_growth(100), 22);
}

BOOST_AUTO_TEST_CASE(an_unsure_factor_makes_a_sum_unsure) {
    bounded_sum sum, sure;
    sum.add({2, 0.5}, {3, 0.25});
    sure.add(2, 3);
    BOOST_CHECK_EQUAL(sum.in_s32().value, 6);
    BOOST_CHECK(sum.in_s32().error >= 2 && sum.in_s32().error <= 2.2);
    BOOST_CHECK_EQUAL(sure.in_s32().error, 0);
    BOOST_CHECK(sum.magnitude() >= 6 && sum.magnitude() <= 6.3);
    BOOST_CHECK(sum.in_f32().error >= sum.in_s32().error);
    BOOST_CHECK(sum.in_f32().error <= sum.in_s32().error + 1e-5);
}

BOOST_AUTO_TEST_CASE(scores_are_measured_in_half_ulps) {
    struct precision {
        data_type type;
        double half_ulp; // of numbers from 1 up to 2
    };
    for (const precision &p :
        {precision {data_type::f32, 0x1p-24}, {data_type::bf16, 0x1p-8}, {data_type::f16, 0x1p-11},
            {data_type::f8_e5m2, 0x1p-3}, {data_type::f8_e4m3, 0x1p-4}, {data_type::s32, 0.5}}) {
        BOOST_CHECK_EQUAL(score_of(p.type, interval(1.0), 1), 0);
        BOOST_CHECK_EQUAL(score_of(p.type, interval(1.0), 1 + p.half_ulp), 1);
        BOOST_CHECK_EQUAL(score_of(p.type, interval(1.0), 1 - p.half_ulp), 1);
    }
    BOOST_CHECK_EQUAL(score_of(data_type::f64, interval(1.0, 1.0), 1.5), 0.5);
    BOOST_CHECK_EQUAL(score_of(data_type::s8, interval(1000.0), 127), 0);
    BOOST_CHECK_EQUAL(score_of(data_type::s8, interval(-1000.0), -128), 0);
}

BOOST_AUTO_TEST_CASE(every_byte_of_a_margin_is_watched) {
    constexpr std::size_t margin = 65536, size = 10;
    guarded_buffer buffer;
    buffer.fill(std::vector<std::uint8_t>(4 * margin), placement::end); // room for whole margins
    for (const placement where : {placement::end, placement::begin})
        for (const std::size_t i : {std::size_t(0), std::size_t(1), margin / 2, margin - 1}) {
            buffer.fill(std::vector<std::uint8_t>(size, 1), where);
            BOOST_CHECK(buffer.rest_is_untouched());
            std::uint8_t *const first =
                where == placement::end ? buffer.data() - margin : buffer.data() + size;
            ++first[i];
            BOOST_CHECK(!buffer.rest_is_untouched());
        }
}

BOOST_AUTO_TEST_SUITE_END()
