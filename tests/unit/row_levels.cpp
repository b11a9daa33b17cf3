// SPDX-License-Identifier: Apache-2.0
// Rows without products at levels beyond AVX-512: which problems they take, and that a row gives
// the bits of the rows below it.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <string>
#include <vector>

#include "common/runtime/isa.hpp"
#include "dnnl/dnnl.hpp"

namespace {

using dnnl::memory;
using dt = memory::data_type;
using dnnl::impl::has;
using dnnl::impl::isa;

/// So that next_impl() reaches the rows of sum.
[[maybe_unused]] const int walks = setenv("ONEDNN_WALK_EVERY_PRIMITIVE", "1", 1);

const dnnl::engine &cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

dnnl::eltwise_forward::primitive_desc eltwise(dnnl::algorithm function, dt type) {
    const memory::desc md({256}, type, memory::format_tag::a);
    return {cpu(), dnnl::prop_kind::forward_inference, function, md, md, 0.5f, 0.25f};
}

/// The names of all rows that take the problem, best first.
template <class Desc> std::vector<std::string> rows_of(Desc pd) {
    std::vector<std::string> rows;
    do rows.push_back(pd.impl_info_str());
    while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
    return rows;
}

/// The rows of the levels that this process may use, as `names` lists them.
std::vector<std::string> usable(std::initializer_list<const char *> names) {
    const isa features = dnnl::impl::effective_isa();
    const auto is_usable = [&](const std::string &name) {
        const auto needs = [&](const char *suffix, isa level) {
            return !name.ends_with(suffix) || has(features, level);
        };
        return needs(":avx512_vbmi", isa::avx512_vbmi) && needs(":avx512_bf16", isa::avx512_bf16) &&
               needs(":avx512", isa::avx512) && needs(":avx2", isa::avx2) &&
               needs(":sse41", isa::sse41);
    };
    std::vector<std::string> rows;
    for (const std::string name : names)
        if (is_usable(name)) rows.push_back(name);
    return rows;
}

void check_rows(const std::vector<std::string> &rows, std::initializer_list<const char *> names) {
    const std::vector<std::string> expected = usable(names);
    BOOST_CHECK_EQUAL_COLLECTIONS(rows.begin(), rows.end(), expected.begin(), expected.end());
}

std::vector<std::uint8_t> results(
    const dnnl::eltwise_forward::primitive_desc &pd, std::vector<std::uint8_t> src) {
    std::vector<std::uint8_t> dst(256);
    dnnl::stream stream(cpu());
    const memory from(pd.src_desc(), cpu(), src.data()), to(pd.dst_desc(), cpu(), dst.data());
    dnnl::eltwise_forward(pd).execute(stream, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
    stream.wait();
    return dst;
}

constexpr dnnl::algorithm tanh_function = dnnl::algorithm::eltwise_tanh;

} // namespace

BOOST_AUTO_TEST_SUITE(row_levels)

BOOST_AUTO_TEST_CASE(eltwise_rows) {
    check_rows(rows_of(eltwise(tanh_function, dt::f32)),
        {"vector:avx512", "vector:avx2", "vector:sse41", "reference"});
    check_rows(rows_of(eltwise(tanh_function, dt::bf16)),
        {"vector:avx512_bf16", "vector:avx512", "vector:avx2", "vector:sse41", "reference"});
    check_rows(rows_of(eltwise(tanh_function, dt::s8)),
        {"table:avx512_vbmi", "vector:avx512", "vector:avx2", "vector:sse41", "reference"});
}

BOOST_AUTO_TEST_CASE(binary_and_sum_rows) {
    const memory::desc bf16s({4, 64}, dt::bf16, memory::format_tag::ab);
    const memory::desc f32s({4, 64}, dt::f32, memory::format_tag::ab);
    const auto add = dnnl::algorithm::binary_add;
    check_rows(rows_of(dnnl::binary::primitive_desc(cpu(), add, bf16s, bf16s, bf16s)),
        {"vector:avx512_bf16", "vector:avx512", "vector:avx2", "reference"});
    const memory::desc apart({4, 64}, dt::bf16, memory::dims {128, 2});
    check_rows(rows_of(dnnl::binary::primitive_desc(cpu(), add, apart, bf16s, bf16s)),
        {"vector:avx512", "vector:avx2", "reference"});
    check_rows(rows_of(dnnl::binary::primitive_desc(cpu(), add, bf16s, f32s, bf16s)),
        {"vector:avx512", "vector:avx2", "reference"});
    check_rows(rows_of(dnnl::sum::primitive_desc(cpu(), bf16s, {1, 1}, {bf16s, bf16s})),
        {"vector:avx512_bf16", "vector:avx512", "vector:avx2", "reference"});
    check_rows(rows_of(dnnl::sum::primitive_desc(cpu(), bf16s, {2, 1}, {bf16s, bf16s})),
        {"vector:avx512", "vector:avx2", "reference"});
}

BOOST_AUTO_TEST_CASE(normalization_rows) {
    const auto batch = [](memory::format_tag layout) {
        const memory::desc md({2, 32, 8, 8}, dt::bf16, layout);
        return rows_of(dnnl::batch_normalization_forward::primitive_desc(cpu(),
            dnnl::prop_kind::forward_training, md, md, 1e-5f, dnnl::normalization_flags::none));
    };
    check_rows(batch(memory::format_tag::nhwc),
        {"vector:avx512_bf16", "vector:avx512", "vector:avx2", "reference"});
    check_rows(batch(memory::format_tag::nchw), {"vector:avx512", "vector:avx2", "reference"});
    const memory::desc rows({8, 128}, dt::bf16, memory::format_tag::ab);
    check_rows(
        rows_of(dnnl::layer_normalization_forward::primitive_desc(cpu(),
            dnnl::prop_kind::forward_training, rows, rows, 1e-5f, dnnl::normalization_flags::none)),
        {"vector:avx512_bf16", "vector:avx512", "vector:avx2", "reference"});
}

BOOST_AUTO_TEST_CASE(table_has_the_functions_of_the_next_row) {
    if (!has(dnnl::impl::effective_isa(), isa::avx512_vbmi)) {
        BOOST_TEST_MESSAGE("skipped: the CPU or its cap lacks AVX512_VBMI");
        return;
    }
    std::vector<std::uint8_t> codes(256);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i * 37);
    for (const dnnl::algorithm function : {dnnl::algorithm::eltwise_relu, tanh_function,
             dnnl::algorithm::eltwise_linear, dnnl::algorithm::eltwise_exp,
             dnnl::algorithm::eltwise_gelu_erf, dnnl::algorithm::eltwise_sqrt})
        for (const dt type : {dt::s8, dt::u8}) {
            auto pd = eltwise(function, type);
            BOOST_TEST_REQUIRE(pd.impl_info_str() == std::string("table:avx512_vbmi"));
            const auto by_table = results(pd, codes);
            BOOST_TEST_REQUIRE(pd.next_impl());
            const auto by_vectors = results(pd, codes);
            BOOST_CHECK_EQUAL_COLLECTIONS(
                by_table.begin(), by_table.end(), by_vectors.begin(), by_vectors.end());
        }
}

BOOST_AUTO_TEST_SUITE_END()
