// SPDX-License-Identifier: Apache-2.0
// One thing wrong per row in the creation of eltwise, softmax, binary, concat, sum and reorder, and
// the primitives that are not built.
#include <cmath>

#include "objects.hpp"

using namespace api_tests;

namespace {

constexpr dnnl_dim_t runtime = DNNL_RUNTIME_DIM_VAL;

struct eltwise_row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t alg;
    float alpha, beta;
    dims src, dst;
};
const eltwise_row eltwise_rows[] = {
    {"valid", dnnl_success, "", dnnl_forward_training, dnnl_eltwise_relu, 0, 0, {2, 3}, {2, 3}},
    {"prop", dnnl_invalid_arguments, "prop_kind", dnnl_backward_data, dnnl_eltwise_relu, 0, 0,
        {2, 3}, {2, 3}},
    {"T01", dnnl_invalid_arguments, "alg_kind", dnnl_forward_training, dnnl_softmax_accurate, 0, 0,
        {2, 3}, {2, 3}},
    {"T02", dnnl_invalid_arguments, "alpha", dnnl_forward_training, dnnl_eltwise_clip, 2, 1, {2, 3},
        {2, 3}},
    {"T03", dnnl_invalid_arguments, "alpha", dnnl_forward_training,
        dnnl_eltwise_relu_use_dst_for_bwd, -1, 0, {2, 3}, {2, 3}},
    {"T04", dnnl_success, "", dnnl_forward_training, dnnl_eltwise_round, 0, 0, {2, 3}, {2, 3}},
    {"T05", dnnl_invalid_arguments, "dst", dnnl_forward_training, dnnl_eltwise_relu, 0, 0, {2, 3},
        {3, 2}},
    {"N-01", dnnl_unimplemented, "src", dnnl_forward_training, dnnl_eltwise_relu, 0, 0,
        {runtime, 3}, {2, 3}},
};

/// Sources of sum and concat; an empty list of dims stands for a null descriptor.
std::vector<desc_owner> descs_of(const std::vector<dims> &shapes, dnnl_data_type_t first_type) {
    std::vector<desc_owner> made;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        made.push_back(
            shapes[i].empty() ? desc_owner {} : plain(shapes[i], i == 0 ? first_type : dnnl_f32));
    return made;
}
std::vector<const_dnnl_memory_desc_t> pointers_to(const std::vector<desc_owner> &owners) {
    return {owners.begin(), owners.end()};
}

struct concat_row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    int axis;
    std::vector<dims> srcs;
    dims dst;
    dnnl_data_type_t first_type = dnnl_f32;
};
const concat_row concat_rows[] = {
    {"valid", dnnl_success, "", 1, {{2, 3}, {2, 4}}, {2, 7}},
    {"K01", dnnl_invalid_arguments, "n", 1, {}, {2, 7}},
    {"K02", dnnl_invalid_arguments, "concat_dimension", 2, {{2, 3}, {2, 4}}, {2, 7}},
    {"K02 negative", dnnl_invalid_arguments, "concat_dimension", -1, {{2, 3}, {2, 4}}, {2, 7}},
    {"K03", dnnl_invalid_arguments, "src_descs", 1, {{2, 3}, {}}, {2, 7}},
    {"K04", dnnl_invalid_arguments, "src_descs", 1, {{2, 3}, {2, 4}}, {2, 7}, dnnl_s8},
    {"N-22 axis", dnnl_invalid_arguments, "dst", 1, {{2, 3}, {2, 4}}, {2, 8}},
    {"N-22 beside", dnnl_invalid_arguments, "src_descs", 1, {{2, 3}, {3, 4}}, {2, 7}},
    {"N-22 dst", dnnl_invalid_arguments, "dst", 1, {{2, 3}, {2, 4}}, {3, 7}},
    {"N-01", dnnl_unimplemented, "src_descs", 1, {{runtime, 3}, {2, 4}}, {2, 7}},
};

struct binary_row {
    const char *id;
    dnnl_status_t expected;
    const char *named;
    dnnl_alg_kind_t alg;
    dims src0, src1, dst;
};
const binary_row binary_rows[] = {
    {"valid", dnnl_success, "", dnnl_binary_add, {2, 3}, {1, 3}, {2, 3}},
    {"both broadcast", dnnl_success, "", dnnl_binary_add, {2, 1}, {1, 3}, {2, 3}},
    {"Y01", dnnl_invalid_arguments, "src1", dnnl_binary_add, {2, 3}, {2, 2}, {2, 3}},
    {"Y02", dnnl_invalid_arguments, "src1", dnnl_binary_add, {2, 3}, {3}, {2, 3}},
    {"Y03", dnnl_invalid_arguments, "alg_kind", dnnl_binary_select, {2, 3}, {2, 3}, {2, 3}},
    {"alg", dnnl_invalid_arguments, "alg_kind", dnnl_eltwise_relu, {2, 3}, {2, 3}, {2, 3}},
    {"dst", dnnl_invalid_arguments, "dst", dnnl_binary_add, {2, 3}, {1, 3}, {1, 3}},
    {"N-01", dnnl_unimplemented, "src0", dnnl_binary_add, {runtime, 3}, {1, 3}, {2, 3}},
};
} // namespace

BOOST_AUTO_TEST_CASE(eltwise) {
    for (const eltwise_row &row : eltwise_rows) {
        const auto src = plain(row.src), dst = plain(row.dst);
        check_row(std::string("eltwise ") + row.id, row.expected, row.named, [&](auto *out) {
            return dnnl_eltwise_forward_primitive_desc_create(
                out, engine(), row.prop, row.alg, src, dst, row.alpha, row.beta, nullptr);
        });
    }
}

BOOST_AUTO_TEST_CASE(eltwise_layouts_and_backward) {
    const auto rows = tagged({2, 3}, dnnl_ab), columns = tagged({2, 3}, dnnl_ba);
    const auto any = tagged({2, 3}, dnnl_format_tag_any), narrow = plain({2, 3}, dnnl_bf16);
    const auto forward = [](const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst) {
        return [=](dnnl_primitive_desc_t *out) {
            return dnnl_eltwise_forward_primitive_desc_create(
                out, engine(), dnnl_forward_training, dnnl_eltwise_relu, src, dst, 0, 0, nullptr);
        };
    };
    check_row("N-25 layout", dnnl_unimplemented, "layout", forward(rows, columns));
    check_row("N-25 type", dnnl_unimplemented, "type", forward(rows, narrow));
    check_row("N-24 src", dnnl_invalid_arguments, "src", forward(any, rows));
    const auto backward = [&](dnnl_alg_kind_t alg, const_dnnl_memory_desc_t data) {
        return [&rows, alg, data](dnnl_primitive_desc_t *out) {
            return dnnl_eltwise_backward_primitive_desc_create(
                out, engine(), alg, rows, rows, data, 0, 0, nullptr, nullptr);
        };
    };
    check_row("N-24 data", dnnl_invalid_arguments, "data", backward(dnnl_eltwise_relu, any));
    check_row(
        "T04 backward", dnnl_invalid_arguments, "alg_kind", backward(dnnl_eltwise_round, rows));
    check_row("valid backward", dnnl_success, "", backward(dnnl_eltwise_relu, rows));
}

BOOST_AUTO_TEST_CASE(softmax) {
    const auto create = [](dims src, dims dst, int axis, dnnl_data_type_t type = dnnl_f32) {
        return [=](dnnl_primitive_desc_t *out) {
            return dnnl_softmax_forward_primitive_desc_create(out, engine(), dnnl_forward_training,
                dnnl_softmax_accurate, plain(src, type), plain(dst), axis, nullptr);
        };
    };
    check_row("valid", dnnl_success, "", create({2, 3}, {2, 3}, 1));
    check_row("F01", dnnl_invalid_arguments, "axis", create({2, 3}, {2, 3}, 2));
    check_row("F02", dnnl_invalid_arguments, "axis", create({2, 3}, {2, 3}, -1));
    check_row("F03", dnnl_invalid_arguments, "dst", create({2, 3}, {3, 3}, 1));
    check_row("F04", dnnl_unimplemented, "s32", create({2, 3}, {2, 3}, 1, dnnl_s32));
    check_row("N-01", dnnl_unimplemented, "src", create({runtime, 3}, {2, 3}, 1));
}

BOOST_AUTO_TEST_CASE(binary) {
    for (const binary_row &row : binary_rows) {
        const auto src0 = plain(row.src0), src1 = plain(row.src1), dst = plain(row.dst);
        check_row(std::string("binary ") + row.id, row.expected, row.named, [&](auto *out) {
            return dnnl_binary_primitive_desc_create(
                out, engine(), row.alg, src0, src1, dst, nullptr);
        });
    }
    const auto full = plain({2, 3}), wrong = plain({2, 3}), row = plain({1, 3}, dnnl_s8);
    check_row("select type", dnnl_invalid_arguments, "src2", [&](auto *out) {
        return dnnl_binary_primitive_desc_create_v2(
            out, engine(), dnnl_binary_select, full, full, wrong, full, nullptr);
    });
    const auto select = [&](const_dnnl_memory_desc_t src0, const_dnnl_memory_desc_t condition,
                            const_dnnl_primitive_attr_t attr) {
        return [=, &full](dnnl_primitive_desc_t *out) {
            return dnnl_binary_primitive_desc_create_v2(
                out, engine(), dnnl_binary_select, src0, full, condition, full, attr);
        };
    };
    const auto narrow = plain({2, 2}, dnnl_s8), vector = plain({3}, dnnl_s8);
    const auto whole = plain({2, 3}, dnnl_s8), one_row = plain({1, 3});
    check_row("select of rows", dnnl_success, "", select(full, row, nullptr));
    check_row("select of dst's dims", dnnl_success, "", select(one_row, whole, nullptr));
    check_row("Y04 dims", dnnl_invalid_arguments, "src2", select(full, narrow, nullptr));
    check_row("Y04 rank", dnnl_invalid_arguments, "src2", select(full, vector, nullptr));
    attr_owner scaled;
    ok(dnnl_primitive_attr_create(scaled.out()));
    ok(dnnl_primitive_attr_set_scales_mask(scaled, DNNL_ARG_SRC_2, 0));
    check_row("Y05", dnnl_unimplemented, "scales", select(full, whole, scaled));
}

BOOST_AUTO_TEST_CASE(concat) {
    for (const concat_row &row : concat_rows) {
        const auto owners = descs_of(row.srcs, row.first_type);
        const auto srcs = pointers_to(owners);
        const auto dst = plain(row.dst);
        check_row(std::string("concat ") + row.id, row.expected, row.named, [&](auto *out) {
            return dnnl_concat_primitive_desc_create(
                out, engine(), dst, static_cast<int>(srcs.size()), row.axis, srcs.data(), nullptr);
        });
    }
    const auto any = tagged({2, 3}, dnnl_format_tag_any);
    const const_dnnl_memory_desc_t one[] = {any};
    check_row("N-22 any", dnnl_invalid_arguments, "src_descs", [&](auto *out) {
        return dnnl_concat_primitive_desc_create(out, engine(), nullptr, 1, 0, one, nullptr);
    });
}

BOOST_AUTO_TEST_CASE(sum) {
    const float scales[] = {1, 2};
    const auto create = [&](std::vector<dims> shapes, const float *factors) {
        return [=](dnnl_primitive_desc_t *out) {
            const auto owners = descs_of(shapes, dnnl_f32);
            const auto srcs = pointers_to(owners);
            return dnnl_sum_primitive_desc_create(out, engine(), nullptr,
                static_cast<int>(srcs.size()), factors, srcs.data(), nullptr);
        };
    };
    check_row("valid", dnnl_success, "", create({{2, 3}, {2, 3}}, scales));
    check_row("U01", dnnl_invalid_arguments, "n", create({}, scales));
    check_row("U02", dnnl_invalid_arguments, "scales", create({{2, 3}, {2, 3}}, nullptr));
    check_row("U03", dnnl_invalid_arguments, "src_descs", create({{2, 3}, {3, 2}}, scales));
    check_row("N-01", dnnl_unimplemented, "src_descs", create({{runtime, 3}, {2, 3}}, scales));
}

BOOST_AUTO_TEST_CASE(reorder) {
    attr_owner attr;
    post_ops_owner ops;
    ok(dnnl_primitive_attr_create(attr.out()));
    ok(dnnl_post_ops_create(ops.out()));
    ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
    ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    const auto a = plain({2, 3}), b = plain({3, 2}), any = tagged({2, 3}, dnnl_format_tag_any);
    const auto create = [](const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
                            dnnl_engine_t dst_engine, const_dnnl_primitive_attr_t attributes) {
        return [=](dnnl_primitive_desc_t *out) {
            return dnnl_reorder_primitive_desc_create(
                out, src, engine(), dst, dst_engine, attributes);
        };
    };
    check_row("valid", dnnl_success, "", create(a, a, engine(), nullptr));
    check_row("O01", dnnl_invalid_arguments, "dst", create(a, b, engine(), nullptr));
    check_row("O02", dnnl_invalid_arguments, "dst", create(a, any, engine(), nullptr));
    check_row("O03", dnnl_invalid_arguments, "dst_engine", create(a, a, nullptr, nullptr));
    check_row("O04", dnnl_unimplemented, "post_ops", create(a, a, engine(), attr));
}

BOOST_AUTO_TEST_CASE(primitives_not_built) {
    const auto image = plain({2, 4, 4, 4});
    check_row("resampling", dnnl_invalid_arguments, "factors", [&](auto *out) {
        return dnnl_resampling_forward_primitive_desc_create(out, engine(), dnnl_forward_training,
            dnnl_resampling_nearest, nullptr, image, nullptr, nullptr);
    });
}
