// SPDX-License-Identifier: Apache-2.0
// Every function about sparse tensors, memories with several buffers and host scalars, called once;
// see call_objects.cpp.
#include <cstring>

#include "dnnl/dnnl_debug.h"
#include "objects.hpp"

#define CALL(function) BOOST_AUTO_TEST_CASE(calls_##function)

using namespace api_tests;

namespace {

constexpr dnnl_dims_t extents {2, 3};

desc_owner csr() {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_csr_encoding(
        made.out(), 2, extents, dnnl_f32, 4, dnnl_s32, dnnl_s32));
    return made;
}
memory_owner matrix() {
    void *handles[] = {DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE};
    memory_owner made;
    ok(dnnl_memory_create_v2(made.out(), csr(), engine(), 3, handles));
    return made;
}
desc_owner scalar_desc() {
    desc_owner made;
    ok(dnnl_memory_desc_create_host_scalar(made.out(), dnnl_s32));
    return made;
}
memory_owner scalar(std::int32_t value) {
    memory_owner made;
    ok(dnnl_memory_create_host_scalar(made.out(), scalar_desc(), &value));
    return made;
}
std::int32_t value_of(const_dnnl_memory_t memory) {
    std::int32_t value = 0;
    ok(dnnl_memory_get_host_scalar_value(memory, &value));
    return value;
}

} // namespace

CALL(dnnl_memory_desc_create_with_csr_encoding) {
    BOOST_TEST(dnnl_memory_desc_get_size(csr()) == 16u);
}
CALL(dnnl_memory_desc_create_with_coo_encoding) {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_coo_encoding(made.out(), 2, extents, dnnl_f16, 4, dnnl_s32));
    BOOST_TEST(dnnl_memory_desc_get_size(made) == 8u);
}
CALL(dnnl_memory_desc_create_with_packed_encoding) {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_packed_encoding(made.out(), 2, extents, dnnl_s8, 4));
    BOOST_TEST(dnnl_memory_desc_get_size(made) == 0u);
}
CALL(dnnl_memory_desc_create_host_scalar) {
    BOOST_TEST(dnnl_memory_desc_get_size(scalar_desc()) == 4u);
}
CALL(dnnl_memory_desc_get_size_v2) { BOOST_TEST(dnnl_memory_desc_get_size_v2(csr(), 2) == 12u); }
CALL(dnnl_memory_desc_query_v2) {
    dnnl_data_type_t type = dnnl_data_type_undef;
    ok(dnnl_memory_desc_query_v2(csr(), dnnl_query_data_type, 1, &type));
    BOOST_TEST(type == dnnl_s32);
}
CALL(dnnl_memory_create_v2) { BOOST_TEST(matrix() != nullptr); }
CALL(dnnl_memory_create_host_scalar) { BOOST_TEST(value_of(scalar(7)) == 7); }
CALL(dnnl_memory_get_host_scalar_value) { BOOST_TEST(value_of(scalar(-3)) == -3); }
CALL(dnnl_memory_set_host_scalar_value) {
    const memory_owner made = scalar(1);
    constexpr std::int32_t other = 2;
    ok(dnnl_memory_set_host_scalar_value(made, &other));
    BOOST_TEST(value_of(made) == 2);
}
CALL(dnnl_memory_map_data_v2) {
    const memory_owner made = matrix();
    void *mapped = nullptr;
    ok(dnnl_memory_map_data_v2(made, &mapped, 2));
    std::memset(mapped, 0, 12);
}
CALL(dnnl_memory_unmap_data_v2) { ok(dnnl_memory_unmap_data_v2(matrix(), nullptr, 1)); }
CALL(dnnl_memory_get_data_handle_v2) {
    void *handle = nullptr;
    const memory_owner made = matrix();
    ok(dnnl_memory_get_data_handle_v2(made, &handle, 1));
    BOOST_TEST(handle != nullptr);
}
CALL(dnnl_memory_set_data_handle_v2) {
    std::int32_t columns[4] = {};
    const memory_owner made = matrix();
    ok(dnnl_memory_set_data_handle_v2(made, columns, 1));
    void *handle = nullptr;
    ok(dnnl_memory_get_data_handle_v2(made, &handle, 1));
    BOOST_TEST(handle == columns);
}
CALL(dnnl_sparse_encoding2str) {
    BOOST_TEST(std::strcmp(dnnl_sparse_encoding2str(dnnl_csr), "csr") == 0);
}
