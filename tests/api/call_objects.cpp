// SPDX-License-Identifier: Apache-2.0
// Every function about engines, streams, descriptors, memory and services, called once as its row
// of the specification says. A test case is named after its function; scripts/check_calls.py
// compares the names with the list of exported functions.
#define DNNL_EXPERIMENTAL_PROFILING // declares the two profiling functions
#include <cstring>

#include "dnnl/dnnl_debug.h"
#include "objects.hpp"

#define CALL(function) BOOST_AUTO_TEST_CASE(calls_##function)

using namespace api_tests;

namespace {
bool same(const char *text, const char *expected) { return std::strcmp(text, expected) == 0; }

std::vector<float> numbers {1, 2, 3, 4, 5, 6};
} // namespace

// ---- Engine and stream ----

CALL(dnnl_engine_get_count) {
    BOOST_TEST(dnnl_engine_get_count(dnnl_cpu) == 1u);
    BOOST_TEST(dnnl_engine_get_count(dnnl_gpu) == 0u);
}
CALL(dnnl_engine_create) {
    engine_owner made;
    ok(dnnl_engine_create(made.out(), dnnl_cpu, 0));
    BOOST_TEST(made != nullptr);
}
CALL(dnnl_engine_get_kind) {
    dnnl_engine_kind_t kind = dnnl_any_engine;
    ok(dnnl_engine_get_kind(engine(), &kind));
    BOOST_TEST(kind == dnnl_cpu);
}
CALL(dnnl_engine_destroy) { ok(dnnl_engine_destroy(nullptr)); }
CALL(dnnl_stream_create) {
    stream_owner made;
    ok(dnnl_stream_create(made.out(), engine(), dnnl_stream_out_of_order));
    BOOST_TEST(made != nullptr);
}
CALL(dnnl_stream_get_engine) {
    dnnl_engine_t of_stream = nullptr;
    ok(dnnl_stream_get_engine(stream(), &of_stream));
    BOOST_TEST(of_stream == engine());
}
CALL(dnnl_stream_wait) { ok(dnnl_stream_wait(stream())); }
CALL(dnnl_stream_destroy) { ok(dnnl_stream_destroy(nullptr)); }

// ---- Memory descriptors ----

CALL(dnnl_memory_desc_create_with_strides) {
    const auto md = strided({2, 3}, {1, 2});
    BOOST_TEST(dnnl_memory_desc_get_size(md) == 24u);
}
CALL(dnnl_memory_desc_create_with_tag) {
    const auto md = tagged({2, 3, 4, 5}, dnnl_nChw16c);
    BOOST_TEST(dnnl_memory_desc_get_size(md) == 4u * 2 * 16 * 4 * 5);
}
CALL(dnnl_memory_desc_destroy) { ok(dnnl_memory_desc_destroy(nullptr)); }
CALL(dnnl_memory_desc_clone) {
    const auto md = plain({2, 3});
    desc_owner copy;
    ok(dnnl_memory_desc_clone(copy.out(), md));
    BOOST_TEST(dnnl_memory_desc_equal(copy, md) == 1);
}
CALL(dnnl_memory_desc_get_blob) {
    size_t size = 0;
    ok(dnnl_memory_desc_get_blob(nullptr, &size, plain({2, 3})));
    BOOST_TEST(size > 0u);
}
CALL(dnnl_memory_desc_create_with_blob) {
    const auto md = tagged({2, 3, 4, 5}, dnnl_nhwc, dnnl_bf16);
    size_t size = 0;
    ok(dnnl_memory_desc_get_blob(nullptr, &size, md));
    std::vector<std::uint8_t> blob(size);
    ok(dnnl_memory_desc_get_blob(blob.data(), &size, md));
    desc_owner back;
    ok(dnnl_memory_desc_create_with_blob(back.out(), blob.data()));
    BOOST_TEST(dnnl_memory_desc_equal(back, md) == 1);
}
CALL(dnnl_memory_desc_create_submemory) {
    const dims extents {1, 2}, offsets {1, 1};
    desc_owner part;
    ok(dnnl_memory_desc_create_submemory(
        part.out(), plain({2, 3}), extents.data(), offsets.data()));
    dnnl_dim_t offset = 0;
    ok(dnnl_memory_desc_query(part, dnnl_query_submemory_offset_s64, &offset));
    BOOST_TEST(offset == 4);
}
CALL(dnnl_memory_desc_reshape) {
    const dims extents {3, 2};
    desc_owner reshaped;
    ok(dnnl_memory_desc_reshape(reshaped.out(), plain({2, 3}), 2, extents.data()));
    BOOST_TEST(dnnl_memory_desc_equal(reshaped, plain({3, 2})) == 1);
}
CALL(dnnl_memory_desc_permute_axes) {
    const int permutation[] {1, 0};
    desc_owner permuted;
    ok(dnnl_memory_desc_permute_axes(permuted.out(), plain({2, 3}), permutation));
    BOOST_TEST(dnnl_memory_desc_equal(permuted, strided({3, 2}, {1, 3})) == 1);
}
CALL(dnnl_memory_desc_query) {
    dnnl_data_type_t type = dnnl_data_type_undef;
    ok(dnnl_memory_desc_query(plain({2, 3}, dnnl_s8), dnnl_query_data_type, &type));
    BOOST_TEST(type == dnnl_s8);
}
CALL(dnnl_memory_desc_equal) {
    BOOST_TEST(dnnl_memory_desc_equal(plain({2, 3}), plain({2, 3})) == 1);
    BOOST_TEST(dnnl_memory_desc_equal(plain({2, 3}), plain({3, 2})) == 0);
}
CALL(dnnl_memory_desc_get_size) {
    BOOST_TEST(dnnl_memory_desc_get_size(plain({2, 3}, dnnl_u8)) == 6u);
}
CALL(dnnl_data_type_size) { BOOST_TEST(dnnl_data_type_size(dnnl_f64) == 8u); }

// ---- Memory ----

CALL(dnnl_memory_create) { BOOST_TEST(memory_of(plain({2, 3})) != nullptr); }
CALL(dnnl_memory_get_memory_desc) {
    const auto memory = memory_of(plain({2, 3}));
    const_dnnl_memory_desc_t md = nullptr;
    ok(dnnl_memory_get_memory_desc(memory, &md));
    BOOST_TEST(dnnl_memory_desc_equal(md, plain({2, 3})) == 1);
}
CALL(dnnl_memory_get_engine) {
    const auto memory = memory_of(plain({2, 3}));
    dnnl_engine_t of_memory = nullptr;
    ok(dnnl_memory_get_engine(memory, &of_memory));
    BOOST_TEST(of_memory == engine());
}
CALL(dnnl_memory_map_data) {
    const auto memory = memory_of(plain({2, 3}), numbers);
    void *mapped = nullptr;
    ok(dnnl_memory_map_data(memory, &mapped));
    BOOST_TEST(mapped == numbers.data());
}
CALL(dnnl_memory_unmap_data) {
    const auto memory = memory_of(plain({2, 3}), numbers);
    ok(dnnl_memory_unmap_data(memory, numbers.data()));
}
CALL(dnnl_memory_get_data_handle) {
    const auto memory = memory_of(plain({2, 3}), numbers);
    void *handle = nullptr;
    ok(dnnl_memory_get_data_handle(memory, &handle));
    BOOST_TEST(handle == numbers.data());
}
CALL(dnnl_memory_set_data_handle) {
    const auto memory = memory_of(plain({2, 3}), DNNL_MEMORY_NONE);
    ok(dnnl_memory_set_data_handle(memory, numbers.data()));
    void *handle = nullptr;
    ok(dnnl_memory_get_data_handle(memory, &handle));
    BOOST_TEST(handle == numbers.data());
}
CALL(dnnl_memory_destroy) { ok(dnnl_memory_destroy(nullptr)); }

// ---- Services ----

CALL(dnnl_get_default_fpmath_mode) {
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_any;
    ok(dnnl_get_default_fpmath_mode(&mode));
    BOOST_TEST(mode == dnnl_fpmath_mode_strict);
}
CALL(dnnl_set_default_fpmath_mode) {
    ok(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_bf16));
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_any;
    ok(dnnl_get_default_fpmath_mode(&mode));
    BOOST_TEST(mode == dnnl_fpmath_mode_bf16);
    ok(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict));
}
CALL(dnnl_set_verbose) { ok(dnnl_set_verbose(0)); }
CALL(dnnl_version) {
    BOOST_TEST(dnnl_version()->major == DNNL_VERSION_MAJOR);
    BOOST_TEST(dnnl_version()->cpu_runtime == unsigned(DNNL_CPU_RUNTIME));
}
CALL(dnnl_get_primitive_cache_capacity) {
    int capacity = -1;
    ok(dnnl_get_primitive_cache_capacity(&capacity));
    BOOST_TEST(capacity >= 0);
}
CALL(dnnl_set_primitive_cache_capacity) {
    int before = -1, after = -1;
    ok(dnnl_get_primitive_cache_capacity(&before));
    ok(dnnl_set_primitive_cache_capacity(17));
    ok(dnnl_get_primitive_cache_capacity(&after));
    BOOST_TEST(after == 17);
    ok(dnnl_set_primitive_cache_capacity(before));
}
CALL(dnnl_set_jit_dump) { ok(dnnl_set_jit_dump(0)); }
CALL(dnnl_set_jit_profiling_flags) {
    BOOST_TEST(dnnl_set_jit_profiling_flags(0xffff) == dnnl_invalid_arguments);
    ok(dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_NONE));
}
CALL(dnnl_set_jit_profiling_jitdumpdir) { ok(dnnl_set_jit_profiling_jitdumpdir(nullptr)); }
CALL(dnnl_get_effective_cpu_isa) {
    BOOST_TEST(!same(dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa()), "unknown cpu_isa"));
}
CALL(dnnl_set_max_cpu_isa) { // the question above was its last chance
    dnnl_get_effective_cpu_isa();
    BOOST_TEST(dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2) == dnnl_invalid_arguments);
}
CALL(dnnl_get_cpu_isa_hints) { BOOST_TEST(dnnl_get_cpu_isa_hints() == dnnl_cpu_isa_no_hints); }
CALL(dnnl_set_cpu_isa_hints) {
    dnnl_get_cpu_isa_hints();
    BOOST_TEST(dnnl_set_cpu_isa_hints(dnnl_cpu_isa_prefer_ymm) == dnnl_runtime_error);
}
CALL(dnnl_reset_profiling) { // streams of a CPU have no profiling
    BOOST_TEST(dnnl_reset_profiling(stream()) != dnnl_success);
}
CALL(dnnl_query_profiling_data) {
    int count = 0;
    BOOST_TEST(dnnl_query_profiling_data(
                   stream(), dnnl_profiling_data_kind_time, &count, nullptr) != dnnl_success);
}
CALL(dnnl_ext_last_error) {
    BOOST_TEST(dnnl_engine_create(nullptr, dnnl_cpu, 0) == dnnl_invalid_arguments);
    BOOST_TEST(std::strstr(dnnl_ext_last_error(), "engine") != nullptr);
}

// ---- Products on plain pointers ----

CALL(dnnl_sgemm) {
    const auto a = integers(6, 1), b = integers(12, 2);
    std::vector<float> c(8, -1);
    ok(dnnl_sgemm('N', 'N', 2, 4, 3, 1, a.data(), 3, b.data(), 4, 0, c.data(), 4));
    BOOST_TEST(c == product(a, b, 2, 4, 3), boost::test_tools::per_element());
}
CALL(dnnl_gemm_u8s8s32) {
    const std::uint8_t a[] {1, 255, 3, 4};
    const std::int8_t b[] {-128, 2, 3, 127};
    std::int32_t c[4] {}, co = 5;
    ok(dnnl_gemm_u8s8s32('N', 'N', 'F', 2, 2, 2, 1, a, 2, 1, b, 2, -1, 0, c, 2, &co));
    // (a - 1) * (b + 1) + 5
    const std::vector<int> expected {
        254 * 4 + 5, 254 * 128 + 5, 2 * -127 + 3 * 4 + 5, 2 * 3 + 3 * 128 + 5};
    BOOST_TEST(std::vector<int>(c, c + 4) == expected, boost::test_tools::per_element());
}
CALL(dnnl_gemm_s8s8s32) {
    const std::int8_t a[] {-128, 2, 3, 127}, b[] {1, -2, 3, -128};
    std::int32_t c[4] {}, co[] {10, 20};
    ok(dnnl_gemm_s8s8s32('N', 'T', 'R', 2, 2, 2, 1, a, 2, 0, b, 2, 0, 0, c, 2, co));
    const std::vector<int> expected {
        -128 - 4 + 10, -384 - 256 + 20, 3 - 254 + 10, 9 - 127 * 128 + 20};
    BOOST_TEST(std::vector<int>(c, c + 4) == expected, boost::test_tools::per_element());
}

// ---- Names ----

#define NAMED(function, value, text)                                                               \
    CALL(function) { BOOST_TEST(same(function(value), text)); }

NAMED(dnnl_status2str, dnnl_out_of_memory, "out_of_memory")
NAMED(dnnl_dt2str, dnnl_f8_e4m3, "f8_e4m3")
NAMED(dnnl_fpmath_mode2str, dnnl_fpmath_mode_tf32, "tf32")
NAMED(dnnl_accumulation_mode2str, dnnl_accumulation_mode_relaxed, "relaxed")
NAMED(dnnl_engine_kind2str, dnnl_cpu, "cpu")
NAMED(dnnl_fmt_tag2str, dnnl_nChw16c, "aBcd16b")
NAMED(dnnl_prop_kind2str, dnnl_backward_weights, "backward_weights")
NAMED(dnnl_prim_kind2str, dnnl_matmul, "matmul")
NAMED(dnnl_alg_kind2str, dnnl_eltwise_gelu_erf, "eltwise_gelu_erf")
NAMED(dnnl_rnn_flags2str, dnnl_rnn_flags_diff_weights_overwrite, "rnn_flags_diff_weights_overwrite")
NAMED(dnnl_rnn_direction2str, dnnl_bidirectional_sum, "bidirectional_sum")
NAMED(dnnl_scratchpad_mode2str, dnnl_scratchpad_mode_user, "user")
NAMED(dnnl_rounding_mode2str, dnnl_rounding_mode_stochastic, "stochastic")
NAMED(dnnl_quantization_mode2str, dnnl_quantization_mode_dynamic_mx, "dynamic_mx")
NAMED(dnnl_cpu_isa2str, dnnl_cpu_isa_avx2, "cpu_isa_avx2")
NAMED(dnnl_cpu_isa_hints2str, dnnl_cpu_isa_prefer_ymm, "cpu_isa_prefer_ymm")
NAMED(dnnl_runtime2str, DNNL_RUNTIME_SEQ, "sequential")
NAMED(dnnl_fmt_kind2str, dnnl_blocked, "blocked")
