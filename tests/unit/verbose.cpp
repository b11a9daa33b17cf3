// SPDX-License-Identifier: Apache-2.0
// Verbose lines: the fields of each primitive in this process, whole output in child processes that
// this program starts from itself with ONEDNN_VERBOSE set.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "common/descriptors/describe.hpp"
#include "common/verbose/verbose.hpp"
#include "dnnl/dnnl.h"

using dnnl::impl::batch_normalization_desc;
using dnnl::impl::binary_desc;
using dnnl::impl::binary_post_op;
using dnnl::impl::concat_desc;
using dnnl::impl::convolution_desc;
using dnnl::impl::data_type;
using dnnl::impl::deconvolution_desc;
using dnnl::impl::depthwise_post_op;
using dnnl::impl::dim_t;
using dnnl::impl::eltwise_desc;
using dnnl::impl::eltwise_post_op;
using dnnl::impl::group_normalization_desc;
using dnnl::impl::inner_product_desc;
using dnnl::impl::isa;
using dnnl::impl::layer_normalization_desc;
using dnnl::impl::make_sparse;
using dnnl::impl::make_with_strides;
using dnnl::impl::make_with_tag;
using dnnl::impl::matmul_desc;
using dnnl::impl::memory_desc;
using dnnl::impl::op_desc;
using dnnl::impl::pooling_desc;
using dnnl::impl::prelu_desc;
using dnnl::impl::prelu_post_op;
using dnnl::impl::primitive_attr;
using dnnl::impl::problem;
using dnnl::impl::reduction_desc;
using dnnl::impl::reorder_desc;
using dnnl::impl::resampling_desc;
using dnnl::impl::runtime_dim;
using dnnl::impl::softmax_desc;
using dnnl::impl::submemory;
using dnnl::impl::sum_desc;
using dnnl::impl::sum_post_op;
namespace verbose = dnnl::impl::verbose;

namespace {

using list = std::vector<dim_t>;

memory_desc tagged(const list &dims, dnnl_format_tag_t tag, data_type type = data_type::f32) {
    return make_with_tag(static_cast<int>(dims.size()), dims.data(), type, tag);
}

std::string fields(const op_desc &op, const primitive_attr &attr = {}) {
    const problem p {op, attr, isa::none, {}};
    return verbose::fields_of(p, p);
}

} // namespace

// ---- Fields ----

BOOST_AUTO_TEST_CASE(tensor_items) {
    using dnnl::impl::tensor_item;
    const memory_desc nchw = tagged({2, 17, 3, 4}, dnnl_abcd);
    BOOST_TEST(tensor_item("src", nchw, false) == "src:f32::blocked:abcd::f0");
    BOOST_TEST(tensor_item("wei", nchw, true) == "wei:f32:a:blocked:abcd::f0");
    BOOST_TEST(tensor_item("bia", memory_desc {}, false) == "bia:undef::undef:::");
    const memory_desc blocked = tagged({2, 17, 3, 4}, dnnl_aBcd16b, data_type::u8);
    BOOST_TEST(tensor_item("src", blocked, false) == "src:u8:p:blocked:aBcd16b::f0");
    const dim_t matrix[] = {5, 7};
    const memory_desc by_rows =
        make_sparse(2, matrix, data_type::f16, {dnnl_csr, data_type::s32, data_type::s32, 6});
    BOOST_TEST(tensor_item("src", by_rows, false) == "src:f16::sparse:csr:");
    const dim_t dims[] = {2, 3}, strides[] = {1, 5}, offset[] = {0, 1}, part[] = {2, 2};
    const memory_desc strided = make_with_strides(2, dims, data_type::bf16, strides);
    BOOST_TEST(tensor_item("dst", strided, false) == "dst:bf16::blocked:ba:1x5:f0");
    const memory_desc region = submemory(tagged({2, 3}, dnnl_ab), part, offset);
    BOOST_TEST(tensor_item("src", region, false) == "src:f32:0:blocked:ab:3x1:f0");
    BOOST_TEST(
        tensor_item("src", tagged({2, 3}, dnnl_format_tag_any), true) == "src:f32:a:any:any::f0");
}

BOOST_AUTO_TEST_CASE(attribute_items) {
    primitive_attr attr;
    BOOST_TEST(verbose::attribute_items(attr).empty());
    attr.scratchpad = dnnl_scratchpad_mode_user;
    attr.fpmath = dnnl_fpmath_mode_bf16;
    attr.fpmath_apply_to_int = true;
    attr.scales.set({DNNL_ARG_WEIGHTS, 1});
    attr.scales.set({DNNL_ARG_WEIGHTS, 3, 2, {32, 1}, data_type::bf16});
    attr.scales.set({DNNL_ARG_DST, 0});
    attr.scales.set({DNNL_ARG_SRC, 0});
    attr.zero_points.set({DNNL_ARG_DST, 2, 0, {1, 1}, data_type::s32});
    attr.stochastic_rounding = {DNNL_ARG_DST};
    attr.deterministic = true;
    memory_desc strided = tagged({2, 8, 1, 1}, dnnl_abcd);
    strided.strides[0] = 32;
    attr.post_ops.entries = {sum_post_op {0.5f, 0, data_type::undef},
        sum_post_op {1, 3, data_type::s8}, sum_post_op {1, 0, data_type::undef},
        eltwise_post_op {dnnl_eltwise_relu, 0, 0}, eltwise_post_op {dnnl_eltwise_linear, 2, 0},
        eltwise_post_op {dnnl_eltwise_clip, 0, 6},
        binary_post_op {dnnl_binary_add, tagged({1, 8, 1, 1}, dnnl_abcd)},
        binary_post_op {dnnl_binary_mul, tagged({2, 8, 3, 4}, dnnl_acdb, data_type::s8)},
        binary_post_op {
            dnnl_binary_select, strided, tagged({2, 8, 3, 4}, dnnl_abcd, data_type::s8)},
        prelu_post_op {2},
        depthwise_post_op {data_type::s8, data_type::undef, data_type::u8, 3, 2, 1}};
    BOOST_TEST(verbose::attribute_items(attr) ==
               "attr-scratchpad:user attr-fpmath:bf16:true attr-rounding-mode:dst:stochastic "
               "attr-deterministic:1 attr-scales:src0:0:f32+dst:0:f32+wei:3:bf16:32x1 "
               "attr-zero-points:dst:2:s32 attr-post-ops:sum:0.5+sum:1:3:s8+sum+eltwise_relu+"
               "eltwise_linear:2+eltwise_clip:0:6+binary_add:f32:2+binary_mul:s8:15:acdb+"
               "binary_select:f32:3:abcd:32x1x1x1+prelu:2+"
               "dw:k3s2p1:u8");
}

BOOST_AUTO_TEST_CASE(convolution_and_inner_product) {
    convolution_desc conv;
    conv.prop = dnnl_forward_inference;
    conv.alg = dnnl_convolution_direct;
    conv.src = tagged({2, 16, 8, 9}, dnnl_abcd);
    conv.weights = tagged({16, 16, 3, 1}, dnnl_abcd);
    conv.dst = tagged({2, 16, 4, 9}, dnnl_abcd);
    conv.strides = {2, 1};
    conv.padding_l = {1, 0};
    BOOST_TEST(fields(conv) ==
               "forward_inference,src:f32::blocked:abcd::f0 wei:f32::blocked:abcd::f0 "
               "bia:undef::undef::: dst:f32::blocked:abcd::f0,,alg:convolution_direct,"
               "mb2_ic16oc16_ih8oh4kh3sh2dh0ph1_iw9ow9kw1sw1dw0pw0");
    conv.weights = tagged({4, 4, 4, 3, 1}, dnnl_abcde);
    BOOST_TEST(fields(conv).ends_with(",g4mb2_ic16oc16_ih8oh4kh3sh2dh0ph1_iw9ow9kw1sw1dw0pw0"));
    deconvolution_desc deconv;
    deconv.prop = dnnl_forward_training;
    deconv.alg = dnnl_deconvolution_direct;
    deconv.src = tagged({2, 8, 4, 5}, dnnl_acdb);
    deconv.weights = tagged({2, 6, 4, 4, 2}, dnnl_abcde);
    deconv.bias = tagged({12}, dnnl_a);
    deconv.dst = tagged({2, 12, 8, 10}, dnnl_acdb);
    deconv.strides = {2, 2};
    deconv.padding_l = {1, 0};
    BOOST_TEST(fields(deconv) ==
               "forward_training,src:f32::blocked:acdb::f0 wei:f32::blocked:abcde::f0 "
               "bia:f32::blocked:a::f0 dst:f32::blocked:acdb::f0,,alg:deconvolution_direct,"
               "g2mb2_ic8oc12_ih4oh8kh4sh2dh0ph1_iw5ow10kw2sw2dw0pw0");
    inner_product_desc ip;
    ip.prop = dnnl_backward_data;
    ip.src = tagged({4, 16, 2, 3}, dnnl_acdb);
    ip.weights = tagged({8, 16, 2, 3}, dnnl_abcd);
    ip.dst = tagged({4, 8}, dnnl_ab);
    BOOST_TEST(fields(ip) == "backward_data,src:f32::blocked:acdb::f0 wei:f32::blocked:abcd::f0 "
                             "bia:undef::undef::: dst:f32::blocked:ab::f0,,,mb4ic16ih2iw3oc8");
}

BOOST_AUTO_TEST_CASE(matmul) {
    matmul_desc op {tagged({3, 4, 64}, dnnl_abc, data_type::u8),
        tagged({1, 64, 16}, dnnl_acb, data_type::s8), tagged({1, 1, 16}, dnnl_abc),
        tagged({3, 4, 16}, dnnl_abc)};
    BOOST_TEST(
        fields(op) ==
        "undef,src:u8::blocked:abc::f0 wei:s8::blocked:acb::f0 bia:f32::blocked:abc::f0_mask4 "
        "dst:f32::blocked:abc::f0,,,3x4x64:1x64x16");
    op = {tagged({runtime_dim, 64}, dnnl_ab), tagged({64, 16}, dnnl_ab), {},
        tagged({runtime_dim, 16}, dnnl_ab)};
    BOOST_TEST(fields(op) == "undef,src:f32::blocked:ab::f0 wei:f32::blocked:ab::f0 "
                             "dst:f32::blocked:ab::f0,,runtime_dims_masks:1:0,*x64:64x16");
}

BOOST_AUTO_TEST_CASE(elementwise_primitives) {
    const memory_desc md = tagged({2, 16}, dnnl_ab), row = tagged({1, 16}, dnnl_ab);
    const std::string data = ":f32::blocked:ab::f0";
    BOOST_TEST(fields(eltwise_desc {dnnl_forward_training, dnnl_eltwise_relu, md, md, {}, 0, 0}) ==
               "forward_training,data" + data +
                   " diff:undef::undef:::,,alg:eltwise_relu alpha:0 beta:0,2x16");
    BOOST_TEST(
        fields(eltwise_desc {dnnl_backward_data, dnnl_eltwise_elu, md, md, md, 0.5f, 0}) ==
        "backward_data,data" + data + " diff" + data + ",,alg:eltwise_elu alpha:0.5 beta:0,2x16");
    BOOST_TEST(fields(binary_desc {dnnl_binary_add, md, row, {}, md}) ==
               "undef,src" + data + " src" + data + " dst" + data + ",,alg:binary_add,2x16:1x16");
    const memory_desc which = tagged({2, 1}, dnnl_ab, data_type::s8);
    BOOST_TEST(fields(binary_desc {dnnl_binary_select, md, row, which, md}) ==
               "undef,src" + data + " src" + data + " src:s8::blocked:ab::f0 dst" + data +
                   ",,alg:binary_select,2x16:1x16:2x1");
    BOOST_TEST(
        fields(softmax_desc {dnnl_forward_inference, dnnl_softmax_accurate, md, md, {}, 1}) ==
        "forward_inference,src" + data + " dst" + data + ",,alg:softmax_accurate axis:1,2x16");
}

BOOST_AUTO_TEST_CASE(reduction_resampling_and_prelu) {
    const memory_desc md = tagged({2, 16}, dnnl_ab), row = tagged({1, 16}, dnnl_ab);
    const std::string data = ":f32::blocked:ab::f0";
    BOOST_TEST(
        fields(reduction_desc {dnnl_reduction_norm_lp_sum, md, row, 2, 0.5f}) ==
        "undef,src" + data + " dst" + data + ",,alg:reduction_norm_lp_sum p:2 eps:0.5,2x16:1x16");
    BOOST_TEST(fields(resampling_desc {dnnl_forward_inference, dnnl_resampling_linear,
                   tagged({1, 3, 4, 4}, dnnl_abcd), tagged({1, 3, 8, 2}, dnnl_abcd), {}}) ==
               "forward_inference,src:f32::blocked:abcd::f0 dst:f32::blocked:abcd::f0,,"
               "alg:resampling_linear,mb1ic3_ih4oh8_iw4ow2");
    BOOST_TEST(
        fields(prelu_desc {dnnl_forward_training, md, row, md, {}, {}}) ==
        "forward_training,data" + data + " wei" + data + " diff:undef::undef:::,,,2x16:1x16");
    BOOST_TEST(fields(prelu_desc {dnnl_backward, md, row, md, md, row}) ==
               "backward,data" + data + " wei" + data + " diff" + data + " diff_wei" + data +
                   ",,,2x16:1x16");
}

BOOST_AUTO_TEST_CASE(data_movement_and_pooling) {
    const memory_desc md = tagged({2, 16}, dnnl_ab), narrow = tagged({2, 4}, dnnl_ab);
    const std::string data = ":f32::blocked:ab::f0";
    BOOST_TEST(fields(reorder_desc {md, tagged({2, 16}, dnnl_ba)}) ==
               "undef,src" + data + " dst:f32::blocked:ba::f0,,,2x16");
    BOOST_TEST(fields(sum_desc {{md, md}, {1, 2}, md}) ==
               "undef,src" + data + " src" + data + " dst" + data + ",,,2x16");
    BOOST_TEST(fields(concat_desc {{md, narrow}, tagged({2, 20}, dnnl_ab), 1}) ==
               "undef,src" + data + " src" + data + " dst" + data + ",,axis:1,2x16:2x4");
    pooling_desc pool;
    pool.prop = dnnl_forward_inference;
    pool.alg = dnnl_pooling_max;
    pool.src = tagged({2, 16, 8}, dnnl_abc);
    pool.dst = tagged({2, 16, 4}, dnnl_abc);
    pool.strides = {2};
    pool.kernel = {3};
    pool.padding_l = {1};
    BOOST_TEST(fields(pool) ==
               "forward_inference,src:f32::blocked:abc::f0 dst:f32::blocked:abc::f0 "
               "ws:undef::undef:::,,alg:pooling_max,mb2ic16_iw8ow4kw3sw2dw0pw1");
}

BOOST_AUTO_TEST_CASE(normalizations) {
    const memory_desc image = tagged({2, 16, 4, 5}, dnnl_nchw),
                      last = tagged({2, 16, 4, 5}, dnnl_nhwc);
    batch_normalization_desc batch;
    batch.prop = dnnl_forward_training;
    batch.flags = dnnl_use_scale | dnnl_use_shift | dnnl_fuse_norm_relu;
    batch.src = batch.dst = image;
    batch.statistics = batch.scale_shift = tagged({16}, dnnl_a);
    BOOST_TEST(fields(batch) == "forward_training,data:f32::blocked:abcd::f0 diff:undef::undef:::,,"
                                "flags:CHR,mb2ic16ih4iw5");
    batch.prop = dnnl_backward;
    batch.flags = dnnl_use_global_stats;
    batch.src = batch.dst = batch.data = last;
    BOOST_TEST(fields(batch) == "backward,data:f32::blocked:acdb::f0 diff:f32::blocked:acdb::f0,,"
                                "flags:G,mb2ic16ih4iw5");

    layer_normalization_desc layer;
    layer.prop = dnnl_forward_inference;
    layer.flags = dnnl_use_scale;
    layer.src = tagged({2, 3, 16}, dnnl_abc);
    layer.dst = tagged({2, 3, 16}, dnnl_abc, data_type::s8);
    layer.statistics = tagged({2, 3}, dnnl_ab);
    layer.scale_shift = tagged({16}, dnnl_a, data_type::bf16);
    BOOST_TEST(fields(layer) ==
               "forward_inference,src:f32::blocked:abc::f0 dst:s8::blocked:abc::f0 "
               "stats:f32::blocked:ab::f0 scale:bf16::blocked:a::f0,,flags:C,2x3x16");
    layer.flags = dnnl_use_global_stats | dnnl_rms_norm;
    layer.scale_shift = {};
    BOOST_TEST(fields(layer) ==
               "forward_inference,src:f32::blocked:abc::f0 dst:s8::blocked:abc::f0 "
               "stats:f32::blocked:ab::f0,,flags:GM,2x3x16");

    group_normalization_desc group;
    group.prop = dnnl_backward_data;
    group.groups = 4;
    group.src = group.dst = group.data = image;
    group.statistics = tagged({2, 4}, dnnl_ab);
    BOOST_TEST(fields(group) == "backward_data,src:f32::blocked:abcd::f0 stats:f32::blocked:ab::f0 "
                                "diff_src:f32::blocked:abcd::f0 diff_dst:f32::blocked:abcd::f0,,"
                                "flags:,g4mb2ic16ih4iw5");
}

// ---- Child processes ----

namespace {

/// What a child prints: one matmul with relu by primitive, created twice, one by dnnl_sgemm.
void use_the_library() {
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
    BOOST_REQUIRE(dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success);
    BOOST_REQUIRE(dnnl_stream_create(&stream, engine, 1) == dnnl_success);
    const memory_desc src = tagged({2, 3}, dnnl_ab), weights = tagged({3, 4}, dnnl_format_tag_any);
    const memory_desc dst = tagged({2, 4}, dnnl_ab), bad = tagged({2, 5}, dnnl_ab);
    primitive_attr attr;
    attr.post_ops.entries = {eltwise_post_op {dnnl_eltwise_relu, 0, 0}};
    dnnl_primitive_desc_t pd = nullptr;
    BOOST_TEST(dnnl_matmul_primitive_desc_create(
                   &pd, engine, &bad, &weights, nullptr, &dst, &attr) == dnnl_invalid_arguments);
    BOOST_REQUIRE(dnnl_matmul_primitive_desc_create(
                      &pd, engine, &src, &weights, nullptr, &dst, &attr) == dnnl_success);
    const memory_desc packed = *dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    dnnl_primitive_t matmul = nullptr;
    BOOST_REQUIRE(dnnl_primitive_create(&matmul, pd) == dnnl_success);
    dnnl_exec_arg_t args[] = {
        {DNNL_ARG_SRC, nullptr}, {DNNL_ARG_WEIGHTS, nullptr}, {DNNL_ARG_DST, nullptr}};
    const memory_desc in_another_order = tagged({2, 3}, dnnl_ba);
    const memory_desc *mds[] = {&in_another_order, &packed, &dst};
    for (int i = 0; i < 3; ++i)
        dnnl_memory_create(&args[i].memory, mds[i], engine, DNNL_MEMORY_ALLOCATE);
    BOOST_TEST(dnnl_primitive_execute(matmul, stream, 2, args) == dnnl_invalid_arguments);
    dnnl_post_ops none;
    BOOST_TEST(dnnl_post_ops_append_eltwise(&none, dnnl_convolution_direct, 0, 0) ==
               dnnl_invalid_arguments);
    BOOST_TEST(dnnl_primitive_execute(matmul, stream, 3, args) == dnnl_success);
    for (const dnnl_exec_arg_t &a : args) dnnl_memory_destroy(a.memory);
    dnnl_primitive_destroy(matmul);
    dnnl_primitive_desc_destroy(pd);
    BOOST_REQUIRE(dnnl_matmul_primitive_desc_create(
                      &pd, engine, &src, &weights, nullptr, &dst, &attr) == dnnl_success);
    BOOST_REQUIRE(dnnl_primitive_create(&matmul, pd) == dnnl_success);
    dnnl_primitive_destroy(matmul);
    dnnl_primitive_desc_destroy(pd);
    const float a[6] = {}, b[12] = {};
    float c[8];
    BOOST_TEST(dnnl_sgemm('N', 'T', 2, 4, 3, 1, a, 3, b, 3, 0, c, 4) == dnnl_success);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
}

/// A matmul of run-time weights with a user's scratchpad: what it needs is known at execution only.
void lease_a_scratchpad() {
    constexpr dim_t n = 100;
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
    BOOST_REQUIRE(dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success);
    BOOST_REQUIRE(dnnl_stream_create(&stream, engine, 1) == dnnl_success);
    constexpr dim_t unknown[] = {DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL};
    const memory_desc any_matrix = make_with_strides(2, unknown, data_type::f32, unknown);
    const memory_desc matrix = tagged({n, n}, dnnl_ab);
    primitive_attr attr;
    attr.scratchpad = dnnl_scratchpad_mode_user;
    dnnl_primitive_desc_t pd = nullptr;
    dnnl_primitive_t matmul = nullptr;
    BOOST_REQUIRE(dnnl_matmul_primitive_desc_create(&pd, engine, &any_matrix, &any_matrix, nullptr,
                      &any_matrix, &attr) == dnnl_success);
    BOOST_REQUIRE(dnnl_primitive_create(&matmul, pd) == dnnl_success);
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, nullptr}, {DNNL_ARG_WEIGHTS, nullptr},
        {DNNL_ARG_DST, nullptr}, {DNNL_ARG_SCRATCHPAD, nullptr}};
    const memory_desc *scratchpad = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
    for (dnnl_exec_arg_t &a : args)
        BOOST_REQUIRE(
            dnnl_memory_create(&a.memory, a.arg == DNNL_ARG_SCRATCHPAD ? scratchpad : &matrix,
                engine, DNNL_MEMORY_ALLOCATE) == dnnl_success);
    for (int i = 0; i < 2; ++i)
        BOOST_TEST(dnnl_primitive_execute(matmul, stream, 4, args) == dnnl_success);
    for (const dnnl_exec_arg_t &a : args) dnnl_memory_destroy(a.memory);
    dnnl_primitive_destroy(matmul);
    dnnl_primitive_desc_destroy(pd);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
}

/// What the test case `name` prints in a process of its own.
std::vector<std::string> child_lines(
    const std::string &environment, const std::string &name = "child") {
    char self[4096] = {};
    BOOST_REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    std::FILE *pipe = popen((environment + " '" + self + "' --run_test=" + name).c_str(), "r");
    BOOST_REQUIRE(pipe != nullptr);
    std::string text;
    char buffer[4096];
    while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
    BOOST_TEST(pclose(pipe) == 0, text);
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        if (line.starts_with("onednn_verbose")) lines.push_back(line);
    return lines;
}

long count(const std::vector<std::string> &lines, const std::string &part) {
    return std::count_if(lines.begin(), lines.end(),
        [&](const std::string &line) { return line.find(part) != line.npos; });
}

constexpr const char *matmul_fields = "undef,src:f32::blocked:ab::f0 wei:f32:a";

} // namespace

BOOST_AUTO_TEST_CASE(child, *boost::unit_test::disabled()) { use_the_library(); }
BOOST_AUTO_TEST_CASE(leasing_child, *boost::unit_test::disabled()) { lease_a_scratchpad(); }

BOOST_AUTO_TEST_CASE(leases_beside_the_users_scratchpad) {
    const auto lines = child_lines("ONEDNN_VERBOSE=profile_exec", "leasing_child");
    BOOST_TEST(count(lines, "v1,primitive,exec,cpu,matmul,") == 2);
    BOOST_TEST(count(lines, "v1,common,info,scratchpad,") == 2);
    BOOST_TEST(count(lines, " bytes leased beside the user's") == 2);
}

BOOST_AUTO_TEST_CASE(silent_by_default) {
    BOOST_TEST(child_lines("env -u ONEDNN_VERBOSE -u DNNL_VERBOSE").empty());
    BOOST_TEST(child_lines("ONEDNN_VERBOSE=0").empty());
    BOOST_TEST(child_lines("ONEDNN_VERBOSE=nonsense,17").empty());
}

BOOST_AUTO_TEST_CASE(executions) {
    for (const char *level :
        {"ONEDNN_VERBOSE=1", "ONEDNN_VERBOSE=PROFILE_EXEC", "DNNL_VERBOSE=1"}) {
        const auto lines = child_lines(level);
        BOOST_REQUIRE(lines.size() == 7u);
        BOOST_TEST(lines[0].starts_with("onednn_verbose,v1,info,oneDNN v3.13."));
        BOOST_TEST(lines[1].starts_with("onednn_verbose,v1,info,cpu,runtime:"));
        BOOST_TEST(lines[2].starts_with("onednn_verbose,v1,info,cpu,isa:"));
        BOOST_TEST(lines[3] == "onednn_verbose,v1,info,gpu,runtime:none");
        BOOST_TEST(lines[4] == "onednn_verbose,v1,primitive,info,template:operation,engine,"
                               "primitive,implementation,prop_kind,memory_descriptors,attributes,"
                               "auxiliary,problem_desc,exec_time");
        BOOST_TEST(lines[5].starts_with("onednn_verbose,v1,primitive,exec,cpu,matmul,"));
        BOOST_TEST(lines[5].find(matmul_fields) != std::string::npos, lines[5]);
        BOOST_TEST(lines[5].find(",attr-post-ops:eltwise_relu,,2x3:3x4,") != std::string::npos);
        BOOST_TEST(std::stod(lines[5].substr(lines[5].rfind(',') + 1)) > 0);
        BOOST_TEST(lines[6].starts_with(
            "onednn_verbose,v1,primitive,exec,cpu,gemm_api,,undef,src_f32::blocked:ab:f0 "
            "wei_f32::blocked:ba:f0 dst_f32::blocked:ab:f0,,,2x3:3x4,"));
    }
}

BOOST_AUTO_TEST_CASE(creations_and_checks) {
    const auto profile = child_lines("ONEDNN_VERBOSE=2");
    BOOST_TEST(count(profile, "v1,primitive,create:cache_miss,cpu,matmul,") == 1);
    BOOST_TEST(count(profile, "v1,primitive,create:cache_hit,cpu,matmul,") == 1);
    BOOST_TEST(count(profile, "v1,primitive,exec,cpu,") == 2);
    BOOST_TEST(count(profile, ":check,") == 0);
    const auto checks = child_lines("ONEDNN_VERBOSE=check");
    BOOST_TEST(count(checks, "v1,primitive,create:check,matmul,") == 1);
    BOOST_TEST(count(checks, "v1,primitive,exec:check,matmul,") == 2); // one of them only told
    BOOST_TEST(count(checks, ",exec,") == 0);
    const auto all = child_lines("ONEDNN_VERBOSE=all");
    BOOST_TEST(count(all, ":check,") == 3);
    BOOST_TEST(count(all, "v1,primitive,exec,") == 2);
}

/// Refused arguments, at creation, at execution and of functions without a primitive, once each.
BOOST_AUTO_TEST_CASE(refused_arguments_are_errors) {
    const auto errors = child_lines("ONEDNN_VERBOSE=error");
    BOOST_TEST(count(errors, "v1,common,error,api,matmul: weights: K differs from src's (") == 1);
    BOOST_TEST(count(errors, "v1,common,error,api,matmul: DNNL_ARG_DST: it is missing") == 1);
    BOOST_TEST(count(errors, "v1,common,error,api,alg_kind: not an eltwise algorithm") == 1);
    BOOST_TEST(count(errors, "v1,common,error,") == 3);
    BOOST_TEST(count(errors, ":check,") == 0);
    const auto all = child_lines("ONEDNN_VERBOSE=all"); // the others are told by `check`
    BOOST_TEST(count(all, "v1,common,error,") == 1);
    BOOST_TEST(count(child_lines("ONEDNN_VERBOSE=error,filter=conv"), "v1,common,error,") == 1);
    for (const char *level : {"check", "profile", "1", "dispatch", "warn"})
        BOOST_TEST(count(child_lines(std::string("ONEDNN_VERBOSE=") + level), ",error,") == 0);
}

/// The primitive is a field of its own and is not named again by the reason.
BOOST_AUTO_TEST_CASE(the_document_quotes_these_lines) {
    auto said = child_lines("ONEDNN_VERBOSE=check,dispatch ONEDNN_MAX_CPU_ISA=AVX2");
    const auto errors = child_lines("ONEDNN_VERBOSE=error");
    said.insert(said.end(), errors.begin(), errors.end());
    std::ifstream document(ERRORS_DOCUMENT);
    BOOST_REQUIRE(document.is_open());
    int quoted = 0;
    for (std::string line; std::getline(document, line);) {
        if (!line.starts_with("onednn_verbose,")) continue;
        ++quoted;
        const int creations = line.find(",create:dispatch,") == std::string::npos ? 1 : 2;
        BOOST_TEST(std::count(said.begin(), said.end(), line) == creations, line);
    }
    BOOST_TEST(quoted == 4);
}

BOOST_AUTO_TEST_CASE(filters_and_timestamps) {
    const auto none = child_lines("ONEDNN_VERBOSE=1,filter=conv");
    BOOST_TEST(count(none, "v1,primitive,exec,") == 0);
    const auto gemm = child_lines("ONEDNN_VERBOSE='profile,filter=^(matmul|binary)$'");
    BOOST_TEST(
        count(gemm, "v1,common,info,filter format is enabled, hit components: binary matmul") == 1);
    BOOST_TEST(count(gemm, ",cpu,matmul,") == 3); // two creations, one execution
    BOOST_TEST(count(gemm, ",gemm_api,") == 0);
    const auto stamped = child_lines("ONEDNN_VERBOSE_TIMESTAMP=1 ONEDNN_VERBOSE=1");
    BOOST_TEST(count(stamped, "template:timestamp,operation,") == 1);
    BOOST_REQUIRE(stamped.size() == 7u);
    BOOST_TEST(std::stod(stamped[5].substr(std::string("onednn_verbose,v1,").size())) > 1.6e12);
    BOOST_TEST(stamped[5].find(",primitive,exec,") != std::string::npos);
}
