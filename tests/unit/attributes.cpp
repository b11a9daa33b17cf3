// SPDX-License-Identifier: Apache-2.0
// Attributes: defaults, what setters store and getters return, value counts, copies.
#include <boost/test/unit_test.hpp>

#include "common/attributes/attributes.hpp"
#include "common/runtime/error.hpp"
#include "dnnl/dnnl.h"

using dnnl::impl::data_type;
using dnnl::impl::dim_t;
using dnnl::impl::make_with_strides;
using dnnl::impl::memory_desc;
using dnnl::impl::primitive_attr;
using dnnl::impl::quantization;
using dnnl::impl::value_count;

namespace {

struct fixture {
    dnnl_primitive_attr_t attr = nullptr;
    dnnl_post_ops_t chain = nullptr;
    fixture() {
        BOOST_TEST(dnnl_primitive_attr_create(&attr) == dnnl_success);
        BOOST_TEST(dnnl_post_ops_create(&chain) == dnnl_success);
    }
    ~fixture() {
        dnnl_post_ops_destroy(chain);
        dnnl_primitive_attr_destroy(attr);
    }
};

memory_desc shape(std::initializer_list<dim_t> dims) {
    return make_with_strides(static_cast<int>(dims.size()), dims.begin(), data_type::s8, nullptr);
}

} // namespace

BOOST_FIXTURE_TEST_CASE(defaults, fixture) {
    BOOST_TEST(attr->has_default_values());
    BOOST_TEST((*attr == primitive_attr {}));
    dnnl_fpmath_mode_t fpmath = dnnl_fpmath_mode_any;
    int apply_to_int = 7, deterministic = 7;
    dnnl_scratchpad_mode_t scratchpad = dnnl_scratchpad_mode_user;
    dnnl_accumulation_mode_t accumulation = dnnl_accumulation_mode_any;
    dnnl_rounding_mode_t rounding = dnnl_rounding_mode_stochastic;
    const_dnnl_memory_desc_t dropout = nullptr;
    const_dnnl_post_ops_t post_ops = nullptr;
    float scale = 7, shift = 7;
    BOOST_TEST(
        dnnl_primitive_attr_get_fpmath_mode_v2(attr, &fpmath, &apply_to_int) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_get_deterministic(attr, &deterministic) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_get_scratchpad_mode(attr, &scratchpad) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_get_accumulation_mode(attr, &accumulation) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_get_rounding(attr, DNNL_ARG_DST, &rounding) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_get_dropout(attr, &dropout) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_get_post_ops(attr, &post_ops) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_get_rnn_data_qparams(attr, &scale, &shift) == dnnl_success);
    BOOST_TEST((fpmath == dnnl_fpmath_mode_strict && apply_to_int == 0 && deterministic == 0));
    BOOST_TEST((scratchpad == dnnl_scratchpad_mode_library));
    BOOST_TEST((accumulation == dnnl_accumulation_mode_strict));
    BOOST_TEST((rounding == dnnl_rounding_mode_environment));
    BOOST_TEST((dropout->is_zero() && dnnl_post_ops_len(post_ops) == 0));
    BOOST_TEST((scale == 1 && shift == 0));
}

BOOST_FIXTURE_TEST_CASE(modes_are_stored, fixture) {
    int value = 0;
    dnnl_fpmath_mode_t fpmath = dnnl_fpmath_mode_strict;
    BOOST_TEST(
        dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_tf32, 5) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &fpmath, &value) == dnnl_success);
    BOOST_TEST((fpmath == dnnl_fpmath_mode_tf32 && value == 1));
    BOOST_TEST(dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_bf16) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_get_fpmath_mode_v2(attr, nullptr, &value) == dnnl_success);
    BOOST_TEST(value == 0);
    BOOST_TEST(dnnl_primitive_attr_set_deterministic(attr, 7) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_get_deterministic(attr, &value) == dnnl_success);
    BOOST_TEST(value == 1);
}

BOOST_FIXTURE_TEST_CASE(rounding_per_argument, fixture) {
    const auto mode_of = [&](int arg) {
        dnnl_rounding_mode_t mode = dnnl_rounding_mode_environment;
        BOOST_TEST(dnnl_primitive_attr_get_rounding(attr, arg, &mode) == dnnl_success);
        return mode == dnnl_rounding_mode_stochastic;
    };
    for (const int arg : {DNNL_ARG_DST, DNNL_ARG_DIFF_WEIGHTS})
        BOOST_TEST(dnnl_primitive_attr_set_rounding(attr, arg, dnnl_rounding_mode_stochastic) ==
                   dnnl_success);
    BOOST_TEST((mode_of(DNNL_ARG_DST) && mode_of(DNNL_ARG_DIFF_WEIGHTS)));
    BOOST_TEST(!mode_of(DNNL_ARG_DIFF_SRC));
    BOOST_TEST(dnnl_primitive_attr_set_rounding(
                   attr, DNNL_ARG_DST, dnnl_rounding_mode_environment) == dnnl_success);
    BOOST_TEST(!mode_of(DNNL_ARG_DST));
}

BOOST_FIXTURE_TEST_CASE(the_process_default_of_fpmath, fixture) {
    BOOST_TEST(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_bf16) == dnnl_success);
    dnnl_primitive_attr_t later = nullptr;
    BOOST_TEST(dnnl_primitive_attr_create(&later) == dnnl_success);
    BOOST_TEST(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict) == dnnl_success);
    BOOST_TEST((later->fpmath == dnnl_fpmath_mode_bf16));
    BOOST_TEST((attr->fpmath == dnnl_fpmath_mode_strict));
    dnnl_primitive_attr_destroy(later);
}

BOOST_FIXTURE_TEST_CASE(scales_and_zero_points, fixture) {
    const dnnl_dims_t groups = {32, 1};
    BOOST_TEST(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_bf16) ==
               dnnl_success);
    BOOST_TEST(
        dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC + 3, 0) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_SRC, 2, 0, nullptr, dnnl_u8) ==
               dnnl_success);
    BOOST_TEST(attr->scales.entries().size() == 3u);
    const quantization *weights = attr->scales.find(DNNL_ARG_WEIGHTS);
    BOOST_REQUIRE(weights != nullptr);
    BOOST_TEST((*weights == quantization {DNNL_ARG_WEIGHTS, 3, 2, {32, 1}, data_type::bf16}));
    BOOST_TEST(attr->scales.find(DNNL_ARG_DST) == nullptr);
    BOOST_TEST((attr->zero_points.find(DNNL_ARG_SRC)->dtype == data_type::u8));
    BOOST_TEST(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 1) == dnnl_success);
    BOOST_TEST(attr->scales.entries().size() == 3u); // replaced
    BOOST_TEST(attr->scales.find(DNNL_ARG_WEIGHTS)->mask == 1);
    BOOST_TEST(!attr->has_default_values());
}

BOOST_FIXTURE_TEST_CASE(values_on_the_host_and_dynamic_scales, fixture) {
    const dnnl_dims_t groups = {1, 32};
    BOOST_TEST(dnnl_primitive_attr_set_scales_v2(attr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32, 1) ==
               dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_DST, 3, 2, groups, dnnl_e8m0, 0,
                   dnnl_quantization_mode_dynamic_mx) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_set_zero_points_v2(
                   attr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_u8, 1) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_set_precomputed_reductions(
                   attr, DNNL_ARG_SRC, 3, 2, groups, dnnl_s32) == dnnl_success);
    BOOST_TEST(attr->scales.find(DNNL_ARG_SRC)->on_host);
    BOOST_TEST(!attr->scales.find(DNNL_ARG_SRC)->is_dynamic());
    BOOST_TEST(attr->scales.find(DNNL_ARG_DST)->is_dynamic());
    BOOST_TEST(attr->zero_points.find(DNNL_ARG_SRC)->on_host);
    BOOST_TEST(attr->reductions.find(DNNL_ARG_SRC)->group(2, 1) == 32);
    BOOST_TEST(!attr->has_default_values());
}

BOOST_FIXTURE_TEST_CASE(dropout_is_returned_as_set, fixture) {
    const memory_desc none;
    memory_desc mask = shape({2, 3});
    mask.dtype = data_type::u8;
    const_dnnl_memory_desc_t got = nullptr;
    dnnl_data_type_t seed = dnnl_f32;
    int offset = 1, on_host = 1;
    const auto ask = [&] {
        return dnnl_primitive_attr_get_dropout_v2(attr, &got, &seed, &offset, &on_host);
    };
    BOOST_TEST(ask() == dnnl_success);
    BOOST_TEST((got->is_zero() && seed == dnnl_data_type_undef && !offset && !on_host));
    BOOST_TEST(dnnl_primitive_attr_set_dropout_v2(attr, &mask, dnnl_s64, 5, 1) == dnnl_success);
    BOOST_TEST(ask() == dnnl_success);
    BOOST_TEST((*got == mask && seed == dnnl_s64 && offset == 1 && on_host == 1));
    BOOST_TEST(dnnl_primitive_attr_set_dropout(attr, &none) == dnnl_success);
    BOOST_TEST(ask() == dnnl_success);
    BOOST_TEST((got->is_zero() && seed == dnnl_s32 && !offset && !on_host));
    BOOST_TEST(!attr->has_default_values()); // dropout without a mask
    BOOST_TEST(dnnl_primitive_attr_get_dropout_v2(attr, nullptr, nullptr, nullptr, nullptr) ==
               dnnl_success);
}

BOOST_AUTO_TEST_CASE(values_of_a_mask) {
    const memory_desc md = shape({2, 3, 64, 10});
    const auto per = [](int mask) { return quantization {DNNL_ARG_SRC, mask}; };
    BOOST_TEST(value_count(per(0), md) == 1);
    BOOST_TEST(value_count(per(2), md) == 3);
    BOOST_TEST(value_count(per(10), md) == 30);
    const quantization grouped {DNNL_ARG_WEIGHTS, 12, 2, {32, 1}, data_type::f32};
    BOOST_TEST(value_count(grouped, md) == 20);
}

BOOST_FIXTURE_TEST_CASE(post_ops_are_returned_as_appended, fixture) {
    const memory_desc src1 = shape({1, 3});
    BOOST_TEST(dnnl_post_ops_append_sum(chain, 0.5f, 3, dnnl_u8) == dnnl_success);
    BOOST_TEST(dnnl_post_ops_append_eltwise(chain, dnnl_eltwise_clip, -1, 2) == dnnl_success);
    BOOST_TEST(dnnl_post_ops_append_binary(chain, dnnl_binary_mul, &src1) == dnnl_success);
    BOOST_TEST(dnnl_post_ops_append_prelu(chain, 2) == dnnl_success);
    BOOST_TEST(dnnl_post_ops_append_dw(chain, dnnl_s8, dnnl_data_type_undef, dnnl_u8, 3, 2, 1) ==
               dnnl_success);
    const dnnl_primitive_kind_t kinds[] = {
        dnnl_sum, dnnl_eltwise, dnnl_binary, dnnl_prelu, dnnl_convolution};
    for (int i = 0; i < 5; ++i) BOOST_TEST(dnnl_post_ops_get_kind(chain, i) == kinds[i]);

    float scale = 0, alpha = 0, beta = 0;
    int zero_point = 0, mask = 0;
    dnnl_data_type_t type = dnnl_data_type_undef, bias = dnnl_f32, dst = dnnl_f32;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    const_dnnl_memory_desc_t md = nullptr;
    dnnl_dim_t kernel = 0, stride = 0, padding = 0;
    BOOST_TEST(dnnl_post_ops_get_params_sum(chain, 0, &scale, &zero_point, &type) == dnnl_success);
    BOOST_TEST((scale == 0.5f && zero_point == 3 && type == dnnl_u8));
    BOOST_TEST(dnnl_post_ops_get_params_eltwise(chain, 1, &alg, &alpha, &beta) == dnnl_success);
    BOOST_TEST((alg == dnnl_eltwise_clip && alpha == -1 && beta == 2));
    BOOST_TEST(dnnl_post_ops_get_params_binary(chain, 2, &alg, &md) == dnnl_success);
    BOOST_TEST((alg == dnnl_binary_mul && *md == src1 && md != &src1));
    BOOST_TEST(dnnl_post_ops_get_params_prelu(chain, 3, &mask) == dnnl_success);
    BOOST_TEST(mask == 2);
    BOOST_TEST(dnnl_post_ops_get_params_dw(
                   chain, 4, &type, &bias, &dst, &kernel, &stride, &padding) == dnnl_success);
    BOOST_TEST((type == dnnl_s8 && bias == dnnl_data_type_undef && dst == dnnl_u8));
    BOOST_TEST((kernel == 3 && stride == 2 && padding == 1));
}

BOOST_FIXTURE_TEST_CASE(setting_and_cloning_copy, fixture) {
    BOOST_TEST(dnnl_post_ops_append_sum(chain, 1, 0, dnnl_data_type_undef) == dnnl_success);
    BOOST_TEST(dnnl_primitive_attr_set_post_ops(attr, chain) == dnnl_success);
    BOOST_TEST(dnnl_post_ops_append_sum(chain, 1, 0, dnnl_data_type_undef) == dnnl_success);
    BOOST_TEST(attr->post_ops.entries.size() == 1u);
    const float scales[] = {1, 2, 3};
    BOOST_TEST(dnnl_primitive_attr_set_rnn_weights_qparams(attr, 3, 8, scales) == dnnl_success);
    dnnl_primitive_attr_t copy = nullptr;
    BOOST_TEST(dnnl_primitive_attr_clone(&copy, attr) == dnnl_success);
    BOOST_TEST((*copy == *attr));
    BOOST_TEST(dnnl_primitive_attr_set_deterministic(copy, 1) == dnnl_success);
    BOOST_TEST(!(*copy == *attr));
    dnnl_dim_t count = 0;
    int mask = 0;
    const float *stored = nullptr;
    BOOST_TEST(
        dnnl_primitive_attr_get_rnn_weights_qparams(copy, &count, &mask, &stored) == dnnl_success);
    BOOST_TEST((count == 3 && mask == 8 && stored != scales && stored[2] == 3));
    dnnl_primitive_attr_destroy(copy);
}
