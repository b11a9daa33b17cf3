// SPDX-License-Identifier: Apache-2.0
// Long short-term memory in floating-point numbers and in int8.
#include "lstm.hpp"

#include "prepared_weights.hpp"

namespace int8_accuracy {

using dnnl::memory;
using type = memory::data_type;

namespace {

/// The attribute has factors instead of scales: stored = number * factor + shift.
dnnl::primitive_attr attributes(const prepared_weights &weights, const stored_value &source) {
    dnnl::primitive_attr attr;
    if (weights.scales().empty()) return attr;
    attr.set_rnn_data_qparams(1 / source.form.scale, float(source.form.zero_point));
    std::vector<float> factors;
    for (float scale : weights.scales()) factors.push_back(1 / scale);
    constexpr int gates_and_channels = 1 << 3 | 1 << 4; // of the weights 1 x 1 x IC x 4 x OC
    attr.set_rnn_weights_qparams(factors.size() == 1 ? 0 : gates_and_channels, factors);
    return attr;
}

} // namespace

product_facts_of_run add_lstm(stored_values &values, const product_parts &parts,
    const stored_value &source, const stored_value &result) {
    const layer &of = parts.of;
    const prepared_weights weights(values.engine(), parts);
    const memory::dim T = of.source.length, N = values.batch();
    const memory::dim IC = of.source.channels, OC = of.result.channels;
    const memory::dims weights_of_layer {1, 1, IC, 4, OC}, recurrent {1, 1, OC, 4, OC};
    const memory src = view(source.data, plain_desc({T, N, IC}, source.form.type));
    const memory dst = view(result.data, plain_desc({T, N, OC}, result.form.type));
    const memory::desc bias = plain_desc({1, 1, 4, OC}, type::f32);
    const dnnl::lstm_forward::primitive_desc pd(values.engine(), dnnl::prop_kind::forward_inference,
        dnnl::rnn_direction::unidirectional_left2right, src.get_desc(), {}, {},
        any_layout(weights_of_layer, weights.stored()), any_layout(recurrent, weights.stored()),
        bias, dst.get_desc(), {}, {}, attributes(weights, source));
    values.steps().add(dnnl::lstm_forward(pd),
        {{DNNL_ARG_SRC_LAYER, src},
            {DNNL_ARG_WEIGHTS_LAYER, weights.in_layout(plain_desc(weights_of_layer, type::f32),
                                         pd.weights_layer_desc())},
            {DNNL_ARG_WEIGHTS_ITER, weights.recurrent_in_layout(
                                        plain_desc(recurrent, type::f32), pd.weights_iter_desc())},
            {DNNL_ARG_BIAS, filled_memory(values.engine(), bias, parts.learned.bias)},
            {DNNL_ARG_DST_LAYER, dst}});
    return {pd.impl_info_str(), weights.bytes()};
}

} // namespace int8_accuracy
