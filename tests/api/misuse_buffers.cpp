// SPDX-License-Identifier: Apache-2.0
// Misuse of memories with several buffers, sparse descriptors and host scalars. One thing is wrong
// in each call; a row holds the calls of one function that end alike.
#include <cstring>

#include "dnnl/dnnl_debug.h"
#include "wrong_calls.hpp"

using namespace api_tests;

namespace {

constexpr dnnl_status_t invalid = dnnl_invalid_arguments, missing = dnnl_unimplemented;
constexpr dnnl_dims_t matrix {5, 7}, cube {2, 2, 2}, negative {5, -7};

desc_owner csr() {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_csr_encoding(
        made.out(), 2, matrix, dnnl_f32, 6, dnnl_s32, dnnl_s32));
    return made;
}
desc_owner scalar() {
    desc_owner made;
    ok(dnnl_memory_desc_create_host_scalar(made.out(), dnnl_f32));
    return made;
}

/// One valid object of each kind.
struct objects {
    desc_owner dense = plain({5, 7}), sparse = csr(), one = scalar();
    desc_owner any = tagged({5, 7}, dnnl_format_tag_any), open = plain({DNNL_RUNTIME_DIM_VAL, 7});
    memory_owner tensor = memory_of(dense), list, value;
    float number = 1;
    void *handles[4] = {};

    objects() {
        ok(dnnl_memory_create_v2(list.out(), sparse, engine(), 3, handles));
        ok(dnnl_memory_create_host_scalar(value.out(), one, &number));
    }
};

dnnl_status_t make_csr(
    output &out, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type, dnnl_dim_t nnz) {
    return dnnl_memory_desc_create_with_csr_encoding(
        out, ndims, dims, type, nnz, dnnl_s32, dnnl_s32);
}
dnnl_status_t make_coo(output &out, int ndims, const dnnl_dim_t *dims, dnnl_dim_t nnz) {
    return dnnl_memory_desc_create_with_coo_encoding(out, ndims, dims, dnnl_f32, nnz, dnnl_s32);
}
dnnl_status_t make_packed(output &out, int ndims, const dnnl_dim_t *dims, dnnl_dim_t nnz) {
    return dnnl_memory_desc_create_with_packed_encoding(out, ndims, dims, dnnl_s8, nnz);
}

} // namespace

BOOST_FIXTURE_TEST_CASE(descriptors, objects) {
    const auto none = static_cast<dnnl_data_type_t>(99);
    check_refusals({
        {"SB01", "memory_desc", invalid,
            [](output &) {
                return dnnl_memory_desc_create_with_csr_encoding(
                    nullptr, 2, matrix, dnnl_f32, 6, dnnl_s32, dnnl_s32);
            }},
        {"SB01", "dims", invalid, [](output &o) { return make_csr(o, 2, nullptr, dnnl_f32, 6); }},
        {"SB01", "dims", invalid, [](output &o) { return make_csr(o, 2, negative, dnnl_f32, 6); }},
        {"SB01", "nnz", invalid, [](output &o) { return make_csr(o, 2, matrix, dnnl_f32, -1); }},
        {"SB01", "data_type", invalid, [=](output &o) { return make_csr(o, 2, matrix, none, 6); }},
        {"SB02", "ndims", missing, [](output &o) { return make_csr(o, 3, cube, dnnl_f32, 6); }},
        {"SB03", "memory_desc", invalid,
            [](output &) {
                return dnnl_memory_desc_create_with_coo_encoding(
                    nullptr, 2, matrix, dnnl_f32, 6, dnnl_s32);
            }},
        {"SB03", "dims", invalid, [](output &o) { return make_coo(o, 2, negative, 6); }},
        {"SB03", "nnz", invalid, [](output &o) { return make_coo(o, 2, matrix, -6); }},
        {"SB04", "ndims", missing, [](output &o) { return make_coo(o, 3, cube, 6); }},
        {"SB05", "memory_desc", invalid,
            [](output &) {
                return dnnl_memory_desc_create_with_packed_encoding(nullptr, 2, matrix, dnnl_s8, 6);
            }},
        {"SB05", "ndims", invalid, [](output &o) { return make_packed(o, 13, matrix, 6); }},
        {"SB05", "dims", invalid, [](output &o) { return make_packed(o, 2, nullptr, 6); }},
        {"SB05", "nnz", invalid, [](output &o) { return make_packed(o, 2, matrix, -6); }},
        {"SB06", "memory_desc", invalid,
            [](output &) { return dnnl_memory_desc_create_host_scalar(nullptr, dnnl_f32); }},
        {"SB06", "data_type", invalid,
            [](output &o) { return dnnl_memory_desc_create_host_scalar(o, dnnl_data_type_undef); }},
        {"SB06", "data_type", invalid,
            [=](output &o) { return dnnl_memory_desc_create_host_scalar(o, none); }},
        {"SB07", "memory_desc", invalid,
            [](output &o) {
                return dnnl_memory_desc_query_v2(nullptr, dnnl_query_data_type, 0, o);
            }},
        {"SB07", "result", invalid,
            [&](output &) {
                return dnnl_memory_desc_query_v2(sparse, dnnl_query_nnz_s64, 0, nullptr);
            }},
        {"SB07", "index", invalid,
            [&](output &o) {
                return dnnl_memory_desc_query_v2(dense, dnnl_query_data_type, 1, o);
            }},
        {"SB07", "index", invalid,
            [&](output &o) {
                return dnnl_memory_desc_query_v2(sparse, dnnl_query_data_type, -1, o);
            }},
        {"SB07", "index", invalid,
            [&](output &o) { return dnnl_memory_desc_query_v2(sparse, dnnl_query_nnz_s64, 1, o); }},
        {"SB07", "what", invalid,
            [&](output &o) { return dnnl_memory_desc_query_v2(dense, dnnl_query_nnz_s64, 0, o); }},
    });
}

BOOST_FIXTURE_TEST_CASE(SB08, objects) {
    BOOST_TEST(dnnl_memory_desc_get_size_v2(nullptr, 0) == 0u);
    BOOST_TEST(dnnl_memory_desc_get_size_v2(sparse, -1) == 0u);
    BOOST_TEST(dnnl_memory_desc_get_size_v2(sparse, 3) == 0u);
    BOOST_TEST(dnnl_memory_desc_get_size_v2(dense, 1) == 0u);
}

BOOST_FIXTURE_TEST_CASE(memories, objects) {
    const auto create = [this](output &o, const_dnnl_memory_desc_t md, int count) {
        return dnnl_memory_create_v2(o, md, engine(), count, handles);
    };
    check_refusals({
        {"SB09", "memory", invalid,
            [&](output &) { return dnnl_memory_create_v2(nullptr, sparse, engine(), 3, handles); }},
        {"SB09", "engine", invalid,
            [&](output &o) { return dnnl_memory_create_v2(o, sparse, nullptr, 3, handles); }},
        {"SB09", "handles", invalid,
            [&](output &o) { return dnnl_memory_create_v2(o, sparse, engine(), 3, nullptr); }},
        {"SB09", "nhandles", invalid, [&](output &o) { return create(o, sparse, 0); }},
        {"SB09", "nhandles", invalid, [&](output &o) { return create(o, sparse, 4); }},
        {"SB09", "memory_desc", invalid, [&](output &o) { return create(o, any, 1); }},
        {"SB09", "memory_desc", invalid, [&](output &o) { return create(o, open, 1); }},
        {"SB09", "memory_desc", invalid, [&](output &o) { return create(o, one, 1); }},
        {"SB10", "memory", invalid,
            [&](output &) { return dnnl_memory_create_host_scalar(nullptr, one, &number); }},
        {"SB10", "memory_desc", invalid,
            [&](output &o) { return dnnl_memory_create_host_scalar(o, nullptr, &number); }},
        {"SB10", "memory_desc", invalid,
            [&](output &o) { return dnnl_memory_create_host_scalar(o, dense, &number); }},
        {"SB10", "scalar_ptr", invalid,
            [&](output &o) { return dnnl_memory_create_host_scalar(o, one, nullptr); }},
        {"SB11", "memory", invalid,
            [](output &o) { return dnnl_memory_map_data_v2(nullptr, o, 0); }},
        {"SB11", "mapped_ptr", invalid,
            [&](output &) { return dnnl_memory_map_data_v2(list, nullptr, 0); }},
        {"SB11", "index", invalid, [&](output &o) { return dnnl_memory_map_data_v2(list, o, 3); }},
        {"SB11", "index", invalid,
            [&](output &o) { return dnnl_memory_map_data_v2(tensor, o, -1); }},
        {"SB12", "memory", invalid,
            [&](output &) { return dnnl_memory_unmap_data_v2(nullptr, &number, 0); }},
        {"SB12", "index", invalid,
            [&](output &) { return dnnl_memory_unmap_data_v2(list, &number, 3); }},
        {"SB13", "handle", invalid,
            [&](output &) { return dnnl_memory_get_data_handle_v2(list, nullptr, 0); }},
        {"SB13", "index", invalid,
            [&](output &o) { return dnnl_memory_get_data_handle_v2(list, o, 3); }},
        {"SB13", "memory", invalid,
            [&](output &o) { return dnnl_memory_get_data_handle_v2(value, o, 0); }},
        {"SB15", "memory", invalid,
            [&](output &) { return dnnl_memory_set_data_handle_v2(nullptr, &number, 0); }},
        {"SB15", "memory", invalid,
            [&](output &) { return dnnl_memory_set_data_handle_v2(value, &number, 0); }},
        {"SB15", "index", invalid,
            [&](output &) { return dnnl_memory_set_data_handle_v2(list, &number, -1); }},
        {"SB16", "memory", invalid,
            [](output &o) { return dnnl_memory_get_host_scalar_value(nullptr, o); }},
        {"SB16", "memory", invalid,
            [&](output &o) { return dnnl_memory_get_host_scalar_value(tensor, o); }},
        {"SB16", "value", invalid,
            [&](output &) { return dnnl_memory_get_host_scalar_value(value, nullptr); }},
        {"SB17", "memory", invalid,
            [&](output &) { return dnnl_memory_set_host_scalar_value(nullptr, &number); }},
        {"SB17", "memory", invalid,
            [&](output &) { return dnnl_memory_set_host_scalar_value(tensor, &number); }},
        {"SB17", "value", invalid,
            [&](output &) { return dnnl_memory_set_host_scalar_value(value, nullptr); }},
    });
    void *handle = &handle;
    for (int i = 0; i < 3; ++i) { // what was refused changed nothing
        ok(dnnl_memory_get_data_handle_v2(list, &handle, i));
        BOOST_TEST(handle == nullptr);
    }
    float kept = 0;
    ok(dnnl_memory_get_host_scalar_value(value, &kept));
    BOOST_TEST(kept == 1);
}

BOOST_AUTO_TEST_CASE(SB14) { // no memory has no buffer
    void *handle = &handle;
    ok(dnnl_memory_get_data_handle_v2(nullptr, &handle, 0));
    BOOST_TEST(handle == nullptr);
}

BOOST_AUTO_TEST_CASE(SB18) {
    BOOST_TEST(std::strcmp(dnnl_sparse_encoding2str(static_cast<dnnl_sparse_encoding_t>(99)),
                   "unknown sparse_encoding") == 0);
}
