// SPDX-License-Identifier: Apache-2.0
// One thing wrong per row in the creation of shuffle and local response normalization, forward and
// backward, and what their queries answer.
#include "objects.hpp"

using namespace api_tests;

namespace {

using md_t = const_dnnl_memory_desc_t;
using pd_t = dnnl_primitive_desc_t;
constexpr dnnl_status_t invalid = dnnl_invalid_arguments, missing = dnnl_unimplemented;
constexpr auto train = dnnl_forward_training;
const dims extents {2, 16, 4, 4};

/// Descriptors that a row may take.
struct tensors {
    desc_owner image = plain(extents), other = plain({2, 16, 4, 5}),
               half = plain(extents, dnnl_bf16);
    desc_owner nhwc = tagged(extents, dnnl_nhwc), any = tagged(extents, dnnl_format_tag_any);
    desc_owner open = plain({DNNL_RUNTIME_DIM_VAL, 16, 4, 4}), line = plain({16});
};
const tensors &t() {
    static const tensors all;
    return all;
}

auto shuffle(dnnl_prop_kind_t prop, md_t src, md_t dst, int axis, dnnl_dim_t group) {
    return [=](pd_t *out) {
        return dnnl_shuffle_forward_primitive_desc_create(
            out, engine(), prop, src, dst, axis, group, nullptr);
    };
}
auto shuffle_backward(md_t diff_src, md_t diff_dst, int axis, dnnl_dim_t group, pd_t hint = {}) {
    return [=](pd_t *out) {
        return dnnl_shuffle_backward_primitive_desc_create(
            out, engine(), diff_src, diff_dst, axis, group, hint, nullptr);
    };
}
auto lrn(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, md_t src, md_t dst, dnnl_dim_t local_size) {
    return [=](pd_t *out) {
        return dnnl_lrn_forward_primitive_desc_create(
            out, engine(), prop, alg, src, dst, local_size, 1e-4f, 0.75f, 1, nullptr);
    };
}
auto lrn_backward(md_t diff_src, md_t diff_dst, md_t src, dnnl_dim_t local_size, pd_t hint = {}) {
    return [=](pd_t *out) {
        return dnnl_lrn_backward_primitive_desc_create(out, engine(), dnnl_lrn_across_channels,
            diff_src, diff_dst, src, local_size, 1e-4f, 0.75f, 1, hint, nullptr);
    };
}
} // namespace

BOOST_AUTO_TEST_CASE(shuffle_forward) {
    check_row("valid", dnnl_success, "", shuffle(train, t().image, t().any, 1, 4));
    check_row("H01", invalid, "axis", shuffle(train, t().image, t().image, 4, 2));
    check_row("H01 below", invalid, "axis", shuffle(train, t().image, t().image, -1, 2));
    check_row("H02", invalid, "group_size", shuffle(train, t().image, t().image, 1, 3));
    check_row("H03", invalid, "group_size", shuffle(train, t().image, t().image, 1, 0));
    check_row("NULL src", invalid, "src", shuffle(train, nullptr, t().image, 1, 2));
    check_row("NULL dst", invalid, "dst", shuffle(train, t().image, nullptr, 1, 2));
    check_row("dims", invalid, "dst", shuffle(train, t().image, t().other, 1, 2));
    check_row(
        "prop", invalid, "prop_kind", shuffle(dnnl_backward_data, t().image, t().image, 1, 2));
    check_row("N-24", invalid, "src", shuffle(train, t().any, t().image, 1, 2));
    check_row("N-25 type", missing, "type", shuffle(train, t().image, t().half, 1, 2));
    check_row("N-25 layout", missing, "layout", shuffle(train, t().image, t().nhwc, 1, 2));
    check_row("N-13", missing, "src", shuffle(train, t().open, t().open, 1, 2));
}

BOOST_AUTO_TEST_CASE(shuffle_backward_rows) {
    primitive_desc_owner forward;
    ok(shuffle(train, t().image, t().image, 1, 4)(forward.out()));
    check_row("valid", dnnl_success, "", shuffle_backward(t().image, t().image, 1, 4, forward));
    check_row("no hint", dnnl_success, "", shuffle_backward(t().any, t().image, 1, 4));
    check_row("both any", dnnl_success, "", shuffle_backward(t().any, t().any, 1, 4, forward));
    check_row("both any, no hint", dnnl_success, "", shuffle_backward(t().any, t().any, 1, 4));
    check_row("H02", invalid, "group_size", shuffle_backward(t().image, t().image, 1, 5));
    check_row("NULL diff_src", invalid, "diff_src", shuffle_backward(nullptr, t().image, 1, 4));
    check_row("NULL diff_dst", invalid, "diff_dst", shuffle_backward(t().image, nullptr, 1, 4));
    check_row(
        "hint", invalid, "hint_fwd_pd", shuffle_backward(t().image, t().image, 1, 2, forward));
    check_row("N-13", missing, "diff_src", shuffle_backward(t().open, t().open, 1, 2));
}

BOOST_AUTO_TEST_CASE(lrn_forward) {
    const auto across = dnnl_lrn_across_channels;
    check_row("valid", dnnl_success, "", lrn(train, across, t().image, t().any, 5));
    check_row("N01", invalid, "local_size", lrn(train, across, t().image, t().image, 0));
    check_row("N02", invalid, "local_size", lrn(train, across, t().image, t().image, -1));
    check_row("N03", dnnl_success, "", lrn(train, across, t().image, t().image, 4));
    check_row("NULL src", invalid, "src", lrn(train, across, nullptr, t().image, 5));
    check_row("NULL dst", invalid, "dst", lrn(train, across, t().image, nullptr, 5));
    check_row("alg", invalid, "alg_kind", lrn(train, dnnl_pooling_max, t().image, t().image, 5));
    check_row(
        "prop", invalid, "prop_kind", lrn(dnnl_backward_data, across, t().image, t().image, 5));
    check_row("rank", invalid, "src", lrn(train, across, t().line, t().line, 5));
    check_row("dims", invalid, "dst", lrn(train, across, t().image, t().other, 5));
    check_row("N-24", invalid, "src", lrn(train, across, t().any, t().image, 5));
    check_row("N-25 type", missing, "type", lrn(train, across, t().image, t().half, 5));
    check_row("N-25 layout", missing, "layout", lrn(train, across, t().image, t().nhwc, 5));
    check_row("N-09", missing, "src", lrn(train, across, t().open, t().open, 5));
}

BOOST_AUTO_TEST_CASE(lrn_backward_rows) {
    primitive_desc_owner other_kind;
    ok(shuffle(train, t().image, t().image, 1, 4)(other_kind.out()));
    check_row("valid", dnnl_success, "", lrn_backward(t().any, t().any, t().image, 5));
    check_row("N02", invalid, "local_size", lrn_backward(t().image, t().image, t().image, -1));
    check_row("N-24", invalid, "src", lrn_backward(t().image, t().image, t().any, 5));
    check_row("N-25 type", missing, "type", lrn_backward(t().half, t().image, t().image, 5));
    check_row("dims", invalid, "diff_dst", lrn_backward(t().image, t().other, t().image, 5));
    check_row("NULL diff_src", invalid, "diff_src", lrn_backward(nullptr, t().image, t().image, 5));
    check_row("NULL src", invalid, "src", lrn_backward(t().image, t().image, nullptr, 5));
    check_row("hint", invalid, "hint_fwd_pd",
        lrn_backward(t().image, t().image, t().image, 5, other_kind));
}

BOOST_AUTO_TEST_CASE(attributes_that_neither_takes) {
    attr_owner attr;
    ok(dnnl_primitive_attr_create(attr.out()));
    ok(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    check_row("shuffle", missing, "scales", [&](pd_t *out) {
        return dnnl_shuffle_forward_primitive_desc_create(
            out, engine(), train, t().image, t().image, 1, 2, attr);
    });
    check_row("lrn", missing, "scales", [&](pd_t *out) {
        return dnnl_lrn_forward_primitive_desc_create(
            out, engine(), train, dnnl_lrn_within_channel, t().image, t().image, 5, 1, 1, 1, attr);
    });
}

BOOST_AUTO_TEST_CASE(queries) {
    primitive_desc_owner moved, normalized;
    ok(shuffle(train, t().image, t().any, 1, 4)(moved.out()));
    dnnl_dim_t number = 0;
    int axis = -1;
    ok(dnnl_primitive_desc_query(moved, dnnl_query_group_size_s64, 0, &number));
    ok(dnnl_primitive_desc_query(moved, dnnl_query_axis_s32, 0, &axis));
    BOOST_TEST(number == 4);
    BOOST_TEST(axis == 1);
    ok(lrn(train, dnnl_lrn_within_channel, t().nhwc, t().any, 3)(normalized.out()));
    float k = 0, alpha = 0, beta = 0;
    ok(dnnl_primitive_desc_query(normalized, dnnl_query_local_size_s64, 0, &number));
    ok(dnnl_primitive_desc_query(normalized, dnnl_query_k_f32, 0, &k));
    ok(dnnl_primitive_desc_query(normalized, dnnl_query_alpha_f32, 0, &alpha));
    ok(dnnl_primitive_desc_query(normalized, dnnl_query_beta_f32, 0, &beta));
    BOOST_TEST(number == 3);
    BOOST_TEST(k == 1.0f);
    BOOST_TEST(alpha == 1e-4f);
    BOOST_TEST(beta == 0.75f);
    BOOST_TEST(dnnl_memory_desc_equal(
        dnnl_primitive_desc_query_md(normalized, dnnl_query_dst_md, 0), t().nhwc));
    BOOST_TEST(dnnl_memory_desc_get_size(
                   dnnl_primitive_desc_query_md(normalized, dnnl_query_workspace_md, 0)) == 0u);
}
