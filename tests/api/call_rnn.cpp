// SPDX-License-Identifier: Apache-2.0
// Every function that creates a recurrent network, called once, forward and backward (see
// call_objects.cpp).
#include "objects.hpp"

#define CALL(function) BOOST_AUTO_TEST_CASE(calls_##function)

using namespace api_tests;

namespace {

constexpr dnnl_dim_t T = 3, MB = 2, C = 4;
constexpr dnnl_rnn_direction_t direction = dnnl_unidirectional_left2right;

/// The tensors of one cell with `gates` gates and `biases` biases.
struct cell {
    desc_owner layer = plain({T, MB, C}), iter = plain({1, 1, MB, C}),
               attention = plain({T, MB, 1});
    desc_owner peephole = plain({1, 1, 3, C}), projection = plain({1, 1, C, C});
    desc_owner weights_layer, weights_iter, bias;
    cell(dnnl_dim_t gates, dnnl_dim_t biases)
        : weights_layer(tagged({1, 1, C, gates, C}, dnnl_format_tag_any)),
          weights_iter(tagged({1, 1, C, gates, C}, dnnl_format_tag_any)),
          bias(plain({1, 1, biases, C})) {}
};

void is_rnn(const primitive_desc_owner &pd, dnnl_alg_kind_t expected) {
    dnnl_alg_kind_t kind = dnnl_alg_kind_undef;
    ok(dnnl_primitive_desc_query(pd, dnnl_query_cell_kind, 0, &kind));
    BOOST_TEST(kind == expected);
    BOOST_TEST(primitive_of(pd) != nullptr);
}

primitive_desc_owner vanilla(const cell &c) {
    primitive_desc_owner pd;
    ok(dnnl_vanilla_rnn_forward_primitive_desc_create(pd.out(), engine(), dnnl_forward_training,
        dnnl_eltwise_tanh, direction, c.layer, c.iter, c.weights_layer, c.weights_iter, c.bias,
        c.layer, c.iter, 0, 0, 0, nullptr));
    return pd;
}
primitive_desc_owner lstm(const cell &c) {
    primitive_desc_owner pd;
    ok(dnnl_lstm_forward_primitive_desc_create(pd.out(), engine(), dnnl_forward_training, direction,
        c.layer, c.iter, c.iter, c.weights_layer, c.weights_iter, c.peephole, c.projection, c.bias,
        c.layer, c.iter, c.iter, 0, nullptr));
    return pd;
}
template <class Create> primitive_desc_owner forward(const cell &c, const Create &create) {
    primitive_desc_owner pd;
    ok(create(pd.out(), engine(), dnnl_forward_training, direction, c.layer, c.iter,
        c.weights_layer, c.weights_iter, c.bias, c.layer, c.iter, 0, nullptr));
    return pd;
}
template <class Create> primitive_desc_owner attentive(const cell &c, const Create &create) {
    primitive_desc_owner pd;
    ok(create(pd.out(), engine(), dnnl_forward_training, direction, c.layer, c.iter, c.attention,
        c.weights_layer, c.weights_iter, c.bias, c.layer, c.iter, 0, nullptr));
    return pd;
}
template <class Create>
primitive_desc_owner backward(
    const cell &c, const primitive_desc_owner &hint, const Create &create) {
    primitive_desc_owner pd;
    ok(create(pd.out(), engine(), dnnl_backward, direction, c.layer, c.iter, c.weights_layer,
        c.weights_iter, c.bias, c.layer, c.iter, c.layer, c.iter, c.weights_layer, c.weights_iter,
        c.bias, c.layer, c.iter, 0, hint, nullptr));
    return pd;
}
template <class Create>
primitive_desc_owner attentive_backward(
    const cell &c, const primitive_desc_owner &hint, const Create &create) {
    primitive_desc_owner pd;
    ok(create(pd.out(), engine(), dnnl_backward, direction, c.layer, c.iter, c.attention,
        c.weights_layer, c.weights_iter, c.bias, c.layer, c.iter, c.layer, c.iter, c.attention,
        c.weights_layer, c.weights_iter, c.bias, c.layer, c.iter, 0, hint, nullptr));
    return pd;
}
} // namespace

CALL(dnnl_vanilla_rnn_forward_primitive_desc_create) {
    is_rnn(vanilla(cell(1, 1)), dnnl_vanilla_rnn);
}
CALL(dnnl_vanilla_rnn_backward_primitive_desc_create) {
    const cell c(1, 1);
    primitive_desc_owner pd;
    ok(dnnl_vanilla_rnn_backward_primitive_desc_create(pd.out(), engine(), dnnl_backward,
        dnnl_eltwise_tanh, direction, c.layer, c.iter, c.weights_layer, c.weights_iter, c.bias,
        c.layer, c.iter, c.layer, c.iter, c.weights_layer, c.weights_iter, c.bias, c.layer, c.iter,
        0, 0, 0, vanilla(c), nullptr));
    is_rnn(pd, dnnl_vanilla_rnn);
}
CALL(dnnl_lstm_forward_primitive_desc_create) { is_rnn(lstm(cell(4, 4)), dnnl_vanilla_lstm); }
CALL(dnnl_lstm_backward_primitive_desc_create) {
    const cell c(4, 4);
    primitive_desc_owner pd;
    ok(dnnl_lstm_backward_primitive_desc_create(pd.out(), engine(), dnnl_backward, direction,
        c.layer, c.iter, c.iter, c.weights_layer, c.weights_iter, c.peephole, c.projection, c.bias,
        c.layer, c.iter, c.iter, c.layer, c.iter, c.iter, c.weights_layer, c.weights_iter,
        c.peephole, c.projection, c.bias, c.layer, c.iter, c.iter, 0, lstm(c), nullptr));
    is_rnn(pd, dnnl_vanilla_lstm);
}
CALL(dnnl_gru_forward_primitive_desc_create) {
    is_rnn(forward(cell(3, 3), dnnl_gru_forward_primitive_desc_create), dnnl_vanilla_gru);
}
CALL(dnnl_gru_backward_primitive_desc_create) {
    const cell c(3, 3);
    const auto hint = forward(c, dnnl_gru_forward_primitive_desc_create);
    is_rnn(backward(c, hint, dnnl_gru_backward_primitive_desc_create), dnnl_vanilla_gru);
}
CALL(dnnl_lbr_gru_forward_primitive_desc_create) {
    is_rnn(forward(cell(3, 4), dnnl_lbr_gru_forward_primitive_desc_create), dnnl_lbr_gru);
}
CALL(dnnl_lbr_gru_backward_primitive_desc_create) {
    const cell c(3, 4);
    const auto hint = forward(c, dnnl_lbr_gru_forward_primitive_desc_create);
    is_rnn(backward(c, hint, dnnl_lbr_gru_backward_primitive_desc_create), dnnl_lbr_gru);
}
CALL(dnnl_augru_forward_primitive_desc_create) {
    is_rnn(attentive(cell(3, 3), dnnl_augru_forward_primitive_desc_create), dnnl_vanilla_augru);
}
CALL(dnnl_augru_backward_primitive_desc_create) {
    const cell c(3, 3);
    const auto hint = attentive(c, dnnl_augru_forward_primitive_desc_create);
    is_rnn(
        attentive_backward(c, hint, dnnl_augru_backward_primitive_desc_create), dnnl_vanilla_augru);
}
CALL(dnnl_lbr_augru_forward_primitive_desc_create) {
    is_rnn(attentive(cell(3, 4), dnnl_lbr_augru_forward_primitive_desc_create), dnnl_lbr_augru);
}
CALL(dnnl_lbr_augru_backward_primitive_desc_create) {
    const cell c(3, 4);
    const auto hint = attentive(c, dnnl_lbr_augru_forward_primitive_desc_create);
    is_rnn(
        attentive_backward(c, hint, dnnl_lbr_augru_backward_primitive_desc_create), dnnl_lbr_augru);
}
