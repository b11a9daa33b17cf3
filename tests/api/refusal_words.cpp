// SPDX-License-Identifier: Apache-2.0
// Forty refusals that a stranger must understand, word for word, alike on every processor.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "refused_calls.hpp"

using namespace dnnl;
using namespace api_tests;

namespace {

/// A mistake and what is said about it, after "no primitive descriptor: " where `of_a_primitive`.
struct mistake {
    std::function<void()> call;
    dnnl_status_t status;
    std::string said;
    bool of_a_primitive = true;
};

void convolve_groups(const memory::dims &src, const memory::dims &weights, const memory::dims &dst,
    const memory::dims &strides = {1, 1}, const memory::dims &padding = {1, 1}) {
    convolution_forward::primitive_desc(cpu(), prop_kind::forward_inference,
        algorithm::convolution_direct, plain(src), plain(weights), plain(dst), strides, padding,
        {1, 1});
}
void pool(const memory::dims &kernel, const memory::dims &dilation) {
    pooling_forward::primitive_desc(cpu(), prop_kind::forward_inference, algorithm::pooling_max,
        plain({2, 6, 8, 8}), plain({2, 6, 8, 8}), {1, 1}, kernel, dilation, {1, 1}, {1, 1});
}
/// A product with scales of dst that the library computes.
void quantize(int mask, const memory::dims &groups, quantization_mode mode, dt type = dt::e8m0,
    dt dst = dt::f8_e4m3) {
    primitive_attr attr;
    attr.set_scales(DNNL_ARG_DST, mask, groups, type, false, mode);
    multiply(plain({2, 64}), plain({64, 32}), plain({2, 32}, dst), attr);
}
void multiply_types(dt src, dt weights, dt dst = dt::f32) {
    multiply(plain({2, 64}, src), plain({64, 32}, weights), plain({2, 32}, dst));
}
template <class Change> primitive_attr changed(const Change &change) {
    primitive_attr attr;
    change(attr);
    return attr;
}
template <class Append> primitive_attr chain(const Append &append) {
    post_ops ops;
    append(ops);
    primitive_attr attr;
    attr.set_post_ops(ops);
    return attr;
}

const auto unimplemented = dnnl_unimplemented, invalid = dnnl_invalid_arguments;

const std::vector<mistake> of_types {
    {[] { multiply_types(dt::f64, dt::f64, dt::f64); }, unimplemented,
        "matmul: a tensor is not f32, bf16, f16, f8, s32, s8, u8, s4, u4 or f4_e2m1 (src f64 ab "
        "2x64, weights f64 ab 64x32, dst f64 ab 2x32)"},
    {[] { multiply_types(dt::f32, dt::f64); }, unimplemented,
        "matmul: a tensor is not f32, bf16, f16, f8, s32, s8, u8, s4, u4 or f4_e2m1 (src f32 ab "
        "2x64, weights f64 ab 64x32, dst f32 ab 2x32)"},
    {[] { multiply_types(dt::f32, dt::s32); }, unimplemented,
        "matmul: weights are none of f32, bf16, f16, f8, f4_e2m1, s8, u8, s4 and u4 (src f32 ab "
        "2x64, weights s32 ab 64x32, dst f32 ab 2x32)"},
    {[] { multiply_types(dt::f32, dt::e8m0); }, unimplemented,
        "matmul: a tensor is not f32, bf16, f16, f8, s32, s8, u8, s4, u4 or f4_e2m1 (src f32 ab "
        "2x64, weights e8m0 ab 64x32, dst f32 ab 2x32)"},
    {[] { multiply_types(dt::f4_e2m1, dt::s8); }, unimplemented,
        "matmul: weights of an f4_e2m1 src are not f32, bf16, f16, f8 or f4_e2m1 (src f4_e2m1 ab "
        "2x64, weights s8 ab 64x32, dst f32 ab 2x32)"},
    {[] { multiply_types(dt::s8, dt::f4_e2m1); }, unimplemented,
        "matmul: weights of an int8 src are not s8, u8, s4 or u4 (src s8 ab 2x64, weights f4_e2m1 "
        "ab 64x32, dst f32 ab 2x32)"},
    {[] { multiply_types(dt::f8_e4m3, dt::f4_e2m1); }, unimplemented,
        "matmul: weights of an f8 src are not f32, bf16, f16 or f8 (src f8_e4m3 ab 2x64, weights "
        "f4_e2m1 ab 64x32, dst f32 ab 2x32)"},
    {[] {
         plain({2, 2}, dt::f4_e3m0);
     },
        invalid,
        "cannot create a memory descriptor from strides: data_type: undef, boolean, f4_e3m0 and "
        "unknown numbers are no types of elements",
        false},
    {[] { convolve(dt::f32, dt::s8); }, unimplemented,
        "convolution: the operands must all be f32, bf16, f16 or f8, or all be s8 or u8 (src "
        "f32 abcd 2x6x8x8, weights s8 abcd 4x6x3x3, dst f32 abcd 2x4x8x8)"},
    {[] { convolve(dt::f64, dt::f64); }, unimplemented,
        "convolution: a tensor is not f32, bf16, f16, f8, s32, s8 or u8 (src f64 abcd 2x6x8x8, "
        "weights f64 abcd 4x6x3x3, dst f32 abcd 2x4x8x8)"},
    {[] {
         inner_product_forward::primitive_desc(cpu(), prop_kind::forward_inference, plain({2, 64}),
             plain({32, 64}, dt::f4_e2m1), plain({2, 32}));
     },
        unimplemented,
        "inner_product: a tensor is not f32, bf16, f16, f8, s32, s8 or u8 (src f32 ab 2x64, "
        "weights f4_e2m1 ab 32x64, dst f32 ab 2x32)"},
    {[] {
         reduction::primitive_desc(
             cpu(), algorithm::reduction_sum, plain({4, 8}, dt::f64), plain({4, 1}), 0.f, 0.f);
     },
        unimplemented,
        "reduction: a tensor is not f32, bf16, f16, f8, s32, s8 or u8 (src f64 ab 4x8, dst f32 ab "
        "4x1)"},
    {[] {
         batch_normalization_forward::primitive_desc(cpu(), prop_kind::forward_inference,
             plain({2, 6, 8, 8}, dt::u8), plain({2, 6, 8, 8}, dt::u8), 1e-5f,
             normalization_flags::none);
     },
        unimplemented,
        "batch_normalization: src is not f32, bf16, f16 or s8 (src u8 abcd 2x6x8x8, dst u8 abcd "
        "2x6x8x8)"},
    {[] {
         reorder::primitive_desc(cpu(), plain({2, 6}, dt::f4_e2m1), cpu(), plain({2, 6}, dt::s32));
     },
        unimplemented,
        "reorder: e8m0 or f4 with a type that is not f32, bf16 or f16 (src f4_e2m1 ab 2x6, dst s32 "
        "ab 2x6)"},
};

const std::vector<mistake> of_numbers {
    {[] {
         convolve_groups({2, 6, 8, 8}, {4, 6, 3, 3}, {2, 4, 8, 8}, {1});
     },
        invalid,
        "convolution: strides: 1 given, one for each of the 2 spatial dimensions is needed", false},
    {[] {
         convolve_groups({2, 6, 8, 8}, {4, 6, 3, 3}, {2, 4, 8, 8}, {1, 1}, {1});
     },
        invalid,
        "convolution: padding_l: 1 given, one for each of the 2 spatial dimensions is needed",
        false},
    {[] {
         pool({3}, {0, 0});
     },
        invalid, "pooling: kernel: 1 given, one for each of the 2 spatial dimensions is needed",
        false},
    {[] {
         pool({3, 3}, {});
     },
        invalid, "pooling: dilation: 0 given, one for each of the 2 spatial dimensions is needed",
        false},
    {[] {
         convolve_groups({2, 16, 8, 8}, {3, 5, 5, 3, 3}, {2, 15, 8, 8});
     },
        invalid,
        "convolution: weights: 3 groups of 5 input channels do not fit src, which has 16 (src f32 "
        "abcd 2x16x8x8, weights f32 abcde 3x5x5x3x3, dst f32 abcd 2x15x8x8)"},
    {[] {
         convolve_groups({2, 15, 8, 8}, {3, 5, 5, 3, 3}, {2, 16, 8, 8});
     },
        invalid,
        "convolution: weights: 3 groups of 5 output channels do not fit dst, which has 16 (src f32 "
        "abcd 2x15x8x8, weights f32 abcde 3x5x5x3x3, dst f32 abcd 2x16x8x8)"},
    {[] {
         convolve_groups({2, 16, 8, 8}, {4, 5, 3, 3}, {2, 4, 8, 8});
     },
        invalid,
        "convolution: weights: 5 input channels do not fit src, which has 16 (src f32 abcd "
        "2x16x8x8, weights f32 abcd 4x5x3x3, dst f32 abcd 2x4x8x8)"},
    {[] {
         group_normalization_forward::primitive_desc(cpu(), prop_kind::forward_inference,
             plain({2, 16, 8, 8}), plain({2, 16, 8, 8}), 3, 1e-5f, normalization_flags::none);
     },
        invalid, "group_normalization: groups: 3 does not divide C = 16"},
    {[] {
         shuffle_forward::primitive_desc(
             cpu(), prop_kind::forward_inference, plain({2, 16, 8, 8}), plain({2, 16, 8, 8}), 1, 3);
     },
        invalid,
        "shuffle: group_size: 3 does not divide the 16 elements of axis 1 (src f32 abcd 2x16x8x8, "
        "dst f32 abcd 2x16x8x8)"},
    {[] {
         multiply(plain({2, 64}), plain({64, 32}), plain({3, 32}));
     },
        invalid,
        "matmul: dst: M differs from src's (src f32 ab 2x64, weights f32 ab 64x32, dst f32 ab "
        "3x32)"},
    {[] {
         multiply(plain({2, 64}), plain({64, 32}), plain({2, 31}));
     },
        invalid,
        "matmul: dst: N differs from that of the weights (src f32 ab 2x64, weights f32 ab 64x32, "
        "dst f32 ab 2x31)"},
    {[] {
         convolve_groups({2, 6, 8, 8}, {4, 6, 3, 3}, {2, 4, 7, 8});
     },
        invalid,
        "convolution: dst: the spatial extent 7 does not follow from source, kernel, strides, "
        "dilation and padding, which give 8 (src f32 abcd 2x6x8x8, weights f32 abcd 4x6x3x3, dst "
        "f32 abcd 2x4x7x8)"},
    {[] {
         plain({2, 64}).submemory_desc({2, 64}, {0, 1});
     },
        invalid,
        "cannot create a submemory descriptor: dims or offsets: the region leaves its parent",
        false},
};

const std::vector<mistake> of_attributes {
    {[] {
         post_ops ops;
         ops.append_binary(algorithm::binary_add, md({DNNL_RUNTIME_DIM_VAL, 32}, dt::f32, tag::ab));
     },
        invalid,
        "cannot append a binary post-op: src1_desc: dimensions and strides of a post-op must be "
        "known when it is appended, none may be DNNL_RUNTIME_DIM_VAL",
        false},
    {[] {
         quantize(0, {1, 32}, quantization_mode::dynamic_mx);
     },
        invalid,
        "cannot set the scales attribute: mask: scales of e8m0 or f8_e4m3 are those of groups, and "
        "0 means one for the whole tensor; for all dimensions of a matrix it is 3",
        false},
    {[] {
         quantize(2, {1, 32}, quantization_mode::dynamic_mx);
     },
        unimplemented,
        "matmul: scales of DNNL_ARG_DST: the mode dynamic_mx needs the mask 3, a scale for each "
        "group along all 2 dimensions, not 2 (src f32 ab 2x64, weights f32 ab 64x32, dst f8_e4m3 "
        "ab 2x32)"},
    {[] {
         quantize(1, {1, 16}, quantization_mode::dynamic_fp, dt::f8_e4m3, dt::f4_e2m1);
     },
        unimplemented,
        "matmul: scales of DNNL_ARG_DST: the mode dynamic_fp needs the mask 3, a scale for each "
        "group along all 2 dimensions, not 1 (src f32 ab 2x64, weights f32 ab 64x32, dst f4_e2m1 "
        "ab 2x32)"},
    {[] {
         quantize(3, {1, 16}, quantization_mode::dynamic_mx);
     },
        unimplemented,
        "matmul: scales of DNNL_ARG_DST: the mode dynamic_mx needs groups of 1x32 (src f32 ab "
        "2x64, "
        "weights f32 ab 64x32, dst f8_e4m3 ab 2x32)"},
    {[] {
         const auto attr =
             changed([](primitive_attr &a) { a.set_zero_points_mask(DNNL_ARG_DST, 3); });
         multiply(plain({2, 64}, dt::u8), plain({64, 32}, dt::s8), plain({2, 32}, dt::u8), attr);
     },
        unimplemented,
        "matmul: zero_points of DNNL_ARG_DST: the mask 3 is not offered for this tensor, only 0, 2 "
        "(src u8 ab 2x64, weights s8 ab 64x32, dst u8 ab 2x32)"},
    {[] { multiply(changed([](primitive_attr &a) { a.set_zero_points_mask(DNNL_ARG_SRC, 0); })); },
        unimplemented,
        "matmul: zero_points of DNNL_ARG_SRC: they need an integer tensor" + products},
    {[] { multiply(chain([](post_ops &o) { o.append_sum(1.f, 0, dt::s8); })); }, unimplemented,
        "matmul: post_ops: the type of a sum must have the size of the destination's type" +
            products},
    {[] { multiply(chain([](post_ops &o) { o.append_prelu(8); })); }, invalid,
        "matmul: post_ops: the mask 8 of a prelu names a dimension that dst lacks, it has 2" +
            products},
    {[] {
         lrn_forward::primitive_desc(cpu(), prop_kind::forward_inference,
             algorithm::lrn_across_channels, plain({2, 6, 8, 8}), plain({2, 6, 8, 8}), 5, 1, 1, 1,
             chain([](post_ops &o) { o.append_sum(); }));
     },
        unimplemented,
        "lrn: post_ops: this kind is not offered here (src f32 abcd 2x6x8x8, dst f32 abcd "
        "2x6x8x8)"},
    {[] { changed([](primitive_attr &a) { a.set_scales_mask(DNNL_ARG_BIAS, 0); }); }, invalid,
        "cannot set the scales attribute: arg: this argument takes no scales", false},
    {[] { chain([](post_ops &o) { o.append_eltwise(algorithm::eltwise_clip, 2, 1); }); }, invalid,
        "cannot append an eltwise post-op: alpha: clip needs alpha <= beta", false},
    {[] {
         convolution_forward::primitive_desc(cpu(), prop_kind::forward_inference,
             algorithm::convolution_winograd, plain({2, 6, 8, 8}), plain({4, 6, 3, 3}),
             plain({2, 4, 8, 8}), {1, 1}, {1, 1}, {1, 1});
     },
        unimplemented, "convolution: alg_kind: there is no Winograd implementation"},
};

} // namespace

/// All that is said, but for what faster rows add on processors that have them: at most two other
/// reasons, and none that is about the choice of rows.
BOOST_AUTO_TEST_CASE(forty_refusals_make_sense_to_a_stranger) {
    std::size_t count = 0;
    for (const auto *mistakes : {&of_types, &of_numbers, &of_attributes})
        for (const mistake &m : *mistakes) {
            const answer a = answer_to(m.call);
            const std::string expected =
                (m.of_a_primitive ? "no primitive descriptor: " : "") + m.said;
            BOOST_TEST(a.status == m.status);
            BOOST_TEST(a.message.substr(0, a.message.find("; implementation")) == expected);
            const std::string more = a.message.substr(std::min(expected.size(), a.message.size()));
            BOOST_TEST(std::count(more.begin(), more.end(), ';') <= 2);
            for (const char *word : {"made for", "instruction set", "reference", "as said"})
                BOOST_TEST(more.find(word) == std::string::npos, a.message);
            ++count;
        }
    BOOST_TEST(count == 40u);
}
