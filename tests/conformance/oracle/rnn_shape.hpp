// SPDX-License-Identifier: Apache-2.0
// Extents and types of a recurrent problem.
#pragma once

#include "language/case.hpp"
#include "language/number.hpp"

namespace conformance {

enum class cell_kind { vanilla, lstm, gru, lbr_gru, augru, lbr_augru };

struct rnn_types {
    data_type src_layer, src_iter, dst_layer, dst_iter, weights, bias, cell;
    bool quantized = false;
    /// What a hidden state is held in between two cells.
    data_type state() const { return quantized ? src_layer : weights; }
};

/// Letters of the specification: L layers, D directions, T steps, N rows, G gates, B gates of the
/// bias; widths SLC, SIC, DHC, DIC, DLC.
struct rnn_shape {
    explicit rnn_shape(const test_case &c);
    dims weights_layer() const { return {L, D, SLC, G, DHC}; }
    dims weights_iter() const { return {L, D, SIC, G, DHC}; }
    dims state() const { return {L, D, N, DIC}; }
    dims cell_state() const { return {L, D, N, DHC}; }
    bool is_lbr() const { return cell == cell_kind::lbr_gru || cell == cell_kind::lbr_augru; }
    bool has_attention() const { return cell == cell_kind::augru || cell == cell_kind::lbr_augru; }
    bool has_cell_state() const { return cell == cell_kind::lstm; }
    /// The step that direction `d` visits as its t-th.
    dim step(dim d, dim t) const { return reversed || d == 1 ? T - 1 - t : t; }

    cell_kind cell;
    dim L, T, N, SLC, SIC, DHC, DIC, DLC, D = 1, G, B;
    bool forward, training, peephole, projection, reversed = false, concat = false, sum = false;
    rnn_types types;
};

} // namespace conformance
