// SPDX-License-Identifier: Apache-2.0
// Pooling: forward and backward.
// Specification: Pooling.

#ifndef ONEAPI_DNNL_POOLING_HPP
#define ONEAPI_DNNL_POOLING_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst(n, c, oh, ow) = the maximum or the mean over kh, kw of src(n, c, oh SH + kh (DH + 1) - PH,
/// ow SW + kw (DW + 1) - PW). Padding never is the maximum; a mean counts it as 0, or leaves it
/// out (pooling_avg_exclude_padding).
/// Shapes: src [MB, C, (ID, IH,) IW], dst [MB, C, (OD, OH,) OW], with OH = (IH - ((KH - 1)(DH + 1)
/// + 1) + PH_L + PH_R) / SH + 1, rounded down.
/// Arguments: SRC, DST; WORKSPACE with pooling_max in training. Specification: Pooling, Forward.
struct pooling_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares pooling over a window of extents `kernel`. Strides, dilations (0 is dense) and
        /// paddings have one entry per spatial dimension, in elements. dst may be `any`.
        /// aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &dst_desc, const memory::dims &strides,
            const memory::dims &kernel, const memory::dims &dilation, const memory::dims &padding_l,
            const memory::dims &padding_r, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            require_spatial(strides, src_desc, "pooling: strides");
            require_spatial(kernel, src_desc, "pooling: kernel");
            require_spatial(dilation, src_desc, "pooling: dilation");
            require_spatial(padding_l, src_desc, "pooling: padding_l");
            require_spatial(padding_r, src_desc, "pooling: padding_r");
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_pooling_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(aalgorithm), src_desc.get(),
                dst_desc.get(), strides.data(), kernel.data(), dilation.data(), padding_l.data(),
                padding_r.data(), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for pooling, forward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::pooling,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    pooling_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    pooling_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    pooling_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src = each diff_dst sent to the element that was the maximum of its window, or divided
/// among all elements of its window; contributions are added.
/// Shapes as in pooling_forward. Arguments: DIFF_DST, DIFF_SRC; WORKSPACE with pooling_max.
/// Specification: Pooling, Backward.
struct pooling_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradient of src; the window is that of the forward pass. pooling_max needs
        /// hint_fwd_pd, a training descriptor, and throws invalid_arguments if it is empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::dims &strides, const memory::dims &kernel, const memory::dims &dilation,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const pooling_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            require_spatial(strides, diff_src_desc, "pooling: strides");
            require_spatial(kernel, diff_src_desc, "pooling: kernel");
            require_spatial(dilation, diff_src_desc, "pooling: dilation");
            require_spatial(padding_l, diff_src_desc, "pooling: padding_l");
            require_spatial(padding_r, diff_src_desc, "pooling: padding_r");
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_pooling_backward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aalgorithm), diff_src_desc.get(), diff_dst_desc.get(),
                strides.data(), kernel.data(), dilation.data(), padding_l.data(), padding_r.data(),
                hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for pooling, backward propagation");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                  pd, dnnl::primitive::kind::pooling, dnnl::prop_kind::backward_data) {}
    };

    /// An empty primitive.
    pooling_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    pooling_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    pooling_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
