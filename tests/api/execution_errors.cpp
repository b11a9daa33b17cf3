// SPDX-License-Identifier: Apache-2.0
// Arguments of an execution: what is missing, doubled, of the wrong shape or without a buffer is
// refused with a reason that names it, and the destination keeps its values.
#include "objects.hpp"

using namespace api_tests;

namespace {

constexpr dnnl_dim_t M = 4, N = 6, K = 5;

/// A matmul with its tensors, all well.
struct matmul_fixture {
    std::vector<float> a = integers(M * K, 1), b = integers(K * N, 2);
    std::vector<float> c = std::vector<float>(M * N, -7.0f);
    primitive_owner primitive = primitive_of(matmul_desc(M, N, K));
    memory_owner src = memory_of(plain({M, K}), a), weights = memory_of(plain({K, N}), b);
    memory_owner dst = memory_of(plain({M, N}), c);

    void refuses(const char *row, const std::vector<dnnl_exec_arg_t> &args, const char *named) {
        check_refused(row, execute(primitive, args), dnnl_invalid_arguments, named);
        BOOST_TEST(c == std::vector<float>(M * N, -7.0f), boost::test_tools::per_element());
    }
    std::vector<dnnl_exec_arg_t> args() const {
        return {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}};
    }
};

attr_owner new_attr() {
    attr_owner attr;
    ok(dnnl_primitive_attr_create(attr.out()));
    return attr;
}
} // namespace

BOOST_FIXTURE_TEST_CASE(calls, matmul_fixture) {
    const auto list = args();
    const dnnl_exec_arg_t *data = list.data();
    const auto status = [&](dnnl_status_t got, const char *row, const char *named) {
        check_refused(row, got, dnnl_invalid_arguments, named);
    };
    status(dnnl_primitive_execute(nullptr, stream(), 3, data), "X20", "primitive");
    status(dnnl_primitive_execute(primitive, nullptr, 3, data), "X21", "stream");
    status(dnnl_primitive_execute(primitive, stream(), -1, data), "X22", "nargs");
    status(dnnl_primitive_execute(primitive, stream(), 0, data), "X23", "DNNL_ARG_SRC");
    status(dnnl_primitive_execute(primitive, stream(), 2, nullptr), "X24", "args");
    engine_owner other;
    ok(dnnl_engine_create(other.out(), dnnl_cpu, 0));
    stream_owner foreign;
    ok(dnnl_stream_create(foreign.out(), other, dnnl_stream_default_flags));
    status(dnnl_primitive_execute(primitive, foreign, 3, data), "N-35", "stream");
    ok(execute(primitive, list));
    BOOST_TEST(c == product(a, b, M, N, K), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(arguments, matmul_fixture) {
    const auto unbacked = memory_of(plain({M, K}), DNNL_MEMORY_NONE);
    const auto small = memory_of(plain({M - 1, K})), small_dst = memory_of(plain({M, N - 1}));
    const auto with_gaps = memory_of(strided({M, K}, {K + 1, 1}));
    const auto narrow = memory_of(plain({M, K}, dnnl_bf16));
    refuses("X25", {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}}, "DNNL_ARG_DST");
    refuses("X26", {{DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}, "DNNL_ARG_SRC");
    auto list = args();
    const auto with_src = [&](dnnl_memory_t memory) {
        list[0].memory = memory;
        return list;
    };
    refuses("X27", with_src(nullptr), "DNNL_ARG_SRC");
    refuses("X28", with_src(unbacked), "DNNL_ARG_SRC");
    refuses("X31", with_src(small), "DNNL_ARG_SRC");
    refuses("layout", with_src(with_gaps), "DNNL_ARG_SRC");
    refuses("type", with_src(narrow), "DNNL_ARG_SRC");
    list = args();
    list[2].memory = small_dst;
    refuses("X32", list, "DNNL_ARG_DST");
    list = args();
    list.push_back({DNNL_ARG_SRC, src});
    refuses("X29", list, "DNNL_ARG_SRC");
    list.back() = {DNNL_ARG_WORKSPACE, small};
    ok(execute(primitive, list)); // X30: an unknown extra argument is ignored
    BOOST_TEST(c == product(a, b, M, N, K), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(attribute_arguments, matmul_fixture) {
    const auto attr = new_attr();
    ok(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 2));
    post_ops_owner ops;
    ok(dnnl_post_ops_create(ops.out()));
    ok(dnnl_post_ops_append_binary(ops, dnnl_binary_add, plain({1, N})));
    ok(dnnl_post_ops_append_prelu(ops, 2));
    ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    primitive = primitive_of(matmul_desc(M, N, K, attr));

    const std::vector<float> twos(N, 2.0f), ones(N, 1.0f);
    const auto scales = memory_of(plain({N}), twos), addend = memory_of(plain({1, N}), ones);
    const auto slopes = memory_of(plain({N}), twos);
    const auto few = memory_of(plain({N - 1})), integer = memory_of(plain({N}, dnnl_s32));
    const int scales_arg = DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS;
    const int addend_arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
    const int slopes_arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_WEIGHTS;
    auto list = args();
    refuses("X36", list, "DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS");
    list.push_back({scales_arg, few});
    refuses("N-34 few", list, "DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS");
    list.back().memory = integer;
    refuses("N-34 type", list, "DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS");
    list.back().memory = scales;
    refuses("binary", list, "DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1");
    list.push_back({addend_arg, few});
    refuses("N-34 binary few", list, "DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1");
    list.back().memory = integer;
    refuses("N-34 binary type", list, "DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1");
    list.back().memory = addend;
    refuses("prelu", list, "DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_WEIGHTS");
    list.push_back({slopes_arg, slopes});
    list.push_back({DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, few}); // N-33: not set, ignored
    ok(execute(primitive, list));
    std::vector<float> expected = product(a, b, M, N, K);
    for (float &x : expected) {
        x = 2 * x + 1;
        x = x > 0 ? x : 2 * x;
    }
    BOOST_TEST(c == expected, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(condition_of_a_select, matmul_fixture) {
    const auto attr = new_attr();
    post_ops_owner ops;
    ok(dnnl_post_ops_create(ops.out()));
    ok(dnnl_post_ops_append_binary_v2(
        ops, dnnl_binary_select, plain({1, N}), plain({M, 1}, dnnl_s8)));
    ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    primitive = primitive_of(matmul_desc(M, N, K, attr));
    std::vector<float> others(N);
    for (int n = 0; n < N; ++n) others[std::size_t(n)] = float(1000 + n);
    std::vector<std::int8_t> conditions(M);
    for (int m = 0; m < M; ++m) conditions[std::size_t(m)] = std::int8_t(m % 2 ? 0 : -128);
    const auto source = memory_of(plain({1, N}), others);
    const auto which = memory_of(plain({M, 1}, dnnl_s8), conditions.data());
    const auto few = memory_of(plain({M - 1, 1}, dnnl_s8));
    const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0);
    auto list = args();
    list.push_back({base | DNNL_ARG_SRC_1, source});
    refuses("no condition", list, "DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_2");
    list.push_back({base | DNNL_ARG_SRC_2, few});
    refuses("few", list, "DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_2");
    list.back().memory = source;
    refuses("type", list, "DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_2");
    list.back().memory = which;
    ok(execute(primitive, list));
    std::vector<float> expected = product(a, b, M, N, K);
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (conditions[i / N] == 0) expected[i] = others[i % N];
    BOOST_TEST(c == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(runtime_dims) {
    constexpr dnnl_dim_t R = DNNL_RUNTIME_DIM_VAL;
    primitive_desc_owner pd;
    ok(dnnl_matmul_primitive_desc_create(
        pd.out(), engine(), plain({R, R}), plain({R, N}), nullptr, plain({R, N}), nullptr));
    const auto primitive = primitive_of(pd);
    for (dnnl_dim_t rows : {1, 4}) {
        const auto a = integers(rows * K, 1), b = integers(K * N, 2);
        std::vector<float> c(static_cast<std::size_t>(rows * N), -7.0f);
        const auto src = memory_of(plain({rows, K}), a), weights = memory_of(plain({K, N}), b);
        const auto dst = memory_of(plain({rows, N}), c);
        const auto other_k = memory_of(plain({K + 1, N})), other_n = memory_of(plain({K, N + 1}));
        const auto run = [&](dnnl_memory_t w) {
            return execute(
                primitive, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, dst}});
        };
        check_refused("X34 K", run(other_k), dnnl_invalid_arguments, "weights");
        check_refused("X34 N", run(other_n), dnnl_invalid_arguments, "DNNL_ARG_WEIGHTS");
        ok(run(weights));
        BOOST_TEST(c == product(a, b, rows, N, K), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(empty_tensors) {
    const auto empty = primitive_of(matmul_desc(0, N, K));
    const auto nothing = memory_of(plain({0, K}), nullptr),
               no_rows = memory_of(plain({0, N}), nullptr);
    const auto weights = memory_of(plain({K, N}));
    ok(execute(
        empty, {{DNNL_ARG_SRC, nothing}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, no_rows}}));

    // An empty sum writes zeros.
    const auto summed = primitive_of(matmul_desc(M, N, 0));
    std::vector<float> c(M * N, -7.0f);
    const auto src = memory_of(plain({M, 0}), nullptr), none = memory_of(plain({0, N}), nullptr);
    const auto dst = memory_of(plain({M, N}), c);
    ok(execute(summed, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, none}, {DNNL_ARG_DST, dst}}));
    BOOST_TEST(c == std::vector<float>(M * N, 0.0f), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(missing_workspace) {
    const dims two {2, 2}, zero {0, 0};
    const auto image = plain({1, 2, 4, 4}), pooled = plain({1, 2, 2, 2});
    primitive_desc_owner forward, backward;
    ok(dnnl_pooling_forward_primitive_desc_create(forward.out(), engine(), dnnl_forward_training,
        dnnl_pooling_max, image, pooled, two.data(), two.data(), zero.data(), zero.data(), nullptr,
        nullptr));
    ok(dnnl_pooling_backward_primitive_desc_create(backward.out(), engine(), dnnl_pooling_max,
        image, pooled, two.data(), two.data(), zero.data(), zero.data(), nullptr, forward,
        nullptr));
    const auto values = integers(32, 3);
    const auto source = memory_of(image, values), result = memory_of(pooled);
    const auto gradient = memory_of(pooled), diff_src = memory_of(image);
    check_refused("N-36 forward",
        execute(primitive_of(forward), {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, result}}),
        dnnl_invalid_arguments, "DNNL_ARG_WORKSPACE");
    const auto other = memory_of(plain({1, 2, 2, 1}, dnnl_u8));
    check_refused("N-36 backward",
        execute(primitive_of(backward), {{DNNL_ARG_DIFF_DST, gradient}, {DNNL_ARG_WORKSPACE, other},
                                            {DNNL_ARG_DIFF_SRC, diff_src}}),
        dnnl_invalid_arguments, "DNNL_ARG_WORKSPACE");
}

BOOST_AUTO_TEST_CASE(early_destruction) { // N-39
    const auto a = integers(M * K, 1), b = integers(K * N, 2);
    std::vector<float> c(M * N);
    primitive_owner primitive;
    {
        auto attr = new_attr();
        auto pd = matmul_desc(M, N, K, attr);
        attr = attr_owner {};
        primitive = primitive_of(pd);
    }
    const auto src = memory_of(plain({M, K}), a), weights = memory_of(plain({K, N}), b);
    const auto dst = memory_of(plain({M, N}), c);
    ok(execute(primitive, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}));
    BOOST_TEST(c == product(a, b, M, N, K), boost::test_tools::per_element());
}
