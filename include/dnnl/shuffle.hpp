// SPDX-License-Identifier: Apache-2.0
// Shuffle of channels between groups: forward and backward.
// Specification: Shuffle.

#ifndef ONEAPI_DNNL_SHUFFLE_HPP
#define ONEAPI_DNNL_SHUFFLE_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// Along one axis of C elements in groups of G = group_size: dst(u + v C/G) = src(u G + v), that
/// is, a transposition of the axis read as a matrix of C/G rows and G columns.
/// Shapes: src and dst alike. Arguments: SRC, DST. Specification: Shuffle, Forward.
struct shuffle_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the shuffle along dimension `axis`, counted from 0. dst may be `any`.
        /// aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree or group_size does not divide the axis,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
            const memory::desc &dst_desc, int axis, int group_size,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_shuffle_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), src_desc.get(), dst_desc.get(), axis,
                group_size, detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for shuffle, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::shuffle,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    shuffle_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    shuffle_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    shuffle_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// The inverse of shuffle_forward: diff_src(u G + v) = diff_dst(u + v C/G).
/// Arguments: DIFF_DST, DIFF_SRC. Specification: Shuffle, Backward.
struct shuffle_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradient of src, with the parameters of the forward pass. hint_fwd_pd may
        /// be empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, const memory::desc &diff_src_desc,
            const memory::desc &diff_dst_desc, int axis, int group_size,
            const shuffle_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_shuffle_backward_primitive_desc_create(&created,
                aengine.get(), diff_src_desc.get(), diff_dst_desc.get(), axis, group_size,
                hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for shuffle, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                  pd, dnnl::primitive::kind::shuffle, dnnl::prop_kind::backward_data) {}
    };

    /// An empty primitive.
    shuffle_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    shuffle_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    shuffle_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
