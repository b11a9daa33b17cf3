// SPDX-License-Identifier: Apache-2.0
// Local response normalization: forward and backward.
// Specification: Local Response Normalization.

#ifndef ONEAPI_DNNL_LRN_HPP
#define ONEAPI_DNNL_LRN_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst = src * (k + alpha / n * sum of src^2 over a window)^(-beta). The window holds local_size
/// channels around the element (lrn_across_channels, n = local_size) or local_size elements in
/// each spatial dimension (lrn_within_channel, n = their product).
/// Shapes: src and dst [MB, C, (D, H, W)]. Arguments: SRC, DST; WORKSPACE in training.
/// Specification: Local Response Normalization, Forward.
struct lrn_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the normalization; local_size in elements. dst may be `any`. aprop_kind:
        /// forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &dst_desc, memory::dim local_size,
            float alpha, float beta, float k, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_lrn_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(aalgorithm), src_desc.get(),
                dst_desc.get(), local_size, alpha, beta, k, detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for LRN, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::lrn,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    lrn_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    lrn_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    lrn_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src of lrn_forward from diff_dst and src.
/// Shapes as in lrn_forward. Arguments: SRC, DIFF_DST, DIFF_SRC; WORKSPACE. Specification: Local
/// Response Normalization, Backward.
struct lrn_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradient of src, with the parameters of the forward pass.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::desc &src_desc, memory::dim local_size, float alpha, float beta, float k,
            const lrn_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_lrn_backward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aalgorithm), diff_src_desc.get(), diff_dst_desc.get(),
                src_desc.get(), local_size, alpha, beta, k, hint_fwd_pd.get(true),
                detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for LRN, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::lrn, dnnl::prop_kind::backward_data) {
        }
    };

    /// An empty primitive.
    lrn_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    lrn_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    lrn_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
