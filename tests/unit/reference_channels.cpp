// SPDX-License-Identifier: Apache-2.0
// The reference shuffle and local response normalization: values worked by hand.
#include "common/descriptors/mappings/mappings.hpp"
#include "reference_run.hpp"

using namespace reference_run;
constexpr auto f32_type = data_type::f32, s8_type = data_type::s8, f64_type = data_type::f64;

namespace {

void check_shuffle(dnnl_prop_kind_t prop, const buffer &from, int axis, dim_t group,
    const std::vector<float> &expected) {
    const bool forward = prop != dnnl_backward_data;
    buffer in = from, out(from.md);
    const memory_desc &src = forward ? in.md : out.md, &dst = forward ? out.md : in.md;
    const char *refusal =
        run(ref::make_shuffle, make_shuffle_desc(prop, &src, &dst, axis, group, nullptr),
            {{forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, in},
                {forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, out}});
    BOOST_REQUIRE_MESSAGE(!refusal, refusal);
    check(out, expected);
}

void check_lrn(dnnl_alg_kind_t alg, const std::vector<dim_t> &dims, std::vector<float> values,
    const lrn_parameters &given, const std::vector<float> &expected) {
    buffer src(f32_type, dims, std::move(values)), dst(f32_type, dims);
    const auto desc = make_lrn_desc(dnnl_forward_inference, alg, &src.md, &dst.md, nullptr, given);
    const char *refusal = run(ref::make_lrn, desc, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    BOOST_REQUIRE_MESSAGE(!refusal, refusal);
    check(dst, expected);
}

} // namespace

BOOST_AUTO_TEST_CASE(shuffle_of_six) {
    const auto training = dnnl_forward_training, backward = dnnl_backward_data;
    const buffer six(f32_type, {6}, {0, 1, 2, 3, 4, 5});
    check_shuffle(training, six, 0, 1, {0, 1, 2, 3, 4, 5});
    check_shuffle(training, six, 0, 2, {0, 2, 4, 1, 3, 5});
    check_shuffle(training, six, 0, 3, {0, 3, 1, 4, 2, 5});
    check_shuffle(training, six, 0, 6, {0, 1, 2, 3, 4, 5});
    check_shuffle(backward, buffer(f32_type, {6}, {0, 2, 4, 1, 3, 5}), 0, 2, {0, 1, 2, 3, 4, 5});
    check_shuffle(backward, buffer(f32_type, {6}, {0, 3, 1, 4, 2, 5}), 0, 3, {0, 1, 2, 3, 4, 5});
}

BOOST_AUTO_TEST_CASE(shuffle_of_channels) {
    // Four channels of two pixels: 0 2 1 3 by groups of two.
    const std::vector<float> image {1, 2, 3, 4, 5, 6, 7, 8}, moved {1, 2, 5, 6, 3, 4, 7, 8};
    check_shuffle(dnnl_forward_inference, buffer(s8_type, {1, 4, 2}, image), 1, 2, moved);
    check_shuffle(
        dnnl_forward_inference, buffer(f32_type, {1, 4, 2}, image, dnnl_nwc), 1, 2, moved);
    check_shuffle(
        dnnl_forward_inference, buffer(f32_type, {1, 4, 2}, image, dnnl_nCw8c), 1, 2, moved);
    check_shuffle(dnnl_forward_inference, buffer(f64_type, {1, 4, 2}, image), 1, 2, moved);
}

BOOST_AUTO_TEST_CASE(lrn_across) {
    // alpha / n = 1. Windows of three: sums of squares 4, 8, 4.
    check_lrn(dnnl_lrn_across_channels, {1, 3}, {2, 0, 2}, {3, 3, 1, 0}, {0.5f, 0, 0.5f});
    // k = 4: omega 8, 12, 8.
    check_lrn(dnnl_lrn_across_channels, {1, 3}, {2, 0, 2}, {3, 3, 1, 4}, {0.25f, 0, 0.25f});
    // An even size has the window of the odd one below it and its own divisor: alpha / 4.
    check_lrn(dnnl_lrn_across_channels, {1, 3}, {2, 0, 2}, {4, 4, 1, 0}, {0.5f, 0, 0.5f});
    // One element: s / (s^2)^(1/2).
    check_lrn(dnnl_lrn_across_channels, {1, 3}, {2, 5, -3}, {1, 1, 0.5f, 0}, {1, 1, -1});
}

BOOST_AUTO_TEST_CASE(lrn_within) {
    // Every window of the 2 x 2 image holds all of it; alpha / 3^2 = 1, omega = 4.
    check_lrn(dnnl_lrn_within_channel, {1, 1, 2, 2}, {1, 1, 1, 1}, {3, 9, 0.5f, 0},
        {0.5f, 0.5f, 0.5f, 0.5f});
    // One dimension, no neighbour across channels: sums 4, 4 and 0, 1 with k = 1: 5, 5, 1, 2.
    check_lrn(
        dnnl_lrn_within_channel, {1, 2, 2}, {2, 0, 0, 1}, {1, 1, 1, 1}, {2.0f / 5, 0, 0, 0.5f});
}

BOOST_AUTO_TEST_CASE(lrn_gradient) {
    // omega 4, 8, 4; shares dd s / omega^2 = 1/8, 0, 1/8; their sums 1/8, 1/4, 1/8;
    // dd / omega - 2 s * sum = 1/4 - 1/2, 1/8 - 0, 1/4 - 1/2.
    buffer src(f32_type, {1, 3}, {2, 0, 2}), diff_dst(f32_type, {1, 3}, {1, 1, 1});
    buffer diff_src(f32_type, {1, 3});
    const auto desc = make_lrn_desc(dnnl_backward_data, dnnl_lrn_across_channels, &diff_src.md,
        &diff_dst.md, &src.md, {3, 3, 1, 0});
    const char *refusal = run(ref::make_lrn, desc,
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src}});
    BOOST_REQUIRE_MESSAGE(!refusal, refusal);
    check(diff_src, {-0.25f, 0.125f, -0.25f});
}
