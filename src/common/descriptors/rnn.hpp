// SPDX-License-Identifier: Apache-2.0
// Recurrent networks: the descriptor of all cells, checked, its extents and what the cells of a
// network keep (specification: "RNN").
#pragma once

#include "common/attributes/attributes.hpp"
#include "common/descriptors/op_desc.hpp"

namespace dnnl::impl {

/// Logical dimensions, with the letters of rnn_shape:
///   src_layer T MB SLC, src_iter L D MB SIC, src_iter_c L D MB DHC, attention T MB 1,
///   weights_layer L D SLC G DHC, weights_iter L D SIC G DHC, weights_peephole L D 3 DHC (i f o),
///   weights_projection L D DHC DIC, bias L D B DHC, dst_layer T MB DLC, dst_iter L D MB DIC,
///   dst_iter_c L D MB DHC
struct rnn_tensor_info {
    rnn_tensor tensor;
    int arg, diff_arg;
    const char *name;       ///< of the argument
    const char *short_name; ///< in verbose lines
    bool is_output;         ///< of the forward pass
};
inline constexpr rnn_tensor_info rnn_tensors[rnn_tensor_count] = {
    {rnn_tensor::src_layer, DNNL_ARG_SRC_LAYER, DNNL_ARG_DIFF_SRC_LAYER, "src_layer", "src_layer",
        false},
    {rnn_tensor::src_iter, DNNL_ARG_SRC_ITER, DNNL_ARG_DIFF_SRC_ITER, "src_iter", "src_iter",
        false},
    {rnn_tensor::src_iter_c, DNNL_ARG_SRC_ITER_C, DNNL_ARG_DIFF_SRC_ITER_C, "src_iter_c",
        "src_iter_c", false},
    {rnn_tensor::attention, DNNL_ARG_AUGRU_ATTENTION, DNNL_ARG_DIFF_AUGRU_ATTENTION, "attention",
        "attention", false},
    {rnn_tensor::weights_layer, DNNL_ARG_WEIGHTS_LAYER, DNNL_ARG_DIFF_WEIGHTS_LAYER,
        "weights_layer", "wei_layer", false},
    {rnn_tensor::weights_iter, DNNL_ARG_WEIGHTS_ITER, DNNL_ARG_DIFF_WEIGHTS_ITER, "weights_iter",
        "wei_iter", false},
    {rnn_tensor::weights_peephole, DNNL_ARG_WEIGHTS_PEEPHOLE, DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE,
        "weights_peephole", "wei_peephole", false},
    {rnn_tensor::weights_projection, DNNL_ARG_WEIGHTS_PROJECTION, DNNL_ARG_DIFF_WEIGHTS_PROJECTION,
        "weights_projection", "wei_proj", false},
    {rnn_tensor::bias, DNNL_ARG_BIAS, DNNL_ARG_DIFF_BIAS, "bias", "bias", false},
    {rnn_tensor::dst_layer, DNNL_ARG_DST_LAYER, DNNL_ARG_DIFF_DST_LAYER, "dst_layer", "dst_layer",
        true},
    {rnn_tensor::dst_iter, DNNL_ARG_DST_ITER, DNNL_ARG_DIFF_DST_ITER, "dst_iter", "dst_iter", true},
    {rnn_tensor::dst_iter_c, DNNL_ARG_DST_ITER_C, DNNL_ARG_DIFF_DST_ITER_C, "dst_iter_c",
        "dst_iter_c", true},
};

/// Descriptors as a creation function gets them, indexed by rnn_tensor; null: not given.
using rnn_tensor_pointers = std::array<const memory_desc *, rnn_tensor_count>;

/// What a creation function is asked for.
struct rnn_request {
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t cell_kind, activation;
    dnnl_rnn_direction_t direction;
    unsigned flags;
    float alpha, beta;
    rnn_tensor_pointers tensors, diffs; ///< diffs: backward only
    const rnn_desc *hint;               ///< the training pass, backward only
};

/// Throws error(invalid_arguments) where shapes, kinds and presence of tensors disagree,
/// error(unimplemented) for dims known at execution only.
rnn_desc make_rnn_desc(const rnn_request &request);

/// Why no implementation takes the element types or a layout; null when they can be taken.
const char *rnn_refusal(const rnn_desc &desc);

constexpr bool is_lstm(dnnl_alg_kind_t cell) { return cell == dnnl_vanilla_lstm; }
/// Linear before reset: the reset gate multiplies U_o h + B_u'.
constexpr bool is_linear_before_reset(dnnl_alg_kind_t cell) {
    return cell == dnnl_lbr_gru || cell == dnnl_lbr_augru;
}
constexpr bool has_attention(dnnl_alg_kind_t cell) {
    return cell == dnnl_vanilla_augru || cell == dnnl_lbr_augru;
}
/// The reset gate multiplies the state before it meets U_o.
constexpr bool resets_state(dnnl_alg_kind_t cell) {
    return cell == dnnl_vanilla_gru || cell == dnnl_vanilla_augru;
}

struct rnn_shape {
    dim_t L, D, T, MB;
    dim_t SLC, SIC, DHC, DIC, DLC;
    dim_t G; ///< gates
    dim_t B; ///< biases per channel: G, or 4 for the cells that are linear before reset
    bool projection;
    bool concat; ///< dst_layer has the channels of both directions side by side
    bool sum;    ///< dst_layer is the sum of both directions
};
rnn_shape shape_of(const rnn_desc &desc);

/// True when direction d walks from the last time step to the first.
inline bool is_reversed(const rnn_desc &desc, dim_t d) {
    return d == 1 || desc.direction == dnnl_unidirectional_right2left;
}

} // namespace dnnl::impl
