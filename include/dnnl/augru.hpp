// SPDX-License-Identifier: Apache-2.0
// Gated recurrent units with attention, plain and linear-before-reset: forward and backward.
// Specification: RNN.

#ifndef ONEAPI_DNNL_AUGRU_HPP
#define ONEAPI_DNNL_AUGRU_HPP

#include "dnnl/gru.hpp"

namespace dnnl {

/// As gru_forward, but h' = v * h + (1 - v) * o with v = (1 - a) * u, where a is the attention [T,
/// MB, 1]. One layer, unidirectional_left2right.
/// Shapes: see rnn_primitive_desc_base. Arguments: SRC_LAYER, SRC_ITER, AUGRU_ATTENTION,
/// WEIGHTS_LAYER, WEIGHTS_ITER, BIAS, DST_LAYER, DST_ITER; WORKSPACE in training. Specification:
/// RNN.
struct augru_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the forward pass. aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &attention_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status =
                dnnl_augru_forward_primitive_desc_create(&created, aengine.get(),
                    convert_to_c(aprop_kind), convert_to_c(direction), src_layer_desc.get(),
                    src_iter_desc.get(), attention_desc.get(), weights_layer_desc.get(),
                    weights_iter_desc.get(), bias_desc.get(), dst_layer_desc.get(),
                    dst_iter_desc.get(), dnnl_rnn_flags_undef, detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for AUGRU, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference,
                  dnnl::algorithm::vanilla_augru) {}

        /// Descriptor of the attention.
        memory::desc attention_desc() const { return augru_attention_desc(); }
    };

    /// An empty primitive.
    augru_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    augru_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    augru_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Gradients of augru_forward.
/// Arguments: those of the forward pass, WORKSPACE, and DIFF_ of each. Specification: RNN.
struct augru_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients of all inputs; the forward tensors are those of the training
        /// pass. aprop_kind: backward. hint_fwd_pd: a descriptor of augru_forward; the
        /// specification's type, that of gru_forward, is taken too.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &attention_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
            const memory::desc &diff_attention_desc, const memory::desc &diff_weights_layer_desc,
            const memory::desc &diff_weights_iter_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
            const rnn_primitive_desc_base &hint_fwd_pd, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_augru_backward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction),
                src_layer_desc.get(), src_iter_desc.get(), attention_desc.get(),
                weights_layer_desc.get(), weights_iter_desc.get(), bias_desc.get(),
                dst_layer_desc.get(), dst_iter_desc.get(), diff_src_layer_desc.get(),
                diff_src_iter_desc.get(), diff_attention_desc.get(), diff_weights_layer_desc.get(),
                diff_weights_iter_desc.get(), diff_bias_desc.get(), diff_dst_layer_desc.get(),
                diff_dst_iter_desc.get(), dnnl_rnn_flags_undef, hint_fwd_pd.get(true),
                detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for AUGRU, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn, dnnl::prop_kind::backward,
                  dnnl::prop_kind::undef, dnnl::algorithm::vanilla_augru) {}

        /// Descriptor of the attention.
        memory::desc attention_desc() const { return augru_attention_desc(); }
        /// Descriptor of the gradient of the attention.
        memory::desc diff_attention_desc() const { return diff_augru_attention_desc(); }
    };

    /// An empty primitive.
    augru_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    augru_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    augru_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// As lbr_gru_forward, but h' = v * h + (1 - v) * o with v = (1 - a) * u, where a is the attention
/// [T, MB, 1]. One layer, unidirectional_left2right.
/// Shapes: see rnn_primitive_desc_base. Arguments: SRC_LAYER, SRC_ITER, AUGRU_ATTENTION,
/// WEIGHTS_LAYER, WEIGHTS_ITER, BIAS, DST_LAYER, DST_ITER; WORKSPACE in training. Specification:
/// RNN.
struct lbr_augru_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the forward pass. aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &attention_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status =
                dnnl_lbr_augru_forward_primitive_desc_create(&created, aengine.get(),
                    convert_to_c(aprop_kind), convert_to_c(direction), src_layer_desc.get(),
                    src_iter_desc.get(), attention_desc.get(), weights_layer_desc.get(),
                    weights_iter_desc.get(), bias_desc.get(), dst_layer_desc.get(),
                    dst_iter_desc.get(), dnnl_rnn_flags_undef, detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for linear-before-reset AUGRU, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference,
                  dnnl::algorithm::lbr_augru) {}

        /// Descriptor of the attention.
        memory::desc attention_desc() const { return augru_attention_desc(); }
    };

    /// An empty primitive.
    lbr_augru_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    lbr_augru_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    lbr_augru_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// Gradients of lbr_augru_forward.
/// Arguments: those of the forward pass, WORKSPACE, and DIFF_ of each. Specification: RNN.
struct lbr_augru_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public rnn_primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients of all inputs; the forward tensors are those of the training
        /// pass. aprop_kind: backward. hint_fwd_pd: a descriptor of lbr_augru_forward; the
        /// specification's type, that of gru_forward, is taken too.
        /// Throws invalid_arguments if shapes disagree or a required tensor is missing,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &attention_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
            const memory::desc &diff_attention_desc, const memory::desc &diff_weights_layer_desc,
            const memory::desc &diff_weights_iter_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
            const rnn_primitive_desc_base &hint_fwd_pd, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_lbr_augru_backward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(direction),
                src_layer_desc.get(), src_iter_desc.get(), attention_desc.get(),
                weights_layer_desc.get(), weights_iter_desc.get(), bias_desc.get(),
                dst_layer_desc.get(), dst_iter_desc.get(), diff_src_layer_desc.get(),
                diff_src_iter_desc.get(), diff_attention_desc.get(), diff_weights_layer_desc.get(),
                diff_weights_iter_desc.get(), diff_bias_desc.get(), diff_dst_layer_desc.get(),
                diff_dst_iter_desc.get(), dnnl_rnn_flags_undef, hint_fwd_pd.get(true),
                detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for linear-before-reset AUGRU, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : rnn_primitive_desc_base(pd, dnnl::primitive::kind::rnn, dnnl::prop_kind::backward,
                  dnnl::prop_kind::undef, dnnl::algorithm::lbr_augru) {}

        /// Descriptor of the attention.
        memory::desc attention_desc() const { return augru_attention_desc(); }
        /// Descriptor of the gradient of the attention.
        memory::desc diff_attention_desc() const { return diff_augru_attention_desc(); }
    };

    /// An empty primitive.
    lbr_augru_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    lbr_augru_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    lbr_augru_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
