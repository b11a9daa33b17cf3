// SPDX-License-Identifier: Apache-2.0
// Cuts the loops of a normalization into rows, items and chunks.
#include "cpu/normalization/normalization_nest.hpp"

namespace dnnl::impl::cpu {

namespace {
constexpr dim_t longest_row = 4096; ///< columns of one item
/// Items of a chunk have at least so many elements together, and there are at most so many chunks:
/// enough for many threads, few enough that adding their sums costs nothing.
constexpr dim_t chunk_elements = 16384, most_chunks = 64;
/// Units that keep the threads busy without being cut.
constexpr dim_t enough_units = 16;

bool shares(const nest_level &level, std::size_t place) {
    return level.extent > 1 && level.strides[place] == 0;
}
} // namespace

normalization_box::normalization_box(walked_box box, std::size_t tensor_count)
    : tensor_count_(tensor_count), first_(box.first), outer_(std::move(box.levels)) {
    const auto take_innermost = [&](nest_level &level) {
        if (outer_.empty()) return;
        level = outer_.back();
        outer_.pop_back();
    };
    if (outer_.empty() || outer_.back().strides[dst_place] == 1) take_innermost(columns_);
    take_innermost(rows_);
    for (const nest_level &level : outer_) outer_count_ *= level.extent;
    width_ = std::min(columns_.extent, longest_row);
    pieces_per_row_ = div_up(columns_.extent, width_);
}

normalization_box::units normalization_box::units_of(std::size_t place) const {
    std::vector<nest_level> loops = outer_; // of items, the pieces of a row apart
    loops.push_back(rows_);
    std::size_t own = 0; // loops with slots of their own that come before any that shares them
    while (own < loops.size() && !shares(loops[own], place)) ++own;
    units result {pieces_per_row_, 1, own == loops.size(), true, 1};
    for (std::size_t l = 0; l < loops.size(); ++l) {
        const bool inside = l >= own;
        (inside ? result.items : result.count) *= loops[l].extent;
        if (inside && loops[l].extent > 1 && !shares(loops[l], place)) result.simple = false;
        if (shares(loops[l], place)) result.sharing *= loops[l].extent;
    }
    if (shares(columns_, place)) result.sharing *= columns_.extent;
    return result;
}

const char *cut_for_normalization(
    std::span<const memory_desc *const> tensors, std::vector<normalization_box> &boxes) {
    std::vector<walked_tensor> walked;
    for (const memory_desc *md : tensors) walked.push_back({md});
    std::vector<walked_box> cut;
    const memory_desc &dst = *tensors[dst_place];
    if (const char *reason = cut_into_boxes(dst.ndims, dst.dims, walked, -1, cut)) return reason;
    for (walked_box &box : cut) {
        const nest_level &last = box.levels.empty() ? nest_level {} : box.levels.back();
        if (last.extent > 1 && last.strides[dst_place] != 1)
            return "no dimension of the result is contiguous";
        for (const std::size_t place : {statistics_place, vectors_place})
            if (last.extent > 1 && last.strides[place] > 1)
                return "the statistics along rows are not adjacent";
        boxes.emplace_back(std::move(box), tensors.size());
    }
    return nullptr;
}

bool has_whole_units(
    const std::vector<normalization_box> &boxes, std::size_t place, dim_t slot_size) {
    dim_t units = 0, elements = 0;
    for (const normalization_box &box : boxes) {
        const normalization_box::units u = box.units_of(place);
        if (u.sharing != slot_size) return false;
        units += u.count;
        elements += box.volume();
    }
    return units >= enough_units || elements <= 2 * chunk_elements;
}

void slot_sums::prepare(problem &p, const std::vector<normalization_box> &boxes, std::size_t place,
    dim_t slots, int count) {
    dim_t elements = 0;
    for (const normalization_box &box : boxes) elements += box.volume();
    values_ = slots * count;
    aligned_ = has_whole_units(boxes, place, elements / slots);
    const dim_t chunks = std::clamp<dim_t>(
        std::min(elements / chunk_elements, elements / (4 * values_)), 1, most_chunks);
    const dim_t wanted = aligned_ ? chunk_elements : div_up(elements, chunks);
    for (std::size_t b = 0; b < boxes.size(); ++b) {
        const dim_t step = aligned_ ? boxes[b].units_of(place).items : 1; // never cut inside
        const dim_t steps = boxes[b].items() / step;
        const dim_t steps_per_chunk =
            std::clamp<dim_t>(div_up(wanted * steps, boxes[b].volume()), 1, steps);
        for (dim_t begin = 0; begin < steps; begin += steps_per_chunk)
            chunks_.push_back({b, begin * step, std::min(begin + steps_per_chunk, steps) * step});
    }
    const auto chunk_count = static_cast<dim_t>(chunks_.size());
    ns_per_chunk_ = normalization_ns * static_cast<double>(elements / chunk_count);
    if (!aligned_) partial_ = p.scratchpad.reserve<f32>(chunk_count * values_);
}

void slot_sums::combine(const f32 *partial, f32 *totals) const {
    const auto chunk_count = static_cast<dim_t>(chunks_.size());
    parallel_for(
        values_, 1.0 + 0.5 * static_cast<double>(chunk_count), [&](int, dim_t begin, dim_t end) {
            for (dim_t i = begin; i < end; ++i) {
                double sum = 0;
                for (dim_t c = 0; c < chunk_count; ++c) sum += partial[c * values_ + i];
                totals[i] = static_cast<f32>(sum);
            }
        });
}

} // namespace dnnl::impl::cpu
