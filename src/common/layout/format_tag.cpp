// SPDX-License-Identifier: Apache-2.0
// Format tags: the canonical name of a tag spells its layout, and is parsed where it is needed.
// "aBcd8b": outer dimensions from the largest stride to the smallest (capitals have inner blocks),
// then the inner blocks, outermost first.
#include <algorithm>
#include <string>
#include <string_view>

#include "common/layout/memory_desc.hpp"
#include "common/runtime/error.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

namespace {

struct parsed_tag {
    int ndims = 0, block_count = 0;
    std::array<int, max_ndims> order {};
    std::array<inner_block, max_ndims> blocks {};
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What the name spells: each dimension once, then blocks of at most nine digits. No dimensions
/// when it spells no layout.
parsed_tag parse(std::string_view name) {
    parsed_tag tag;
    unsigned named = 0;
    std::size_t i = 0;
    for (; i < name.size() && !is_digit(name[i]); ++i) {
        const int d = (name[i] | 0x20) - 'a';
        if (d < 0 || d >= max_ndims || named >> d & 1) return {};
        named |= 1u << d;
        tag.order[tag.ndims++] = d;
    }
    if (named != (1u << tag.ndims) - 1) return {};
    int blocks = 0;
    for (; i < name.size(); ++i, ++blocks) {
        const std::size_t first = i;
        dim_t size = 0;
        for (; i < name.size() && i - first < 9 && is_digit(name[i]); ++i)
            size = 10 * size + (name[i] - '0');
        const int d = i < name.size() ? (name[i] | 0x20) - 'a' : -1;
        if (i == first || name[first] == '0' || d < 0 || d >= tag.ndims) return {};
        if (blocks == max_ndims) return {};
        if (size > 1) tag.blocks[tag.block_count++] = {d, size};
    }
    return tag;
}

void set_layout(memory_desc &md, const parsed_tag &tag) {
    set_blocked_layout(md, std::span(tag.order.data(), static_cast<std::size_t>(md.ndims)),
        std::span(tag.blocks.data(), static_cast<std::size_t>(tag.block_count)));
}

} // namespace

std::string layout_name(const memory_desc &md) {
    std::string name;
    const auto order = outer_order(md);
    for (int i = 0; i < md.ndims; ++i) {
        const char first = md.block(order[i]) > 1 ? 'A' : 'a';
        name += static_cast<char>(first + order[i]);
    }
    for (int b = 0; b < md.inner_nblks; ++b) {
        name += std::to_string(md.inner_blks[b]);
        name += static_cast<char>('a' + md.inner_idxs[b]);
    }
    return name;
}

memory_desc make_with_tag(int ndims, const dim_t *dims, data_type dtype, dnnl_format_tag_t tag) {
    if (ndims == 0 || tag == dnnl_format_tag_undef) return {};
    memory_desc md = make_shape(ndims, dims, dtype, tag == dnnl_format_tag_any);
    if (tag == dnnl_format_tag_any) return md;
    require(tag > dnnl_format_tag_any && tag < dnnl_format_tag_last, "format_tag: unknown");
    const parsed_tag parsed = parse(dnnl_fmt_tag2str(tag));
    require(parsed.ndims == ndims, "format_tag: its number of dimensions differs from ndims");
    set_layout(md, parsed);
    return md;
}

memory_desc make_with_layout_name(
    int ndims, const dim_t *dims, data_type dtype, std::string_view name) {
    if (ndims == 0) return {};
    memory_desc md = make_shape(ndims, dims, dtype, false);
    const parsed_tag parsed = parse(name);
    require(parsed.ndims == ndims, "tag: must name each dimension once, then blocks such as 16b");
    set_layout(md, parsed);
    return md;
}

} // namespace dnnl::impl
