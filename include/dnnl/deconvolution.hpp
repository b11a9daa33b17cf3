// SPDX-License-Identifier: Apache-2.0
// Deconvolution (transposed convolution): forward, backward by data, backward by weights.
// Specification: Convolution and Deconvolution.

#ifndef ONEAPI_DNNL_DECONVOLUTION_HPP
#define ONEAPI_DNNL_DECONVOLUTION_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst(n, oc, oh, ow) = bias(oc) + sum over ic, kh, kw and the ih, iw with oh = ih SH + kh (DH +
/// 1) - PH, ow = iw SW + kw (DW + 1) - PW of src(n, ic, ih, iw) * weights(oc, ic, kh, kw): the
/// backward-data pass of a convolution.
/// Shapes: src [MB, IC, (ID, IH,) IW], weights [(G,) OC/G, IC/G, (KD, KH,) KW], bias [OC], dst
/// [MB, OC, (OD, OH,) OW], with OH = (IH - 1) SH + (KH - 1)(DH + 1) + 1 - PH_L - PH_R.
/// Arguments: SRC, WEIGHTS, BIAS, DST. Specification: Convolution and Deconvolution, Forward.
struct deconvolution_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares dst = deconv(src, weights) + bias. Strides, dilations and paddings have one
        /// entry per spatial dimension, in elements; a dilation of 0 is dense. A zero bias_desc
        /// means no bias. `any` layouts are chosen here.
        /// aalgorithm: deconvolution_direct. aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &weights_desc,
            const memory::desc &bias_desc, const memory::desc &dst_desc,
            const memory::dims &strides, const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            require_spatial(strides, src_desc, "deconvolution: strides");
            require_spatial(dilates, src_desc, "deconvolution: dilates");
            require_spatial(padding_l, src_desc, "deconvolution: padding_l");
            require_spatial(padding_r, src_desc, "deconvolution: padding_r");
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_deconvolution_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), convert_to_c(aalgorithm), src_desc.get(),
                weights_desc.get(), bias_desc.get(), dst_desc.get(), strides.data(), dilates.data(),
                padding_l.data(), padding_r.data(), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for deconvolution, forward propagation");
        }

        /// As above, with a dense window.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &weights_desc,
            const memory::desc &bias_desc, const memory::desc &dst_desc,
            const memory::dims &strides, const memory::dims &padding_l,
            const memory::dims &padding_r, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, weights_desc, bias_desc,
                  dst_desc, strides, memory::dims(strides.size()), padding_l, padding_r, attr,
                  allow_empty) {}

        /// As above, without bias.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &weights_desc,
            const memory::desc &dst_desc, const memory::dims &strides, const memory::dims &dilates,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, weights_desc,
                  memory::desc(), dst_desc, strides, dilates, padding_l, padding_r, attr,
                  allow_empty) {}

        /// As above, without bias and with a dense window.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &weights_desc,
            const memory::desc &dst_desc, const memory::dims &strides,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, weights_desc,
                  memory::desc(), dst_desc, strides, memory::dims(strides.size()), padding_l,
                  padding_r, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::deconvolution,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference) {}

        /// Descriptor of the bias; zero without one.
        memory::desc bias_desc() const { return weights_desc(1); }
    };

    /// An empty primitive.
    deconvolution_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    deconvolution_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    deconvolution_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src = the convolution of diff_dst with weights.
/// Shapes as in deconvolution_forward. Arguments: DIFF_DST, WEIGHTS, DIFF_SRC. Specification:
/// Convolution and Deconvolution, Backward.
struct deconvolution_backward_data : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradient of src. Strides, dilations and paddings have one entry per
        /// spatial dimension, in elements; a dilation of 0 is dense. `any` layouts are chosen
        /// here. hint_fwd_pd may be empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &weights_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides,
            const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const deconvolution_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            require_spatial(strides, diff_src_desc, "deconvolution: strides");
            require_spatial(dilates, diff_src_desc, "deconvolution: dilates");
            require_spatial(padding_l, diff_src_desc, "deconvolution: padding_l");
            require_spatial(padding_r, diff_src_desc, "deconvolution: padding_r");
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_deconvolution_backward_data_primitive_desc_create(
                &created, aengine.get(), convert_to_c(aalgorithm), diff_src_desc.get(),
                weights_desc.get(), diff_dst_desc.get(), strides.data(), dilates.data(),
                padding_l.data(), padding_r.data(), hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for deconvolution, backward propagation of data");
        }

        /// As above, with a dense window.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &weights_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const deconvolution_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src_desc, weights_desc, diff_dst_desc,
                  strides, memory::dims(strides.size()), padding_l, padding_r, hint_fwd_pd, attr,
                  allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                  pd, dnnl::primitive::kind::deconvolution, dnnl::prop_kind::backward_data) {}
    };

    /// An empty primitive.
    deconvolution_backward_data() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    deconvolution_backward_data(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    deconvolution_backward_data(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_weights(oc, ic, kh, kw) = sum of src * diff_dst over the pairs that weights(oc, ic, kh,
/// kw) joins; diff_bias(oc) = sum over n, oh, ow of diff_dst(n, oc, oh, ow).
/// Shapes as in deconvolution_forward. Arguments: SRC, DIFF_DST, DIFF_WEIGHTS, DIFF_BIAS.
/// Specification: Convolution and Deconvolution, Weights Update.
struct deconvolution_backward_weights : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradients of weights and bias. Strides, dilations and paddings have one
        /// entry per spatial dimension, in elements; a dilation of 0 is dense. A zero
        /// diff_bias_desc means no bias. `any` layouts are chosen here. hint_fwd_pd may be empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides,
            const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const deconvolution_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            require_spatial(strides, src_desc, "deconvolution: strides");
            require_spatial(dilates, src_desc, "deconvolution: dilates");
            require_spatial(padding_l, src_desc, "deconvolution: padding_l");
            require_spatial(padding_r, src_desc, "deconvolution: padding_r");
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status =
                dnnl_deconvolution_backward_weights_primitive_desc_create(&created, aengine.get(),
                    convert_to_c(aalgorithm), src_desc.get(), diff_weights_desc.get(),
                    diff_bias_desc.get(), diff_dst_desc.get(), strides.data(), dilates.data(),
                    padding_l.data(), padding_r.data(), hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for deconvolution, backward propagation of weights");
        }

        /// As above, with a dense window.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const deconvolution_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, src_desc, diff_weights_desc, diff_bias_desc,
                  diff_dst_desc, strides, memory::dims(strides.size()), padding_l, padding_r,
                  hint_fwd_pd, attr, allow_empty) {}

        /// As above, without bias.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_dst_desc,
            const memory::dims &strides, const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const deconvolution_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, src_desc, diff_weights_desc, memory::desc(),
                  diff_dst_desc, strides, dilates, padding_l, padding_r, hint_fwd_pd, attr,
                  allow_empty) {}

        /// As above, without bias and with a dense window.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_dst_desc,
            const memory::dims &strides, const memory::dims &padding_l,
            const memory::dims &padding_r, const deconvolution_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, src_desc, diff_weights_desc, memory::desc(),
                  diff_dst_desc, strides, memory::dims(strides.size()), padding_l, padding_r,
                  hint_fwd_pd, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                  pd, dnnl::primitive::kind::deconvolution, dnnl::prop_kind::backward_weights) {}

        /// Descriptor of the bias gradient; zero without one.
        memory::desc diff_bias_desc() const { return diff_weights_desc(1); }
    };

    /// An empty primitive.
    deconvolution_backward_weights() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    deconvolution_backward_weights(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    deconvolution_backward_weights(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
