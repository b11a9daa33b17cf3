// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of the vanilla RNN and the LSTM.
#include "common/c_api/create.hpp"
#include "common/descriptors/rnn.hpp"

using dnnl::impl::create_primitive_desc;
using dnnl::impl::forward_hint;
using dnnl::impl::is_forward;
using dnnl::impl::make_rnn_desc;
using dnnl::impl::require;
using dnnl::impl::rnn_desc;
using dnnl::impl::rnn_request;

// Tensors stand in the order of rnn_tensor: src_layer, src_iter, src_iter_c, attention,
// weights_layer, weights_iter, weights_peephole, weights_projection, bias, dst_layer, dst_iter,
// dst_iter_c.

dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const dnnl_alg_kind_t activation,
    const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,
    float alpha, float beta, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_rnn}, [&] {
        require(is_forward(prop_kind), "rnn: prop_kind is not a forward kind");
        return make_rnn_desc(
            rnn_request {prop_kind, dnnl_vanilla_rnn, activation, direction, flags, alpha, beta,
                {{src_layer_desc, src_iter_desc, nullptr, nullptr, weights_layer_desc,
                    weights_iter_desc, nullptr, nullptr, bias_desc, dst_layer_desc, dst_iter_desc,
                    nullptr}},
                {}, nullptr});
    });
}

dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const dnnl_alg_kind_t activation,
    const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_rnn}, [&] {
        require(prop_kind == dnnl_backward, "rnn: prop_kind is not dnnl_backward");
        return make_rnn_desc(
            rnn_request {prop_kind, dnnl_vanilla_rnn, activation, direction, flags, alpha, beta,
                {{src_layer_desc, src_iter_desc, nullptr, nullptr, weights_layer_desc,
                    weights_iter_desc, nullptr, nullptr, bias_desc, dst_layer_desc, dst_iter_desc,
                    nullptr}},
                {{diff_src_layer_desc, diff_src_iter_desc, nullptr, nullptr,
                    diff_weights_layer_desc, diff_weights_iter_desc, nullptr, nullptr,
                    diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc, nullptr}},
                forward_hint<rnn_desc>(hint_fwd_pd)});
    });
}

dnnl_status_t dnnl_lstm_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, unsigned flags, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_rnn}, [&] {
        require(is_forward(prop_kind), "rnn: prop_kind is not a forward kind");
        return make_rnn_desc(
            rnn_request {prop_kind, dnnl_vanilla_lstm, dnnl_alg_kind_undef, direction, flags, 0, 0,
                {{src_layer_desc, src_iter_desc, src_iter_c_desc, nullptr, weights_layer_desc,
                    weights_iter_desc, weights_peephole_desc, weights_projection_desc, bias_desc,
                    dst_layer_desc, dst_iter_desc, dst_iter_c_desc}},
                {}, nullptr});
    });
}

dnnl_status_t dnnl_lstm_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_src_iter_c_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_weights_peephole_desc,
    const_dnnl_memory_desc_t diff_weights_projection_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    const_dnnl_memory_desc_t diff_dst_iter_c_desc, unsigned flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_primitive_desc({primitive_desc, engine, attr, dnnl_rnn}, [&] {
        require(prop_kind == dnnl_backward, "rnn: prop_kind is not dnnl_backward");
        return make_rnn_desc(
            rnn_request {prop_kind, dnnl_vanilla_lstm, dnnl_alg_kind_undef, direction, flags, 0, 0,
                {{src_layer_desc, src_iter_desc, src_iter_c_desc, nullptr, weights_layer_desc,
                    weights_iter_desc, weights_peephole_desc, weights_projection_desc, bias_desc,
                    dst_layer_desc, dst_iter_desc, dst_iter_c_desc}},
                {{diff_src_layer_desc, diff_src_iter_desc, diff_src_iter_c_desc, nullptr,
                    diff_weights_layer_desc, diff_weights_iter_desc, diff_weights_peephole_desc,
                    diff_weights_projection_desc, diff_bias_desc, diff_dst_layer_desc,
                    diff_dst_iter_desc, diff_dst_iter_c_desc}},
                forward_hint<rnn_desc>(hint_fwd_pd)});
    });
}
