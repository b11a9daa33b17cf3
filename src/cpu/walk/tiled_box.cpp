// SPDX-License-Identifier: Apache-2.0
#include "cpu/walk/tiled_box.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The extent to walk: with the padding where it is the same in all tensors that have the
/// dimension, so that whole blocks remain.
dim_t padded_extent(std::span<const memory_desc *const> tensors, int d) {
    const dim_t extent = tensors[0]->dims[d], padded = tensors[0]->padded_dims[d];
    if (extent == 1) return 1;
    for (const memory_desc *md : tensors)
        if (md->dims[d] != 1 && md->padded_dims[d] != padded) return extent;
    return padded;
}

} // namespace

tiled_box::tiled_box(walked_box box, std::size_t tensors, bool adjacent_columns, dim_t longest)
    : first(box.first), outer(std::move(box.levels)), tensor_count(tensors) {
    const auto take_innermost = [&](nest_level &level) {
        if (outer.empty()) return;
        level = outer.back();
        outer.pop_back();
    };
    if (outer.empty() || !adjacent_columns || outer.back().strides[0] == 1) take_innermost(columns);
    take_innermost(rows);
    tile_columns = std::min(columns.extent, longest);
}

dim_t tiled_box::outer_count() const {
    dim_t count = 1;
    for (const nest_level &level : outer) count *= level.extent;
    return count;
}

dim_t tile_count(std::span<const tiled_box> boxes) {
    dim_t count = 0;
    for (const tiled_box &box : boxes) count += box.count();
    return count;
}

const char *cut_into_rows(std::span<const memory_desc *const> tensors, const row_options &options,
    std::vector<tiled_box> &boxes) {
    const memory_desc &lead = *tensors[0];
    dims_t extents = lead.dims;
    std::vector<walked_tensor> walked;
    for (const memory_desc *md : tensors) walked.push_back({md, 0, true});
    for (int d = 0; d < lead.ndims; ++d)
        if (options.walks_padding) extents[d] = padded_extent(tensors, d);
    if (const int d = options.omitted; d >= 0) {
        options.omitted_level->extent = lead.dims[d];
        for (std::size_t t = 0; t < tensors.size(); ++t) {
            if (tensors[t]->block(d) != 1) return "the axis is blocked";
            options.omitted_level->strides[t] = walked[t].stays(d) ? 0 : tensors[t]->strides[d];
        }
        extents[d] = 1;
    }
    std::vector<walked_box> whole;
    if (const char *reason = cut_into_boxes(lead.ndims, extents, walked, -1, whole)) return reason;
    for (walked_box &box : whole) {
        tiled_box &made = boxes.emplace_back(std::move(box), tensors.size(), true, options.longest);
        if (made.tile_columns == made.columns.extent) made.joins = tiled_box::joined::rows;
    }
    return nullptr;
}

} // namespace dnnl::impl::cpu
