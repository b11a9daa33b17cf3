// SPDX-License-Identifier: Apache-2.0
// Primitives of many kinds in a size to be chosen, with memories for whatever they take.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace api_tests {

using dnnl::algorithm;
using dnnl::engine;
using dnnl::memory;
using dnnl::primitive_desc_base;
using dnnl::prop_kind;
using tag = memory::format_tag;
using type = memory::data_type;

/// A tensor of two images with `channels` channels and 10 x 10 pixels.
inline memory::desc image(memory::dim channels, type t = type::f32, tag layout = tag::nhwc) {
    return {{2, channels, 10, 10}, t, layout};
}
inline memory::desc matrix(memory::dim rows, memory::dim columns, type t = type::f32) {
    return {{rows, columns}, t, tag::ab};
}
inline memory::desc vector_of(memory::dim n) { return {{n}, type::f32, tag::x}; }

struct convolution_tensors {
    memory::desc image, weights;
    memory::dims ones {1, 1};

    /// `groups` of one channel each where that is not 0.
    convolution_tensors(memory::dim channels, memory::dim groups, tag layout)
        : image(api_tests::image(channels, type::f32, layout)),
          weights(groups ? memory::desc({groups, 1, 1, 3, 3}, type::f32, tag::any)
                         : memory::desc({channels, channels, 3, 3}, type::f32, tag::any)) {}
    dnnl::convolution_forward::primitive_desc forward(const engine &e) const {
        return {e, prop_kind::forward_training, algorithm::convolution_direct, image, weights,
            image, ones, ones, ones};
    }
    primitive_desc_base backward_data(const engine &e) const {
        return dnnl::convolution_backward_data::primitive_desc(
            e, algorithm::convolution_direct, image, weights, image, ones, ones, ones, forward(e));
    }
    primitive_desc_base backward_weights(const engine &e) const {
        return dnnl::convolution_backward_weights::primitive_desc(
            e, algorithm::convolution_direct, image, weights, image, ones, ones, ones, forward(e));
    }
};

/// Of size n: the tensors have a multiple of n elements.
using describe = primitive_desc_base (*)(const engine &, memory::dim n);

inline const std::vector<std::pair<const char *, describe>> &scaled_primitives() {
    using d = memory::dim;
    static const std::vector<std::pair<const char *, describe>> all {
        {"convolution",
            [](const engine &e, d n) -> primitive_desc_base {
                return convolution_tensors(8 * n, 0, tag::nchw).forward(e);
            }},
        {"convolution, backward data",
            [](const engine &e, d n) {
                return convolution_tensors(8 * n, 0, tag::nhwc).backward_data(e);
            }},
        {"convolution, backward weights",
            [](const engine &e, d n) {
                return convolution_tensors(8 * n, 0, tag::nhwc).backward_weights(e);
            }},
        {"depthwise convolution, backward weights",
            [](const engine &e, d n) {
                return convolution_tensors(64 * n, 64 * n, tag::nhwc).backward_weights(e);
            }},
        {"matmul",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::matmul::primitive_desc(
                    e, matrix(80, 32 * n), matrix(32 * n, 70), matrix(80, 70));
            }},
        {"int8 matmul",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::matmul::primitive_desc(e, matrix(80, 32 * n, type::u8),
                    matrix(32 * n, 70, type::s8), matrix(80, 70, type::s32));
            }},
        {"inner product",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::inner_product_forward::primitive_desc(e, prop_kind::forward_inference,
                    matrix(17, 40 * n), {{50, 40 * n}, type::f32, tag::ba}, matrix(17, 50));
            }},
        {"pooling",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::pooling_forward::primitive_desc(e, prop_kind::forward_training,
                    algorithm::pooling_max, image(8 * n, type::f32, tag::nchw),
                    {{2, 8 * n, 5, 5}, type::f32, tag::nchw}, {2, 2}, {2, 2}, {0, 0}, {0, 0},
                    {0, 0});
            }},
        {"local response normalization",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::lrn_forward::primitive_desc(e, prop_kind::forward_inference,
                    algorithm::lrn_across_channels, image(4 * n), image(4 * n), 5, 1e-4f, 0.75f,
                    1.f);
            }},
        {"local response normalization, backward",
            [](const engine &e, d n) -> primitive_desc_base {
                const dnnl::lrn_forward::primitive_desc hint(e, prop_kind::forward_training,
                    algorithm::lrn_across_channels, image(4 * n), image(4 * n), 5, 1e-4f, 0.75f,
                    1.f);
                return dnnl::lrn_backward::primitive_desc(e, algorithm::lrn_across_channels,
                    image(4 * n), image(4 * n), image(4 * n), 5, 1e-4f, 0.75f, 1.f, hint);
            }},
        {"batch normalization",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::batch_normalization_forward::primitive_desc(e,
                    prop_kind::forward_training, image(16 * n), image(16 * n), 1e-5f,
                    dnnl::normalization_flags::use_scale);
            }},
        {"layer normalization",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::layer_normalization_forward::primitive_desc(e,
                    prop_kind::forward_training, matrix(50, 40 * n), matrix(50, 40 * n), 1e-5f,
                    dnnl::normalization_flags::none);
            }},
        {"softmax",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::softmax_forward::primitive_desc(e, prop_kind::forward_inference,
                    algorithm::softmax_accurate, matrix(40 * n, 70, type::bf16),
                    matrix(40 * n, 70, type::bf16), 0);
            }},
        {"eltwise",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::eltwise_forward::primitive_desc(e, prop_kind::forward_inference,
                    algorithm::eltwise_tanh, image(16 * n), image(16 * n));
            }},
        {"binary",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::binary::primitive_desc(e, algorithm::binary_mul, image(16 * n),
                    image(16 * n, type::f32, tag::nchw), image(16 * n));
            }},
        {"reduction",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::reduction::primitive_desc(
                    e, algorithm::reduction_sum, matrix(100 * n, 70), matrix(1, 70), 0.f, 0.f);
            }},
        {"resampling",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::resampling_forward::primitive_desc(e, prop_kind::forward_inference,
                    algorithm::resampling_linear, image(8 * n),
                    {{2, 8 * n, 20, 20}, type::f32, tag::nhwc});
            }},
        {"reorder",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::reorder::primitive_desc(
                    e, image(16 * n), e, image(16 * n, type::bf16, tag::nChw16c));
            }},
        {"shuffle",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::shuffle_forward::primitive_desc(
                    e, prop_kind::forward_inference, image(16 * n), image(16 * n), 1, 4);
            }},
        {"sum",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::sum::primitive_desc(e, matrix(100 * n, 30), {0.5f, 2.f},
                    {matrix(100 * n, 30), matrix(100 * n, 30)});
            }},
        {"concat",
            [](const engine &e, d n) -> primitive_desc_base {
                return dnnl::concat::primitive_desc(
                    e, 1, {matrix(100 * n, 30), matrix(100 * n, 50)});
            }},
        {"LSTM",
            [](const engine &e, d n) -> primitive_desc_base {
                const memory::desc layer({4, 3, 8 * n}, type::f32, tag::tnc),
                    weights({1, 1, 8 * n, 4, 8 * n}, type::f32, tag::any),
                    bias({1, 1, 4, 8 * n}, type::f32, tag::ldgo);
                return dnnl::lstm_forward::primitive_desc(e, prop_kind::forward_inference,
                    dnnl::rnn_direction::unidirectional_left2right, layer, {}, {}, weights, weights,
                    bias, layer, {}, {});
            }},
    };
    return all;
}

/// What executions of a primitive take, written to.
inline std::unordered_map<int, memory> arguments_of(
    const primitive_desc_base &pd, const engine &e) {
    std::unordered_map<int, memory> args;
    for (int arg : {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1, DNNL_ARG_WEIGHTS_0, DNNL_ARG_WEIGHTS_1,
             DNNL_ARG_BIAS, DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE,
             DNNL_ARG_WORKSPACE, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS,
             DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1}) {
        const memory::desc md = pd.query_md(dnnl::query::exec_arg_md, arg);
        if (md.get_size() == 0) continue;
        const memory made(md, e);
        std::memset(made.get_data_handle(), 0, md.get_size());
        args.emplace(arg, made);
    }
    return args;
}

} // namespace api_tests
