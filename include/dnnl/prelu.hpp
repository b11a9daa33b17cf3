// SPDX-License-Identifier: Apache-2.0
// PReLU, a leaky ReLU with trained slopes: forward and backward.
// Specification: PReLU.

#ifndef ONEAPI_DNNL_PRELU_HPP
#define ONEAPI_DNNL_PRELU_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst = src > 0 ? src : src * weights.
/// Shapes: src and dst alike; weights have the same number of dimensions, each that of src or 1.
/// Arguments: SRC, WEIGHTS, DST. Specification: PReLU, Forward.
struct prelu_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the operation. weights and dst may be `any`. aprop_kind: forward_training or
        /// forward_inference.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
            const memory::desc &weight_desc, const memory::desc &dst_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_prelu_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), src_desc.get(), weight_desc.get(),
                dst_desc.get(), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for prelu, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::prelu,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    prelu_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    prelu_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    prelu_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src = src > 0 ? diff_dst : diff_dst * weights; diff_weights = sum of min(src, 0) *
/// diff_dst over the dimensions in which weights have extent 1.
/// Shapes as in prelu_forward. Arguments: SRC, WEIGHTS, DIFF_DST, DIFF_SRC, DIFF_WEIGHTS.
/// Specification: PReLU, Backward.
struct prelu_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients of src and weights. hint_fwd_pd may be empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
            const memory::desc &weight_desc, const memory::desc &diff_src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_dst_desc,
            const prelu_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status =
                dnnl_prelu_backward_primitive_desc_create(&created, aengine.get(), src_desc.get(),
                    weight_desc.get(), diff_src_desc.get(), diff_weights_desc.get(),
                    diff_dst_desc.get(), hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for prelu, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::prelu, dnnl::prop_kind::backward) {}
    };

    /// An empty primitive.
    prelu_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    prelu_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    prelu_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
