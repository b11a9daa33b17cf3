// SPDX-License-Identifier: Apache-2.0
// Requests at the edge of what primitives take: gradients without any layout, elements of 4 bits
// as sources, a relu behind batch normalization in training, a sum behind layer normalization, huge
// dilations of kernels of one element, biases without a layout that vary along some batches, images
// of deconvolution that are larger than the windows reach.
#include <cmath>
#include <cstring>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "cpu.hpp"

using namespace dnnl;
using api_tests::cpu;
using tag = memory::format_tag;
using type = memory::data_type;

namespace {

// Every row of reorder, too.
[[maybe_unused]] const int every_row = setenv("ONEDNN_WALK_EVERY_PRIMITIVE", "1", 1);

template <class Element> memory filled(const memory::desc &md, const std::vector<Element> &values) {
    memory made(md, cpu());
    BOOST_REQUIRE_GE(md.get_size(), values.size() * sizeof(Element));
    if (!values.empty())
        std::memcpy(made.get_data_handle(), values.data(), values.size() * sizeof(Element));
    return made;
}
std::vector<float> floats_of(const memory &m) {
    const auto *data = static_cast<const float *>(m.get_data_handle());
    return {data, data + m.get_desc().get_size() / sizeof(float)};
}

void execute(const primitive_desc_base &pd, const std::unordered_map<int, memory> &args) {
    stream s(cpu());
    primitive(pd).execute(s, args);
    s.wait();
}

/// Body(pd) for every implementation that takes the request.
template <class Desc, class Body> void for_each_implementation(Desc pd, const Body &body) {
    do BOOST_TEST_CONTEXT(pd.impl_info_str()) body(pd);
    while (dnnl_primitive_desc_next_impl(pd.get()) == dnnl_success);
    BOOST_TEST(std::string(pd.impl_info_str()) == "reference");
}

} // namespace

BOOST_AUTO_TEST_CASE(shuffle_backward_without_layouts) {
    const memory::desc open({2, 4, 3}, type::f32, tag::any), plain({2, 4, 3}, type::f32, tag::abc);
    const shuffle_forward::primitive_desc hint(
        cpu(), prop_kind::forward_training, plain, plain, 1, 2);
    dnnl_primitive_desc_t made = nullptr;
    error::wrap_c_api(dnnl_shuffle_backward_primitive_desc_create(
                          &made, cpu().get(), open.get(), open.get(), 1, 2, nullptr, nullptr),
        "shuffle backward");
    std::vector<float> diff(24), expected;
    for (std::size_t i = 0; i < diff.size(); ++i) diff[i] = static_cast<float>(i);
    // Channel x of diff_src comes from where the forward pass put it: 0 2 1 3.
    for (const int n : {0, 1})
        for (const int c : {0, 2, 1, 3})
            for (const int w : {0, 1, 2})
                expected.push_back(static_cast<float>(n * 12 + c * 3 + w));
    const shuffle_backward::primitive_desc owned(made); // a copy
    dnnl_primitive_desc_destroy(made);
    for_each_implementation(owned, [&](const auto &pd) {
        BOOST_TEST((pd.diff_src_desc() == plain));
        BOOST_TEST((pd.diff_dst_desc() == plain));
        const memory out(plain, cpu());
        execute(pd, {{DNNL_ARG_DIFF_DST, filled(plain, diff)}, {DNNL_ARG_DIFF_SRC, out}});
        BOOST_TEST(floats_of(out) == expected, boost::test_tools::per_element());
    });
}

BOOST_AUTO_TEST_CASE(elements_of_four_bits_widen) {
    // Two codes per byte, the one with the even index in the low bits.
    std::vector<std::uint8_t> codes;
    for (int c = 0; c < 16; c += 2) codes.push_back(static_cast<std::uint8_t>((c + 1) << 4 | c));
    const float magnitudes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    std::vector<float> expected;
    for (const float sign : {1.0f, -1.0f})
        for (const float magnitude : magnitudes) expected.push_back(sign * magnitude);
    const memory::desc from({16}, type::f4_e2m1, tag::a);
    for (const type wide : {type::f32, type::bf16, type::f16}) {
        const memory::desc to({16}, wide, tag::a);
        for_each_implementation(
            reorder::primitive_desc(cpu(), from, cpu(), to), [&](const auto &pd) {
                const memory src = filled(from, codes), dst(to, cpu());
                execute(pd, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
                const memory::desc plain({16}, type::f32, tag::a);
                const memory shown(plain, cpu());
                stream s(cpu());
                reorder(dst, shown)
                    .execute(s, const_cast<memory &>(dst), const_cast<memory &>(shown));
                const std::vector<float> values = floats_of(shown);
                BOOST_TEST(values == expected, boost::test_tools::per_element());
                BOOST_TEST(std::signbit(values[8])); // -0
            });
    }
}

BOOST_AUTO_TEST_CASE(powers_of_two_widen) {
    const std::vector<std::uint8_t> codes {127, 128, 120, 254};
    const memory::desc from({4}, type::e8m0, tag::a), to({4}, type::f32, tag::a);
    for_each_implementation(reorder::primitive_desc(cpu(), from, cpu(), to), [&](const auto &pd) {
        const memory dst(to, cpu());
        execute(pd, {{DNNL_ARG_FROM, filled(from, codes)}, {DNNL_ARG_TO, dst}});
        const std::vector<float> expected {1, 2, 0.0078125f, 0x1p127f};
        BOOST_TEST(floats_of(dst) == expected, boost::test_tools::per_element());
    });
}

BOOST_AUTO_TEST_CASE(batch_normalization_in_training_with_relu) {
    // Two channels of two: means 2 and 10, variances 1 and 4.
    const memory::desc image({2, 2, 1, 1}, type::f32, tag::abcd), vector({2}, type::f32, tag::a);
    const std::vector<float> values {1, 12, 3, 8}, means {2, 10}, variances {1, 4};
    for (const float slope : {0.0f, 0.5f}) {
        post_ops relu;
        relu.append_eltwise(algorithm::eltwise_relu, slope, 0);
        primitive_attr attr;
        attr.set_post_ops(relu);
        const batch_normalization_forward::primitive_desc first(
            cpu(), prop_kind::forward_training, image, image, 0, normalization_flags::none, attr);
        for_each_implementation(first, [&](const auto &pd) {
            BOOST_TEST(pd.workspace_desc().is_zero()); // that is fuse_norm_relu's
            const memory dst(image, cpu()), mean(vector, cpu()), variance(vector, cpu());
            execute(pd, {{DNNL_ARG_SRC, filled(image, values)}, {DNNL_ARG_DST, dst},
                            {DNNL_ARG_MEAN, mean}, {DNNL_ARG_VARIANCE, variance}});
            const std::vector<float> expected {-slope, 1, 1, -slope};
            BOOST_TEST(floats_of(dst) == expected, boost::test_tools::per_element());
            BOOST_TEST(floats_of(mean) == means, boost::test_tools::per_element());
            BOOST_TEST(floats_of(variance) == variances, boost::test_tools::per_element());
        });
    }
}

BOOST_AUTO_TEST_CASE(sum_after_layer_normalization_is_refused) {
    post_ops sum;
    sum.append_sum(0.5f);
    primitive_attr attr;
    attr.set_post_ops(sum);
    const memory::desc rows({3, 4}, type::f32, tag::ab);
    const auto refused = [](const error &e) {
        return e.status == dnnl_unimplemented && std::strstr(e.what(), "post_ops");
    };
    for (const prop_kind prop : {prop_kind::forward_training, prop_kind::forward_inference})
        BOOST_CHECK_EXCEPTION(layer_normalization_forward::primitive_desc(
                                  cpu(), prop, rows, rows, 1e-5f, normalization_flags::none, attr),
            error, refused);
}

BOOST_AUTO_TEST_CASE(the_dilation_of_one_element_does_not_count) {
    for (std::size_t d = 0; d < 3; ++d) {
        memory::dims kernel {2, 2, 2}, out {1, 2, 2, 2, 2}, none {0, 0, 0}, huge = none;
        kernel[d] = 1;
        out[2 + d] = 3;
        huge[d] = INT64_MAX;
        const memory::dims strides {1, 1, 1}, weights_dims {2, 2, kernel[0], kernel[1], kernel[2]};
        const memory::desc src({1, 2, 3, 3, 3}, type::f32, tag::abcde),
            weights(weights_dims, type::f32, tag::abcde), dst(out, type::f32, tag::abcde);
        std::vector<float> values(54), taps(weights.get_size() / sizeof(float));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
        for (std::size_t i = 0; i < taps.size(); ++i) taps[i] = static_cast<float>(i % 5) - 2;
        const auto convolve = [&](const auto &pd) {
            const memory result(dst, cpu());
            execute(pd, {{DNNL_ARG_SRC, filled(src, values)},
                            {DNNL_ARG_WEIGHTS, filled(weights, taps)}, {DNNL_ARG_DST, result}});
            return floats_of(result);
        };
        const auto pool = [&](const auto &pd) {
            const memory result(dst, cpu());
            execute(pd, {{DNNL_ARG_SRC, filled(src, values)}, {DNNL_ARG_DST, result}});
            return floats_of(result);
        };
        const auto convolution_of = [&](const memory::dims &dilates) {
            return convolution_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                algorithm::convolution_direct, src, weights, dst, strides, dilates, none, none);
        };
        const auto pooling_of = [&](const memory::dims &dilation) {
            return pooling_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                algorithm::pooling_max, src, dst, strides, kernel, dilation, none, none);
        };
        const auto sums = convolve(convolution_of(none)), maxima = pool(pooling_of(none));
        for_each_implementation(convolution_of(huge), [&](const auto &pd) {
            BOOST_TEST(convolve(pd) == sums, boost::test_tools::per_element());
        });
        for_each_implementation(pooling_of(huge), [&](const auto &pd) {
            BOOST_TEST(pool(pd) == maxima, boost::test_tools::per_element());
        });
    }
}

// A bias that varies along the inner one of two batch dimensions has no stride along both together.
BOOST_AUTO_TEST_CASE(a_bias_of_some_batches_without_a_layout) {
    const memory::dim A = 2, B = 3, M = 5, N = 17;
    const memory::desc src({A, B, 1, M, 1}, type::f32, tag::abcde),
        weights({A, B, 1, 1, N}, type::f32, tag::abcde),
        dst({A, B, 1, M, N}, type::f32, tag::abcde);
    for (const memory::dims &dims : {memory::dims {1, B, 1, M, N}, memory::dims {A, 1, 1, M, N},
             memory::dims {1, B, 1, 1, N}, memory::dims {A, B, 1, M, N}}) {
        const memory::desc bias(dims, type::f32, tag::any);
        std::vector<float> values, expected;
        for (memory::dim i = 0; i < dims[0] * dims[1] * dims[3] * N; ++i)
            values.push_back(static_cast<float>(i));
        for (memory::dim a = 0; a < A; ++a)
            for (memory::dim b = 0; b < B; ++b)
                for (memory::dim m = 0; m < M; ++m)
                    for (memory::dim n = 0; n < N; ++n) {
                        const memory::dim batch = a % dims[0] * dims[1] + b % dims[1];
                        const memory::dim row = batch * dims[3] + m % dims[3];
                        expected.push_back(values[static_cast<std::size_t>(row * N + n)]);
                    }
        const matmul::primitive_desc product(cpu(), src, weights, bias, dst);
        for_each_implementation(product, [&](const auto &pd) {
            const memory out(dst, cpu());
            execute(pd, {{DNNL_ARG_SRC, filled(src, std::vector<float>(A * B * M))},
                            {DNNL_ARG_WEIGHTS, filled(weights, std::vector<float>(A * B * N))},
                            {DNNL_ARG_BIAS, filled(pd.bias_desc(), values)}, {DNNL_ARG_DST, out}});
            BOOST_TEST(floats_of(out) == expected, boost::test_tools::per_element());
        });
    }
}

BOOST_AUTO_TEST_CASE(rows_of_deconvolution_behind_the_last_window) {
    // Two windows of two rows make four; the fifth holds the bias. Its padding is 0 or -1.
    const memory::desc src({1, 1, 2, 1}, type::f32, tag::nchw);
    const memory::desc weights({1, 1, 2, 1}, type::f32, tag::oihw), bias({1}, type::f32, tag::a);
    const memory::desc dst({1, 1, 5, 1}, type::f32, tag::nchw);
    const std::vector<float> expected {10.5f, 20.5f, 30.5f, 60.5f, 0.5f};
    for (const int end : {0, -1}) {
        const deconvolution_forward::primitive_desc request(cpu(), prop_kind::forward_inference,
            algorithm::deconvolution_direct, src, weights, bias, dst, {2, 1}, {0, 0}, {0, 0},
            {end, 0});
        for_each_implementation(request, [&](const auto &pd) {
            const memory out(dst, cpu());
            execute(pd, {{DNNL_ARG_SRC, filled<float>(src, {1, 3})},
                            {DNNL_ARG_WEIGHTS, filled<float>(weights, {10, 20})},
                            {DNNL_ARG_BIAS, filled<float>(bias, {0.5f})}, {DNNL_ARG_DST, out}});
            BOOST_TEST(floats_of(out) == expected, boost::test_tools::per_element());
        });
    }
    // A whole stride more would be a third window.
    const memory::desc larger({1, 1, 6, 1}, type::f32, tag::nchw);
    BOOST_CHECK_THROW(deconvolution_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                          algorithm::deconvolution_direct, src, weights, bias, larger, {2, 1},
                          {0, 0}, {0, 0}, {0, 0}),
        dnnl::error);
}
