// SPDX-License-Identifier: Apache-2.0
// N-44: every allocation of every call fails in turn, once or from then on. The call succeeds all
// the same or answers out_of_memory; its output stays untouched, nothing is left behind and the
// library goes on working.
#include <climits>

#include "objects.hpp"

using namespace api_tests;

namespace {

const dims one {1, 1}, two {2, 2}, zero {0, 0};

/// A primitive with attributes where it takes some, and what its execution needs.
struct scenario {
    const char *name;
    dnnl_status_t (*create)(dnnl_primitive_desc_t *out);
    std::vector<int> args;
};

/// Relu and addition of a vector along the last dimension but `trailing`.
attr_owner with_post_ops(const dims &addend) {
    attr_owner attr;
    post_ops_owner ops;
    ok(dnnl_primitive_attr_create(attr.out()));
    ok(dnnl_post_ops_create(ops.out()));
    ok(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
    ok(dnnl_post_ops_append_binary(ops, dnnl_binary_add, plain(addend)));
    ok(dnnl_primitive_attr_set_post_ops(attr, ops));
    return attr;
}
constexpr int addend_arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1;

/// Objects that a creation takes; made before any allocation fails.
struct inputs {
    desc_owner image = plain({2, 16, 6, 6}), any_image = tagged({2, 16, 6, 6}, dnnl_format_tag_any);
    desc_owner filter = tagged({16, 16, 3, 3}, dnnl_format_tag_any), bias = plain({16});
    desc_owner a = plain({33, 40}), b = plain({40, 50}), c = plain({33, 50}), row = plain({1, 50});
    desc_owner features = plain({2, 12}), fc_weights = plain({12, 16, 6, 6}),
               pooled = plain({2, 16, 3, 3});
    desc_owner transposed = tagged({33, 40}, dnnl_ba), tall = plain({66, 40});
    attr_owner pixels = with_post_ops({1, 16, 1, 1}), columns = with_post_ops({1, 50});
};
const inputs &in() {
    static const inputs made;
    return made;
}
/// A factory: reads the inputs, makes the descriptor.
using factory = dnnl_status_t (*)(dnnl_primitive_desc_t *);

const factory convolution = [](dnnl_primitive_desc_t *out) {
    return dnnl_convolution_forward_primitive_desc_create(out, engine(), dnnl_forward_inference,
        dnnl_convolution_direct, in().any_image, in().filter, in().bias, in().any_image, one.data(),
        zero.data(), one.data(), one.data(), in().pixels);
};
const factory convolution_data = [](dnnl_primitive_desc_t *out) {
    return dnnl_convolution_backward_data_primitive_desc_create(out, engine(),
        dnnl_convolution_direct, in().image, in().filter, in().image, one.data(), zero.data(),
        one.data(), one.data(), nullptr, nullptr);
};
const factory convolution_weights = [](dnnl_primitive_desc_t *out) {
    return dnnl_convolution_backward_weights_primitive_desc_create(out, engine(),
        dnnl_convolution_direct, in().image, in().filter, in().bias, in().image, one.data(),
        zero.data(), one.data(), one.data(), nullptr, nullptr);
};
const factory matmul = [](dnnl_primitive_desc_t *out) {
    return dnnl_matmul_primitive_desc_create(
        out, engine(), in().a, in().b, in().row, in().c, in().columns);
};
const factory inner_product = [](dnnl_primitive_desc_t *out) {
    return dnnl_inner_product_forward_primitive_desc_create(out, engine(), dnnl_forward_inference,
        in().image, in().fc_weights, nullptr, in().features, nullptr);
};
const factory pooling = [](dnnl_primitive_desc_t *out) {
    return dnnl_pooling_forward_primitive_desc_create(out, engine(), dnnl_forward_training,
        dnnl_pooling_max, in().image, in().pooled, two.data(), two.data(), zero.data(), zero.data(),
        zero.data(), nullptr);
};
const factory eltwise = [](dnnl_primitive_desc_t *out) {
    return dnnl_eltwise_forward_primitive_desc_create(out, engine(), dnnl_forward_inference,
        dnnl_eltwise_tanh, in().image, in().image, 0, 0, nullptr);
};
const factory softmax = [](dnnl_primitive_desc_t *out) {
    return dnnl_softmax_forward_primitive_desc_create(out, engine(), dnnl_forward_inference,
        dnnl_softmax_accurate, in().image, in().image, 1, nullptr);
};
const factory binary = [](dnnl_primitive_desc_t *out) {
    return dnnl_binary_primitive_desc_create(
        out, engine(), dnnl_binary_mul, in().c, in().row, in().c, in().columns);
};
const factory reorder = [](dnnl_primitive_desc_t *out) {
    return dnnl_reorder_primitive_desc_create(
        out, in().a, engine(), in().transposed, engine(), nullptr);
};
const factory sum = [](dnnl_primitive_desc_t *out) {
    const float scales[] = {1, 2};
    const const_dnnl_memory_desc_t srcs[] = {in().a, in().a};
    return dnnl_sum_primitive_desc_create(out, engine(), nullptr, 2, scales, srcs, nullptr);
};
const factory concat = [](dnnl_primitive_desc_t *out) {
    const const_dnnl_memory_desc_t srcs[] = {in().a, in().a};
    return dnnl_concat_primitive_desc_create(out, engine(), nullptr, 2, 0, srcs, nullptr);
};
const factory refused = [](dnnl_primitive_desc_t *out) { // its reason is text on the heap
    return dnnl_matmul_primitive_desc_create(
        out, engine(), in().a, in().a, nullptr, in().c, nullptr);
};
const int multiple = DNNL_ARG_MULTIPLE_SRC;

const scenario scenarios[] = {
    {"convolution", convolution,
        {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST, addend_arg}},
    {"convolution, backward data", convolution_data,
        {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC}},
    {"convolution, backward weights", convolution_weights,
        {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_BIAS}},
    {"matmul", matmul, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST, addend_arg}},
    {"inner product", inner_product, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}},
    {"pooling", pooling, {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WORKSPACE}},
    {"eltwise", eltwise, {DNNL_ARG_SRC, DNNL_ARG_DST}},
    {"softmax", softmax, {DNNL_ARG_SRC, DNNL_ARG_DST}},
    {"binary", binary, {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_DST, addend_arg}},
    {"reorder", reorder, {DNNL_ARG_FROM, DNNL_ARG_TO}},
    {"sum", sum, {multiple, multiple + 1, DNNL_ARG_DST}},
    {"concat", concat, {multiple, multiple + 1, DNNL_ARG_DST}},
};

/// Points at which an allocation failed, over all calls.
long points = 0;

/// Runs call() with the n-th allocation failing, for n = 0, 1, ... until none fails any more.
/// clean(status) releases what a success made and reports an output touched by a failure.
template <class Call, class Clean>
void fail_everywhere(const std::string &row, dnnl_status_t expected, Call call, Clean clean) {
    constexpr long once = 1, always = LONG_MAX;
    for (const long failures : {once, always}) {
        for (long n = 0;; ++n) {
            BOOST_REQUIRE_MESSAGE(n < 10000, row << ": there is no end of allocations");
            const long before = heap::live_blocks();
            heap::fail_after(n, failures);
            const dnnl_status_t status = call();
            const long failed = heap::stop_failing();
            clean(status);
            const long after = heap::live_blocks();
            BOOST_CHECK_MESSAGE(status == expected || (failed && status == dnnl_out_of_memory),
                row << ", allocation " << n << ": status " << status << ": "
                    << dnnl_ext_last_error());
            BOOST_CHECK_MESSAGE(after == before,
                row << ", allocation " << n << ": " << after - before << " blocks were left");
            if (failed == 0) break;
            ++points;
            if (n % 8 == 0) check_canary();
        }
    }
    check_canary();
}

/// Calls create(out) for a handle of any kind.
template <class Handle, class Create>
void fail_creation(const std::string &row, dnnl_status_t expected, Create create,
    dnnl_status_t (*destroy)(Handle)) {
    const auto marker = reinterpret_cast<Handle>(std::uintptr_t {64});
    Handle out = marker;
    const auto clean = [&](dnnl_status_t status) {
        if (status == dnnl_success)
            destroy(out);
        else
            BOOST_CHECK_MESSAGE(out == marker, row << ": the output was touched");
        out = marker;
    };
    clean(create(&out)); // the process keeps what the first call of its kind makes
    fail_everywhere(
        row, expected, [&] { return create(&out); }, clean);
}

/// Memories for all arguments of a primitive.
struct execution {
    std::vector<memory_owner> memories;
    std::vector<dnnl_exec_arg_t> args;
    execution(const_dnnl_primitive_desc_t pd, const std::vector<int> &indices) {
        for (const int arg : indices) {
            memories.push_back(
                memory_of(dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg)));
            args.push_back({arg, memories.back()});
        }
    }
};

} // namespace

#define N_44(name) BOOST_AUTO_TEST_CASE(name, *boost::unit_test::precondition(heap::watched))

N_44(primitives) {
    for (const scenario &s : scenarios) {
        const std::string name = s.name;
        fail_creation<dnnl_primitive_desc_t>(
            name + " descriptor", dnnl_success, s.create, dnnl_primitive_desc_destroy);
        primitive_desc_owner pd;
        ok(s.create(pd.out()));
        fail_creation<dnnl_primitive_desc_t>(
            name + " clone", dnnl_success,
            [&](dnnl_primitive_desc_t *out) { return dnnl_primitive_desc_clone(out, pd); },
            dnnl_primitive_desc_destroy);
        fail_creation<dnnl_primitive_t>(
            name + " primitive", dnnl_success,
            [&](dnnl_primitive_t *out) { return dnnl_primitive_create(out, pd); },
            dnnl_primitive_destroy);
        const auto primitive = primitive_of(pd);
        const execution run(pd, s.args);
        ok(execute(primitive, run.args));
        fail_everywhere(
            name + " execution", dnnl_success,
            [&] {
                return dnnl_primitive_execute(
                    primitive, stream(), static_cast<int>(run.args.size()), run.args.data());
            },
            [](dnnl_status_t) {});
    }
    BOOST_TEST_MESSAGE(points << " failed allocations");
    BOOST_TEST(points > 100);
}

N_44(scratchpad_of_a_new_size) { // an arena that must grow, on every attempt
    dnnl_dim_t K = 64;
    const auto grown = [&] {
        K += 64;
        const auto pd = matmul_desc(48, 256, K);
        const auto primitive = primitive_of(pd);
        const execution run(pd, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST});
        for (const long failures : {1L, 0L}) {
            heap::fail_after(0, failures);
            const dnnl_status_t status = dnnl_primitive_execute(
                primitive, stream(), static_cast<int>(run.args.size()), run.args.data());
            const long failed = heap::stop_failing();
            BOOST_TEST((status == dnnl_success || (failed && status == dnnl_out_of_memory)));
        }
    };
    for (int i = 0; i < 8; ++i) grown();
    check_canary();
}

N_44(large_scratchpads) { // from the pool of the process, which must grow, too
    for (const dnnl_dim_t K : {2048, 4096}) {
        const auto pd = matmul_desc(128, 512, K);
        const auto primitive = primitive_of(pd);
        const execution run(pd, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST});
        const long before = points;
        fail_everywhere(
            "large scratchpad", dnnl_success,
            [&] {
                return dnnl_primitive_execute(
                    primitive, stream(), static_cast<int>(run.args.size()), run.args.data());
            },
            [](dnnl_status_t) {});
        BOOST_TEST(points > before);
    }
}

N_44(refusals) { // without memory for the reason the status may be out_of_memory
    fail_creation<dnnl_primitive_desc_t>(
        "refusal", dnnl_invalid_arguments, refused, dnnl_primitive_desc_destroy);
}

N_44(iteration) {
    primitive_desc_owner fresh;
    ok(matmul(fresh.out()));
    primitive_desc_owner pd;
    ok(dnnl_primitive_desc_clone(pd.out(), fresh));
    const auto again = [&](dnnl_status_t) {
        pd = primitive_desc_owner {};
        ok(dnnl_primitive_desc_clone(pd.out(), fresh));
    };
    fail_everywhere(
        "next_impl", dnnl_success, [&] { return dnnl_primitive_desc_next_impl(pd); }, again);
}

N_44(small_objects) {
    const auto md = plain({2, 3});
    fail_creation<dnnl_engine_t>(
        "engine", dnnl_success,
        [](dnnl_engine_t *out) { return dnnl_engine_create(out, dnnl_cpu, 0); },
        dnnl_engine_destroy);
    fail_creation<dnnl_stream_t>(
        "stream", dnnl_success,
        [](dnnl_stream_t *out) { return dnnl_stream_create(out, engine(), 1); },
        dnnl_stream_destroy);
    fail_creation<dnnl_memory_desc_t>(
        "descriptor", dnnl_success,
        [&](dnnl_memory_desc_t *out) { return dnnl_memory_desc_clone(out, md); },
        dnnl_memory_desc_destroy);
    const int swapped[] = {1, 0};
    fail_creation<dnnl_memory_desc_t>(
        "permutation", dnnl_success,
        [&](dnnl_memory_desc_t *out) { return dnnl_memory_desc_permute_axes(out, md, swapped); },
        dnnl_memory_desc_destroy);
    fail_creation<dnnl_memory_t>(
        "memory", dnnl_success,
        [&](dnnl_memory_t *out) {
            return dnnl_memory_create(out, md, engine(), DNNL_MEMORY_ALLOCATE);
        },
        dnnl_memory_destroy);
    fail_creation<dnnl_primitive_attr_t>(
        "attributes", dnnl_success,
        [](dnnl_primitive_attr_t *out) { return dnnl_primitive_attr_clone(out, in().pixels); },
        dnnl_primitive_attr_destroy);
    fail_creation<dnnl_post_ops_t>(
        "post-ops", dnnl_success, [](dnnl_post_ops_t *out) { return dnnl_post_ops_create(out); },
        dnnl_post_ops_destroy);
}

N_44(setters) {
    const auto md = plain({2, 3}), mask = plain({2, 3}, dnnl_u8);
    const std::vector<float> factors(64, 1.0f);
    attr_owner attr;
    post_ops_owner ops;
    const auto fresh = [&](dnnl_status_t) {
        attr = attr_owner {};
        ops = post_ops_owner {};
        ok(dnnl_primitive_attr_create(attr.out()));
        ok(dnnl_post_ops_create(ops.out()));
    };
    const auto check = [&](const char *row, const std::function<dnnl_status_t()> &call) {
        fresh(dnnl_success);
        fail_everywhere(row, dnnl_success, call, fresh);
    };
    check("append_binary", [&] { return dnnl_post_ops_append_binary(ops, dnnl_binary_add, md); });
    const auto condition = plain({2, 1}, dnnl_s8);
    check("append_binary_v2",
        [&] { return dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, md, condition); });
    check("append_sum", [&] { return dnnl_post_ops_append_sum(ops, 1, 0, dnnl_f32); });
    check("set_scales", [&] { return dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0); });
    check("set_post_ops", [&] { return dnnl_primitive_attr_set_post_ops(attr, ops); });
    check("set_dropout", [&] { return dnnl_primitive_attr_set_dropout(attr, mask); });
    check("rnn qparams",
        [&] { return dnnl_primitive_attr_set_rnn_weights_qparams(attr, 64, 1, factors.data()); });
}

N_44(products) {
    const auto a = integers(96 * 70, 1), b = integers(70 * 130, 2);
    std::vector<float> c(96 * 130);
    const auto call = [&] {
        return dnnl_sgemm('N', 'N', 96, 130, 70, 1, a.data(), 70, b.data(), 130, 0, c.data(), 130);
    };
    ok(call());
    fail_everywhere("sgemm", dnnl_success, call, [](dnnl_status_t) {});
}
