// SPDX-License-Identifier: Apache-2.0
// What level 3.13 of the interface checks beyond 3.7: descriptors of elements of 4 bits, sizes that
// overflow, scales of arguments that a primitive does not scale, matmul's types and masks. Each row
// has its legal neighbour, so that a refusal of everything would show.
#include <cmath>
#include <cstring>

#include "dnnl/dnnl_ext.h"
#include "objects.hpp"

using namespace api_tests;

namespace {

using pd_t = dnnl_primitive_desc_t;
using md_t = dnnl_memory_desc_t;
constexpr auto invalid = dnnl_invalid_arguments, missing = dnnl_unimplemented;

/// As check_row(), of calls that make a memory descriptor.
void check_desc(const std::string &id, dnnl_status_t expected, const std::string &named,
    const std::function<dnnl_status_t(md_t *)> &create) {
    const auto marker = reinterpret_cast<md_t>(std::uintptr_t {64});
    md_t out = marker;
    const dnnl_status_t status = create(&out);
    check_refused(id, status, expected, named);
    if (status == dnnl_success)
        dnnl_memory_desc_destroy(out);
    else
        BOOST_CHECK_MESSAGE(out == marker, id << ": the output was touched");
}

dnnl_status_t by_strides(
    md_t *out, const dims &extents, dnnl_data_type_t type, const dims &strides) {
    return dnnl_memory_desc_create_with_strides(
        out, static_cast<int>(extents.size()), extents.data(), type, strides.data());
}
dnnl_status_t by_tag(md_t *out, const dims &extents, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    return dnnl_memory_desc_create_with_tag(
        out, static_cast<int>(extents.size()), extents.data(), type, tag);
}

attr_owner scaled(int arg, int mask, const dims &groups = {}, dnnl_data_type_t type = dnnl_f32) {
    attr_owner attr;
    ok(dnnl_primitive_attr_create(attr.out()));
    ok(dnnl_primitive_attr_set_scales_v2(attr, arg, mask, static_cast<int>(groups.size()),
        groups.empty() ? nullptr : groups.data(), type, 0));
    return attr;
}

} // namespace

BOOST_AUTO_TEST_CASE(rows_of_four_bits) {
    const dims matrix {4, 6}, odd {4, 5}, row {1, 5};
    for (const dnnl_data_type_t type : {dnnl_s4, dnnl_u4, dnnl_f4_e2m1}) {
        check_desc(
            "even", dnnl_success, "", [&](md_t *m) { return by_tag(m, matrix, type, dnnl_ab); });
        check_desc(
            "J01", invalid, "stride", [&](md_t *m) { return by_tag(m, odd, type, dnnl_ab); });
        check_desc("columns of 4", dnnl_success, "",
            [&](md_t *m) { return by_tag(m, odd, type, dnnl_ba); });
        check_desc(
            "one row", dnnl_success, "", [&](md_t *m) { return by_tag(m, row, type, dnnl_ab); });
        check_desc("blocks", dnnl_success, "",
            [&](md_t *m) { return by_tag(m, odd, type, dnnl_AB16b16a); });
        check_desc("J02", invalid, "stride", [&](md_t *m) {
            return by_strides(m, odd, type, {7, 1});
        });
        check_desc("even strides", dnnl_success, "", [&](md_t *m) {
            return by_strides(m, odd, type, {8, 1});
        });
        check_desc("broadcast", dnnl_success, "", [&](md_t *m) {
            return by_strides(m, odd, type, {0, 1});
        });
        check_desc("an odd stride of one row", dnnl_success, "", [&](md_t *m) {
            return by_strides(m, row, type, {5, 1});
        });
        check_desc("J03", invalid, "stride", [&](md_t *m) {
            return dnnl_memory_desc_create_with_string_tag(m, 2, odd.data(), type, "ab");
        });
    }
    check_desc(
        "bytes", dnnl_success, "", [&](md_t *m) { return by_tag(m, odd, dnnl_s8, dnnl_ab); });
}

BOOST_AUTO_TEST_CASE(another_type_of_a_descriptor) {
    const dnnl_dim_t many = dnnl_dim_t {1} << 61;
    const auto huge = plain({many}, dnnl_s8);
    check_refused("J04", dnnl_memory_desc_set_data_type(huge, dnnl_f64), invalid, "64 bits");
    BOOST_TEST(dnnl_memory_desc_get_size(huge) == static_cast<std::size_t>(many)); // as it was
    ok(dnnl_memory_desc_set_data_type(huge, dnnl_u8));
    const auto rows = plain({4, 5}, dnnl_s8);
    check_refused("J05", dnnl_memory_desc_set_data_type(rows, dnnl_s4), invalid, "stride");
    check_refused(
        "boolean", dnnl_memory_desc_set_data_type(rows, dnnl_boolean), invalid, "data_type");
    check_refused(
        "undef", dnnl_memory_desc_set_data_type(rows, dnnl_data_type_undef), invalid, "data_type");
    ok(dnnl_memory_desc_set_data_type(rows, dnnl_f64));
    BOOST_TEST(dnnl_memory_desc_get_size(rows) == 160u);
    const auto even = plain({4, 6}, dnnl_s8);
    ok(dnnl_memory_desc_set_data_type(even, dnnl_u4));
    BOOST_TEST(dnnl_memory_desc_get_size(even) == 12u);
}

BOOST_AUTO_TEST_CASE(sizes_beyond_64_bits) {
    const dnnl_dim_t big = dnnl_dim_t {1} << 40;
    check_desc("J06", invalid, "64 bits", [&](md_t *m) {
        return by_tag(m, {big, big}, dnnl_s8, dnnl_format_tag_any);
    });
    check_desc("J07", invalid, "64 bits", [&](md_t *m) {
        return by_strides(m, {4, dnnl_dim_t {1} << 62}, dnnl_s8, {dnnl_dim_t {1} << 62, 1});
    });
    check_desc("J08", invalid, "overlap", [&](md_t *m) {
        return by_strides(m, {4, 6}, dnnl_f32, {5, 1});
    });
    check_desc("no overlap", dnnl_success, "", [&](md_t *m) {
        return by_strides(m, {4, 6}, dnnl_f32, {6, 1});
    });
}

BOOST_AUTO_TEST_CASE(scales_of_other_arguments) {
    const auto image = plain({2, 4, 3, 3}), bytes = plain({2, 4, 3, 3}, dnnl_s8);
    const auto statistics = plain({2, 4, 3});
    const auto softmax = [&](const attr_owner &attr) {
        return [&](pd_t *out) {
            return dnnl_softmax_forward_primitive_desc_create(out, engine(), dnnl_forward_inference,
                dnnl_softmax_accurate, bytes, bytes, 1, attr);
        };
    };
    const auto binary = [&](const attr_owner &attr) {
        return [&](pd_t *out) {
            return dnnl_binary_primitive_desc_create(
                out, engine(), dnnl_binary_add, image, image, image, attr);
        };
    };
    const auto reorder = [&](const attr_owner &attr) {
        return [&](pd_t *out) {
            return dnnl_reorder_primitive_desc_create(out, image, engine(), bytes, engine(), attr);
        };
    };
    const auto layers = [&](const attr_owner &attr) {
        return [&](pd_t *out) {
            return dnnl_layer_normalization_forward_primitive_desc_create_v2(out, engine(),
                dnnl_forward_inference, bytes, bytes, statistics, dnnl_f32, 1e-5f,
                dnnl_normalization_flags_none, attr);
        };
    };
    const auto groups = [&](const attr_owner &attr) {
        return [&](pd_t *out) {
            return dnnl_group_normalization_forward_primitive_desc_create(out, engine(),
                dnnl_forward_inference, bytes, bytes, 2, 1e-5f, dnnl_normalization_flags_none,
                attr);
        };
    };
    const const_dnnl_memory_desc_t two[] {image, image};
    const auto concat = [&](const attr_owner &attr) {
        return [&](pd_t *out) {
            return dnnl_concat_primitive_desc_create(out, engine(), nullptr, 2, 1, two, attr);
        };
    };
    const auto of_src = scaled(DNNL_ARG_SRC, 0), of_dst = scaled(DNNL_ARG_DST, 0);
    const auto of_weights = scaled(DNNL_ARG_WEIGHTS, 0), of_src_1 = scaled(DNNL_ARG_SRC_1, 0);
    const auto of_first = scaled(DNNL_ARG_MULTIPLE_SRC, 0);
    const auto of_third = scaled(DNNL_ARG_MULTIPLE_SRC + 2, 0);
    check_row("softmax", dnnl_success, "", softmax(of_src));
    check_row("J09 softmax", missing, "scales", softmax(of_weights));
    check_row("binary", dnnl_success, "", binary(of_src_1));
    check_row("J10 binary", missing, "scales", binary(of_dst));
    check_row("reorder", dnnl_success, "", reorder(of_dst));
    check_row("J11 reorder", missing, "scales", reorder(of_weights));
    check_row("layer normalization", dnnl_success, "", layers(of_dst));
    check_row("J12 layer normalization", missing, "scales", layers(of_weights));
    check_row("group normalization", dnnl_success, "", groups(of_src));
    check_row("J13 group normalization", missing, "scales", groups(of_src_1));
    check_row("concat", dnnl_success, "", concat(of_first));
    check_row("J14 concat", missing, "scales", concat(of_third));
    check_row("J15 concat", missing, "scales", concat(of_dst));
}

BOOST_AUTO_TEST_CASE(checks_of_primitives) {
    const auto image = plain({2, 4, 3, 3}), statistics = plain({2, 4, 3});
    attr_owner summed;
    post_ops_owner sum;
    ok(dnnl_post_ops_create(sum.out()));
    ok(dnnl_post_ops_append_sum(sum, 1, 0, dnnl_data_type_undef));
    ok(dnnl_primitive_attr_create(summed.out()));
    ok(dnnl_primitive_attr_set_post_ops(summed, sum));
    check_row("J16 layer normalization", missing, "post_ops", [&](pd_t *out) {
        return dnnl_layer_normalization_forward_primitive_desc_create_v2(out, engine(),
            dnnl_forward_inference, image, image, statistics, dnnl_f32, 1e-5f,
            dnnl_normalization_flags_none, summed);
    });
    const auto reduced = plain({2, 1, 3, 3});
    const auto norm = [&](float p) {
        return [&, p](pd_t *out) {
            return dnnl_reduction_primitive_desc_create(
                out, engine(), dnnl_reduction_norm_lp_sum, image, reduced, p, 0, nullptr);
        };
    };
    check_row("norm", dnnl_success, "", norm(1));
    check_row("J17", invalid, "p", norm(0.5f));
    check_row("J18", invalid, "p", norm(INFINITY));
    check_row("J19", invalid, "p", norm(NAN));
    const dims one {1, 1}, zero {0, 0};
    const auto convolution = [&](dnnl_dim_t channels) {
        return [&, channels](pd_t *out) {
            const auto weights = tagged({4, channels, 3, 3}, dnnl_acdb, dnnl_s8);
            ok(dnnl_memory_desc_set_data_type(weights, channels % 2 ? dnnl_s8 : dnnl_s4));
            desc_owner open;
            ok(by_tag(open.out(), {4, channels, 3, 3}, dnnl_s4, dnnl_format_tag_any));
            return dnnl_convolution_forward_primitive_desc_create(out, engine(),
                dnnl_forward_inference, dnnl_convolution_direct,
                plain({2, channels, 8, 8}, dnnl_u8), open, nullptr, plain({2, 4, 6, 6}), one.data(),
                nullptr, zero.data(), nullptr, nullptr);
        };
    };
    check_row("even channels", missing, "", convolution(6));
    check_row("J20", invalid, "weights", convolution(5));
    const auto full = plain({2, 4}), column = plain({2, 1}, dnnl_s8);
    const auto select = [&](const desc_owner &condition) {
        return [&](pd_t *out) {
            return dnnl_binary_primitive_desc_create_v2(
                out, engine(), dnnl_binary_select, full, full, condition, full, nullptr);
        };
    };
    const auto vector = plain({4}, dnnl_s8), other = plain({2, 2}, dnnl_s8);
    check_row("condition", dnnl_success, "", select(column));
    check_row("J21", invalid, "src2", select(other));
    check_row("J22", invalid, "src2", select(vector));
}

BOOST_AUTO_TEST_CASE(matmul_types_and_masks) {
    struct types {
        dnnl_data_type_t src, weights, dst;
    };
    const auto matmul = [](const types &t, const_dnnl_primitive_attr_t attr) {
        return [t, attr](pd_t *out) {
            return dnnl_matmul_primitive_desc_create(out, engine(), plain({4, 64}, t.src),
                plain({64, 32}, t.weights), nullptr, plain({4, 32}, t.dst), attr);
        };
    };
    const types floats {dnnl_f32, dnnl_f32, dnnl_f32}, ints {dnnl_s8, dnnl_s4, dnnl_f32};
    attr_owner to_int, strict;
    ok(dnnl_primitive_attr_create(to_int.out()));
    ok(dnnl_primitive_attr_create(strict.out()));
    ok(dnnl_primitive_attr_set_fpmath_mode_v2(to_int, dnnl_fpmath_mode_any, 1));
    for (const dnnl_data_type_t type : {dnnl_s4, dnnl_u4, dnnl_s8, dnnl_u8}) {
        check_row("J23", missing, "set_fpmath_mode", matmul({dnnl_bf16, type, dnnl_f32}, strict));
        check_row("apply_to_int", dnnl_success, "", matmul({dnnl_bf16, type, dnnl_f32}, to_int));
        check_row("J24", missing, "dst", matmul({dnnl_bf16, type, dnnl_s32}, to_int));
    }
    check_row("J25", missing, "weights", matmul({dnnl_f8_e4m3, dnnl_s8, dnnl_f32}, to_int));
    check_row("J26", missing, "weights", matmul({dnnl_f4_e2m1, dnnl_s8, dnnl_f32}, to_int));
    for (const dnnl_data_type_t type : {dnnl_f4_e2m1, dnnl_f8_e4m3, dnnl_bf16})
        check_row("f4_e2m1", dnnl_success, "", matmul({dnnl_f4_e2m1, type, dnnl_f32}, nullptr));
    check_row("J27", missing, "weights", matmul({dnnl_s8, dnnl_f4_e2m1, dnnl_f32}, nullptr));
    for (const int mask : {0, 1, 2, 3})
        check_row("mask of dst", dnnl_success, "", matmul(floats, scaled(DNNL_ARG_DST, mask)));
    check_row("J28", invalid, "scales", matmul(floats, scaled(DNNL_ARG_DST, 4)));
    check_row("J29", missing, "scales", matmul(floats, scaled(DNNL_ARG_DST, 3, {1, 16})));
    check_row("groups", dnnl_success, "", matmul(ints, scaled(DNNL_ARG_SRC, 3, {1, 16})));
    check_row("as long as K", dnnl_success, "", matmul(ints, scaled(DNNL_ARG_SRC, 3, {1, 64})));
    check_row("longer", dnnl_success, "", matmul(ints, scaled(DNNL_ARG_SRC, 3, {1, 1000})));
    check_row("J30", missing, "group", matmul(ints, scaled(DNNL_ARG_SRC, 3, {1, 48})));
    check_row("J31", missing, "group", matmul(ints, scaled(DNNL_ARG_WEIGHTS, 2, {16, 1})));
    check_row("columns", dnnl_success, "", matmul(ints, scaled(DNNL_ARG_WEIGHTS, 3, {16, 16})));
}

BOOST_AUTO_TEST_CASE(parameters_that_nobody_asks_for) {
    post_ops_owner ops;
    ok(dnnl_post_ops_create(ops.out()));
    ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_clip, 1, 2));
    float beta = 0;
    ok(dnnl_post_ops_get_params_eltwise(ops, 0, nullptr, nullptr, nullptr));
    ok(dnnl_post_ops_get_params_eltwise(ops, 0, nullptr, nullptr, &beta));
    BOOST_TEST(beta == 2);
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    check_refused(
        "J32", dnnl_post_ops_get_params_eltwise(ops, 1, &alg, nullptr, nullptr), invalid, "index");
}
