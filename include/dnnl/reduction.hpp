// SPDX-License-Identifier: Apache-2.0
// Reduction along dimensions.
// Specification: Reduction.

#ifndef ONEAPI_DNNL_REDUCTION_HPP
#define ONEAPI_DNNL_REDUCTION_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst = the maximum, minimum, sum, product, mean or norm of src over the dimensions in which dst
/// has extent 1; the formulas are with the enumerators of algorithm.
/// Shapes: src and dst with the same number of dimensions; each extent of dst is that of src or 1.
/// Arguments: SRC, DST. Specification: Reduction.
struct reduction : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the reduction; p >= 1 and eps are read by norms only. dst may be `any`.
        /// Throws invalid_arguments if shapes disagree or nothing is reduced, unimplemented if no
        /// implementation takes it.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
            const memory::desc &dst_desc, float p, float eps,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_reduction_primitive_desc_create(&created,
                aengine.get(), convert_to_c(aalgorithm), src_desc.get(), dst_desc.get(), p, eps,
                detail::to_c(attr));
            adopt(status, created, allow_empty, "no primitive descriptor for reduction");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::reduction) {}
    };

    /// An empty primitive.
    reduction() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    reduction(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    reduction(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
