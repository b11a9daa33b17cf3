// SPDX-License-Identifier: Apache-2.0
// Checks and facts of concat.
#include "common/descriptors/movement.hpp"

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/tensor_checks.hpp"

namespace dnnl::impl {

namespace {
void check_source(const memory_desc &src, const memory_desc &first, int axis) {
    require_tensor(
        src.dtype == first.dtype, "concat", "src_descs", "the types of the sources differ");
    require_tensor(
        src.ndims == first.ndims, "concat", "src_descs", "the ranks of the sources differ");
    for (int d = 0; d < src.ndims; ++d)
        require_tensor(d == axis || src.dims[d] == first.dims[d], "concat", "src_descs",
            "a dimension beside the axis differs");
}
} // namespace

concat_desc make_concat_desc(
    const memory_desc *dst, int n, int axis, const memory_desc *const *srcs) {
    require(n >= 1, "concat: n is below 1, there is no source");
    require(srcs, "concat: src_descs is null");
    concat_desc desc;
    desc.axis = axis;
    desc.srcs.reserve(static_cast<std::size_t>(n));
    std::optional<dim_t> extent = 0;
    for (int i = 0; i < n; ++i) {
        desc.srcs.push_back(checked_tensor("concat", "src_descs", srcs[i], defined_only));
        const memory_desc &src = desc.srcs.back();
        require(axis >= 0 && axis < src.ndims,
            "concat: concat_dimension is not a dimension of the sources");
        check_tensors_of(desc, [&] { check_source(src, desc.srcs[0], axis); });
        extent = checked_add(extent, src.dims[axis]);
    }
    require_implemented(
        extent.has_value(), "concat: src_descs: the sum of the extents along the axis overflows");
    dims_t dims = desc.srcs[0].dims;
    dims[axis] = *extent;
    if (is_absent(dst)) {
        desc.dst = make_any(desc.srcs[0].ndims, dims.data(), desc.srcs[0].dtype);
        return desc;
    }
    desc.dst = checked_tensor("concat", "dst", dst, may_be_any | is_written);
    check_tensors_of(desc, [&] {
        require_tensor(desc.dst.ndims == desc.srcs[0].ndims && desc.dst.dims == dims, "concat",
            "dst", "its dims are not those of the sources one after the other");
    });
    return desc;
}

const primitive_facts<concat_desc> concat_desc::facts {
    .kind = dnnl_concat,
    .attributes = {.scales = true},
    .arguments = list_sources,
    .layouts = follow_first_source,
    .items = add_sources,
    .parameters = [](const concat_desc &d) { return fmt::format("axis:{}", d.axis); },
    .shape =
        [](const concat_desc &d) {
            std::string text;
            for (const memory_desc &src : d.srcs) text += (text.empty() ? "" : ":") + extents(src);
            return text;
        },
    .takes_scale_mask = [](const concat_desc &,
                            const quantization &q) { return q.arg != DNNL_ARG_DST && q.mask == 0; },
};

} // namespace dnnl::impl
