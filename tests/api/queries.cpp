// SPDX-License-Identifier: Apache-2.0
// What a primitive descriptor tells about itself.
#include <cstring>

#include "objects.hpp"

using namespace api_tests;

namespace {

/// The value of a query that must succeed.
template <class T> T asked(const_dnnl_primitive_desc_t pd, dnnl_query_t what) {
    T value {};
    ok(dnnl_primitive_desc_query(pd, what, 0, &value));
    return value;
}
dnnl_status_t status_of(const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index = 0) {
    std::uint64_t value = 0;
    return dnnl_primitive_desc_query(pd, what, index, &value);
}
dims list(const_dnnl_primitive_desc_t pd, dnnl_query_t what, int count) {
    const auto *values = asked<const dnnl_dims_t *>(pd, what);
    return dims(*values, *values + count);
}
int rank(const_dnnl_memory_desc_t md) {
    int ndims = -1;
    ok(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims));
    return ndims;
}

const dims strides {2, 1}, dilates {0, 1}, padding_l {1, 2}, padding_r {0, 2};

primitive_desc_owner convolution(const_dnnl_primitive_attr_t attr = nullptr) {
    primitive_desc_owner pd;
    ok(dnnl_convolution_forward_primitive_desc_create(pd.out(), engine(), dnnl_forward_inference,
        dnnl_convolution_auto, plain({2, 6, 8, 8}), tagged({4, 6, 3, 3}, dnnl_format_tag_any),
        plain({4}), tagged({2, 4, 4, 8}, dnnl_format_tag_any), strides.data(), dilates.data(),
        padding_l.data(), padding_r.data(), attr));
    return pd;
}
} // namespace

BOOST_AUTO_TEST_CASE(convolution_parameters) {
    const auto pd = convolution();
    BOOST_TEST(asked<dnnl_engine_t>(pd, dnnl_query_engine) == engine());
    BOOST_TEST(asked<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind) == dnnl_convolution);
    BOOST_TEST(asked<dnnl_prop_kind_t>(pd, dnnl_query_prop_kind) == dnnl_forward_inference);
    BOOST_TEST(asked<dnnl_alg_kind_t>(pd, dnnl_query_alg_kind) == dnnl_convolution_direct);
    BOOST_TEST(list(pd, dnnl_query_strides, 2) == strides);
    BOOST_TEST(list(pd, dnnl_query_dilations, 2) == dilates);
    BOOST_TEST(list(pd, dnnl_query_padding_l, 2) == padding_l);
    BOOST_TEST(list(pd, dnnl_query_padding_r, 2) == padding_r);
    BOOST_TEST(asked<int>(pd, dnnl_query_num_of_inputs_s32) == 3);
    BOOST_TEST(asked<int>(pd, dnnl_query_num_of_outputs_s32) == 1);
    BOOST_TEST(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0) == 3);
    BOOST_TEST(std::strlen(asked<const char *>(pd, dnnl_query_impl_info_str)) > 0);
    for (dnnl_query_t what :
        {dnnl_query_kernel, dnnl_query_alpha_f32, dnnl_query_axis_s32, dnnl_query_epsilon_f32,
            dnnl_query_flags, dnnl_query_time_estimate_f64, dnnl_query_scratchpad_engine,
            dnnl_query_reorder_src_engine, dnnl_query_undef, static_cast<dnnl_query_t>(9999)})
        BOOST_CHECK_MESSAGE(status_of(pd, what) == dnnl_unimplemented, "query " << what);
}

BOOST_AUTO_TEST_CASE(convolution_descriptors) {
    const auto pd = convolution();
    const auto md = [&](dnnl_query_t what, int index) {
        return dnnl_primitive_desc_query_md(pd, what, index);
    };
    BOOST_TEST(dnnl_memory_desc_equal(md(dnnl_query_src_md, 0), plain({2, 6, 8, 8})));
    BOOST_TEST(dnnl_memory_desc_equal(md(dnnl_query_weights_md, 1), plain({4})));
    BOOST_TEST(rank(md(dnnl_query_weights_md, 0)) == 4);
    BOOST_TEST(rank(md(dnnl_query_dst_md, 0)) == 4);
    dnnl_format_kind_t kind = dnnl_format_kind_any; // nothing is left `any`
    ok(dnnl_memory_desc_query(md(dnnl_query_dst_md, 0), dnnl_query_format_kind, &kind));
    BOOST_TEST(kind == dnnl_blocked);
    BOOST_TEST(md(dnnl_query_exec_arg_md, DNNL_ARG_BIAS) == md(dnnl_query_weights_md, 1));
    for (dnnl_query_t absent : {dnnl_query_diff_src_md, dnnl_query_diff_weights_md,
             dnnl_query_diff_dst_md, dnnl_query_workspace_md, dnnl_query_scratchpad_md}) {
        BOOST_REQUIRE(md(absent, 0) != nullptr);
        BOOST_CHECK_MESSAGE(rank(md(absent, 0)) == 0, "query " << absent);
    }
    for (int index : {1, 99, -1}) BOOST_TEST(rank(md(dnnl_query_src_md, index)) == 0); // Q05
    BOOST_TEST(rank(md(dnnl_query_exec_arg_md, 12345)) == 0);
    BOOST_TEST(status_of(pd, dnnl_query_workspace_md, 1) == dnnl_invalid_arguments);
    BOOST_TEST(md(dnnl_query_workspace_md, 1) == nullptr);
    BOOST_TEST(md(dnnl_query_engine, 0) == nullptr);
    BOOST_TEST(dnnl_primitive_desc_query_md(nullptr, dnnl_query_src_md, 0) == nullptr);
}

BOOST_AUTO_TEST_CASE(null_arguments) {
    const auto pd = matmul_desc(2, 3, 4);
    int value = 0;
    BOOST_TEST(
        dnnl_primitive_desc_query(nullptr, dnnl_query_engine, 0, &value) == dnnl_invalid_arguments);
    BOOST_TEST(
        dnnl_primitive_desc_query(pd, dnnl_query_engine, 0, nullptr) == dnnl_invalid_arguments);
    BOOST_TEST(status_of(pd, dnnl_query_strides) == dnnl_unimplemented); // Q04
    BOOST_TEST(status_of(pd, dnnl_query_prop_kind) == dnnl_unimplemented);
    BOOST_TEST(dnnl_primitive_desc_query_s32(nullptr, dnnl_query_num_of_inputs_s32, 0) == 0);
    dnnl_primitive_desc_t clone = nullptr;
    BOOST_TEST(dnnl_primitive_desc_clone(&clone, nullptr) == dnnl_invalid_arguments); // Q08
    BOOST_TEST(dnnl_primitive_desc_clone(nullptr, pd) == dnnl_invalid_arguments);
    BOOST_TEST(dnnl_primitive_desc_get_attr(pd, nullptr) == dnnl_invalid_arguments);
    BOOST_TEST(dnnl_primitive_desc_next_impl(nullptr) == dnnl_invalid_arguments); // Q07
    BOOST_TEST(dnnl_primitive_desc_destroy(nullptr) == dnnl_success);
    dnnl_primitive_t primitive = nullptr;
    BOOST_TEST(dnnl_primitive_create(nullptr, pd) == dnnl_invalid_arguments);         // Z01
    BOOST_TEST(dnnl_primitive_create(&primitive, nullptr) == dnnl_invalid_arguments); // Z02
    const std::uint8_t blob[16] {};
    BOOST_TEST(dnnl_primitive_create_from_cache_blob(&primitive, pd, 0, nullptr) ==
               dnnl_invalid_arguments);
    BOOST_TEST(
        dnnl_primitive_create_from_cache_blob(&primitive, pd, 16, blob) == dnnl_unimplemented);
    const auto made = primitive_of(pd);
    std::size_t bytes = 0;
    BOOST_TEST(dnnl_primitive_get_cache_blob(made, &bytes, nullptr) == dnnl_unimplemented); // Z05
    BOOST_TEST(dnnl_primitive_get_cache_blob(made, nullptr, nullptr) == dnnl_invalid_arguments);
    BOOST_TEST(dnnl_primitive_destroy(nullptr) == dnnl_success);
}

BOOST_AUTO_TEST_CASE(workspace_and_kernel_of_pooling) {
    const dims kernel {2, 2}, zero {0, 0};
    primitive_desc_owner forward, backward;
    ok(dnnl_pooling_forward_primitive_desc_create(forward.out(), engine(), dnnl_forward_training,
        dnnl_pooling_max, plain({1, 2, 4, 4}), tagged({1, 2, 2, 2}, dnnl_format_tag_any),
        kernel.data(), kernel.data(), zero.data(), zero.data(), nullptr, nullptr));
    BOOST_TEST(list(forward, dnnl_query_kernel, 2) == kernel);
    BOOST_TEST(asked<int>(forward, dnnl_query_num_of_outputs_s32) == 2);
    const auto workspace = dnnl_primitive_desc_query_md(forward, dnnl_query_workspace_md, 0);
    BOOST_TEST(dnnl_memory_desc_equal(workspace, plain({1, 2, 2, 2}, dnnl_u8)));
    ok(dnnl_pooling_backward_primitive_desc_create(backward.out(), engine(), dnnl_pooling_max,
        tagged({1, 2, 4, 4}, dnnl_format_tag_any), plain({1, 2, 2, 2}), kernel.data(),
        kernel.data(), zero.data(), zero.data(), nullptr, forward, nullptr));
    BOOST_TEST(dnnl_memory_desc_equal(
        dnnl_primitive_desc_query_md(backward, dnnl_query_workspace_md, 0), workspace));
    BOOST_TEST(dnnl_memory_desc_equal(
        dnnl_primitive_desc_query_md(backward, dnnl_query_diff_src_md, 0), plain({1, 2, 4, 4})));
}

BOOST_AUTO_TEST_CASE(data_of_eltwise_backward) {
    const auto md = plain({2, 3});
    for (const bool from_dst : {false, true}) {
        primitive_desc_owner pd;
        ok(dnnl_eltwise_backward_primitive_desc_create(pd.out(), engine(),
            from_dst ? dnnl_eltwise_tanh_use_dst_for_bwd : dnnl_eltwise_tanh, md, md, md, 0.5f,
            2.0f, nullptr, nullptr));
        BOOST_TEST(
            rank(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0)) == (from_dst ? 0 : 2));
        BOOST_TEST(
            rank(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0)) == (from_dst ? 2 : 0));
        BOOST_TEST(rank(dnnl_primitive_desc_query_md(pd, dnnl_query_diff_dst_md, 0)) == 2);
        BOOST_TEST(asked<float>(pd, dnnl_query_alpha_f32) == 0.5f);
        BOOST_TEST(asked<float>(pd, dnnl_query_beta_f32) == 2.0f);
    }
}

BOOST_AUTO_TEST_CASE(several_sources) {
    const auto a = plain({2, 3}), b = plain({2, 4});
    const const_dnnl_memory_desc_t srcs[] = {a, b};
    primitive_desc_owner pd;
    ok(dnnl_concat_primitive_desc_create(pd.out(), engine(), nullptr, 2, 1, srcs, nullptr));
    BOOST_TEST(asked<int>(pd, dnnl_query_axis_s32) == 1);
    BOOST_TEST(asked<int>(pd, dnnl_query_num_of_inputs_s32) == 2);
    BOOST_TEST(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 1), b));
    BOOST_TEST(rank(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 2)) == 0);
    BOOST_TEST(dnnl_memory_desc_equal(
        dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), plain({2, 7})));
}

BOOST_AUTO_TEST_CASE(attributes_and_post_ops) {
    attr_owner attr;
    post_ops_owner ops;
    ok(dnnl_primitive_attr_create(attr.out()));
    ok(dnnl_post_ops_create(ops.out()));
    ok(dnnl_post_ops_append_binary(
        ops, dnnl_binary_mul, tagged({1, 4, 1, 1}, dnnl_format_tag_any)));
    ok(dnnl_post_ops_append_prelu(ops, 2));
    ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    const auto pd = convolution(attr);
    attr = attr_owner {};
    BOOST_TEST(asked<int>(pd, dnnl_query_num_of_inputs_s32) == 5);
    const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
    const auto src1 = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
    dnnl_format_kind_t kind = dnnl_format_kind_any;
    ok(dnnl_memory_desc_query(src1, dnnl_query_format_kind, &kind));
    BOOST_TEST(kind == dnnl_blocked);
    const_dnnl_primitive_attr_t kept = nullptr;
    ok(dnnl_primitive_desc_get_attr(pd, &kept));
    const_dnnl_post_ops_t kept_ops = nullptr;
    ok(dnnl_primitive_attr_get_post_ops(kept, &kept_ops));
    BOOST_TEST(dnnl_post_ops_len(kept_ops) == 2);
}

BOOST_AUTO_TEST_CASE(select_as_a_post_op) {
    attr_owner attr;
    post_ops_owner ops;
    ok(dnnl_primitive_attr_create(attr.out()));
    ok(dnnl_post_ops_create(ops.out()));
    const auto source = tagged({1, 4, 1, 1}, dnnl_format_tag_any);
    ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
    ok(dnnl_post_ops_append_binary_v2(
        ops, dnnl_binary_select, source, plain({1, 1, 1, 1}, dnnl_s8)));
    ok(dnnl_post_ops_append_binary(ops, dnnl_binary_mul, source));
    ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    const auto pd = convolution(attr);
    BOOST_TEST(asked<int>(pd, dnnl_query_num_of_inputs_s32) == 6);
    const auto argument = [&](int index, int arg) {
        return dnnl_primitive_desc_query_md(
            pd, dnnl_query_exec_arg_md, DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | arg);
    };
    dnnl_format_kind_t kind = dnnl_format_kind_any;
    ok(dnnl_memory_desc_query(argument(1, DNNL_ARG_SRC_1), dnnl_query_format_kind, &kind));
    BOOST_TEST(kind == dnnl_blocked);
    BOOST_TEST(
        dnnl_memory_desc_equal(argument(1, DNNL_ARG_SRC_2), plain({1, 1, 1, 1}, dnnl_s8)) == 1);
    BOOST_TEST(rank(argument(0, DNNL_ARG_SRC_2)) == 0);
    BOOST_TEST(rank(argument(2, DNNL_ARG_SRC_2)) == 0);
}

BOOST_AUTO_TEST_CASE(scratchpad_modes) {
    for (const auto mode : {dnnl_scratchpad_mode_library, dnnl_scratchpad_mode_user}) {
        attr_owner attr;
        ok(dnnl_primitive_attr_create(attr.out()));
        ok(dnnl_primitive_attr_set_scratchpad_mode(attr, mode));
        const auto pd = matmul_desc(64, 64, 64, attr);
        const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
        const auto bytes = asked<dnnl_dim_t>(pd, dnnl_query_memory_consumption_s64);
        if (mode == dnnl_scratchpad_mode_library) {
            BOOST_TEST(rank(md) == 0);
            BOOST_TEST(bytes >= 0);
        } else {
            BOOST_TEST(bytes == 0);
            BOOST_TEST((rank(md) == 1 || rank(md) == 0)); // empty when nothing is needed
        }
    }
}

BOOST_AUTO_TEST_CASE(there_is_no_cache_blob_to_name) {
    const auto pd = matmul_desc(3, 4, 5);
    BOOST_TEST(asked<dnnl_dim_t>(pd, dnnl_query_cache_blob_id_size_s64) == 0); // Z08
    BOOST_TEST(asked<const std::uint8_t *>(pd, dnnl_query_cache_blob_id) == nullptr);
}
