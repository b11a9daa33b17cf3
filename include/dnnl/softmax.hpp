// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax: forward and backward.
// Specification: Softmax.

#ifndef ONEAPI_DNNL_SOFTMAX_HPP
#define ONEAPI_DNNL_SOFTMAX_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// Along one axis, with max over that axis: dst = e^(src - max) / sum e^(src - max)
/// (softmax_accurate), or dst = (src - max) - ln sum e^(src - max) (softmax_log).
/// Shapes: src and dst alike. Arguments: SRC, DST. Specification: Softmax, Forward.
struct softmax_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares softmax along dimension `axis`, counted from 0. dst may be `any`. aprop_kind:
        /// forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree or there is no such axis, unimplemented if
        /// no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &dst_desc, int axis,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_softmax_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(aalgorithm), src_desc.get(),
                dst_desc.get(), axis, detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for softmax, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::softmax,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    softmax_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    softmax_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    softmax_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src = dst * (diff_dst - sum of dst * diff_dst) (softmax_accurate), or diff_dst - e^dst *
/// sum of diff_dst (softmax_log), sums along the axis.
/// Shapes as in softmax_forward. Arguments: DST, DIFF_DST, DIFF_SRC. Specification: Softmax,
/// Backward.
struct softmax_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradient of src. diff_src and diff_dst may be `any`. hint_fwd_pd may be
        /// empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::desc &dst_desc, int axis,
            const softmax_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_softmax_backward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aalgorithm), diff_src_desc.get(), diff_dst_desc.get(),
                dst_desc.get(), axis, hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for softmax, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                  pd, dnnl::primitive::kind::softmax, dnnl::prop_kind::backward_data) {}
    };

    /// An empty primitive.
    softmax_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    softmax_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    softmax_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
