// SPDX-License-Identifier: Apache-2.0
// Concatenation of tensors.
// Specification: Concat.

#ifndef ONEAPI_DNNL_CONCAT_HPP
#define ONEAPI_DNNL_CONCAT_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst = the sources one after the other along one dimension.
/// Shapes: alike except along that dimension, where the extent of dst is the sum of those of the
/// sources; sources of one data type. Arguments: MULTIPLE_SRC + i, DST. Specification: Concat.
struct concat : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the concatenation along dimension `concat_dimension`, counted from 0. dst may
        /// be `any`. Throws invalid_arguments if there is no source or shapes disagree,
        /// unimplemented if no implementation takes it.
        primitive_desc(const engine &aengine, const memory::desc &dst, int concat_dimension,
            const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
            : primitive_desc(aengine, dst.get(), concat_dimension, srcs, attr, allow_empty) {}

        /// The same; shape, type and layout of dst follow the sources.
        primitive_desc(const engine &aengine, int concat_dimension,
            const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
            bool allow_empty = false)
            : primitive_desc(aengine, nullptr, concat_dimension, srcs, attr, allow_empty) {}

        /// The argument order of the specification.
        primitive_desc(const memory::desc &dst, int concat_dimension,
            const std::vector<memory::desc> &srcs, const engine &aengine,
            const primitive_attr &attr = default_attr())
            : primitive_desc(aengine, dst.get(), concat_dimension, srcs, attr, false) {}
        primitive_desc(int concat_dimension, const std::vector<memory::desc> &srcs,
            const engine &aengine, const primitive_attr &attr = default_attr())
            : primitive_desc(aengine, nullptr, concat_dimension, srcs, attr, false) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc_base(pd, dnnl::primitive::kind::concat) {}

      private:
        primitive_desc(const engine &aengine, const_dnnl_memory_desc_t dst, int concat_dimension,
            const std::vector<memory::desc> &srcs, const primitive_attr &attr, bool allow_empty) {
            validate_container_size(srcs, "concat needs at least one source");
            const std::vector<const_dnnl_memory_desc_t> c_srcs = convert_to_c(srcs);
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_concat_primitive_desc_create(&created, aengine.get(),
                dst, static_cast<int>(c_srcs.size()), concat_dimension, c_srcs.data(),
                detail::to_c(attr));
            adopt(status, created, allow_empty, "no primitive descriptor for concat");
        }
    };

    /// An empty primitive.
    concat() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    concat(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    concat(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}
};

} // namespace dnnl

#endif
