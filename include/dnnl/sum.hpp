// SPDX-License-Identifier: Apache-2.0
// Scaled sum of tensors.
// Specification: Sum.

#ifndef ONEAPI_DNNL_SUM_HPP
#define ONEAPI_DNNL_SUM_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst = sum over i of scales[i] * src_i for each element.
/// Shapes: alike; data types and layouts may differ. dst may be the memory of the first source.
/// Arguments: MULTIPLE_SRC + i, DST. Specification: Sum.
struct sum : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the sum. dst may be `any`.
        /// Throws invalid_arguments if there are not as many scales as sources, no source, or
        /// shapes disagree, unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, const memory::desc &dst,
            const std::vector<float> &scales, const std::vector<memory::desc> &srcs,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(aengine, dst.get(), scales, srcs, attr, allow_empty) {}

        /// The same; shape, type and layout of dst follow the sources.
        primitive_desc(const engine &aengine, const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
            : primitive_desc(aengine, nullptr, scales, srcs, attr, allow_empty) {}

        /// The argument order of the specification.
        primitive_desc(const memory::desc &dst, const std::vector<float> &scales,
            const std::vector<memory::desc> &srcs, const engine &aengine,
            const primitive_attr &attr = default_attr())
            : primitive_desc(aengine, dst.get(), scales, srcs, attr, false) {}
        primitive_desc(const std::vector<float> &scales, const std::vector<memory::desc> &srcs,
            const engine &aengine, const primitive_attr &attr = default_attr())
            : primitive_desc(aengine, nullptr, scales, srcs, attr, false) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc_base(pd, dnnl::primitive::kind::sum) {}

      private:
        primitive_desc(const engine &aengine, const_dnnl_memory_desc_t dst,
            const std::vector<float> &scales, const std::vector<memory::desc> &srcs,
            const primitive_attr &attr, bool allow_empty) {
            validate_container_size(srcs, "sum needs at least one source");
            const int count = static_cast<int>(srcs.size());
            validate_container_size(scales, "sum needs as many scales as sources", count, count);
            const std::vector<const_dnnl_memory_desc_t> c_srcs = convert_to_c(srcs);
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_sum_primitive_desc_create(&created, aengine.get(),
                dst, count, scales.data(), c_srcs.data(), detail::to_c(attr));
            adopt(status, created, allow_empty, "no primitive descriptor for sum");
        }
    };

    /// An empty primitive.
    sum() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    sum(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    sum(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
