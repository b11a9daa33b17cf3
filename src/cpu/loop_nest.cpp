// SPDX-License-Identifier: Apache-2.0
// Splits dimensions at the blocks of all layouts, orders the loops by the leading tensor and merges
// neighbours.
#include "cpu/loop_nest.hpp"

#include <algorithm>
#include <cstring>

#include "common/data_type.hpp"

namespace dnnl::impl::cpu {

namespace {

/// A dimension of one layout as loops, innermost first: `period` elements of the dimension below
/// this loop, `stride` between its iterations.
struct factor {
    dim_t period, stride;
};

std::vector<factor> factors_of(const memory_desc &md, int dim) {
    std::vector<factor> factors;
    dim_t period = 1, stride = 1;
    for (int b = md.inner_nblks - 1; b >= 0; --b) {
        if (md.inner_idxs[b] == dim) {
            factors.push_back({period, stride});
            period *= md.inner_blks[b];
        }
        stride *= md.inner_blks[b];
    }
    factors.push_back({period, md.strides[dim]});
    return factors;
}

/// Distance of elements `period` apart along the dimension; period is a multiple of the period of
/// the loop it belongs to.
dim_t stride_at(const std::vector<factor> &factors, dim_t period) {
    std::size_t i = factors.size() - 1;
    while (factors[i].period > period) --i;
    return factors[i].stride * (period / factors[i].period);
}

} // namespace

/// Appends the loops of one dimension to levels_, outermost first.
const char *loop_nest::split(std::span<const memory_desc *const> tensors, int dim) {
    std::vector<std::vector<factor>> factors(tensors.size());
    std::vector<dim_t> cuts;
    dim_t extent = tensors[0]->dims[dim];
    if (extent == 1) return nullptr;
    bool blocked = false;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        if (tensors[t]->dims[dim] == 1) continue;
        factors[t] = factors_of(*tensors[t], dim);
        blocked = blocked || factors[t].size() > 1;
        for (const factor &f : factors[t]) cuts.push_back(f.period);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (std::size_t c = 1; c < cuts.size(); ++c)
        if (cuts[c] % cuts[c - 1] != 0) return "the blocks of two layouts do not nest";
    if (blocked && extent % cuts.back() != 0) {
        extent = tensors[0]->padded_dims[dim];
        for (std::size_t t = 0; t < tensors.size(); ++t)
            if (!factors[t].empty() && tensors[t]->padded_dims[dim] != extent)
                return "the tensors are padded differently";
        if (extent % cuts.back() != 0) return "the padding is not whole blocks";
    }
    for (std::size_t c = cuts.size(); c-- > 0;) {
        nest_level level;
        level.extent = (c + 1 == cuts.size() ? extent : cuts[c + 1]) / cuts[c];
        for (std::size_t t = 0; t < tensors.size(); ++t)
            if (!factors[t].empty()) level.strides[t] = stride_at(factors[t], cuts[c]);
        if (level.extent > 1) levels_.push_back(level);
    }
    return nullptr;
}

void loop_nest::order_and_merge() {
    std::stable_sort(levels_.begin(), levels_.end(),
        [](const nest_level &a, const nest_level &b) { return a.strides[0] > b.strides[0]; });
    std::vector<nest_level> merged;
    for (const nest_level &inner : levels_) {
        bool joins = !merged.empty();
        for (std::size_t t = 0; joins && t < static_cast<std::size_t>(tensor_count_); ++t)
            joins = merged.back().strides[t] == inner.strides[t] * inner.extent;
        if (!joins) {
            merged.push_back(inner);
            continue;
        }
        const dim_t extent = merged.back().extent * inner.extent;
        merged.back() = inner;
        merged.back().extent = extent;
    }
    levels_ = std::move(merged);
}

const char *loop_nest::build(std::span<const memory_desc *const> tensors, int apart) {
    if (tensors.size() > max_nest_tensors) return "too many tensors";
    *this = {};
    tensor_count_ = static_cast<int>(tensors.size());
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        if (!tensors[t]->is_blocked()) return "a layout is not plain or blocked";
        first_[t] = tensors[t]->offset0;
    }
    if (apart >= 0) {
        apart_.extent = tensors[0]->dims[apart];
        for (std::size_t t = 0; t < tensors.size(); ++t) {
            if (tensors[t]->dims[apart] == 1) continue;
            if (tensors[t]->block(apart) != 1) return "the axis is blocked";
            apart_.strides[t] = stride_at(factors_of(*tensors[t], apart), 1);
        }
    }
    for (int d = 0; d < tensors[0]->ndims; ++d)
        if (d != apart)
            if (const char *reason = split(tensors, d)) return reason;
    order_and_merge();
    if (!levels_.empty()) {
        columns_ = levels_.back();
        levels_.pop_back();
    }
    if (!levels_.empty()) {
        rows_ = levels_.back();
        levels_.pop_back();
    }
    for (const nest_level &level : levels_) outer_count_ *= level.extent;
    return nullptr;
}

nest_offsets loop_nest::outer_offsets(dim_t index) const {
    nest_offsets offsets = first_;
    for (std::size_t l = levels_.size(); l-- > 0;) {
        const dim_t i = index % levels_[l].extent;
        index /= levels_[l].extent;
        for (std::size_t t = 0; t < static_cast<std::size_t>(tensor_count_); ++t)
            offsets[t] += i * levels_[l].strides[t];
    }
    return offsets;
}

void zero_padding(const memory_desc &md, void *data) {
    if (!data || !md.has_padding() || md.has_zero_dim()) return;
    const std::size_t bytes = size_of(md.dtype);
    for (int d = 0; d < md.ndims; ++d) {
        // Everything behind the last index of dimension d, all other dimensions with padding.
        dims_t extents = md.padded_dims;
        extents[d] -= md.dims[d];
        dim_t count = 1;
        for (int e = 0; e < md.ndims; ++e) count *= extents[e];
        parallel_for(count, 5.0, [&](int, dim_t begin, dim_t end) {
            for (dim_t index = begin; index < end; ++index) {
                dims_t position {};
                dim_t rest = index;
                for (int e = md.ndims - 1; e >= 0; --e) {
                    position[e] = rest % extents[e];
                    rest /= extents[e];
                }
                position[d] += md.dims[d];
                const auto offset = static_cast<std::size_t>(element_offset(md, position));
                std::memset(static_cast<char *>(data) + offset * bytes, 0, bytes);
            }
        });
    }
}

} // namespace dnnl::impl::cpu
