// SPDX-License-Identifier: Apache-2.0
#include "cpu/walk/tiled_box.hpp"

#include <cstring>

namespace dnnl::impl::cpu {

namespace {

constexpr std::size_t max_boxes = 512;

/// One of the loops that a dimension of a layout consists of: each iteration covers `period`
/// indices and moves by `stride` elements.
struct factor {
    dim_t period, stride;
};
using factors = std::vector<factor>; ///< innermost first

factors factors_of(const memory_desc &md, int dim) {
    factors result;
    dim_t period = 1, stride = 1;
    for (int b = md.inner_nblks - 1; b >= 0; --b) {
        if (md.inner_idxs[b] == dim) {
            result.push_back({period, stride});
            period *= md.inner_blks[b];
        }
        stride *= md.inner_blks[b];
    }
    result.push_back({period, md.strides[dim]});
    return result;
}

/// The distance from an element to the one `period` indices later. `period` is a multiple of the
/// period of the loop that it belongs to.
dim_t stride_at(const factors &f, dim_t period) {
    std::size_t i = f.size() - 1;
    while (f[i].period > period) --i;
    return f[i].stride * (period / f[i].period);
}

/// Offset of index x.
dim_t offset_of(const factors &f, dim_t x) {
    dim_t offset = 0;
    for (std::size_t i = f.size(); i-- > 0;) {
        offset += x / f[i].period * f[i].stride;
        x %= f[i].period;
    }
    return offset;
}

/// One dimension of all tensors.
struct dimension {
    dim_t extent;
    std::vector<factors> tensors;
    std::vector<dim_t> shifts;

    nest_offsets offsets(dim_t x) const {
        nest_offsets result {};
        for (std::size_t t = 0; t < tensors.size(); ++t)
            result[t] = offset_of(tensors[t], x + shifts[t]);
        return result;
    }
    nest_level level(dim_t count, dim_t period) const {
        nest_level result;
        result.extent = count;
        for (std::size_t t = 0; t < tensors.size(); ++t)
            result.strides[t] = stride_at(tensors[t], period);
        return result;
    }
};

/// Cuts a dimension wherever a block of a tensor begins; an interval between two cuts is one loop.
/// The cuts repeat with the largest block, `period`.
void cut_at_every_block(const dimension &d, dim_t period, std::vector<walked_box> &intervals) {
    for (dim_t x = 0; x < std::min(d.extent, period);) {
        dim_t count = period - x;
        for (std::size_t t = 0; t < d.tensors.size(); ++t) {
            if (d.tensors[t].size() == 1) continue;
            const dim_t block = d.tensors[t][1].period;
            count = std::min(count, block - (x + d.shifts[t]) % block);
        }
        const dim_t whole = std::max<dim_t>((d.extent - x - count) / period + 1, 0);
        const dim_t repeats = d.extent - x < count ? 0 : whole, rest = x + repeats * period;
        if (repeats > 0)
            intervals.push_back({d.offsets(x), {d.level(repeats, period), d.level(count, 1)}});
        if (rest < d.extent) intervals.push_back({d.offsets(rest), {d.level(d.extent - rest, 1)}});
        x += count;
    }
}

/// Cuts a dimension into as many of the largest blocks as fit, then the rest into blocks of the
/// next smaller size, and so on.
const char *cut_dimension(const dimension &d, std::vector<walked_box> &intervals) {
    std::vector<dim_t> cuts;
    for (const factors &tensor : d.tensors)
        for (const factor &f : tensor) cuts.push_back(f.period);
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (std::size_t c = 1; c < cuts.size(); ++c)
        if (cuts[c] % cuts[c - 1] != 0) return "the blocks of two layouts do not nest";
    const bool aligned = std::all_of(
        d.shifts.begin(), d.shifts.end(), [&](dim_t shift) { return shift % cuts.back() == 0; });
    if (!aligned) {
        cut_at_every_block(d, cuts.back(), intervals);
        return nullptr;
    }
    dim_t x = 0;
    for (std::size_t top = cuts.size(); top-- > 0;) {
        const dim_t count = (d.extent - x) / cuts[top];
        if (count == 0) continue;
        walked_box interval {d.offsets(x), {d.level(count, cuts[top])}};
        for (std::size_t c = top; c-- > 0;)
            interval.levels.push_back(d.level(cuts[c + 1] / cuts[c], cuts[c]));
        intervals.push_back(std::move(interval));
        x += count * cuts[top];
    }
    return nullptr;
}

void order_and_merge(walked_box &box, std::size_t tensor_count) {
    std::erase_if(box.levels, [](const nest_level &level) { return level.extent == 1; });
    std::stable_sort(box.levels.begin(), box.levels.end(),
        [](const nest_level &a, const nest_level &b) { return a.strides[0] > b.strides[0]; });
    std::vector<nest_level> merged;
    for (const nest_level &inner : box.levels) {
        bool joins = !merged.empty();
        for (std::size_t t = 0; joins && t < tensor_count; ++t)
            joins = merged.back().strides[t] == inner.strides[t] * inner.extent;
        const dim_t extent = joins ? merged.back().extent * inner.extent : inner.extent;
        if (!joins) merged.emplace_back();
        merged.back() = inner;
        merged.back().extent = extent;
    }
    box.levels = std::move(merged);
}

/// Combines each box with each interval of one more dimension.
void multiply(std::vector<walked_box> &boxes, const std::vector<walked_box> &intervals) {
    std::vector<walked_box> product;
    for (const walked_box &box : boxes)
        for (const walked_box &interval : intervals) {
            walked_box &both = product.emplace_back(box);
            for (std::size_t t = 0; t < both.first.size(); ++t) both.first[t] += interval.first[t];
            both.levels.insert(both.levels.end(), interval.levels.begin(), interval.levels.end());
        }
    boxes = std::move(product);
}

/// True where dimension d is one loop in every tensor: it has no blocks and no shift.
bool is_one_loop(std::span<const walked_tensor> tensors, int d, int axis) {
    return std::all_of(tensors.begin(), tensors.end(), [&](const walked_tensor &tensor) {
        return (tensor.stays(d) || tensor.md->block(d) == 1) && (d != axis || tensor.shift == 0);
    });
}

/// Adds dimension d, which is one loop, to every box.
void append_loop(
    std::vector<walked_box> &boxes, std::span<const walked_tensor> tensors, int d, dim_t extent) {
    if (extent == 1) return;
    if (extent == 0) return boxes.clear();
    nest_level level;
    level.extent = extent;
    for (std::size_t t = 0; t < tensors.size(); ++t)
        level.strides[t] = tensors[t].stays(d) ? 0 : tensors[t].md->strides[d];
    for (walked_box &box : boxes) box.levels.push_back(level);
}

/// The extent to walk. It includes the padding where that is the same in all tensors that have the
/// dimension, so that only whole blocks are walked.
dim_t padded_extent(std::span<const memory_desc *const> tensors, int d) {
    const dim_t extent = tensors[0]->dims[d], padded = tensors[0]->padded_dims[d];
    if (extent == 1) return 1;
    for (const memory_desc *md : tensors)
        if (md->dims[d] != 1 && md->padded_dims[d] != padded) return extent;
    return padded;
}

} // namespace

const char *cut_into_boxes(int ndims, const dims_t &dims, std::span<const walked_tensor> tensors,
    int axis, std::vector<walked_box> &boxes) {
    if (tensors.size() > max_nest_tensors) return "too many tensors";
    boxes.assign(1, {});
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        if (!tensors[t].md->is_blocked()) return "a layout is not plain or blocked";
        boxes[0].first[t] = tensors[t].md->offset0;
    }
    boxes[0].levels.reserve(std::size_t(ndims));
    for (int d = 0; d < ndims; ++d) {
        if (is_one_loop(tensors, d, axis)) {
            append_loop(boxes, tensors, d, dims[d]);
            continue;
        }
        dimension all {dims[d], {}, {}};
        for (const walked_tensor &tensor : tensors) {
            all.tensors.push_back(tensor.stays(d) ? factors {{1, 0}} : factors_of(*tensor.md, d));
            all.shifts.push_back(d == axis ? tensor.shift : 0);
        }
        std::vector<walked_box> intervals;
        if (const char *reason = cut_dimension(all, intervals)) return reason;
        if (intervals.size() * boxes.size() > max_boxes) return "the blocks leave too many pieces";
        multiply(boxes, intervals);
    }
    for (walked_box &box : boxes) order_and_merge(box, tensors.size());
    std::stable_sort(boxes.begin(), boxes.end(),
        [](const walked_box &a, const walked_box &b) { return a.volume() > b.volume(); });
    return nullptr;
}

nest_cursor::nest_cursor(std::span<const nest_level> levels, const nest_offsets &first, dim_t index,
    std::size_t tensor_count)
    : levels_(levels), tensor_count_(tensor_count) {
    std::copy_n(first.begin(), tensor_count, offsets_.begin());
    for (std::size_t l = levels.size(); l-- > 0;) {
        positions_[l] = 0;
        if (index == 0) continue; // saves divisions
        positions_[l] = index % levels[l].extent;
        index /= levels[l].extent;
        for (std::size_t t = 0; t < tensor_count; ++t)
            offsets_[t] += positions_[l] * levels[l].strides[t];
    }
}

void nest_cursor::next() {
    for (std::size_t l = levels_.size(); l-- > 0;) {
        const nest_level &level = levels_[l];
        const bool carries = ++positions_[l] == level.extent;
        const dim_t steps = carries ? 1 - level.extent : 1;
        for (std::size_t t = 0; t < tensor_count_; ++t) offsets_[t] += steps * level.strides[t];
        if (!carries) return;
        positions_[l] = 0;
    }
}

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

dim_t tile_count(std::span<const tiled_box> boxes) {
    dim_t count = 0;
    for (const tiled_box &box : boxes) count += box.count();
    return count;
}

const char *cut_into_tiled_boxes(int ndims, const dims_t &dims,
    std::span<const walked_tensor> tensors, int axis, dim_t longest,
    std::vector<tiled_box> &boxes) {
    std::vector<walked_box> whole;
    if (const char *reason = cut_into_boxes(ndims, dims, tensors, axis, whole)) return reason;
    for (walked_box &box : whole)
        boxes.emplace_back(std::move(box), tensors.size(), false, longest);
    return nullptr;
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

void clear_padding(const memory_desc &md, void *data) {
    if (!data || !md.has_padding() || md.has_zero_dim()) return;
    const auto bytes = double(size_of(md.dtype));
    for (int d = 0; d < md.ndims; ++d) {
        // All indices from the end of dimension d on, over the padded dimensions after d.
        dims_t extents = md.padded_dims;
        extents[d] -= md.dims[d];
        if (extents[d] == 0) continue;
        std::copy_n(md.dims.begin(), d, extents.begin());
        const walked_tensor padding[] {{&md, md.dims[d]}};
        std::vector<walked_box> boxes;
        if (cut_into_boxes(md.ndims, extents, padding, d, boxes)) return; // not for one tensor
        for (walked_box &whole : boxes) {
            const tiled_box box(std::move(whole), 1, true, md.nelems(true));
            // Measured on a Zen 5 core: 0.03 ns for a byte that no cache has, and 5 ns for a call.
            const double row_ns = 5 + 0.03 * double(box.columns.extent) * bytes;
            box.for_each_tile(row_ns, max_threads(), [&](int, const tile &t) {
                std::memset(element_at(data, md.dtype, t.at[0]), 0,
                    std::size_t(t.columns) * size_of(md.dtype));
            });
        }
    }
}

} // namespace dnnl::impl::cpu
