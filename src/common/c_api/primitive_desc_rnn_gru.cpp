// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of gated recurrent units.
#include "common/c_api/create.hpp"
#include "common/descriptors/rnn.hpp"

using dnnl::impl::create_primitive_desc;
using dnnl::impl::creation;
using dnnl::impl::forward_hint;
using dnnl::impl::is_forward;
using dnnl::impl::make_rnn_desc;
using dnnl::impl::require;
using dnnl::impl::rnn_desc;
using dnnl::impl::rnn_request;
using dnnl::impl::rnn_tensor_pointers;

namespace {

using tensor = const_dnnl_memory_desc_t;

/// What the creation functions of gated recurrent units take besides tensors.
struct gru_request {
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t cell_kind;
    dnnl_rnn_direction_t direction;
    unsigned flags;
};

/// Their tensors, or the gradients of these; attention is null where the cell has none.
struct gru_tensors {
    tensor src_layer, src_iter, attention, weights_layer, weights_iter, bias, dst_layer, dst_iter;

    /// In the order of rnn_tensor.
    rnn_tensor_pointers all() const {
        return {{src_layer, src_iter, nullptr, attention, weights_layer, weights_iter, nullptr,
            nullptr, bias, dst_layer, dst_iter, nullptr}};
    }
};

rnn_request request_of(const gru_request &r, const gru_tensors &tensors) {
    return {r.prop, r.cell_kind, dnnl_alg_kind_undef, r.direction, r.flags, 0, 0, tensors.all(), {},
        nullptr};
}

dnnl_status_t create_forward(const creation &c, const gru_request &r, const gru_tensors &tensors) {
    return create_primitive_desc(c, [&] {
        require(is_forward(r.prop), "rnn: prop_kind is not a forward kind");
        return make_rnn_desc(request_of(r, tensors));
    });
}

dnnl_status_t create_backward(const creation &c, const gru_request &r, const gru_tensors &tensors,
    const gru_tensors &diffs, const_dnnl_primitive_desc_t hint) {
    return create_primitive_desc(c, [&] {
        require(r.prop == dnnl_backward, "rnn: prop_kind is not dnnl_backward");
        rnn_request request = request_of(r, tensors);
        request.diffs = diffs.all();
        request.hint = forward_hint<rnn_desc>(hint);
        return make_rnn_desc(request);
    });
}

} // namespace

dnnl_status_t dnnl_gru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr) {
    return create_forward({primitive_desc, engine, attr, dnnl_rnn},
        {prop_kind, dnnl_vanilla_gru, direction, flags},
        {src_layer_desc, src_iter_desc, nullptr, weights_layer_desc, weights_iter_desc, bias_desc,
            dst_layer_desc, dst_iter_desc});
}

dnnl_status_t dnnl_gru_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_backward({primitive_desc, engine, attr, dnnl_rnn},
        {prop_kind, dnnl_vanilla_gru, direction, flags},
        {src_layer_desc, src_iter_desc, nullptr, weights_layer_desc, weights_iter_desc, bias_desc,
            dst_layer_desc, dst_iter_desc},
        {diff_src_layer_desc, diff_src_iter_desc, nullptr, diff_weights_layer_desc,
            diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc},
        hint_fwd_pd);
}

dnnl_status_t dnnl_lbr_gru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr) {
    return create_forward({primitive_desc, engine, attr, dnnl_rnn},
        {prop_kind, dnnl_lbr_gru, direction, flags},
        {src_layer_desc, src_iter_desc, nullptr, weights_layer_desc, weights_iter_desc, bias_desc,
            dst_layer_desc, dst_iter_desc});
}

dnnl_status_t dnnl_lbr_gru_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_backward({primitive_desc, engine, attr, dnnl_rnn},
        {prop_kind, dnnl_lbr_gru, direction, flags},
        {src_layer_desc, src_iter_desc, nullptr, weights_layer_desc, weights_iter_desc, bias_desc,
            dst_layer_desc, dst_iter_desc},
        {diff_src_layer_desc, diff_src_iter_desc, nullptr, diff_weights_layer_desc,
            diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc},
        hint_fwd_pd);
}

dnnl_status_t dnnl_augru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,
    const_dnnl_primitive_attr_t attr) {
    return create_forward({primitive_desc, engine, attr, dnnl_rnn},
        {prop_kind, dnnl_vanilla_augru, direction, flags},
        {src_layer_desc, src_iter_desc, attention_desc, weights_layer_desc, weights_iter_desc,
            bias_desc, dst_layer_desc, dst_iter_desc});
}

dnnl_status_t dnnl_augru_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_attention_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_backward({primitive_desc, engine, attr, dnnl_rnn},
        {prop_kind, dnnl_vanilla_augru, direction, flags},
        {src_layer_desc, src_iter_desc, attention_desc, weights_layer_desc, weights_iter_desc,
            bias_desc, dst_layer_desc, dst_iter_desc},
        {diff_src_layer_desc, diff_src_iter_desc, diff_attention_desc, diff_weights_layer_desc,
            diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc},
        hint_fwd_pd);
}

dnnl_status_t dnnl_lbr_augru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,
    const_dnnl_primitive_attr_t attr) {
    return create_forward({primitive_desc, engine, attr, dnnl_rnn},
        {prop_kind, dnnl_lbr_augru, direction, flags},
        {src_layer_desc, src_iter_desc, attention_desc, weights_layer_desc, weights_iter_desc,
            bias_desc, dst_layer_desc, dst_iter_desc});
}

dnnl_status_t dnnl_lbr_augru_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_attention_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    return create_backward({primitive_desc, engine, attr, dnnl_rnn},
        {prop_kind, dnnl_lbr_augru, direction, flags},
        {src_layer_desc, src_iter_desc, attention_desc, weights_layer_desc, weights_iter_desc,
            bias_desc, dst_layer_desc, dst_iter_desc},
        {diff_src_layer_desc, diff_src_iter_desc, diff_attention_desc, diff_weights_layer_desc,
            diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc},
        hint_fwd_pd);
}
