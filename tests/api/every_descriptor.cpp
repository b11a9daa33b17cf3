// SPDX-License-Identifier: Apache-2.0
// Names every constructor of every primitive descriptor with its types: links only if each exists.

#include <cstdio>

#include "named.hpp"

using namespace dnnl;
using namespace named;

namespace {

void all_constructors() {
    descriptor<reorder, E, D, E, D>();
    descriptor<reorder, M, M>();
    descriptor<concat, E, D, int, Descs>();
    descriptor<concat, E, int, Descs>();
    descriptor<sum, E, D, Floats, Descs>();
    descriptor<sum, E, Floats, Descs>();
    descriptor<convolution_forward, E, prop_kind, algorithm, D, D, D, D, V, V, V>();
    descriptor<convolution_forward, E, prop_kind, algorithm, D, D, D, V, V, V>();
    descriptor<convolution_forward, E, prop_kind, algorithm, D, D, D, D, V, V, V, V>();
    descriptor<convolution_forward, E, prop_kind, algorithm, D, D, D, V, V, V, V>();
    descriptor<convolution_backward_data, E, algorithm, D, D, D, V, V, V, H<convolution_forward>>();
    descriptor<convolution_backward_data, E, algorithm, D, D, D, V, V, V, V,
        H<convolution_forward>>();
    descriptor<convolution_backward_weights, E, algorithm, D, D, D, D, V, V, V,
        H<convolution_forward>>();
    descriptor<convolution_backward_weights, E, algorithm, D, D, D, V, V, V,
        H<convolution_forward>>();
    descriptor<convolution_backward_weights, E, algorithm, D, D, D, D, V, V, V, V,
        H<convolution_forward>>();
    descriptor<convolution_backward_weights, E, algorithm, D, D, D, V, V, V, V,
        H<convolution_forward>>();
    descriptor<deconvolution_forward, E, prop_kind, algorithm, D, D, D, D, V, V, V>();
    descriptor<deconvolution_forward, E, prop_kind, algorithm, D, D, D, V, V, V>();
    descriptor<deconvolution_forward, E, prop_kind, algorithm, D, D, D, D, V, V, V, V>();
    descriptor<deconvolution_forward, E, prop_kind, algorithm, D, D, D, V, V, V, V>();
    descriptor<deconvolution_backward_data, E, algorithm, D, D, D, V, V, V,
        H<deconvolution_forward>>();
    descriptor<deconvolution_backward_data, E, algorithm, D, D, D, V, V, V, V,
        H<deconvolution_forward>>();
    descriptor<deconvolution_backward_weights, E, algorithm, D, D, D, D, V, V, V,
        H<deconvolution_forward>>();
    descriptor<deconvolution_backward_weights, E, algorithm, D, D, D, V, V, V,
        H<deconvolution_forward>>();
    descriptor<deconvolution_backward_weights, E, algorithm, D, D, D, D, V, V, V, V,
        H<deconvolution_forward>>();
    descriptor<deconvolution_backward_weights, E, algorithm, D, D, D, V, V, V, V,
        H<deconvolution_forward>>();
    descriptor<lrn_forward, E, prop_kind, algorithm, D, D, dim, float, float, float>();
    descriptor<lrn_backward, E, algorithm, D, D, D, dim, float, float, float, H<lrn_forward>>();
    descriptor<eltwise_forward, E, prop_kind, algorithm, D, D>();
    descriptor<eltwise_forward, E, prop_kind, algorithm, D, D, float>();
    descriptor<eltwise_forward, E, prop_kind, algorithm, D, D, float, float>();
    descriptor<eltwise_backward, E, algorithm, D, D, D, H<eltwise_forward>>();
    descriptor<eltwise_backward, E, algorithm, D, D, D, float, H<eltwise_forward>>();
    descriptor<eltwise_backward, E, algorithm, D, D, D, float, float, H<eltwise_forward>>();
    descriptor<softmax_forward, E, prop_kind, algorithm, D, D, int>();
    descriptor<softmax_backward, E, algorithm, D, D, D, int, H<softmax_forward>>();
    descriptor<batch_normalization_forward, E, prop_kind, D, D, float, normalization_flags>();
    descriptor<batch_normalization_backward, E, prop_kind, D, D, D, float, normalization_flags,
        H<batch_normalization_forward>>();
    descriptor<group_normalization_forward, E, prop_kind, D, D, dim, float, normalization_flags>();
    descriptor<group_normalization_backward, E, prop_kind, D, D, D, dim, float, normalization_flags,
        H<group_normalization_forward>>();
    descriptor<layer_normalization_forward, E, prop_kind, D, D, D, float, normalization_flags>();
    descriptor<layer_normalization_forward, E, prop_kind, D, D, float, normalization_flags>();
    descriptor<layer_normalization_forward, E, prop_kind, D, D, D, data_type, float,
        normalization_flags>();
    descriptor<layer_normalization_forward, E, prop_kind, D, D, data_type, float,
        normalization_flags>();
    descriptor<layer_normalization_backward, E, prop_kind, D, D, D, D, float, normalization_flags,
        H<layer_normalization_forward>>();
    descriptor<layer_normalization_backward, E, prop_kind, D, D, D, float, normalization_flags,
        H<layer_normalization_forward>>();
    descriptor<layer_normalization_backward, E, prop_kind, D, D, D, D, data_type, data_type, float,
        normalization_flags, H<layer_normalization_forward>>();
    descriptor<layer_normalization_backward, E, prop_kind, D, D, D, data_type, data_type, float,
        normalization_flags, H<layer_normalization_forward>>();
    descriptor<inner_product_forward, E, prop_kind, D, D, D, D>();
    descriptor<inner_product_forward, E, prop_kind, D, D, D>();
    descriptor<inner_product_backward_data, E, D, D, D, H<inner_product_forward>>();
    descriptor<inner_product_backward_weights, E, D, D, D, D, H<inner_product_forward>>();
    descriptor<inner_product_backward_weights, E, D, D, D, H<inner_product_forward>>();
    descriptor<shuffle_forward, E, prop_kind, D, D, int, int>();
    descriptor<shuffle_backward, E, D, D, int, int, H<shuffle_forward>>();
    descriptor<binary, E, algorithm, D, D, D>();
    descriptor<binary, E, algorithm, D, D, D, D>();
    descriptor<matmul, E, D, D, D>();
    descriptor<matmul, E, D, D, D, D>();
    descriptor<resampling_forward, E, prop_kind, algorithm, D, D>();
    descriptor<resampling_forward, E, prop_kind, algorithm, Floats, D>();
    descriptor<resampling_forward, E, prop_kind, algorithm, Floats, D, D>();
    descriptor<resampling_backward, E, algorithm, D, D, H<resampling_forward>>();
    descriptor<resampling_backward, E, algorithm, Floats, D, D, H<resampling_forward>>();
    descriptor<pooling_forward, E, prop_kind, algorithm, D, D, V, V, V, V, V>();
    descriptor<pooling_backward, E, algorithm, D, D, V, V, V, V, V, H<pooling_forward>>();
    descriptor<prelu_forward, E, prop_kind, D, D, D>();
    descriptor<prelu_backward, E, D, D, D, D, D, H<prelu_forward>>();
    descriptor<reduction, E, algorithm, D, D, float, float>();
}

void all_rnn_constructors() {
    descriptor<vanilla_rnn_forward, E, prop_kind, algorithm, rnn_direction, D, D, D, D, D, D, D>();
    descriptor<vanilla_rnn_forward, E, prop_kind, algorithm, rnn_direction, D, D, D, D, D, D, D,
        float>();
    descriptor<vanilla_rnn_backward, E, prop_kind, algorithm, rnn_direction, D, D, D, D, D, D, D, D,
        D, D, D, D, D, D, H<vanilla_rnn_forward>>();
    descriptor<vanilla_rnn_backward, E, prop_kind, algorithm, rnn_direction, D, D, D, D, D, D, D, D,
        D, D, D, D, D, D, float, H<vanilla_rnn_forward>>();
    descriptor<lstm_forward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D>();
    descriptor<lstm_forward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D>();
    descriptor<lstm_forward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D>();
    descriptor<lstm_backward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D, D, D, D,
        D, D, D, D, D, D, D, D, H<lstm_forward>>();
    descriptor<lstm_backward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D, D, D, D,
        D, D, D, D, D, D, H<lstm_forward>>();
    descriptor<lstm_backward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D, D, D, D,
        D, D, D, D, H<lstm_forward>>();
    descriptor<gru_forward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D>();
    descriptor<gru_backward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D, D, D, D,
        H<gru_forward>>();
    descriptor<lbr_gru_forward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D>();
    descriptor<lbr_gru_backward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D, D, D,
        D, H<lbr_gru_forward>>();
    descriptor<augru_forward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D>();
    descriptor<augru_backward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D, D, D,
        D, D, D, H<augru_forward>>();
    descriptor<lbr_augru_forward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D>();
    descriptor<lbr_augru_backward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D, D,
        D, D, D, D, H<lbr_augru_forward>>();

    // The hint that the specification names.
    descriptor<lbr_gru_backward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D, D, D,
        D, H<gru_forward>>();
    descriptor<augru_backward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D, D, D,
        D, D, D, H<gru_forward>>();
    descriptor<lbr_augru_backward, E, prop_kind, rnn_direction, D, D, D, D, D, D, D, D, D, D, D, D,
        D, D, D, D, H<gru_forward>>();
}

// The argument order of the specification.
void specification_constructors() {
    keep(&constructs<concat::primitive_desc, D, int, Descs, E>);
    keep(&constructs<concat::primitive_desc, D, int, Descs, E, A>);
    keep(&constructs<concat::primitive_desc, int, Descs, E>);
    keep(&constructs<concat::primitive_desc, int, Descs, E, A>);
    keep(&constructs<sum::primitive_desc, D, Floats, Descs, E>);
    keep(&constructs<sum::primitive_desc, D, Floats, Descs, E, A>);
    keep(&constructs<sum::primitive_desc, Floats, Descs, E>);
    keep(&constructs<sum::primitive_desc, Floats, Descs, E, A>);
}

} // namespace

int main() {
    all_constructors();
    all_rnn_constructors();
    specification_constructors();
    std::printf("%d constructors, %d failures\n", constructors, failures);
    return failures == 0 ? 0 : 1;
}
