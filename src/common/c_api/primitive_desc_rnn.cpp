// SPDX-License-Identifier: Apache-2.0
// C entry points: descriptors of recurrent networks, two per kind of cell.
#include "common/c_api/create.hpp"
#include "common/descriptors/rnn.hpp"

namespace {

/// The tensors of a cell, or the gradients with respect to them; null where it has none.
struct cell_tensors {
    tensor src_layer, src_iter, weights_layer, weights_iter, bias, dst_layer, dst_iter;
    tensor attention = nullptr;
    tensor src_iter_c = nullptr, weights_peephole = nullptr, weights_projection = nullptr;
    tensor dst_iter_c = nullptr;

    /// In the order of rnn_tensor.
    operator impl::rnn_tensor_pointers() const {
        return {{src_layer, src_iter, src_iter_c, attention, weights_layer, weights_iter,
            weights_peephole, weights_projection, bias, dst_layer, dst_iter, dst_iter_c}};
    }
};

dnnl_status_t create_forward(
    const creation &call, impl::rnn_request request, const cell_tensors &tensors) {
    request.tensors = tensors;
    return create_forward(call, request.prop, [&] { return impl::make_rnn_desc(request); });
}

dnnl_status_t create_backward(const creation &call, impl::rnn_request request,
    const cell_tensors &tensors, const cell_tensors &diffs, hint_desc hint) {
    request.tensors = tensors;
    request.diffs = diffs;
    const auto make_op = [&](const impl::rnn_desc *forward) {
        request.hint = forward;
        return impl::make_rnn_desc(request);
    };
    return create_backward<impl::rnn_desc>(call, hint, make_op,
        request.prop == dnnl_backward ? nullptr : "prop_kind is not dnnl_backward");
}

} // namespace

// ---- Vanilla RNN and LSTM ----

dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t activation, dnnl_rnn_direction_t direction,
    tensor src_layer, tensor src_iter, tensor weights_layer, tensor weights_iter, tensor bias,
    tensor dst_layer, tensor dst_iter, unsigned flags, float alpha, float beta, attributes attr) {
    return create_forward({out, engine, attr},
        {prop, dnnl_vanilla_rnn, direction, flags, activation, alpha, beta},
        {src_layer, src_iter, weights_layer, weights_iter, bias, dst_layer, dst_iter});
}

dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_alg_kind_t activation, dnnl_rnn_direction_t direction,
    tensor src_layer, tensor src_iter, tensor weights_layer, tensor weights_iter, tensor bias,
    tensor dst_layer, tensor dst_iter, tensor diff_src_layer, tensor diff_src_iter,
    tensor diff_weights_layer, tensor diff_weights_iter, tensor diff_bias, tensor diff_dst_layer,
    tensor diff_dst_iter, unsigned flags, float alpha, float beta, hint_desc hint,
    attributes attr) {
    return create_backward({out, engine, attr},
        {prop, dnnl_vanilla_rnn, direction, flags, activation, alpha, beta},
        {src_layer, src_iter, weights_layer, weights_iter, bias, dst_layer, dst_iter},
        {diff_src_layer, diff_src_iter, diff_weights_layer, diff_weights_iter, diff_bias,
            diff_dst_layer, diff_dst_iter},
        hint);
}

dnnl_status_t dnnl_lstm_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_rnn_direction_t direction, tensor src_layer, tensor src_iter,
    tensor src_iter_c, tensor weights_layer, tensor weights_iter, tensor weights_peephole,
    tensor weights_projection, tensor bias, tensor dst_layer, tensor dst_iter, tensor dst_iter_c,
    unsigned flags, attributes attr) {
    return create_forward({out, engine, attr}, {prop, dnnl_vanilla_lstm, direction, flags},
        {src_layer, src_iter, weights_layer, weights_iter, bias, dst_layer, dst_iter, nullptr,
            src_iter_c, weights_peephole, weights_projection, dst_iter_c});
}

dnnl_status_t dnnl_lstm_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine,
    dnnl_prop_kind_t prop, dnnl_rnn_direction_t direction, tensor src_layer, tensor src_iter,
    tensor src_iter_c, tensor weights_layer, tensor weights_iter, tensor weights_peephole,
    tensor weights_projection, tensor bias, tensor dst_layer, tensor dst_iter, tensor dst_iter_c,
    tensor diff_src_layer, tensor diff_src_iter, tensor diff_src_iter_c, tensor diff_weights_layer,
    tensor diff_weights_iter, tensor diff_weights_peephole, tensor diff_weights_projection,
    tensor diff_bias, tensor diff_dst_layer, tensor diff_dst_iter, tensor diff_dst_iter_c,
    unsigned flags, hint_desc hint, attributes attr) {
    return create_backward({out, engine, attr}, {prop, dnnl_vanilla_lstm, direction, flags},
        {src_layer, src_iter, weights_layer, weights_iter, bias, dst_layer, dst_iter, nullptr,
            src_iter_c, weights_peephole, weights_projection, dst_iter_c},
        {diff_src_layer, diff_src_iter, diff_weights_layer, diff_weights_iter, diff_bias,
            diff_dst_layer, diff_dst_iter, nullptr, diff_src_iter_c, diff_weights_peephole,
            diff_weights_projection, diff_dst_iter_c},
        hint);
}

// ---- Gated recurrent units, without and with attention ----

// The same arguments create both kinds of a cell: plain, and linear before reset. Cells with
// attention take one tensor more, whose name is the third argument of the macro.
#define DNNL_GRU_CREATE(name, kind, ...)                                                           \
    dnnl_status_t dnnl_##name##_forward_primitive_desc_create(new_desc out, dnnl_engine_t engine,  \
        dnnl_prop_kind_t prop, dnnl_rnn_direction_t direction, tensor src_layer, tensor src_iter,  \
        __VA_OPT__(tensor __VA_ARGS__, ) tensor weights_layer, tensor weights_iter, tensor bias,   \
        tensor dst_layer, tensor dst_iter, unsigned flags, attributes attr) {                      \
        return create_forward({out, engine, attr}, {prop, kind, direction, flags},                 \
            {src_layer, src_iter, weights_layer, weights_iter, bias, dst_layer, dst_iter,          \
                __VA_ARGS__});                                                                     \
    }                                                                                              \
    dnnl_status_t dnnl_##name##_backward_primitive_desc_create(new_desc out, dnnl_engine_t engine, \
        dnnl_prop_kind_t prop, dnnl_rnn_direction_t direction, tensor src_layer, tensor src_iter,  \
        __VA_OPT__(tensor __VA_ARGS__, ) tensor weights_layer, tensor weights_iter, tensor bias,   \
        tensor dst_layer, tensor dst_iter, tensor diff_src_layer, tensor diff_src_iter,            \
        __VA_OPT__(tensor diff_##__VA_ARGS__, ) tensor diff_weights_layer,                         \
        tensor diff_weights_iter, tensor diff_bias, tensor diff_dst_layer, tensor diff_dst_iter,   \
        unsigned flags, hint_desc hint, attributes attr) {                                         \
        return create_backward({out, engine, attr}, {prop, kind, direction, flags},                \
            {src_layer, src_iter, weights_layer, weights_iter, bias, dst_layer, dst_iter,          \
                __VA_ARGS__},                                                                      \
            {diff_src_layer, diff_src_iter, diff_weights_layer, diff_weights_iter, diff_bias,      \
                diff_dst_layer, diff_dst_iter, __VA_OPT__(diff_##__VA_ARGS__)},                    \
            hint);                                                                                 \
    }
DNNL_GRU_CREATE(gru, dnnl_vanilla_gru)
DNNL_GRU_CREATE(lbr_gru, dnnl_lbr_gru)
DNNL_GRU_CREATE(augru, dnnl_vanilla_augru, attention)
DNNL_GRU_CREATE(lbr_augru, dnnl_lbr_augru, attention)
