// SPDX-License-Identifier: Apache-2.0
// Operators that move nothing: their result is the input's memory under other extents, in another
// order of dimensions, or a part of it.
#include "lowering.hpp"

#include <algorithm>

namespace dnnl_onnx {

using dnnl::memory;

namespace {

bool same_elements(lowering &to, const operation &op) {
    to.place(op.out[0], to.where(op.in[0]));
    return true;
}

bool dropout(lowering &to, const operation &op) {
    if (op.out.size() > 1 && to.uses_of(op.out[1])) return false;
    return same_elements(to, op);
}

bool reshape(lowering &to, const operation &op) {
    operand there = to.strided(op.in[0]);
    if (there.desc.is_zero()) {
        to.place(op.out[0], there);
        return true;
    }
    const tensor_type &wanted = to.type_of(op.out[0]);
    const extents dims = wanted.dims.empty() ? extents {1} : wanted.dims;
    const auto strides = reshaped_strides(there.desc.get_dims(), there.desc.get_strides(), dims);
    if (strides)
        there.desc = memory::desc(dims, there.desc.get_data_type(), *strides);
    else {
        there = to.dense_as_stored(op.in[0]);
        there.desc = plain_desc(wanted.dims, there.desc.get_data_type());
    }
    to.place(op.out[0], there);
    return true;
}

bool transpose(lowering &to, const operation &op) {
    operand there = to.strided(op.in[0]);
    if (there.desc.is_zero()) return false;
    const int rank = to.type_of(op.in[0]).rank();
    if (rank > 1) {
        extents order = to.context(op).integers("perm", {});
        if (order.empty())
            for (int d = rank; d-- > 0;) order.push_back(d);
        const extents strides = there.desc.get_strides();
        extents turned(rank);
        for (int d = 0; d < rank; ++d) turned[d] = strides[order[d]];
        there.desc = memory::desc(to.dims_of(op.out[0]), there.desc.get_data_type(), turned);
    }
    to.place(op.out[0], there);
    return true;
}

/// Where a slice begins and its step, per dimension.
struct slice_range {
    extents start, step;
};

slice_range range_of(const op_context &c) {
    const int rank = c.rank(0);
    const extents starts = c.integers_at("starts", 1, {});
    extents axes = c.integers_at("axes", 3, {}), steps = c.has(4) ? c.value(4).integers() : axes;
    if (!c.has(4)) steps.assign(starts.size(), 1);
    if (axes.empty())
        for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(std::int64_t(i));
    slice_range range {extents(rank, 0), extents(rank, 1)};
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const int d = c.axis_of(axes[i], rank);
        const std::int64_t extent = c.dims(0)[d];
        const std::int64_t start = starts[i] < 0 ? starts[i] + extent : starts[i];
        range.start[d] = std::clamp<std::int64_t>(start, 0, extent);
        range.step[d] = steps[i];
    }
    return range;
}

operand part_of(const operand &whole, const slice_range &range, const extents &dims) {
    extents strides = whole.desc.get_strides();
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < strides.size(); ++d) {
        offset += range.start[d] * strides[d];
        strides[d] *= range.step[d];
    }
    const auto type = whole.desc.get_data_type();
    return {whole.buffer, whole.offset + std::size_t(offset) * memory::data_type_size(type),
        memory::desc(dims, type, strides)};
}

bool slice(lowering &to, const operation &op) {
    const operand there = to.strided(op.in[0]);
    if (there.desc.is_zero() || to.type_of(op.in[0]).rank() == 0) return false;
    const slice_range range = range_of(to.context(op));
    for (std::int64_t step : range.step)
        if (step < 1) return false;
    to.place(op.out[0], part_of(there, range, to.dims_of(op.out[0])));
    return true;
}

bool split(lowering &to, const operation &op) {
    const operand there = to.strided(op.in[0]);
    if (there.desc.is_zero()) return false;
    const int rank = to.type_of(op.in[0]).rank();
    const int axis = to.context(op).axis("axis", 0, rank);
    slice_range range {extents(rank, 0), extents(rank, 1)};
    for (int id : op.out) {
        to.place(id, part_of(there, range, to.dims_of(id)));
        range.start[axis] += to.dims_of(id)[axis];
    }
    return true;
}

} // namespace

std::span<const lower_entry> lower_views() {
    static const lower_entry table[] = {
        {"Dropout", dropout},
        {"Flatten", reshape},
        {"Identity", same_elements},
        {"Reshape", reshape},
        {"Slice", slice},
        {"Split", split},
        {"Squeeze", reshape},
        {"Transpose", transpose},
        {"Unsqueeze", reshape},
    };
    return table;
}

} // namespace dnnl_onnx
