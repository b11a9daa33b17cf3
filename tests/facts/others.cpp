// SPDX-License-Identifier: Apache-2.0
// Primitives between the products.
#include "subject.hpp"

namespace facts {
namespace {

using namespace dnnl;
using descs = std::vector<memory::desc>;
using flags = normalization_flags;

const memory::dims image {2, 8, 6, 6}, half {2, 8, 3, 3};
const std::vector<std::string> nchw {"N", "C", "H", "W"};

const configuration floats {"floats", {type::f32, type::f32}};
const configuration integers {"8-bit integers", {type::s8, type::u8}};
const configuration bytes {"8-bit integers", {type::s8, type::s8}};

/// dst = f(src).
subject forward(const char *page, const memory::dims &src, const memory::dims &dst,
    const std::vector<configuration> &configurations, const decltype(subject::create) &create,
    const char *direction = "forward") {
    return {page, direction, {{"src", DNNL_ARG_SRC, src, nchw}, {"dst", DNNL_ARG_DST, dst, nchw}},
        configurations, every_type(), create};
}
/// diff_src from diff_dst.
subject backward(const char *page, const memory::dims &src, const memory::dims &dst,
    const decltype(subject::create) &create) {
    return {page, "backward",
        {{"diff_src", DNNL_ARG_DIFF_SRC, src, nchw}, {"diff_dst", DNNL_ARG_DIFF_DST, dst, nchw}},
        {floats}, every_type(), create};
}

/// The forward pass that a backward one belongs to: source and result have the gradients' types.
template <class Forward, class... Arguments>
typename Forward::primitive_desc hint(const Arguments &...arguments) {
    return typename Forward::primitive_desc(
        cpu(), prop_kind::forward_training, arguments..., primitive_attr(), true);
}

} // namespace

std::vector<subject> normalizations() {
    const flags affine = flags::use_scale | flags::use_shift;
    std::vector<subject> all;
    all.push_back(forward("batch_normalization", image, image, {floats, bytes},
        [=](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return batch_normalization_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                d[0], d[1], 1e-5f, affine | flags::use_global_stats, a, true);
        }));
    all.push_back(backward("batch_normalization", image, image,
        [=](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            const auto fwd =
                hint<batch_normalization_forward>(row_major(d[0]), row_major(d[0]), 1e-5f, affine);
            return batch_normalization_backward::primitive_desc(cpu(), prop_kind::backward, d[0],
                d[1], row_major(d[0]), 1e-5f, affine, fwd, a, true);
        }));
    all.push_back(forward("layer_normalization", image, image, {floats, integers},
        [=](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return layer_normalization_forward::primitive_desc(
                cpu(), prop_kind::forward_inference, d[0], d[1], 1e-5f, affine, a, true);
        }));
    all.push_back(backward("layer_normalization", image, image,
        [=](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            const auto fwd =
                hint<layer_normalization_forward>(row_major(d[0]), row_major(d[0]), 1e-5f, affine);
            return layer_normalization_backward::primitive_desc(cpu(), prop_kind::backward, d[0],
                d[1], row_major(d[0]), 1e-5f, affine, fwd, a, true);
        }));
    all.push_back(forward("group_normalization", image, image, {floats, integers},
        [=](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return group_normalization_forward::primitive_desc(
                cpu(), prop_kind::forward_inference, d[0], d[1], 4, 1e-5f, affine, a, true);
        }));
    all.push_back(backward("group_normalization", image, image,
        [=](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            const auto fwd = hint<group_normalization_forward>(
                row_major(d[0]), row_major(d[0]), 4, 1e-5f, affine);
            return group_normalization_backward::primitive_desc(cpu(), prop_kind::backward, d[0],
                d[1], row_major(d[0]), 4, 1e-5f, affine, fwd, a, true);
        }));
    all.push_back(forward("lrn", image, image, {floats},
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return lrn_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                algorithm::lrn_across_channels, d[0], d[1], 5, 1e-4f, 0.75f, 1.f, a, true);
        }));
    all.push_back(backward(
        "lrn", image, image, [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            const algorithm across = algorithm::lrn_across_channels;
            const auto fwd =
                hint<lrn_forward>(across, row_major(d[0]), row_major(d[0]), 5, 1e-4f, 0.75f, 1.f);
            return lrn_backward::primitive_desc(
                cpu(), across, d[0], d[1], row_major(d[0]), 5, 1e-4f, 0.75f, 1.f, fwd, a, true);
        }));
    all.push_back(forward("softmax", image, image, {floats, integers},
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return softmax_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                algorithm::softmax_accurate, d[0], d[1], 1, a, true);
        }));
    all.push_back(backward("softmax", image, image,
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            const algorithm accurate = algorithm::softmax_accurate;
            const auto fwd = hint<softmax_forward>(accurate, row_major(d[0]), row_major(d[1]), 1);
            return softmax_backward::primitive_desc(
                cpu(), accurate, d[0], d[1], row_major(d[1]), 1, fwd, a, true);
        }));
    return all;
}

std::vector<subject> windows() {
    const memory::dims two {2, 2}, zero {0, 0};
    std::vector<subject> all;
    all.push_back(forward("pooling", image, half, {floats, bytes},
        [=](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return pooling_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                algorithm::pooling_avg_exclude_padding, d[0], d[1], two, two, zero, zero, zero, a,
                true);
        }));
    all.push_back(backward("pooling", image, half,
        [=](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            const algorithm average = algorithm::pooling_avg_exclude_padding;
            const auto fwd = hint<pooling_forward>(
                average, row_major(d[0]), row_major(d[1]), two, two, zero, zero, zero);
            return pooling_backward::primitive_desc(
                cpu(), average, d[0], d[1], two, two, zero, zero, zero, fwd, a, true);
        }));
    all.push_back(forward("resampling", half, image, {floats, integers},
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return resampling_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                algorithm::resampling_linear, d[0], d[1], a, true);
        }));
    all.push_back(backward("resampling", half, image,
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            const auto fwd = hint<resampling_forward>(
                algorithm::resampling_linear, row_major(d[0]), row_major(d[1]));
            return resampling_backward::primitive_desc(
                cpu(), algorithm::resampling_linear, d[0], d[1], fwd, a, true);
        }));
    all.push_back(forward("reduction", image, {2, 8, 1, 1}, {floats, integers},
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return reduction::primitive_desc(
                cpu(), algorithm::reduction_mean, d[0], d[1], 0.f, 0.f, a, true);
        }));
    return all;
}

std::vector<subject> elementwise() {
    std::vector<subject> all;
    all.push_back(forward("eltwise", image, image, {floats, bytes},
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return eltwise_forward::primitive_desc(cpu(), prop_kind::forward_inference,
                algorithm::eltwise_relu, d[0], d[1], 0.f, 0.f, a, true);
        }));
    all.push_back(backward("eltwise", image, image,
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            const auto fwd = hint<eltwise_forward>(
                algorithm::eltwise_relu, row_major(d[0]), row_major(d[0]), 0.f, 0.f);
            return eltwise_backward::primitive_desc(cpu(), algorithm::eltwise_relu, d[0], d[1],
                row_major(d[0]), 0.f, 0.f, fwd, a, true);
        }));
    all.push_back({"binary", "forward",
        {{"src_0", DNNL_ARG_SRC_0, image, nchw}, {"src_1", DNNL_ARG_SRC_1, image, nchw},
            {"dst", DNNL_ARG_DST, image, nchw}},
        {{"floats", {type::f32, type::f32, type::f32}},
            {"8-bit integers", {type::s8, type::u8, type::s8}}},
        every_type(), [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return binary::primitive_desc(cpu(), algorithm::binary_add, d[0], d[1], d[2], a, true);
        }});
    all.push_back({"prelu", "forward",
        {{"src", DNNL_ARG_SRC, image, nchw}, {"weights", DNNL_ARG_WEIGHTS, {1, 8, 1, 1}, nchw},
            {"dst", DNNL_ARG_DST, image, nchw}},
        {{"floats", {type::f32, type::f32, type::f32}}}, every_type(),
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return prelu_forward::primitive_desc(
                cpu(), prop_kind::forward_inference, d[0], d[1], d[2], a, true);
        }});
    all.push_back({"prelu", "backward",
        {{"diff_src", DNNL_ARG_DIFF_SRC, image, nchw},
            {"diff_weights", DNNL_ARG_DIFF_WEIGHTS, {1, 8, 1, 1}, nchw},
            {"diff_dst", DNNL_ARG_DIFF_DST, image, nchw}},
        {{"floats", {type::f32, type::f32, type::f32}}}, every_type(),
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            const auto fwd = hint<prelu_forward>(row_major(d[0]), row_major(d[1]), row_major(d[2]));
            return prelu_backward::primitive_desc(
                cpu(), row_major(d[0]), row_major(d[1]), d[0], d[1], d[2], fwd, a, true);
        }});
    all.push_back(forward("reorder", image, image,
        {floats, {"to 8-bit integers", {type::f32, type::s8}},
            {"from 8-bit integers", {type::s8, type::f32}}},
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return reorder::primitive_desc(cpu(), d[0], cpu(), d[1], a, true);
        }));
    all.push_back({"sum", "forward",
        {{"src", DNNL_ARG_MULTIPLE_SRC, image, nchw},
            {"other src", DNNL_ARG_MULTIPLE_SRC + 1, image, nchw},
            {"dst", DNNL_ARG_DST, image, nchw}},
        {{"floats", {type::f32, type::f32, type::f32}}}, every_type(),
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return sum::primitive_desc(cpu(), d[2], {1.f, 2.f}, {d[0], d[1]}, a, true);
        }});
    all.push_back({"concat", "forward",
        {{"src", DNNL_ARG_MULTIPLE_SRC, half, nchw}, {"dst", DNNL_ARG_DST, {4, 8, 3, 3}, nchw}},
        {floats, bytes}, every_type(),
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return concat::primitive_desc(cpu(), d[1], 0, {d[0], d[0]}, a, true);
        }});
    all.push_back(forward("shuffle", image, image, {floats},
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            return shuffle_forward::primitive_desc(
                cpu(), prop_kind::forward_inference, d[0], d[1], 1, 4, a, true);
        }));
    all.push_back(backward("shuffle", image, image,
        [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            const auto fwd = hint<shuffle_forward>(row_major(d[0]), row_major(d[0]), 1, 4);
            return shuffle_backward::primitive_desc(cpu(), d[0], d[1], 1, 4, fwd, a, true);
        }));
    return all;
}

} // namespace facts
