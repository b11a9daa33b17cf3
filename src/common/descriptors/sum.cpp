// SPDX-License-Identifier: Apache-2.0
// Checks and facts of sum.
#include "common/descriptors/movement.hpp"

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/tensor_checks.hpp"

namespace dnnl::impl {

sum_desc make_sum_desc(
    const memory_desc *dst, int n, const float *scales, const memory_desc *const *srcs) {
    require(n >= 1, "sum: n is below 1, there is no source");
    require(scales, "sum: scales is null");
    require(srcs, "sum: src_descs is null");
    sum_desc desc;
    desc.srcs.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        desc.srcs.push_back(checked_tensor("sum", "src_descs", srcs[i], defined_only));
        check_tensors_of(desc, [&] {
            require_tensor(same_dims(desc.srcs[i], desc.srcs[0]), "sum", "src_descs",
                "the dims of the sources differ");
        });
    }
    desc.scales.assign(scales, scales + n);
    const memory_desc &first = desc.srcs[0];
    if (is_absent(dst))
        desc.dst = make_any(first.ndims, first.dims.data(), first.dtype);
    else
        desc.dst = checked_tensor("sum", "dst", dst, may_be_any | is_written);
    check_tensors_of(desc, [&] {
        require_tensor(
            same_dims(desc.dst, first), "sum", "dst", "its dims differ from those of the sources");
    });
    return desc;
}

const primitive_facts<sum_desc> sum_desc::facts {
    .kind = dnnl_sum,
    .arguments = list_sources,
    .layouts = follow_first_source,
    .items = add_sources,
    .shape = [](const sum_desc &d) { return extents(d.dst); },
};

} // namespace dnnl::impl
