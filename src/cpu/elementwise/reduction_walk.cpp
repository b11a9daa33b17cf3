// SPDX-License-Identifier: Apache-2.0
#include "cpu/elementwise/reduction_walk.hpp"

#include "common/descriptors/problem.hpp"

namespace dnnl::impl::cpu {

namespace {
/// Elements of the result in one call, where runs are reduced.
constexpr dim_t runs_at_once = 32;
/// Elements of a run, or rows, of one call.
constexpr dim_t longest_run = 16384, most_rows = 1024;
/// With fewer pieces of the result than this, sums are cut into segments.
constexpr dim_t enough_pieces = 16;

bool has_runs(const tiled_box &box) {
    return box.columns.extent > 1 && box.columns.strides[0] == 1;
}
} // namespace

const char *reduction_walk::cut(const memory_desc &result, tensors sources, tensors operands) {
    memory_desc target = result;
    target.offset0 = 0;
    // Sources with the reduced dimensions pinned to their first index, and with the others pinned.
    std::vector<memory_desc> kept(sources.size()), reduced(sources.size());
    std::vector<walked_tensor> along_results {{&target, 0, true}}, along_reduced;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        kept[s] = reduced[s] = *sources[s];
        reduced[s].offset0 = 0;
        for (int d = 0; d < result.ndims; ++d)
            (kept[s].dims[d] != result.dims[d] ? kept : reduced)[s].dims[d] = 1;
        along_results.push_back({&kept[s], 0, true});
        along_reduced.push_back({&reduced[s], 0, true});
    }
    for (const memory_desc *operand : operands) along_results.push_back({operand, 0, true});
    result_boxes_.clear();
    reduced_boxes_.clear();
    const char *why =
        cut_into_tiled_boxes(result.ndims, result.dims, along_results, -1, 1, result_boxes_);
    if (!why)
        why = cut_into_tiled_boxes(
            result.ndims, reduced[0].dims, along_reduced, -1, 1, reduced_boxes_);
    if (why) return why;
    count_ = 0;
    for (const tiled_box &box : reduced_boxes_) count_ += box.volume();
    const bool runs = std::all_of(reduced_boxes_.begin(), reduced_boxes_.end(), has_runs);
    is_adjacent_ = reads_adjacent_ = true;
    for (const tiled_box &box : result_boxes_) {
        if (box.columns.extent == 1) continue;
        is_adjacent_ = is_adjacent_ && box.columns.strides[result_place] == 1;
        reads_adjacent_ = reads_adjacent_ && (runs || box.columns.strides[source_place] == 1);
    }
    return nullptr;
}

const char *reduction_walk::plan(problem &p, const memory_desc &result, bool keeps_layout,
    tensors sources, tensors operands, adapted_tensor::use how, const char *not_adjacent) {
    result_ = result;
    memory_desc in_order = make_any(result.ndims, result.dims.data(), result.dtype);
    set_layout_like(in_order, *sources[0]);
    const memory_desc &followed = in_order;
    const char *why = nullptr;
    for (const bool must_read_adjacent : {true, false})
        for (const memory_desc *wanted : {&result, &followed}) {
            if (wanted == &result && !keeps_layout) continue;
            why = cut(*wanted, sources, operands);
            if (why) continue;
            why = not_adjacent;
            if (!is_adjacent_ || (must_read_adjacent && !reads_adjacent_)) continue;
            to_ = adapted_tensor(p, result, *wanted, how);
            cut_into_tiles(p);
            return to_.why_not();
        }
    return why;
}

void reduction_walk::cut_into_tiles(problem &p) {
    const bool runs = std::any_of(reduced_boxes_.begin(), reduced_boxes_.end(),
        [](const tiled_box &box) { return has_runs(box) && box.columns.extent >= shortest_run; });
    for (tiled_box &box : result_boxes_)
        box.tile_columns = std::min(box.columns.extent, runs ? runs_at_once : row_piece);
    for (tiled_box &box : reduced_boxes_)
        box.tile_columns = std::min(box.columns.extent, runs ? longest_run : most_rows);
    pieces_ = tile_count(result_boxes_);
    const auto columns = static_cast<double>(result_boxes_.front().columns.extent);
    piece_ns_ = 50 + static_cast<double>(count_) * (1 + 0.2 * std::min<double>(columns, row_piece));
    if (pieces_ >= enough_pieces || count_ == 0) return;
    segments_ = std::min(tile_count(reduced_boxes_), div_up(enough_pieces, pieces_));
    if (segments_ > 1) totals_ = p.scratchpad.reserve<double>(pieces_ * segments_ * row_piece);
}

} // namespace dnnl::impl::cpu
