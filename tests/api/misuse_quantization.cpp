// SPDX-License-Identifier: Apache-2.0
// Misuse of the setters and getters of quantization by groups and modes, of dropout with a seed of
// 64 bits and of select as a post-op. One thing is wrong in each call; a row holds the calls of one
// function that end alike.
#include <cstring>

#include "dnnl/dnnl_debug.h"
#include "wrong_calls.hpp"

using namespace api_tests;

namespace {

constexpr dnnl_status_t invalid = dnnl_invalid_arguments;
constexpr dnnl_dims_t groups {1, 32}, no_groups {0, 32};
constexpr auto given = dnnl_quantization_mode_static_sazp;

/// Attributes, a list with an eltwise and a full one, descriptors to append.
struct objects {
    desc_owner dense = plain({5, 7}), condition = plain({5, 7}, dnnl_s8);
    desc_owner open = plain({DNNL_RUNTIME_DIM_VAL, 7});
    attr_owner attr;
    post_ops_owner ops, full;

    objects() {
        ok(dnnl_primitive_attr_create(attr.out()));
        ok(dnnl_post_ops_create(ops.out()));
        ok(dnnl_post_ops_create(full.out()));
        ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
        for (int i = 0; i < 32; ++i)
            ok(dnnl_post_ops_append_binary_v2(full, dnnl_binary_add, dense, nullptr));
    }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(scales, objects) {
    const auto v2 = [this](int arg, int mask, int ndims, dnnl_data_type_t type, int on_host = 0) {
        return dnnl_primitive_attr_set_scales_v2(attr, arg, mask, ndims, groups, type, on_host);
    };
    const auto v3 = [this](int mask, const dnnl_dim_t *dims, dnnl_data_type_t type, int on_host,
                        dnnl_quantization_mode_t mode) {
        return dnnl_primitive_attr_set_scales_v3(
            attr, DNNL_ARG_SRC, mask, dims ? 2 : 0, dims, type, on_host, mode);
    };
    const auto beyond = static_cast<dnnl_quantization_mode_t>(4);
    check_refusals({
        {"QA01", "attr", invalid,
            [](output &) {
                return dnnl_primitive_attr_set_scales_v2(
                    nullptr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32, 0);
            }},
        {"QA01", "arg", invalid, [=](output &) { return v2(DNNL_ARG_BIAS, 0, 0, dnnl_f32); }},
        {"QA01", "mask", invalid, [=](output &) { return v2(DNNL_ARG_SRC, -1, 0, dnnl_f32); }},
        {"QA01", "mask", invalid, [=](output &) { return v2(DNNL_ARG_SRC, 0, 2, dnnl_f32); }},
        {"QA01", "ndims", invalid, [=](output &) { return v2(DNNL_ARG_SRC, 3, 1, dnnl_f32); }},
        {"QA01", "data_type", invalid, [=](output &) { return v2(DNNL_ARG_SRC, 1, 0, dnnl_s32); }},
        {"QA01", "is_on_host", invalid,
            [=](output &) { return v2(DNNL_ARG_SRC, 1, 0, dnnl_f32, 1); }},
        {"QA02", "attr", invalid,
            [](output &) {
                return dnnl_primitive_attr_set_scales_v3(
                    nullptr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_f32, 0, given);
            }},
        {"QA02", "qmode", invalid,
            [=](output &) { return v3(0, nullptr, dnnl_f32, 0, dnnl_quantization_mode_undef); }},
        {"QA02", "qmode", invalid, [=](output &) { return v3(0, nullptr, dnnl_f32, 0, beyond); }},
        {"QA02", "mask", invalid, [=](output &) { return v3(0, nullptr, dnnl_e8m0, 0, given); }},
        {"QA02", "mask", invalid, [=](output &) { return v3(0, nullptr, dnnl_f8_e4m3, 0, given); }},
        {"QA02", "data_type", invalid,
            [=](output &) { return v3(1, nullptr, dnnl_f8_e5m2, 0, given); }},
        {"QA02", "group_dims", invalid,
            [=](output &) { return v3(3, no_groups, dnnl_f32, 0, given); }},
        {"QA02", "is_on_host", invalid,
            [=](output &) { return v3(3, groups, dnnl_f32, 1, given); }},
    });
    matmul_desc(5, 7, 3, attr); // f32 tensors take no scales: none was set
}

BOOST_FIXTURE_TEST_CASE(zero_points_and_sums, objects) {
    const auto points = [this](
                            int arg, int mask, int ndims, dnnl_data_type_t type, int on_host = 0) {
        return dnnl_primitive_attr_set_zero_points_v2(
            attr, arg, mask, ndims, groups, type, on_host);
    };
    const auto sums = [this](int arg, int mask, int ndims, dnnl_data_type_t type) {
        return dnnl_primitive_attr_set_precomputed_reductions(attr, arg, mask, ndims, groups, type);
    };
    check_refusals({
        {"QA03", "attr", invalid,
            [](output &) {
                return dnnl_primitive_attr_set_zero_points_v2(
                    nullptr, DNNL_ARG_SRC, 0, 0, nullptr, dnnl_s32, 0);
            }},
        {"QA03", "arg", invalid, [=](output &) { return points(-1, 0, 0, dnnl_s32); }},
        {"QA03", "arg", invalid, [=](output &) { return points(DNNL_ARG_BIAS, 0, 0, dnnl_s32); }},
        {"QA03", "mask", invalid, [=](output &) { return points(DNNL_ARG_SRC, -1, 0, dnnl_s32); }},
        {"QA03", "mask", invalid,
            [=](output &) { return points(DNNL_ARG_WEIGHTS, 0, 0, dnnl_u4); }},
        {"QA03", "data_type", invalid,
            [=](output &) { return points(DNNL_ARG_SRC, 0, 0, dnnl_f32); }},
        {"QA03", "data_type", invalid,
            [=](output &) { return points(DNNL_ARG_DST, 1, 0, dnnl_s8); }},
        {"QA03", "data_type", invalid,
            [=](output &) { return points(DNNL_ARG_DST, 3, 2, dnnl_s32); }},
        {"QA03", "is_on_host", invalid,
            [=](output &) { return points(DNNL_ARG_SRC, 2, 0, dnnl_s32, 1); }},
        {"QA04", "attr", invalid,
            [](output &) {
                return dnnl_primitive_attr_set_precomputed_reductions(
                    nullptr, DNNL_ARG_SRC, 3, 2, groups, dnnl_s32);
            }},
        {"QA04", "arg", invalid, [=](output &) { return sums(DNNL_ARG_WEIGHTS, 3, 2, dnnl_s32); }},
        {"QA04", "mask", invalid, [=](output &) { return sums(DNNL_ARG_SRC, -3, 0, dnnl_s32); }},
        {"QA04", "data_type", invalid, [=](output &) { return sums(DNNL_ARG_SRC, 3, 2, dnnl_s8); }},
        {"QA04", "ndims", invalid, [=](output &) { return sums(DNNL_ARG_SRC, 3, 3, dnnl_s32); }},
    });
    matmul_desc(5, 7, 3, attr); // f32 tensors take neither
}

BOOST_FIXTURE_TEST_CASE(dropout, objects) {
    const auto mask = plain({5, 7}, dnnl_u8);
    ok(dnnl_primitive_attr_set_dropout_v2(attr, mask, dnnl_s64, 1, 0));
    check_refusals({
        {"QA05", "attr", invalid,
            [&](output &) {
                return dnnl_primitive_attr_set_dropout_v2(nullptr, mask, dnnl_s32, 0, 0);
            }},
        {"QA05", "mask_desc", invalid,
            [&](output &) {
                return dnnl_primitive_attr_set_dropout_v2(attr, nullptr, dnnl_s32, 0, 0);
            }},
        {"QA05", "mask_desc", invalid,
            [&](output &) {
                return dnnl_primitive_attr_set_dropout_v2(attr, dense, dnnl_s32, 0, 0);
            }},
        {"QA05", "seed_dt", invalid,
            [&](output &) {
                return dnnl_primitive_attr_set_dropout_v2(attr, mask, dnnl_f32, 0, 0);
            }},
        {"QA06", "attr", invalid,
            [](output &o) {
                return dnnl_primitive_attr_get_dropout_v2(nullptr, o, nullptr, nullptr, nullptr);
            }},
    });
    const_dnnl_memory_desc_t kept = nullptr;
    dnnl_data_type_t seed = dnnl_data_type_undef;
    int use_offset = 0, on_host = 1;
    ok(dnnl_primitive_attr_get_dropout_v2(attr, &kept, &seed, &use_offset, &on_host));
    BOOST_TEST((dnnl_memory_desc_equal(kept, mask) && seed == dnnl_s64)); // as before the refusals
    BOOST_TEST((use_offset == 1 && on_host == 0));
}

BOOST_FIXTURE_TEST_CASE(QA07, objects) { // each output may be missing
    ok(dnnl_primitive_attr_get_dropout_v2(attr, nullptr, nullptr, nullptr, nullptr));
}

BOOST_FIXTURE_TEST_CASE(post_ops, objects) {
    const auto append = [this](dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src1,
                            const_dnnl_memory_desc_t src2) {
        return dnnl_post_ops_append_binary_v2(ops, alg, src1, src2);
    };
    check_refusals({
        {"QA08", "post_ops", invalid,
            [&](output &) {
                return dnnl_post_ops_append_binary_v2(nullptr, dnnl_binary_add, dense, nullptr);
            }},
        {"QA08", "alg_kind", invalid,
            [&](output &) { return append(dnnl_eltwise_relu, dense, condition); }},
        {"QA08", "src1_desc", invalid,
            [&](output &) { return append(dnnl_binary_add, nullptr, nullptr); }},
        {"QA08", "src1_desc", invalid,
            [&](output &) { return append(dnnl_binary_add, open, nullptr); }},
        {"QA08", "src2_desc", invalid,
            [&](output &) { return append(dnnl_binary_select, dense, nullptr); }},
        {"QA08", "src2_desc", invalid,
            [&](output &) { return append(dnnl_binary_select, dense, dense); }},
        {"QA08", "src2_desc", invalid,
            [&](output &) { return append(dnnl_binary_select, dense, open); }},
        {"QA09", "post_ops", dnnl_out_of_memory,
            [&](output &) {
                return dnnl_post_ops_append_binary_v2(full, dnnl_binary_add, dense, nullptr);
            }},
        {"QA10", "post_ops", invalid,
            [](output &o) {
                return dnnl_post_ops_get_params_binary_v2(nullptr, 0, o, nullptr, nullptr);
            }},
        {"QA10", "index", invalid,
            [&](output &o) {
                return dnnl_post_ops_get_params_binary_v2(full, 32, nullptr, o, nullptr);
            }},
        {"QA10", "index", invalid,
            [&](output &o) {
                return dnnl_post_ops_get_params_binary_v2(full, -1, nullptr, o, nullptr);
            }},
        {"QA10", "index", invalid,
            [&](output &o) {
                return dnnl_post_ops_get_params_binary_v2(ops, 0, nullptr, nullptr, o);
            }},
    });
    BOOST_TEST((dnnl_post_ops_len(ops) == 1 && dnnl_post_ops_len(full) == 32));
}

BOOST_FIXTURE_TEST_CASE(QA12, objects) { // as a C++ program hands over a vector that it has cleared
    ok(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_WEIGHTS, 2, 0, groups, dnnl_f32, 0, given));
    ok(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_SRC, 0, 0, no_groups, dnnl_f32));
    ok(dnnl_primitive_attr_set_zero_points(attr, DNNL_ARG_SRC, 0, 0, groups, dnnl_s32));
    const auto src = plain({5, 3}, dnnl_s8), weights = plain({3, 7}, dnnl_s8), dst = plain({5, 7});
    primitive_desc_owner product;
    ok(dnnl_matmul_primitive_desc_create(
        product.out(), engine(), src, weights, nullptr, dst, attr));
}

BOOST_AUTO_TEST_CASE(QA11) {
    BOOST_TEST(std::strcmp(dnnl_quantization_mode2str(static_cast<dnnl_quantization_mode_t>(99)),
                   "unknown quantization_mode") == 0);
}
