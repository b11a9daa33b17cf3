// SPDX-License-Identifier: Apache-2.0
#include "cpu/epilogue/epilogue_operands.hpp"

#include <algorithm>
#include <numeric>

namespace dnnl::impl::cpu {

bool coordinate_strides(const memory_desc &operand, const memory_desc &dst,
    const coordinate_map &map, dim_t (&strides)[position_rank]) {
    std::array<dim_t, position_rank> extent;
    extent.fill(1);
    for (dim_t &s : strides) s = 0;
    for (int d = dst.ndims - 1; d >= 0; --d) {
        if (dst.dims[d] == 1) continue;
        const auto c = static_cast<std::size_t>(map.of[static_cast<std::size_t>(d)]);
        const dim_t stride = operand.dims[d] == 1 ? 0 : operand.strides[d];
        if (extent[c] == 1)
            strides[c] = stride;
        else if (stride != strides[c] * extent[c])
            return false;
        extent[c] *= dst.dims[d];
    }
    return true;
}

const memory_desc *binary_source(const post_op &op) {
    const auto *binary = std::get_if<binary_post_op>(&op);
    return binary ? &binary->src1 : nullptr;
}

bool prelu_coordinates(const prelu_post_op &op, const memory_desc &dst, const coordinate_map &map,
    coordinate_list &coordinates) {
    std::array<int, position_rank> sharing {};
    for (int d = 0; d < dst.ndims; ++d)
        if (dst.dims[d] != 1) ++sharing[static_cast<std::size_t>(map.of[d])];
    for (int d = 0; d < dst.ndims; ++d) {
        if (!(op.mask >> d & 1) || dst.dims[d] == 1) continue;
        if (sharing[static_cast<std::size_t>(map.of[d])] != 1) return false;
        coordinates.of[static_cast<std::size_t>(coordinates.count++)] = map.of[d];
    }
    return true;
}

memory_desc plain_operand(const memory_desc &src1, const coordinate_map &map) {
    if (!src1.is_blocked() || src1.is_plain()) return src1;
    std::array<int, max_ndims> order {};
    const auto ndims = static_cast<std::size_t>(src1.ndims);
    std::iota(order.begin(), order.begin() + src1.ndims, 0);
    std::stable_sort(order.begin(), order.begin() + src1.ndims, [&](int a, int b) {
        return map.of[static_cast<std::size_t>(a)] < map.of[static_cast<std::size_t>(b)];
    });
    memory_desc plain = src1;
    plain.offset0 = 0;
    set_blocked_layout(plain, std::span(order.data(), ndims), {});
    return plain;
}

bool is_per_column(const memory_desc &bias, dim_t columns) {
    return bias.nelems() == columns && bias.dims[bias.ndims - 1] == columns;
}

} // namespace dnnl::impl::cpu
