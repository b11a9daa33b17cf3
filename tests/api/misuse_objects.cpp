// SPDX-License-Identifier: Apache-2.0
// Rows of the misuse table about engines, streams, descriptors, memories and attributes that are
// no plain refusal: calls that must keep succeeding, and values that must not change. A test case
// has the name of its row.
#include <climits>
#include <cstring>
#include <fstream>

#include "dnnl/dnnl_debug.h"
#include "objects.hpp"

using namespace api_tests;

namespace {

constexpr dnnl_dim_t runtime = DNNL_RUNTIME_DIM_VAL;

/// Creating a descriptor: the status, an untouched output and nothing left on the heap.
template <class Create>
void check_desc(const std::string &row, dnnl_status_t expected, const char *named, Create create) {
    const auto marker = reinterpret_cast<dnnl_memory_desc_t>(std::uintptr_t {64});
    for (int round = 0; round < 2; ++round) {
        const traces before;
        dnnl_memory_desc_t out = marker;
        const dnnl_status_t status = create(&out);
        const bool touched = out != marker;
        if (status == dnnl_success) dnnl_memory_desc_destroy(out);
        if (round == 1) before.check(row);
        check_refused(row, status, expected, named);
        BOOST_TEST(touched == (status == dnnl_success), row);
    }
}
bool is_zero(const_dnnl_memory_desc_t md) {
    int ndims = -1;
    ok(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims));
    return ndims == 0 && dnnl_memory_desc_get_size(md) == 0;
}
} // namespace

BOOST_AUTO_TEST_CASE(E09) {
    BOOST_TEST(dnnl_engine_get_count(static_cast<dnnl_engine_kind_t>(99)) == 0u);
    BOOST_TEST(dnnl_engine_get_count(dnnl_any_engine) == 0u);
    BOOST_TEST(dnnl_engine_get_count(dnnl_cpu) == 1u);
}

BOOST_AUTO_TEST_CASE(S03_S05) {
    for (const unsigned flags : {unsigned {dnnl_stream_out_of_order}, 0u}) {
        stream_owner made;
        ok(dnnl_stream_create(made.out(), engine(), flags));
        ok(dnnl_stream_wait(made));
    }
}

BOOST_AUTO_TEST_CASE(D04) {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_tag(made.out(), 0, nullptr, dnnl_f32, dnnl_ab));
    BOOST_TEST(is_zero(made));
}
BOOST_AUTO_TEST_CASE(D09) {
    const dims two {2, 3};
    desc_owner made;
    ok(dnnl_memory_desc_create_with_tag(
        made.out(), 2, two.data(), dnnl_f32, dnnl_format_tag_undef));
    BOOST_TEST(is_zero(made));
}
BOOST_AUTO_TEST_CASE(D15) { // nothing to ask the size of: see D14
    const dims huge {INT64_C(1) << 62, 4};
    check_desc("D15", dnnl_invalid_arguments, "dims", [&](dnnl_memory_desc_t *out) {
        return dnnl_memory_desc_create_with_strides(out, 2, huge.data(), dnnl_f32, nullptr);
    });
}
BOOST_AUTO_TEST_CASE(a_size_beyond_64_bits_by_any_dimension) {
    const dims extents {5, 3, 4}, no_strides {0, 0, 0};
    for (std::size_t d = 0; d < extents.size(); ++d) {
        dims long_extents = extents, long_strides {12, 4, 1};
        long_extents[d] = INT64_C(1) << 62;
        long_strides[d] = INT64_C(1) << 61; // twice that in elements, more in bytes
        const std::string place = " of dimension " + std::to_string(d);
        check_desc("extent" + place, dnnl_invalid_arguments, "dims", [&](dnnl_memory_desc_t *out) {
            return dnnl_memory_desc_create_with_strides(
                out, 3, long_extents.data(), dnnl_s8, nullptr);
        });
        check_desc(
            "broadcast" + place, dnnl_invalid_arguments, "dims", [&](dnnl_memory_desc_t *out) {
                return dnnl_memory_desc_create_with_strides(
                    out, 3, long_extents.data(), dnnl_s8, no_strides.data());
            });
        check_desc("stride" + place, dnnl_invalid_arguments, "dims", [&](dnnl_memory_desc_t *out) {
            return dnnl_memory_desc_create_with_strides(
                out, 3, extents.data(), dnnl_f32, long_strides.data());
        });
    }
}
BOOST_AUTO_TEST_CASE(D19) {
    BOOST_TEST(dnnl_memory_desc_equal(plain({2, 3}), tagged({2, 3}, dnnl_ab)));
}
BOOST_AUTO_TEST_CASE(D21) {
    const auto md = strided({2, 3}, {0, 1});
    BOOST_TEST(dnnl_memory_desc_get_size(md) == 3 * sizeof(float));
}
BOOST_AUTO_TEST_CASE(D23) {
    const auto md = strided({runtime, 3}, {runtime, 1});
    BOOST_TEST(dnnl_memory_desc_get_size(md) == DNNL_RUNTIME_SIZE_VAL);
}
BOOST_AUTO_TEST_CASE(D38) { BOOST_TEST(dnnl_memory_desc_get_size(plain({2, 0})) == 0u); }

BOOST_AUTO_TEST_CASE(N_18) {
    const auto padded = tagged({2, 17, 1}, dnnl_aBc16b), unit = tagged({2, 1, 4}, dnnl_aBc16b);
    const auto blocked = tagged({2, 32, 4}, dnnl_aBc16b), open = plain({runtime, 3});
    desc_owner zero;
    ok(dnnl_memory_desc_create_with_tag(zero.out(), 0, nullptr, dnnl_f32, dnnl_ab));
    const struct {
        const char *row, *named;
        const_dnnl_memory_desc_t in;
        dims out;
    } rows[] = {
        {"N-18 padded unit axis", "dims", unit, {2, 4}},
        {"N-18 joined padded axis", "dims", padded, {34}},
        {"N-18 split padded axis", "dims", padded, {2, 17, 1, 1, 17}},
        {"N-18 joined across a block", "dims", blocked, {2, 128}},
        {"N-18 run-time", "memory_desc", open, {3, 3}},
        {"N-18 zero descriptor", "memory_desc", zero, {1}},
    };
    for (const auto &r : rows)
        check_desc(r.row, dnnl_invalid_arguments, "", [&](dnnl_memory_desc_t *out) {
            return dnnl_memory_desc_reshape(
                out, r.in, static_cast<int>(r.out.size()), r.out.data());
        });
}

BOOST_AUTO_TEST_CASE(N_19) {
    const auto md = plain({2, 3}), open = plain({runtime, 3});
    desc_owner zero;
    ok(dnnl_memory_desc_create_with_tag(zero.out(), 0, nullptr, dnnl_f32, dnnl_ab));
    const int negative[] = {-1, 0}, swapped[] = {1, 0};
    const auto permuted = [](const_dnnl_memory_desc_t in, const int *permutation) {
        return [=](dnnl_memory_desc_t *out) {
            return dnnl_memory_desc_permute_axes(out, in, permutation);
        };
    };
    check_desc("N-19 negative", dnnl_invalid_arguments, "permutation", permuted(md, negative));
    check_desc("N-19 run-time", dnnl_invalid_arguments, "memory_desc", permuted(open, swapped));
    check_desc("N-19 zero", dnnl_invalid_arguments, "memory_desc", permuted(zero, swapped));
}

BOOST_AUTO_TEST_CASE(M03_M06_M07_M10) {
    const auto empty = plain({0, 3});
    desc_owner zero;
    ok(dnnl_memory_desc_create_with_tag(zero.out(), 0, nullptr, dnnl_f32, dnnl_ab));
    const struct {
        const char *row;
        const_dnnl_memory_desc_t md;
        void *handle;
    } rows[] = {{"M03", nullptr, DNNL_MEMORY_NONE}, {"M03", nullptr, DNNL_MEMORY_ALLOCATE},
        {"M06", empty, DNNL_MEMORY_ALLOCATE}, {"M07", empty, DNNL_MEMORY_NONE},
        {"M10", zero, DNNL_MEMORY_ALLOCATE}};
    for (const auto &r : rows) {
        const traces before;
        dnnl_memory_t memory = nullptr;
        void *handle = &handle;
        const dnnl_status_t created = dnnl_memory_create(&memory, r.md, engine(), r.handle);
        const dnnl_status_t got = dnnl_memory_get_data_handle(memory, &handle);
        dnnl_memory_destroy(memory);
        before.check(r.row);
        BOOST_TEST(created == dnnl_success, r.row);
        BOOST_TEST(got == dnnl_success, r.row);
        BOOST_TEST(handle == nullptr, r.row);
    }
}

// A sanitizer's allocator ends the program.
BOOST_AUTO_TEST_CASE(M08, *boost::unit_test::precondition(heap::watched)) {
    const auto md = plain({INT64_C(1) << 45}, dnnl_u8);
    const auto marker = reinterpret_cast<dnnl_memory_t>(std::uintptr_t {64});
    const traces before;
    dnnl_memory_t memory = marker;
    const dnnl_status_t status = dnnl_memory_create(&memory, md, engine(), DNNL_MEMORY_ALLOCATE);
    const bool untouched = memory == marker;
    if (status == dnnl_success) dnnl_memory_destroy(memory);
    before.check("M08");
    // A system that grants all the memory one asks for grants this, too.
    int overcommit = 0;
    std::ifstream("/proc/sys/vm/overcommit_memory") >> overcommit;
    if (overcommit == 1 && status == dnnl_success) return;
    check_refused("M08", status, dnnl_out_of_memory, "memory");
    BOOST_TEST(untouched);
    check_canary();
}

BOOST_AUTO_TEST_CASE(M09) { // refused where the descriptor is made: see D14
    const dims huge {INT64_C(1) << 62, 4};
    check_desc("M09", dnnl_invalid_arguments, "dims", [&](dnnl_memory_desc_t *out) {
        return dnnl_memory_desc_create_with_tag(out, 2, huge.data(), dnnl_f32, dnnl_ab);
    });
}

BOOST_AUTO_TEST_CASE(M14_M15) {
    const auto unbacked = memory_of(plain({2, 3}), DNNL_MEMORY_NONE);
    void *mapped = &mapped;
    ok(dnnl_memory_map_data(unbacked, &mapped));
    BOOST_TEST(mapped == nullptr);
    int other = 0;
    ok(dnnl_memory_unmap_data(unbacked, &other));
}

BOOST_AUTO_TEST_CASE(A20) {
    post_ops_owner ops;
    ok(dnnl_post_ops_create(ops.out()));
    ok(dnnl_post_ops_append_sum(ops, 1, 3, dnnl_f32));
    BOOST_TEST(dnnl_post_ops_len(ops) == 1);
}
BOOST_AUTO_TEST_CASE(A36) {
    attr_owner attr;
    ok(dnnl_primitive_attr_create(attr.out()));
    ok(dnnl_primitive_attr_set_deterministic(attr, 7));
    int value = 0;
    ok(dnnl_primitive_attr_get_deterministic(attr, &value));
    BOOST_TEST(value == 1);
}

BOOST_AUTO_TEST_CASE(GLC) {
    BOOST_TEST(std::string(dnnl_status2str(static_cast<dnnl_status_t>(999))) == "unknown status");
}

BOOST_AUTO_TEST_CASE(N_42) { // the largest ISA there is; the effective one is what the CPU has
    BOOST_TEST(dnnl_get_effective_cpu_isa() != dnnl_cpu_isa_default);
}

BOOST_AUTO_TEST_CASE(N_43) {
    int before = -1;
    ok(dnnl_get_primitive_cache_capacity(&before));
    for (const int capacity : {0, INT_MAX, 1}) {
        ok(dnnl_set_primitive_cache_capacity(capacity));
        int now = -1;
        ok(dnnl_get_primitive_cache_capacity(&now));
        BOOST_TEST(now == capacity);
        check_canary();
    }
    ok(dnnl_set_primitive_cache_capacity(before));
}
