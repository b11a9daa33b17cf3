// SPDX-License-Identifier: Apache-2.0
// Misuse of the C API, one wrong thing per row: the status, a reason that begins with the
// argument's name, outputs as they were and no memory left behind.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <climits>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define DNNL_EXPERIMENTAL_PROFILING
#include "api/heap.hpp"
#include "api/output.hpp"
#include "common/layout/memory_desc.hpp"
#include "dnnl/dnnl.h"

namespace {

using api_tests::output;

struct row {
    const char *id, *argument;
    dnnl_status_t expected;
    std::function<dnnl_status_t(output &)> call;
};

/// Calls again: what the first call may have kept for the process is there now.
void check_balance(const row &r) {
    output out;
    const long before = heap::live_blocks();
    r.call(out);
    const long after = heap::live_blocks();
    BOOST_TEST(after == before, r.id << ": " << after - before << " blocks were left behind");
}

void check(const std::vector<row> &rows) {
    for (const row &r : rows) {
        output out;
        const dnnl_status_t status = r.call(out);
        BOOST_TEST(status == r.expected,
            r.id << ": status " << status << ", reason: " << dnnl_ext_last_error());
        BOOST_TEST(out.untouched(), r.id << ": the output was written");
        const std::string reason = dnnl_ext_last_error();
        BOOST_TEST(reason.starts_with(std::string(r.argument) + ":"), r.id << ": " << reason);
        check_balance(r);
    }
}

constexpr dnnl_status_t invalid = dnnl_invalid_arguments, missing = dnnl_unimplemented;

const dnnl_dims_t two = {2, 3};

/// One valid object of each kind.
struct objects {
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
    dnnl_memory_desc_t md = nullptr, any = nullptr, runtime = nullptr, blocked = nullptr;
    dnnl_memory_t memory = nullptr;
    dnnl_primitive_attr_t attr = nullptr;
    dnnl_post_ops_t post_ops = nullptr;

    objects() {
        const dnnl_dims_t run = {DNNL_RUNTIME_DIM_VAL, 3}, wide = {2, 40, 1};
        dnnl_engine_create(&engine, dnnl_cpu, 0);
        dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
        dnnl_memory_desc_create_with_tag(&md, 2, two, dnnl_f32, dnnl_ab);
        dnnl_memory_desc_create_with_tag(&any, 2, two, dnnl_f32, dnnl_format_tag_any);
        dnnl_memory_desc_create_with_tag(&runtime, 2, run, dnnl_f32, dnnl_ab);
        dnnl_memory_desc_create_with_tag(&blocked, 3, wide, dnnl_f32, dnnl_aBc16b);
        dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE);
        dnnl_primitive_attr_create(&attr);
        dnnl_post_ops_create(&post_ops);
        dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0);
    }
    ~objects() {
        dnnl_post_ops_destroy(post_ops);
        dnnl_primitive_attr_destroy(attr);
        dnnl_memory_destroy(memory);
        for (dnnl_memory_desc_t desc : {md, any, runtime, blocked}) dnnl_memory_desc_destroy(desc);
        dnnl_stream_destroy(stream);
        dnnl_engine_destroy(engine);
    }
};

dnnl_status_t tagged(
    output &out, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t type, int tag) {
    return dnnl_memory_desc_create_with_tag(
        out, ndims, dims, type, static_cast<dnnl_format_tag_t>(tag));
}

} // namespace

BOOST_FIXTURE_TEST_CASE(engines_and_streams, objects) {
    const auto other_kind = static_cast<dnnl_engine_kind_t>(99);
    check({
        {"E01", "engine", invalid,
            [](output &) { return dnnl_engine_create(nullptr, dnnl_cpu, 0); }},
        {"E02", "index", invalid, [](output &o) { return dnnl_engine_create(o, dnnl_cpu, 1); }},
        {"E03", "kind", invalid,
            [](output &o) { return dnnl_engine_create(o, dnnl_any_engine, 0); }},
        {"E04", "kind", invalid, [](output &o) { return dnnl_engine_create(o, dnnl_gpu, 0); }},
        {"E05", "kind", invalid, [=](output &o) { return dnnl_engine_create(o, other_kind, 0); }},
        {"E06", "engine", invalid, [](output &o) { return dnnl_engine_get_kind(nullptr, o); }},
        {"E07", "kind", invalid, [&](output &) { return dnnl_engine_get_kind(engine, nullptr); }},
        {"S01", "engine", invalid, [](output &o) { return dnnl_stream_create(o, nullptr, 1); }},
        {"S02", "stream", invalid,
            [&](output &) { return dnnl_stream_create(nullptr, engine, 1); }},
        {"S04", "flags", invalid, [&](output &o) { return dnnl_stream_create(o, engine, 3); }},
        {"S06", "flags", invalid, [&](output &o) { return dnnl_stream_create(o, engine, 0x100); }},
        {"profiling", "flags", missing,
            [&](output &o) { return dnnl_stream_create(o, engine, 4); }},
        {"S07", "stream", invalid, [](output &) { return dnnl_stream_wait(nullptr); }},
        {"S09", "stream", invalid, [](output &o) { return dnnl_stream_get_engine(nullptr, o); }},
        {"S09b", "engine", invalid,
            [&](output &) { return dnnl_stream_get_engine(stream, nullptr); }},
    });
    BOOST_TEST(dnnl_engine_get_count(other_kind) == 0u);
}

BOOST_AUTO_TEST_CASE(descriptors_by_tag) {
    static const dnnl_dims_t huge = {dnnl_dim_t {1} << 62, 4}, most = {1, INT64_MAX, 1, 1};
    static const dnnl_dims_t negative = {-2, 3}, run = {DNNL_RUNTIME_DIM_VAL, 3},
                             four = {2, 3, 4, 5};
    static const dnnl_dims_t bytes = {dnnl_dim_t {1} << 61};
    const auto type = static_cast<dnnl_data_type_t>(999);
    check({
        {"D01", "memory_desc", invalid,
            [](output &) {
                return dnnl_memory_desc_create_with_tag(nullptr, 2, two, dnnl_f32, dnnl_ab);
            }},
        {"D02", "ndims", invalid, [](output &o) { return tagged(o, 13, two, dnnl_f32, dnnl_ab); }},
        {"D03", "ndims", invalid, [](output &o) { return tagged(o, -1, two, dnnl_f32, dnnl_ab); }},
        {"D05", "dims", invalid,
            [](output &o) { return tagged(o, 2, nullptr, dnnl_f32, dnnl_ab); }},
        {"D06", "dims", invalid,
            [](output &o) { return tagged(o, 2, negative, dnnl_f32, dnnl_ab); }},
        {"D07", "data_type", invalid,
            [](output &o) { return tagged(o, 2, two, dnnl_data_type_undef, dnnl_ab); }},
        {"D08", "data_type", invalid, [=](output &o) { return tagged(o, 2, two, type, dnnl_ab); }},
        {"D10", "format_tag", invalid,
            [](output &o) { return tagged(o, 2, two, dnnl_f32, 99999); }},
        {"D11", "format_tag", invalid,
            [](output &o) { return tagged(o, 2, two, dnnl_f32, dnnl_abcd); }},
        {"D12", "format_tag", invalid,
            [](output &o) { return tagged(o, 4, four, dnnl_f32, dnnl_ab); }},
        {"D14", "dims", invalid, [](output &o) { return tagged(o, 2, huge, dnnl_f32, dnnl_ab); }},
        {"D16", "dims", invalid,
            [](output &o) { return tagged(o, 4, most, dnnl_f32, dnnl_aBcd16b); }},
        {"D17", "dims", invalid, [](output &o) { return tagged(o, 1, bytes, dnnl_f32, dnnl_a); }},
        {"any with run-time dims", "dims", invalid,
            [](output &o) { return tagged(o, 2, run, dnnl_f32, dnnl_format_tag_any); }},
    });
}

BOOST_AUTO_TEST_CASE(descriptors_by_strides) {
    const auto strided = [](output &out, dnnl_dim_t s0, dnnl_dim_t s1, dnnl_data_type_t type) {
        const dnnl_dims_t strides = {s0, s1};
        return dnnl_memory_desc_create_with_strides(out, 2, two, type, strides);
    };
    check({
        {"D18", "strides", invalid, [=](output &o) { return strided(o, -3, 1, dnnl_f32); }},
        {"D20", "strides", invalid, [=](output &o) { return strided(o, 1, 1, dnnl_f32); }},
        {"D22", "dims", invalid,
            [=](output &o) { return strided(o, INT64_MAX / 2 + 1, 1, dnnl_f32); }},
        {"D24", "data_type", invalid,
            [=](output &o) { return strided(o, 3, 1, dnnl_data_type_undef); }},
    });
}

BOOST_FIXTURE_TEST_CASE(descriptors_from_descriptors, objects) {
    static const dnnl_dims_t beyond = {1, 1}, negative = {-1, 0}, zero = {0, 0}, off = {0, 8, 0};
    static const dnnl_dims_t half = {2, 16, 1}, other = {2, 4}, joined = {6};
    static const int twice[] = {0, 0}, outside[] = {0, 2};
    const auto region = [](output &o, const_dnnl_memory_desc_t parent, const dnnl_dim_t *dims,
                            const dnnl_dim_t *offsets) {
        return dnnl_memory_desc_create_submemory(o, parent, dims, offsets);
    };
    const dnnl_dims_t gaps = {4, 1};
    dnnl_memory_desc_t strided = nullptr;
    dnnl_memory_desc_create_with_strides(&strided, 2, two, dnnl_f32, gaps);
    check({
        {"D25", "dims or offsets", invalid,
            [=, this](output &o) { return region(o, md, two, beyond); }},
        {"D26", "dims or offsets", invalid,
            [=, this](output &o) { return region(o, md, two, negative); }},
        {"D27", "offsets", missing, [=, this](output &o) { return region(o, blocked, half, off); }},
        {"D28", "parent_memory_desc", missing,
            [=, this](output &o) { return region(o, any, two, zero); }},
        {"D29", "parent_memory_desc", invalid,
            [=](output &o) { return region(o, nullptr, two, zero); }},
        {"D30", "dims", invalid,
            [&](output &o) { return dnnl_memory_desc_reshape(o, md, 2, other); }},
        {"D31", "dims", invalid,
            [&](output &o) { return dnnl_memory_desc_reshape(o, strided, 1, joined); }},
        {"D32", "ndims", invalid,
            [&](output &o) { return dnnl_memory_desc_reshape(o, md, 13, other); }},
        {"reshape of NULL", "in_memory_desc", invalid,
            [&](output &o) { return dnnl_memory_desc_reshape(o, nullptr, 2, two); }},
        {"D33", "permutation", invalid,
            [&](output &o) { return dnnl_memory_desc_permute_axes(o, md, twice); }},
        {"D34", "permutation", invalid,
            [&](output &o) { return dnnl_memory_desc_permute_axes(o, md, outside); }},
        {"D35", "permutation", invalid,
            [&](output &o) { return dnnl_memory_desc_permute_axes(o, md, nullptr); }},
        {"D45", "existing_memory_desc", invalid,
            [&](output &o) { return dnnl_memory_desc_clone(o, nullptr); }},
        {"D45b", "memory_desc", invalid,
            [&](output &) { return dnnl_memory_desc_clone(nullptr, md); }},
    });
    dnnl_memory_desc_destroy(strided);
}

BOOST_AUTO_TEST_CASE(blobs_of_the_largest_tensors) {
    const dnnl_dims_t dims = {INT64_MAX};
    for (const dnnl_data_type_t type : {dnnl_s8, dnnl_s4}) {
        dnnl_memory_desc_t md = nullptr, copy = nullptr;
        BOOST_TEST_REQUIRE(
            dnnl_memory_desc_create_with_strides(&md, 1, dims, type, nullptr) == dnnl_success);
        size_t bytes = 0;
        BOOST_TEST(dnnl_memory_desc_get_blob(nullptr, &bytes, md) == dnnl_success);
        std::vector<uint8_t> blob(bytes);
        BOOST_TEST(dnnl_memory_desc_get_blob(blob.data(), &bytes, md) == dnnl_success);
        BOOST_TEST_REQUIRE(dnnl_memory_desc_create_with_blob(&copy, blob.data()) == dnnl_success);
        BOOST_TEST(dnnl_memory_desc_equal(copy, md));
        dnnl_memory_desc_destroy(copy);
        dnnl_memory_desc_destroy(md);
    }
}

BOOST_FIXTURE_TEST_CASE(queries_and_blobs_of_descriptors, objects) {
    size_t bytes = 0;
    BOOST_TEST(dnnl_memory_desc_get_blob(nullptr, &bytes, md) == dnnl_success);
    std::vector<uint8_t> blob(bytes), ones(bytes, 0xff), zeros(bytes);
    BOOST_TEST(dnnl_memory_desc_get_blob(blob.data(), &bytes, md) == dnnl_success);
    std::vector<uint8_t> forged = blob;
    const int thousand = 1000;
    std::memcpy(forged.data(), &thousand, sizeof thousand);
    size_t short_by_one = bytes - 1;
    std::vector<uint8_t> guard(bytes, 0xa5);
    const auto create = [](output &o, const std::vector<uint8_t> &b) {
        return dnnl_memory_desc_create_with_blob(o, b.data());
    };
    check({
        {"D39", "memory_desc", invalid,
            [](output &o) { return dnnl_memory_desc_query(nullptr, dnnl_query_dims, o); }},
        {"D40", "result", invalid,
            [&](output &) { return dnnl_memory_desc_query(md, dnnl_query_dims, nullptr); }},
        {"D41", "what", missing,
            [&](output &o) { return dnnl_memory_desc_query(md, dnnl_query_engine, o); }},
        {"D42", "what", invalid,
            [&](output &o) { return dnnl_memory_desc_query(any, dnnl_query_strides, o); }},
        {"D46", "size", invalid,
            [&](output &o) { return dnnl_memory_desc_get_blob(o, nullptr, md); }},
        {"D46b", "memory_desc", invalid,
            [&](output &o) { return dnnl_memory_desc_get_blob(nullptr, o, nullptr); }},
        {"D47", "size", invalid,
            [&](output &) { return dnnl_memory_desc_get_blob(guard.data(), &short_by_one, md); }},
        {"D48", "blob", invalid,
            [](output &o) { return dnnl_memory_desc_create_with_blob(o, nullptr); }},
        {"D49", "blob", invalid, [&](output &o) { return create(o, ones); }},
        {"all-zero blob", "blob", invalid, [&](output &o) { return create(o, zeros); }},
        {"D50", "blob", invalid, [&](output &o) { return create(o, forged); }},
    });
    BOOST_TEST((guard == std::vector<uint8_t>(bytes, 0xa5)));
    BOOST_TEST(dnnl_memory_desc_get_size(nullptr) == 0u); // D36
    BOOST_TEST(dnnl_memory_desc_get_size(any) == 0u);     // D37
    BOOST_TEST(dnnl_memory_desc_equal(nullptr, md) == 0); // D43
    BOOST_TEST(dnnl_memory_desc_equal(nullptr, nullptr) == 1);
    BOOST_TEST(dnnl_data_type_size(static_cast<dnnl_data_type_t>(999)) == 0u); // GLB
}

BOOST_FIXTURE_TEST_CASE(memories, objects) {
    void *const none = DNNL_MEMORY_NONE;
    check({
        {"M01", "memory", invalid,
            [&](output &) { return dnnl_memory_create(nullptr, md, engine, none); }},
        {"M02", "engine", invalid,
            [&](output &o) { return dnnl_memory_create(o, md, nullptr, none); }},
        {"M04", "memory_desc", invalid,
            [&](output &o) { return dnnl_memory_create(o, any, engine, none); }},
        {"M05", "memory_desc", invalid,
            [&](output &o) { return dnnl_memory_create(o, runtime, engine, none); }},
        {"M11", "memory", invalid,
            [&](output &) { return dnnl_memory_set_data_handle(nullptr, none); }},
        {"M12", "handle", invalid,
            [&](output &) { return dnnl_memory_get_data_handle(memory, nullptr); }},
        {"M13", "memory", invalid, [&](output &o) { return dnnl_memory_map_data(nullptr, o); }},
        {"M13b", "mapped_ptr", invalid,
            [&](output &) { return dnnl_memory_map_data(memory, nullptr); }},
        {"unmap", "memory", invalid,
            [&](output &) { return dnnl_memory_unmap_data(nullptr, none); }},
        {"get_engine", "memory", invalid,
            [&](output &o) { return dnnl_memory_get_engine(nullptr, o); }},
        {"get_memory_desc", "memory", invalid,
            [&](output &o) { return dnnl_memory_get_memory_desc(nullptr, o); }},
    });
    void *handle = &handle;
    BOOST_TEST(dnnl_memory_get_data_handle(nullptr, &handle) == dnnl_success);
    BOOST_TEST(handle == nullptr);
}

BOOST_FIXTURE_TEST_CASE(attributes, objects) {
    static const dnnl_dims_t minus_four = {-4, 1}, ones = {1, 1};
    static const float scale = 1;
    const dnnl_primitive_attr_t a = attr;
    const const_dnnl_memory_desc_t mask = md; // of f32
    const dnnl::impl::memory_desc none;
    const const_dnnl_memory_desc_t zero = &none;
    const auto bad = [](auto like) { return static_cast<decltype(like)>(99); };
    const auto scales = [a](int arg, int mask, int n, const dnnl_dim_t *groups,
                            dnnl_data_type_t t) {
        return dnnl_primitive_attr_set_scales(a, arg, mask, n, groups, t);
    };
    check({
        {"A01", "attr", invalid, [](output &) { return dnnl_primitive_attr_create(nullptr); }},
        {"A02", "mode", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_fpmath_mode(a, bad(dnnl_fpmath_mode_any));
            }},
        {"A03", "mode", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_scratchpad_mode(a, bad(dnnl_scratchpad_mode_user));
            }},
        {"A04", "mode", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_accumulation_mode(
                    a, bad(dnnl_accumulation_mode_any));
            }},
        {"A05", "arg", invalid,
            [=](output &) { return scales(DNNL_ARG_BIAS, 0, 0, nullptr, dnnl_f32); }},
        {"A06", "mask", invalid, [=](output &) { return scales(1, -1, 0, nullptr, dnnl_f32); }},
        {"A07", "attr", invalid,
            [](output &) { return dnnl_primitive_attr_set_scales_mask(nullptr, 1, 0); }},
        {"A08", "ndims", invalid, [=](output &) { return scales(1, 0, -1, nullptr, dnnl_f32); }},
        {"A09", "group_dims", invalid,
            [=](output &) { return scales(1, 3, 2, minus_four, dnnl_f32); }},
        {"A09b", "group_dims", invalid,
            [=](output &) { return scales(1, 3, 2, nullptr, dnnl_f32); }},
        {"A09c", "ndims", invalid, [=](output &) { return scales(1, 3, 1, ones, dnnl_f32); }},
        {"A10", "data_type", invalid,
            [=](output &) { return scales(1, 0, 0, nullptr, dnnl_data_type_undef); }},
        {"A11", "data_type", invalid, [=](output &) { return scales(1, 0, 0, nullptr, dnnl_s8); }},
        {"A12", "arg", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_zero_points_mask(a, DNNL_ARG_BIAS, 0);
            }},
        {"A13", "data_type", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_zero_points(a, 1, 0, 0, nullptr, dnnl_f32);
            }},
        {"zero points, mask -1", "mask", invalid,
            [=](output &) { return dnnl_primitive_attr_set_zero_points_mask(a, 1, -1); }},
        {"A14", "post_ops", invalid,
            [=](output &) { return dnnl_primitive_attr_set_post_ops(a, nullptr); }},
        {"A27", "count", invalid,
            [=](output &) { return dnnl_primitive_attr_set_rnn_weights_qparams(a, 0, 0, &scale); }},
        {"A28", "scales", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_rnn_weights_qparams(a, 1, 0, nullptr);
            }},
        {"A29", "mask", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_rnn_weights_qparams(a, 1, -1, &scale);
            }},
        {"A30", "mode", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_rounding(
                    a, DNNL_ARG_DST, bad(dnnl_rounding_mode_stochastic));
            }},
        {"A31", "arg", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_rounding(
                    a, DNNL_ARG_SRC, dnnl_rounding_mode_stochastic);
            }},
        {"A34", "existing_attr", invalid,
            [](output &o) { return dnnl_primitive_attr_clone(o, nullptr); }},
        {"A37", "mask_desc", invalid,
            [=](output &) { return dnnl_primitive_attr_set_dropout(a, nullptr); }},
        {"dropout, a mask of f32", "mask_desc", invalid,
            [=](output &) { return dnnl_primitive_attr_set_dropout(a, mask); }},
        {"dropout, a seed of f32", "seed_dt", invalid,
            [=](output &) { return dnnl_primitive_attr_set_dropout_v2(a, zero, dnnl_f32, 0, 0); }},
        {"get_dropout_v2", "attr", invalid,
            [](output &) {
                return dnnl_primitive_attr_get_dropout_v2(
                    nullptr, nullptr, nullptr, nullptr, nullptr);
            }},
        {"scales of f8_e5m2", "data_type", invalid,
            [=](output &) { return scales(1, 0, 0, nullptr, dnnl_f8_e5m2); }},
        {"one scale of e8m0", "mask", invalid,
            [=](output &) { return scales(1, 0, 0, nullptr, dnnl_e8m0); }},
        {"groups without a mask", "mask", invalid,
            [=](output &) { return scales(1, 0, 2, ones, dnnl_f32); }},
        {"scales of SRC_3", "arg", invalid,
            [=](output &) { return scales(DNNL_ARG_SRC_3, 0, 0, nullptr, dnnl_f32); }},
        {"quantization mode undef", "qmode", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_scales_v3(
                    a, 1, 0, 0, nullptr, dnnl_f32, 0, dnnl_quantization_mode_undef);
            }},
        {"quantization mode 99", "qmode", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_scales_v3(
                    a, 1, 0, 0, nullptr, dnnl_f32, 0, bad(dnnl_quantization_mode_dynamic_fp));
            }},
        {"many scales on the host", "is_on_host", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_scales_v2(a, 1, 1, 0, nullptr, dnnl_f32, 1);
            }},
        {"many zero points on the host", "is_on_host", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_zero_points_v2(a, 1, 1, 0, nullptr, dnnl_s32, 1);
            }},
        {"one zero point of s4", "mask", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_zero_points(a, 1, 0, 0, nullptr, dnnl_s4);
            }},
        {"zero points of dst of u8", "data_type", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_zero_points(a, DNNL_ARG_DST, 0, 0, nullptr, dnnl_u8);
            }},
        {"zero points of SRC_1", "arg", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_zero_points_mask(a, DNNL_ARG_SRC_1, 0);
            }},
        {"sums of weights", "arg", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_precomputed_reductions(
                    a, DNNL_ARG_WEIGHTS, 3, 2, ones, dnnl_s32);
            }},
        {"sums of f32", "data_type", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_precomputed_reductions(a, 1, 3, 2, ones, dnnl_f32);
            }},
        {"sums of nobody", "attr", invalid,
            [=](output &) {
                return dnnl_primitive_attr_set_precomputed_reductions(
                    nullptr, 1, 3, 2, ones, dnnl_s32);
            }},
        {"get_post_ops", "attr", invalid,
            [](output &o) { return dnnl_primitive_attr_get_post_ops(nullptr, o); }},
        {"get_scratchpad_mode", "mode", invalid,
            [=](output &) { return dnnl_primitive_attr_get_scratchpad_mode(a, nullptr); }},
    });
}

BOOST_FIXTURE_TEST_CASE(post_op_chains, objects) {
    const dnnl_post_ops_t p = post_ops;
    dnnl_post_ops_t full = nullptr;
    dnnl_post_ops_create(&full);
    for (int i = 0; i < 32; ++i)
        BOOST_TEST(dnnl_post_ops_append_eltwise(full, dnnl_eltwise_relu, 0, 0) == dnnl_success);
    const auto depthwise = [p](dnnl_data_type_t weights, dnnl_dim_t kernel, dnnl_dim_t stride) {
        return dnnl_post_ops_append_dw(p, weights, dnnl_f32, dnnl_f32, kernel, stride, 1);
    };
    check({
        {"A15", "post_ops", dnnl_out_of_memory,
            [=](output &) { return dnnl_post_ops_append_eltwise(full, dnnl_eltwise_relu, 0, 0); }},
        {"A16", "alg_kind", invalid,
            [=](output &) {
                return dnnl_post_ops_append_eltwise(p, dnnl_convolution_direct, 0, 0);
            }},
        {"clip", "alpha", invalid,
            [=](output &) { return dnnl_post_ops_append_eltwise(p, dnnl_eltwise_clip, 2, 1); }},
        {"A17", "alg_kind", invalid,
            [=, this](output &) { return dnnl_post_ops_append_binary(p, dnnl_eltwise_relu, md); }},
        {"select", "alg_kind", invalid,
            [=, this](output &) { return dnnl_post_ops_append_binary(p, dnnl_binary_select, md); }},
        {"A18", "src1_desc", invalid,
            [=](output &) { return dnnl_post_ops_append_binary(p, dnnl_binary_add, nullptr); }},
        {"run-time src1", "src1_desc", invalid,
            [=, this](
                output &) { return dnnl_post_ops_append_binary(p, dnnl_binary_add, runtime); }},
        {"PB01", "alg_kind", invalid,
            [=, this](
                output &) { return dnnl_post_ops_append_binary_v2(p, dnnl_eltwise_relu, md, md); }},
        {"PB02", "src1_desc", invalid,
            [=, this](output &) {
                return dnnl_post_ops_append_binary_v2(p, dnnl_binary_select, nullptr, md);
            }},
        {"PB03", "src2_desc", invalid,
            [=, this](output &) {
                return dnnl_post_ops_append_binary_v2(p, dnnl_binary_select, md, nullptr);
            }},
        {"PB04", "src2_desc", invalid,
            [=, this](output &) {
                return dnnl_post_ops_append_binary_v2(p, dnnl_binary_select, md, md);
            }},
        {"PB05", "src2_desc", invalid,
            [=, this](output &) {
                return dnnl_post_ops_append_binary_v2(p, dnnl_binary_select, md, runtime);
            }},
        {"PB05 src1", "src1_desc", invalid,
            [=, this](output &) {
                return dnnl_post_ops_append_binary_v2(p, dnnl_binary_add, runtime, nullptr);
            }},
        {"PB06", "post_ops", invalid,
            [=, this](output &) {
                return dnnl_post_ops_append_binary_v2(nullptr, dnnl_binary_add, md, nullptr);
            }},
        {"PB07", "post_ops", dnnl_out_of_memory,
            [=, this](output &) {
                return dnnl_post_ops_append_binary_v2(full, dnnl_binary_add, md, nullptr);
            }},
        {"PB08", "index", invalid,
            [=](output &) {
                return dnnl_post_ops_get_params_binary_v2(p, 9, nullptr, nullptr, nullptr);
            }},
        {"PB09", "index", invalid,
            [=](output &) {
                return dnnl_post_ops_get_params_binary_v2(p, 0, nullptr, nullptr, nullptr);
            }},
        {"PB10", "post_ops", invalid,
            [=](output &) {
                return dnnl_post_ops_get_params_binary_v2(nullptr, 0, nullptr, nullptr, nullptr);
            }},
        {"A19", "mask", invalid, [=](output &) { return dnnl_post_ops_append_prelu(p, -1); }},
        {"A21", "kernel_size", invalid, [=](output &) { return depthwise(dnnl_f32, 0, 1); }},
        {"A22", "stride_size", invalid, [=](output &) { return depthwise(dnnl_f32, 3, 0); }},
        {"dw undef", "weights_data_type", invalid,
            [=](output &) { return depthwise(dnnl_data_type_undef, 3, 1); }},
        {"A23", "index", invalid,
            [=](output &o) { return dnnl_post_ops_get_params_eltwise(p, 1, nullptr, o, nullptr); }},
        {"A24", "index", invalid,
            [=](output &o) { return dnnl_post_ops_get_params_sum(p, 0, o, nullptr, nullptr); }},
        {"append to NULL", "post_ops", invalid,
            [=](output &) { return dnnl_post_ops_append_sum(nullptr, 1, 0, dnnl_f32); }},
        {"clone of NULL", "existing_post_ops", invalid,
            [](output &o) { return dnnl_post_ops_clone(o, nullptr); }},
    });
    BOOST_TEST(dnnl_post_ops_len(p) == 1);
    BOOST_TEST(dnnl_post_ops_len(full) == 32);
    BOOST_TEST(dnnl_post_ops_len(nullptr) == 0);                          // A26
    BOOST_TEST(dnnl_post_ops_get_kind(p, 5) == dnnl_undefined_primitive); // A25
    BOOST_TEST(dnnl_post_ops_get_kind(nullptr, 0) == dnnl_undefined_primitive);
    dnnl_post_ops_destroy(full);
}

BOOST_FIXTURE_TEST_CASE(service, objects) {
    int entries = 0;
    check({
        {"A35", "mode", invalid,
            [](output &) {
                return dnnl_set_default_fpmath_mode(static_cast<dnnl_fpmath_mode_t>(99));
            }},
        {"GL1", "capacity", invalid,
            [](output &) { return dnnl_set_primitive_cache_capacity(-1); }},
        {"GL2", "capacity", invalid,
            [](output &) { return dnnl_get_primitive_cache_capacity(nullptr); }},
        {"GL3", "isa", invalid,
            [](output &) {
                dnnl_get_effective_cpu_isa();
                return dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
            }},
        {"GL4", "isa", invalid,
            [](output &) { return dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(0x1234567)); }},
        {"GL5", "level", invalid, [](output &) { return dnnl_set_verbose(-1); }},
        {"GL6", "level", invalid, [](output &) { return dnnl_set_verbose(99); }},
        {"GL8", "flags", invalid, [](output &) { return dnnl_set_jit_profiling_flags(0xffff); }},
        {"GLA", "isa_hints", invalid,
            [](output &) { return dnnl_set_cpu_isa_hints(static_cast<dnnl_cpu_isa_hints_t>(99)); }},
        {"hints after a query", "isa_hints", dnnl_runtime_error,
            [](output &) {
                dnnl_get_cpu_isa_hints();
                return dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints);
            }},
        {"profiling", "stream", missing,
            [&](output &o) {
                return dnnl_query_profiling_data(
                    stream, dnnl_profiling_data_kind_time, &entries, o);
            }},
        {"reset profiling", "stream", missing,
            [&](output &) { return dnnl_reset_profiling(stream); }},
    });
    BOOST_TEST(dnnl_set_jit_dump(5) == dnnl_success);                       // GL7
    BOOST_TEST(dnnl_set_jit_profiling_jitdumpdir(nullptr) == dnnl_success); // GL9
}

BOOST_AUTO_TEST_CASE(destroying_nothing_succeeds) {
    BOOST_TEST(dnnl_engine_destroy(nullptr) == dnnl_success);         // E08
    BOOST_TEST(dnnl_stream_destroy(nullptr) == dnnl_success);         // S08
    BOOST_TEST(dnnl_memory_desc_destroy(nullptr) == dnnl_success);    // D44
    BOOST_TEST(dnnl_memory_destroy(nullptr) == dnnl_success);         // M16
    BOOST_TEST(dnnl_primitive_attr_destroy(nullptr) == dnnl_success); // A32
    BOOST_TEST(dnnl_post_ops_destroy(nullptr) == dnnl_success);       // A33
}
