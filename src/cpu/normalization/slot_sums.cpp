// SPDX-License-Identifier: Apache-2.0
#include "cpu/normalization/slot_sums.hpp"

namespace dnnl::impl::cpu {

namespace {
/// A chunk has at least so many elements, and there are at most so many chunks: enough for many
/// threads, few enough that adding their sums costs nothing.
constexpr dim_t chunk_elements = 16384, most_chunks = 64;
/// Units that keep the threads busy without being cut.
constexpr dim_t enough_units = 16;

bool shares(const nest_level &level, std::size_t place) {
    return level.extent > 1 && level.strides[place] == 0;
}

dim_t volume_of(std::span<const tiled_box> boxes) {
    dim_t elements = 0;
    for (const tiled_box &box : boxes) elements += box.volume();
    return elements;
}
} // namespace

slot_units::slot_units(const tiled_box &box, std::size_t place)
    : tiles(div_up(box.columns.extent, box.tile_columns)) {
    std::vector<nest_level> loops = box.outer; // around the tiles of a row
    loops.push_back(box.rows);
    for (const nest_level &level : loops) {
        // From the first loop whose iterations share slots on, all are inside of a unit.
        is_row = is_row && !shares(level, place);
        (is_row ? count : tiles) *= level.extent;
        if (!is_row && level.extent > 1 && !shares(level, place)) is_simple = false;
        if (shares(level, place)) sharing *= level.extent;
    }
    if (shares(box.columns, place)) sharing *= box.columns.extent;
}

bool has_whole_units(std::span<const tiled_box> boxes, std::size_t place, dim_t slot_size) {
    dim_t units = 0;
    for (const tiled_box &box : boxes) {
        const slot_units u(box, place);
        if (u.sharing != slot_size) return false;
        units += u.count;
    }
    return units >= enough_units || volume_of(boxes) <= 2 * chunk_elements;
}

void slot_sums::prepare(
    problem &p, std::span<const tiled_box> boxes, std::size_t place, dim_t slots, int count) {
    const dim_t elements = volume_of(boxes);
    values_ = slots * count;
    aligned_ = has_whole_units(boxes, place, elements / slots);
    const dim_t chunks = std::clamp<dim_t>(
        std::min(elements / chunk_elements, elements / (4 * values_)), 1, most_chunks);
    const dim_t wanted = aligned_ ? chunk_elements : div_up(elements, chunks);
    for (std::size_t b = 0; b < boxes.size(); ++b) {
        const dim_t step = aligned_ ? slot_units(boxes[b], place).tiles : 1; // never cut inside
        const dim_t steps = boxes[b].count() / step;
        const dim_t steps_per_chunk =
            std::clamp<dim_t>(div_up(wanted * steps, boxes[b].volume()), 1, steps);
        for (dim_t begin = 0; begin < steps; begin += steps_per_chunk)
            chunks_.push_back({b, begin * step, std::min(begin + steps_per_chunk, steps) * step});
    }
    const auto chunk_count = static_cast<dim_t>(chunks_.size());
    ns_per_chunk_ = normalization_ns * static_cast<double>(elements / chunk_count);
    if (!aligned_) partial_ = p.scratchpad.reserve<f32>(chunk_count * values_);
}

} // namespace dnnl::impl::cpu
