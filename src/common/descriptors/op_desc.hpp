// SPDX-License-Identifier: Apache-2.0
// This folder says what each primitive is: its operation descriptor, its checks and its facts. An
// operation descriptor is plain data that says what is to be computed; there is one alternative per
// primitive. In backward descriptors the gradients take the places of the forward tensors, as prop
// says: src holds diff_src, weights diff_weights, bias diff_bias, dst diff_dst.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "common/layout/memory_desc.hpp"

namespace dnnl::impl {

/// What is true of a primitive whichever row computes it (primitive_facts.hpp).
template <class Desc> struct primitive_facts;

/// dst = src (*) weights + bias; without a bias its descriptor is zero.
struct convolution_desc {
    static const primitive_facts<convolution_desc> facts;
    bool operator==(const convolution_desc &) const = default;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    memory_desc src {}, weights {}, bias {}, dst {};
    dims_t strides {}, dilates {}; ///< one per spatial dimension; dilation 0 is dense
    dims_t padding_l {}, padding_r {};
    /// True for a backward_data that computes a deconvolution's forward pass (nested_plan.hpp): it
    /// has a bias and attributes, and diff_src is their destination.
    bool of_deconvolution = false;
};

/// Tensors and parameters as in convolution_desc, weights (G,) O, I, spatial with O the channels of
/// dst. It computes what the gradients of a convolution from dst to src compute.
struct deconvolution_desc : convolution_desc {
    static const primitive_facts<deconvolution_desc> facts;
    bool operator==(const deconvolution_desc &) const = default;
};

/// Tensors as in convolution_desc.
struct inner_product_desc {
    static const primitive_facts<inner_product_desc> facts;
    bool operator==(const inner_product_desc &) const = default;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    memory_desc src {}, weights {}, bias {}, dst {};
};

struct matmul_desc {
    static const primitive_facts<matmul_desc> facts;
    bool operator==(const matmul_desc &) const = default;
    memory_desc src {}, weights {}, bias {}, dst {};
};

/// dst = softmax(scale * queries keys^T + mask) values, over the last two dimensions; without a
/// mask its descriptor is zero.
struct attention_desc {
    static const primitive_facts<attention_desc> facts;
    bool operator==(const attention_desc &) const = default;
    memory_desc queries {}, keys {}, values {}, mask {}, dst {};
    float scale = 1;
    bool causal = false;
};

/// Max pooling has a workspace, which forward_training writes and the backward pass reads.
struct pooling_desc {
    static const primitive_facts<pooling_desc> facts;
    bool operator==(const pooling_desc &) const = default;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    memory_desc src {}, dst {}, workspace {};
    dims_t strides {}, kernel {}, dilates {}, padding_l {}, padding_r {};
};

/// Backward, `data` is src, or dst for the *_use_dst_for_bwd kinds.
struct eltwise_desc {
    static const primitive_facts<eltwise_desc> facts;
    bool operator==(const eltwise_desc &) const = default;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    memory_desc src {}, dst {}, data {};
    float alpha = 0, beta = 0;
    /// Backward reads dst in place of src.
    bool uses_dst() const { return alg >= dnnl_eltwise_relu_use_dst_for_bwd; }
};

/// src2 is used by select only.
struct binary_desc {
    static const primitive_facts<binary_desc> facts;
    bool operator==(const binary_desc &) const = default;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    memory_desc src0 {}, src1 {}, src2 {}, dst {};
};

/// Backward, `data` is the forward dst.
struct softmax_desc {
    static const primitive_facts<softmax_desc> facts;
    bool operator==(const softmax_desc &) const = default;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    memory_desc src {}, dst {}, data {};
    int axis = 0;
};

/// What the three normalizations share: dst = scale * (src - mean) / sqrt(variance + epsilon) +
/// shift. Backward, `data` is the forward src.
struct normalization_desc {
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    unsigned flags = 0; ///< dnnl_normalization_flags_t
    float epsilon = 0;
    memory_desc src {}, dst {}, data {};
    memory_desc statistics {};                       ///< of the mean and of the variance, f32
    memory_desc scale_shift {}, diff_scale_shift {}; ///< of each vector [C] that the flags ask for
    memory_desc workspace {}; ///< u8, as dst, 1 where a fused relu passed the value; training only
    bool operator==(const normalization_desc &) const = default;
    bool has(dnnl_normalization_flags_t flag) const { return (flags & flag) != 0; }
};
/// Statistics [C], over all other dimensions of (N, C, spatial...).
struct batch_normalization_desc : normalization_desc {
    static const primitive_facts<batch_normalization_desc> facts;
    bool operator==(const batch_normalization_desc &) const = default;
};
/// Statistics have the dims of src but the last one, over which they are taken.
struct layer_normalization_desc : normalization_desc {
    static const primitive_facts<layer_normalization_desc> facts;
    bool operator==(const layer_normalization_desc &) const = default;
};
/// Statistics [N, groups], over the C / groups channels of a group and space.
struct group_normalization_desc : normalization_desc {
    static const primitive_facts<group_normalization_desc> facts;
    bool operator==(const group_normalization_desc &) const = default;
    dim_t groups = 1;
};

/// `factors` are dst's extents divided by src's, one per spatial dimension.
struct resampling_desc {
    static const primitive_facts<resampling_desc> facts;
    bool operator==(const resampling_desc &) const = default;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    memory_desc src {}, dst {};
    std::array<float, 3> factors {};
};

/// Backward, dst is diff_dst, and src stays the forward src.
struct prelu_desc {
    static const primitive_facts<prelu_desc> facts;
    bool operator==(const prelu_desc &) const = default;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    memory_desc src {}, weights {}, dst {}, diff_src {}, diff_weights {};
};

/// The dimensions of extent 1 in dst alone are reduced. Only norms read p and epsilon.
struct reduction_desc {
    static const primitive_facts<reduction_desc> facts;
    bool operator==(const reduction_desc &) const = default;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    memory_desc src {}, dst {};
    float p = 0, epsilon = 0;
};

struct reorder_desc {
    static const primitive_facts<reorder_desc> facts;
    bool operator==(const reorder_desc &) const = default;
    memory_desc src {}, dst {};
};

struct sum_desc {
    static const primitive_facts<sum_desc> facts;
    bool operator==(const sum_desc &) const = default;
    std::vector<memory_desc> srcs {};
    std::vector<float> scales {};
    memory_desc dst {};
};

struct concat_desc {
    static const primitive_facts<concat_desc> facts;
    bool operator==(const concat_desc &) const = default;
    std::vector<memory_desc> srcs {};
    memory_desc dst {};
    int axis = 0;
};

/// The tensors of recurrent networks; their dims are in common/descriptors/rnn.hpp.
enum class rnn_tensor {
    src_layer,
    src_iter,
    src_iter_c,
    attention,
    weights_layer,
    weights_iter,
    weights_peephole,
    weights_projection,
    bias,
    dst_layer,
    dst_iter,
    dst_iter_c
};
inline constexpr std::size_t rnn_tensor_count = 12;
/// The place of a tensor in lists that have all of them.
constexpr std::size_t operator+(rnn_tensor t) { return std::size_t(t); }

/// The descriptor of all cells and directions. The lists are indexed by rnn_tensor; a zero
/// descriptor stands for an absent tensor. `diffs`, which backward alone has, are the gradients
/// with respect to each tensor.
struct rnn_desc {
    static const primitive_facts<rnn_desc> facts;
    bool operator==(const rnn_desc &) const = default;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    dnnl_alg_kind_t cell_kind = dnnl_alg_kind_undef;
    dnnl_alg_kind_t activation = dnnl_alg_kind_undef; ///< of the vanilla cell
    dnnl_rnn_direction_t direction = dnnl_rnn_direction_undef;
    unsigned flags = dnnl_rnn_flags_undef;
    float alpha = 0, beta = 0;
    std::vector<memory_desc> tensors {}, diffs {};
    memory_desc workspace {}; ///< training and backward: 1-D, u8

    const memory_desc &md(rnn_tensor t) const { return tensors[+t]; }
    memory_desc &md(rnn_tensor t) { return tensors[+t]; }
    const memory_desc &diff(rnn_tensor t) const { return diffs[+t]; }
    memory_desc &diff(rnn_tensor t) { return diffs[+t]; }
    bool has(rnn_tensor t) const { return !md(t).is_zero(); }
};

struct shuffle_desc {
    static const primitive_facts<shuffle_desc> facts;
    bool operator==(const shuffle_desc &) const = default;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    memory_desc src {}, dst {};
    int axis = 0;
    dim_t group_size = 1; ///< divides the extent of the axis
};

/// Backward, `data` is the forward src.
struct lrn_desc {
    static const primitive_facts<lrn_desc> facts;
    bool operator==(const lrn_desc &) const = default;
    dnnl_prop_kind_t prop = dnnl_prop_kind_undef;
    dnnl_alg_kind_t alg = dnnl_alg_kind_undef;
    memory_desc src {}, dst {}, data {};
    dim_t local_size = 1;
    float alpha = 0, beta = 0, k = 0;
};

using op_desc = std::variant<convolution_desc, deconvolution_desc, inner_product_desc, matmul_desc,
    pooling_desc, eltwise_desc, binary_desc, softmax_desc, batch_normalization_desc,
    layer_normalization_desc, group_normalization_desc, prelu_desc, resampling_desc, reduction_desc,
    reorder_desc, sum_desc, concat_desc, rnn_desc, shuffle_desc, lrn_desc, attention_desc>;

/// forward_training or forward_inference.
constexpr bool is_forward(dnnl_prop_kind_t prop) {
    return prop == dnnl_forward_training || prop == dnnl_forward_inference;
}

/// dnnl_prop_kind_undef for primitives without propagation kinds.
template <class Desc> dnnl_prop_kind_t prop_of(const Desc &desc) {
    if constexpr (requires { desc.prop; })
        return desc.prop;
    else
        return dnnl_prop_kind_undef;
}
dnnl_prop_kind_t prop_of(const op_desc &op);
/// True for a forward pass, and for primitives without propagation kinds.
template <class Desc> bool runs_forward(const Desc &desc) {
    const dnnl_prop_kind_t prop = prop_of(desc);
    return prop == dnnl_prop_kind_undef || is_forward(prop);
}

dnnl_primitive_kind_t kind_of(const op_desc &op);

/// One tensor of an operation as execute() names it.
struct tensor_argument {
    int arg; ///< DNNL_ARG_*
    memory_desc *md;
    bool is_output;
};

/// The tensors of an operation, inputs first; tensors that it lacks (zero descriptor) are left out.
/// The pointers point into `op`.
std::vector<tensor_argument> arguments_of(op_desc &op);

} // namespace dnnl::impl
