// SPDX-License-Identifier: Apache-2.0
// Element-wise functions: forward and backward.
// Specification: Eltwise.

#ifndef ONEAPI_DNNL_ELTWISE_HPP
#define ONEAPI_DNNL_ELTWISE_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst = f(src) for each element; the formulas are with the enumerators of algorithm.
/// Shapes: src and dst alike, up to 12 dimensions; dst may be the memory of src. Arguments: SRC,
/// DST. Specification: Eltwise, Forward.
struct eltwise_forward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares dst = f(src) with the parameters alpha and beta of f. dst may be `any`.
        /// aprop_kind: forward_training or forward_inference.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &dst_desc, float alpha, float beta,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            const detail::c_eltwise f(aalgorithm, alpha, beta);
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_eltwise_forward_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aprop_kind), f.alg_kind, src_desc.get(), dst_desc.get(),
                f.alpha, f.beta, detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for eltwise, forward propagation");
        }

        /// As above, with beta = 0.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &dst_desc, float alpha,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, dst_desc, alpha, 0.f, attr,
                  allow_empty) {}

        /// As above, with alpha = 0 and beta = 0.
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &dst_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aprop_kind, aalgorithm, src_desc, dst_desc, 0.f, 0.f, attr,
                  allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::eltwise,
                  dnnl::prop_kind::forward_training, dnnl::prop_kind::forward_inference) {}
    };

    /// An empty primitive.
    eltwise_forward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    eltwise_forward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    eltwise_forward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

/// diff_src = f'(src) * diff_dst for each element; algorithms *_use_dst_for_bwd compute f' from
/// dst.
/// Shapes alike; diff_src may be the memory of diff_dst. Arguments: SRC (or DST), DIFF_DST,
/// DIFF_SRC. Specification: Eltwise, Backward.
struct eltwise_backward : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the gradient of src. data_desc describes src, or dst for *_use_dst_for_bwd.
        /// hint_fwd_pd may be empty.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::desc &data_desc, float alpha, float beta,
            const eltwise_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            const detail::c_eltwise f(aalgorithm, alpha, beta);
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_eltwise_backward_primitive_desc_create(&created,
                aengine.get(), f.alg_kind, diff_src_desc.get(), diff_dst_desc.get(),
                data_desc.get(), f.alpha, f.beta, hint_fwd_pd.get(true), detail::to_c(attr));
            adopt(status, created, allow_empty,
                "no primitive descriptor for eltwise, backward propagation");
        }

        /// As above, with beta = 0.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::desc &data_desc, float alpha,
            const eltwise_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src_desc, diff_dst_desc, data_desc, alpha,
                  0.f, hint_fwd_pd, attr, allow_empty) {}

        /// As above, with alpha = 0 and beta = 0.
        primitive_desc(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
            const memory::desc &data_desc, const eltwise_forward::primitive_desc &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, aalgorithm, diff_src_desc, diff_dst_desc, data_desc, 0.f, 0.f,
                  hint_fwd_pd, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(
                  pd, dnnl::primitive::kind::eltwise, dnnl::prop_kind::backward_data) {}
    };

    /// An empty primitive.
    eltwise_backward() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    eltwise_backward(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    eltwise_backward(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
