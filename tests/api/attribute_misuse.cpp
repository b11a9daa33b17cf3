// SPDX-License-Identifier: Apache-2.0
// Attributes that a convolution does not take: on f32 tensors, on int8 tensors and in backward
// propagation. Each row has its valid neighbour, so that a refusal of everything would show.
#include "objects.hpp"

using namespace api_tests;

namespace {

struct row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    bool int8; ///< u8 source, s8 weights, s8 destination; else f32
    dnnl_status_t (*set)(dnnl_primitive_attr_t attr, dnnl_post_ops_t ops);
};
using attr_t = dnnl_primitive_attr_t;
using ops_t = dnnl_post_ops_t;

const row rows[] = {
    {"scale", dnnl_success, "", true,
        [](attr_t a, ops_t) { return dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_SRC, 0); }},
    {"C28 int8", dnnl_unimplemented, "scales", true,
        [](attr_t a, ops_t) { return dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_SRC, 2); }},
    {"scale per output channel", dnnl_success, "", true,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_WEIGHTS, 1);
        }},
    {"scale per input channel", dnnl_unimplemented, "scales", true,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_WEIGHTS, 2);
        }},
    {"N-32 mask", dnnl_invalid_arguments, "scales", true,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_WEIGHTS, 16);
        }},
    {"scale of a tensor it lacks", dnnl_unimplemented, "scales", true,
        [](attr_t a, ops_t) { return dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_SRC_1, 0); }},
    {"scale of f32", dnnl_unimplemented, "scales", false,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_scales_mask(a, DNNL_ARG_WEIGHTS, 0);
        }},
    {"groups", dnnl_unimplemented, "scales", true,
        [](attr_t a, ops_t) {
            const dnnl_dims_t groups = {3, 1};
            return dnnl_primitive_attr_set_scales(a, DNNL_ARG_WEIGHTS, 4, 2, groups, dnnl_f32);
        }},
    {"zero point", dnnl_success, "", true,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_zero_points_mask(a, DNNL_ARG_SRC, 2);
        }},
    {"zero point of weights", dnnl_unimplemented, "zero_points", true,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_zero_points_mask(a, DNNL_ARG_WEIGHTS, 0);
        }},
    {"sum", dnnl_success, "", true,
        [](attr_t, ops_t o) { return dnnl_post_ops_append_sum(o, 1, 3, dnnl_u8); }},
    {"N-30 size", dnnl_unimplemented, "post_ops", true,
        [](attr_t, ops_t o) { return dnnl_post_ops_append_sum(o, 1, 0, dnnl_f32); }},
    {"N-30 zero point", dnnl_unimplemented, "post_ops", false,
        [](attr_t, ops_t o) { return dnnl_post_ops_append_sum(o, 1, 3, dnnl_data_type_undef); }},
    {"N-30 zero point beside integers that are kept in f32", dnnl_unimplemented, "post_ops", false,
        [](attr_t, ops_t o) { return dnnl_post_ops_append_sum(o, 1, 3, dnnl_s32); }},
    {"sum of integers that are kept in f32", dnnl_success, "", false,
        [](attr_t, ops_t o) { return dnnl_post_ops_append_sum(o, 1, 0, dnnl_s32); }},
    {"N-31", dnnl_unimplemented, "post_ops", false,
        [](attr_t, ops_t o) {
            return dnnl_post_ops_append_dw(o, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1);
        }},
    {"prelu", dnnl_success, "", false,
        [](attr_t, ops_t o) { return dnnl_post_ops_append_prelu(o, 15); }},
    {"prelu mask", dnnl_invalid_arguments, "post_ops", false,
        [](attr_t, ops_t o) { return dnnl_post_ops_append_prelu(o, 16); }},
    {"select", dnnl_success, "", false,
        [](attr_t, ops_t o) {
            return dnnl_post_ops_append_binary_v2(
                o, dnnl_binary_select, plain({1, 4, 1, 1}), plain({2, 1, 6, 6}, dnnl_s8));
        }},
    {"rank of a condition", dnnl_invalid_arguments, "src2", false,
        [](attr_t, ops_t o) {
            return dnnl_post_ops_append_binary_v2(
                o, dnnl_binary_select, plain({1, 4, 1, 1}), plain({4}, dnnl_s8));
        }},
    {"dims of a condition", dnnl_invalid_arguments, "src2", false,
        [](attr_t, ops_t o) {
            return dnnl_post_ops_append_binary_v2(
                o, dnnl_binary_select, plain({1, 4, 1, 1}), plain({1, 3, 1, 1}, dnnl_s8));
        }},
    {"f64 source", dnnl_invalid_arguments, "src1", false,
        [](attr_t, ops_t o) {
            return dnnl_post_ops_append_binary(o, dnnl_binary_add, plain({1, 4, 1, 1}, dnnl_f64));
        }},
    {"e8m0 source", dnnl_unimplemented, "binary", false,
        [](attr_t, ops_t o) {
            return dnnl_post_ops_append_binary(o, dnnl_binary_add, plain({1, 4, 1, 1}, dnnl_e8m0));
        }},
    {"relaxed sums", dnnl_success, "", true,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_accumulation_mode(a, dnnl_accumulation_mode_relaxed);
        }},
    {"f16 sums", dnnl_unimplemented, "accumulation_mode", true,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_accumulation_mode(a, dnnl_accumulation_mode_f16);
        }},
    {"stochastic rounding", dnnl_unimplemented,
        "rounding_mode: stochastic rounding is offered for dst of matmul and of a forward", false,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_rounding(
                a, DNNL_ARG_DIFF_SRC, dnnl_rounding_mode_stochastic);
        }},
    {"stochastic rounding before a depthwise convolution", dnnl_unimplemented,
        "stochastic rounding is not offered with a depthwise post-op", false,
        [](attr_t a, ops_t o) {
            ok(dnnl_primitive_attr_set_rounding(a, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
            return dnnl_post_ops_append_dw(o, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1);
        }},
    {"dropout", dnnl_unimplemented, "dropout", false,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_dropout(a, plain({2, 4, 6, 6}, dnnl_u8));
        }},
    {"fpmath", dnnl_success, "", false,
        [](attr_t a, ops_t) {
            return dnnl_primitive_attr_set_fpmath_mode(a, dnnl_fpmath_mode_any);
        }},
    {"deterministic", dnnl_success, "", false,
        [](attr_t a, ops_t) { return dnnl_primitive_attr_set_deterministic(a, 1); }},
    {"recurrent", dnnl_unimplemented, "rnn_qparams", false,
        [](attr_t a, ops_t) { return dnnl_primitive_attr_set_rnn_data_qparams(a, 2, 0); }},
};

attr_owner attributes_of(const row &r) {
    attr_owner attr;
    post_ops_owner ops;
    ok(dnnl_primitive_attr_create(attr.out()));
    ok(dnnl_post_ops_create(ops.out()));
    ok(r.set(attr, ops));
    if (dnnl_post_ops_len(ops) > 0) ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    return attr;
}

const dims one {1, 1}, zero {0, 0};
} // namespace

BOOST_AUTO_TEST_CASE(forward) {
    for (const row &r : rows) {
        const auto attr = attributes_of(r);
        const auto src = plain({2, 6, 8, 8}, r.int8 ? dnnl_u8 : dnnl_f32);
        const auto weights = plain({4, 6, 3, 3}, r.int8 ? dnnl_s8 : dnnl_f32);
        const auto dst = plain({2, 4, 6, 6}, r.int8 ? dnnl_s8 : dnnl_f32);
        check_row(r.id, r.expected, r.named, [&](dnnl_primitive_desc_t *out) {
            return dnnl_convolution_forward_primitive_desc_create(out, engine(),
                dnnl_forward_inference, dnnl_convolution_direct, src, weights, nullptr, dst,
                one.data(), nullptr, zero.data(), nullptr, attr);
        });
    }
}

BOOST_AUTO_TEST_CASE(backward_takes_none) {
    const auto src = plain({2, 6, 8, 8}), weights = plain({4, 6, 3, 3}), dst = plain({2, 4, 6, 6});
    const row relu {"", dnnl_success, "", false,
        [](attr_t, ops_t o) { return dnnl_post_ops_append_eltwise(o, dnnl_eltwise_relu, 0, 0); }};
    const auto with_relu = attributes_of(relu);
    const auto backward = [&](const_dnnl_primitive_attr_t attr) {
        return [&, attr](dnnl_primitive_desc_t *out) {
            return dnnl_convolution_backward_data_primitive_desc_create(out, engine(),
                dnnl_convolution_direct, src, weights, dst, one.data(), nullptr, zero.data(),
                nullptr, nullptr, attr);
        };
    };
    check_row("plain", dnnl_success, "", backward(nullptr));
    check_row("relu", dnnl_unimplemented, "attributes", backward(with_relu));
}
