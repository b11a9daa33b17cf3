// SPDX-License-Identifier: Apache-2.0
// What is said of a problem that no row of a table takes, and that nothing of it is lost on the way
// to the caller.
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "common/c_api/guard.hpp"
#include "common/plan/implementation.hpp"
#include "dnnl/dnnl.h"

using dnnl::impl::another_direction;
using dnnl::impl::data_type;
using dnnl::impl::dim_t;
using dnnl::impl::error;
using dnnl::impl::guarded;
using dnnl::impl::implementation;
using dnnl::impl::isa;
using dnnl::impl::make_with_tag;
using dnnl::impl::matmul_desc;
using dnnl::impl::memory_desc;
using dnnl::impl::no_instructions;
using dnnl::impl::op_desc;
using dnnl::impl::refusal_of;
using dnnl::impl::with_depthwise_post_op;

namespace {

memory_desc matrix(dim_t rows, dim_t columns) {
    const dim_t dims[] {rows, columns};
    return make_with_tag(2, dims, data_type::f32, dnnl_ab);
}
op_desc product() { return matmul_desc {matrix(2, 64), matrix(64, 32), {}, matrix(2, 32)}; }

std::string refusal(
    const std::vector<implementation> &rows, const std::vector<const char *> &why_not) {
    return refusal_of(product(), rows, why_not);
}

const std::string tensors = " (src f32 ab 2x64, weights f32 ab 64x32, dst f32 ab 2x32)";

} // namespace

BOOST_AUTO_TEST_CASE(the_reference_is_heard_first) {
    BOOST_TEST(refusal({{"gemm", isa::avx512, nullptr}, {"reference", isa::none, nullptr}},
                   {"too wide", "no such thing"}) ==
               "matmul: no such thing" + tensors + "; implementation gemm: too wide");
}

BOOST_AUTO_TEST_CASE(equal_reasons_and_rows_are_told_once) {
    const std::string again = "too wide"; // another address
    BOOST_TEST(
        refusal({{"a", isa::avx512, nullptr}, {"a", isa::avx2, nullptr}, {"b", isa::avx2, nullptr},
                    {"c", isa::avx2, nullptr}, {"reference", isa::none, nullptr}},
            {"too wide", "too wide", "no such thing", again.c_str(), "no such thing"}) ==
        "matmul: no such thing" + tensors + "; implementations c, a: too wide");
}

BOOST_AUTO_TEST_CASE(absent_instruction_sets_and_other_problems_are_left_out) {
    BOOST_TEST(refusal({{"gemm", isa::amx, nullptr}, {"gemm", isa::avx512_vnni, nullptr},
                           {"gemm_weights", isa::avx2, nullptr}, {"gemm", isa::avx2, nullptr},
                           {"gemm", isa::avx2_vnni, nullptr}, {"reference", isa::none, nullptr}},
                   {no_instructions, "made for up to 8 columns", another_direction, "too wide",
                       no_instructions, "no such thing"}) ==
               "matmul: no such thing" + tensors + "; implementation gemm: too wide");
}

BOOST_AUTO_TEST_CASE(the_row_for_such_problems_is_heard_where_the_reference_is_none) {
    BOOST_TEST(refusal({{"fused", isa::avx2, nullptr}, {"reference", isa::none, nullptr}},
                   {"too wide", with_depthwise_post_op}) == "matmul: too wide" + tensors);
}

BOOST_AUTO_TEST_CASE(three_reasons_are_told) {
    BOOST_TEST(
        refusal({{"a", isa::avx2, nullptr}, {"b", isa::avx2, nullptr}, {"c", isa::avx2, nullptr},
                    {"d", isa::avx2, nullptr}, {"reference", isa::none, nullptr}},
            {"first", "second", "third", "second", "no such thing"}) ==
        "matmul: no such thing" + tensors +
            "; implementations d, b: second; "
            "implementation c: third");
}

BOOST_AUTO_TEST_CASE(a_long_reason_reaches_the_caller_whole) {
    const std::string reason(6000, 'x');
    const std::string whole =
        refusal({{"row", isa::avx512, nullptr}, {"reference", isa::none, nullptr}},
            {reason.c_str(), "no such thing"});
    BOOST_TEST(whole.ends_with("; implementation row: " + reason));
    const auto refuse = [](const std::string &text) {
        return guarded([&] { throw error(dnnl_unimplemented, text); });
    };
    BOOST_TEST(refuse(whole) == dnnl_unimplemented);
    BOOST_TEST(dnnl_ext_last_error() == whole);
    BOOST_TEST(refuse("short") == dnnl_unimplemented);
    BOOST_TEST(std::string(dnnl_ext_last_error()) == "short");
    for (const std::size_t length : {1022, 1023, 1024, 1025}) {
        const std::string text(length, 'y');
        refuse(text);
        BOOST_TEST(dnnl_ext_last_error() == text);
    }
}
