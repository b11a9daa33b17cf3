// SPDX-License-Identifier: Apache-2.0
// Chooses the extents that are walked and takes rows and columns out of the boxes.
#include "cpu/walk/loop_nest.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The extent to walk: with the padding where it is the same in all tensors that have the
/// dimension, so that whole blocks remain.
dim_t walked_extent(std::span<const memory_desc *const> tensors, int d) {
    const dim_t extent = tensors[0]->dims[d], padded = tensors[0]->padded_dims[d];
    if (extent == 1) return 1;
    for (const memory_desc *md : tensors)
        if (md->dims[d] != 1 && md->padded_dims[d] != padded) return extent;
    return padded;
}

/// The loop over one unblocked dimension of all tensors.
const char *level_of(std::span<const memory_desc *const> tensors, int d, nest_level &level) {
    level.extent = tensors[0]->dims[d];
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        if (tensors[t]->block(d) != 1) return "the axis is blocked";
        level.strides[t] = tensors[t]->dims[d] == 1 ? 0 : tensors[t]->strides[d];
    }
    return nullptr;
}

} // namespace

loop_nest::rows_box loop_nest::cut_into_rows(walked_box &box) {
    rows_box result {box.first, std::move(box.levels), {}, {}, 1};
    if (!result.outer.empty() && result.outer.back().strides[0] == 1) {
        result.columns = result.outer.back();
        result.outer.pop_back();
    }
    if (!result.outer.empty()) {
        result.rows = result.outer.back();
        result.outer.pop_back();
    }
    for (const nest_level &level : result.outer) result.outer_count *= level.extent;
    return result;
}

const char *loop_nest::build(std::span<const memory_desc *const> tensors, int apart) {
    *this = {};
    tensor_count_ = tensors.size();
    dims_t extents {};
    std::vector<walked_tensor> walked;
    for (const memory_desc *md : tensors) walked.push_back({md, 0, true});
    for (int d = 0; d < tensors[0]->ndims; ++d)
        extents[d] = d == apart ? 1 : walked_extent(tensors, d);
    if (apart >= 0)
        if (const char *reason = level_of(tensors, apart, apart_)) return reason;
    std::vector<walked_box> boxes;
    if (const char *reason = cut_into_boxes(tensors[0]->ndims, extents, walked, -1, boxes))
        return reason;
    for (walked_box &box : boxes) boxes_.push_back(cut_into_rows(box));
    return nullptr;
}

bool loop_nest::has_columns() const {
    if (boxes_.empty()) return true;
    const rows_box &largest = boxes_.front();
    return largest.columns.extent > 1 || largest.rows.extent == 1;
}

int loop_nest::threads(dim_t column_limit) const {
    dim_t most = 0;
    for (const rows_box &box : boxes_)
        most = std::max(most, box.outer_count * box.rows.extent * pieces_of_row(box, column_limit));
    return threads_for(most);
}

} // namespace dnnl::impl::cpu
