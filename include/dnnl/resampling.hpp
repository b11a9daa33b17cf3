// SPDX-License-Identifier: Apache-2.0
// Resampling (change of image size): forward and backward.
// Specification: Resampling.

#ifndef ONEAPI_DNNL_RESAMPLING_HPP
#define ONEAPI_DNNL_RESAMPLING_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst(n, c, oh, ow) = src at the position ((oh + 0.5) IH / OH - 0.5, (ow + 0.5) IW / OW - 0.5):
/// the nearest element, or linear interpolation between its neighbours with positions clamped to
/// the image.
/// Shapes: src [MB, C, (ID, IH,) IW], dst [MB, C, (OD, OH,) OW]. Arguments: SRC, DST.
/// Specification: Resampling, Forward.
struct resampling_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares resampling to the extents of dst. dst may be `any`.
        /// aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &dst_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, nullptr, src_desc, dst_desc.get(),
                  attr, allow_empty) {}

        /// Prepares resampling by factors, one per spatial dimension: OH = floor(IH * FH). The
        /// layout and type of dst follow src. Errors as above.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const std::vector<float> &factors, const memory::desc &src_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, &factors, src_desc, nullptr, attr,
                  allow_empty) {}

        /// Prepares resampling to the extents of dst; factors only accompany them. Errors as above.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const std::vector<float> &factors, const memory::desc &src_desc,
            const memory::desc &dst_desc, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, &factors, src_desc, dst_desc.get(),
                  attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::resampling,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference) {}

      private:
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const std::vector<float> *factors, const memory::desc &src_desc,
            const_dnnl_memory_desc_t dst_desc, const primitive_attr &attr, bool allow_empty) {
            if (factors != nullptr) require_spatial(*factors, src_desc, "resampling: factors");
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_resampling_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(aalgorithm),
                factors != nullptr ? factors->data() : nullptr, src_desc.get(), dst_desc,
                detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for resampling, forward propagation");
        }
    };

    /// An empty primitive.
    resampling_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    resampling_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    resampling_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src = each diff_dst distributed over the elements that it was computed from, with the same
/// weights.
/// Shapes as in resampling_forward. Arguments: DIFF_DST, DIFF_SRC. Specification: Resampling,
/// Backward.
struct resampling_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradient of src between the extents of diff_src and diff_dst.
        /// hint_fwd_pd may be empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const resampling_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, nullptr, diff_src_desc, diff_dst_desc,
                  hint_fwd_pd, attr, allow_empty) {}

        /// As above; factors, one per spatial dimension, only accompany the extents.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const std::vector<float> &factors, const memory::desc &diff_src_desc,
            const memory::desc &diff_dst_desc,
            const resampling_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, &factors, diff_src_desc, diff_dst_desc,
                  hint_fwd_pd, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                  pd, dnnl::primitive::kind::resampling, dnnl::prop_kind::backward_data) {}

      private:
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const std::vector<float> *factors, const memory::desc &diff_src_desc,
            const memory::desc &diff_dst_desc,
            const resampling_forward::primitive_desc &hint_fwd_pd, const primitive_attr &attr,
            bool allow_empty) {
            if (factors != nullptr) require_spatial(*factors, diff_src_desc, "resampling: factors");
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_resampling_backward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aalgorithm),
                factors != nullptr ? factors->data() : nullptr, diff_src_desc.get(),
                diff_dst_desc.get(), hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for resampling, backward propagation");
        }
    };

    /// An empty primitive.
    resampling_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    resampling_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    resampling_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
