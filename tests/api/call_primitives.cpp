// SPDX-License-Identifier: Apache-2.0
// Every function that creates a primitive descriptor, and those about descriptors and primitives,
// called once (see call_objects.cpp). Each descriptor must be of the right kind and run.
#include <cstring>

#include "objects.hpp"

#define CALL(function) BOOST_AUTO_TEST_CASE(calls_##function)

using namespace api_tests;

namespace {

constexpr int every_argument[] = {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2, DNNL_ARG_DST_0,
    DNNL_ARG_DST_1, DNNL_ARG_DST_2, DNNL_ARG_WEIGHTS_0, DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2,
    DNNL_ARG_WEIGHTS_3, DNNL_ARG_BIAS, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE,
    DNNL_ARG_SHIFT, DNNL_ARG_AUGRU_ATTENTION, DNNL_ARG_WORKSPACE, DNNL_ARG_DIFF_SRC_0,
    DNNL_ARG_DIFF_SRC_1, DNNL_ARG_DIFF_SRC_2, DNNL_ARG_DIFF_DST_0, DNNL_ARG_DIFF_DST_1,
    DNNL_ARG_DIFF_DST_2, DNNL_ARG_DIFF_WEIGHTS_0, DNNL_ARG_DIFF_WEIGHTS_1, DNNL_ARG_DIFF_WEIGHTS_2,
    DNNL_ARG_DIFF_WEIGHTS_3, DNNL_ARG_DIFF_BIAS, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT,
    DNNL_ARG_DIFF_AUGRU_ATTENTION, DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1};

/// The descriptor is of this kind, and its primitive runs on zeros.
void runs(const primitive_desc_owner &pd, dnnl_primitive_kind_t expected) {
    dnnl_primitive_kind_t kind = dnnl_undefined_primitive;
    ok(dnnl_primitive_desc_query(pd, dnnl_query_primitive_kind, 0, &kind));
    BOOST_TEST(kind == expected);
    std::vector<memory_owner> memories;
    std::vector<dnnl_exec_arg_t> args;
    for (const int argument : every_argument) {
        const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, argument);
        const size_t bytes = dnnl_memory_desc_get_size(md);
        if (bytes == 0) continue;
        memories.push_back(memory_of(md));
        void *data = nullptr;
        ok(dnnl_memory_get_data_handle(memories.back(), &data));
        std::memset(data, 0, bytes);
        args.push_back({argument, memories.back()});
    }
    BOOST_TEST(args.size() >= 2u);
    ok(execute(primitive_of(pd), args));
}

/// Calls create(out, engine, ...) and runs what it made.
template <class Create, class... Arguments>
primitive_desc_owner made(
    dnnl_primitive_kind_t kind, const Create &create, const Arguments &...arguments) {
    primitive_desc_owner pd;
    ok(create(pd.out(), engine(), arguments...));
    runs(pd, kind);
    return pd;
}

constexpr dnnl_prop_kind_t training = dnnl_forward_training;
constexpr const_dnnl_primitive_attr_t defaults = nullptr;
constexpr const_dnnl_memory_desc_t absent = nullptr;
constexpr const_dnnl_primitive_desc_t no_hint = nullptr;

const desc_owner &image() {
    static const desc_owner md = plain({2, 4, 6, 6});
    return md;
}
const desc_owner &matrix() {
    static const desc_owner md = plain({4, 6});
    return md;
}
} // namespace

// ---- Data movement and elementwise ----

CALL(dnnl_reorder_primitive_desc_create) {
    primitive_desc_owner pd;
    ok(dnnl_reorder_primitive_desc_create(
        pd.out(), image(), engine(), tagged({2, 4, 6, 6}, dnnl_nhwc), engine(), nullptr));
    runs(pd, dnnl_reorder);
}
CALL(dnnl_concat_primitive_desc_create) {
    const const_dnnl_memory_desc_t sources[] {matrix(), matrix()};
    made(dnnl_concat, dnnl_concat_primitive_desc_create, absent, 2, 0, sources, defaults);
}
CALL(dnnl_sum_primitive_desc_create) {
    const const_dnnl_memory_desc_t sources[] {matrix(), matrix()};
    const float scales[] {1, 2};
    made(dnnl_sum, dnnl_sum_primitive_desc_create, absent, 2, scales, sources, defaults);
}
CALL(dnnl_binary_primitive_desc_create) {
    made(dnnl_binary, dnnl_binary_primitive_desc_create, dnnl_binary_add, matrix(), matrix(),
        matrix(), defaults);
}
CALL(dnnl_binary_primitive_desc_create_v2) {
    made(dnnl_binary, dnnl_binary_primitive_desc_create_v2, dnnl_binary_select, matrix(), matrix(),
        plain({4, 6}, dnnl_s8), matrix(), defaults);
}
CALL(dnnl_shuffle_forward_primitive_desc_create) {
    made(dnnl_shuffle, dnnl_shuffle_forward_primitive_desc_create, training, image(), image(), 1,
        dnnl_dim_t {2}, defaults);
}
CALL(dnnl_shuffle_backward_primitive_desc_create) {
    made(dnnl_shuffle, dnnl_shuffle_backward_primitive_desc_create, image(), image(), 1,
        dnnl_dim_t {2}, no_hint, defaults);
}
CALL(dnnl_eltwise_forward_primitive_desc_create) {
    made(dnnl_eltwise, dnnl_eltwise_forward_primitive_desc_create, training, dnnl_eltwise_tanh,
        image(), image(), 0.f, 0.f, defaults);
}
CALL(dnnl_eltwise_backward_primitive_desc_create) {
    made(dnnl_eltwise, dnnl_eltwise_backward_primitive_desc_create, dnnl_eltwise_tanh, image(),
        image(), image(), 0.f, 0.f, no_hint, defaults);
}
CALL(dnnl_softmax_forward_primitive_desc_create) {
    made(dnnl_softmax, dnnl_softmax_forward_primitive_desc_create, training, dnnl_softmax_accurate,
        matrix(), matrix(), 1, defaults);
}
CALL(dnnl_softmax_backward_primitive_desc_create) {
    made(dnnl_softmax, dnnl_softmax_backward_primitive_desc_create, dnnl_softmax_log, matrix(),
        matrix(), matrix(), 1, no_hint, defaults);
}
CALL(dnnl_prelu_forward_primitive_desc_create) {
    made(dnnl_prelu, dnnl_prelu_forward_primitive_desc_create, training, matrix(), plain({1, 6}),
        matrix(), defaults);
}
CALL(dnnl_prelu_backward_primitive_desc_create) {
    made(dnnl_prelu, dnnl_prelu_backward_primitive_desc_create, matrix(), plain({1, 6}), matrix(),
        plain({1, 6}), matrix(), no_hint, defaults);
}
CALL(dnnl_resampling_forward_primitive_desc_create) {
    const float factors[] {2, 0.5f};
    const auto dst = plain({2, 4, 12, 3});
    made(dnnl_resampling, dnnl_resampling_forward_primitive_desc_create, training,
        dnnl_resampling_linear, factors, image(), dst, defaults);
    made(dnnl_resampling, dnnl_resampling_forward_primitive_desc_create, training,
        dnnl_resampling_nearest, factors, image(), absent, defaults);
}
CALL(dnnl_resampling_backward_primitive_desc_create) {
    const float *no_factors = nullptr;
    made(dnnl_resampling, dnnl_resampling_backward_primitive_desc_create, dnnl_resampling_linear,
        no_factors, image(), plain({2, 4, 12, 3}), no_hint, defaults);
}
CALL(dnnl_reduction_primitive_desc_create) {
    made(dnnl_reduction, dnnl_reduction_primitive_desc_create, dnnl_reduction_norm_lp_sum, matrix(),
        plain({4, 1}), 2.f, 0.5f, defaults);
}

// ---- Convolution, deconvolution, inner product, matmul ----

namespace {
const dims ones {1, 1}, zeros {0, 0};
const desc_owner &kernel() {
    static const desc_owner md = plain({4, 4, 3, 3});
    return md;
}
const desc_owner &channels() {
    static const desc_owner md = plain({4});
    return md;
}
const auto *const unit = ones.data(), *const dense = zeros.data();
} // namespace

CALL(dnnl_convolution_forward_primitive_desc_create) {
    made(dnnl_convolution, dnnl_convolution_forward_primitive_desc_create, training,
        dnnl_convolution_direct, image(), kernel(), channels(), image(), unit, dense, unit, unit,
        defaults);
}
CALL(dnnl_convolution_backward_data_primitive_desc_create) {
    made(dnnl_convolution, dnnl_convolution_backward_data_primitive_desc_create,
        dnnl_convolution_direct, image(), kernel(), image(), unit, dense, unit, unit, no_hint,
        defaults);
}
CALL(dnnl_convolution_backward_weights_primitive_desc_create) {
    made(dnnl_convolution, dnnl_convolution_backward_weights_primitive_desc_create,
        dnnl_convolution_direct, image(), kernel(), channels(), image(), unit, dense, unit, unit,
        no_hint, defaults);
}
CALL(dnnl_deconvolution_forward_primitive_desc_create) {
    made(dnnl_deconvolution, dnnl_deconvolution_forward_primitive_desc_create, training,
        dnnl_deconvolution_direct, image(), kernel(), channels(), image(), unit, dense, unit, unit,
        defaults);
}
CALL(dnnl_deconvolution_backward_data_primitive_desc_create) {
    made(dnnl_deconvolution, dnnl_deconvolution_backward_data_primitive_desc_create,
        dnnl_deconvolution_direct, image(), kernel(), image(), unit, dense, unit, unit, no_hint,
        defaults);
}
CALL(dnnl_deconvolution_backward_weights_primitive_desc_create) {
    made(dnnl_deconvolution, dnnl_deconvolution_backward_weights_primitive_desc_create,
        dnnl_deconvolution_direct, image(), kernel(), channels(), image(), unit, dense, unit, unit,
        no_hint, defaults);
}
CALL(dnnl_inner_product_forward_primitive_desc_create) {
    made(dnnl_inner_product, dnnl_inner_product_forward_primitive_desc_create, training, matrix(),
        plain({5, 6}), plain({5}), plain({4, 5}), defaults);
}
CALL(dnnl_inner_product_backward_data_primitive_desc_create) {
    made(dnnl_inner_product, dnnl_inner_product_backward_data_primitive_desc_create, matrix(),
        plain({5, 6}), plain({4, 5}), no_hint, defaults);
}
CALL(dnnl_inner_product_backward_weights_primitive_desc_create) {
    made(dnnl_inner_product, dnnl_inner_product_backward_weights_primitive_desc_create, matrix(),
        plain({5, 6}), plain({5}), plain({4, 5}), no_hint, defaults);
}
CALL(dnnl_matmul_primitive_desc_create) {
    made(dnnl_matmul, dnnl_matmul_primitive_desc_create, matrix(), plain({6, 5}), plain({1, 5}),
        plain({4, 5}), defaults);
}

// ---- Pooling and normalization ----

CALL(dnnl_pooling_forward_primitive_desc_create) {
    const dims window {3, 3};
    made(dnnl_pooling, dnnl_pooling_forward_primitive_desc_create, training, dnnl_pooling_max,
        image(), image(), unit, window.data(), dense, unit, unit, defaults);
}
CALL(dnnl_pooling_backward_primitive_desc_create) {
    const dims window {3, 3};
    const auto forward = made(dnnl_pooling, dnnl_pooling_forward_primitive_desc_create, training,
        dnnl_pooling_max, image(), image(), unit, window.data(), dense, unit, unit, defaults);
    made(dnnl_pooling, dnnl_pooling_backward_primitive_desc_create, dnnl_pooling_max, image(),
        image(), unit, window.data(), dense, unit, unit, forward, defaults);
}
CALL(dnnl_lrn_forward_primitive_desc_create) {
    made(dnnl_lrn, dnnl_lrn_forward_primitive_desc_create, training, dnnl_lrn_across_channels,
        image(), image(), dnnl_dim_t {3}, 1.f, 0.75f, 1.f, defaults);
}
CALL(dnnl_lrn_backward_primitive_desc_create) {
    const auto forward = made(dnnl_lrn, dnnl_lrn_forward_primitive_desc_create, training,
        dnnl_lrn_across_channels, image(), image(), dnnl_dim_t {3}, 1.f, 0.75f, 1.f, defaults);
    made(dnnl_lrn, dnnl_lrn_backward_primitive_desc_create, dnnl_lrn_across_channels, image(),
        image(), image(), dnnl_dim_t {3}, 1.f, 0.75f, 1.f, forward, defaults);
}

namespace {
constexpr float epsilon = 0.01f;
constexpr unsigned scale_and_shift = dnnl_use_scale | dnnl_use_shift;
} // namespace

CALL(dnnl_batch_normalization_forward_primitive_desc_create) {
    made(dnnl_batch_normalization, dnnl_batch_normalization_forward_primitive_desc_create, training,
        image(), image(), epsilon, scale_and_shift, defaults);
}
CALL(dnnl_batch_normalization_backward_primitive_desc_create) {
    made(dnnl_batch_normalization, dnnl_batch_normalization_backward_primitive_desc_create,
        dnnl_backward, image(), image(), image(), epsilon, scale_and_shift, no_hint, defaults);
}
CALL(dnnl_group_normalization_forward_primitive_desc_create) {
    made(dnnl_group_normalization, dnnl_group_normalization_forward_primitive_desc_create, training,
        image(), image(), dnnl_dim_t {2}, epsilon, scale_and_shift, defaults);
}
CALL(dnnl_group_normalization_backward_primitive_desc_create) {
    made(dnnl_group_normalization, dnnl_group_normalization_backward_primitive_desc_create,
        dnnl_backward, image(), image(), image(), dnnl_dim_t {2}, epsilon, scale_and_shift, no_hint,
        defaults);
}
CALL(dnnl_layer_normalization_forward_primitive_desc_create) {
    made(dnnl_layer_normalization, dnnl_layer_normalization_forward_primitive_desc_create, training,
        matrix(), matrix(), channels(), epsilon, scale_and_shift, defaults);
}
CALL(dnnl_layer_normalization_backward_primitive_desc_create) {
    made(dnnl_layer_normalization, dnnl_layer_normalization_backward_primitive_desc_create,
        dnnl_backward, matrix(), matrix(), matrix(), channels(), epsilon, scale_and_shift, no_hint,
        defaults);
}
CALL(dnnl_layer_normalization_forward_primitive_desc_create_v2) {
    made(dnnl_layer_normalization, dnnl_layer_normalization_forward_primitive_desc_create_v2,
        training, matrix(), matrix(), absent, dnnl_bf16, epsilon, scale_and_shift, defaults);
}
CALL(dnnl_layer_normalization_backward_primitive_desc_create_v2) {
    made(dnnl_layer_normalization, dnnl_layer_normalization_backward_primitive_desc_create_v2,
        dnnl_backward, matrix(), matrix(), matrix(), absent, dnnl_f32, dnnl_f32, epsilon,
        scale_and_shift, no_hint, defaults);
}

// ---- Descriptors and primitives ----

CALL(dnnl_primitive_desc_next_impl) {
    const auto pd = matmul_desc(3, 4, 5);
    while (dnnl_primitive_desc_next_impl(pd) == dnnl_success) runs(pd, dnnl_matmul);
    BOOST_TEST(dnnl_primitive_desc_next_impl(pd) == dnnl_last_impl_reached);
    runs(pd, dnnl_matmul);
}
CALL(dnnl_primitive_desc_clone) {
    primitive_desc_owner copy;
    ok(dnnl_primitive_desc_clone(copy.out(), matmul_desc(3, 4, 5)));
    runs(copy, dnnl_matmul);
}
CALL(dnnl_primitive_desc_get_attr) {
    const auto pd = matmul_desc(3, 4, 5);
    const_dnnl_primitive_attr_t attr = nullptr;
    ok(dnnl_primitive_desc_get_attr(pd, &attr));
    dnnl_scratchpad_mode_t mode = dnnl_scratchpad_mode_user;
    ok(dnnl_primitive_attr_get_scratchpad_mode(attr, &mode));
    BOOST_TEST(mode == dnnl_scratchpad_mode_library);
}
CALL(dnnl_primitive_desc_destroy) { ok(dnnl_primitive_desc_destroy(nullptr)); }
CALL(dnnl_primitive_desc_query) {
    dnnl_engine_t of_descriptor = nullptr;
    ok(dnnl_primitive_desc_query(
        matmul_desc(3, 4, 5), dnnl_query_engine, 0, static_cast<void *>(&of_descriptor)));
    BOOST_TEST(of_descriptor == engine());
}
CALL(dnnl_primitive_desc_query_md) {
    const auto pd = matmul_desc(3, 4, 5);
    const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    BOOST_TEST(dnnl_memory_desc_equal(md, plain({3, 4})) == 1);
}
CALL(dnnl_primitive_desc_query_s32) {
    BOOST_TEST(
        dnnl_primitive_desc_query_s32(matmul_desc(3, 4, 5), dnnl_query_num_of_inputs_s32, 0) == 2);
}
CALL(dnnl_primitive_create) { BOOST_TEST(primitive_of(matmul_desc(3, 4, 5)) != nullptr); }
CALL(dnnl_primitive_create_from_cache_blob) {
    const std::uint8_t blob[16] {};
    primitive_owner made;
    BOOST_TEST(dnnl_primitive_create_from_cache_blob(
                   made.out(), matmul_desc(3, 4, 5), sizeof blob, blob) == dnnl_unimplemented);
}
CALL(dnnl_primitive_execute) { check_canary(); }
CALL(dnnl_primitive_get_primitive_desc) {
    const auto primitive = primitive_of(matmul_desc(3, 4, 5));
    const_dnnl_primitive_desc_t pd = nullptr;
    ok(dnnl_primitive_get_primitive_desc(primitive, &pd));
    BOOST_TEST(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_outputs_s32, 0) == 1);
}
CALL(dnnl_primitive_get_cache_blob) {
    size_t size = 0;
    BOOST_TEST(dnnl_primitive_get_cache_blob(primitive_of(matmul_desc(3, 4, 5)), &size, nullptr) ==
               dnnl_unimplemented);
}
CALL(dnnl_primitive_destroy) { ok(dnnl_primitive_destroy(nullptr)); }

BOOST_AUTO_TEST_CASE(run_time_rows_ask_for_their_scratchpad) {
    constexpr dnnl_dim_t K = 300, N = 200;
    attr_owner attr;
    ok(dnnl_primitive_attr_create(attr.out()));
    ok(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    const auto scratchpad_bytes = [](const_dnnl_primitive_desc_t pd) {
        return dnnl_memory_desc_get_size(
            dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0));
    };
    const dnnl_dim_t unknown = DNNL_RUNTIME_DIM_VAL;
    primitive_desc_owner any_rows;
    const dnnl_dim_t runtime_strides[] = {K, 1}, dst_strides[] = {N, 1};
    const dnnl_dim_t src_dims[] = {unknown, K}, dst_dims[] = {unknown, N};
    desc_owner src, dst;
    ok(dnnl_memory_desc_create_with_strides(src.out(), 2, src_dims, dnnl_f32, runtime_strides));
    ok(dnnl_memory_desc_create_with_strides(dst.out(), 2, dst_dims, dnnl_f32, dst_strides));
    ok(dnnl_matmul_primitive_desc_create(
        any_rows.out(), engine(), src, plain({K, N}), nullptr, dst, attr));
    const std::size_t asked = scratchpad_bytes(any_rows);
    for (const dnnl_dim_t M : {1, 16, 64, 65, 200, 1000, 2048})
        BOOST_TEST(asked >= scratchpad_bytes(matmul_desc(M, N, K, attr)), "M = " << M);
    const auto primitive = primitive_of(any_rows);
    const auto scratchpad =
        memory_of(dnnl_primitive_desc_query_md(any_rows, dnnl_query_scratchpad_md, 0));
    for (const dnnl_dim_t M : {1, 70, 300}) {
        const auto a = integers(M * K, 1), b = integers(K * N, 2);
        std::vector<float> c(static_cast<std::size_t>(M * N), -1.0f);
        const auto from = memory_of(plain({M, K}), a), weights = memory_of(plain({K, N}), b);
        const auto to = memory_of(plain({M, N}), c);
        ok(execute(primitive, {{DNNL_ARG_SRC, from}, {DNNL_ARG_WEIGHTS, weights},
                                  {DNNL_ARG_DST, to}, {DNNL_ARG_SCRATCHPAD, scratchpad}}));
        BOOST_TEST((c == product(a, b, M, N, K)));
    }
}

BOOST_AUTO_TEST_CASE(no_scratchpad_is_asked_for_that_is_not_used) {
    attr_owner attr;
    ok(dnnl_primitive_attr_create(attr.out()));
    ok(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    const auto softmax_bytes = [&](dnnl_data_type_t type, int axis) {
        primitive_desc_owner pd;
        const auto matrix = plain({1000, 2000}, type);
        ok(dnnl_softmax_forward_primitive_desc_create(pd.out(), engine(), dnnl_forward_inference,
            dnnl_softmax_accurate, matrix, matrix, axis, attr));
        return dnnl_memory_desc_get_size(
            dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0));
    };
    BOOST_TEST(softmax_bytes(dnnl_f32, 1) == 0u);
    BOOST_TEST(softmax_bytes(dnnl_bf16, 1) > 0u);
    for (const dnnl_data_type_t type : {dnnl_f32, dnnl_bf16}) // columns are copied to stripes
        BOOST_TEST(softmax_bytes(type, 0) > 0u);
}
