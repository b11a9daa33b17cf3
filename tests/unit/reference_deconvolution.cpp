// SPDX-License-Identifier: Apache-2.0
// The reference deconvolution against values worked by hand from its formula.
#include "common/descriptors/products.hpp"
#include "common/runtime/error.hpp"
#include "reference_run.hpp"

using namespace reference_run;
constexpr auto f32_type = data_type::f32, s8_type = data_type::s8, u8_type = data_type::u8,
               s32_type = data_type::s32;

namespace {
struct line {
    dim_t stride = 1, dilation = 0, left = 0, right = 0;
};
deconvolution_desc one_line(dnnl_prop_kind_t prop, const convolution_tensors &tensors, line l) {
    return make_deconvolution_desc(
        prop, dnnl_deconvolution_direct, tensors, {&l.stride, &l.dilation, &l.left, &l.right});
}

/// {1, 10} spread by {1, 2, 3}.
std::vector<float> spread(dim_t extent, line l) {
    buffer src(f32_type, {1, 1, 2}, {1, 10}), weights(f32_type, {1, 1, 3}, {1, 2, 3});
    buffer dst(f32_type, {1, 1, extent});
    const auto desc = one_line(dnnl_forward_inference, {&src.md, &weights.md, nullptr, &dst.md}, l);
    BOOST_CHECK(!run(ref::make_deconvolution, desc,
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}));
    return dst.values();
}
} // namespace

BOOST_AUTO_TEST_CASE(one_channel_by_hand) {
    using list = std::vector<float>;
    BOOST_CHECK(spread(4, {}) == (list {1, 12, 23, 30}));
    BOOST_CHECK(spread(5, {.stride = 2}) == (list {1, 2, 13, 20, 30}));
    BOOST_CHECK(spread(7, {.stride = 4}) == (list {1, 2, 3, 0, 10, 20, 30}));
    BOOST_CHECK(spread(6, {.dilation = 1}) == (list {1, 10, 2, 20, 3, 30}));
    BOOST_CHECK(spread(3, {.stride = 2, .left = 1, .right = 1}) == (list {2, 13, 20}));
    BOOST_CHECK(spread(6, {.stride = 2, .right = -1}) == (list {1, 2, 13, 20, 30, 0}));
}

BOOST_AUTO_TEST_CASE(groups_and_channels_by_hand) {
    // Two groups of two input channels and one output channel, one tap: weights are (G, O, I, W).
    buffer src(f32_type, {1, 4, 2}, {1, 2, 10, 20, 3, 4, 30, 40});
    buffer weights(f32_type, {2, 1, 2, 1}, {1, 2, 5, 7}), bias(f32_type, {2}, {0.5, -0.5});
    buffer dst(f32_type, {1, 2, 2});
    const auto desc =
        one_line(dnnl_forward_inference, {&src.md, &weights.md, &bias.md, &dst.md}, {});
    BOOST_CHECK(!run(ref::make_deconvolution, desc,
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias},
            {DNNL_ARG_DST, dst}}));
    check(dst, {21.5, 42.5, 5 * 3 + 7 * 30 - 0.5f, 5 * 4 + 7 * 40 - 0.5f});
}

BOOST_AUTO_TEST_CASE(int8_with_all_attributes) {
    buffer src(u8_type, {1, 1, 2}, {5, 7}), weights(s8_type, {1, 1, 2}, {3, -2});
    buffer bias(f32_type, {1}, {1}), dst(s8_type, {1, 1, 3}, {10, 20, 30});
    buffer src_scale(f32_type, {1}, {0.5}), weights_scale(f32_type, {1}, {2});
    buffer dst_scale(f32_type, {1}, {0.5}), src_zero(s32_type, {1}, {4}),
        dst_zero(s32_type, {1}, {-3});
    primitive_attr attr;
    for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}) {
        quantization q;
        q.arg = arg;
        q.mask = arg == DNNL_ARG_WEIGHTS;
        q.dtype = f32_type;
        attr.scales.set(q);
        if (arg == DNNL_ARG_WEIGHTS) continue;
        q.dtype = s32_type;
        attr.zero_points.set(q);
    }
    attr.post_ops.entries = {sum_post_op {2, 1, data_type::undef}};
    const auto desc =
        one_line(dnnl_forward_inference, {&src.md, &weights.md, &bias.md, &dst.md}, {});
    BOOST_CHECK(!run(ref::make_deconvolution, desc,
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias},
            {DNNL_ARG_DST, dst}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, src_scale},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, weights_scale},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, dst_scale},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, src_zero},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, dst_zero}},
        attr));
    // Sums 1 * 3, 1 * -2 + 3 * 3 and 3 * -2; scales 1, bias 1: 4, 8, -5; plus 2 * (previous - 1):
    // 22, 46, 53; divided by 0.5, minus 3: 41, 89, 103.
    check(dst, {41, 89, 103});
}

BOOST_AUTO_TEST_CASE(gradients_by_hand) {
    // dst = spread of src by stride 2: dst[2 i + k] += src[i] * weights[k].
    buffer diff_dst(f32_type, {1, 1, 5}, {1, 2, 3, 4, 5}),
        weights(f32_type, {1, 1, 3}, {1, 10, 100});
    buffer src(f32_type, {1, 1, 2}, {1, 10}), diff_src(src.md), diff_weights(weights.md);
    buffer diff_bias(f32_type, {1});
    BOOST_CHECK(!run(ref::make_deconvolution,
        one_line(
            dnnl_backward_data, {&diff_src.md, &weights.md, nullptr, &diff_dst.md}, {.stride = 2}),
        {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_WEIGHTS, weights},
            {DNNL_ARG_DIFF_SRC, diff_src}}));
    check(diff_src, {321, 543});
    BOOST_CHECK(!run(ref::make_deconvolution,
        one_line(dnnl_backward_weights, {&src.md, &diff_weights.md, &diff_bias.md, &diff_dst.md},
            {.stride = 2}),
        {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_WEIGHTS, diff_weights},
            {DNNL_ARG_DIFF_BIAS, diff_bias}}));
    check(diff_weights, {31, 42, 53});
    check(diff_bias, {15});
}

// Less than a stride of elements may lie behind the last window.
BOOST_AUTO_TEST_CASE(sizes_follow_the_rule) {
    buffer src(f32_type, {1, 1, 4}), weights(f32_type, {1, 1, 3});
    for (const dim_t extent : {7, 8, 9, 10, 11}) {
        buffer dst(f32_type, {1, 1, extent});
        const auto make = [&] {
            one_line(
                dnnl_forward_inference, {&src.md, &weights.md, nullptr, &dst.md}, {.stride = 2});
        };
        if (extent == 9 || extent == 10)
            BOOST_CHECK_NO_THROW(make());
        else
            BOOST_CHECK_THROW(make(), error);
    }
}

BOOST_AUTO_TEST_CASE(exchanged_channels_come_back) {
    const dim_t dims[] {3, 20, 40, 2};
    memory_desc md = make_with_tag(4, dims, s8_type, dnnl_gOIw4i16o4i);
    md.column_sums_mask = 3;
    const memory_desc other = exchange_channels(md, true);
    BOOST_CHECK_EQUAL(other.column_sums_mask, 5);
    BOOST_CHECK_EQUAL(other.dims[1], 40);
    for (const dims_t &at : {dims_t {2, 3, 17, 1}, dims_t {0, 19, 39, 0}}) {
        const dims_t exchanged {at[0], at[2], at[1], at[3]};
        BOOST_CHECK_EQUAL(element_offset(md, at), element_offset(other, exchanged));
    }
    BOOST_CHECK(exchange_channels(other, true) == md);
}
