// SPDX-License-Identifier: Apache-2.0
// The reference implementations against values worked by hand from the formulas of the
// specification, and against identities.
#include <cmath>

#include "common/descriptors/products/shapes.hpp"
#include "reference_run.hpp"

using namespace reference_run;
constexpr auto f32_type = data_type::f32, s8_type = data_type::s8, u8_type = data_type::u8,
               s32_type = data_type::s32;

namespace {
quantization values_of(int arg, int mask, data_type dtype = data_type::f32) {
    quantization q;
    q.arg = arg;
    q.mask = mask;
    q.dtype = dtype;
    return q;
}
} // namespace

BOOST_AUTO_TEST_CASE(reorder_quantises_with_zero_point_and_saturates) {
    buffer src(f32_type, {6}, {-1, 0, 0.25, 0.75, 100, NAN}), dst(u8_type, {6});
    buffer scale(f32_type, {1}, {0.5}), zero_point(s32_type, {1}, {3});
    primitive_attr attr;
    attr.scales.set(values_of(DNNL_ARG_TO, 0));
    attr.zero_points.set(values_of(DNNL_ARG_TO, 0, s32_type));
    BOOST_CHECK(!run(ref::make_reorder, reorder_desc {src.md, dst.md},
        {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO, scale},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_TO, zero_point}},
        attr));
    // 0.25 / 0.5 + 3 = 3.5 and 0.75 / 0.5 + 3 = 4.5 round to the even 4.
    check(dst, {1, 3, 4, 4, 203, 0});
}

BOOST_AUTO_TEST_CASE(reorder_into_blocks_zeroes_the_padding_and_comes_back) {
    buffer src(f32_type, {2, 19, 3, 2}, small_integers(2 * 19 * 6, 1));
    buffer blocked(f32_type, {2, 19, 3, 2}, {}, dnnl_nChw16c), back(f32_type, {2, 19, 3, 2});
    BOOST_CHECK(!run(ref::make_reorder, reorder_desc {src.md, blocked.md},
        {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, blocked}}));
    BOOST_CHECK(!run(ref::make_reorder, reorder_desc {blocked.md, back.md},
        {{DNNL_ARG_FROM, blocked}, {DNNL_ARG_TO, back}}));
    check(back, src.values());
    buffer whole = blocked;
    whole.md.dims = whole.md.padded_dims;
    double all = 0, inside = 0;
    for (float value : whole.values()) all += std::fabs(value);
    for (float value : src.values()) inside += std::fabs(value);
    BOOST_CHECK_EQUAL(all, inside);
}

BOOST_AUTO_TEST_CASE(reorder_keeps_all_bits_of_s32_and_appends_column_sums) {
    buffer src(s32_type, {1}), dst(s32_type, {1});
    const std::int32_t value = 0x7ffffffd;
    std::memcpy(src.bytes.data(), &value, 4);
    BOOST_CHECK(!run(ref::make_reorder, reorder_desc {src.md, dst.md},
        {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}}));
    BOOST_CHECK(src.bytes == dst.bytes);

    buffer weights(s8_type, {2, 3}, {1, 2, 3, -4, 50, 6});
    memory_desc packed = make_with_tag(2, weights.md.dims.data(), s8_type, dnnl_BA16a32b4a);
    packed.column_sums_mask = 2; // per n
    buffer panels(packed);
    BOOST_CHECK(!run(ref::make_reorder, reorder_desc {weights.md, packed},
        {{DNNL_ARG_FROM, weights}, {DNNL_ARG_TO, panels}}));
    std::int32_t sums[4];
    std::memcpy(sums, panels.bytes.data() + packed.elements_bytes(), sizeof sums);
    BOOST_CHECK(sums[0] == -3 && sums[1] == 52 && sums[2] == 9 && sums[3] == 0);
}

BOOST_AUTO_TEST_CASE(matmul_int8_with_all_attributes) {
    buffer src(u8_type, {1, 2}, {5, 7}), weights(s8_type, {2, 2}, {1, -2, 3, 4});
    buffer bias(f32_type, {1, 2}, {0.5, -1}), dst(u8_type, {1, 2}, {10, 20});
    buffer src_scale(f32_type, {1}, {0.5}), weights_scale(f32_type, {2}, {2, 0.25});
    buffer dst_scale(f32_type, {1}, {0.5}), src_zero(s32_type, {1}, {1}),
        dst_zero(s32_type, {1}, {7});
    primitive_attr attr;
    attr.scales.set(values_of(DNNL_ARG_SRC, 0));
    attr.scales.set(values_of(DNNL_ARG_WEIGHTS, 2));
    attr.scales.set(values_of(DNNL_ARG_DST, 0));
    attr.zero_points.set(values_of(DNNL_ARG_SRC, 0, s32_type));
    attr.zero_points.set(values_of(DNNL_ARG_DST, 0, s32_type));
    attr.post_ops.entries = {
        sum_post_op {0.5f, 2, data_type::undef}, eltwise_post_op {dnnl_eltwise_relu, 0, 0}};
    BOOST_CHECK(!run(ref::make_matmul, matmul_desc {src.md, weights.md, bias.md, dst.md},
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias},
            {DNNL_ARG_DST, dst}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, src_scale},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, weights_scale},
            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, dst_scale},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, src_zero},
            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST, dst_zero}},
        attr));
    // Sums 4 * 1 + 6 * 3 = 22 and 4 * -2 + 6 * 4 = 16; times 1 and 0.125, plus bias: 22.5 and 1;
    // plus 0.5 * (10 - 2) and 0.5 * (20 - 2): 26.5 and 10; divided by 0.5, plus 7: 60 and 27.
    check(dst, {60, 27});
}

BOOST_AUTO_TEST_CASE(matmul_broadcasts_batches_and_sums_nothing_for_k_0) {
    buffer src(f32_type, {2, 1, 2}, {1, 2, 3, 4}), weights(f32_type, {1, 2, 2}, {1, 10, 100, 1000});
    buffer dst(f32_type, {2, 1, 2});
    BOOST_CHECK(!run(ref::make_matmul, matmul_desc {src.md, weights.md, {}, dst.md},
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}));
    check(dst, {201, 2010, 403, 4030});
    buffer no_k(f32_type, {1, 0}), no_k_weights(f32_type, {0, 2}), bias(f32_type, {1, 2}, {3, 4});
    buffer only_bias(f32_type, {1, 2});
    BOOST_CHECK(
        !run(ref::make_matmul, matmul_desc {no_k.md, no_k_weights.md, bias.md, only_bias.md},
            {{DNNL_ARG_SRC, no_k}, {DNNL_ARG_WEIGHTS, no_k_weights}, {DNNL_ARG_BIAS, bias},
                {DNNL_ARG_DST, only_bias}}));
    check(only_bias, {3, 4});
}

BOOST_AUTO_TEST_CASE(matmul_applies_grouped_scales_and_zero_points_of_weights) {
    buffer src(f32_type, {1, 4}, {1, 1, 1, 1}), weights(s8_type, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    buffer scales(f32_type, {2, 2}, {1, 2, 10, 20}), zero_points(s32_type, {1}, {1});
    buffer dst(f32_type, {1, 2});
    primitive_attr attr;
    quantization grouped = values_of(DNNL_ARG_WEIGHTS, 3);
    grouped.group_ndims = 2;
    grouped.group_dims = {2, 1};
    attr.scales.set(grouped);
    attr.zero_points.set(values_of(DNNL_ARG_WEIGHTS, 0, s32_type));
    const matmul_desc desc {src.md, weights.md, {}, dst.md};
    const std::initializer_list<passed> arguments {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights},
        {DNNL_ARG_DST, dst}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scales},
        {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, zero_points}};
    BOOST_CHECK(run(ref::make_matmul, desc, arguments, attr)); // needs apply_to_int
    attr.fpmath_apply_to_int = true;
    BOOST_CHECK(!run(ref::make_matmul, desc, arguments, attr));
    check(dst, {(0 + 2) * 1 + (4 + 6) * 10, (1 + 3) * 2 + (5 + 7) * 20});
}

BOOST_AUTO_TEST_CASE(matmul_s32_result_is_exact_beyond_24_bits) {
    buffer src(u8_type, {1, 400}, std::vector<float>(400, 255));
    buffer weights(s8_type, {400, 1}, std::vector<float>(400, 127)), dst(s32_type, {1, 1});
    weights.bytes[0] = std::byte {126};
    run(ref::make_matmul, matmul_desc {src.md, weights.md, {}, dst.md},
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    std::int32_t sum = 0;
    std::memcpy(&sum, dst.bytes.data(), 4);
    BOOST_CHECK_EQUAL(sum, 400 * 255 * 127 - 255);
}

BOOST_AUTO_TEST_CASE(convolution_by_hand) {
    // Two groups, stride 2, padding 1, dilation 1: taps at iw = 2 ow - 1 and 2 ow + 1.
    buffer src(f32_type, {1, 2, 4}, {1, 2, 3, 4, 10, 20, 30, 40});
    buffer weights(f32_type, {2, 1, 1, 2}, {1, 2, 3, 4}), bias(f32_type, {2}, {0.5, -0.5});
    buffer dst(f32_type, {1, 2, 2});
    const dim_t stride = 2, dilate = 1, padding = 1;
    const convolution_desc desc =
        make_convolution_desc(dnnl_forward_inference, dnnl_convolution_direct,
            {&src.md, &weights.md, &bias.md, &dst.md}, {&stride, &dilate, &padding, &padding});
    BOOST_CHECK(!run(ref::make_convolution, desc,
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias},
            {DNNL_ARG_DST, dst}}));
    check(dst, {2 * 2 + 0.5f, 2 + 4 * 2 + 0.5f, 4 * 20 - 0.5f, 3 * 20 + 4 * 40 - 0.5f});
}

BOOST_AUTO_TEST_CASE(convolution_gradients_are_adjoint) {
    const dim_t strides[] = {2, 1, 3}, dilates[] = {0, 1, 1}, left[] = {1, 2, 0},
                right[] = {0, 1, 3};
    buffer src(f32_type, {2, 4, 4, 6, 7}, small_integers(2 * 4 * 4 * 6 * 7, 1), dnnl_ndhwc);
    buffer weights(f32_type, {2, 3, 2, 2, 3, 2}, small_integers(2 * 3 * 2 * 12, 2));
    buffer dst(f32_type, {2, 6, 2, 5, 3});
    const auto desc = [&](dnnl_prop_kind_t prop, const buffer &s, const buffer &w,
                          const buffer &d) {
        return make_convolution_desc(prop, dnnl_convolution_direct, {&s.md, &w.md, nullptr, &d.md},
            {strides, dilates, left, right});
    };
    BOOST_CHECK(!run(ref::make_convolution, desc(dnnl_forward_training, src, weights, dst),
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}));
    buffer diff_dst(f32_type, {2, 6, 2, 5, 3}, small_integers(dst.md.nelems(), 3));
    buffer diff_src(src.md), diff_weights(weights.md);
    BOOST_CHECK(!run(ref::make_convolution, desc(dnnl_backward_data, diff_src, weights, diff_dst),
        {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_WEIGHTS, weights},
            {DNNL_ARG_DIFF_SRC, diff_src}}));
    BOOST_CHECK(
        !run(ref::make_convolution, desc(dnnl_backward_weights, src, diff_weights, diff_dst),
            {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_SRC, src},
                {DNNL_ARG_DIFF_WEIGHTS, diff_weights}}));
    const double forward = inner_product_of(dst, diff_dst);
    BOOST_CHECK_NE(forward, 0);
    BOOST_CHECK_EQUAL(forward, inner_product_of(src, diff_src));
    BOOST_CHECK_EQUAL(forward, inner_product_of(weights, diff_weights));
}

BOOST_AUTO_TEST_CASE(inner_product_and_its_gradients) {
    buffer src(f32_type, {2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), bias(f32_type, {2}, {1, -1});
    buffer weights(f32_type, {2, 2, 1, 2}, {1, 0, 0, 1, 2, 1, 0, 3}, dnnl_nhwc);
    buffer dst(f32_type, {2, 2});
    BOOST_CHECK(!run(ref::make_inner_product,
        inner_product_desc {dnnl_forward_training, src.md, weights.md, bias.md, dst.md},
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias},
            {DNNL_ARG_DST, dst}}));
    check(dst, {6, 15, 14, 39});
    buffer diff_dst(f32_type, {2, 2}, {1, 2, 3, 4}), diff_src(src.md), diff_weights(weights.md);
    buffer diff_bias(bias.md);
    BOOST_CHECK(!run(ref::make_inner_product,
        inner_product_desc {dnnl_backward_data, diff_src.md, weights.md, {}, diff_dst.md},
        {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_WEIGHTS, weights},
            {DNNL_ARG_DIFF_SRC, diff_src}}));
    check(diff_src, {5, 2, 0, 7, 11, 4, 0, 15});
    BOOST_CHECK(!run(ref::make_inner_product,
        inner_product_desc {
            dnnl_backward_weights, src.md, diff_weights.md, diff_bias.md, diff_dst.md},
        {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_WEIGHTS, diff_weights},
            {DNNL_ARG_DIFF_BIAS, diff_bias}}));
    check(diff_weights, {16, 20, 24, 28, 22, 28, 34, 40});
    check(diff_bias, {4, 6});
}

namespace {
const char *reorder_refusal(data_type from, data_type to) {
    buffer src(from, {3, 5}), dst(to, {3, 5});
    return run(ref::make_reorder, reorder_desc {src.md, dst.md},
        {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
}
} // namespace

BOOST_AUTO_TEST_CASE(reorder_takes_pairs_with_a_conversion_alone) {
    using enum data_type;
    constexpr std::pair<data_type, data_type> refused[] = {{f64, f64}, {f64, f32}, {s4, s8},
        {s8, u4}, {s4, u4}, {f8_e5m2, s8}, {s32, f8_e4m3}, {f8_e4m3, s4}, {s8, f4_e2m1}, {e8m0, s8},
        {f4_e2m1, u4}, {f8_e5m2, e8m0}};
    for (const auto &[from, to] : refused)
        BOOST_CHECK_MESSAGE(reorder_refusal(from, to), name_of(from) << " to " << name_of(to));
    constexpr std::pair<data_type, data_type> taken[] = {{f32, s4}, {u4, bf16}, {f32, e8m0},
        {f32, f4_e2m1}, {bf16, f4_e2m1}, {e8m0, f32}, {f4_e2m1, f32}, {f16, e8m0},
        {f8_e5m2, f8_e4m3}, {f16, f8_e5m2}};
    for (const auto &[from, to] : taken)
        BOOST_CHECK_MESSAGE(!reorder_refusal(from, to), name_of(from) << " to " << name_of(to));
}
