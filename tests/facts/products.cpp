// SPDX-License-Identifier: Apache-2.0
// Matmul, inner product, convolution, deconvolution, and the recurrent networks.
#include "subject.hpp"

namespace facts {
namespace {

using namespace dnnl;
using descs = std::vector<memory::desc>;

const configuration floats {"floats", {type::f32, type::f32, type::f32}};
const configuration integers {"8-bit integers", {type::u8, type::s8, type::u8}};
const memory::dims ones {1, 1};

/// The three directions of a product with a bias-free window: their tensors have the same extents,
/// and the argument names say which are gradients.
std::vector<subject> directions(const std::string &page, const memory::dims &src,
    const memory::dims &weights, const memory::dims &dst, const std::vector<std::string> &images,
    const std::vector<std::string> &window,
    const std::function<primitive_desc_base(prop_kind, const descs &, const primitive_attr &)>
        &create) {
    const auto direction = [&](const char *name, prop_kind kind, int src_arg, int weights_arg,
                               int dst_arg, const std::vector<configuration> &configurations) {
        const auto called = [](int arg, int gradient, const char *tensor) {
            return (arg == gradient ? "diff_" : "") + std::string(tensor);
        };
        return subject {page, name,
            {{called(src_arg, DNNL_ARG_DIFF_SRC, "src"), src_arg, src, images},
                {called(weights_arg, DNNL_ARG_DIFF_WEIGHTS, "weights"), weights_arg, weights,
                    window},
                {called(dst_arg, DNNL_ARG_DIFF_DST, "dst"), dst_arg, dst, images}},
            configurations, every_type(),
            [create, kind](const descs &d, const primitive_attr &a) { return create(kind, d, a); }};
    };
    return {direction("forward", prop_kind::forward_inference, DNNL_ARG_SRC, DNNL_ARG_WEIGHTS,
                DNNL_ARG_DST, {floats, integers}),
        direction("backward by data", prop_kind::backward_data, DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS,
            DNNL_ARG_DIFF_DST, {floats}),
        direction("backward by weights", prop_kind::backward_weights, DNNL_ARG_SRC,
            DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST, {floats})};
}

subject of_matmul() {
    return {"matmul", "forward",
        {{"src", DNNL_ARG_SRC, {4, 64}, {"M", "K"}},
            {"weights", DNNL_ARG_WEIGHTS, {64, 96}, {"K", "N"}},
            {"dst", DNNL_ARG_DST, {4, 96}, {"M", "N"}}},
        {floats, integers, {"f32 beside s8 weights", {type::f32, type::s8, type::f32}}},
        every_type(), [](const descs &d, const primitive_attr &a) -> primitive_desc_base {
            primitive_attr attr = a;
            // Weights of 8 bits beside floats are a wish of the attributes.
            if (d[0].get_data_type() != type::u8 && d[0].get_data_type() != type::s8)
                attr.set_fpmath_mode(fpmath_mode::any, true);
            return matmul::primitive_desc(cpu(), d[0], d[1], d[2], attr, true);
        }};
}

std::vector<subject> of_inner_product() {
    return directions("inner_product", {4, 6}, {5, 6}, {4, 5}, {"N", "C"}, {"O", "I"},
        [](prop_kind kind, const descs &d, const primitive_attr &a) -> primitive_desc_base {
            if (kind == prop_kind::forward_inference)
                return inner_product_forward::primitive_desc(
                    cpu(), kind, d[0], d[1], d[2], a, true);
            const inner_product_forward::primitive_desc none;
            if (kind == prop_kind::backward_data)
                return inner_product_backward_data::primitive_desc(
                    cpu(), d[0], d[1], d[2], none, a, true);
            return inner_product_backward_weights::primitive_desc(
                cpu(), d[0], d[1], d[2], none, a, true);
        });
}

template <class Forward, class ByData, class ByWeights>
primitive_desc_base window_product(
    algorithm alg, prop_kind kind, const descs &d, const primitive_attr &a) {
    using forward = typename Forward::primitive_desc;
    if (kind == prop_kind::forward_inference)
        return forward(cpu(), kind, alg, d[0], d[1], d[2], ones, ones, ones, a, true);
    const forward none;
    if (kind == prop_kind::backward_data)
        return typename ByData::primitive_desc(
            cpu(), alg, d[0], d[1], d[2], ones, ones, ones, none, a, true);
    return typename ByWeights::primitive_desc(
        cpu(), alg, d[0], d[1], d[2], ones, ones, ones, none, a, true);
}

// ---- Recurrent networks ----

using cell = std::function<primitive_desc_base(prop_kind, const memory::desc &layer,
    const memory::desc &iter, const memory::desc &iter_c, const memory::desc &weights,
    const memory::desc &bias, const memory::desc &dst, const primitive_attr &)>;

constexpr auto from_left = rnn_direction::unidirectional_left2right;
constexpr memory::dim channels = 8;

/// Tensors: the input, the state, the weights and the result; the cell state and bias follow.
subject of_cell(
    const char *name, memory::dim gates, memory::dim biases, prop_kind kind, const cell &create) {
    const memory::dims states {1, 1, 4, channels}, steps {3, 4, channels};
    const memory::dims weights {1, 1, channels, gates, channels};
    return {"rnn",
        std::string(name) + (kind == prop_kind::forward_training ? ", training" : ", inference"),
        {{"src_layer", DNNL_ARG_SRC_LAYER, steps, {"T", "N", "C"}},
            {"src_iter", DNNL_ARG_SRC_ITER, states, {"L", "D", "N", "C"}},
            {"weights", DNNL_ARG_WEIGHTS_LAYER, weights, {"L", "D", "I", "G", "O"}},
            {"dst_layer", DNNL_ARG_DST_LAYER, steps, {"T", "N", "C"}}},
        {{"floats", {type::f32, type::f32, type::f32, type::f32}}},
        {type::f32, type::bf16, type::f16, type::s8, type::u8},
        [=](const descs &d, const primitive_attr &a) {
            const bool bytes = d[2].get_data_type() == type::s8;
            const type narrow = d[2].get_data_type();
            const memory::desc cells(states, bytes ? type::f32 : narrow, memory::format_tag::ldnc);
            const memory::desc bias(
                {1, 1, biases, channels}, bytes ? type::f32 : narrow, memory::format_tag::ldgo);
            const memory::desc open(weights, narrow, memory::format_tag::any);
            primitive_attr attr = a;
            if (bytes) {
                attr.set_rnn_data_qparams(100.f, 10.f);
                attr.set_rnn_weights_qparams(0, {100.f});
            }
            return create(kind, d[0], d[1], cells, open, bias, d[3], attr);
        }};
}

primitive_desc_base lstm(prop_kind kind, const memory::desc &x, const memory::desc &h,
    const memory::desc &c, const memory::desc &w, const memory::desc &b, const memory::desc &y,
    const primitive_attr &a) {
    return lstm_forward::primitive_desc(cpu(), kind, from_left, x, h, c, w, w, b, y, h, c, a, true);
}
primitive_desc_base vanilla(prop_kind kind, const memory::desc &x, const memory::desc &h,
    const memory::desc &, const memory::desc &w, const memory::desc &b, const memory::desc &y,
    const primitive_attr &a) {
    return vanilla_rnn_forward::primitive_desc(
        cpu(), kind, algorithm::eltwise_tanh, from_left, x, h, w, w, b, y, h, a, true);
}
template <class Gru>
primitive_desc_base gru(prop_kind kind, const memory::desc &x, const memory::desc &h,
    const memory::desc &, const memory::desc &w, const memory::desc &b, const memory::desc &y,
    const primitive_attr &a) {
    return typename Gru::primitive_desc(cpu(), kind, from_left, x, h, w, w, b, y, h, a, true);
}
template <class Gru>
primitive_desc_base augru(prop_kind kind, const memory::desc &x, const memory::desc &h,
    const memory::desc &, const memory::desc &w, const memory::desc &b, const memory::desc &y,
    const primitive_attr &a) {
    const memory::desc attention({3, 4, 1}, x.get_data_type(), memory::format_tag::tnc);
    return typename Gru::primitive_desc(
        cpu(), kind, from_left, x, h, attention, w, w, b, y, h, a, true);
}

} // namespace

std::vector<subject> products() {
    std::vector<subject> all {of_matmul()};
    for (const subject &s : of_inner_product()) all.push_back(s);
    for (const subject &s :
        directions("convolution", {2, 8, 6, 6}, {4, 8, 3, 3}, {2, 4, 6, 6}, {"N", "C", "H", "W"},
            {"O", "I", "H", "W"}, [](prop_kind kind, const descs &d, const primitive_attr &a) {
                return window_product<convolution_forward, convolution_backward_data,
                    convolution_backward_weights>(algorithm::convolution_direct, kind, d, a);
            }))
        all.push_back(s);
    for (const subject &s :
        directions("deconvolution", {2, 8, 6, 6}, {4, 8, 3, 3}, {2, 4, 6, 6}, {"N", "C", "H", "W"},
            {"O", "I", "H", "W"}, [](prop_kind kind, const descs &d, const primitive_attr &a) {
                return window_product<deconvolution_forward, deconvolution_backward_data,
                    deconvolution_backward_weights>(algorithm::deconvolution_direct, kind, d, a);
            }))
        all.push_back(s);
    return all;
}

std::vector<subject> recurrent() {
    std::vector<subject> all;
    for (const prop_kind kind : {prop_kind::forward_inference, prop_kind::forward_training}) {
        all.push_back(of_cell("vanilla RNN", 1, 1, kind, vanilla));
        all.push_back(of_cell("LSTM", 4, 4, kind, lstm));
        all.push_back(of_cell("GRU", 3, 3, kind, gru<gru_forward>));
        all.push_back(of_cell("LBR GRU", 3, 4, kind, gru<lbr_gru_forward>));
        all.push_back(of_cell("AUGRU", 3, 3, kind, augru<augru_forward>));
        all.push_back(of_cell("LBR AUGRU", 3, 4, kind, augru<lbr_augru_forward>));
    }
    return all;
}

} // namespace facts
