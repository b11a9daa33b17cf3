// SPDX-License-Identifier: Apache-2.0
// The oracle against values worked by hand and against identities.
#define BOOST_TEST_MODULE conformance
#include "execution/creation_ahead.hpp"
#include "execution/interpreter.hpp"
#include "language/usage_error.hpp"
#include "oracle/eltwise_formulas.hpp"
#include "oracle/fill.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>

using namespace conformance;

namespace {

std::unique_ptr<test_problem> problem_of(const std::string &line) {
    std::unique_ptr<test_problem> problem;
    interpreter language(
        [&](const test_case &c, const run_options &) { problem = make_problem(c); }, {});
    language.run(batch_tokens(line));
    return problem;
}

tensor values(const dims &shape, data_type type, std::vector<double> v) {
    tensor t(shape, type);
    t.values = std::move(v);
    return t;
}

std::vector<double> exact(const std::vector<interval> &results) {
    std::vector<double> numbers;
    for (const interval &x : results) numbers.push_back(x.value);
    return numbers;
}

void check_equal(const std::vector<double> &got, const std::vector<double> &wanted) {
    BOOST_CHECK_EQUAL_COLLECTIONS(got.begin(), got.end(), wanted.begin(), wanted.end());
}

tensor_map random_inputs(const test_problem &problem, fill kind) {
    tensor_map in;
    for (const tensor_spec &spec : problem.tensors)
        if (spec.use != role::output) in[spec.argument] = filled(spec, kind, 7);
    return in;
}

double inner(const std::vector<double> &a, const std::vector<double> &b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

constexpr auto f32 = data_type::f32;

} // namespace

BOOST_AUTO_TEST_SUITE(creation)

// Statuses and lines of a run, in the order of the results.
static std::vector<std::string> outcomes_of(const std::string &modifier, std::size_t threads) {
    std::vector<std::string> outcomes;
    runner judge(1, true);
    creation_ahead cases(judge, threads, [&](const case_result &result) {
        outcomes.push_back(
            std::to_string(result.index) + ":" + name_of(result.what) + " " + result.reason);
    });
    interpreter language(
        [&, index = std::size_t(0)](const test_case &c, const run_options &options) mutable {
            cases.take(c, options, index++);
        },
        {});
    language.run(batch_tokens(
        modifier + "--matmul --attr-scratchpad=user 4x5:5x3 6x7:7x2 --dt=u8:s8:f64 2x3:3x2 "
                   "--dt=f32 --stag=any --runtime_dims_masks=1:0 2x3:3x2 --reset "
                   "--attr-scratchpad=user --impl=nothing 3x3:3x3 --impl=reference 2x9:9x3"));
    cases.finish();
    return outcomes;
}

BOOST_AUTO_TEST_CASE(primitives_made_in_parallel_run_in_order_with_the_same_results) {
    const auto one_by_one = outcomes_of("", 1);
    BOOST_REQUIRE_EQUAL(one_by_one.size(), 6u);
    BOOST_CHECK_EQUAL(one_by_one[0], "0:PASSED ");
    BOOST_CHECK(one_by_one[2].rfind("2:UNIMPLEMENTED", 0) == 0);
    BOOST_CHECK(one_by_one[3].rfind("3:SKIPPED", 0) == 0);
    BOOST_CHECK_EQUAL(one_by_one[4], "4:SKIPPED Skip-impl option hit");
    for (std::size_t threads : {1, 4, 16}) {
        const auto in_parallel = outcomes_of("--mode-modifier=P ", threads);
        BOOST_CHECK_EQUAL_COLLECTIONS(
            in_parallel.begin(), in_parallel.end(), one_by_one.begin(), one_by_one.end());
    }
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(numbers)

BOOST_AUTO_TEST_CASE(rounding_is_half_to_even_and_saturates) {
    BOOST_CHECK_EQUAL(round_to(data_type::s8, 2.5), 2);
    BOOST_CHECK_EQUAL(round_to(data_type::s8, 3.5), 4);
    BOOST_CHECK_EQUAL(round_to(data_type::u8, -1), 0);
    BOOST_CHECK_EQUAL(round_to(data_type::u8, 300), 255);
    BOOST_CHECK_EQUAL(round_to(data_type::s32, 3e9), 2147483647.0);
    BOOST_CHECK_EQUAL(round_to(data_type::s8, NAN), 0);
    BOOST_CHECK_EQUAL(round_to(data_type::bf16, 1 + 1.0 / 256), 1);            // tie to even
    BOOST_CHECK_EQUAL(round_to(data_type::bf16, 1 + 3.0 / 256), 1 + 1.0 / 64); // tie to even
    BOOST_CHECK_EQUAL(round_to(data_type::f16, 65519), 65504);
    BOOST_CHECK(std::isinf(round_to(data_type::f16, 65520)));
    BOOST_CHECK_EQUAL(round_to(data_type::f16, std::ldexp(1.0, -25)), 0);
}

BOOST_AUTO_TEST_CASE(known_bit_patterns) {
    std::uint16_t bits = 0;
    store(data_type::f16, 1.5, &bits);
    BOOST_CHECK_EQUAL(bits, 0x3e00);
    store(data_type::f16, std::ldexp(1.0, -24), &bits);
    BOOST_CHECK_EQUAL(bits, 0x0001);
    store(data_type::f16, -65504, &bits);
    BOOST_CHECK_EQUAL(bits, 0xfbff);
    store(data_type::bf16, -2, &bits);
    BOOST_CHECK_EQUAL(bits, 0xc000);
}

BOOST_AUTO_TEST_CASE(every_f16_reads_back) {
    for (unsigned pattern = 0; pattern < 65536; ++pattern) {
        const std::uint16_t bits = std::uint16_t(pattern);
        const double value = load(data_type::f16, &bits);
        std::uint16_t again = 0;
        store(data_type::f16, value, &again);
        if (!std::isnan(value)) BOOST_REQUIRE_EQUAL(again, bits);
    }
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(intervals)

BOOST_AUTO_TEST_CASE(exact_results_admit_no_neighbour) {
    BOOST_CHECK(conforms(f32, interval(3.0), 3.0));
    BOOST_CHECK(!conforms(f32, interval(3.0), std::nextafterf(3.0f, 4.0f)));
    BOOST_CHECK(conforms(data_type::s32, exact_integer(16777217), 16777217));
    BOOST_CHECK(!conforms(data_type::s32, exact_integer(16777217), 16777216));
    BOOST_CHECK(conforms(f32, interval(NAN), NAN));
    BOOST_CHECK(!conforms(f32, interval(NAN), 0));
    BOOST_CHECK(conforms(data_type::s8, interval(NAN), 0));
    BOOST_CHECK(conforms(f32, interval(INFINITY), INFINITY));
    BOOST_CHECK(!conforms(f32, interval(INFINITY), 3e38));
}

BOOST_AUTO_TEST_CASE(sums_of_small_integers_are_exact_and_others_are_bounded) {
    accumulator small, large;
    for (int i = 0; i < 100; ++i) {
        small.add(i);
        large.add(0.1 * i);
    }
    BOOST_CHECK_EQUAL(small.in_f32().low, 4950);
    BOOST_CHECK_EQUAL(small.in_f32().high, 4950);
    const double bound = large.in_f32().high - large.in_f32().value;
    BOOST_CHECK_CLOSE(bound, 22 * u32 * 495, 0.01); // c(100) = 22
}

BOOST_AUTO_TEST_CASE(infinity_times_what_may_be_zero_is_open) {
    const interval near_zero = widened(interval(1e-20), 1e-10), infinite(INFINITY);
    BOOST_CHECK(multiply(near_zero, infinite).any_allowed);
    BOOST_CHECK(!multiply(interval(1e-20), infinite).any_allowed);
    BOOST_CHECK(!multiply(widened(interval(1), 0.5), infinite).any_allowed);
}

BOOST_AUTO_TEST_CASE(maximum_and_minimum_keep_what_is_open) {
    interval open(3), nan_or_three(3);
    open.any_allowed = true;
    nan_or_three.nan_allowed = true;
    for (const auto extreme : {maximum, minimum}) {
        BOOST_CHECK(extreme(open, interval(5)).any_allowed);
        BOOST_CHECK(extreme(interval(5), open).any_allowed);
        BOOST_CHECK(!extreme(interval(5), interval(3)).any_allowed);
        const interval of_nan = extreme(interval(NAN), interval(5));
        BOOST_CHECK(conforms(f32, of_nan, NAN) && conforms(f32, of_nan, 5));
        BOOST_CHECK(!conforms(f32, of_nan, 3));
    }
    // max(3 or NaN, 1) is 3, or NaN, or 1.
    const interval largest = maximum(nan_or_three, interval(1));
    for (double allowed : {3.0, 1.0, double(NAN)}) BOOST_CHECK(conforms(f32, largest, allowed));
    BOOST_CHECK(!conforms(f32, largest, 4));
    interval nan_or_infinity(INFINITY);
    nan_or_infinity.nan_allowed = true;
    const interval later = add(maximum(nan_or_infinity, interval(1)), interval(2));
    for (double allowed : {double(INFINITY), 3.0, double(NAN)})
        BOOST_CHECK(conforms(f32, later, allowed));
}

BOOST_AUTO_TEST_CASE(comparisons_of_what_is_open_are_open) {
    interval open(3);
    open.any_allowed = true;
    const interval either = binary_result(dnnl::algorithm::binary_lt, open, interval(5));
    BOOST_CHECK(conforms(f32, either, 0) && conforms(f32, either, 1));
    BOOST_CHECK(!conforms(f32, either, 2));
}

BOOST_AUTO_TEST_CASE(a_dropped_product_is_noticed) {
    accumulator all, without_one;
    for (int i = 0; i < 4000; ++i) {
        all.add(1 + 1e-5 * i);
        if (i != 2000) without_one.add(1 + 1e-5 * i);
    }
    BOOST_CHECK(!conforms(f32, all.in_f32(), float(without_one.in_s32().value)));
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(formulas)

BOOST_AUTO_TEST_CASE(intervals_around_a_minimum_reach_down_to_it) {
    using dnnl::algorithm;
    for (algorithm alg : {algorithm::eltwise_gelu_erf, algorithm::eltwise_gelu_tanh,
             algorithm::eltwise_swish, algorithm::eltwise_mish}) {
        const interval wide = eltwise_forward(alg, interval(1, 9), 0.5, 0);
        double least = 0;
        for (double x = -8; x < 10; x += 1e-4)
            least = std::min(least, eltwise_value(alg, x, 0.5, 0));
        BOOST_CHECK_LE(wide.low, least);
        BOOST_CHECK_GT(wide.low, least - 1e-5); // 4 ulp of the larger end
    }
}

BOOST_AUTO_TEST_CASE(eltwise_derivatives_match_difference_quotients) {
    const std::pair<const char *, std::pair<double, double>> cases[] = {{"tanh", {0, 0}},
        {"elu", {1.5, 0}}, {"square", {0, 0}}, {"sqrt", {0, 0}}, {"linear", {2, 3}},
        {"soft_relu", {2, 0}}, {"hardsigmoid", {0.2, 0.5}}, {"logistic", {0, 0}}, {"exp", {0, 0}},
        {"gelu_tanh", {0, 0}}, {"gelu_erf", {0, 0}}, {"swish", {1.25, 0}}, {"log", {0, 0}},
        {"clip", {-1, 1}}, {"clip_v2", {-1, 1}}, {"pow", {2, 1.5}}, {"mish", {0, 0}},
        {"hardswish", {0.25, 0.5}}, {"abs", {0, 0}}, {"relu", {0.25, 0}}};
    for (const auto &c : cases) {
        dnnl::algorithm alg;
        BOOST_REQUIRE(eltwise_named(c.first, alg));
        const double a = c.second.first, b = c.second.second, h = 1e-6;
        for (double x : {0.3, 0.7, 1.6, 3.2}) {
            const double quotient =
                (eltwise_value(alg, x + h, a, b) - eltwise_value(alg, x - h, a, b)) / (2 * h);
            BOOST_CHECK_SMALL(
                eltwise_derivative(alg, x, a, b) - quotient, 1e-6 * (1 + std::fabs(quotient)));
        }
    }
}

BOOST_AUTO_TEST_CASE(eltwise_values_by_hand) {
    dnnl::algorithm alg;
    eltwise_named("gelu_erf", alg);
    BOOST_CHECK_CLOSE(eltwise_value(alg, 1, 0, 0), 0.8413447460685429, 1e-10);
    eltwise_named("mish", alg);
    BOOST_CHECK_CLOSE(eltwise_value(alg, 1, 0, 0), 0.8650983882673103, 1e-10);
    eltwise_named("hardswish", alg);
    BOOST_CHECK_EQUAL(eltwise_value(alg, 1, 0.25, 0.5), 0.75);
    eltwise_named("gelu_tanh", alg);
    BOOST_CHECK_EQUAL(eltwise_value(alg, INFINITY, 0, 0), INFINITY);
    eltwise_named("swish", alg);
    BOOST_CHECK_EQUAL(eltwise_value(alg, -INFINITY, 1, 0), 0);
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(primitives)

BOOST_AUTO_TEST_CASE(matmul_with_quantization_by_hand) {
    const auto problem =
        problem_of("--matmul --dt=u8:s8:s8 --attr-scales=src:common:0.5+wei:common:2"
                   "+dst:common:0.25 --attr-zero-points=src:common:1+dst:common:3 1x2:2x1");
    tensor_map in = random_inputs(*problem, fill::exact);
    in[DNNL_ARG_SRC] = values({1, 2}, data_type::u8, {3, 5});
    in[DNNL_ARG_WEIGHTS] = values({2, 1}, data_type::s8, {2, -1});
    // ((3-1)*2 + (5-1)*-1) * 1 = 0, / 0.25 + 3
    check_equal(exact(problem->expected(in).at(DNNL_ARG_DST)), {3});
    in[DNNL_ARG_SRC] = values({1, 2}, data_type::u8, {9, 5});
    check_equal(exact(problem->expected(in).at(DNNL_ARG_DST)), {(16 - 4) * 4 + 3});
}

BOOST_AUTO_TEST_CASE(convolution_by_hand) {
    const auto problem = problem_of("--conv --dir=FWD_B mb1ic1iw4oc1kw3pw1");
    tensor_map in;
    in[DNNL_ARG_SRC] = values({1, 1, 4}, f32, {1, 2, 3, 4});
    in[DNNL_ARG_WEIGHTS] = values({1, 1, 3}, f32, {1, 10, 100});
    in[DNNL_ARG_BIAS] = values({1}, f32, {0.5});
    check_equal(exact(problem->expected(in).at(DNNL_ARG_DST)), {210.5, 321.5, 432.5, 43.5});
}

BOOST_AUTO_TEST_CASE(deconvolution_by_hand) {
    const auto result = [](const std::string &line) {
        tensor_map in;
        in[DNNL_ARG_SRC] = values({1, 1, 2}, f32, {1, 10});
        in[DNNL_ARG_WEIGHTS] = values({1, 1, 3}, f32, {1, 2, 3});
        return exact(problem_of(line)->expected(in).at(DNNL_ARG_DST));
    };
    check_equal(result("--deconv --dir=FWD_D mb1ic1iw2oc1kw3"), {1, 12, 23, 30});
    check_equal(result("--deconv --dir=FWD_D mb1ic1iw2oc1kw3sw2"), {1, 2, 13, 20, 30});
    check_equal(result("--deconv --dir=FWD_D mb1ic1iw2oc1ow4kw3pw1sw2"), {2, 13, 20, 30});
    check_equal(result("--deconv --dir=FWD_D mb1ic1iw2oc1kw3dw1"), {1, 10, 2, 20, 3, 30});
    // Weights are (O, I, W) and the bias gradient is summed over diff_dst.
    tensor_map in;
    in[DNNL_ARG_SRC] = values({1, 2, 1}, f32, {2, 3});
    in[DNNL_ARG_DIFF_DST] = values({1, 1, 2}, f32, {10, 100});
    const auto gradients = problem_of("--deconv --dir=BWD_WB mb1ic2iw1oc1kw2")->expected(in);
    check_equal(exact(gradients.at(DNNL_ARG_DIFF_WEIGHTS)), {20, 200, 30, 300});
    check_equal(exact(gradients.at(DNNL_ARG_DIFF_BIAS)), {110});
}

namespace {
void check_adjoint(const std::string &driver) {
    const std::string shape = " --dt=f32 g2mb2ic6ih5iw4oc4kh3kw2ph1sh2";
    const auto forward = problem_of(driver + " --dir=FWD_D" + shape);
    const auto data = problem_of(driver + " --dir=BWD_D" + shape);
    const auto weights = problem_of(driver + " --dir=BWD_W" + shape);
    tensor_map in = random_inputs(*forward, fill::random),
               back = random_inputs(*data, fill::random);
    back[DNNL_ARG_WEIGHTS] = in[DNNL_ARG_WEIGHTS];
    const auto &dd = back[DNNL_ARG_DIFF_DST].values;
    const double products = inner(exact(forward->expected(in).at(DNNL_ARG_DST)), dd);
    const double by_data =
        inner(in[DNNL_ARG_SRC].values, exact(data->expected(back).at(DNNL_ARG_DIFF_SRC)));
    tensor_map back_weights = {
        {DNNL_ARG_SRC, in[DNNL_ARG_SRC]}, {DNNL_ARG_DIFF_DST, back[DNNL_ARG_DIFF_DST]}};
    const double by_weights = inner(in[DNNL_ARG_WEIGHTS].values,
        exact(weights->expected(back_weights).at(DNNL_ARG_DIFF_WEIGHTS)));
    BOOST_CHECK_CLOSE(products, by_data, 1e-9);
    BOOST_CHECK_CLOSE(products, by_weights, 1e-9);
}
} // namespace

BOOST_AUTO_TEST_CASE(convolution_backward_is_the_adjoint) {
    check_adjoint("--conv");
    check_adjoint("--deconv");
}

BOOST_AUTO_TEST_CASE(padding_may_meet_a_weight_that_is_no_number) {
    const auto problem = problem_of("--conv --dir=FWD_D mb1ic1iw3oc1ow3kw3pw1");
    tensor_map in;
    in[DNNL_ARG_SRC] = values({1, 1, 3}, f32, {1, 2, 4});
    in[DNNL_ARG_WEIGHTS] = values({1, 1, 3}, f32, {INFINITY, 1, 0});
    const auto dst = problem->expected(in).at(DNNL_ARG_DST);
    BOOST_CHECK(conforms(f32, dst[0], 1) && conforms(f32, dst[0], NAN)); // 0 * infinity + 1
    BOOST_CHECK(conforms(f32, dst[1], INFINITY) && !conforms(f32, dst[1], NAN));
    BOOST_CHECK(conforms(f32, dst[2], INFINITY) && !conforms(f32, dst[2], NAN));
    const auto backward = problem_of("--conv --dir=BWD_D mb1ic1iw3oc1ow3kw3pw1");
    in[DNNL_ARG_DIFF_DST] = in[DNNL_ARG_SRC];
    const auto diff_src = backward->expected(in).at(DNNL_ARG_DIFF_SRC);
    BOOST_CHECK(conforms(f32, diff_src[2], 4) && conforms(f32, diff_src[2], NAN));
    BOOST_CHECK(!conforms(f32, diff_src[0], NAN));
}

BOOST_AUTO_TEST_CASE(tiles_may_meet_zeros_with_a_pixel_that_is_no_number) {
    const auto problem = problem_of("--conv --dir=BWD_W --dt=bf16 mb1ic2iw3oc1ow3kw3pw1");
    tensor_map in;
    in[DNNL_ARG_SRC] = values({1, 2, 3}, data_type::bf16, {INFINITY, 2, 4, 1, 2, 4});
    in[DNNL_ARG_DIFF_DST] = values({1, 1, 3}, data_type::bf16, {1, 1, 1});
    const auto strict = problem->expected(in).at(DNNL_ARG_DIFF_WEIGHTS);
    const auto tiles = problem->expected_where_flushed(in).at(DNNL_ARG_DIFF_WEIGHTS);
    // The first pixel meets taps 0 and 1 of its channel.
    for (const auto *of : {&strict, &tiles}) {
        BOOST_CHECK(conforms(data_type::bf16, (*of)[1], INFINITY));
        BOOST_CHECK(conforms(data_type::bf16, (*of)[2], 6));
        BOOST_CHECK(conforms(data_type::bf16, (*of)[4], 7));
        BOOST_CHECK(!conforms(data_type::bf16, (*of)[4], NAN));
    }
    BOOST_CHECK(!conforms(data_type::bf16, strict[2], NAN));
    BOOST_CHECK(conforms(data_type::bf16, tiles[2], NAN));
}

BOOST_AUTO_TEST_CASE(inner_product_equals_matmul) {
    const auto ip = problem_of("--ip --dir=FWD_D mb3ic5oc4");
    const auto matmul = problem_of("--matmul 3x5:5x4");
    tensor_map in = random_inputs(*ip, fill::random), as_matmul;
    as_matmul[DNNL_ARG_SRC] = in[DNNL_ARG_SRC];
    tensor transposed({5, 4}, f32);
    for (std::size_t o = 0; o < 4; ++o)
        for (std::size_t i = 0; i < 5; ++i)
            transposed.values[i * 4 + o] = in[DNNL_ARG_WEIGHTS].values[o * 5 + i];
    as_matmul[DNNL_ARG_WEIGHTS] = transposed;
    check_equal(exact(ip->expected(in).at(DNNL_ARG_DST)),
        exact(matmul->expected(as_matmul).at(DNNL_ARG_DST)));
}

BOOST_AUTO_TEST_CASE(pooling_by_hand) {
    const auto most = problem_of("--pool --alg=max mb1ic1iw4kw2sw2pw1ow3");
    const auto mean = problem_of("--pool --alg=avg_np mb1ic1iw4kw2sw2pw1ow3");
    const auto mean_of_all = problem_of("--pool --alg=avg_p mb1ic1iw4kw2sw2pw1ow3");
    const tensor_map in = {{DNNL_ARG_SRC, values({1, 1, 4}, f32, {-1, 2, 3, -4})}};
    check_equal(exact(most->expected(in).at(DNNL_ARG_DST)), {-1, 3, -4});
    check_equal(exact(mean->expected(in).at(DNNL_ARG_DST)), {-1, 2.5, -4});
    check_equal(exact(mean_of_all->expected(in).at(DNNL_ARG_DST)), {-0.5, 2.5, -2});
}

BOOST_AUTO_TEST_CASE(max_pooling_backward_takes_the_first_maximum) {
    const auto problem = problem_of("--pool --dir=BWD_D --alg=max mb1ic1iw3kw3");
    const tensor_map in = {{DNNL_ARG_SRC, values({1, 1, 3}, f32, {2, 5, 5})},
        {DNNL_ARG_DIFF_DST, values({1, 1, 1}, f32, {7})}};
    check_equal(exact(problem->expected(in).at(DNNL_ARG_DIFF_SRC)), {0, 7, 0});
}

BOOST_AUTO_TEST_CASE(softmax_sums_to_one_and_backward_to_zero) {
    const auto forward = problem_of("--softmax --axis=1 2x9");
    const auto backward = problem_of("--softmax --dir=BWD_D --axis=1 2x9");
    tensor_map in = random_inputs(*forward, fill::random);
    const auto y = exact(forward->expected(in).at(DNNL_ARG_DST));
    double sum = 0;
    for (std::size_t i = 0; i < 9; ++i) sum += y[i];
    BOOST_CHECK_CLOSE(sum, 1, 1e-10);
    tensor_map back = random_inputs(*backward, fill::random);
    back[DNNL_ARG_DST].values = y;
    const auto gradient = exact(backward->expected(back).at(DNNL_ARG_DIFF_SRC));
    double total = 0;
    for (std::size_t i = 0; i < 9; ++i) total += gradient[i];
    BOOST_CHECK_SMALL(total, 1e-12);
}

BOOST_AUTO_TEST_CASE(reorder_quantizes_by_division) {
    const auto problem = problem_of("--reorder --sdt=f32 --ddt=u8 --attr-scales=dst:common:0.5 "
                                    "--attr-zero-points=dst:common:10 1x3");
    tensor_map in = random_inputs(*problem, fill::exact);
    in[DNNL_ARG_FROM] = values({1, 3}, f32, {1, -2, 0.25});
    check_equal(exact(problem->expected(in).at(DNNL_ARG_TO)), {12, 6, 10.5});
}

BOOST_AUTO_TEST_CASE(post_ops_run_in_order) {
    const auto problem = problem_of("--eltwise --alg=linear --alpha=2 --beta=1 "
                                    "--attr-post-ops=mul:f32:common+add:f32:per_oc 1x2");
    tensor_map in = random_inputs(*problem, fill::exact);
    in[DNNL_ARG_SRC] = values({1, 2}, f32, {1, 2});
    in[DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1] = values({1, 1}, f32, {3});
    in[DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1] = values({1, 2}, f32, {10, 20});
    check_equal(exact(problem->expected(in).at(DNNL_ARG_DST)), {19, 35});
}

BOOST_AUTO_TEST_SUITE_END()
