// SPDX-License-Identifier: Apache-2.0
// The reference eltwise, binary, softmax, pooling, sum, concat and post-ops: values worked by hand,
// limits in ulp against long double formulas, derivatives against difference quotients.
#include <cfloat>
#include <cmath>

#include "common/descriptors/mappings/mappings.hpp"
#include "ref/epilogue.hpp"
#include "reference_run.hpp"

using namespace reference_run;
constexpr auto f32_type = data_type::f32, s8_type = data_type::s8, s32_type = data_type::s32,
               u8_type = data_type::u8, f16_type = data_type::f16;

namespace {

using real = long double;

struct function {
    dnnl_alg_kind_t alg;
    float alpha, beta;
    real limit_ulp;
    real (*exact)(real s, real alpha, real beta);
    float low, high; ///< arguments on which the difference quotient is smooth
};

real logistic(real x) { return 1 / (1 + std::exp(-x)); }
constexpr real sqrt_2_over_pi = 0.797884560802865355879892119868763737L;

const function functions[] = {
    {dnnl_eltwise_relu, 0.25f, 0, 0, [](real s, real a, real) { return s > 0 ? s : a * s; }, 0.1f,
        9},
    {dnnl_eltwise_tanh, 0, 0, 2, [](real s, real, real) { return std::tanh(s); }, -4, 4},
    {dnnl_eltwise_elu, 0.7f, 0, 3,
        [](real s, real a, real) { return s > 0 ? s : a * std::expm1(s); }, -5, -0.1f},
    {dnnl_eltwise_square, 0, 0, 1, [](real s, real, real) { return s * s; }, -4, 4},
    {dnnl_eltwise_abs, 0, 0, 0, [](real s, real, real) { return std::fabs(s); }, 0.1f, 4},
    {dnnl_eltwise_sqrt, 0, 0, 0.5L, [](real s, real, real) { return std::sqrt(s); }, 0.5f, 9},
    {dnnl_eltwise_linear, 0.3f, -1.7f, 0.5L, [](real s, real a, real b) { return a * s + b; }, -4,
        4},
    {dnnl_eltwise_soft_relu, 1.5f, 0, 4,
        [](real s, real a, real) {
            return ((a * s > 0 ? a * s : 0) + std::log1p(std::exp(-std::fabs(a * s)))) / a;
        },
        -4, 4},
    {dnnl_eltwise_hardsigmoid, 0.25f, 0.5f, 1,
        [](real s, real a, real b) { return std::max(0.0L, std::min(1.0L, a * s + b)); }, -1.9f,
        1.9f},
    {dnnl_eltwise_logistic, 0, 0, 2, [](real s, real, real) { return logistic(s); }, -4, 4},
    {dnnl_eltwise_exp, 0, 0, 2, [](real s, real, real) { return std::exp(s); }, -4, 2},
    {dnnl_eltwise_gelu_tanh, 0, 0, 4,
        [](real s, real, real) {
            return s * logistic(2 * sqrt_2_over_pi * (s + 0.044715L * s * s * s));
        },
        -4, 4},
    {dnnl_eltwise_gelu_erf, 0, 0, 4,
        [](real s, real, real) { return s / 2 * std::erfc(-s / std::sqrt(2.0L)); }, -4, 4},
    {dnnl_eltwise_swish, 1.25f, 0, 4, [](real s, real a, real) { return s * logistic(a * s); }, -4,
        4},
    {dnnl_eltwise_log, 0, 0, 2, [](real s, real, real) { return std::log(s); }, 0.5f, 9},
    {dnnl_eltwise_clip, -1, 2, 0,
        [](real s, real a, real b) { return std::min(b, std::max(a, s)); }, -0.9f, 1.9f},
    {dnnl_eltwise_clip_v2, -1, 2, 0,
        [](real s, real a, real b) { return std::min(b, std::max(a, s)); }, -0.9f, 1.9f},
    {dnnl_eltwise_pow, 2, 1.5f, 3, [](real s, real a, real b) { return a * std::pow(s, b); }, 0.5f,
        4},
    {dnnl_eltwise_mish, 0, 0, 4,
        [](real s, real, real) { return s * std::tanh(std::log1p(std::exp(s))); }, -4, 4},
    {dnnl_eltwise_hardswish, 0.25f, 0.5f, 2,
        [](real s, real a, real b) { return s * std::max(0.0L, std::min(1.0L, a * s + b)); }, -1.9f,
        1.9f},
};

/// 64 arguments in every binade of both signs.
template <class Body> void for_each_sample(const Body &body) {
    std::mt19937 random(7);
    for (int exponent = -126; exponent < 128; ++exponent)
        for (int i = 0; i < 64; ++i) {
            const float mantissa = 1 + static_cast<float>(random() >> 9) * 0x1p-23f;
            body(std::ldexp(mantissa, exponent));
            body(-std::ldexp(mantissa, exponent));
        }
}

} // namespace

BOOST_AUTO_TEST_CASE(eltwise_stays_within_its_ulp_limits) {
    for (const function &f : functions) {
        real worst = 0;
        int judged = 0;
        for_each_sample([&](float s) {
            const real exact = f.exact(s, f.alpha, f.beta);
            const real magnitude = std::fabs(exact);
            if (!(magnitude >= FLT_MIN && magnitude < FLT_MAX)) return;
            const float value = ref::eltwise_forward(f.alg, s, f.alpha, f.beta);
            const real ulp = std::ldexp(1.0L, std::ilogb(exact) - 23);
            worst = std::max(worst, std::fabs(value - exact) / ulp);
            ++judged;
        });
        BOOST_CHECK_GT(judged, 500);
        // A result rounded once is within half an ulp; the f64 under it adds next to nothing.
        BOOST_CHECK_MESSAGE(worst <= std::max(f.limit_ulp, 0.500001L),
            "algorithm " << f.alg << ": " << static_cast<double>(worst) << " ulp");
    }
}

BOOST_AUTO_TEST_CASE(eltwise_derivative_agrees_with_difference_quotient) {
    const float h = 0x1p-8f;
    for (const function &f : functions)
        for (int i = 1; i < 64; ++i) {
            const float s = f.low + (f.high - f.low) * static_cast<float>(i) / 64;
            const real quotient =
                (f.exact(real {s} + h, f.alpha, f.beta) - f.exact(real {s} - h, f.alpha, f.beta)) /
                (2 * h);
            const float slope = ref::eltwise_backward(f.alg, 1, s, f.alpha, f.beta);
            BOOST_CHECK_MESSAGE(std::fabs(slope - quotient) <= 2e-4L * (1 + std::fabs(quotient)),
                "algorithm " << f.alg << " at " << s << ": " << slope);
        }
}

BOOST_AUTO_TEST_CASE(eltwise_backward_from_dst_agrees_with_backward_from_src) {
    const std::pair<dnnl_alg_kind_t, dnnl_alg_kind_t> kinds[] = {
        {dnnl_eltwise_relu, dnnl_eltwise_relu_use_dst_for_bwd},
        {dnnl_eltwise_tanh, dnnl_eltwise_tanh_use_dst_for_bwd},
        {dnnl_eltwise_elu, dnnl_eltwise_elu_use_dst_for_bwd},
        {dnnl_eltwise_sqrt, dnnl_eltwise_sqrt_use_dst_for_bwd},
        {dnnl_eltwise_logistic, dnnl_eltwise_logistic_use_dst_for_bwd},
        {dnnl_eltwise_exp, dnnl_eltwise_exp_use_dst_for_bwd},
        {dnnl_eltwise_clip_v2, dnnl_eltwise_clip_v2_use_dst_for_bwd}};
    for (const auto &[from_src, from_dst] : kinds)
        for (float s : {-1.5f, 0.25f, 0.75f, 3.0f}) {
            if (from_src == dnnl_eltwise_sqrt && s < 0) continue;
            const float d = ref::eltwise_forward(from_dst, s, 0.5f, 1.0f);
            BOOST_CHECK_CLOSE(ref::eltwise_backward(from_src, 2, s, 0.5f, 1),
                ref::eltwise_backward(from_dst, 2, d, 0.5f, 1), 1e-3);
        }
}

BOOST_AUTO_TEST_CASE(eltwise_special_values) {
    for (const function &f : functions)
        BOOST_CHECK_MESSAGE(std::isnan(ref::eltwise_forward(f.alg, NAN, f.alpha, f.beta)),
            "algorithm " << f.alg << " loses a NaN");
    const auto at = [](dnnl_alg_kind_t alg, float s) { return ref::eltwise_forward(alg, s, 1, 0); };
    for (dnnl_alg_kind_t alg : {dnnl_eltwise_gelu_tanh, dnnl_eltwise_gelu_erf, dnnl_eltwise_swish,
             dnnl_eltwise_mish, dnnl_eltwise_soft_relu, dnnl_eltwise_exp}) {
        BOOST_CHECK_EQUAL(at(alg, -INFINITY), 0);
        BOOST_CHECK_EQUAL(at(alg, INFINITY), INFINITY);
    }
    BOOST_CHECK_EQUAL(at(dnnl_eltwise_log, 0), -INFINITY);
    BOOST_CHECK_EQUAL(ref::eltwise_forward(dnnl_eltwise_relu, -INFINITY, 0, 0), 0);
    BOOST_CHECK_EQUAL(ref::eltwise_forward(dnnl_eltwise_round, 2.5f, 0, 0), 2);
    BOOST_CHECK_GT(ref::eltwise_forward(dnnl_eltwise_elu, -1e-8f, 1, 0), -1.1e-8f);
}

BOOST_AUTO_TEST_CASE(eltwise_of_s8_rounds_half_to_even_and_refuses_mixed_types) {
    buffer src(s8_type, {4}, {1, 3, -5, 127}), dst(s8_type, {4}), other(f32_type, {4});
    eltwise_desc desc {dnnl_forward_inference, dnnl_eltwise_linear, src.md, dst.md, {}, 0.5f, 0};
    BOOST_CHECK(!run(ref::make_eltwise, desc, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}));
    check(dst, {0, 2, -2, 64});
    desc.dst = other.md;
    BOOST_CHECK_EQUAL(run(ref::make_eltwise, desc, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, other}}),
        std::string("src and dst differ in type"));
}

BOOST_AUTO_TEST_CASE(binary_broadcasts_scales_and_runs_post_ops) {
    buffer a(f32_type, {2, 2}, {1, 2, 3, 4}), b(s8_type, {1, 2}, {10, -20}), dst(f32_type, {2, 2});
    buffer scale(f32_type, {1}, {2}), factor(f32_type, {2, 1}, {1, 10});
    buffer slope(f32_type, {2}, {0.5, 0.25});
    primitive_attr attr;
    quantization q;
    q.arg = DNNL_ARG_SRC_0;
    attr.scales.set(q);
    attr.post_ops.entries = {binary_post_op {dnnl_binary_mul, factor.md}, prelu_post_op {2}};
    BOOST_CHECK(!run(ref::make_binary, binary_desc {dnnl_binary_add, a.md, b.md, {}, dst.md},
        {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, dst},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC_0, scale},
            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, factor},
            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_WEIGHTS, slope}},
        attr));
    check(dst, {12, -4, 160, -30});
}

BOOST_AUTO_TEST_CASE(select_keeps_the_value_or_takes_its_source) {
    buffer a(f32_type, {2, 2}, {1, 2, 3, 4}), b(f32_type, {2, 2}, {0, 0, 0, 0});
    buffer dst(f32_type, {2, 2}), other(f32_type, {1, 2}, {-5, -6}),
        which(s8_type, {2, 1}, {-2, 0});
    primitive_attr attr;
    attr.post_ops.entries = {eltwise_post_op {dnnl_eltwise_linear, 2, 0},
        binary_post_op {dnnl_binary_select, other.md, which.md}};
    BOOST_CHECK(!run(ref::make_binary, binary_desc {dnnl_binary_add, a.md, b.md, {}, dst.md},
        {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, dst},
            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, other},
            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_2, which}},
        attr));
    check(dst, {2, 4, -5, -6});
}

BOOST_AUTO_TEST_CASE(binary_algorithms) {
    buffer a(f32_type, {3}, {1, 2, 3}), b(f32_type, {3}, {2, 2, 2}), dst(f32_type, {3});
    buffer condition(s8_type, {3}, {0, 1, -1});
    const std::pair<dnnl_alg_kind_t, std::vector<float>> expected[] = {{dnnl_binary_add, {3, 4, 5}},
        {dnnl_binary_sub, {-1, 0, 1}}, {dnnl_binary_mul, {2, 4, 6}},
        {dnnl_binary_div, {0.5, 1, 1.5}}, {dnnl_binary_max, {2, 2, 3}},
        {dnnl_binary_min, {1, 2, 2}}, {dnnl_binary_ge, {0, 1, 1}}, {dnnl_binary_gt, {0, 0, 1}},
        {dnnl_binary_le, {1, 1, 0}}, {dnnl_binary_lt, {1, 0, 0}}, {dnnl_binary_eq, {0, 1, 0}},
        {dnnl_binary_ne, {1, 0, 1}}, {dnnl_binary_select, {2, 2, 3}}};
    for (const auto &[alg, values] : expected) {
        const memory_desc src2 = alg == dnnl_binary_select ? condition.md : memory_desc {};
        BOOST_CHECK(!run(ref::make_binary, binary_desc {alg, a.md, b.md, src2, dst.md},
            {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_SRC_2, condition},
                {DNNL_ARG_DST, dst}}));
        check(dst, values);
    }
}

BOOST_AUTO_TEST_CASE(softmax_sums_to_one_and_its_gradient_is_orthogonal) {
    buffer src(f32_type, {2, 300, 3}, small_integers(1800, 5)), dst(src.md), logarithm(src.md);
    softmax_desc desc {dnnl_forward_training, dnnl_softmax_accurate, src.md, dst.md, {}, 1};
    BOOST_CHECK(!run(ref::make_softmax, desc, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}));
    desc.alg = dnnl_softmax_log;
    BOOST_CHECK(!run(ref::make_softmax, desc, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, logarithm}}));
    const std::vector<float> y = dst.values(), log_y = logarithm.values();
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        sum += y[i];
        BOOST_CHECK_SMALL(std::log(y[i]) - log_y[i], 2e-6f);
    }
    BOOST_CHECK_CLOSE(sum, 6.0, 1e-4);
    buffer diff_dst(f32_type, {2, 300, 3}, small_integers(1800, 6)), diff_src(src.md);
    BOOST_CHECK(!run(ref::make_softmax,
        softmax_desc {
            dnnl_backward_data, dnnl_softmax_accurate, diff_src.md, diff_dst.md, dst.md, 1},
        {{DNNL_ARG_DST, dst}, {DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src}}));
    double gradient_sum = 0;
    for (float g : diff_src.values()) gradient_sum += g;
    BOOST_CHECK_SMALL(gradient_sum, 1e-5);
}

BOOST_AUTO_TEST_CASE(softmax_of_u8_scales_the_result) {
    buffer src(u8_type, {1, 3}, {1, 2, 3}), dst(u8_type, {1, 3});
    buffer scale(f32_type, {1}, {1.0f / 255});
    primitive_attr attr;
    quantization q;
    q.arg = DNNL_ARG_DST;
    attr.scales.set(q);
    BOOST_CHECK(!run(ref::make_softmax,
        softmax_desc {dnnl_forward_inference, dnnl_softmax_accurate, src.md, dst.md, {}, 1},
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scale}},
        attr));
    check(dst, {23, 62, 170});
}

namespace {
pooling_desc pooling_1d(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const buffer &src,
    const buffer &dst, const pooling_desc *hint = nullptr) {
    const dim_t kernel = 3, stride = 2, dilate = 0, padding = 1;
    return make_pooling_desc(
        prop, alg, &src.md, &dst.md, &kernel, {&stride, &dilate, &padding, &padding}, hint);
}
} // namespace

BOOST_AUTO_TEST_CASE(pooling_by_hand_with_its_gradients) {
    buffer src(f32_type, {1, 1, 5}, {3, 3, -1, NAN, 7}), dst(f32_type, {1, 1, 3});
    const pooling_desc forward = pooling_1d(dnnl_forward_training, dnnl_pooling_max, src, dst);
    buffer workspace(u8_type, {1, 1, 3}), diff_src(src.md);
    buffer diff_dst(f32_type, {1, 1, 3}, {1, 10, 100});
    BOOST_CHECK(!run(ref::make_pooling, forward,
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_WORKSPACE, workspace}}));
    check(dst, {3, 3, 7});
    check(workspace, {1, 0, 1});
    BOOST_CHECK(!run(ref::make_pooling,
        pooling_1d(dnnl_backward_data, dnnl_pooling_max, diff_src, diff_dst, &forward),
        {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src},
            {DNNL_ARG_WORKSPACE, workspace}}));
    check(diff_src, {1, 10, 0, 0, 100});

    buffer numbers(f32_type, {1, 1, 5}, {2, 4, 6, 8, 10});
    for (auto [alg, values, gradient] :
        {std::tuple {dnnl_pooling_avg_include_padding, std::vector<float> {2, 6, 6},
             std::vector<float> {1, 5, 4, 14, 10}},
            std::tuple {dnnl_pooling_avg_exclude_padding, std::vector<float> {3, 6, 9},
                std::vector<float> {1.5, 5.5, 4, 19, 15}}}) {
        buffer threes(f32_type, {1, 1, 3}, {3, 12, 30});
        BOOST_CHECK(!run(ref::make_pooling, pooling_1d(dnnl_forward_inference, alg, numbers, dst),
            {{DNNL_ARG_SRC, numbers}, {DNNL_ARG_DST, dst}}));
        check(dst, values);
        BOOST_CHECK(!run(ref::make_pooling, pooling_1d(dnnl_backward_data, alg, diff_src, threes),
            {{DNNL_ARG_DIFF_DST, threes}, {DNNL_ARG_DIFF_SRC, diff_src}}));
        check(diff_src, gradient);
    }
}

BOOST_AUTO_TEST_CASE(sum_and_concat_by_hand) {
    buffer a(f32_type, {2, 2}, {1, 2, 3, 4}), b(s8_type, {2, 2}, {10, 20, 30, 40}, dnnl_ba);
    buffer total(f16_type, {2, 2});
    BOOST_CHECK(!run(ref::make_sum, sum_desc {{a.md, b.md}, {2.0f, -0.5f}, total.md},
        {{DNNL_ARG_MULTIPLE_SRC, a}, {DNNL_ARG_MULTIPLE_SRC + 1, b}, {DNNL_ARG_DST, total}}));
    check(total, {-3, -6, -9, -12});

    buffer left(s32_type, {2, 1}, {1, 2}), none(s32_type, {2, 0}),
        right(s32_type, {2, 2}, {3, 4, 5, 6});
    buffer joined(s32_type, {2, 3});
    BOOST_CHECK(!run(ref::make_concat, concat_desc {{left.md, none.md, right.md}, joined.md, 1},
        {{DNNL_ARG_MULTIPLE_SRC, left}, {DNNL_ARG_MULTIPLE_SRC + 1, none},
            {DNNL_ARG_MULTIPLE_SRC + 2, right}, {DNNL_ARG_DST, joined}}));
    check(joined, {1, 3, 4, 2, 5, 6});
}
