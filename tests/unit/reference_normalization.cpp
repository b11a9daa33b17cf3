// SPDX-License-Identifier: Apache-2.0
// Reference rows of batch, layer and group normalization: values worked by hand, and gradients
// against difference quotients of the forward pass.
#include "reference_run.hpp"

#include <cmath>

#include "common/descriptors/mappings/mappings.hpp"

using namespace reference_run;

namespace {

constexpr unsigned vectors = dnnl_use_scale | dnnl_use_shift;
constexpr float epsilon = 3; // variances are 1, so that the root of their sum is 2

batch_normalization_desc batch(dnnl_prop_kind_t prop, const memory_desc &md, unsigned flags) {
    if (is_forward(prop))
        return make_batch_normalization_desc(prop, {&md, &md, nullptr, epsilon, flags}, nullptr);
    const auto hint = make_batch_normalization_desc(
        dnnl_forward_training, {&md, &md, nullptr, epsilon, flags}, nullptr);
    auto resolved = hint;
    if (!resolved.workspace.is_zero()) set_layout_like(resolved.workspace, md);
    return make_batch_normalization_desc(prop, {&md, &md, &md, epsilon, flags}, &resolved);
}
layer_normalization_desc layer(dnnl_prop_kind_t prop, const memory_desc &md, unsigned flags) {
    const memory_desc *data = is_forward(prop) ? nullptr : &md;
    return make_layer_normalization_desc(
        prop, {&md, &md, data, epsilon, flags}, {nullptr}, nullptr);
}
group_normalization_desc group(dnnl_prop_kind_t prop, const memory_desc &md, unsigned flags) {
    const memory_desc *data = is_forward(prop) ? nullptr : &md;
    return make_group_normalization_desc(prop, {&md, &md, data, epsilon, flags}, 2, nullptr);
}

/// The buffers of a forward and a backward pass.
struct passes {
    buffer src, dst, mean, variance, scale, shift, workspace;
    buffer diff_dst, diff_src, diff_scale, diff_shift;
    unsigned flags = vectors;

    passes(std::vector<dim_t> dims, std::vector<float> values, std::vector<dim_t> statistics,
        std::vector<float> scales, std::vector<float> shifts)
        : src(data_type::f32, dims, values), dst(data_type::f32, dims),
          mean(data_type::f32, statistics), variance(data_type::f32, statistics),
          scale(data_type::f32, {static_cast<dim_t>(scales.size())}, scales),
          shift(data_type::f32, {static_cast<dim_t>(shifts.size())}, shifts),
          workspace(data_type::u8, dims), diff_dst(data_type::f32, dims),
          diff_src(data_type::f32, dims), diff_scale(scale.md), diff_shift(shift.md) {}

    template <class Make> void forward(Make make, planned (*row)(problem &)) {
        const char *why = run(row, make(dnnl_forward_training, src.md, flags),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_MEAN, mean},
                {DNNL_ARG_VARIANCE, variance}, {DNNL_ARG_SCALE, scale}, {DNNL_ARG_SHIFT, shift},
                {DNNL_ARG_WORKSPACE, workspace}});
        BOOST_REQUIRE_MESSAGE(!why, why);
    }
    template <class Make> void backward(Make make, planned (*row)(problem &)) {
        const char *why = run(row, make(dnnl_backward, src.md, flags),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_MEAN, mean},
                {DNNL_ARG_VARIANCE, variance}, {DNNL_ARG_SCALE, scale},
                {DNNL_ARG_WORKSPACE, workspace}, {DNNL_ARG_DIFF_SRC, diff_src},
                {DNNL_ARG_DIFF_SCALE, diff_scale}, {DNNL_ARG_DIFF_SHIFT, diff_shift}});
        BOOST_REQUIRE_MESSAGE(!why, why);
    }
    void set_diff(std::vector<float> values) {
        std::vector<dim_t> dims(src.md.dims.begin(), src.md.dims.begin() + src.md.ndims);
        diff_dst = buffer(data_type::f32, dims, values);
    }
};

/// The sum of dst * diff_dst after a forward pass.
template <class Make> double weighted_sum(passes p, Make make, planned (*row)(problem &)) {
    p.forward(make, row);
    return inner_product_of(p.dst, p.diff_dst);
}

/// Every element of `tensor` moved a little either way, against its gradient.
template <class Make>
void check_gradient(const passes &p, buffer passes::*tensor, const buffer &gradient, Make make,
    planned (*row)(problem &)) {
    constexpr float step = 1.0f / 128;
    const std::vector<float> values = (p.*tensor).values(), expected = gradient.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
        double sums[2];
        for (const int side : {0, 1}) {
            passes moved = p;
            store_f32(data_type::f32, (moved.*tensor).bytes.data(), static_cast<dim_t>(i),
                values[i] + (side ? step : -step));
            sums[side] = weighted_sum(moved, make, row);
        }
        const double quotient = (sums[1] - sums[0]) / (2 * step);
        BOOST_CHECK_MESSAGE(std::fabs(quotient - expected[i]) < 0.02,
            "element " << i << ": gradient " << expected[i] << ", quotient " << quotient);
    }
}

/// Gradients by src, scale and shift.
template <class Make> void check_gradients(passes p, Make make, planned (*row)(problem &)) {
    p.set_diff(small_integers(p.src.md.nelems(), 5));
    p.forward(make, row);
    p.backward(make, row);
    check_gradient(p, &passes::src, p.diff_src, make, row);
    check_gradient(p, &passes::scale, p.diff_scale, make, row);
    check_gradient(p, &passes::shift, p.diff_shift, make, row);
}
} // namespace

BOOST_AUTO_TEST_CASE(batch_normalization_by_hand) {
    passes p({2, 2, 2}, {1, 3, 9, 11, 1, 3, 11, 9}, {2}, {2, 4}, {1, -1});
    p.forward(batch, ref::make_batch_normalization);
    check(p.mean, {2, 10});
    check(p.variance, {1, 1});
    check(p.dst, {0, 2, -3, 1, 0, 2, 1, -3});
    p.set_diff({1, 2, 0, 2, 3, 2, 2, 0});
    p.backward(batch, ref::make_batch_normalization);
    check(p.diff_shift, {8, 4});
    check(p.diff_scale, {0, 2});
    check(p.diff_src, {-1, 0, -1.5f, 1.5f, 1, 0, 1.5f, -1.5f});
}

BOOST_AUTO_TEST_CASE(given_statistics) {
    passes p({2, 2, 2}, {1, 3, 9, 11, 1, 3, 11, 9}, {2}, {2, 4}, {1, -1});
    p.flags |= dnnl_use_global_stats;
    p.mean = buffer(data_type::f32, {2}, {1, 9});
    p.variance = buffer(data_type::f32, {2}, {1, 13}); // roots 2 and 4
    p.forward(batch, ref::make_batch_normalization);
    check(p.dst, {1, 3, -1, 1, 1, 3, 1, -1});
    p.set_diff({1, 2, 0, 2, 3, 2, 2, 0});
    p.backward(batch, ref::make_batch_normalization);
    check(p.diff_src, {1, 2, 0, 2, 3, 2, 2, 0});
    check(p.diff_scale, {4, 2});
}

BOOST_AUTO_TEST_CASE(fused_relu) {
    passes p({2, 2, 2}, {1, 3, 9, 11, 1, 3, 11, 9}, {2}, {2, 4}, {1, -1});
    p.flags |= dnnl_fuse_norm_relu;
    p.forward(batch, ref::make_batch_normalization);
    check(p.dst, {0, 2, 0, 1, 0, 2, 1, 0});
    check(p.workspace, {0, 1, 0, 1, 0, 1, 1, 0});
    p.set_diff({1, 2, 5, 2, 3, 2, 2, 5});
    p.backward(batch, ref::make_batch_normalization);
    check(p.diff_shift, {4, 4});
    check(p.diff_scale, {2, 2});
}

BOOST_AUTO_TEST_CASE(layer_normalization_by_hand) {
    passes p({2, 2}, {1, 3, 11, 9}, {2}, {2, 4}, {1, -1});
    p.forward(layer, ref::make_layer_normalization);
    check(p.mean, {2, 10});
    check(p.variance, {1, 1});
    check(p.dst, {0, 1, 2, -3});
    p.set_diff({1, 2, 3, 4});
    p.backward(layer, ref::make_layer_normalization);
    check(p.diff_shift, {4, 6});
    check(p.diff_scale, {1, -1});
    check(p.diff_src, {-1.125f, 1.125f, -1.875f, 1.875f});
}

BOOST_AUTO_TEST_CASE(root_mean_square_by_hand) {
    // Mean squares 1 and 13, of which epsilon makes 4 and 16.
    passes p({2, 2}, {1, -1, 5, 1}, {2}, {2, 4}, {1, -1});
    p.flags |= dnnl_rms_norm;
    const std::vector<float> untouched = p.mean.values();
    p.forward(layer, ref::make_layer_normalization);
    check(p.mean, untouched);
    check(p.variance, {1, 13});
    check(p.dst, {2, -3, 3.5f, 0});
    p.mean = buffer(data_type::f32, {2}, {7, 7}); // is not read
    p.set_diff({1, 2, 4, -4});
    p.backward(layer, ref::make_layer_normalization);
    check(p.diff_shift, {5, -2});
    check(p.diff_scale, {5.5f, -2});
    // d = (2, 8) and (8, -16), x = (1, -1) / 2 and (5, 1) / 4, means of d x -1.5 and 3.
    check(p.diff_src, {1.375f, 3.625f, 1.0625f, -4.1875f});
    p.flags |= dnnl_use_global_stats;
    p.variance = buffer(data_type::f32, {2}, {13, 1});
    p.forward(layer, ref::make_layer_normalization);
    check(p.dst, {1.5f, -2, 6, 1});
    p.backward(layer, ref::make_layer_normalization);
    check(p.diff_src, {0.5f, 2, 4, -8});
}

BOOST_AUTO_TEST_CASE(group_normalization_by_hand) {
    passes p({1, 4, 1}, {1, 3, 11, 9}, {1, 2}, {2, 4, 2, 4}, {1, -1, 1, -1});
    p.forward(group, ref::make_group_normalization);
    check(p.mean, {2, 10});
    check(p.variance, {1, 1});
    check(p.dst, {0, 1, 2, -3});
    p.set_diff({1, 2, 3, 4});
    p.backward(group, ref::make_group_normalization);
    check(p.diff_shift, {1, 2, 3, 4});
    check(p.diff_scale, {-0.5f, 1, 1.5f, -2});
    check(p.diff_src, {-1.125f, 1.125f, -1.875f, 1.875f});
}

BOOST_AUTO_TEST_CASE(gradients_are_difference_quotients) {
    const std::vector<float> values = small_integers(24, 3), scales {0.5f, 2, -1, 1.5f};
    const std::vector<float> shifts {1, 0, -2, 0.5f};
    check_gradients(
        passes({2, 4, 3}, values, {4}, scales, shifts), batch, ref::make_batch_normalization);
    check_gradients(
        passes({2, 3, 4}, values, {2, 3}, scales, shifts), layer, ref::make_layer_normalization);
    passes root_mean_square({2, 3, 4}, values, {2, 3}, scales, shifts);
    root_mean_square.flags |= dnnl_rms_norm;
    check_gradients(root_mean_square, layer, ref::make_layer_normalization);
    check_gradients(
        passes({2, 4, 3}, values, {2, 2}, scales, shifts), group, ref::make_group_normalization);
}
