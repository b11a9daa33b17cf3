// SPDX-License-Identifier: Apache-2.0
// Memories with several buffers, sparse descriptors and host scalars: what each function of the
// interface answers, rightly used and wrongly. Which call is wrong stands in the table's rows; the
// text after the status must stand in the reason.
#include <array>
#include <cstring>

#include "dnnl/dnnl.hpp"
#include "dnnl/dnnl_debug.h"
#include "objects.hpp"

using namespace api_tests;

namespace {

constexpr dnnl_dims_t five_by_seven {5, 7};

desc_owner csr(dnnl_dim_t nnz = 6, dnnl_data_type_t type = dnnl_f32) {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_csr_encoding(
        made.out(), 2, five_by_seven, type, nnz, dnnl_s32, dnnl_s32));
    return made;
}
desc_owner coo(dnnl_dim_t nnz = 6) {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_coo_encoding(
        made.out(), 2, five_by_seven, dnnl_bf16, nnz, dnnl_s32));
    return made;
}
desc_owner packed() {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_packed_encoding(made.out(), 2, five_by_seven, dnnl_s8, 6));
    return made;
}
desc_owner scalar(dnnl_data_type_t type = dnnl_f32) {
    desc_owner made;
    ok(dnnl_memory_desc_create_host_scalar(made.out(), type));
    return made;
}
desc_owner dense() {
    desc_owner made;
    ok(dnnl_memory_desc_create_with_tag(made.out(), 2, five_by_seven, dnnl_f32, dnnl_ab));
    return made;
}
memory_owner memory_of(const_dnnl_memory_desc_t md, std::vector<void *> handles) {
    memory_owner made;
    ok(dnnl_memory_create_v2(
        made.out(), md, engine(), static_cast<int>(handles.size()), handles.data()));
    return made;
}
memory_owner scalar_memory(float value) {
    memory_owner made;
    ok(dnnl_memory_create_host_scalar(made.out(), scalar(), &value));
    return made;
}

template <class T> T queried(const_dnnl_memory_desc_t md, dnnl_query_t what, int index = 0) {
    T value {};
    ok(dnnl_memory_desc_query_v2(md, what, index, &value));
    return value;
}

void refused(const std::string &what, dnnl_status_t status, const char *reason,
    dnnl_status_t expected = dnnl_invalid_arguments) {
    BOOST_TEST(status == expected, what);
    const std::string given = dnnl_ext_last_error();
    BOOST_TEST(given.find(reason) != std::string::npos, what << ": " << given);
}

} // namespace

BOOST_AUTO_TEST_CASE(buffers_of_descriptors) {
    const struct {
        const char *name;
        desc_owner md;
        std::vector<std::size_t> bytes;
    } rows[] = {{"csr", csr(), {24, 24, 24}}, {"csr without values", csr(0), {0, 0, 24}},
        {"coo", coo(), {12, 24, 24}}, {"packed", packed(), {0, 0, 0}}, {"dense", dense(), {140}},
        {"host scalar", scalar(dnnl_s64), {8}}};
    for (const auto &[name, md, bytes] : rows) {
        BOOST_TEST(queried<int>(md, dnnl_query_num_handles_s32) == static_cast<int>(bytes.size()));
        for (std::size_t i = 0; i < bytes.size(); ++i)
            BOOST_TEST(
                dnnl_memory_desc_get_size_v2(md, static_cast<int>(i)) == bytes[i], name << i);
        BOOST_TEST(dnnl_memory_desc_get_size_v2(md, static_cast<int>(bytes.size())) == 0u, name);
        BOOST_TEST(dnnl_memory_desc_get_size_v2(md, -1) == 0u, name);
        BOOST_TEST(dnnl_memory_desc_get_size(md) == bytes[0], name);
    }
    BOOST_TEST(dnnl_memory_desc_get_size_v2(nullptr, 0) == 0u);
}

BOOST_AUTO_TEST_CASE(queries) {
    const desc_owner by_rows = csr(), listed = coo(), one = scalar(dnnl_s8);
    BOOST_TEST(queried<dnnl_sparse_encoding_t>(by_rows, dnnl_query_sparse_encoding) == dnnl_csr);
    BOOST_TEST(queried<dnnl_sparse_encoding_t>(listed, dnnl_query_sparse_encoding) == dnnl_coo);
    BOOST_TEST(queried<dnnl_dim_t>(listed, dnnl_query_nnz_s64) == 6);
    BOOST_TEST(
        queried<dnnl_format_kind_t>(listed, dnnl_query_format_kind) == dnnl_format_kind_sparse);
    BOOST_TEST(queried<dnnl_data_type_t>(listed, dnnl_query_data_type) == dnnl_bf16);
    for (const int index : {1, 2}) {
        BOOST_TEST(queried<dnnl_data_type_t>(listed, dnnl_query_data_type, index) == dnnl_s32);
        BOOST_TEST(queried<dnnl_data_type_t>(by_rows, dnnl_query_data_type, index) == dnnl_s32);
    }
    BOOST_TEST(
        queried<dnnl_format_kind_t>(one, dnnl_query_format_kind) == dnnl_format_kind_host_scalar);
    BOOST_TEST(queried<int>(one, dnnl_query_ndims_s32) == 1);
    long long out = 0;
    refused("index of a dense tensor",
        dnnl_memory_desc_query_v2(dense(), dnnl_query_data_type, 1, &out), "index");
    refused("index of another query",
        dnnl_memory_desc_query_v2(by_rows, dnnl_query_ndims_s32, 1, &out), "index");
    refused("index beyond the buffers",
        dnnl_memory_desc_query_v2(by_rows, dnnl_query_data_type, 3, &out), "index");
    refused("encoding of a dense tensor",
        dnnl_memory_desc_query(dense(), dnnl_query_sparse_encoding, &out), "not sparse");
    refused("values of a dense tensor",
        dnnl_memory_desc_query_v2(dense(), dnnl_query_nnz_s64, 0, &out), "not sparse");
    refused(
        "no result", dnnl_memory_desc_query_v2(by_rows, dnnl_query_nnz_s64, 0, nullptr), "result");
    refused("no descriptor", dnnl_memory_desc_query_v2(nullptr, dnnl_query_nnz_s64, 0, &out),
        "memory_desc");
}

BOOST_AUTO_TEST_CASE(equality_and_blobs) {
    BOOST_TEST(dnnl_memory_desc_equal(csr(), csr()) == 1);
    BOOST_TEST(dnnl_memory_desc_equal(csr(), csr(7)) == 0);
    BOOST_TEST(dnnl_memory_desc_equal(csr(), coo()) == 0);
    BOOST_TEST(dnnl_memory_desc_equal(scalar(), scalar(dnnl_s32)) == 0);
    for (const desc_owner &md : {csr(), coo(), packed(), scalar()}) {
        std::size_t size = 0;
        ok(dnnl_memory_desc_get_blob(nullptr, &size, md));
        std::vector<std::uint8_t> blob(size);
        ok(dnnl_memory_desc_get_blob(blob.data(), &size, md));
        desc_owner again;
        ok(dnnl_memory_desc_create_with_blob(again.out(), blob.data()));
        BOOST_TEST(dnnl_memory_desc_equal(md, again) == 1);
    }
}

BOOST_AUTO_TEST_CASE(wrong_descriptors) {
    const auto make_csr = [](int ndims, const dnnl_dims_t dims, dnnl_data_type_t type,
                              dnnl_dim_t nnz) {
        desc_owner made;
        return dnnl_memory_desc_create_with_csr_encoding(
            made.out(), ndims, dims, type, nnz, dnnl_s32, dnnl_s32);
    };
    constexpr dnnl_dims_t cube {2, 2, 2}, negative {-1, 2}, endless {INT64_MAX, 1};
    refused("no output",
        dnnl_memory_desc_create_with_csr_encoding(
            nullptr, 2, five_by_seven, dnnl_f32, 6, dnnl_s32, dnnl_s32),
        "memory_desc");
    refused("three dimensions", make_csr(3, cube, dnnl_f32, 1), "ndims", dnnl_unimplemented);
    refused("no dims", make_csr(2, nullptr, dnnl_f32, 1), "dims");
    refused("a negative dimension", make_csr(2, negative, dnnl_f32, 1), "dims");
    refused("no type", make_csr(2, five_by_seven, dnnl_data_type_undef, 1), "data_type");
    refused("a negative count", make_csr(2, five_by_seven, dnnl_f32, -1), "nnz");
    refused("a count without end", make_csr(2, five_by_seven, dnnl_f32, INT64_MAX), "64 bits");
    refused("rows without end", make_csr(2, endless, dnnl_u8, 1), "64 bits");
    BOOST_TEST(make_csr(0, nullptr, dnnl_f32, 0) == dnnl_success); // the zero descriptor
    desc_owner made;
    refused("a cube by coordinates",
        dnnl_memory_desc_create_with_coo_encoding(made.out(), 3, cube, dnnl_f32, 1, dnnl_s32),
        "ndims", dnnl_unimplemented);
    ok(dnnl_memory_desc_create_with_packed_encoding(made.out(), 3, cube, dnnl_s8, 1));
    refused("a scalar without type",
        dnnl_memory_desc_create_host_scalar(made.out(), dnnl_data_type_undef), "data_type");
    refused("a scalar without output", dnnl_memory_desc_create_host_scalar(nullptr, dnnl_f32),
        "memory_desc");
    desc_owner region;
    constexpr dnnl_dims_t zeros {0, 0};
    refused("a region of a sparse tensor",
        dnnl_memory_desc_create_submemory(region.out(), csr(), five_by_seven, zeros), "layout");
    refused("reshaping a sparse tensor",
        dnnl_memory_desc_reshape(region.out(), csr(), 2, five_by_seven), "layout");
}

BOOST_AUTO_TEST_CASE(buffers_of_memories) {
    std::array<float, 6> values {};
    std::array<std::int32_t, 6> columns {}, rows {};
    const memory_owner made = memory_of(csr(), {values.data(), columns.data(), rows.data()});
    const void *const expected[] = {values.data(), columns.data(), rows.data()};
    for (int i = 0; i < 3; ++i) {
        void *handle = nullptr, *mapped = nullptr;
        ok(dnnl_memory_get_data_handle_v2(made, &handle, i));
        ok(dnnl_memory_map_data_v2(made, &mapped, i));
        BOOST_TEST((handle == expected[i] && mapped == expected[i]));
        ok(dnnl_memory_unmap_data_v2(made, mapped, i));
    }
    ok(dnnl_memory_set_data_handle_v2(made, rows.data(), 1));
    void *handle = nullptr;
    ok(dnnl_memory_get_data_handle_v2(made, &handle, 1));
    BOOST_TEST(handle == rows.data());
    ok(dnnl_memory_get_data_handle(made, &handle)); // the one of the first interface
    BOOST_TEST(handle == values.data());
    for (const int index : {-1, 3}) {
        refused("get", dnnl_memory_get_data_handle_v2(made, &handle, index), "index");
        refused("set", dnnl_memory_set_data_handle_v2(made, nullptr, index), "index");
        refused("map", dnnl_memory_map_data_v2(made, &handle, index), "index");
        refused("unmap", dnnl_memory_unmap_data_v2(made, handle, index), "index");
    }
    refused("no handle", dnnl_memory_get_data_handle_v2(made, nullptr, 0), "handle");
    handle = &handle;
    ok(dnnl_memory_get_data_handle_v2(nullptr, &handle, 0));
    BOOST_TEST(handle == nullptr);
    refused("set of none", dnnl_memory_set_data_handle_v2(nullptr, nullptr, 0), "memory");
    refused("map of none", dnnl_memory_map_data_v2(nullptr, &handle, 0), "memory");
    refused("map to nowhere", dnnl_memory_map_data_v2(made, nullptr, 0), "mapped_ptr");
}

BOOST_AUTO_TEST_CASE(buffers_of_the_library) {
    const memory_owner made =
        memory_of(coo(), {DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_NONE, DNNL_MEMORY_ALLOCATE});
    void *handles[3] = {};
    for (int i = 0; i < 3; ++i) ok(dnnl_memory_get_data_handle_v2(made, &handles[i], i));
    BOOST_TEST((handles[0] && !handles[1] && handles[2]));
    std::memset(handles[0], 1, dnnl_memory_desc_get_size_v2(coo(), 0));
    std::memset(handles[2], 1, dnnl_memory_desc_get_size_v2(coo(), 2));
}

BOOST_AUTO_TEST_CASE(wrong_memories) {
    const auto create = [](const_dnnl_memory_desc_t md, int count, void **handles) {
        memory_owner made;
        return dnnl_memory_create_v2(made.out(), md, engine(), count, handles);
    };
    void *handles[4] = {};
    refused("no handles", create(csr(), 3, nullptr), "handles");
    refused("none of them", create(csr(), 0, handles), "nhandles");
    refused("fewer than none", create(csr(), -1, handles), "nhandles");
    refused("too many", create(csr(), 4, handles), "nhandles");
    refused("a host scalar", create(scalar(), 1, handles), "host");
    refused("packed weights", create(packed(), 3, handles), "packed");
    BOOST_TEST(create(nullptr, 1, handles) == dnnl_success); // the zero descriptor
    memory_owner made;
    refused("no engine", dnnl_memory_create_v2(made.out(), csr(), nullptr, 3, handles), "engine");
    refused("no output", dnnl_memory_create_v2(nullptr, csr(), engine(), 3, handles), "memory");
    float one = 1;
    refused("a dense host scalar", dnnl_memory_create_host_scalar(made.out(), dense(), &one),
        "host scalar");
    refused("a scalar of nothing", dnnl_memory_create_host_scalar(made.out(), scalar(), nullptr),
        "scalar_ptr");
    refused("a scalar without descriptor",
        dnnl_memory_create_host_scalar(made.out(), nullptr, &one), "memory_desc");
    refused(
        "a scalar to nowhere", dnnl_memory_create_host_scalar(nullptr, scalar(), &one), "memory");
}

BOOST_AUTO_TEST_CASE(values_of_host_scalars) {
    float value = 2.5f;
    const memory_owner made = scalar_memory(value);
    float read = 0;
    ok(dnnl_memory_get_host_scalar_value(made, &read));
    BOOST_TEST(read == 2.5f);
    value = -1;
    ok(dnnl_memory_set_host_scalar_value(made, &value));
    void *mapped = nullptr;
    ok(dnnl_memory_map_data(made, &mapped));
    std::memcpy(&read, mapped, sizeof read);
    BOOST_TEST(read == -1.f);
    dnnl_engine_t its_engine = engine();
    ok(dnnl_memory_get_engine(made, &its_engine));
    BOOST_TEST(its_engine == nullptr);
    void *handle = nullptr;
    refused("its handle", dnnl_memory_get_data_handle(made, &handle), "host scalar");
    refused("another handle", dnnl_memory_set_data_handle(made, handle), "host scalar");
    refused("a value of none", dnnl_memory_get_host_scalar_value(nullptr, &read), "memory");
    refused("a value to nowhere", dnnl_memory_get_host_scalar_value(made, nullptr), "value");
    refused("no value", dnnl_memory_set_host_scalar_value(made, nullptr), "value");
    const std::vector<void *> own(1, DNNL_MEMORY_ALLOCATE);
    const memory_owner tensor = memory_of(dense(), own);
    refused("a tensor's value", dnnl_memory_get_host_scalar_value(tensor, &read), "host scalar");
    refused("setting it", dnnl_memory_set_host_scalar_value(tensor, &read), "host scalar");
}

BOOST_AUTO_TEST_CASE(where_they_do_not_belong) {
    // Every constructor goes through the same check; eltwise and concat stand for it.
    const desc_owner plain = dense();
    primitive_desc_owner made;
    refused("a host scalar as a tensor",
        dnnl_eltwise_forward_primitive_desc_create(made.out(), engine(), dnnl_forward_inference,
            dnnl_eltwise_relu, scalar(), plain, 0, 0, nullptr),
        "host scalar");
    refused("a sparse tensor",
        dnnl_eltwise_forward_primitive_desc_create(made.out(), engine(), dnnl_forward_inference,
            dnnl_eltwise_relu, csr(), plain, 0, 0, nullptr),
        "sparse", dnnl_unimplemented);
    const desc_owner sparse = csr();
    const const_dnnl_memory_desc_t sources[] = {plain, sparse};
    refused("a sparse source",
        dnnl_concat_primitive_desc_create(made.out(), engine(), nullptr, 2, 0, sources, nullptr),
        "sparse", dnnl_unimplemented);
    const post_ops_owner chain = [] {
        post_ops_owner owned;
        ok(dnnl_post_ops_create(owned.out()));
        return owned;
    }();
    BOOST_TEST(dnnl_post_ops_append_binary(chain, dnnl_binary_add, sparse) != dnnl_success);
}

BOOST_AUTO_TEST_CASE(scales_on_the_host) {
    // u8 = 4 * f32 / 0.5 + 3 by a reorder, all three values host scalars; then with another value.
    using dnnl::memory;
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const memory::desc from({4}, memory::data_type::f32, memory::format_tag::a);
    const memory::desc to({4}, memory::data_type::u8, memory::format_tag::a);
    dnnl::primitive_attr attr;
    attr.set_host_scale(DNNL_ARG_SRC);
    attr.set_host_scale(DNNL_ARG_DST);
    attr.set_host_zero_point(DNNL_ARG_DST);
    const dnnl::reorder quantize(dnnl::reorder::primitive_desc(cpu, from, cpu, to, attr));
    std::array<float, 4> values {0, 1, 2, 3};
    std::array<std::uint8_t, 4> results {};
    const memory src_scale(memory::desc::host_scalar(memory::data_type::f32), 4.f);
    const memory dst_scale(memory::desc::host_scalar(memory::data_type::f32), 0.5f);
    const memory zero_point(memory::desc::host_scalar(memory::data_type::s32), std::int32_t {3});
    const auto run = [&] {
        quantize.execute(stream, {{DNNL_ARG_FROM, memory(from, cpu, values.data())},
                                     {DNNL_ARG_TO, memory(to, cpu, results.data())},
                                     {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, src_scale},
                                     {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, dst_scale},
                                     {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, zero_point}});
        stream.wait();
    };
    run();
    BOOST_TEST((results == std::array<std::uint8_t, 4> {3, 11, 19, 27}));
    zero_point.set_host_scalar_value(std::int32_t {0});
    dst_scale.set_host_scalar_value(1.f);
    run();
    BOOST_TEST((results == std::array<std::uint8_t, 4> {0, 4, 8, 12}));
    BOOST_TEST(src_scale.get_host_scalar_value<float>() == 4.f);
    BOOST_CHECK_THROW(src_scale.get_host_scalar_value<double>(), dnnl::error);
    BOOST_CHECK_THROW(src_scale.set_host_scalar_value(std::int8_t {1}), dnnl::error);
    BOOST_CHECK_THROW(memory(memory::desc::host_scalar(memory::data_type::f32), 1.0), dnnl::error);
}

BOOST_AUTO_TEST_CASE(classes) {
    using dnnl::memory;
    using kind = memory::format_kind;
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const auto f32 = memory::data_type::f32, s32 = memory::data_type::s32;
    const memory::desc by_rows = memory::desc::csr({5, 7}, f32, 6, s32, s32);
    BOOST_TEST((by_rows.get_format_kind() == kind::sparse));
    BOOST_TEST((by_rows.get_sparse_encoding() == memory::sparse_encoding::csr));
    BOOST_TEST(by_rows.get_num_handles() == 3);
    BOOST_TEST(by_rows.get_nnz() == 6);
    BOOST_TEST((by_rows.get_data_type(2) == s32 && by_rows.get_data_type() == f32));
    BOOST_TEST(by_rows.get_size(2) == 24u);
    BOOST_TEST(memory::desc::coo({5, 7}, f32, 6, s32).get_num_handles() == 3);
    BOOST_TEST(memory::desc::packed({5, 7}, memory::data_type::s8, 6).get_nnz() == 6);
    BOOST_TEST(!memory::desc::csr({5, 7, 2}, f32, 6, s32, s32, true));
    const memory owned(by_rows, cpu);
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(owned.get_data_handle(i) != nullptr);
        BOOST_TEST(owned.map_data(i) == owned.get_data_handle(i));
        owned.unmap_data(owned.get_data_handle(i), i);
    }
    std::array<std::int32_t, 6> places {};
    const memory users(by_rows, cpu, {places.data(), places.data(), places.data()});
    users.set_data_handle(nullptr, 1);
    BOOST_TEST((users.get_data_handle(1) == nullptr && users.get_data_handle(2) == places.data()));
    BOOST_TEST(std::string(dnnl_sparse_encoding2str(dnnl_coo)) == "coo");
    BOOST_TEST(std::string(dnnl_fmt_kind2str(dnnl_format_kind_host_scalar)) == "host_scalar");
    BOOST_TEST(std::string(dnnl_dt2str(dnnl_s64)) == "s64");
}
