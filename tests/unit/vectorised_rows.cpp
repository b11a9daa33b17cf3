// SPDX-License-Identifier: Apache-2.0
// Convolutions, inner products and reorders that must not fall to the reference row where AVX2 or
// better is there: user layouts, zero points, scales, post-op operands and types beside the common.
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

#include "common/runtime/isa.hpp"
#include "dnnl/dnnl.hpp"

namespace {

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

const dnnl::engine &cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

struct types {
    dt src, weights, dst;
};
struct tags {
    tag src, weights, dst;
};
using change = std::function<void(dnnl::primitive_attr &)>;

/// The first row for a 3 x 3 convolution of 64 channels, 28 x 28 pixels.
std::string convolution(
    types t, tags l, const change &set = [](auto &) {}, int groups = 1) {
    dnnl::primitive_attr attr;
    set(attr);
    const memory::dims image {1, 64, 28, 28}, one {1, 1};
    const memory::dims kernel = groups > 1 ? memory::dims {groups, 64 / groups, 64 / groups, 3, 3}
                                           : memory::dims {64, 64, 3, 3};
    return dnnl::convolution_forward::primitive_desc(cpu(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, memory::desc(image, t.src, l.src),
        memory::desc(kernel, t.weights, l.weights), memory::desc(image, t.dst, l.dst), one, one,
        one, attr)
        .impl_info_str();
}

std::string inner_product(
    types t, const change &set = [](auto &) {}) {
    dnnl::primitive_attr attr;
    set(attr);
    return dnnl::inner_product_forward::primitive_desc(cpu(), dnnl::prop_kind::forward_inference,
        memory::desc({16, 64}, t.src, tag::ab), memory::desc({48, 64}, t.weights, tag::ba),
        memory::desc({16, 48}, t.dst, tag::ab), attr)
        .impl_info_str();
}

std::string reorder(
    dt from, dt to, tag from_tag, tag to_tag, const change &set = [](auto &) {}) {
    dnnl::primitive_attr attr;
    set(attr);
    const memory::dims dims {2, 20, 8, 6};
    return dnnl::reorder::primitive_desc(
        cpu(), memory::desc(dims, from, from_tag), cpu(), memory::desc(dims, to, to_tag), attr)
        .impl_info_str();
}

change add_of(const memory::dims &dims, dt type, tag layout) {
    return [=](dnnl::primitive_attr &attr) {
        dnnl::post_ops ops;
        ops.append_binary(dnnl::algorithm::binary_add, memory::desc(dims, type, layout));
        attr.set_post_ops(ops);
    };
}

void check(const std::string &what, const std::string &row) {
    BOOST_TEST_MESSAGE(what << ": " << row);
    BOOST_TEST(row.find("reference") == std::string::npos, what << " runs on " << row);
}

boost::test_tools::assertion_result has_avx2(boost::unit_test::test_unit_id) {
    return dnnl::impl::has(dnnl::impl::effective_isa(), dnnl::impl::isa::avx2);
}

constexpr types u8s8 {dt::u8, dt::s8, dt::u8}, s8s8 {dt::s8, dt::s8, dt::s8};
constexpr types f32s {dt::f32, dt::f32, dt::f32}, f16s {dt::f16, dt::f16, dt::f16};
constexpr tags nhwc {tag::nhwc, tag::any, tag::nhwc}, nchw {tag::nchw, tag::any, tag::nchw};

} // namespace

BOOST_AUTO_TEST_SUITE(rows, *boost::unit_test::precondition(has_avx2))

BOOST_AUTO_TEST_CASE(convolution_layouts) {
    for (dt dst : {dt::u8, dt::s8, dt::s32, dt::f32, dt::bf16}) {
        check("u8 nchw", convolution({dt::u8, dt::s8, dst}, nchw));
        check("s8 nchw", convolution({dt::s8, dt::s8, dst}, nchw));
    }
    check("f16 nchw", convolution(f16s, nchw));
    check("f32 nhwc oihw", convolution(f32s, {tag::nhwc, tag::oihw, tag::nhwc}));
    check("u8 nhwc oihw", convolution(u8s8, {tag::nhwc, tag::oihw, tag::nhwc}));
    check("s8 nhwc hwio", convolution(s8s8, {tag::nhwc, tag::hwio, tag::nhwc}));
    check("u8 nChw16c", convolution(u8s8, {tag::nChw16c, tag::oihw, tag::nChw16c}));
    check("u8 depthwise nchw", convolution(
                                   u8s8, {tag::nchw, tag::any, tag::nchw}, [](auto &) {}, 64));
}

BOOST_AUTO_TEST_CASE(convolution_attributes) {
    check("zero points per channel", convolution(u8s8, nhwc, [](dnnl::primitive_attr &attr) {
        attr.set_zero_points_mask(DNNL_ARG_SRC, 2);
        attr.set_zero_points_mask(DNNL_ARG_DST, 2);
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1);
        attr.set_scales_mask(DNNL_ARG_DST, 2);
    }));
    check("scales of bf16 and e8m0", convolution(u8s8, nhwc, [](dnnl::primitive_attr &attr) {
        attr.set_scales(DNNL_ARG_SRC, 0, {}, dt::bf16);
        attr.set_scales(DNNL_ARG_WEIGHTS, 1, {}, dt::e8m0);
    }));
    for (const types &t : {u8s8, f32s, f16s}) {
        check("add (1,1,H,W)", convolution(t, nhwc, add_of({1, 1, 28, 28}, dt::f32, tag::nchw)));
        check("add (1,C,1,W)", convolution(t, nhwc, add_of({1, 64, 1, 28}, dt::f32, tag::nchw)));
        for (tag other : {tag::nchw, tag::nChw16c, tag::any})
            check("add full", convolution(t, nhwc, add_of({1, 64, 28, 28}, dt::f32, other)));
        check("prelu", convolution(t, nchw, [](dnnl::primitive_attr &attr) {
            dnnl::post_ops ops;
            ops.append_prelu(4);
            attr.set_post_ops(ops);
        }));
    }
}

BOOST_AUTO_TEST_CASE(f8_products) {
    for (dt t : {dt::f8_e5m2, dt::f8_e4m3})
        for (dt dst : {t, dt::f32}) {
            check("f8 convolution", convolution({t, t, dst}, nhwc));
            check("f8 convolution nchw", convolution({t, t, dst}, nchw));
            check("f8 inner product", inner_product({t, t, dst}));
        }
}

BOOST_AUTO_TEST_CASE(inner_products) {
    for (dt dst : {dt::u8, dt::s8, dt::s32, dt::f32, dt::bf16})
        check("u8 inner product", inner_product({dt::u8, dt::s8, dst}));
    check("f16 inner product", inner_product(f16s, add_of({16, 1}, dt::f32, tag::ab)));
}

BOOST_AUTO_TEST_CASE(reorders) {
    const dt common[] = {dt::f32, dt::bf16, dt::f16, dt::s32, dt::s8, dt::u8};
    for (dt from : common)
        for (dt to : common)
            for (tag to_tag : {tag::nchw, tag::nhwc, tag::nChw16c})
                check("reorder", reorder(from, to, tag::nchw, to_tag));
    for (dt other : {dt::f8_e5m2, dt::f8_e4m3, dt::s4, dt::u4}) {
        check("f32 to fewer bits", reorder(dt::f32, other, tag::nchw, tag::nChw16c));
        check("fewer bits to bf16", reorder(other, dt::bf16, tag::nhwc, tag::nchw));
    }
    for (dt other : {dt::f4_e2m1, dt::e8m0})
        check("f32 to f4 and e8m0", reorder(dt::f32, other, tag::nchw, tag::nhwc));
    check("masks", reorder(dt::f32, dt::s8, tag::nchw, tag::nhwc, [](dnnl::primitive_attr &attr) {
        attr.set_scales_mask(DNNL_ARG_FROM, 3);
        attr.set_scales_mask(DNNL_ARG_TO, 2);
        attr.set_zero_points_mask(DNNL_ARG_TO, 2);
    }));
    const memory::dims open {DNNL_RUNTIME_DIM_VAL, 19};
    check("run-time dimensions",
        dnnl::reorder::primitive_desc(
            cpu(), memory::desc(open, dt::f32, tag::ab), cpu(), memory::desc(open, dt::s8, tag::ba))
            .impl_info_str());
}

BOOST_AUTO_TEST_SUITE_END()
