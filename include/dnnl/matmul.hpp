// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication.
// Specification: Matrix Multiplication.

#ifndef ONEAPI_DNNL_MATMUL_HPP
#define ONEAPI_DNNL_MATMUL_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst(b, m, n) = bias(b, m, n) + sum over k of src(b, m, k) * weights(b, k, n), for any number of
/// batch dimensions b.
/// Shapes: src [..., M, K], weights [..., K, N], bias and dst [..., M, N], all with the same
/// number of dimensions. Batch dimensions of src and weights, and all of bias, are those of dst or
/// 1. Extents may be DNNL_RUNTIME_DIM_VAL. One of src and weights may be sparse (CSR or COO,
/// indices of s32, two dimensions): the other tensors are row-major then, without bias or
/// attributes. Arguments: SRC, WEIGHTS, BIAS, DST. Specification: Matrix Multiplication.
struct matmul : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares dst = src * weights + bias. A zero bias_desc means no bias. `any` layouts are
        /// chosen here.
        /// Throws invalid_arguments if shapes disagree, unimplemented if no implementation takes
        /// it.
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
            const memory::desc &weights_desc, const memory::desc &bias_desc,
            const memory::desc &dst_desc, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status =
                dnnl_matmul_primitive_desc_create(&created, aengine.get(), src_desc.get(),
                    weights_desc.get(), bias_desc.get(), dst_desc.get(), detail::to_c(attr));
            adopt(status, created, allow_empty, "no primitive descriptor for matmul");
        }

        /// As above, without bias.
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
            const memory::desc &weights_desc, const memory::desc &dst_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(
                  aengine, src_desc, weights_desc, memory::desc(), dst_desc, attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::matmul) {}

        /// Descriptor of the bias; zero without one.
        memory::desc bias_desc() const { return weights_desc(1); }
    };

    /// An empty primitive.
    matmul() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    matmul(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    matmul(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
