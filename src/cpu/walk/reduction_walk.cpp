// SPDX-License-Identifier: Apache-2.0
#include "cpu/walk/reduction_walk.hpp"

namespace dnnl::impl::cpu {

namespace {
/// Elements of the result in one call, where runs are reduced.
constexpr dim_t runs_at_once = 32;
/// Elements of a run, or rows, of one call.
constexpr dim_t longest_run = 16384, most_rows = 1024;
/// With fewer pieces than this, sums are cut into segments.
constexpr dim_t enough_pieces = 16;

bool has_runs(const walked_box &box) {
    return !box.levels.empty() && box.levels.back().strides[0] == 1;
}
} // namespace

const char *reduction_walk::build(const memory_desc &result,
    std::span<const memory_desc *const> sources, std::span<const memory_desc *const> operands) {
    *this = {};
    source_count_ = sources.size();
    tensor_count_ = 1 + sources.size() + operands.size();
    memory_desc target = result;
    target.offset0 = 0;
    // Sources with the dimensions pinned that are reduced, and with the others pinned.
    std::vector<memory_desc> kept, removed;
    for (const memory_desc *source : sources) {
        memory_desc &k = kept.emplace_back(*source), &r = removed.emplace_back(*source);
        k.offset0 = r.offset0 = 0;
        for (int d = 0; d < source->ndims; ++d)
            (source->dims[d] != result.dims[d] ? k : r).dims[d] = 1;
    }
    for (int d = 0; d < result.ndims; ++d) count_ *= removed[0].dims[d];
    std::vector<walked_tensor> tensors {{&target, 0, true}}, behind;
    for (const memory_desc &md : kept) tensors.push_back({&md, 0, true});
    for (const memory_desc &md : removed) behind.push_back({&md, 0, true});
    for (const memory_desc *operand : operands) tensors.push_back({operand, 0, true});
    if (const char *why = cut_into_boxes(result.ndims, result.dims, tensors, -1, result_boxes_))
        return why;
    if (const char *why = cut_into_boxes(result.ndims, removed[0].dims, behind, -1, reduced_boxes_))
        return why;
    const bool runs = std::all_of(reduced_boxes_.begin(), reduced_boxes_.end(), has_runs);
    for (const walked_box &box : result_boxes_) {
        if (box.levels.empty()) continue;
        const nest_level &columns = box.levels.back();
        adjacent_ = adjacent_ && columns.strides[result_place] == 1;
        smooth_ = smooth_ && (runs || columns.strides[source_place] == 1);
    }
    return nullptr;
}

void reduction_walk::reserve(problem &p) {
    bool runs = false;
    for (const walked_box &box : reduced_boxes_)
        runs = runs || (has_runs(box) && box.levels.back().extent >= shortest_run);
    results_.cut(result_boxes_, tensor_count_, runs ? runs_at_once : row_piece);
    reduced_.cut(reduced_boxes_, source_count_, runs ? longest_run : most_rows);
    const dim_t pieces = results_.count();
    if (pieces == 0 || pieces >= enough_pieces || count_ == 0) return;
    segments_ = std::min(reduced_.count(), div_up(enough_pieces, pieces));
    if (segments_ > 1) totals_ = p.scratchpad.reserve<double>(pieces * segments_ * row_piece);
}

double reduction_walk::piece_ns() const {
    const auto columns = static_cast<double>(std::min(results_.columns(0).extent, row_piece));
    return 50 + static_cast<double>(count_) * (1 + 0.2 * columns);
}

} // namespace dnnl::impl::cpu
