// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of two tensors.
// Specification: Binary.

#ifndef ONEAPI_DNNL_BINARY_HPP
#define ONEAPI_DNNL_BINARY_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst = op(src0, src1) for each element: arithmetic, or comparisons with the result 1 or 0.
/// Shapes: all with the same number of dimensions; each extent of a source is that of dst or 1.
/// dst may be the memory of src0. Arguments: SRC_0, SRC_1, (SRC_2,) DST. Specification: Binary.
struct binary : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares dst = op(src0, src1). src1 and dst may be `any`.
        /// Throws invalid_arguments if shapes disagree or the algorithm is binary_select,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src0,
            const memory::desc &src1, const memory::desc &dst,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_binary_primitive_desc_create(&created, aengine.get(),
                convert_to_c(aalgorithm), src0.get(), src1.get(), dst.get(), detail::to_c(attr));
            adopt(status, created, allow_empty, "no primitive descriptor for binary");
        }

        /// Prepares dst = src2 != 0 ? src0 : src1 (binary_select; src2 is s8 with the dimensions
        /// of dst or 1 in each place). Other algorithms ignore src2. Errors as above.
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src0,
            const memory::desc &src1, const memory::desc &src2, const memory::desc &dst,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_binary_primitive_desc_create_v2(&created,
                aengine.get(), convert_to_c(aalgorithm), src0.get(), src1.get(), src2.get(),
                dst.get(), detail::to_c(attr));
            adopt(status, created, allow_empty, "no primitive descriptor for binary");
        }

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc(pd, dnnl::primitive::kind::binary) {}

        /// Descriptor of the first source.
        memory::desc src0_desc() const { return src_desc(0); }
        /// Descriptor of the second source.
        memory::desc src1_desc() const { return src_desc(1); }
        /// Descriptor of the condition of binary_select.
        memory::desc src2_desc() const { return src_desc(2); }
    };

    /// An empty primitive.
    binary() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    binary(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    binary(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
