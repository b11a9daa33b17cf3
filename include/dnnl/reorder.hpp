// SPDX-License-Identifier: Apache-2.0
// Reorder: copies a tensor into another layout or data type.
// Specification: Reorder.

#ifndef ONEAPI_DNNL_REORDER_HPP
#define ONEAPI_DNNL_REORDER_HPP

#include "dnnl/primitive_desc.hpp"

namespace dnnl {

/// dst = src with the layout and data type of dst: converted, rounded half to even and saturated;
/// with attributes dst = (scale_src * (src - zero_point_src) + sum) / scale_dst + zero_point_dst.
/// Shapes: src and dst alike. Arguments: FROM, TO. Specification: Reorder.
struct reorder : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc_base {
        /// An empty descriptor.
        primitive_desc() = default;

        /// Prepares the copy from src_md on src_engine to dst_md on dst_engine. Neither layout may
        /// be `any`. Throws invalid_arguments if extents differ, unimplemented if no implementation
        /// takes it.
        primitive_desc(const engine &src_engine, const memory::desc &src_md,
            const engine &dst_engine, const memory::desc &dst_md,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_reorder_primitive_desc_create(&created, src_md.get(),
                src_engine.get(), dst_md.get(), dst_engine.get(), detail::to_c(attr));
            adopt(status, created, allow_empty, "no primitive descriptor for reorder");
        }

        /// The same with the descriptors and engines of two memories.
        primitive_desc(const memory &src, const memory &dst,
            const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(src.get_engine(), src.get_desc(), dst.get_engine(), dst.get_desc(),
                  attr, allow_empty) {}

        /// A copy of the C descriptor `pd`, or an empty one for null. Throws invalid_arguments if
        /// `pd` is of another operation.
        primitive_desc(dnnl_primitive_desc_t pd)
            : dnnl::primitive_desc_base(pd, dnnl::primitive::kind::reorder) {}

        /// The engine of src.
        engine get_src_engine() const { return query_engine(query::reorder_src_engine); }
        /// The engine of dst.
        engine get_dst_engine() const { return query_engine(query::reorder_dst_engine); }
    };

    /// An empty primitive.
    reorder() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    reorder(const primitive_desc &pd) : primitive(pd) {}
    /// The same from a cache blob. Throws unimplemented on the CPU.
    reorder(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
        : primitive(pd, cache_blob) {}

    /// The reorder between two memories. Errors as for its descriptor.
    reorder(const memory &src, const memory &dst, const primitive_attr &attr = default_attr())
        : primitive(primitive_desc(src, dst, attr).get()) {}

    using primitive::execute;

    /// Copies src to dst; the memories must fit the descriptor.
    void execute(const stream &astream, memory &src, memory &dst) const {
        primitive::execute(astream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
    }
};

} // namespace dnnl

#endif
