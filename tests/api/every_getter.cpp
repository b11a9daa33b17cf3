// SPDX-License-Identifier: Apache-2.0
// Names every getter of every primitive descriptor and every constructor of every primitive: links
// only if each exists. Succeeds when descriptors and primitives made without arguments are empty
// and say so.

#include <cstdio>

#include "named.hpp"

using namespace dnnl;
using named::are;
using named::constructs;
using named::failures;
using named::keep;

namespace {

void getters(const reorder::primitive_desc &pd) {
    are<engine>(pd.get_src_engine(), pd.get_dst_engine());
    are<memory::desc>(pd.src_desc(), pd.dst_desc());
}

void getters(const concat::primitive_desc &pd) { are<memory::desc>(pd.src_desc(), pd.dst_desc()); }

void getters(const sum::primitive_desc &pd) { are<memory::desc>(pd.src_desc(), pd.dst_desc()); }

void getters(const convolution_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.weights_desc(), pd.dst_desc(), pd.bias_desc());
    are<algorithm>(pd.get_algorithm());
    are<prop_kind>(pd.get_prop_kind());
    are<memory::dims>(pd.get_strides(), pd.get_dilations(), pd.get_padding_l(), pd.get_padding_r());
}

void getters(const convolution_backward_data::primitive_desc &pd) {
    are<memory::desc>(pd.diff_src_desc(), pd.weights_desc(), pd.diff_dst_desc());
    are<algorithm>(pd.get_algorithm());
    are<prop_kind>(pd.get_prop_kind());
    are<memory::dims>(pd.get_strides(), pd.get_dilations(), pd.get_padding_l(), pd.get_padding_r());
}

void getters(const convolution_backward_weights::primitive_desc &pd) {
    are<memory::desc>(
        pd.src_desc(), pd.diff_weights_desc(), pd.diff_dst_desc(), pd.diff_bias_desc());
    are<algorithm>(pd.get_algorithm());
    are<prop_kind>(pd.get_prop_kind());
    are<memory::dims>(pd.get_strides(), pd.get_dilations(), pd.get_padding_l(), pd.get_padding_r());
}

void getters(const deconvolution_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.weights_desc(), pd.dst_desc(), pd.bias_desc());
    are<algorithm>(pd.get_algorithm());
    are<prop_kind>(pd.get_prop_kind());
    are<memory::dims>(pd.get_strides(), pd.get_dilations(), pd.get_padding_l(), pd.get_padding_r());
}

void getters(const deconvolution_backward_data::primitive_desc &pd) {
    are<memory::desc>(pd.diff_src_desc(), pd.weights_desc(), pd.diff_dst_desc());
    are<algorithm>(pd.get_algorithm());
    are<prop_kind>(pd.get_prop_kind());
    are<memory::dims>(pd.get_strides(), pd.get_dilations(), pd.get_padding_l(), pd.get_padding_r());
}

void getters(const deconvolution_backward_weights::primitive_desc &pd) {
    are<memory::desc>(
        pd.src_desc(), pd.diff_weights_desc(), pd.diff_dst_desc(), pd.diff_bias_desc());
    are<algorithm>(pd.get_algorithm());
    are<prop_kind>(pd.get_prop_kind());
    are<memory::dims>(pd.get_strides(), pd.get_dilations(), pd.get_padding_l(), pd.get_padding_r());
}

void getters(const lrn_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc(), pd.workspace_desc());
    are<algorithm>(pd.get_algorithm());
    are<prop_kind>(pd.get_prop_kind());
    are<float>(pd.get_alpha(), pd.get_beta(), pd.get_k());
    are<memory::dim>(pd.get_local_size());
}

void getters(const lrn_backward::primitive_desc &pd) {
    are<memory::desc>(pd.diff_src_desc(), pd.diff_dst_desc(), pd.workspace_desc());
    are<algorithm>(pd.get_algorithm());
    are<prop_kind>(pd.get_prop_kind());
    are<float>(pd.get_alpha(), pd.get_beta(), pd.get_k());
    are<memory::dim>(pd.get_local_size());
}

void getters(const eltwise_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc());
    are<dnnl::algorithm>(pd.get_algorithm());
    are<dnnl::prop_kind>(pd.get_prop_kind());
    are<float>(pd.get_alpha(), pd.get_beta());
}

void getters(const eltwise_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.diff_src_desc(), pd.diff_dst_desc());
    are<dnnl::algorithm>(pd.get_algorithm());
    are<dnnl::prop_kind>(pd.get_prop_kind());
    are<float>(pd.get_alpha(), pd.get_beta());
}

void getters(const softmax_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc());
    are<dnnl::algorithm>(pd.get_algorithm());
    are<dnnl::prop_kind>(pd.get_prop_kind());
    are<int>(pd.get_axis());
}

void getters(const softmax_backward::primitive_desc &pd) {
    are<memory::desc>(pd.dst_desc(), pd.diff_src_desc(), pd.diff_dst_desc());
    are<dnnl::algorithm>(pd.get_algorithm());
    are<dnnl::prop_kind>(pd.get_prop_kind());
    are<int>(pd.get_axis());
}

void getters(const batch_normalization_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc(), pd.weights_desc(), pd.workspace_desc(),
        pd.mean_desc(), pd.variance_desc());
    are<dnnl::prop_kind>(pd.get_prop_kind());
    are<float>(pd.get_epsilon());
    are<normalization_flags>(pd.get_flags());
}

void getters(const batch_normalization_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.weights_desc(), pd.dst_desc(), pd.diff_src_desc(),
        pd.diff_dst_desc(), pd.diff_weights_desc(), pd.mean_desc(), pd.variance_desc(),
        pd.workspace_desc());
    are<dnnl::prop_kind>(pd.get_prop_kind());
    are<float>(pd.get_epsilon());
    are<normalization_flags>(pd.get_flags());
}

void getters(const group_normalization_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc(), pd.weights_desc(), pd.workspace_desc(),
        pd.mean_desc(), pd.variance_desc());
    are<dnnl::prop_kind>(pd.get_prop_kind());
    are<memory::dim>(pd.get_group_size());
    are<float>(pd.get_epsilon());
    are<normalization_flags>(pd.get_flags());
}

void getters(const group_normalization_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.weights_desc(), pd.dst_desc(), pd.diff_src_desc(),
        pd.diff_dst_desc(), pd.diff_weights_desc(), pd.mean_desc(), pd.variance_desc(),
        pd.workspace_desc());
    are<dnnl::prop_kind>(pd.get_prop_kind());
    are<memory::dim>(pd.get_group_size());
    are<float>(pd.get_epsilon());
    are<normalization_flags>(pd.get_flags());
}

void getters(const layer_normalization_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc(), pd.weights_desc(), pd.workspace_desc(),
        pd.mean_desc(), pd.variance_desc());
    are<dnnl::prop_kind>(pd.get_prop_kind());
    are<float>(pd.get_epsilon());
    are<normalization_flags>(pd.get_flags());
}

void getters(const layer_normalization_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.weights_desc(), pd.dst_desc(), pd.diff_src_desc(),
        pd.diff_dst_desc(), pd.diff_weights_desc(), pd.mean_desc(), pd.variance_desc(),
        pd.workspace_desc());
    are<dnnl::prop_kind>(pd.get_prop_kind());
    are<float>(pd.get_epsilon());
    are<normalization_flags>(pd.get_flags());
}

void getters(const inner_product_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.weights_desc(), pd.dst_desc(), pd.bias_desc());
    are<prop_kind>(pd.get_prop_kind());
}

void getters(const inner_product_backward_data::primitive_desc &pd) {
    are<memory::desc>(pd.diff_src_desc(), pd.weights_desc(), pd.diff_dst_desc());
    are<prop_kind>(pd.get_prop_kind());
}

void getters(const inner_product_backward_weights::primitive_desc &pd) {
    are<memory::desc>(
        pd.src_desc(), pd.diff_weights_desc(), pd.diff_dst_desc(), pd.diff_bias_desc());
    are<prop_kind>(pd.get_prop_kind());
}

void getters(const vanilla_rnn_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.weights_layer_desc(),
        pd.weights_iter_desc(), pd.bias_desc(), pd.dst_layer_desc(), pd.dst_iter_desc(),
        pd.workspace_desc());
    are<algorithm>(pd.get_cell_kind(), pd.get_activation_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
    are<float>(pd.get_alpha(), pd.get_beta());
}

void getters(const vanilla_rnn_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.weights_layer_desc(),
        pd.weights_iter_desc(), pd.bias_desc(), pd.dst_layer_desc(), pd.dst_iter_desc(),
        pd.workspace_desc(), pd.diff_src_layer_desc(), pd.diff_src_iter_desc(),
        pd.diff_weights_layer_desc(), pd.diff_weights_iter_desc(), pd.diff_bias_desc(),
        pd.diff_dst_layer_desc(), pd.diff_dst_iter_desc());
    are<algorithm>(pd.get_cell_kind(), pd.get_activation_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
    are<float>(pd.get_alpha(), pd.get_beta());
}

void getters(const lstm_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.src_iter_c_desc(),
        pd.weights_layer_desc(), pd.weights_iter_desc(), pd.weights_peephole_desc(),
        pd.weights_projection_desc(), pd.bias_desc(), pd.dst_layer_desc(), pd.dst_iter_desc(),
        pd.dst_iter_c_desc(), pd.workspace_desc());
    are<algorithm>(pd.get_cell_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
}

void getters(const lstm_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.src_iter_c_desc(),
        pd.weights_layer_desc(), pd.weights_iter_desc(), pd.weights_peephole_desc(),
        pd.weights_projection_desc(), pd.bias_desc(), pd.dst_layer_desc(), pd.dst_iter_desc(),
        pd.dst_iter_c_desc(), pd.workspace_desc(), pd.diff_src_layer_desc(),
        pd.diff_src_iter_desc(), pd.diff_src_iter_c_desc(), pd.diff_weights_layer_desc(),
        pd.diff_weights_iter_desc(), pd.diff_weights_peephole_desc(),
        pd.diff_weights_projection_desc(), pd.diff_bias_desc(), pd.diff_dst_layer_desc(),
        pd.diff_dst_iter_desc(), pd.diff_dst_iter_c_desc());
    are<algorithm>(pd.get_cell_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
}

void getters(const gru_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.weights_layer_desc(),
        pd.weights_iter_desc(), pd.bias_desc(), pd.dst_layer_desc(), pd.dst_iter_desc(),
        pd.workspace_desc());
    are<algorithm>(pd.get_cell_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
}

void getters(const gru_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.weights_layer_desc(),
        pd.weights_iter_desc(), pd.bias_desc(), pd.dst_layer_desc(), pd.dst_iter_desc(),
        pd.workspace_desc(), pd.diff_src_layer_desc(), pd.diff_src_iter_desc(),
        pd.diff_weights_layer_desc(), pd.diff_weights_iter_desc(), pd.diff_bias_desc(),
        pd.diff_dst_layer_desc(), pd.diff_dst_iter_desc());
    are<algorithm>(pd.get_cell_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
}

void getters(const lbr_gru_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.weights_layer_desc(),
        pd.weights_iter_desc(), pd.bias_desc(), pd.dst_layer_desc(), pd.dst_iter_desc(),
        pd.workspace_desc());
    are<algorithm>(pd.get_cell_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
}

void getters(const lbr_gru_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.weights_layer_desc(),
        pd.weights_iter_desc(), pd.bias_desc(), pd.dst_layer_desc(), pd.dst_iter_desc(),
        pd.workspace_desc(), pd.diff_src_layer_desc(), pd.diff_src_iter_desc(),
        pd.diff_weights_layer_desc(), pd.diff_weights_iter_desc(), pd.diff_bias_desc(),
        pd.diff_dst_layer_desc(), pd.diff_dst_iter_desc());
    are<algorithm>(pd.get_cell_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
}

void getters(const augru_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.attention_desc(),
        pd.weights_layer_desc(), pd.weights_iter_desc(), pd.bias_desc(), pd.dst_layer_desc(),
        pd.dst_iter_desc(), pd.workspace_desc());
    are<algorithm>(pd.get_cell_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
}

void getters(const augru_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.attention_desc(),
        pd.weights_layer_desc(), pd.weights_iter_desc(), pd.bias_desc(), pd.dst_layer_desc(),
        pd.dst_iter_desc(), pd.workspace_desc(), pd.diff_src_layer_desc(), pd.diff_src_iter_desc(),
        pd.diff_attention_desc(), pd.diff_weights_layer_desc(), pd.diff_weights_iter_desc(),
        pd.diff_bias_desc(), pd.diff_dst_layer_desc(), pd.diff_dst_iter_desc());
    are<algorithm>(pd.get_cell_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
}

void getters(const lbr_augru_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.attention_desc(),
        pd.weights_layer_desc(), pd.weights_iter_desc(), pd.bias_desc(), pd.dst_layer_desc(),
        pd.dst_iter_desc(), pd.workspace_desc());
    are<algorithm>(pd.get_cell_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
}

void getters(const lbr_augru_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_layer_desc(), pd.src_iter_desc(), pd.attention_desc(),
        pd.weights_layer_desc(), pd.weights_iter_desc(), pd.bias_desc(), pd.dst_layer_desc(),
        pd.dst_iter_desc(), pd.workspace_desc(), pd.diff_src_layer_desc(), pd.diff_src_iter_desc(),
        pd.diff_attention_desc(), pd.diff_weights_layer_desc(), pd.diff_weights_iter_desc(),
        pd.diff_bias_desc(), pd.diff_dst_layer_desc(), pd.diff_dst_iter_desc());
    are<algorithm>(pd.get_cell_kind());
    are<prop_kind>(pd.get_prop_kind());
    are<rnn_direction>(pd.get_direction());
}

void getters(const shuffle_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc());
    are<prop_kind>(pd.get_prop_kind());
    are<int>(pd.get_axis());
    are<memory::dim>(pd.get_group_size());
}

void getters(const shuffle_backward::primitive_desc &pd) {
    are<memory::desc>(pd.diff_src_desc(), pd.diff_dst_desc());
    are<prop_kind>(pd.get_prop_kind());
    are<int>(pd.get_axis());
    are<memory::dim>(pd.get_group_size());
}

void getters(const binary::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.src0_desc(), pd.src1_desc(), pd.src2_desc(), pd.dst_desc());
    are<algorithm>(pd.get_algorithm());
}

void getters(const matmul::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.weights_desc(), pd.bias_desc(), pd.dst_desc());
}

void getters(const resampling_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc());
}

void getters(const resampling_backward::primitive_desc &pd) {
    are<memory::desc>(pd.diff_src_desc(), pd.diff_dst_desc());
}

void getters(const pooling_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc(), pd.workspace_desc());
    are<algorithm>(pd.get_algorithm());
    are<prop_kind>(pd.get_prop_kind());
    are<memory::dims>(pd.get_strides(), pd.get_kernel(), pd.get_dilations(), pd.get_padding_l(),
        pd.get_padding_r());
}

void getters(const pooling_backward::primitive_desc &pd) {
    are<memory::desc>(pd.diff_src_desc(), pd.diff_dst_desc(), pd.workspace_desc());
    are<algorithm>(pd.get_algorithm());
    are<prop_kind>(pd.get_prop_kind());
    are<memory::dims>(pd.get_strides(), pd.get_kernel(), pd.get_dilations(), pd.get_padding_l(),
        pd.get_padding_r());
}

void getters(const prelu_forward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc());
    are<prop_kind>(pd.get_prop_kind());
}

void getters(const prelu_backward::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.diff_src_desc(), pd.diff_dst_desc());
    are<prop_kind>(pd.get_prop_kind());
}

void getters(const reduction::primitive_desc &pd) {
    are<memory::desc>(pd.src_desc(), pd.dst_desc());
    are<float>(pd.get_p(), pd.get_epsilon());
    are<algorithm>(pd.get_algorithm());
}

// What every primitive class X offers beside its descriptor.
template <typename X> void primitive_class(const char *name) {
    typedef typename X::primitive_desc desc;
    typedef const std::vector<uint8_t> &blob;
    keep(&constructs<desc>);
    keep(&constructs<desc, dnnl_primitive_desc_t>);
    keep(&constructs<X>);
    keep(&constructs<X, const desc &>);
    keep(&constructs<X, const desc &, blob>);

    void (*const all_getters)(const desc &) = getters;
    try {
        all_getters(desc());
        std::printf("%s: getters of an empty descriptor do not throw\n", name);
        ++failures;
    } catch (const error &e) {
        if (e.status != dnnl_invalid_arguments) ++failures;
    }
    if (X().get(true) != nullptr) ++failures;
    if (desc(nullptr).get(true) != nullptr) ++failures;
}

} // namespace

int main() {
    primitive_class<reorder>("reorder");
    primitive_class<concat>("concat");
    primitive_class<sum>("sum");
    primitive_class<convolution_forward>("convolution_forward");
    primitive_class<convolution_backward_data>("convolution_backward_data");
    primitive_class<convolution_backward_weights>("convolution_backward_weights");
    primitive_class<deconvolution_forward>("deconvolution_forward");
    primitive_class<deconvolution_backward_data>("deconvolution_backward_data");
    primitive_class<deconvolution_backward_weights>("deconvolution_backward_weights");
    primitive_class<lrn_forward>("lrn_forward");
    primitive_class<lrn_backward>("lrn_backward");
    primitive_class<eltwise_forward>("eltwise_forward");
    primitive_class<eltwise_backward>("eltwise_backward");
    primitive_class<softmax_forward>("softmax_forward");
    primitive_class<softmax_backward>("softmax_backward");
    primitive_class<batch_normalization_forward>("batch_normalization_forward");
    primitive_class<batch_normalization_backward>("batch_normalization_backward");
    primitive_class<group_normalization_forward>("group_normalization_forward");
    primitive_class<group_normalization_backward>("group_normalization_backward");
    primitive_class<layer_normalization_forward>("layer_normalization_forward");
    primitive_class<layer_normalization_backward>("layer_normalization_backward");
    primitive_class<inner_product_forward>("inner_product_forward");
    primitive_class<inner_product_backward_data>("inner_product_backward_data");
    primitive_class<inner_product_backward_weights>("inner_product_backward_weights");
    primitive_class<vanilla_rnn_forward>("vanilla_rnn_forward");
    primitive_class<vanilla_rnn_backward>("vanilla_rnn_backward");
    primitive_class<lstm_forward>("lstm_forward");
    primitive_class<lstm_backward>("lstm_backward");
    primitive_class<gru_forward>("gru_forward");
    primitive_class<gru_backward>("gru_backward");
    primitive_class<lbr_gru_forward>("lbr_gru_forward");
    primitive_class<lbr_gru_backward>("lbr_gru_backward");
    primitive_class<augru_forward>("augru_forward");
    primitive_class<augru_backward>("augru_backward");
    primitive_class<lbr_augru_forward>("lbr_augru_forward");
    primitive_class<lbr_augru_backward>("lbr_augru_backward");
    primitive_class<shuffle_forward>("shuffle_forward");
    primitive_class<shuffle_backward>("shuffle_backward");
    primitive_class<binary>("binary");
    primitive_class<matmul>("matmul");
    primitive_class<resampling_forward>("resampling_forward");
    primitive_class<resampling_backward>("resampling_backward");
    primitive_class<pooling_forward>("pooling_forward");
    primitive_class<pooling_backward>("pooling_backward");
    primitive_class<prelu_forward>("prelu_forward");
    primitive_class<prelu_backward>("prelu_backward");
    primitive_class<reduction>("reduction");
    std::printf("%d constructors, %d failures\n", named::constructors, failures);
    return failures == 0 ? 0 : 1;
}
