// SPDX-License-Identifier: Apache-2.0
// The reference reduction, resampling and prelu: values worked by hand, and identities that tie
// backward to forward.
#include <cfloat>
#include <cmath>
#include <limits>

#include "common/descriptors/mappings/mappings.hpp"
#include "reference_run.hpp"

using namespace reference_run;
constexpr auto f32_type = data_type::f32, s8_type = data_type::s8, s32_type = data_type::s32,
               u8_type = data_type::u8, f64_type = data_type::f64;

namespace {

std::vector<float> reduced(dnnl_alg_kind_t alg, buffer &src, buffer &dst, float p = 2,
    float epsilon = 0, const primitive_attr &attr = {}) {
    const char *refused =
        run(ref::make_reduction, make_reduction_desc(alg, &src.md, &dst.md, p, epsilon),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}, attr);
    BOOST_CHECK_MESSAGE(!refused, (refused ? refused : ""));
    return dst.values();
}

float number(dnnl_alg_kind_t alg, std::vector<float> x, float p = 2, float epsilon = 0) {
    buffer src(f32_type, {static_cast<dim_t>(x.size())}, x), dst(f32_type, {1});
    return reduced(alg, src, dst, p, epsilon)[0];
}

std::vector<float> resampled(
    dnnl_alg_kind_t alg, const std::vector<float> &x, dim_t O, data_type type = data_type::f32) {
    buffer src(type, {1, 1, static_cast<dim_t>(x.size())}, x), dst(type, {1, 1, O});
    const char *refused = run(ref::make_resampling,
        make_resampling_desc(dnnl_forward_inference, alg, nullptr, &src.md, &dst.md, nullptr),
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    BOOST_CHECK_MESSAGE(!refused, (refused ? refused : ""));
    return dst.values();
}

void check_list(const std::vector<float> &got, const std::vector<float> &expected) {
    BOOST_CHECK_EQUAL_COLLECTIONS(got.begin(), got.end(), expected.begin(), expected.end());
}
} // namespace

BOOST_AUTO_TEST_CASE(reduction_of_four_numbers) {
    const std::vector<float> x {1, -2, 3, -4};
    BOOST_TEST(number(dnnl_reduction_max, x) == 3);
    BOOST_TEST(number(dnnl_reduction_min, x) == -4);
    BOOST_TEST(number(dnnl_reduction_sum, x) == -2);
    BOOST_TEST(number(dnnl_reduction_mul, x) == 24);
    BOOST_TEST(number(dnnl_reduction_mean, x) == -0.5f);
    BOOST_TEST(number(dnnl_reduction_norm_lp_sum, x, 2, 6) == 6);  // sqrt(30 + 6)
    BOOST_TEST(number(dnnl_reduction_norm_lp_max, x, 2, 49) == 7); // sqrt(max(30, 49))
    BOOST_TEST(number(dnnl_reduction_norm_lp_power_p_sum, x, 1, 2) == 12);
    BOOST_TEST(number(dnnl_reduction_norm_lp_power_p_max, x, 3, 2) == 100); // 1 + 8 + 27 + 64
    BOOST_TEST(std::isnan(number(dnnl_reduction_max, {1, NAN, 3})));
    BOOST_TEST(std::isnan(number(dnnl_reduction_min, {NAN, 1, 3})));
    BOOST_TEST(std::isnan(number(dnnl_reduction_norm_lp_max, {NAN, 1}, 2, 9)));
}

BOOST_AUTO_TEST_CASE(reduction_along_axes) {
    // [[[0 1 2] [3 4 5]] [[6 7 8] [9 10 11]]]
    std::vector<float> x;
    for (int i = 0; i < 12; ++i) x.push_back(static_cast<float>(i));
    for (const auto tag : {dnnl_abc, dnnl_acb, dnnl_cba}) {
        buffer src(f32_type, {2, 2, 3}, x, tag);
        buffer first(f32_type, {1, 2, 3}), middle(f32_type, {2, 1, 3}), last(f32_type, {2, 2, 1});
        buffer outer(f32_type, {1, 2, 1}, {}, tag), all(f32_type, {1, 1, 1});
        check_list(reduced(dnnl_reduction_sum, src, first), {6, 8, 10, 12, 14, 16});
        check_list(reduced(dnnl_reduction_sum, src, middle), {3, 5, 7, 15, 17, 19});
        check_list(reduced(dnnl_reduction_sum, src, last), {3, 12, 21, 30});
        check_list(reduced(dnnl_reduction_mean, src, outer), {4, 7});
        check_list(reduced(dnnl_reduction_max, src, all), {11});
    }
}

BOOST_AUTO_TEST_CASE(reduction_of_integers) {
    buffer src(s8_type, {6}, {127, 127, 127, 127, 1, -4}), wide(s32_type, {1}),
        narrow(s8_type, {1});
    check_list(reduced(dnnl_reduction_sum, src, wide), {505});
    check_list(reduced(dnnl_reduction_sum, src, narrow), {127});
    check_list(reduced(dnnl_reduction_min, src, narrow), {-4});
    // Half to even: 5 / 2 is 2, 7 / 2 is 4.
    buffer two(s32_type, {2, 2}, {2, 3, 3, 4}), means(s32_type, {2, 1});
    check_list(reduced(dnnl_reduction_mean, two, means), {2, 4});
    // Beyond s32 on the way, and beyond it at the end.
    const float most = 2147483520;
    buffer large(s32_type, {3}, {most, most, -most}), total(s32_type, {1});
    check_list(reduced(dnnl_reduction_sum, large, total), {most});
    buffer larger(s32_type, {3}, {most, most, most}), mean(s32_type, {1});
    check_list(reduced(dnnl_reduction_mean, larger, mean), {most});
    check_list(reduced(dnnl_reduction_sum, larger, total), {2147483648.0f});
}

BOOST_AUTO_TEST_CASE(reduction_of_nothing) {
    buffer src(f32_type, {0}), dst(f32_type, {1});
    check_list(reduced(dnnl_reduction_max, src, dst), {-FLT_MAX});
    check_list(reduced(dnnl_reduction_min, src, dst), {FLT_MAX});
    check_list(reduced(dnnl_reduction_sum, src, dst), {0});
    check_list(reduced(dnnl_reduction_mul, src, dst), {1});
    BOOST_TEST(std::isnan(reduced(dnnl_reduction_mean, src, dst)[0]));
    check_list(reduced(dnnl_reduction_norm_lp_sum, src, dst, 2, 9), {3});
}

BOOST_AUTO_TEST_CASE(reduction_then_post_ops) {
    buffer src(f32_type, {2, 2}, {1, 2, -3, -4}), dst(f32_type, {2, 1}, {10, 20});
    primitive_attr attr;
    attr.post_ops.entries = {
        eltwise_post_op {dnnl_eltwise_relu, 0, 0}, sum_post_op {0.5f, 0, data_type::undef}};
    check_list(reduced(dnnl_reduction_sum, src, dst, 0, 0, attr), {8, 10});
}

BOOST_AUTO_TEST_CASE(resampling_nearest) {
    const std::vector<float> x {0, 1, 2, 3};
    check_list(resampled(dnnl_resampling_nearest, x, 2), {1, 3});
    check_list(resampled(dnnl_resampling_nearest, x, 3), {0, 2, 3});
    check_list(resampled(dnnl_resampling_nearest, x, 6), {0, 1, 1, 2, 3, 3});
    check_list(resampled(dnnl_resampling_nearest, {-7, 2147483520.0f}, 3, s32_type),
        {-7, 2147483520.0f, 2147483520.0f});
}

BOOST_AUTO_TEST_CASE(resampling_linear) {
    // x = (o + 0.5) / 2 - 0.5 = -0.25, 0.25, 0.75, 1.25
    check_list(resampled(dnnl_resampling_linear, {4, 8}, 4), {4, 5, 7, 8});
    check_list(resampled(dnnl_resampling_linear, {4, 8}, 4, u8_type), {4, 5, 7, 8});
    check_list(resampled(dnnl_resampling_linear, {4, 8}, 4, f64_type), {4, 5, 7, 8});
    // x = 0.5, 2.5
    check_list(resampled(dnnl_resampling_linear, {1, 2, 4, 16}, 2), {1.5f, 10});
    // Nothing is taken of a neighbour with weight 0.
    const float infinity = std::numeric_limits<float>::infinity();
    check_list(resampled(dnnl_resampling_linear, {1, infinity, 3}, 3), {1, infinity, 3});
    // Both directions of a plane: the corner value is a mean of four.
    buffer src(f32_type, {1, 1, 2, 2}, {0, 4, 8, 20}), dst(f32_type, {1, 1, 1, 1});
    BOOST_TEST(!run(ref::make_resampling,
        make_resampling_desc(
            dnnl_forward_inference, dnnl_resampling_linear, nullptr, &src.md, &dst.md, nullptr),
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}));
    check(dst, {8});
}

// <dd, forward(s)> = <backward(dd), s>, with weights that are multiples of 1/16.
BOOST_AUTO_TEST_CASE(resampling_backward_is_the_transpose) {
    for (const auto alg : {dnnl_resampling_nearest, dnnl_resampling_linear}) {
        buffer src(f32_type, {2, 3, 2, 4}, small_integers(48, 1), dnnl_acdb);
        buffer dst(f32_type, {2, 3, 4, 8}), diff_src(f32_type, {2, 3, 2, 4});
        buffer diff_dst(f32_type, {2, 3, 4, 8}, small_integers(192, 2));
        BOOST_TEST(!run(ref::make_resampling,
            make_resampling_desc(dnnl_forward_training, alg, nullptr, &src.md, &dst.md, nullptr),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}));
        BOOST_TEST(!run(ref::make_resampling,
            make_resampling_desc(
                dnnl_backward_data, alg, nullptr, &diff_src.md, &diff_dst.md, nullptr),
            {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src}}));
        BOOST_TEST(inner_product_of(diff_dst, dst) == inner_product_of(diff_src, src));
    }
}

BOOST_AUTO_TEST_CASE(prelu_by_hand) {
    buffer src(f32_type, {2, 2}, {-1, 2, -3, -4}), weights(f32_type, {1, 2}, {0.5f, 0.25f});
    buffer dst(f32_type, {2, 2}), diff_dst(f32_type, {2, 2}, {1, 20, 10, 10});
    buffer diff_src(f32_type, {2, 2}), diff_weights(f32_type, {1, 2});
    BOOST_TEST(!run(ref::make_prelu,
        make_prelu_desc(dnnl_forward_training, {&src.md, &weights.md, &dst.md}),
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}));
    check(dst, {-0.5f, 2, -1.5f, -1});
    BOOST_TEST(!run(ref::make_prelu,
        make_prelu_desc(
            dnnl_backward, {&src.md, &weights.md, &diff_dst.md, &diff_src.md, &diff_weights.md}),
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DIFF_DST, diff_dst},
            {DNNL_ARG_DIFF_SRC, diff_src}, {DNNL_ARG_DIFF_WEIGHTS, diff_weights}}));
    check(diff_src, {0.5f, 20, 5, 2.5f});
    check(diff_weights, {-31, -40}); // -1 * 1 - 3 * 10, -4 * 10
}

BOOST_AUTO_TEST_CASE(prelu_of_integers) {
    const float most = 2147483520;
    buffer src(s32_type, {4}, {most, -3, -5, 0}), weights(f32_type, {4}, {9, 0.5f, 0.5f, 7});
    buffer dst(s32_type, {4});
    BOOST_TEST(!run(ref::make_prelu,
        make_prelu_desc(dnnl_forward_inference, {&src.md, &weights.md, &dst.md}),
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}));
    check(dst, {most, -2, -2, 0}); // half to even
}
