// SPDX-License-Identifier: Apache-2.0
// Memory objects: buffers of the library and of the user, handles, mapping, engines and streams.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

#include "dnnl/dnnl.h"

namespace {

struct fixture {
    dnnl_engine_t engine = nullptr;
    dnnl_memory_desc_t md = nullptr;
    fixture() {
        BOOST_TEST(dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success);
        const dnnl_dims_t dims = {5, 7};
        BOOST_TEST(
            dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab) == dnnl_success);
    }
    ~fixture() {
        dnnl_memory_desc_destroy(md);
        dnnl_engine_destroy(engine);
    }
};

void *handle_of(const_dnnl_memory_t memory) {
    void *handle = &handle;
    BOOST_TEST(dnnl_memory_get_data_handle(memory, &handle) == dnnl_success);
    return handle;
}

} // namespace

BOOST_FIXTURE_TEST_CASE(the_library_allocates, fixture) {
    for (int i = 0; i < 20; ++i) {
        dnnl_memory_t memory = nullptr;
        BOOST_TEST(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE) == dnnl_success);
        void *data = handle_of(memory);
        BOOST_TEST(data != nullptr);
        BOOST_TEST(reinterpret_cast<std::uintptr_t>(data) % 64 == 0u);
        std::memset(data, 0x5a, dnnl_memory_desc_get_size(md)); // sanitizers see a short buffer
        BOOST_TEST(dnnl_memory_destroy(memory) == dnnl_success);
    }
}

BOOST_FIXTURE_TEST_CASE(the_users_buffer_stays_the_users, fixture) {
    std::vector<float> mine(35, 3.0f), other(35, 4.0f);
    dnnl_memory_t memory = nullptr;
    BOOST_TEST(dnnl_memory_create(&memory, md, engine, mine.data()) == dnnl_success);
    BOOST_TEST(handle_of(memory) == mine.data());
    void *mapped = nullptr;
    BOOST_TEST(dnnl_memory_map_data(memory, &mapped) == dnnl_success);
    BOOST_TEST(mapped == mine.data());
    BOOST_TEST(dnnl_memory_unmap_data(memory, mapped) == dnnl_success);
    BOOST_TEST(dnnl_memory_set_data_handle(memory, other.data()) == dnnl_success);
    BOOST_TEST(handle_of(memory) == other.data());
    BOOST_TEST(dnnl_memory_set_data_handle(memory, nullptr) == dnnl_success);
    BOOST_TEST(handle_of(memory) == nullptr);
    BOOST_TEST(dnnl_memory_destroy(memory) == dnnl_success);
    BOOST_TEST((mine == std::vector<float>(35, 3.0f) && other == std::vector<float>(35, 4.0f)));
}

BOOST_FIXTURE_TEST_CASE(a_new_handle_releases_the_librarys_buffer, fixture) {
    dnnl_memory_t memory = nullptr;
    BOOST_TEST(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE) == dnnl_success);
    float mine[35];
    BOOST_TEST(dnnl_memory_set_data_handle(memory, mine) == dnnl_success); // leak checkers judge
    BOOST_TEST(dnnl_memory_destroy(memory) == dnnl_success);
}

BOOST_FIXTURE_TEST_CASE(a_memory_keeps_its_own_descriptor, fixture) {
    dnnl_memory_t memory = nullptr;
    BOOST_TEST(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_NONE) == dnnl_success);
    BOOST_TEST(handle_of(memory) == nullptr);
    const_dnnl_memory_desc_t kept = nullptr;
    BOOST_TEST(dnnl_memory_get_memory_desc(memory, &kept) == dnnl_success);
    BOOST_TEST(kept != md);
    BOOST_TEST(dnnl_memory_desc_equal(kept, md) == 1);
    dnnl_engine_t same = nullptr;
    BOOST_TEST(dnnl_memory_get_engine(memory, &same) == dnnl_success);
    BOOST_TEST(same == engine);
    dnnl_memory_destroy(memory);
}

BOOST_FIXTURE_TEST_CASE(empty_memories_have_no_buffer, fixture) {
    const dnnl_dims_t no_rows = {0, 7};
    dnnl_memory_desc_t volumeless = nullptr, zero = nullptr;
    BOOST_TEST(dnnl_memory_desc_create_with_tag(&volumeless, 2, no_rows, dnnl_f32, dnnl_ab) ==
               dnnl_success);
    BOOST_TEST(
        dnnl_memory_desc_create_with_tag(&zero, 0, nullptr, dnnl_f32, dnnl_ab) == dnnl_success);
    for (const_dnnl_memory_desc_t empty : {const_dnnl_memory_desc_t {nullptr},
             const_dnnl_memory_desc_t {volumeless}, const_dnnl_memory_desc_t {zero}}) {
        dnnl_memory_t memory = nullptr;
        BOOST_TEST(
            dnnl_memory_create(&memory, empty, engine, DNNL_MEMORY_ALLOCATE) == dnnl_success);
        void *mapped = &mapped;
        BOOST_TEST(dnnl_memory_map_data(memory, &mapped) == dnnl_success);
        BOOST_TEST(mapped == nullptr);
        dnnl_memory_destroy(memory);
    }
    dnnl_memory_desc_destroy(volumeless);
    dnnl_memory_desc_destroy(zero);
}

BOOST_FIXTURE_TEST_CASE(too_much_memory, fixture) {
    const dnnl_dims_t dims = {dnnl_dim_t {1} << 43};
    dnnl_memory_desc_t huge = nullptr;
    BOOST_TEST(dnnl_memory_desc_create_with_tag(&huge, 1, dims, dnnl_f32, dnnl_a) == dnnl_success);
    dnnl_memory_t memory = nullptr;
    BOOST_TEST(
        dnnl_memory_create(&memory, huge, engine, DNNL_MEMORY_ALLOCATE) == dnnl_out_of_memory);
    BOOST_TEST(memory == nullptr);
    dnnl_memory_desc_destroy(huge);
}

BOOST_FIXTURE_TEST_CASE(all_the_memory_that_64_bits_count, fixture) {
    const dnnl_dims_t dims = {INT64_MAX};
    dnnl_memory_desc_t huge = nullptr;
    BOOST_TEST(dnnl_memory_desc_create_with_tag(&huge, 1, dims, dnnl_u8, dnnl_a) == dnnl_success);
    BOOST_TEST(dnnl_memory_desc_get_size(huge) == std::size_t {INT64_MAX});
    dnnl_memory_t memory = nullptr;
    BOOST_TEST(
        dnnl_memory_create(&memory, huge, engine, DNNL_MEMORY_ALLOCATE) == dnnl_out_of_memory);
    BOOST_TEST(memory == nullptr);
    // No primitive counts so many elements.
    dnnl_primitive_desc_t pd = nullptr;
    BOOST_TEST(dnnl_eltwise_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
                   dnnl_eltwise_relu, huge, huge, 0, 0, nullptr) == dnnl_unimplemented);
    BOOST_TEST(dnnl_reorder_primitive_desc_create(&pd, huge, engine, huge, engine, nullptr) ==
               dnnl_unimplemented);
    dnnl_memory_desc_destroy(huge);
}

BOOST_FIXTURE_TEST_CASE(streams, fixture) {
    for (const unsigned flags : {0u, 1u, 2u}) {
        dnnl_stream_t stream = nullptr;
        BOOST_TEST(dnnl_stream_create(&stream, engine, flags) == dnnl_success);
        dnnl_engine_t same = nullptr;
        BOOST_TEST(dnnl_stream_get_engine(stream, &same) == dnnl_success);
        BOOST_TEST(same == engine);
        BOOST_TEST(dnnl_stream_wait(stream) == dnnl_success);
        BOOST_TEST(dnnl_stream_destroy(stream) == dnnl_success);
    }
    BOOST_TEST(dnnl_engine_get_count(dnnl_cpu) == 1u);
    BOOST_TEST(dnnl_engine_get_count(dnnl_gpu) == 0u);
}

BOOST_FIXTURE_TEST_CASE(descriptor_queries, fixture) {
    int ndims = 0;
    const dnnl_dims_t *dims = nullptr, *strides = nullptr;
    dnnl_data_type_t type = dnnl_data_type_undef;
    dnnl_format_kind_t kind = dnnl_format_kind_undef;
    BOOST_TEST(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims) == dnnl_success);
    BOOST_TEST(dnnl_memory_desc_query(md, dnnl_query_dims, &dims) == dnnl_success);
    BOOST_TEST(dnnl_memory_desc_query(md, dnnl_query_strides, &strides) == dnnl_success);
    BOOST_TEST(dnnl_memory_desc_query(md, dnnl_query_data_type, &type) == dnnl_success);
    BOOST_TEST(dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind) == dnnl_success);
    BOOST_TEST(ndims == 2);
    BOOST_TEST(((*dims)[0] == 5 && (*dims)[1] == 7 && (*strides)[0] == 7 && (*strides)[1] == 1));
    BOOST_TEST((type == dnnl_f32 && kind == dnnl_blocked));
}
