// SPDX-License-Identifier: Apache-2.0
// Descriptors in words.
#include <boost/test/unit_test.hpp>

#include <vector>

#include "common/descriptors/describe.hpp"

using dnnl::impl::data_type;
using dnnl::impl::describe;
using dnnl::impl::dim_t;
using dnnl::impl::make_with_strides;
using dnnl::impl::make_with_tag;
using dnnl::impl::memory_desc;
using dnnl::impl::runtime_dim;
using dnnl::impl::submemory;

namespace {
using list = std::vector<dim_t>;

memory_desc tagged(const list &dims, dnnl_format_tag_t tag, data_type type = data_type::f32) {
    return make_with_tag(static_cast<int>(dims.size()), dims.data(), type, tag);
}
memory_desc strided(const list &dims, const list &strides) {
    return make_with_strides(
        static_cast<int>(dims.size()), dims.data(), data_type::f32, strides.data());
}
} // namespace

BOOST_AUTO_TEST_CASE(layouts_without_gaps) {
    BOOST_TEST(describe(tagged({64, 32}, dnnl_ab)) == "f32 ab 64x32");
    BOOST_TEST(describe(tagged({64, 32}, dnnl_ba, data_type::bf16)) == "bf16 ba 64x32");
    BOOST_TEST(describe(tagged({16}, dnnl_a, data_type::s8)) == "s8 a 16");
    BOOST_TEST(describe(tagged({2, 17, 3, 4}, dnnl_aBcd16b)) == "f32 aBcd16b 2x17x3x4");
    BOOST_TEST(describe(tagged({2, 1, 3}, dnnl_acb)) == "f32 acb 2x1x3");
    BOOST_TEST(describe(tagged({0, 3}, dnnl_ab)) == "f32 ab 0x3");
    BOOST_TEST(describe(tagged({2, 3}, dnnl_format_tag_any)) == "f32 any 2x3");
    BOOST_TEST(describe(memory_desc {}) == "empty");
}

BOOST_AUTO_TEST_CASE(gaps_and_offsets) {
    BOOST_TEST(describe(strided({64, 32}, {1, 70})) == "f32 ba 64x32 strides 1x70");
    BOOST_TEST(describe(strided({64, 32}, {0, 1})) == "f32 ba 64x32 strides 0x1");
    const dim_t half[] = {32, 32}, middle[] = {32, 0};
    BOOST_TEST(
        describe(submemory(tagged({64, 32}, dnnl_ab), half, middle)) == "f32 ab 32x32 offset 1024");
}

BOOST_AUTO_TEST_CASE(what_is_known_at_execution_only) {
    BOOST_TEST(describe(tagged({runtime_dim, 32}, dnnl_ab)) == "f32 ab *x32");
    BOOST_TEST(describe(tagged({runtime_dim, runtime_dim}, dnnl_ab)) == "f32 ab *x*");
    BOOST_TEST(describe(tagged({runtime_dim, runtime_dim}, dnnl_ba)) == "f32 ba *x*");
    BOOST_TEST(describe(strided({runtime_dim, 4}, {runtime_dim, 2})) == "f32 ab *x4 strides *x2");
    memory_desc moved = tagged({4, 4}, dnnl_ab);
    moved.offset0 = runtime_dim;
    BOOST_TEST(describe(moved) == "f32 ab 4x4 offset *");
}

BOOST_AUTO_TEST_CASE(appended_sums) {
    memory_desc packed = tagged({128, 64}, dnnl_BA16a32b4a, data_type::s8);
    packed.column_sums_mask = 2;
    BOOST_TEST(describe(packed) == "s8 BA16a32b4a 128x64 with column sums");
}

BOOST_AUTO_TEST_CASE(operations_and_arguments) {
    using namespace dnnl::impl;
    const memory_desc a = tagged({2, 64}, dnnl_ab), c = tagged({2, 64}, dnnl_format_tag_any);
    BOOST_TEST(describe(matmul_desc {a, tagged({64, 64}, dnnl_ba), {}, c}) ==
               "src f32 ab 2x64, weights f32 ba 64x64, dst f32 any 2x64");
    BOOST_TEST(describe(sum_desc {{a, a}, {1, 1}, c}) ==
               "src0 f32 ab 2x64, src1 f32 ab 2x64, dst f32 any 2x64");
    binary_desc binary;
    binary.src0 = binary.src1 = binary.dst = a;
    BOOST_TEST(describe(binary) == "src0 f32 ab 2x64, src1 f32 ab 2x64, dst f32 ab 2x64");
    inner_product_desc gradient;
    gradient.prop = dnnl_backward_weights;
    gradient.src = gradient.dst = gradient.weights = a;
    BOOST_TEST(
        describe(gradient) == "src f32 ab 2x64, diff_dst f32 ab 2x64, diff_weights f32 ab 2x64");
    BOOST_TEST(text_of(DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS) ==
               "DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS");
}
