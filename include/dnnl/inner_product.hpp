// SPDX-License-Identifier: Apache-2.0
// Inner product (fully connected layer): forward, backward by data, backward by weights.
// Specification: Inner Product.

#ifndef ONEAPI_DNNL_INNER_PRODUCT_HPP
#define ONEAPI_DNNL_INNER_PRODUCT_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst(n, oc) = bias(oc) + sum over ic (and space) of src(n, ic, ...) * weights(oc, ic, ...).
/// Shapes: src [MB, IC, (ID, IH, IW)], weights [OC, IC, (ID, IH, IW)], bias [OC], dst [MB, OC].
/// Arguments: SRC, WEIGHTS, BIAS, DST. Specification: Inner Product, Forward.
struct inner_product_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares dst = src * weights^T + bias. A zero bias_desc means no bias. `any` layouts
        /// are chosen here. aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
            const memory::desc &weights_desc, const memory::desc &bias_desc,
            const memory::desc &dst_desc, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_inner_product_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), src_desc.get(), weights_desc.get(),
                bias_desc.get(), dst_desc.get(), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for inner product, forward propagation");
        }

        /// As above, without bias.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
            const memory::desc &weights_desc, const memory::desc &dst_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, src_desc, weights_desc, memory::desc(), dst_desc,
                  attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::inner_product,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference) {}

        /// Descriptor of the bias; zero without one.
        memory::desc bias_desc() const { return weights_desc(1); }
    };

    /// An empty primitive.
    inner_product_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    inner_product_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    inner_product_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src(n, ic, ...) = sum over oc of diff_dst(n, oc) * weights(oc, ic, ...).
/// Shapes as in inner_product_forward. Arguments: DIFF_DST, WEIGHTS, DIFF_SRC. Specification:
/// Inner Product, Backward.
struct inner_product_backward_data : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradient of src. `any` layouts are chosen here. hint_fwd_pd may be empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, const memory::desc &diff_src_desc,
            const memory::desc &weights_desc, const memory::desc &diff_dst_desc,
            const inner_product_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_inner_product_backward_data_primitive_desc_create(
                &created, aengine.get(), diff_src_desc.get(), weights_desc.get(),
                diff_dst_desc.get(), hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for inner product, backward propagation of data");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                  pd, dnnl::primitive::kind::inner_product, dnnl::prop_kind::backward_data) {}
    };

    /// An empty primitive.
    inner_product_backward_data() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    inner_product_backward_data(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    inner_product_backward_data(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_weights(oc, ic, ...) = sum over n of diff_dst(n, oc) * src(n, ic, ...); diff_bias(oc) =
/// sum over n of diff_dst(n, oc).
/// Shapes as in inner_product_forward. Arguments: SRC, DIFF_DST, DIFF_WEIGHTS, DIFF_BIAS.
/// Specification: Inner Product, Weights Update.
struct inner_product_backward_weights : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients of weights and bias. A zero diff_bias_desc means no bias. `any`
        /// layouts are chosen here. hint_fwd_pd may be empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_desc,
            const inner_product_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status =
                dnnl_inner_product_backward_weights_primitive_desc_create(&created, aengine.get(),
                    src_desc.get(), diff_weights_desc.get(), diff_bias_desc.get(),
                    diff_dst_desc.get(), hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for inner product, backward propagation of weights");
        }

        /// As above, without bias.
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_dst_desc,
            const inner_product_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, src_desc, diff_weights_desc, memory::desc(), diff_dst_desc,
                  hint_fwd_pd, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                  pd, dnnl::primitive::kind::inner_product, dnnl::prop_kind::backward_weights) {}

        /// Descriptor of the bias gradient; zero without one.
        memory::desc diff_bias_desc() const { return diff_weights_desc(1); }
    };

    /// An empty primitive.
    inner_product_backward_weights() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    inner_product_backward_weights(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    inner_product_backward_weights(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
