// SPDX-License-Identifier: Apache-2.0
// Recurrent networks: the checked descriptor of all cells, its extents, what cells keep for the
// backward pass, and what the parameters of 8-bit networks mean (specification: "RNN").
#pragma once

#include <cstddef>
#include <vector>

#include "common/attributes/attributes.hpp"
#include "common/descriptors/op_desc.hpp"
#include "dnnl/dnnl_ext.h"

namespace dnnl::impl {

/// Logical dimensions, with the letters of rnn_shape:
///   src_layer T MB SLC, src_iter L D MB SIC, src_iter_c L D MB DHC, attention T MB 1,
///   weights_layer L D SLC G DHC, weights_iter L D SIC G DHC, weights_peephole L D 3 DHC (i f o),
///   weights_projection L D DHC DIC, bias L D B DHC, dst_layer T MB DLC, dst_iter L D MB DIC,
///   dst_iter_c L D MB DHC
struct rnn_tensor_info {
    rnn_tensor tensor;
    int arg, ndims;
    const char *name;                                      ///< of the argument
    const char *short_name;                                ///< in verbose lines
    bool is_output = false;                                ///< of the forward pass
    int diff_arg = arg + DNNL_ARG_DIFF_SRC - DNNL_ARG_SRC; ///< of the gradient
};
inline constexpr rnn_tensor_info rnn_tensors[rnn_tensor_count] = {
    {rnn_tensor::src_layer, DNNL_ARG_SRC_LAYER, 3, "src_layer", "src_layer"},
    {rnn_tensor::src_iter, DNNL_ARG_SRC_ITER, 4, "src_iter", "src_iter"},
    {rnn_tensor::src_iter_c, DNNL_ARG_SRC_ITER_C, 4, "src_iter_c", "src_iter_c"},
    {rnn_tensor::attention, DNNL_ARG_AUGRU_ATTENTION, 3, "attention", "attention"},
    {rnn_tensor::weights_layer, DNNL_ARG_WEIGHTS_LAYER, 5, "weights_layer", "wei_layer"},
    {rnn_tensor::weights_iter, DNNL_ARG_WEIGHTS_ITER, 5, "weights_iter", "wei_iter"},
    {rnn_tensor::weights_peephole, DNNL_ARG_WEIGHTS_PEEPHOLE, 4, "weights_peephole",
        "wei_peephole"},
    {rnn_tensor::weights_projection, DNNL_ARG_WEIGHTS_PROJECTION, 4, "weights_projection",
        "wei_proj"},
    {rnn_tensor::bias, DNNL_ARG_BIAS, 4, "bias", "bias"},
    {rnn_tensor::dst_layer, DNNL_ARG_DST_LAYER, 3, "dst_layer", "dst_layer", true},
    {rnn_tensor::dst_iter, DNNL_ARG_DST_ITER, 4, "dst_iter", "dst_iter", true},
    {rnn_tensor::dst_iter_c, DNNL_ARG_DST_ITER_C, 4, "dst_iter_c", "dst_iter_c", true},
};

/// Descriptors as a creation function gets them, indexed by rnn_tensor; null: not given.
using rnn_tensor_pointers = std::array<const memory_desc *, rnn_tensor_count>;

/// The parameters of a creation function.
struct rnn_request {
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t cell_kind;
    dnnl_rnn_direction_t direction;
    unsigned flags;
    dnnl_alg_kind_t activation = dnnl_alg_kind_undef;
    float alpha = 0, beta = 0;
    rnn_tensor_pointers tensors {}, diffs {}; ///< diffs: backward only
    const rnn_desc *hint = nullptr;           ///< the training pass, backward only
};

/// Throws error(invalid_arguments) where shapes, kinds and presence of tensors disagree,
/// error(unimplemented) for dims known at execution only.
rnn_desc make_rnn_desc(const rnn_request &request);

/// Why no implementation takes the element types or a layout of a network; null when one may.
const char *rnn_refusal(const rnn_desc &desc);

/// True where src_layer holds the sums of the gates that its product with weights_layer would give.
inline bool has_gate_sums(const rnn_desc &desc) {
    return desc.flags & dnnl_ext_rnn_flags_gate_sums;
}
/// The type of states and of what is multiplied with weights.
inline data_type state_type_of(const rnn_desc &desc) {
    return desc.md(has_gate_sums(desc) ? rnn_tensor::dst_layer : rnn_tensor::src_layer).dtype;
}

constexpr bool is_lstm(dnnl_alg_kind_t cell) { return cell == dnnl_vanilla_lstm; }
constexpr bool is_gru(dnnl_alg_kind_t cell) { return cell != dnnl_vanilla_rnn && !is_lstm(cell); }
/// True for cells whose reset gate multiplies U_o h + B_u' (linear before reset).
constexpr bool is_linear_before_reset(dnnl_alg_kind_t cell) {
    return cell == dnnl_lbr_gru || cell == dnnl_lbr_augru;
}
constexpr bool has_attention(dnnl_alg_kind_t cell) {
    return cell == dnnl_vanilla_augru || cell == dnnl_lbr_augru;
}
/// True for cells whose reset gate multiplies the state before its product with U_o.
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

// ---- What the cells keep ----

/// Four arrays, each dense and 64-byte aligned to the buffer's start, over slots (layer,
/// direction), time steps and batch:
///   gates   f32 [slot][T][MB][G][DHC]  as they enter h': results of their functions, but of a
///                                      relu cell the argument
///   linear  f32 [slot][T][MB][DHC]     linear before reset: U_o h + B_u'; LSTM with projection: h
///                                      before the projection, rounded as the product takes it
///   c       f32 [slot][T][MB][DHC]     LSTM: the cell state c'
///   h       [slot][T][MB][DIC]         the state h' of state_type()
class rnn_states {
  public:
    /// keep_all has a slot for each layer and direction. keep_last shares all arrays but h, which
    /// has two layers of each direction.
    enum extent { keep_all, keep_last };

    rnn_states() = default;
    rnn_states(const rnn_desc &desc, extent kept);

    dim_t bytes() const { return bytes_; }
    data_type state_type() const { return state_type_; }
    bool has_linear() const { return linear_row_ > 0; }

    /// Elements of time step t of a layer and direction, in a buffer that starts at `base`.
    float *gates(std::byte *base, dim_t l, dim_t d, dim_t t) const {
        return reinterpret_cast<float *>(base) + (shared_slot(l, d) * T_ + t) * gates_row_;
    }
    float *linear(std::byte *base, dim_t l, dim_t d, dim_t t) const {
        return reinterpret_cast<float *>(base + linear_begin_) +
               (shared_slot(l, d) * T_ + t) * linear_row_;
    }
    float *c(std::byte *base, dim_t l, dim_t d, dim_t t) const {
        return reinterpret_cast<float *>(base + c_begin_) + (shared_slot(l, d) * T_ + t) * c_row_;
    }
    std::byte *h(std::byte *base, dim_t l, dim_t d, dim_t t) const {
        const dim_t slot = kept_ == keep_all ? l * D_ + d : l % 2 * D_ + d;
        return base + h_begin_ + (slot * T_ + t) * h_row_bytes_;
    }

  private:
    dim_t shared_slot(dim_t l, dim_t d) const { return kept_ == keep_all ? l * D_ + d : 0; }

    extent kept_ = keep_all;
    data_type state_type_ = data_type::undef;
    dim_t T_ = 0, D_ = 0;
    dim_t gates_row_ = 0, linear_row_ = 0, c_row_ = 0, h_row_bytes_ = 0; ///< of a time step
    dim_t linear_begin_ = 0, c_begin_ = 0, h_begin_ = 0, bytes_ = 0;     ///< bytes
};

// ---- Quantization ----

/// Throws error(unimplemented) for masks that are not offered, for values known at execution only
/// and for 8-bit tensors without parameters, error(invalid_arguments) for too few scales.
void check_quantization(const rnn_desc &desc, const rnn_quantization &q);

/// A reorder with values that are known at creation: dst = (src - src_zero_point) * src_scale /
/// dst_scale + dst_zero_point. Empty lists are absent.
struct reorder_values {
    std::vector<float> src_zero_point, src_scale, dst_scale, dst_zero_point;
    int mask = 0; ///< of the scales; zero points are one value

    bool empty() const { return src_scale.empty() && dst_scale.empty(); }
};

/// What the parameters make of a reorder that check_reorder_quantization() let pass. Data of three
/// or four dimensions becomes x * scale + shift; weights, of five dimensions, and those of the
/// projection become x * scale of their gate and output channel. From 8 bits the inverse. Between
/// 8-bit tensors nothing: they hold what was quantized before.
///
/// Four dimensions of s8 are states or weights of the projection: these where the layout is one
/// that a network chose, which has column sums, where it is blocked and scales of a projection are
/// set, or where the parameters of data are not set.
reorder_values values_of(const reorder_desc &op, const rnn_quantization &q);

/// The parameters that values_of() reads for this reorder alone, for a reorder that does a part of
/// it in another layout.
rnn_quantization parameters_of(const reorder_desc &op, const rnn_quantization &q);

/// Throws error(unimplemented) for types and ranks that are not those of 8-bit networks, masks that
/// are not offered and values known at execution only; error(invalid_arguments) for too few scales.
void check_reorder_quantization(const reorder_desc &op, const rnn_quantization &q);

} // namespace dnnl::impl
