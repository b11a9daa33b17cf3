// SPDX-License-Identifier: Apache-2.0
// Gated recurrent units, plain and linear-before-reset: forward and backward.
// Specification: RNN.

#ifndef ONEAPI_DNNL_GRU_HPP
#define ONEAPI_DNNL_GRU_HPP

#include "dnnl/rnn.hpp"

namespace dnnl {

/// With s the logistic function, * element-wise: u = s(W_u x + U_u h + b_u), r = s(W_r x + U_r h +
/// b_r), o = tanh(W_o x + U_o (r * h) + b_o), h' = u * h + (1 - u) * o. G = 3 in the order u, r,
/// o.
/// Shapes: see rnn_primitive_desc_base. Arguments: SRC_LAYER, SRC_ITER, WEIGHTS_LAYER,
/// WEIGHTS_ITER, BIAS, DST_LAYER, DST_ITER; WORKSPACE in training. Specification: RNN.
struct gru_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the forward pass. aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &weights_layer_desc, const memory::desc &weights_iter_desc,
            const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
            const memory::desc &dst_iter_desc, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_gru_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction),
                src_layer_desc.get(), src_iter_desc.get(), weights_layer_desc.get(),
                weights_iter_desc.get(), bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(),
                dnnl_rnn_flags_undef, detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for GRU, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference,
                  dnnl::algorithm::vanilla_gru) {}
    };

    /// An empty primitive.
    gru_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    gru_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    gru_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Gradients of gru_forward.
/// Arguments: those of the forward pass, WORKSPACE, and DIFF_ of each. Specification: RNN.
struct gru_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients of all inputs; the forward tensors are those of the training
        /// pass. aprop_kind: backward. hint_fwd_pd: a descriptor of gru_forward.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &weights_layer_desc, const memory::desc &weights_iter_desc,
            const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
            const memory::desc &dst_iter_desc, const memory::desc &diff_src_layer_desc,
            const memory::desc &diff_src_iter_desc, const memory::desc &diff_weights_layer_desc,
            const memory::desc &diff_weights_iter_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
            const gru_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_gru_backward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction),
                src_layer_desc.get(), src_iter_desc.get(), weights_layer_desc.get(),
                weights_iter_desc.get(), bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(),
                diff_src_layer_desc.get(), diff_src_iter_desc.get(), diff_weights_layer_desc.get(),
                diff_weights_iter_desc.get(), diff_bias_desc.get(), diff_dst_layer_desc.get(),
                diff_dst_iter_desc.get(), dnnl_rnn_flags_undef, hint_fwd_pd.get(true),
                detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for GRU, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn, dnnl::prop_kind::backward,
                  dnnl::prop_kind::undef, dnnl::algorithm::vanilla_gru) {}
    };

    /// An empty primitive.
    gru_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    gru_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    gru_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// As gru_forward, but o = tanh(W_o x + r * (U_o h + b_u') + b_o). G = 3 in the order u, r, o; the
/// bias has a fourth gate, u'.
/// Shapes: see rnn_primitive_desc_base. Arguments: SRC_LAYER, SRC_ITER, WEIGHTS_LAYER,
/// WEIGHTS_ITER, BIAS, DST_LAYER, DST_ITER; WORKSPACE in training. Specification: RNN.
struct lbr_gru_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the forward pass. aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &weights_layer_desc, const memory::desc &weights_iter_desc,
            const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
            const memory::desc &dst_iter_desc, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_lbr_gru_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction),
                src_layer_desc.get(), src_iter_desc.get(), weights_layer_desc.get(),
                weights_iter_desc.get(), bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(),
                dnnl_rnn_flags_undef, detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for linear-before-reset GRU, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference,
                  dnnl::algorithm::lbr_gru) {}
    };

    /// An empty primitive.
    lbr_gru_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    lbr_gru_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    lbr_gru_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Gradients of lbr_gru_forward.
/// Arguments: those of the forward pass, WORKSPACE, and DIFF_ of each. Specification: RNN.
struct lbr_gru_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients of all inputs; the forward tensors are those of the training
        /// pass. aprop_kind: backward. hint_fwd_pd: a descriptor of lbr_gru_forward; the
        /// specification's type, that of gru_forward, is taken too.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &weights_layer_desc, const memory::desc &weights_iter_desc,
            const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
            const memory::desc &dst_iter_desc, const memory::desc &diff_src_layer_desc,
            const memory::desc &diff_src_iter_desc, const memory::desc &diff_weights_layer_desc,
            const memory::desc &diff_weights_iter_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
            const rnn_primitive_desc_base &hint_fwd_pd, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_lbr_gru_backward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction),
                src_layer_desc.get(), src_iter_desc.get(), weights_layer_desc.get(),
                weights_iter_desc.get(), bias_desc.get(), dst_layer_desc.get(), dst_iter_desc.get(),
                diff_src_layer_desc.get(), diff_src_iter_desc.get(), diff_weights_layer_desc.get(),
                diff_weights_iter_desc.get(), diff_bias_desc.get(), diff_dst_layer_desc.get(),
                diff_dst_iter_desc.get(), dnnl_rnn_flags_undef, hint_fwd_pd.get(true),
                detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for linear-before-reset GRU, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn, dnnl::prop_kind::backward,
                  dnnl::prop_kind::undef, dnnl::algorithm::lbr_gru) {}
    };

    /// An empty primitive.
    lbr_gru_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    lbr_gru_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    lbr_gru_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
