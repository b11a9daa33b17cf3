// SPDX-License-Identifier: Apache-2.0
// Recurrent networks: values worked by hand from the formulas of the specification, gradients
// against difference quotients, and every row of the table against the reference.
#include <cmath>

#include "rnn_network.hpp"

using namespace rnn_network;
using enum dnnl::impl::rnn_tensor;

namespace {
/// One layer, one direction, one row, one channel: tensors are given by their few numbers.
network single(dnnl_alg_kind_t cell) {
    network net(cell, {});
    net.prop = dnnl_forward_inference;
    net.build();
    for (auto &[tensor, values] : net.tensors) values.set_all(0);
    return net;
}
void close(const buffer &tensor, const std::vector<float> &expected) {
    const std::vector<float> values = tensor.values();
    BOOST_REQUIRE_EQUAL(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        BOOST_CHECK_MESSAGE(
            std::fabs(values[i] - expected[i]) <= 1e-6f * (1 + std::fabs(expected[i])),
            "element " << i << " is " << values[i] << ", not " << expected[i]);
}
/// logistic(log_3) = 3/4, tanh(log_2) = 3/5.
const float log_2 = std::log(2.0f), log_3 = std::log(3.0f);
} // namespace

BOOST_AUTO_TEST_CASE(vanilla_by_hand) {
    network net(dnnl_vanilla_rnn, {.L = 1, .T = 3, .MB = 1, .SLC = 1, .DHC = 1, .DIC = 1});
    net.activation = dnnl_eltwise_relu;
    net.alpha = 0.5f;
    net.build();
    net[src_layer] = {1, 2, -9};
    net[weights_layer] = {2};
    net[weights_iter] = {3};
    net[bias] = {-1};
    net[src_iter] = {0.25f};
    for (const auto row : net.rows()) {
        net.forward(row);
        // 2 + 0.75 - 1, 4 + 5.25 - 1, -18 + 24.75 - 1
        close(net[dst_layer].data, {1.75f, 8.25f, 5.75f});
        close(net[dst_iter].data, {5.75f});
    }
    net[src_layer] = {-1, 2, 0};
    net[src_iter] = {0};
    net.forward(net.reference());
    close(net[dst_layer].data, {-1.5f, -0.75f, -1.625f}); // halves of -3, -1.5 and -3.25
}

BOOST_AUTO_TEST_CASE(lstm_by_hand) {
    network net = single(dnnl_vanilla_lstm);
    net[src_layer] = {1};
    net[weights_layer] = {log_3, 0, 0, log_3};
    net[weights_iter] = {0, 0, log_2 / 2, 0};
    net[src_iter] = {2};
    net[src_iter_c] = {1};
    for (const auto row : net.rows()) {
        net.forward(row);
        close(net[dst_iter_c].data, {0.95f}); // 1/2 * 1 + 3/4 * 3/5
        close(net[dst_layer].data, {0.75f * std::tanh(0.95f)});
        close(net[dst_iter].data, {0.75f * std::tanh(0.95f)});
    }
}

BOOST_AUTO_TEST_CASE(lstm_with_peephole_and_projection_by_hand) {
    network net(dnnl_vanilla_lstm, {});
    net.prop = dnnl_forward_inference;
    net.peephole = net.projection = true;
    net.build();
    for (auto &[tensor, values] : net.tensors) values.set_all(0);
    net[src_iter_c] = {2};
    net[bias] = {0, 0, log_2, 0};
    net[weights_peephole] = {log_3 / 2, log_3 / 2, log_3 / 1.95f};
    net[weights_projection] = {-4};
    for (const auto row : net.rows()) {
        net.forward(row);
        close(net[dst_iter_c].data, {1.95f}); // 3/4 * 2 + 3/4 * 3/5
        close(net[dst_layer].data, {-3 * std::tanh(1.95f)});
    }
}

BOOST_AUTO_TEST_CASE(gru_by_hand) {
    // u = 3/4, r = 3/4, h = 2: o = tanh(log_2 / 1.5 * (r h)) = 3/5.
    for (const dnnl_alg_kind_t cell : {dnnl_vanilla_gru, dnnl_vanilla_augru}) {
        network net = single(cell);
        net[src_iter] = {2};
        net[bias] = {log_3, log_3, 0};
        net[weights_iter] = {0, 0, log_2 / 1.5f};
        if (cell == dnnl_vanilla_augru) net[attention] = {0.5f};
        const float kept = cell == dnnl_vanilla_augru ? 0.375f : 0.75f;
        for (const auto row : net.rows()) {
            net.forward(row);
            close(net[dst_layer].data, {kept * 2 + (1 - kept) * 0.6f});
        }
    }
}

BOOST_AUTO_TEST_CASE(lbr_gru_by_hand) {
    // r (U_o h + B_u') + B_o = 3/4 (2 log_2 + 2 log_2) - 2 log_2 = log_2.
    for (const dnnl_alg_kind_t cell : {dnnl_lbr_gru, dnnl_lbr_augru}) {
        network net = single(cell);
        net[src_iter] = {2};
        net[bias] = {0, log_3, -2 * log_2, 2 * log_2};
        net[weights_iter] = {0, 0, log_2};
        if (cell == dnnl_lbr_augru) net[attention] = {0.5f};
        const float kept = cell == dnnl_lbr_augru ? 0.25f : 0.5f;
        for (const auto row : net.rows()) {
            net.forward(row);
            close(net[dst_layer].data, {kept * 2 + (1 - kept) * 0.6f});
        }
    }
}

BOOST_AUTO_TEST_CASE(int8_lstm_by_hand) {
    network net(dnnl_vanilla_lstm, {});
    net.prop = dnnl_forward_inference;
    net.type = data_type::u8;
    net.weights_type = data_type::s8;
    net.attr.rnn.data_scale = 100;
    net.attr.rnn.data_shift = 50;
    net.attr.rnn.weights.mask = 24;
    net.attr.rnn.weights.values = {10 / log_3, 1, 10 / log_2, 10 / log_3};
    net.build();
    for (auto &[tensor, values] : net.tensors) values.set_all(0);
    net[src_layer] = {150}; // 1
    net[src_iter] = {250};  // 2
    net[src_iter_c] = {1};
    net[weights_layer] = {10, 0, 0, 10};
    net[weights_iter] = {0, 0, 5, 0};
    for (const auto row : net.rows()) {
        net.forward(row);
        close(net[dst_iter_c].data, {0.95f});
        // 0.75 tanh(0.95) = 0.5549: 55.49 + 50
        close(net[dst_layer].data, {105});
        close(net[dst_iter].data, {105});
    }
}

BOOST_AUTO_TEST_CASE(int8_gru_by_hand_with_f32_output) {
    network net(dnnl_vanilla_gru, {});
    net.prop = dnnl_forward_inference;
    net.type = data_type::u8;
    net.weights_type = data_type::s8;
    net.output_type = net.iter_type = data_type::f32;
    net.attr.rnn.data_scale = 64;
    net.attr.rnn.data_shift = 32;
    net.attr.rnn.weights.values = {15 / log_2};
    net.build();
    for (auto &[tensor, values] : net.tensors) values.set_all(0);
    net[src_layer] = {32};
    net[src_iter] = {2};
    net[bias] = {log_3, log_3, 0};
    net[weights_iter] = {0, 0, 10};
    for (const auto row : net.rows()) {
        net.forward(row);
        close(net[dst_layer].data, {std::nearbyint(1.65f * 64) / 64});
        close(net[dst_iter].data, {std::nearbyint(1.65f * 64) / 64});
    }
}

BOOST_AUTO_TEST_CASE(directions_reverse_and_combine) {
    for (const auto direction :
        {dnnl_unidirectional_right2left, dnnl_bidirectional_concat, dnnl_bidirectional_sum}) {
        network net(dnnl_vanilla_rnn, {.T = 3, .MB = 1, .SLC = 1, .DHC = 1, .DIC = 1});
        net.prop = dnnl_forward_inference;
        net.direction = direction;
        net.activation = dnnl_eltwise_relu;
        net.build();
        const bool both = direction != dnnl_unidirectional_right2left;
        net[src_layer] = {1, 10, 100};
        net[weights_layer] = both ? std::vector<float> {1, 1} : std::vector<float> {1};
        net[weights_iter] = net[weights_layer].data.values();
        net[bias].set_all(0);
        net[src_iter].set_all(0);
        for (const auto row : net.rows()) {
            net.forward(row);
            if (direction == dnnl_unidirectional_right2left)
                close(net[dst_layer].data, {111, 110, 100});
            else if (direction == dnnl_bidirectional_concat)
                close(net[dst_layer].data, {1, 111, 11, 110, 111, 100});
            else
                close(net[dst_layer].data, {112, 121, 211});
            close(net[dst_iter].data,
                both ? std::vector<float> {111, 111} : std::vector<float> {111});
        }
    }
}

BOOST_AUTO_TEST_CASE(layers_of_one_step_take_states_of_another_width) {
    network net(
        dnnl_vanilla_rnn, {.L = 2, .T = 1, .MB = 1, .SLC = 1, .DHC = 1, .DIC = 1, .SIC = 2});
    net.activation = dnnl_eltwise_relu;
    net.build();
    net[src_layer] = {2};
    net[src_iter] = {1, 3, 5, 7}; // of each layer
    net[weights_layer] = {1, 2};
    net[weights_iter] = {10, 1, -3, 4};
    net[bias] = {1, -1};
    for (const auto row : net.rows()) {
        net.forward(row);
        // 2 + 10 + 3 + 1 = 16; 32 - 15 + 28 - 1 = 44
        close(net[dst_layer].data, {44});
        close(net[dst_iter].data, {16, 44});
        net.prepare_backward(dnnl_rnn_flags_diff_weights_overwrite);
        net.diffs.at(dst_layer) = {1};
        net.diffs.at(dst_iter) = {100, 0};
        net.backward(row);
        // of the sums in the layers: 1 * 2 + 100 and 1
        close(net.diffs.at(src_iter).data, {1020, 102, -3, 4});
        close(net.diffs.at(src_layer).data, {102});
        close(net.diffs.at(weights_iter).data, {102, 306, 5, 7});
        close(net.diffs.at(weights_layer).data, {204, 16});
        close(net.diffs.at(bias).data, {102, 1});
    }
}

BOOST_AUTO_TEST_CASE(gradients_are_difference_quotients) {
    for_each_variant([](network &net) {
        net.build();
        net.fill(1);
        for (const auto row : net.rows()) check_gradients(net, row);
    });
    for_each_decoder([](network &net) {
        net.build();
        net.fill(4);
        for (const auto row : net.rows()) check_gradients(net, row);
    });
}

BOOST_AUTO_TEST_CASE(kernels_run_both_passes) {
    network net(dnnl_vanilla_lstm, {});
    net.build();
    net.prepare_backward(0);
    for (const implementation *row : net.rows())
        BOOST_CHECK_MESSAGE(net.runs_backward(*row), row->name << name_of(row->needs));
    const isa width = has(effective_isa(), isa::avx512) ? isa::avx512 : isa::avx2;
    if (has(effective_isa(), width)) BOOST_CHECK(net.rows().front()->needs == width);
}

BOOST_AUTO_TEST_CASE(gradients_of_weights_accumulate) {
    network net(dnnl_vanilla_gru, {.L = 1, .T = 2, .MB = 2, .SLC = 3, .DHC = 3, .DIC = 3});
    net.build();
    net.fill(5);
    for (const auto row : net.rows()) {
        net.forward(row);
        net.prepare_backward(dnnl_rnn_flags_diff_weights_overwrite);
        net.diffs.at(weights_layer).set_all(NAN);
        net.backward(row);
        const auto once = net.diffs.at(weights_layer).data.values();
        net.prepare_backward(dnnl_rnn_flags_undef);
        for (const rnn_tensor t : {weights_layer, weights_iter, bias}) net.diffs.at(t).set_all(1);
        net.backward(row);
        const auto added = net.diffs.at(weights_layer).data.values();
        for (std::size_t i = 0; i < once.size(); ++i)
            BOOST_CHECK_SMALL(added[i] - (1 + once[i]), 1e-5f);
    }
}

BOOST_AUTO_TEST_CASE(no_time_steps_hand_the_states_on) {
    network net(dnnl_vanilla_lstm, {.L = 1, .T = 0, .MB = 2, .SLC = 3, .DHC = 3, .DIC = 3});
    net.build();
    net.fill(3);
    for (const auto row : net.rows()) {
        net.forward(row);
        close(net[dst_iter].data, net[src_iter].data.values());
        close(net[dst_iter_c].data, net[src_iter_c].data.values());
        net.prepare_backward(dnnl_rnn_flags_diff_weights_overwrite);
        net.backward(row);
        close(net.diffs.at(src_iter).data, net.diffs.at(dst_iter).data.values());
        for (const float value : net.diffs.at(weights_iter).data.values())
            BOOST_CHECK_EQUAL(value, 0);
    }
}

BOOST_AUTO_TEST_CASE(rows_agree_with_the_reference) {
    const auto check = [](network &net) {
        for (const data_type type :
            {data_type::f32, data_type::bf16, data_type::f16, data_type::u8, data_type::s8}) {
            network other = net;
            if (other.set_type(type)) check_rows(other);
        }
    };
    for_each_variant(check);
    for_each_decoder(check);
}

BOOST_AUTO_TEST_CASE(rows_agree_where_products_are_cut_into_blocks) {
    for (const dnnl_alg_kind_t cell : {dnnl_vanilla_lstm, dnnl_vanilla_gru})
        for (const data_type type :
            {data_type::f32, data_type::bf16, data_type::f16, data_type::u8, data_type::s8}) {
            network net(cell, {.L = 1, .T = 2, .MB = 37, .SLC = 600, .DHC = 70, .DIC = 70});
            net.scale = 0.1f;
            if (net.set_type(type)) check_rows(net);
        }
}
