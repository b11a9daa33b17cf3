// SPDX-License-Identifier: Apache-2.0
// Rows of the misuse table about primitives that are no plain refusal of a creation: run-time
// dimensions, empty tensors, the order of destruction, queries and blobs. A test case has the name
// of its row.
#include <cstring>

#include "objects.hpp"

using namespace api_tests;

namespace {

constexpr dnnl_dim_t R = DNNL_RUNTIME_DIM_VAL;
constexpr dnnl_status_t invalid = dnnl_invalid_arguments, missing = dnnl_unimplemented;
using pd_t = dnnl_primitive_desc_t;
const dims one {1, 1}, two {2, 2}, zero {0, 0};

} // namespace

BOOST_AUTO_TEST_CASE(N_01_to_15_backward) {
    const auto open = plain({R, 2, 4, 4}), image = plain({1, 2, 4, 4}),
               pooled = plain({1, 2, 2, 2});
    const auto filter = plain({2, 2, 1, 1}), matrix = plain({R, 8}), weights = plain({4, 8});
    const auto features = plain({2, 4});
    check_row("convolution, backward data", missing, "diff_src", [&](pd_t *out) {
        return dnnl_convolution_backward_data_primitive_desc_create(out, engine(),
            dnnl_convolution_direct, open, filter, image, one.data(), nullptr, zero.data(), nullptr,
            nullptr, nullptr);
    });
    check_row("convolution, backward weights", missing, "src", [&](pd_t *out) {
        return dnnl_convolution_backward_weights_primitive_desc_create(out, engine(),
            dnnl_convolution_direct, open, filter, nullptr, image, one.data(), nullptr, zero.data(),
            nullptr, nullptr, nullptr);
    });
    check_row("deconvolution, backward data", missing, "diff_src", [&](pd_t *out) {
        return dnnl_deconvolution_backward_data_primitive_desc_create(out, engine(),
            dnnl_deconvolution_direct, open, filter, image, one.data(), nullptr, zero.data(),
            nullptr, nullptr, nullptr);
    });
    check_row("deconvolution, backward weights", missing, "src", [&](pd_t *out) {
        return dnnl_deconvolution_backward_weights_primitive_desc_create(out, engine(),
            dnnl_deconvolution_direct, open, filter, nullptr, image, one.data(), nullptr,
            zero.data(), nullptr, nullptr, nullptr);
    });
    check_row("pooling, backward", missing, "diff_src", [&](pd_t *out) {
        return dnnl_pooling_backward_primitive_desc_create(out, engine(),
            dnnl_pooling_avg_include_padding, open, pooled, two.data(), two.data(), zero.data(),
            zero.data(), nullptr, nullptr, nullptr);
    });
    check_row("inner product, backward data", missing, "diff_src", [&](pd_t *out) {
        return dnnl_inner_product_backward_data_primitive_desc_create(
            out, engine(), matrix, weights, features, nullptr, nullptr);
    });
    check_row("inner product, backward weights", missing, "src", [&](pd_t *out) {
        return dnnl_inner_product_backward_weights_primitive_desc_create(
            out, engine(), matrix, weights, nullptr, features, nullptr, nullptr);
    });
    check_row("eltwise, backward", missing, "diff_src", [&](pd_t *out) {
        return dnnl_eltwise_backward_primitive_desc_create(
            out, engine(), dnnl_eltwise_relu, open, image, image, 0, 0, nullptr, nullptr);
    });
    check_row("softmax, backward", missing, "diff_src", [&](pd_t *out) {
        return dnnl_softmax_backward_primitive_desc_create(
            out, engine(), dnnl_softmax_accurate, open, image, image, 1, nullptr, nullptr);
    });
}

BOOST_AUTO_TEST_CASE(N_16_N_17) {
    primitive_desc_owner pd;
    ok(dnnl_reorder_primitive_desc_create(
        pd.out(), plain({R, R}), engine(), tagged({R, R}, dnnl_ba), engine(), nullptr));
    const auto primitive = primitive_of(pd);
    const auto values = integers(6, 1);
    std::vector<float> turned(6, -9.0f);
    const auto src = memory_of(plain({2, 3}), values),
               dst = memory_of(tagged({2, 3}, dnnl_ba), turned.data());
    const auto other = memory_of(tagged({3, 3}, dnnl_ba));
    check_refused("N-17", execute(primitive, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, other}}), invalid,
        "DNNL_ARG_DST");
    ok(execute(primitive, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}}));
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) BOOST_TEST(turned[j * 2 + i] == values[i * 3 + j]);
}

BOOST_AUTO_TEST_CASE(N_27) {
    const auto empty = plain({0, 3}), image = plain({0, 2, 4, 4}), pooled = plain({0, 2, 2, 2});
    const auto filter = plain({2, 2, 1, 1});
    const const_dnnl_memory_desc_t srcs[] = {empty, empty};
    const float scales[] = {1, 1};
    const auto run = [](const char *row, pd_t made, std::vector<int> args) {
        const primitive_desc_owner pd(made);
        const auto primitive = primitive_of(pd);
        std::vector<memory_owner> memories;
        std::vector<dnnl_exec_arg_t> list;
        for (const int arg : args) {
            memories.push_back(
                memory_of(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg)));
            list.push_back({arg, memories.back()});
        }
        BOOST_TEST(execute(primitive, list) == dnnl_success, row << ": " << dnnl_ext_last_error());
    };
    const int multiple = DNNL_ARG_MULTIPLE_SRC;
    pd_t pd = nullptr;
    ok(dnnl_reorder_primitive_desc_create(&pd, empty, engine(), empty, engine(), nullptr));
    run("reorder", pd, {DNNL_ARG_FROM, DNNL_ARG_TO});
    ok(dnnl_eltwise_forward_primitive_desc_create(
        &pd, engine(), dnnl_forward_inference, dnnl_eltwise_relu, empty, empty, 0, 0, nullptr));
    run("eltwise", pd, {DNNL_ARG_SRC, DNNL_ARG_DST});
    ok(dnnl_sum_primitive_desc_create(&pd, engine(), nullptr, 2, scales, srcs, nullptr));
    run("sum", pd, {multiple, multiple + 1, DNNL_ARG_DST});
    ok(dnnl_concat_primitive_desc_create(&pd, engine(), nullptr, 2, 0, srcs, nullptr));
    run("concat", pd, {multiple, multiple + 1, DNNL_ARG_DST});
    ok(dnnl_pooling_forward_primitive_desc_create(&pd, engine(), dnnl_forward_inference,
        dnnl_pooling_max, image, pooled, two.data(), two.data(), zero.data(), zero.data(), nullptr,
        nullptr));
    run("pooling", pd, {DNNL_ARG_SRC, DNNL_ARG_DST});
    ok(dnnl_convolution_forward_primitive_desc_create(&pd, engine(), dnnl_forward_inference,
        dnnl_convolution_direct, image, filter, nullptr, image, one.data(), nullptr, zero.data(),
        nullptr, nullptr));
    run("convolution", pd, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST});
}

BOOST_AUTO_TEST_CASE(N_29) {
    check_row("N-29", invalid, "weights", [](pd_t *out) {
        return dnnl_convolution_forward_primitive_desc_create(out, engine(), dnnl_forward_inference,
            dnnl_convolution_direct, plain({2, 3, 4, 4}), plain({2, 3, 0, 1}), nullptr,
            plain({2, 2, 5, 4}), one.data(), nullptr, zero.data(), nullptr, nullptr);
    });
}

BOOST_AUTO_TEST_CASE(N_39) { // the engine goes first, the primitive last
    const auto src = plain({2, 3});
    const auto values = integers(6, 1);
    for (int order = 0; order < 2; ++order) {
        const traces before;
        dnnl_engine_t own = nullptr;
        dnnl_stream_t queue = nullptr;
        dnnl_memory_t memory = nullptr;
        pd_t pd = nullptr;
        dnnl_primitive_t primitive = nullptr;
        ok(dnnl_engine_create(&own, dnnl_cpu, 0));
        ok(dnnl_stream_create(&queue, own, 0));
        ok(dnnl_memory_create(&memory, src, own, DNNL_MEMORY_ALLOCATE));
        ok(dnnl_eltwise_forward_primitive_desc_create(
            &pd, own, dnnl_forward_inference, dnnl_eltwise_relu, src, src, 0, 0, nullptr));
        ok(dnnl_primitive_create(&primitive, pd));
        ok(dnnl_engine_destroy(own));
        ok(order ? dnnl_primitive_desc_destroy(pd) : dnnl_stream_destroy(queue));
        ok(order ? dnnl_stream_destroy(queue) : dnnl_primitive_desc_destroy(pd));
        ok(dnnl_primitive_destroy(primitive));
        ok(dnnl_memory_destroy(memory));
        if (order) before.check("N-39");
    }
    check_canary();
}

BOOST_AUTO_TEST_CASE(X09) { // refused where the descriptor is made
    const dims shape {4, (INT64_C(1) << 62) + 1};
    desc_owner md;
    check_refused("X09",
        dnnl_memory_desc_create_with_strides(md.out(), 2, shape.data(), dnnl_f32, nullptr), invalid,
        "dims");
}
BOOST_AUTO_TEST_CASE(X11) { // refused where the descriptor is made
    const dims shape {4, 4}, overlapping {1, 1};
    desc_owner md;
    check_refused("X11",
        dnnl_memory_desc_create_with_strides(
            md.out(), 2, shape.data(), dnnl_f32, overlapping.data()),
        invalid, "strides");
}

BOOST_AUTO_TEST_CASE(K05) {
    const auto part = plain({INT64_C(1) << 59, 1}, dnnl_u8);
    const std::vector<const_dnnl_memory_desc_t> srcs(16, part);
    check_row("K05", missing, "src_descs", [&](pd_t *out) {
        return dnnl_concat_primitive_desc_create(
            out, engine(), nullptr, static_cast<int>(srcs.size()), 0, srcs.data(), nullptr);
    });
}

BOOST_AUTO_TEST_CASE(N_23) {
    const auto any = tagged({2, 3}, dnnl_format_tag_any);
    const const_dnnl_memory_desc_t srcs[] = {any};
    const float scales[] = {1};
    check_row("N-23 any", invalid, "src_descs", [&](pd_t *out) {
        return dnnl_sum_primitive_desc_create(out, engine(), nullptr, 1, scales, srcs, nullptr);
    });
}

BOOST_AUTO_TEST_CASE(Q01_Q02_Q03_Q09) {
    const auto pd = matmul_desc(2, 3, 4);
    std::uint64_t value = 0xa5a5;
    check_refused("Q01", dnnl_primitive_desc_query(nullptr, dnnl_query_engine, 0, &value), invalid,
        "primitive_desc");
    check_refused(
        "Q02", dnnl_primitive_desc_query(pd, dnnl_query_engine, 0, nullptr), invalid, "result");
    check_refused("Q03", dnnl_primitive_desc_query(pd, static_cast<dnnl_query_t>(9999), 0, &value),
        missing, "what");
    BOOST_TEST(value == 0xa5a5u);
    BOOST_TEST(dnnl_primitive_desc_destroy(nullptr) == dnnl_success);
}

BOOST_AUTO_TEST_CASE(Z03_Z04_Z06_Z07_Z08) {
    const auto pd = matmul_desc(2, 3, 4);
    const auto made = primitive_of(pd);
    const std::uint8_t blob[16] = {7, 3, 250, 11};
    const auto marker = reinterpret_cast<dnnl_primitive_t>(std::uintptr_t {64});
    dnnl_primitive_t out = marker;
    const traces before;
    check_refused(
        "Z03", dnnl_primitive_create_from_cache_blob(&out, pd, 0, nullptr), invalid, "blob");
    check_refused(
        "Z04", dnnl_primitive_create_from_cache_blob(&out, pd, 16, blob), missing, "blob");
    check_refused("Z06", dnnl_primitive_get_cache_blob(made, nullptr, nullptr), invalid, "size");
    before.check("Z03, Z04, Z06");
    BOOST_TEST(out == marker);
    BOOST_TEST(dnnl_primitive_destroy(nullptr) == dnnl_success); // Z07
    dnnl_dim_t bytes = -1;
    ok(dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id_size_s64, 0, &bytes)); // Z08
    BOOST_TEST(bytes == 0);
}

BOOST_AUTO_TEST_CASE(X35) {
    const auto primitive = primitive_of(matmul_desc(0, 4, 3));
    const auto src = memory_of(plain({0, 3})), weights = memory_of(plain({3, 4}));
    const auto dst = memory_of(plain({0, 4}));
    ok(execute(primitive, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}));
}
