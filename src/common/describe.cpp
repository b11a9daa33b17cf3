// SPDX-License-Identifier: Apache-2.0
#include "common/describe.hpp"

#include <algorithm>

#include "common/data_type.hpp"

namespace dnnl::impl {

namespace {
std::string layout_word(const memory_desc &md) {
    switch (md.layout) {
    case layout_kind::any: return "any";
    case layout_kind::opaque: return "opaque";
    case layout_kind::blocked: return layout_name(md);
    default: return "undefined";
    }
}
} // namespace

std::string describe(const memory_desc &md) {
    if (md.is_zero()) return "empty";
    std::string text = name_of(md.dtype);
    text.append(" ").append(layout_word(md)).append(" ").append(extents(md, md.dims));
    if (!md.is_blocked()) return text;
    if (!has_dense_strides(md)) text.append(" strides ").append(extents(md, md.strides));
    if (md.offset0 == runtime_dim)
        text.append(" offset *");
    else if (md.offset0 != 0)
        text.append(" offset ").append(std::to_string(md.offset0));
    if (md.column_sums_mask != 0) text.append(" with column sums");
    return text;
}

std::string extents(const memory_desc &md, const dims_t &values) {
    std::string text;
    for (int d = 0; d < md.ndims; ++d) {
        if (d) text += 'x';
        text += values[d] == runtime_dim ? "*" : std::to_string(values[d]);
    }
    return text;
}

bool has_dense_strides(const memory_desc &md) {
    const auto order = outer_order(md);
    dim_t dense = 1; // the stride of the dimension outside those that were compared
    for (int d = 0; d < md.ndims; ++d) dense *= md.block(d);
    for (int i = md.ndims; i-- > 0;) {
        const int d = order[i];
        const dim_t extent = md.padded_dims[d];
        if (extent != 1 && md.strides[d] != dense) return false;
        if (extent == runtime_dim || dense == runtime_dim) {
            dense = runtime_dim;
            continue;
        }
        const auto next = checked_mul(dense, std::max<dim_t>(extent / md.block(d), 1));
        if (!next) return false;
        dense = *next;
    }
    return true;
}

} // namespace dnnl::impl
