// SPDX-License-Identifier: Apache-2.0
// Every function about attributes and post-ops, called once as its row of the specification says
// (see call_objects.cpp).
#include "objects.hpp"

#define CALL(function) BOOST_AUTO_TEST_CASE(calls_##function)

using namespace api_tests;

namespace {
attr_owner attributes() {
    attr_owner made;
    ok(dnnl_primitive_attr_create(made.out()));
    return made;
}
post_ops_owner chain() {
    post_ops_owner made;
    ok(dnnl_post_ops_create(made.out()));
    return made;
}

/// Calls set(attr, value), then get(attr, &found): found must be the value.
template <class Set, class Get, class Value> void round_trip(Set set, Get get, Value value) {
    const auto attr = attributes();
    ok(set(attr, value));
    Value found {};
    ok(get(attr, &found));
    BOOST_TEST(found == value);
}
} // namespace

CALL(dnnl_primitive_attr_create) { BOOST_TEST(attributes() != nullptr); }
CALL(dnnl_primitive_attr_destroy) { ok(dnnl_primitive_attr_destroy(nullptr)); }
CALL(dnnl_primitive_attr_clone) {
    const auto attr = attributes();
    ok(dnnl_primitive_attr_set_deterministic(attr, 1));
    attr_owner copy;
    ok(dnnl_primitive_attr_clone(copy.out(), attr));
    int value = 0;
    ok(dnnl_primitive_attr_get_deterministic(copy, &value));
    BOOST_TEST(value == 1);
}
CALL(dnnl_primitive_attr_set_dropout) {
    const auto attr = attributes();
    ok(dnnl_primitive_attr_set_dropout(attr, plain({2, 3}, dnnl_u8)));
}
CALL(dnnl_primitive_attr_get_dropout) {
    const auto attr = attributes();
    ok(dnnl_primitive_attr_set_dropout(attr, plain({2, 3}, dnnl_u8)));
    const_dnnl_memory_desc_t mask = nullptr;
    ok(dnnl_primitive_attr_get_dropout(attr, &mask));
    BOOST_TEST(dnnl_memory_desc_equal(mask, plain({2, 3}, dnnl_u8)) == 1);
}
CALL(dnnl_primitive_attr_set_dropout_v2) {
    const auto attr = attributes();
    ok(dnnl_primitive_attr_set_dropout_v2(attr, plain({2, 3}, dnnl_u8), dnnl_s64, 1, 0));
    int use_offset = 0;
    ok(dnnl_primitive_attr_get_dropout_v2(attr, nullptr, nullptr, &use_offset, nullptr));
    BOOST_TEST(use_offset == 1);
}
CALL(dnnl_primitive_attr_get_dropout_v2) {
    dnnl_data_type_t seed = dnnl_f32;
    ok(dnnl_primitive_attr_get_dropout_v2(attributes(), nullptr, &seed, nullptr, nullptr));
    BOOST_TEST(seed == dnnl_data_type_undef);
}
CALL(dnnl_primitive_attr_set_fpmath_mode) {
    round_trip(dnnl_primitive_attr_set_fpmath_mode, dnnl_primitive_attr_get_fpmath_mode,
        dnnl_fpmath_mode_bf16);
}
CALL(dnnl_primitive_attr_get_fpmath_mode) {
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_any;
    ok(dnnl_primitive_attr_get_fpmath_mode(attributes(), &mode));
    BOOST_TEST(mode == dnnl_fpmath_mode_strict);
}
CALL(dnnl_primitive_attr_set_fpmath_mode_v2) {
    const auto attr = attributes();
    ok(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_f16, 1));
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_any;
    int to_integers = 0;
    ok(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &mode, &to_integers));
    BOOST_TEST(mode == dnnl_fpmath_mode_f16);
    BOOST_TEST(to_integers == 1);
}
CALL(dnnl_primitive_attr_get_fpmath_mode_v2) {
    int to_integers = 7;
    ok(dnnl_primitive_attr_get_fpmath_mode_v2(attributes(), nullptr, &to_integers));
    BOOST_TEST(to_integers == 0);
}
CALL(dnnl_primitive_attr_set_deterministic) {
    round_trip(dnnl_primitive_attr_set_deterministic, dnnl_primitive_attr_get_deterministic, 1);
}
CALL(dnnl_primitive_attr_get_deterministic) {
    int value = 7;
    ok(dnnl_primitive_attr_get_deterministic(attributes(), &value));
    BOOST_TEST(value == 0);
}
CALL(dnnl_primitive_attr_set_accumulation_mode) {
    round_trip(dnnl_primitive_attr_set_accumulation_mode, dnnl_primitive_attr_get_accumulation_mode,
        dnnl_accumulation_mode_relaxed);
}
CALL(dnnl_primitive_attr_get_accumulation_mode) {
    dnnl_accumulation_mode_t mode = dnnl_accumulation_mode_any;
    ok(dnnl_primitive_attr_get_accumulation_mode(attributes(), &mode));
    BOOST_TEST(mode == dnnl_accumulation_mode_strict);
}
CALL(dnnl_primitive_attr_set_scratchpad_mode) {
    round_trip(dnnl_primitive_attr_set_scratchpad_mode, dnnl_primitive_attr_get_scratchpad_mode,
        dnnl_scratchpad_mode_user);
}
CALL(dnnl_primitive_attr_get_scratchpad_mode) {
    dnnl_scratchpad_mode_t mode = dnnl_scratchpad_mode_user;
    ok(dnnl_primitive_attr_get_scratchpad_mode(attributes(), &mode));
    BOOST_TEST(mode == dnnl_scratchpad_mode_library);
}
CALL(dnnl_primitive_attr_set_scales_mask) {
    const auto attr = attributes();
    ok(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
    BOOST_TEST(
        dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_BIAS, 0) == dnnl_invalid_arguments);
}
CALL(dnnl_primitive_attr_set_scales) {
    const dims groups {32, 1};
    ok(dnnl_primitive_attr_set_scales(
        attributes(), DNNL_ARG_WEIGHTS, 3, 2, groups.data(), dnnl_bf16));
}
CALL(dnnl_primitive_attr_set_zero_points_mask) {
    const auto attr = attributes();
    ok(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_SRC, 0));
    BOOST_TEST(
        dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_BIAS, 0) == dnnl_invalid_arguments);
}
CALL(dnnl_primitive_attr_set_zero_points) {
    const dims groups {32, 1};
    ok(dnnl_primitive_attr_set_zero_points(
        attributes(), DNNL_ARG_WEIGHTS, 3, 2, groups.data(), dnnl_u4));
}
CALL(dnnl_primitive_attr_set_scales_v2) {
    ok(dnnl_primitive_attr_set_scales_v2(attributes(), DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f16, 1));
}
CALL(dnnl_primitive_attr_set_scales_v3) {
    const dims groups {1, 16};
    ok(dnnl_primitive_attr_set_scales_v3(attributes(), DNNL_ARG_DST, 3, 2, groups.data(),
        dnnl_f8_e4m3, 0, dnnl_quantization_mode_dynamic_fp));
}
CALL(dnnl_primitive_attr_set_zero_points_v2) {
    ok(dnnl_primitive_attr_set_zero_points_v2(
        attributes(), DNNL_ARG_SRC, 0, 0, nullptr, dnnl_s8, 1));
}
CALL(dnnl_primitive_attr_set_precomputed_reductions) {
    const dims groups {1, 64};
    ok(dnnl_primitive_attr_set_precomputed_reductions(
        attributes(), DNNL_ARG_SRC, 3, 2, groups.data(), dnnl_s32));
}
CALL(dnnl_primitive_attr_set_rounding) {
    const auto attr = attributes();
    ok(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    dnnl_rounding_mode_t mode = dnnl_rounding_mode_environment;
    ok(dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DST, &mode));
    BOOST_TEST(mode == dnnl_rounding_mode_stochastic);
}
CALL(dnnl_primitive_attr_get_rounding) {
    dnnl_rounding_mode_t mode = dnnl_rounding_mode_stochastic;
    ok(dnnl_primitive_attr_get_rounding(attributes(), DNNL_ARG_DST, &mode));
    BOOST_TEST(mode == dnnl_rounding_mode_environment);
}
CALL(dnnl_primitive_attr_set_post_ops) {
    const auto attr = attributes();
    const auto ops = chain();
    ok(dnnl_post_ops_append_sum(ops, 1, 0, dnnl_data_type_undef));
    ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    const_dnnl_post_ops_t found = nullptr;
    ok(dnnl_primitive_attr_get_post_ops(attr, &found));
    BOOST_TEST(dnnl_post_ops_len(found) == 1);
}
CALL(dnnl_primitive_attr_get_post_ops) {
    const auto attr = attributes();
    const_dnnl_post_ops_t found = nullptr;
    ok(dnnl_primitive_attr_get_post_ops(attr, &found));
    BOOST_TEST(dnnl_post_ops_len(found) == 0);
}

// ---- Parameters of recurrent networks ----

CALL(dnnl_primitive_attr_set_rnn_data_qparams) {
    const auto attr = attributes();
    ok(dnnl_primitive_attr_set_rnn_data_qparams(attr, 2, 3));
    float scale = 0, shift = 0;
    ok(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, &shift));
    BOOST_TEST(scale == 2);
    BOOST_TEST(shift == 3);
}
CALL(dnnl_primitive_attr_get_rnn_data_qparams) {
    float scale = 0, shift = 7;
    ok(dnnl_primitive_attr_get_rnn_data_qparams(attributes(), &scale, &shift));
    BOOST_TEST(scale == 1);
    BOOST_TEST(shift == 0);
}
namespace {
template <class Set, class Get> void weights_parameters(Set set, Get get) {
    const auto attr = attributes();
    const std::vector<float> values {0.5f, 2, 4};
    ok(set(attr, 3, 24, values.data()));
    dnnl_dim_t count = 0;
    int mask = 0;
    const float *scales = nullptr;
    ok(get(attr, &count, &mask, &scales));
    BOOST_TEST(mask == 24);
    BOOST_TEST(std::vector<float>(scales, scales + count) == values);
}
template <class Get> void default_parameters(Get get) {
    const auto attr = attributes();
    dnnl_dim_t count = 0;
    int mask = 7;
    const float *scales = nullptr;
    ok(get(attr, &count, &mask, &scales));
    BOOST_TEST(count == 1);
    BOOST_TEST(mask == 0);
    BOOST_TEST(*scales == 1);
}
} // namespace
CALL(dnnl_primitive_attr_set_rnn_weights_qparams) {
    weights_parameters(
        dnnl_primitive_attr_set_rnn_weights_qparams, dnnl_primitive_attr_get_rnn_weights_qparams);
}
CALL(dnnl_primitive_attr_get_rnn_weights_qparams) {
    default_parameters(dnnl_primitive_attr_get_rnn_weights_qparams);
}
CALL(dnnl_primitive_attr_set_rnn_weights_projection_qparams) {
    weights_parameters(dnnl_primitive_attr_set_rnn_weights_projection_qparams,
        dnnl_primitive_attr_get_rnn_weights_projection_qparams);
}
CALL(dnnl_primitive_attr_get_rnn_weights_projection_qparams) {
    default_parameters(dnnl_primitive_attr_get_rnn_weights_projection_qparams);
}

// ---- Post-ops ----

CALL(dnnl_post_ops_create) { BOOST_TEST(chain() != nullptr); }
CALL(dnnl_post_ops_destroy) { ok(dnnl_post_ops_destroy(nullptr)); }
CALL(dnnl_post_ops_clone) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_prelu(ops, 2));
    post_ops_owner copy;
    ok(dnnl_post_ops_clone(copy.out(), ops));
    BOOST_TEST(dnnl_post_ops_get_kind(copy, 0) == dnnl_prelu);
}
CALL(dnnl_post_ops_len) { BOOST_TEST(dnnl_post_ops_len(nullptr) == 0); }
CALL(dnnl_post_ops_get_kind) {
    BOOST_TEST(dnnl_post_ops_get_kind(chain(), 0) == dnnl_undefined_primitive);
}
CALL(dnnl_post_ops_append_sum) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_sum(ops, 0.5f, 3, dnnl_u8));
    BOOST_TEST(dnnl_post_ops_get_kind(ops, 0) == dnnl_sum);
}
CALL(dnnl_post_ops_get_params_sum) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_sum(ops, 0.5f, 3, dnnl_u8));
    float scale = 0;
    std::int32_t zero_point = 0;
    dnnl_data_type_t type = dnnl_data_type_undef;
    ok(dnnl_post_ops_get_params_sum(ops, 0, &scale, &zero_point, &type));
    BOOST_TEST(scale == 0.5f);
    BOOST_TEST(zero_point == 3);
    BOOST_TEST(type == dnnl_u8);
}
CALL(dnnl_post_ops_append_eltwise) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_tanh, 0, 0));
    BOOST_TEST(dnnl_post_ops_append_eltwise(ops, dnnl_binary_add, 0, 0) == dnnl_invalid_arguments);
    BOOST_TEST(dnnl_post_ops_len(ops) == 1);
}
CALL(dnnl_post_ops_get_params_eltwise) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_linear, 2, 3));
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    float alpha = 0, beta = 0;
    ok(dnnl_post_ops_get_params_eltwise(ops, 0, &alg, &alpha, &beta));
    BOOST_TEST(alg == dnnl_eltwise_linear);
    BOOST_TEST(alpha == 2);
    BOOST_TEST(beta == 3);
    ok(dnnl_post_ops_get_params_eltwise(ops, 0, nullptr, nullptr, nullptr));
}
CALL(dnnl_post_ops_append_dw) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_dw(ops, dnnl_s8, dnnl_f32, dnnl_u8, 3, 1, 1));
    BOOST_TEST(dnnl_post_ops_get_kind(ops, 0) == dnnl_convolution);
}
CALL(dnnl_post_ops_get_params_dw) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_dw(ops, dnnl_s8, dnnl_f32, dnnl_u8, 3, 2, 1));
    dnnl_data_type_t weights = dnnl_data_type_undef, bias = weights, dst = weights;
    dnnl_dim_t kernel = 0, stride = 0, padding = 0;
    ok(dnnl_post_ops_get_params_dw(ops, 0, &weights, &bias, &dst, &kernel, &stride, &padding));
    BOOST_TEST((weights == dnnl_s8 && bias == dnnl_f32 && dst == dnnl_u8));
    BOOST_TEST((kernel == 3 && stride == 2 && padding == 1));
}
CALL(dnnl_post_ops_append_binary) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_binary(ops, dnnl_binary_add, plain({1, 3})));
    BOOST_TEST(dnnl_post_ops_get_kind(ops, 0) == dnnl_binary);
}
CALL(dnnl_post_ops_get_params_binary) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_binary(ops, dnnl_binary_max, plain({1, 3})));
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    const_dnnl_memory_desc_t src1 = nullptr;
    ok(dnnl_post_ops_get_params_binary(ops, 0, &alg, &src1));
    BOOST_TEST(alg == dnnl_binary_max);
    BOOST_TEST(dnnl_memory_desc_equal(src1, plain({1, 3})) == 1);
}
CALL(dnnl_post_ops_append_binary_v2) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_binary_v2(
        ops, dnnl_binary_select, plain({1, 3}), plain({2, 1}, dnnl_s8)));
    ok(dnnl_post_ops_append_binary_v2(ops, dnnl_binary_add, plain({1, 3}), nullptr));
    BOOST_TEST(dnnl_post_ops_get_kind(ops, 0) == dnnl_binary);
    BOOST_TEST(dnnl_post_ops_get_kind(ops, 1) == dnnl_binary);
}
CALL(dnnl_post_ops_get_params_binary_v2) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_binary_v2(
        ops, dnnl_binary_select, plain({1, 3}), plain({2, 1}, dnnl_s8)));
    ok(dnnl_post_ops_append_binary_v2(
        ops, dnnl_binary_max, plain({2, 3}), plain({2, 1}, dnnl_f32)));
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    const_dnnl_memory_desc_t src1 = nullptr, src2 = nullptr;
    ok(dnnl_post_ops_get_params_binary_v2(ops, 0, &alg, &src1, &src2));
    BOOST_TEST(alg == dnnl_binary_select);
    BOOST_TEST(dnnl_memory_desc_equal(src1, plain({1, 3})) == 1);
    BOOST_TEST(dnnl_memory_desc_equal(src2, plain({2, 1}, dnnl_s8)) == 1);
    ok(dnnl_post_ops_get_params_binary_v2(ops, 1, &alg, &src1, &src2));
    BOOST_TEST(alg == dnnl_binary_max);
    BOOST_TEST(dnnl_memory_desc_equal(src1, plain({2, 3})) == 1);
    BOOST_TEST(dnnl_memory_desc_get_size(src2) == 0u);
    ok(dnnl_post_ops_get_params_binary_v2(ops, 0, nullptr, nullptr, nullptr));
    ok(dnnl_post_ops_get_params_binary(ops, 0, &alg, &src1));
    BOOST_TEST(alg == dnnl_binary_select);
}
CALL(dnnl_post_ops_append_prelu) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_prelu(ops, 2));
    BOOST_TEST(dnnl_post_ops_get_kind(ops, 0) == dnnl_prelu);
}
CALL(dnnl_post_ops_get_params_prelu) {
    const auto ops = chain();
    ok(dnnl_post_ops_append_prelu(ops, 2));
    int mask = 0;
    ok(dnnl_post_ops_get_params_prelu(ops, 0, &mask));
    BOOST_TEST(mask == 2);
}
