// SPDX-License-Identifier: Apache-2.0
// Rows of the misuse table about reduction, resampling and prelu, and what their descriptors say of
// themselves.
#include <array>
#include <cmath>

#include "objects.hpp"

using namespace api_tests;

namespace {

using pd_t = dnnl_primitive_desc_t;
using md_t = const_dnnl_memory_desc_t;
constexpr dnnl_status_t invalid = dnnl_invalid_arguments, missing = dnnl_unimplemented;
constexpr auto train = dnnl_forward_training;

dnnl_status_t reduce(pd_t *out, md_t src, md_t dst, dnnl_alg_kind_t alg = dnnl_reduction_sum,
    float p = 1, const_dnnl_primitive_attr_t attr = nullptr) {
    return dnnl_reduction_primitive_desc_create(out, engine(), alg, src, dst, p, 0, attr);
}
dnnl_status_t resample(pd_t *out, const float *factors, md_t src, md_t dst,
    dnnl_alg_kind_t alg = dnnl_resampling_nearest, dnnl_prop_kind_t prop = train) {
    return dnnl_resampling_forward_primitive_desc_create(
        out, engine(), prop, alg, factors, src, dst, nullptr);
}
dnnl_status_t resample_back(
    pd_t *out, md_t diff_src, md_t diff_dst, const_dnnl_primitive_desc_t hint = nullptr) {
    return dnnl_resampling_backward_primitive_desc_create(
        out, engine(), dnnl_resampling_nearest, nullptr, diff_src, diff_dst, hint, nullptr);
}
dnnl_status_t prelu(pd_t *out, md_t src, md_t weights, md_t dst) {
    return dnnl_prelu_forward_primitive_desc_create(
        out, engine(), train, src, weights, dst, nullptr);
}
dnnl_status_t prelu_back(
    pd_t *out, md_t src, md_t weights, md_t diff_src, md_t diff_weights, md_t diff_dst) {
    return dnnl_prelu_backward_primitive_desc_create(
        out, engine(), src, weights, diff_src, diff_weights, diff_dst, nullptr, nullptr);
}
} // namespace

BOOST_AUTO_TEST_CASE(reductions) {
    const auto image = plain({2, 16, 4, 4}), other = plain({2, 16, 4, 5});
    const auto channels = plain({1, 16, 1, 1}), vector = plain({16});
    const auto open = plain({DNNL_RUNTIME_DIM_VAL, 16, 4, 4});
    check_row("R01", invalid, "dst", [&](pd_t *out) { return reduce(out, image, image); });
    check_row("R02", invalid, "dst", [&](pd_t *out) { return reduce(out, image, other); });
    check_row("R03", invalid, "p",
        [&](pd_t *out) { return reduce(out, image, channels, dnnl_reduction_norm_lp_sum, 0.5f); });
    check_row("p is NaN", invalid, "p",
        [&](pd_t *out) { return reduce(out, image, channels, dnnl_reduction_norm_lp_max, NAN); });
    check_row("p is infinite", invalid, "p", [&](pd_t *out) {
        return reduce(out, image, channels, dnnl_reduction_norm_lp_max, INFINITY);
    });
    check_row("p of a sum", dnnl_success, "",
        [&](pd_t *out) { return reduce(out, image, channels, dnnl_reduction_sum, NAN); });
    check_row("rank", invalid, "dst", [&](pd_t *out) { return reduce(out, image, vector); });
    check_row("algorithm", invalid, "alg_kind",
        [&](pd_t *out) { return reduce(out, image, channels, dnnl_resampling_nearest); });
    check_row(
        "N-01, reduction", missing, "src", [&](pd_t *out) { return reduce(out, open, channels); });
    check_row(
        "NULL src", invalid, "src", [&](pd_t *out) { return reduce(out, nullptr, channels); });
    check_row("NULL dst", invalid, "dst", [&](pd_t *out) { return reduce(out, image, nullptr); });
    check_row("NULL engine", invalid, "engine", [&](pd_t *out) {
        return dnnl_reduction_primitive_desc_create(
            out, nullptr, dnnl_reduction_sum, image, channels, 1, 0, nullptr);
    });
    BOOST_TEST(reduce(nullptr, image, channels) == invalid);
}

BOOST_AUTO_TEST_CASE(resamplings) {
    const auto image = plain({2, 16, 4, 4}), twice = plain({2, 16, 8, 8});
    const auto channels = plain({2, 8, 8, 8}), matrix = plain({2, 16});
    const auto open = plain({DNNL_RUNTIME_DIM_VAL, 16, 4, 4}), none = plain({2, 16, 0, 4});
    const float two[] = {2, 2}, three[] = {3, 3}, zero[] = {0, 1}, close[] = {2.2f, 1.8f};
    check_row("R04", invalid, "factors",
        [&](pd_t *out) { return resample(out, nullptr, image, nullptr); });
    check_row(
        "R05", invalid, "factors", [&](pd_t *out) { return resample(out, three, image, twice); });
    check_row("R05, dst wins", dnnl_success, "",
        [&](pd_t *out) { return resample(out, close, image, twice); });
    check_row(
        "R06", invalid, "factors", [&](pd_t *out) { return resample(out, zero, image, nullptr); });
    check_row("channels", invalid, "dst",
        [&](pd_t *out) { return resample(out, nullptr, image, channels); });
    check_row(
        "rank", invalid, "src", [&](pd_t *out) { return resample(out, two, matrix, nullptr); });
    check_row("nothing to read", invalid, "dst",
        [&](pd_t *out) { return resample(out, nullptr, none, image); });
    check_row("algorithm", invalid, "alg_kind",
        [&](pd_t *out) { return resample(out, two, image, twice, dnnl_reduction_sum); });
    check_row("prop_kind", invalid, "prop_kind", [&](pd_t *out) {
        return resample(out, two, image, twice, dnnl_resampling_linear, dnnl_backward_data);
    });
    check_row("N-01, resampling", missing, "src",
        [&](pd_t *out) { return resample(out, nullptr, open, twice); });
    check_row(
        "NULL src", invalid, "src", [&](pd_t *out) { return resample(out, two, nullptr, twice); });
    check_row("backward, NULL diff_src", invalid, "diff_src",
        [&](pd_t *out) { return resample_back(out, nullptr, twice); });
    check_row("backward, NULL diff_dst", invalid, "diff_dst",
        [&](pd_t *out) { return resample_back(out, image, nullptr); });
    check_row(
        "backward", dnnl_success, "", [&](pd_t *out) { return resample_back(out, image, twice); });
    primitive_desc_owner hint;
    ok(resample(hint.out(), two, image, twice, dnnl_resampling_linear));
    check_row("backward, hint of another algorithm", invalid, "hint_fwd_pd",
        [&](pd_t *out) { return resample_back(out, image, twice, hint); });
}

BOOST_AUTO_TEST_CASE(prelus) {
    const auto image = plain({2, 16, 4, 4}), other = plain({2, 16, 4, 5});
    const auto slopes = plain({1, 16, 1, 1}), vector = plain({16});
    const auto half = plain({2, 16, 4, 4}, dnnl_bf16);
    const auto open = plain({DNNL_RUNTIME_DIM_VAL, 16, 4, 4});
    check_row(
        "W01", invalid, "weights", [&](pd_t *out) { return prelu(out, image, other, image); });
    check_row(
        "rank", invalid, "weights", [&](pd_t *out) { return prelu(out, image, vector, image); });
    check_row("dst", invalid, "dst", [&](pd_t *out) { return prelu(out, image, slopes, other); });
    check_row(
        "N-25, prelu", missing, "dst", [&](pd_t *out) { return prelu(out, image, slopes, half); });
    check_row(
        "N-01, prelu", missing, "src", [&](pd_t *out) { return prelu(out, open, slopes, image); });
    check_row("prop_kind", invalid, "prop_kind", [&](pd_t *out) {
        return dnnl_prelu_forward_primitive_desc_create(
            out, engine(), dnnl_backward, image, slopes, image, nullptr);
    });
    check_row(
        "NULL src", invalid, "src", [&](pd_t *out) { return prelu(out, nullptr, slopes, image); });
    check_row("NULL weights", invalid, "weights",
        [&](pd_t *out) { return prelu(out, image, nullptr, image); });
    check_row(
        "NULL dst", invalid, "dst", [&](pd_t *out) { return prelu(out, image, slopes, nullptr); });
    check_row("backward", dnnl_success, "",
        [&](pd_t *out) { return prelu_back(out, image, slopes, image, slopes, image); });
    check_row("backward, diff_weights", invalid, "diff_weights",
        [&](pd_t *out) { return prelu_back(out, image, slopes, image, image, image); });
    check_row("backward, diff_src", invalid, "diff_src",
        [&](pd_t *out) { return prelu_back(out, image, slopes, other, slopes, image); });
    check_row("backward, diff_dst", invalid, "diff_dst",
        [&](pd_t *out) { return prelu_back(out, image, slopes, image, slopes, other); });
    check_row("backward, NULL diff_src", invalid, "diff_src",
        [&](pd_t *out) { return prelu_back(out, image, slopes, nullptr, slopes, image); });
    check_row("backward, NULL diff_weights", invalid, "diff_weights",
        [&](pd_t *out) { return prelu_back(out, image, slopes, image, nullptr, image); });
    check_row("backward, NULL diff_dst", invalid, "diff_dst",
        [&](pd_t *out) { return prelu_back(out, image, slopes, image, slopes, nullptr); });
}

BOOST_AUTO_TEST_CASE(parameters) {
    const auto image = plain({2, 16, 4, 4}), channels = plain({1, 16, 1, 1});
    primitive_desc_owner reduction, resampling;
    ok(dnnl_reduction_primitive_desc_create(
        reduction.out(), engine(), dnnl_reduction_norm_lp_sum, image, channels, 3, 0.25f, nullptr));
    float p = 0, epsilon = 0;
    ok(dnnl_primitive_desc_query(reduction, dnnl_query_p_f32, 0, &p));
    ok(dnnl_primitive_desc_query(reduction, dnnl_query_epsilon_f32, 0, &epsilon));
    BOOST_TEST(p == 3);
    BOOST_TEST(epsilon == 0.25f);
    dnnl_prop_kind_t prop {};
    BOOST_TEST(dnnl_primitive_desc_query(reduction, dnnl_query_prop_kind, 0, &prop) == missing);

    const float factors[] = {2.6f, 0.5f}; // 4 * 2.6 = 10.4, so 10: factor 2.5
    ok(resample(resampling.out(), factors, image, nullptr, dnnl_resampling_linear));
    const float *kept = nullptr;
    ok(dnnl_primitive_desc_query(resampling, dnnl_query_factors, 0, &kept));
    BOOST_TEST(kept[0] == 2.5f);
    BOOST_TEST(kept[1] == 0.5f);
    const md_t dst = dnnl_primitive_desc_query_md(resampling, dnnl_query_dst_md, 0);
    BOOST_TEST(dnnl_memory_desc_equal(dst, plain({2, 16, 10, 2})) == 1);
}
