// SPDX-License-Identifier: Apache-2.0
// The judge is as strict as it says: intervals are no wider than their operations make them, scores
// are measured in half ulps, and every byte of the margins is watched.
#include "execution/execution.hpp"
#include "oracle/bounded.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <csignal>
#include <functional>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

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

// A bound that reaches the results at both ends of the operands, and beyond them by roundings
// alone.
void check_bound(const bounded &got, double value, const std::vector<double> &results) {
    double spread = 0;
    for (double result : results) spread = std::max(spread, std::fabs(result - value));
    BOOST_CHECK_EQUAL(got.value, value);
    BOOST_CHECK_GE(got.error, spread * (1 - 1e-9));
    BOOST_CHECK_LE(got.error, spread + 6 * u32 * (std::fabs(value) + spread) + 2 * double(FLT_MIN));
}

BOOST_AUTO_TEST_CASE(bounds_reach_to_the_ends_of_their_operands_and_no_further) {
    const std::vector<bounded> operands {
        {3, 0}, {-2, 0.5}, {0.25, 0.125}, {0.5, 0.75}, {-7, 0.001}, {1.0 / 3, 0}, {0, 0.5}};
    const auto ends = [](const bounded &x) {
        return std::vector {x.value - x.error, x.value + x.error};
    };
    for (const bounded &a : operands) {
        const std::vector<double> at_ends = ends(a);
        const auto checked = [&](const bounded &got, double (*f)(double)) {
            check_bound(got, f(a.value), {f(at_ends[0]), f(at_ends[1])});
        };
        checked(logistic(a), [](double x) { return 1 / (1 + std::exp(-x)); });
        checked(tangent(a), [](double x) { return std::tanh(x); });
        const auto leak = [](double x) { return x > 0 ? x : -0.5 * x; };
        std::vector<double> leaked {leak(at_ends[0]), leak(at_ends[1])};
        if (at_ends[0] < 0 && at_ends[1] > 0) leaked.push_back(0);
        check_bound(leaky(a, -0.5), leak(a.value), leaked);
        const bool either = at_ends[0] < 0 && at_ends[1] > 0;
        BOOST_CHECK_EQUAL(leaky_slope(a, 0.25).value, a.value > 0 ? 1 : 0.25);
        BOOST_CHECK_EQUAL(leaky_slope(a, 0.25).error, either ? 0.75 : 0);
        check_bound(held(a, data_type::f32), a.value, at_ends);
        for (const bounded &b : operands) {
            std::vector<double> sums, differences, products;
            for (double x : at_ends)
                for (double y : ends(b)) {
                    sums.push_back(x + y);
                    differences.push_back(x - y);
                    products.push_back(x * y);
                }
            check_bound(a + b, a.value + b.value, sums);
            check_bound(a - b, a.value - b.value, differences);
            check_bound(a * b, a.value * b.value, products);
        }
    }
    BOOST_CHECK_EQUAL(held(bounded(1.0 / 3), data_type::bf16).error,
        std::fabs(round_to(data_type::bf16, 1.0 / 3) - 1.0 / 3));
}

BOOST_AUTO_TEST_CASE(what_is_no_number_or_open_stays_so_through_every_operation) {
    const bounded nan(NAN), open(1, INFINITY), one(1, 0.25);
    const auto is_open = [](const bounded &x) { return interval_of(x).any_allowed; };
    for (const auto f : {logistic, tangent}) {
        BOOST_CHECK(std::isnan(f(nan).value) && !is_open(f(nan)));
        BOOST_CHECK(is_open(f(open)) && !is_open(f(one)));
    }
    BOOST_CHECK(std::isnan(leaky(nan, 0.5).value) && is_open(leaky(open, 0.5)));
    BOOST_CHECK(is_open(leaky_slope(nan, 0.5)) && is_open(leaky_slope(open, 0.5)));
    for (const bool first : {true, false}) {
        const auto both = [&](const bounded &x) {
            return first ? std::vector {x + one, x - one, x * one}
                         : std::vector {one + x, one - x, one * x};
        };
        for (const bounded &result : both(nan)) BOOST_CHECK(std::isnan(result.value));
        for (const bounded &result : both(open)) BOOST_CHECK(is_open(result));
        for (const bounded &result : both(one)) BOOST_CHECK(!is_open(result));
        for (const bounded &x : {nan, open}) {
            bounded_sum sum;
            sum.add(one, one);
            sum.add(first ? x : one, first ? one : x);
            BOOST_CHECK(std::isnan(sum.in_f32().value) || is_open(sum.in_f32()));
        }
    }
    BOOST_CHECK(is_open(bounded(3e38) + bounded(3e38)) && is_open(bounded(1e30) * bounded(1e30)));
}

BOOST_AUTO_TEST_CASE(sums_of_unsure_factors_grow_with_their_magnitude) {
    bounded_sum sum, small(0.5);
    double error = 0, magnitude = 0;
    for (int i = 1; i <= 10; ++i) {
        const bounded a(i % 2 ? i : -i, 0.25), b(1.0 / i, 0.125);
        sum.add(a, b);
        error += std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error;
        magnitude += std::fabs(a.value * b.value);
    }
    const double growth = error_growth(10) * u32;
    BOOST_CHECK_CLOSE(sum.magnitude(), magnitude, 1e-9);
    BOOST_CHECK_CLOSE(sum.in_s32().error, error, 1e-9);
    BOOST_CHECK_CLOSE(sum.in_f32().error - error, growth * (magnitude + error), 1e-2);
    small.add(bounded(0.25), bounded(8)); // may count as zero
    BOOST_CHECK_EQUAL(small.in_s32().error, 2);
}

// How a process ends that runs `action` and then faults outside of what is guarded.
int status_after(const std::function<void()> &action) {
    const pid_t child = fork();
    if (child == 0) {
        close(STDOUT_FILENO);
        action();
        raise(SIGSEGV);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

BOOST_AUTO_TEST_CASE(faults_are_caught_inside_a_guarded_call_alone) {
    const auto outcome = [](int signal) {
        std::string what;
        const bool ended = runs_inside_memory([&] { raise(signal); }, "line", what);
        return ended ? "ended" : what;
    };
    const auto nothing = [] {
        std::string what;
        runs_inside_memory([] {}, "line", what);
    };
    const auto fault = [&] { outcome(SIGSEGV); };
    const auto exception = [] {
        std::string what;
        try {
            runs_inside_memory([] { throw std::runtime_error("inside"); }, "line", what);
        } catch (const std::runtime_error &) {}
    };
    for (const auto &before : {std::function<void()>(nothing), std::function<void()>(fault),
             std::function<void()>(exception)})
        BOOST_CHECK_EQUAL(status_after(before), 1);
    BOOST_CHECK(outcome(SIGSEGV).find("memory") != std::string::npos);
    BOOST_CHECK(outcome(SIGBUS).find("memory") != std::string::npos);
    BOOST_CHECK_EQUAL(outcome(SIGFPE), "divided by zero");
    BOOST_CHECK_EQUAL(outcome(SIGILL), "used an illegal instruction");
    BOOST_CHECK_THROW(runs_inside_memory([] { throw std::runtime_error("inside"); }, "line",
                          *std::make_unique<std::string>()),
        std::runtime_error);
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
