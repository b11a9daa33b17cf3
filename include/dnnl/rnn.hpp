// SPDX-License-Identifier: Apache-2.0
// The base of RNN descriptors, and the vanilla RNN: forward and backward.
// Specification: RNN.

#ifndef ONEAPI_DNNL_RNN_HPP
#define ONEAPI_DNNL_RNN_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// What the descriptors of all RNN primitives can be asked: their tensors, beside what
/// primitive_desc_base offers. A tensor that the primitive does not have gives the zero descriptor.
/// Letters: T time steps, MB batch, L layers, D directions (1 or 2), SLC and SIC channels of the
/// layer input and of the hidden state that is given, G gates, DHC channels of the cell state, DIC
/// channels of the hidden state that a cell leaves: DHC, unless a projection changes it.
/// Shapes: src_layer [T, MB, SLC], src_iter [L, D, MB, SIC], src_iter_c [L, D, MB, DHC],
/// weights_layer [L, D, SLC, G, DHC], weights_iter [L, D, SIC, G, DHC], bias [L, D, G, DHC] (4 in
/// place of G where a GRU is linear before reset),
/// dst_layer [T, MB, DIC] (bidirectional_concat: [T, MB, 2 DIC]), dst_iter [L, D, MB, DIC],
/// dst_iter_c [L, D, MB, DHC]. Gradients have the shape of what they are the gradient of.
///
/// The directions are independent: in each of them the second and later layers read what the layer
/// before left in the same direction, [T, MB, DIC]. Only dst_layer, behind the last layer, has
/// both, their sum or one beside the other. All layers share one weights tensor, so that several
/// layers need SLC = DIC, whatever the direction. Several steps need SIC = DIC, since a step hands
/// its state to the next one; one step alone, that of a decoder, takes states of any SIC. A GRU
/// mixes the given state into the new one: SIC = DHC. Nothing else ties SIC, and nothing ties it to
/// SLC.
///
/// Weights may be `any`; a zero descriptor of an optional tensor leaves it out: src_iter and
/// src_iter_c (then 0), bias (0), dst_iter and dst_iter_c. An LSTM takes src_iter and src_iter_c
/// both or neither, likewise dst_iter and dst_iter_c. Weight gradients are added to what the
/// buffers hold.
///
/// 8-bit networks: set_rnn_data_qparams() and set_rnn_weights_qparams() of the attributes say what
/// integers stand for; a reorder with these attributes makes them from f32. Specification: RNN.
struct rnn_primitive_desc_base : public primitive_desc {
    using primitive_desc::primitive_desc;

    /// An empty descriptor.
    rnn_primitive_desc_base() = default;

    /// Descriptor of the input of the first layer.
    memory::desc src_layer_desc() const { return argument_desc(DNNL_ARG_SRC_LAYER); }
    /// Descriptor of the initial hidden state.
    memory::desc src_iter_desc() const { return argument_desc(DNNL_ARG_SRC_ITER); }
    /// Descriptor of the initial cell state.
    memory::desc src_iter_c_desc() const { return argument_desc(DNNL_ARG_SRC_ITER_C); }
    /// Descriptor of the attention.
    memory::desc augru_attention_desc() const { return argument_desc(DNNL_ARG_AUGRU_ATTENTION); }
    /// Descriptor of the weights of the layer input.
    memory::desc weights_layer_desc() const { return argument_desc(DNNL_ARG_WEIGHTS_LAYER); }
    /// Descriptor of the weights of the hidden state.
    memory::desc weights_iter_desc() const { return argument_desc(DNNL_ARG_WEIGHTS_ITER); }
    /// Descriptor of the peephole weights.
    memory::desc weights_peephole_desc() const { return argument_desc(DNNL_ARG_WEIGHTS_PEEPHOLE); }
    /// Descriptor of the projection weights.
    memory::desc weights_projection_desc() const {
        return argument_desc(DNNL_ARG_WEIGHTS_PROJECTION);
    }
    /// Descriptor of the bias.
    memory::desc bias_desc() const { return argument_desc(DNNL_ARG_BIAS); }
    /// Descriptor of the output of the last layer.
    memory::desc dst_layer_desc() const { return argument_desc(DNNL_ARG_DST_LAYER); }
    /// Descriptor of the final hidden state.
    memory::desc dst_iter_desc() const { return argument_desc(DNNL_ARG_DST_ITER); }
    /// Descriptor of the final cell state.
    memory::desc dst_iter_c_desc() const { return argument_desc(DNNL_ARG_DST_ITER_C); }

    /// Descriptors of the gradients.
    memory::desc diff_src_layer_desc() const { return argument_desc(DNNL_ARG_DIFF_SRC_LAYER); }
    memory::desc diff_src_iter_desc() const { return argument_desc(DNNL_ARG_DIFF_SRC_ITER); }
    memory::desc diff_src_iter_c_desc() const { return argument_desc(DNNL_ARG_DIFF_SRC_ITER_C); }
    memory::desc diff_augru_attention_desc() const {
        return argument_desc(DNNL_ARG_DIFF_AUGRU_ATTENTION);
    }
    memory::desc diff_weights_layer_desc() const {
        return argument_desc(DNNL_ARG_DIFF_WEIGHTS_LAYER);
    }
    memory::desc diff_weights_iter_desc() const {
        return argument_desc(DNNL_ARG_DIFF_WEIGHTS_ITER);
    }
    memory::desc diff_weights_peephole_desc() const {
        return argument_desc(DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE);
    }
    memory::desc diff_weights_projection_desc() const {
        return argument_desc(DNNL_ARG_DIFF_WEIGHTS_PROJECTION);
    }
    memory::desc diff_bias_desc() const { return argument_desc(DNNL_ARG_DIFF_BIAS); }
    memory::desc diff_dst_layer_desc() const { return argument_desc(DNNL_ARG_DIFF_DST_LAYER); }
    memory::desc diff_dst_iter_desc() const { return argument_desc(DNNL_ARG_DIFF_DST_ITER); }
    memory::desc diff_dst_iter_c_desc() const { return argument_desc(DNNL_ARG_DIFF_DST_ITER_C); }

  private:
    memory::desc argument_desc(int arg) const { return query_md(query::exec_arg_md, arg); }
};

/// h' = act(W x + U h + b) for each layer, direction and time step; x is the layer input, h the
/// hidden state, W and U are weights_layer and weights_iter. G = 1.
/// Shapes: see rnn_primitive_desc_base. Arguments: SRC_LAYER, SRC_ITER, WEIGHTS_LAYER,
/// WEIGHTS_ITER, BIAS, DST_LAYER, DST_ITER; WORKSPACE in training. Specification: RNN.
struct vanilla_rnn_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the forward pass. aprop_kind: forward_training or forward_inference.
        /// activation: eltwise_relu (slope alpha), eltwise_tanh or eltwise_logistic.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
            rnn_direction direction, const memory::desc &src_layer_desc,
            const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc, float alpha,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status =
                dnnl_vanilla_rnn_forward_primitive_desc_create(&created, aengine.get(),
                    convert_to_c(aprop_kind), convert_to_c(activation), convert_to_c(direction),
                    src_layer_desc.get(), src_iter_desc.get(), weights_layer_desc.get(),
                    weights_iter_desc.get(), bias_desc.get(), dst_layer_desc.get(),
                    dst_iter_desc.get(), dnnl_rnn_flags_undef, alpha, 0.f, detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for vanilla RNN, forward propagation");
        }

        /// As above, with alpha = 0.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
            rnn_direction direction, const memory::desc &src_layer_desc,
            const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, activation, direction, src_layer_desc,
                  src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc, dst_layer_desc,
                  dst_iter_desc, 0.f, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference,
                  dnnl::algorithm::vanilla_rnn) {}
    };

    /// An empty primitive.
    vanilla_rnn_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    vanilla_rnn_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    vanilla_rnn_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Gradients of vanilla_rnn_forward.
/// Arguments: those of the forward pass, WORKSPACE, and DIFF_ of each. Specification: RNN.
struct vanilla_rnn_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients of all inputs; the forward tensors are those of the training
        /// pass. aprop_kind: backward. hint_fwd_pd: a descriptor of vanilla_rnn_forward.
        /// activation: eltwise_relu (slope alpha), eltwise_tanh or eltwise_logistic.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
            rnn_direction direction, const memory::desc &src_layer_desc,
            const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
            const memory::desc &diff_weights_layer_desc, const memory::desc &diff_weights_iter_desc,
            const memory::desc &diff_bias_desc, const memory::desc &diff_dst_layer_desc,
            const memory::desc &diff_dst_iter_desc, float alpha,
            const vanilla_rnn_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status =
                dnnl_vanilla_rnn_backward_primitive_desc_create(&created, aengine.get(),
                    convert_to_c(aprop_kind), convert_to_c(activation), convert_to_c(direction),
                    src_layer_desc.get(), src_iter_desc.get(), weights_layer_desc.get(),
                    weights_iter_desc.get(), bias_desc.get(), dst_layer_desc.get(),
                    dst_iter_desc.get(), diff_src_layer_desc.get(), diff_src_iter_desc.get(),
                    diff_weights_layer_desc.get(), diff_weights_iter_desc.get(),
                    diff_bias_desc.get(), diff_dst_layer_desc.get(), diff_dst_iter_desc.get(),
                    dnnl_rnn_flags_undef, alpha, 0.f, hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for vanilla RNN, backward propagation");
        }

        /// As above, with alpha = 0.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
            rnn_direction direction, const memory::desc &src_layer_desc,
            const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
            const memory::desc &diff_weights_layer_desc, const memory::desc &diff_weights_iter_desc,
            const memory::desc &diff_bias_desc, const memory::desc &diff_dst_layer_desc,
            const memory::desc &diff_dst_iter_desc,
            const vanilla_rnn_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, activation, direction, src_layer_desc,
                  src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc, dst_layer_desc,
                  dst_iter_desc, diff_src_layer_desc, diff_src_iter_desc, diff_weights_layer_desc,
                  diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc,
                  0.f, hint_fwd_pd, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn, dnnl::prop_kind::backward,
                  dnnl::prop_kind::undef, dnnl::algorithm::vanilla_rnn) {}
    };

    /// An empty primitive.
    vanilla_rnn_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    vanilla_rnn_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    vanilla_rnn_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
