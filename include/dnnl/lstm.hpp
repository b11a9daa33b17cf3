// SPDX-License-Identifier: Apache-2.0
// Long short-term memory: forward and backward.
// Specification: RNN.

#ifndef ONEAPI_DNNL_LSTM_HPP
#define ONEAPI_DNNL_LSTM_HPP

#include "dnnl/rnn.hpp"

namespace dnnl {

/// With s the logistic function, * element-wise and z_g = W_g x + U_g h + b_g: i = s(z_i + P_i *
/// c), f = s(z_f + P_f * c), c' = f * c + i * tanh(z_c), o = s(z_o + P_o * c'), h' = o * tanh(c'),
/// then h' R with a projection. G = 4 in the order i, f, c, o; P is weights_peephole [L, D, 3,
/// DHC] in the order i, f, o, R is weights_projection [L, D, DHC, DIC].
/// Shapes: see rnn_primitive_desc_base. Arguments: SRC_LAYER, SRC_ITER, SRC_ITER_C, WEIGHTS_LAYER,
/// WEIGHTS_ITER, WEIGHTS_PEEPHOLE, WEIGHTS_PROJECTION, BIAS, DST_LAYER, DST_ITER, DST_ITER_C;
/// WORKSPACE in training. Specification: RNN.
struct lstm_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the forward pass. aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
            const memory::desc &weights_projection_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const memory::desc &dst_iter_c_desc, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_lstm_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction),
                src_layer_desc.get(), src_iter_desc.get(), src_iter_c_desc.get(),
                weights_layer_desc.get(), weights_iter_desc.get(), weights_peephole_desc.get(),
                weights_projection_desc.get(), bias_desc.get(), dst_layer_desc.get(),
                dst_iter_desc.get(), dst_iter_c_desc.get(), dnnl_rnn_flags_undef,
                detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for LSTM, forward propagation");
        }

        /// As above, without projection.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
            const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
            const memory::desc &dst_iter_desc, const memory::desc &dst_iter_c_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, direction, src_layer_desc, src_iter_desc,
                  src_iter_c_desc, weights_layer_desc, weights_iter_desc, weights_peephole_desc,
                  memory::desc(), bias_desc, dst_layer_desc, dst_iter_desc, dst_iter_c_desc, attr,
                  allow_empty) {}

        /// As above, without peephole connections and projection.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const memory::desc &dst_iter_c_desc, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, direction, src_layer_desc, src_iter_desc,
                  src_iter_c_desc, weights_layer_desc, weights_iter_desc, memory::desc(),
                  memory::desc(), bias_desc, dst_layer_desc, dst_iter_desc, dst_iter_c_desc, attr,
                  allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference,
                  dnnl::algorithm::vanilla_lstm) {}
    };

    /// An empty primitive.
    lstm_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    lstm_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    lstm_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Gradients of lstm_forward.
/// Arguments: those of the forward pass, WORKSPACE, and DIFF_ of each. Specification: RNN.
struct lstm_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients of all inputs; the forward tensors are those of the training
        /// pass. aprop_kind: backward. hint_fwd_pd: a descriptor of lstm_forward.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
            const memory::desc &weights_projection_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const memory::desc &dst_iter_c_desc, const memory::desc &diff_src_layer_desc,
            const memory::desc &diff_src_iter_desc, const memory::desc &diff_src_iter_c_desc,
            const memory::desc &diff_weights_layer_desc, const memory::desc &diff_weights_iter_desc,
            const memory::desc &diff_weights_peephole_desc,
            const memory::desc &diff_weights_projection_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
            const memory::desc &diff_dst_iter_c_desc,
            const lstm_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_lstm_backward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction),
                src_layer_desc.get(), src_iter_desc.get(), src_iter_c_desc.get(),
                weights_layer_desc.get(), weights_iter_desc.get(), weights_peephole_desc.get(),
                weights_projection_desc.get(), bias_desc.get(), dst_layer_desc.get(),
                dst_iter_desc.get(), dst_iter_c_desc.get(), diff_src_layer_desc.get(),
                diff_src_iter_desc.get(), diff_src_iter_c_desc.get(), diff_weights_layer_desc.get(),
                diff_weights_iter_desc.get(), diff_weights_peephole_desc.get(),
                diff_weights_projection_desc.get(), diff_bias_desc.get(), diff_dst_layer_desc.get(),
                diff_dst_iter_desc.get(), diff_dst_iter_c_desc.get(), dnnl_rnn_flags_undef,
                hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for LSTM, backward propagation");
        }

        /// As above, without projection.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
            const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
            const memory::desc &dst_iter_desc, const memory::desc &dst_iter_c_desc,
            const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
            const memory::desc &diff_src_iter_c_desc, const memory::desc &diff_weights_layer_desc,
            const memory::desc &diff_weights_iter_desc,
            const memory::desc &diff_weights_peephole_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
            const memory::desc &diff_dst_iter_c_desc,
            const lstm_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, direction, src_layer_desc, src_iter_desc,
                  src_iter_c_desc, weights_layer_desc, weights_iter_desc, weights_peephole_desc,
                  memory::desc(), bias_desc, dst_layer_desc, dst_iter_desc, dst_iter_c_desc,
                  diff_src_layer_desc, diff_src_iter_desc, diff_src_iter_c_desc,
                  diff_weights_layer_desc, diff_weights_iter_desc, diff_weights_peephole_desc,
                  memory::desc(), diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc,
                  diff_dst_iter_c_desc, hint_fwd_pd, attr, allow_empty) {}

        /// As above, without peephole connections and projection.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const memory::desc &dst_iter_c_desc, const memory::desc &diff_src_layer_desc,
            const memory::desc &diff_src_iter_desc, const memory::desc &diff_src_iter_c_desc,
            const memory::desc &diff_weights_layer_desc, const memory::desc &diff_weights_iter_desc,
            const memory::desc &diff_bias_desc, const memory::desc &diff_dst_layer_desc,
            const memory::desc &diff_dst_iter_desc, const memory::desc &diff_dst_iter_c_desc,
            const lstm_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, direction, src_layer_desc, src_iter_desc,
                  src_iter_c_desc, weights_layer_desc, weights_iter_desc, memory::desc(),
                  memory::desc(), bias_desc, dst_layer_desc, dst_iter_desc, dst_iter_c_desc,
                  diff_src_layer_desc, diff_src_iter_desc, diff_src_iter_c_desc,
                  diff_weights_layer_desc, diff_weights_iter_desc, memory::desc(), memory::desc(),
                  diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc, diff_dst_iter_c_desc,
                  hint_fwd_pd, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn, dnnl::prop_kind::backward,
                  dnnl::prop_kind::undef, dnnl::algorithm::vanilla_lstm) {}
    };

    /// An empty primitive.
    lstm_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    lstm_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    lstm_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
