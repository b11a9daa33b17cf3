// SPDX-License-Identifier: Apache-2.0
// Iteration over implementations: each has a name of its own, computes the same, and the end of the
// list leaves the descriptor as it was.
#include <cstdlib>
#include <set>

#include "objects.hpp"

using namespace api_tests;

namespace {

std::string info(const_dnnl_primitive_desc_t pd) {
    const char *text = nullptr;
    ok(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &text));
    return text;
}

constexpr dnnl_dim_t M = 9, N = 17, K = 13;

/// dst of the matmul with the values of integers(), in the plain layouts that the caller gives.
std::vector<float> result_of(const_dnnl_primitive_desc_t pd, const_dnnl_primitive_attr_t attr) {
    const auto a = integers(M * K, 1), b = integers(K * N, 2);
    std::vector<float> c(M * N, -1.0f);
    const auto primitive = primitive_of(pd);
    const auto src = memory_of(plain({M, K}), a), weights = memory_of(plain({K, N}), b);
    const auto dst = memory_of(plain({M, N}), c);
    std::vector<dnnl_exec_arg_t> args {
        {DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}};
    const auto scratch_md = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
    memory_owner scratchpad;
    // One byte into the buffer: a user's scratchpad may lie anywhere.
    std::vector<char> buffer(dnnl_memory_desc_get_size(scratch_md) + 1);
    if (attr && buffer.size() > 1) {
        check_refused(
            "X33", execute(primitive, args), dnnl_invalid_arguments, "DNNL_ARG_SCRATCHPAD");
        scratchpad = memory_of(scratch_md, buffer.data() + 1);
        args.push_back({DNNL_ARG_SCRATCHPAD, scratchpad});
    }
    ok(execute(primitive, args));
    return c;
}
} // namespace

BOOST_AUTO_TEST_CASE(every_implementation_computes_the_same) {
    attr_owner user;
    ok(dnnl_primitive_attr_create(user.out()));
    ok(dnnl_primitive_attr_set_scratchpad_mode(user, dnnl_scratchpad_mode_user));
    const auto expected = product(integers(M * K, 1), integers(K * N, 2), M, N, K);
    const const_dnnl_primitive_attr_t modes[] = {nullptr, user};
    for (const const_dnnl_primitive_attr_t attr : modes) {
        const auto pd = matmul_desc(M, N, K, attr);
        std::set<std::string> names;
        dnnl_status_t status = dnnl_success;
        while (status == dnnl_success) {
            BOOST_TEST_CONTEXT(info(pd)) {
                BOOST_TEST(names.insert(info(pd)).second);
                BOOST_TEST(result_of(pd, attr) == expected, boost::test_tools::per_element());
            }
            status = dnnl_primitive_desc_next_impl(pd);
        }
        BOOST_TEST(status == dnnl_last_impl_reached);
        BOOST_TEST(info(pd) == "reference"); // the last one stays
        BOOST_TEST(result_of(pd, attr) == expected, boost::test_tools::per_element());
        BOOST_TEST(dnnl_primitive_desc_next_impl(pd) == dnnl_last_impl_reached);
    }
}

// Programs that walk expect one implementation of these.
BOOST_AUTO_TEST_CASE(reorder_concat_and_sum_have_one) {
    unsetenv("ONEDNN_WALK_EVERY_PRIMITIVE"); // before its first use
    const auto md = plain({3, 4});
    const const_dnnl_memory_desc_t two[] = {md, md};
    const float scales[] = {1, 2};
    primitive_desc_owner reorder, concat, sum;
    ok(dnnl_reorder_primitive_desc_create(reorder.out(), md, engine(), md, engine(), nullptr));
    ok(dnnl_concat_primitive_desc_create(concat.out(), engine(), nullptr, 2, 0, two, nullptr));
    ok(dnnl_sum_primitive_desc_create(sum.out(), engine(), md, 2, scales, two, nullptr));
    for (const primitive_desc_owner *pd : {&reorder, &concat, &sum}) {
        const std::string first = info(*pd);
        BOOST_TEST(dnnl_primitive_desc_next_impl(*pd) == dnnl_last_impl_reached);
        BOOST_TEST(info(*pd) == first);
        primitive_of(*pd);
    }
}

BOOST_AUTO_TEST_CASE(a_clone_keeps_the_position) {
    const auto pd = matmul_desc(M, N, K);
    primitive_desc_owner first, last;
    ok(dnnl_primitive_desc_clone(first.out(), pd));
    const std::string first_name = info(pd);
    while (dnnl_primitive_desc_next_impl(pd) == dnnl_success) {}
    ok(dnnl_primitive_desc_clone(last.out(), pd));
    BOOST_TEST(info(first) == first_name);
    BOOST_TEST(info(last) == info(pd));
    BOOST_TEST(dnnl_primitive_desc_next_impl(last) == dnnl_last_impl_reached);
}

BOOST_AUTO_TEST_CASE(a_primitive_keeps_its_implementation) {
    const auto pd = matmul_desc(M, N, K);
    const std::string first_name = info(pd);
    const auto primitive = primitive_of(pd);
    while (dnnl_primitive_desc_next_impl(pd) == dnnl_success) {}
    const_dnnl_primitive_desc_t kept = nullptr;
    ok(dnnl_primitive_get_primitive_desc(primitive, &kept));
    BOOST_TEST(info(kept) == first_name);
}

// Panels of more columns than the weights have would be larger than 64 bits count, although the
// weights hold nothing: rows that want them are passed over.
BOOST_AUTO_TEST_CASE(layouts_that_overflow_refuse_their_rows) {
    const dnnl_dim_t images = 17 << 20, rows = 6, length = dnnl_dim_t {1} << 33;
    primitive_desc_owner pd;
    ok(dnnl_matmul_primitive_desc_create(pd.out(), engine(), plain({images, rows, length}),
        plain({images, length, 0}), nullptr, plain({images, rows, 0}), nullptr));
    dnnl_status_t status = dnnl_success;
    while (status == dnnl_success) {
        primitive_of(pd);
        status = dnnl_primitive_desc_next_impl(pd);
    }
    BOOST_TEST(status == dnnl_last_impl_reached);
    BOOST_TEST(info(pd) == "reference");
}
