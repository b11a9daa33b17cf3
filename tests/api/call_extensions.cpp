// SPDX-License-Identifier: Apache-2.0
// Every function of dnnl_ext.h, which oneDNN's own test programs link: what it does and what it
// refuses (see call_objects.cpp).
#include <cstring>
#include <fstream>

#include "dnnl/dnnl.hpp"
#include "dnnl/dnnl_debug.h"
#include "dnnl/dnnl_ext.h"
#include "objects.hpp"

#define CALL(function) BOOST_AUTO_TEST_CASE(calls_##function)

using namespace api_tests;

namespace {

dnnl_status_t spelled(
    desc_owner &made, const dims &extents, const char *tag, dnnl_data_type_t type = dnnl_f32) {
    return dnnl_memory_desc_create_with_string_tag(
        made.out(), static_cast<int>(extents.size()), extents.data(), type, tag);
}

void check_spelled(const dims &extents, const char *tag, const_dnnl_memory_desc_t expected) {
    desc_owner made;
    ok(spelled(made, extents, tag));
    BOOST_TEST(dnnl_memory_desc_equal(made, expected) == 1, tag);
}

dnnl_dim_t block_of(const_dnnl_memory_desc_t md, int which) {
    const dnnl_dims_t *blocks = nullptr;
    ok(dnnl_memory_desc_query(md, dnnl_query_inner_blks, static_cast<void *>(&blocks)));
    return (*blocks)[which];
}

/// The bits of bf16(x) for a number that bf16 holds.
std::uint16_t bits_of(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return static_cast<std::uint16_t>(bits >> 16);
}
std::vector<std::uint16_t> halves(const std::vector<float> &values) {
    std::vector<std::uint16_t> all;
    for (float x : values) all.push_back(bits_of(x));
    return all;
}

/// A tensor full of ones, its padding included; its bytes after its padding was zeroed.
std::vector<unsigned char> padded_ones(const_dnnl_memory_desc_t md, unsigned char one) {
    std::vector<unsigned char> bytes(dnnl_memory_desc_get_size(md), one);
    const auto memory = memory_of(md, bytes.data());
    ok(dnnl_impl_zero_pad(memory, stream()));
    return bytes;
}

} // namespace

CALL(dnnl_memory_desc_create_with_string_tag) {
    check_spelled({2, 3, 4, 5}, "abcd", tagged({2, 3, 4, 5}, dnnl_abcd));
    check_spelled({2, 3, 4, 5}, "acdb", tagged({2, 3, 4, 5}, dnnl_acdb));
    check_spelled({2, 20, 4, 5}, "aBcd16b", tagged({2, 20, 4, 5}, dnnl_aBcd16b));
    check_spelled({20, 20}, "BA16a16b2a", tagged({20, 20}, dnnl_BA16a16b2a));
    check_spelled({2, 3}, "ab1b", tagged({2, 3}, dnnl_ab)); // a block of 1 is none
    desc_owner odd;                                         // blocks that no tag has
    ok(spelled(odd, {2, 20}, "aB12b", dnnl_u8));
    BOOST_TEST(dnnl_memory_desc_get_size(odd) == 2u * 24);
    BOOST_TEST(block_of(odd, 0) == 12);
}
BOOST_AUTO_TEST_CASE(wrong_string_tags) {
    for (const char *tag : {"", "a", "aa", "ac", "abc", "ab16", "ab0b", "ab16c", "ab-1b",
             "ab9999999999b", "any", "16bab"}) {
        desc_owner made;
        check_refused(tag, spelled(made, {2, 3}, tag), dnnl_invalid_arguments, "tag");
        BOOST_TEST(made == nullptr);
    }
    desc_owner made;
    check_refused("NULL", spelled(made, {2, 3}, nullptr), dnnl_invalid_arguments, "tag");
    const dnnl_dims_t two {2, 3};
    check_refused("out", dnnl_memory_desc_create_with_string_tag(nullptr, 2, two, dnnl_f32, "ab"),
        dnnl_invalid_arguments, "memory_desc");
}

CALL(dnnl_memory_desc_set_data_type) {
    const auto md = tagged({2, 20, 4, 5}, dnnl_aBcd16b);
    ok(dnnl_memory_desc_set_data_type(md, dnnl_u8));
    BOOST_TEST(dnnl_memory_desc_equal(md, tagged({2, 20, 4, 5}, dnnl_aBcd16b, dnnl_u8)) == 1);
    check_refused("type", dnnl_memory_desc_set_data_type(md, static_cast<dnnl_data_type_t>(99)),
        dnnl_invalid_arguments, "data_type");
    check_refused("NULL", dnnl_memory_desc_set_data_type(nullptr, dnnl_u8), dnnl_invalid_arguments,
        "memory_desc");
    BOOST_TEST(dnnl_memory_desc_equal(md, tagged({2, 20, 4, 5}, dnnl_aBcd16b, dnnl_u8)) == 1);
}

CALL(dnnl_impl_zero_pad) {
    // [3, 5] in blocks of 4 x 2: row r and column c lie at the places that the loop walks.
    desc_owner md;
    ok(spelled(md, {3, 5}, "AB4a2b", dnnl_u8));
    const auto bytes = padded_ones(md, 7);
    BOOST_REQUIRE(bytes.size() == 4u * 6);
    for (std::size_t block = 0; block < 3; ++block)
        for (std::size_t r = 0; r < 4; ++r)
            for (std::size_t c = 0; c < 2; ++c) {
                const bool inside = r < 3 && 2 * block + c < 5;
                BOOST_TEST(bytes[8 * block + 2 * r + c] == (inside ? 7 : 0));
            }
}
BOOST_AUTO_TEST_CASE(padding_of_halves_of_bytes) {
    desc_owner md;
    ok(spelled(md, {1, 3}, "aB4b", dnnl_u4));
    BOOST_TEST(padded_ones(md, 0xff) == (std::vector<unsigned char> {0xff, 0x0f}),
        boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(nothing_to_pad) {
    const auto bytes = padded_ones(tagged({3, 5}, dnnl_ba, dnnl_u8), 7);
    BOOST_TEST(bytes == std::vector<unsigned char>(15, 7), boost::test_tools::per_element());
    const auto empty = memory_of(tagged({3, 5, 2}, dnnl_aBc16b), DNNL_MEMORY_NONE);
    ok(dnnl_impl_zero_pad(empty, stream()));
    check_refused("NULL", dnnl_impl_zero_pad(nullptr, stream()), dnnl_invalid_arguments, "memory");
    check_refused("NULL", dnnl_impl_zero_pad(empty, nullptr), dnnl_invalid_arguments, "stream");
}
// Large enough for several threads; one float of padding in sixteen.
BOOST_AUTO_TEST_CASE(padding_of_many_pixels) {
    const auto md = tagged({2, 15, 70, 70}, dnnl_aBcd16b, dnnl_u8);
    const auto bytes = padded_ones(md, 1);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) wrong += bytes[i] != (i % 16 == 15 ? 0 : 1);
    BOOST_TEST(wrong == 0u);
}

CALL(dnnl_gemm_bf16bf16f32) {
    const auto a = integers(6, 1), b = integers(12, 2);
    std::vector<float> c(8, -1);
    ok(dnnl_gemm_bf16bf16f32(
        'N', 'N', 2, 4, 3, 1, halves(a).data(), 3, halves(b).data(), 4, 0, c.data(), 4));
    BOOST_TEST(c == product(a, b, 2, 4, 3), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(bf16_product_transposed_and_added) {
    const auto a = integers(6, 1), b = integers(12, 2);
    std::vector<float> at(6), bt(12), c(8, 3), expected = product(a, b, 2, 4, 3);
    for (std::size_t m = 0; m < 2; ++m)
        for (std::size_t k = 0; k < 3; ++k) at[k * 2 + m] = a[m * 3 + k];
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t n = 0; n < 4; ++n) bt[n * 3 + k] = b[k * 4 + n];
    for (float &x : expected) x = 2 * x + 0.5f * 3;
    ok(dnnl_gemm_bf16bf16f32(
        't', 'T', 2, 4, 3, 2, halves(at).data(), 2, halves(bt).data(), 3, 0.5f, c.data(), 4));
    BOOST_TEST(c == expected, boost::test_tools::per_element());
    check_refused("lda",
        dnnl_gemm_bf16bf16f32(
            'N', 'N', 2, 4, 3, 1, halves(a).data(), 2, halves(b).data(), 4, 0, c.data(), 4),
        dnnl_invalid_arguments, "lda");
    check_refused("NULL",
        dnnl_gemm_bf16bf16f32(
            'N', 'N', 2, 4, 3, 1, nullptr, 3, halves(b).data(), 4, 0, c.data(), 4),
        dnnl_invalid_arguments, "A");
}

CALL(dnnl_ext_release_scratchpads) {
    ok(dnnl_ext_release_scratchpads()); // with nothing to release
    const dnnl::engine eng(dnnl::engine::kind::cpu, 0);
    const dnnl::memory::desc md(
        {1024, 1024}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
    const dnnl::matmul::primitive_desc pd(eng, md, md, md);
    const std::int64_t scratchpad = pd.query_s64(dnnl::query::memory_consumption_s64);
    const dnnl::matmul product(pd);
    const dnnl::memory a(md, eng), b(md, eng), c(md, eng);
    const auto execute = [&] {
        dnnl::stream s(eng);
        product.execute(s, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
        s.wait();
    };
    const auto mapped_pages = [] {
        long pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        return pages;
    };
    for (int round = 0; round < 2; ++round) { // what was released is taken again
        execute();
        const long before = mapped_pages();
        ok(dnnl_ext_release_scratchpads());
        if (scratchpad > 2 << 20) // smaller ones are the thread's own
            BOOST_TEST(before - mapped_pages() >= scratchpad / 4096);
    }
}

CALL(dnnl_ext_stream_set_threads) {
    const dnnl::engine eng(dnnl::engine::kind::cpu, 0);
    const dnnl::stream s(eng);
    check_refused(
        "NULL", dnnl_ext_stream_set_threads(nullptr, 1), dnnl_invalid_arguments, "stream");
    if (dnnl_version()->cpu_runtime == DNNL_RUNTIME_THREADPOOL) {
        check_refused(
            "pool", dnnl_ext_stream_set_threads(s.get(), 1), dnnl_unimplemented, "stream");
        return;
    }
    ok(dnnl_ext_stream_set_threads(s.get(), 2));
    ok(dnnl_ext_stream_set_threads(s.get(), 0));
    check_refused(
        "negative", dnnl_ext_stream_set_threads(s.get(), -1), dnnl_invalid_arguments, "threads");
}

CALL(dnnl_ext_attention_primitive_desc_create) { // attention.cpp has what it computes
    const dnnl::engine eng(dnnl::engine::kind::cpu, 0);
    const dnnl::memory::desc rows({2, 5, 8}, dnnl::memory::data_type::f32, {40, 8, 1});
    const auto create = [&](dnnl_primitive_desc_t *pd, dnnl_engine_t engine, unsigned flags) {
        return dnnl_ext_attention_primitive_desc_create(pd, engine, rows.get(), rows.get(),
            rows.get(), nullptr, rows.get(), 0.5f, flags, nullptr);
    };
    dnnl_primitive_desc_t pd = nullptr;
    ok(create(&pd, eng.get(), dnnl_ext_attention_causal));
    int kind = 0;
    ok(dnnl_primitive_desc_query(pd, dnnl_query_primitive_kind, 0, &kind));
    BOOST_TEST(kind == dnnl_ext_attention);
    BOOST_TEST(dnnl_prim_kind2str(static_cast<dnnl_primitive_kind_t>(kind)) == "attention");
    ok(dnnl_primitive_desc_destroy(pd));
    check_refused("NULL", create(nullptr, eng.get(), 0), dnnl_invalid_arguments, "primitive_desc");
    check_refused("engine", create(&pd, nullptr, 0), dnnl_invalid_arguments, "engine");
    check_refused("flags", create(&pd, eng.get(), 2), dnnl_invalid_arguments, "flags");
}

CALL(dnnl_primitive_attr_set_rnn_tparams) {
    attr_owner attr;
    ok(dnnl_primitive_attr_create(attr.out()));
    const float scales[] {0.5f, 0.25f, 0.125f};
    ok(dnnl_primitive_attr_set_rnn_tparams(attr, false, 3, scales, 0));
    check_refused("test mode", dnnl_primitive_attr_set_rnn_tparams(attr, true, 3, scales, 0),
        dnnl_unimplemented, "rnn_tparams");
    check_refused("NULL", dnnl_primitive_attr_set_rnn_tparams(nullptr, false, 0, nullptr, 0),
        dnnl_invalid_arguments, "attr");
}
