// SPDX-License-Identifier: Apache-2.0
#include "oracle/views.hpp"

#include "language/tags.hpp"
#include "oracle/fill.hpp"
#include "oracle/tensor.hpp"

#include <algorithm>

namespace conformance {
namespace {

/// The strides of md, but drawn where an extent is 1.
dims with_drawn_unit_strides(const memory::desc &md, std::uint64_t &draw) {
    const dim odd[] = {1, 1, 2, 3, 5, 17, 64, 99};
    const dims shape = md.get_dims();
    dims strides = md.get_strides();
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (shape[d] == 1) strides[d] = odd[mixed(draw += 0x9e3779b97f4a7c15u) % 8];
    return strides;
}

bool is_blocked(const memory::desc &md) {
    return md.get_format_kind() == memory::format_kind::blocked;
}

} // namespace

view view_of(
    const dims &shape, data_type type, const std::string &tag, std::uint64_t seed, bool inside) {
    const memory::desc dense = desc_with_tag(shape, type, tag);
    const bool known = std::none_of(
        shape.begin(), shape.end(), [](dim extent) { return extent == DNNL_RUNTIME_DIM_VAL; });
    if (!known || !is_blocked(dense) || is_4bit(type) || product(shape) == 0) return {dense};
    const dims blocked = dense.get_inner_idxs();
    dims whole = shape, offsets(shape.size(), 0);
    std::uint64_t draw = seed;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::uint64_t x = mixed(draw += 0x9e3779b97f4a7c15u);
        const bool in_blocks = std::count(blocked.begin(), blocked.end(), dim(d)) > 0;
        if (!inside || in_blocks || x % 3 != 0) continue;
        offsets[d] = dim(x >> 8) % 3;
        whole[d] += offsets[d] + dim(x >> 16) % 3;
    }
    memory::desc md = desc_with_tag(whole, type, tag);
    if (blocked.empty()) md = memory::desc(whole, type, with_drawn_unit_strides(md, draw));
    if (whole == shape) return {md};
    return {md.submemory_desc(shape, offsets), md.get_size()};
}

} // namespace conformance
