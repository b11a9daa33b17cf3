// SPDX-License-Identifier: Apache-2.0
// The recurrent oracle: values worked by hand, and gradients against difference quotients.
#include "execution/interpreter.hpp"
#include "oracle/bounded.hpp"
#include "oracle/fill.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace conformance;

namespace {

std::unique_ptr<test_problem> problem_of(const std::string &line) {
    std::unique_ptr<test_problem> problem;
    interpreter language(
        [&](const test_case &c, const run_options &) { problem = make_problem(c); }, {});
    language.run(batch_tokens(line));
    return problem;
}

tensor_map inputs_of(const test_problem &problem, double value) {
    tensor_map in;
    for (const tensor_spec &spec : problem.tensors) {
        if (spec.use == role::output) continue;
        in[spec.argument] = tensor(spec.shape, spec.type);
        for (double &x : in[spec.argument].values) x = value;
    }
    return in;
}

tensor_map random_inputs(const test_problem &problem) {
    tensor_map in;
    for (const tensor_spec &spec : problem.tensors)
        if (spec.use != role::output) in[spec.argument] = filled(spec, fill::random, 11);
    return in;
}

// sum of outputs weighted by the gradients that backward is given.
double loss(const test_problem &forward, const tensor_map &in, const tensor_map &gradients) {
    const expectation_map out = forward.expected(in);
    const std::pair<int, int> pairs[] = {{DNNL_ARG_DST_LAYER, DNNL_ARG_DIFF_DST_LAYER},
        {DNNL_ARG_DST_ITER, DNNL_ARG_DIFF_DST_ITER},
        {DNNL_ARG_DST_ITER_C, DNNL_ARG_DIFF_DST_ITER_C}};
    double sum = 0;
    for (const auto &pair : pairs) {
        const auto found = out.find(pair.first);
        if (found == out.end()) continue;
        const auto &weights = gradients.at(pair.second).values;
        for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * found->second[i].value;
    }
    return sum;
}

// Each element of `argument` moved a little, against the gradient of backward.
void check_gradient(const std::string &cell, int argument, int gradient) {
    const auto forward = problem_of("--rnn --prop=FWD_D --alg=" + cell);
    const auto backward = problem_of("--rnn --prop=BWD_DW --flags=O --alg=" + cell);
    tensor_map in = random_inputs(*backward);
    const std::vector<interval> found = backward->expected(in).at(gradient);
    const double step = 1e-5;
    auto &values = in.at(argument).values;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double before = values[i];
        values[i] = before + step;
        const double up = loss(*forward, in, in);
        values[i] = before - step;
        const double quotient = (up - loss(*forward, in, in)) / (2 * step);
        values[i] = before;
        BOOST_CHECK_SMALL(quotient - found[i].value, 1e-6);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(recurrent)

BOOST_AUTO_TEST_CASE(plain_cell_by_hand) {
    const auto problem = problem_of("--rnn --activation=RELU l1t2mb1sic1");
    tensor_map in = inputs_of(*problem, 0);
    in[DNNL_ARG_SRC_LAYER].values = {1, 2};
    in[DNNL_ARG_SRC_ITER].values = {4};
    in[DNNL_ARG_WEIGHTS_LAYER].values = {3};
    in[DNNL_ARG_WEIGHTS_ITER].values = {-2};
    in[DNNL_ARG_BIAS].values = {0.5};
    // 3 - 8 + 0.5 = -4.5, half of it; 6 + 4.5 + 0.5 = 11.
    const expectation_map out = problem->expected(in);
    BOOST_CHECK_EQUAL(out.at(DNNL_ARG_DST_LAYER)[0].value, -2.25);
    BOOST_CHECK_EQUAL(out.at(DNNL_ARG_DST_LAYER)[1].value, 11);
    BOOST_CHECK_EQUAL(out.at(DNNL_ARG_DST_ITER)[0].low, 11);
    BOOST_CHECK_EQUAL(out.at(DNNL_ARG_DST_ITER)[0].high, 11);
}

BOOST_AUTO_TEST_CASE(gates_without_weights_are_half_open) {
    const auto lstm = problem_of("--rnn --alg=VANILLA_LSTM l1t1mb1sic1");
    tensor_map in = inputs_of(*lstm, 0);
    in[DNNL_ARG_SRC_ITER_C].values = {3};
    const expectation_map out = lstm->expected(in);
    BOOST_CHECK_CLOSE(out.at(DNNL_ARG_DST_ITER_C)[0].value, 1.5, 1e-9);
    BOOST_CHECK_CLOSE(out.at(DNNL_ARG_DST_LAYER)[0].value, 0.5 * std::tanh(1.5), 1e-9);
    const auto gru = problem_of("--rnn --alg=VANILLA_GRU l1t1mb1sic1");
    tensor_map state = inputs_of(*gru, 0);
    state[DNNL_ARG_SRC_ITER].values = {3};
    BOOST_CHECK_CLOSE(gru->expected(state).at(DNNL_ARG_DST_LAYER)[0].value, 1.5, 1e-9);
}

BOOST_AUTO_TEST_CASE(only_flushed_products_lose_subnormal_numbers) {
    const std::string line = "l1t1mb1sic1 ";
    const auto problem = problem_of("--rnn --cfg=bf16 --activation=RELU " + line);
    const double subnormal = std::ldexp(1, -130);
    tensor_map in = inputs_of(*problem, 0);
    in[DNNL_ARG_SRC_LAYER].values = {subnormal};
    in[DNNL_ARG_WEIGHTS_LAYER].values = {1};
    const auto kept = problem->expected(in).at(DNNL_ARG_DST_LAYER)[0];
    const auto flushed = problem->expected_where_flushed(in).at(DNNL_ARG_DST_LAYER)[0];
    BOOST_CHECK(!conforms(data_type::bf16, kept, 0));
    BOOST_CHECK(conforms(data_type::bf16, flushed, 0));
    BOOST_CHECK(conforms(data_type::bf16, flushed, subnormal));
    BOOST_CHECK(!conforms(data_type::bf16, flushed, std::ldexp(1, -124)));
    in[DNNL_ARG_SRC_LAYER].values = {1}; // nothing vanishes among numbers of normal size
    const auto large = problem->expected_where_flushed(in).at(DNNL_ARG_DST_LAYER)[0];
    BOOST_CHECK(!conforms(data_type::bf16, large, 1.0078125));
    BOOST_CHECK(problem_of("--rnn " + line)->expected_where_flushed(in).empty());
}

BOOST_AUTO_TEST_CASE(directions_meet_at_the_same_step) {
    const auto concat = problem_of("--rnn --activation=RELU --direction=concat l1t3mb1sic1");
    tensor_map in = inputs_of(*concat, 0);
    in[DNNL_ARG_SRC_LAYER].values = {1, 10, 100};
    in[DNNL_ARG_WEIGHTS_LAYER].values = {1, 1};
    in[DNNL_ARG_WEIGHTS_ITER].values = {1, 1}; // running sums from both ends
    const auto out = concat->expected(in).at(DNNL_ARG_DST_LAYER);
    const double wanted[] = {1, 111, 11, 110, 111, 100};
    for (int i = 0; i < 6; ++i) BOOST_CHECK_EQUAL(out[std::size_t(i)].value, wanted[i]);
}

BOOST_AUTO_TEST_CASE(gradients_are_difference_quotients) {
    for (const char *cell : {"VANILLA_RNN --activation=TANH --direction=concat l2t2mb2sic2",
             "VANILLA_LSTM --direction=sum l2t2mb2sic2", "VANILLA_GRU l2t3mb2sic3",
             "LBR_GRU --direction=right2left l1t3mb2sic2slc3dhc2", "VANILLA_AUGRU l1t2mb2sic2",
             "LBR_AUGRU l1t2mb2sic2"}) {
        check_gradient(cell, DNNL_ARG_SRC_LAYER, DNNL_ARG_DIFF_SRC_LAYER);
        check_gradient(cell, DNNL_ARG_SRC_ITER, DNNL_ARG_DIFF_SRC_ITER);
        check_gradient(cell, DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_LAYER);
        check_gradient(cell, DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_DIFF_WEIGHTS_ITER);
        check_gradient(cell, DNNL_ARG_BIAS, DNNL_ARG_DIFF_BIAS);
    }
    const std::string full = "VANILLA_LSTM --with-peephole=true --with-projection=true "
                             "l1t2mb2sic2slc3dhc4dic2";
    check_gradient(full, DNNL_ARG_WEIGHTS_PEEPHOLE, DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE);
    check_gradient(full, DNNL_ARG_WEIGHTS_PROJECTION, DNNL_ARG_DIFF_WEIGHTS_PROJECTION);
    check_gradient(full, DNNL_ARG_SRC_ITER_C, DNNL_ARG_DIFF_SRC_ITER_C);
    check_gradient(
        "LBR_AUGRU l1t2mb2sic2", DNNL_ARG_AUGRU_ATTENTION, DNNL_ARG_DIFF_AUGRU_ATTENTION);
}

BOOST_AUTO_TEST_CASE(bounds_propagate) {
    const bounded x(0.5, 0.25);
    BOOST_CHECK_GE((x * x).error, 0.25);
    BOOST_CHECK_EQUAL((bounded(3) * bounded(4) + bounded(5)).error, 0);
    BOOST_CHECK_GT((bounded(1) + bounded(1e-9)).error, 0);
    BOOST_CHECK(std::isnan((bounded(NAN) * x).value));
    BOOST_CHECK_EQUAL(quantized_to(bounded(0.5, 0.001), data_type::u8, 127, 128).error, 1);
    BOOST_CHECK_EQUAL(quantized_to(bounded(0.25, 1e-4), data_type::u8, 127, 128).error, 0);
    BOOST_CHECK(interval_of(bounded(1e39, 1)).any_allowed);
}

BOOST_AUTO_TEST_CASE(infinities_and_nan_are_certain_or_open) {
    const bounded infinite(INFINITY), nan(NAN), near_zero(1e-20, 1e-10);
    BOOST_CHECK(std::isinf(interval_of(infinite * bounded(2, 1)).value));
    BOOST_CHECK(!interval_of(infinite * bounded(2, 1)).any_allowed);
    BOOST_CHECK(interval_of(infinite * near_zero).any_allowed);
    BOOST_CHECK(std::isnan(interval_of(infinite * bounded(0)).value));
    BOOST_CHECK(interval_of(infinite * near_zero + infinite).any_allowed);
    BOOST_CHECK(std::isnan(interval_of(infinite * near_zero + nan).value));
    BOOST_CHECK_EQUAL(interval_of(logistic(bounded(-INFINITY))).value, 0);
    BOOST_CHECK(std::isnan(interval_of(tangent(nan)).value));
    bounded_sum certain, open, no_number;
    for (bounded_sum *sum : {&certain, &open, &no_number}) sum->add(infinite, bounded(1));
    open.add(infinite, near_zero);
    no_number.add(bounded(-INFINITY), bounded(1));
    BOOST_CHECK_EQUAL(interval_of(certain.in_f32()).low, INFINITY);
    BOOST_CHECK(interval_of(open.in_f32()).any_allowed);
    BOOST_CHECK(std::isnan(interval_of(no_number.in_f32()).value));
}

BOOST_AUTO_TEST_SUITE_END()
