// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: creation with strides or a format tag, comparison, offsets, sizes.
#include "common/layout/memory_desc.hpp"

#include <algorithm>
#include <limits>

#include "common/layout/data_type.hpp"
#include "common/runtime/error.hpp"
#include "dnnl/dnnl_debug.h"

using namespace dnnl::impl;

bool dnnl_memory_desc::operator==(const dnnl_memory_desc &other) const {
    const auto equal = [](const dims_t &a, const dims_t &b, int n) {
        return std::equal(a.begin(), a.begin() + n, b.begin());
    };
    if (ndims != other.ndims || dtype != other.dtype || layout != other.layout ||
        !equal(dims, other.dims, ndims) || !equal(padded_dims, other.padded_dims, ndims) ||
        offset0 != other.offset0 || inner_nblks != other.inner_nblks ||
        !equal(inner_blks, other.inner_blks, inner_nblks) ||
        !equal(inner_idxs, other.inner_idxs, inner_nblks) ||
        column_sums_mask != other.column_sums_mask || sparse != other.sparse)
        return false;
    for (int d = 0; d < ndims; ++d)
        if (strides[d] != other.strides[d] && padded_dims[d] != 1) return false;
    return true;
}

bool dnnl_memory_desc::has_runtime() const {
    for (int d = 0; d < ndims; ++d)
        if (dims[d] == runtime_dim || (is_blocked() && strides[d] == runtime_dim)) return true;
    return offset0 == runtime_dim;
}

bool dnnl_memory_desc::has_zero_dim() const {
    return std::any_of(dims.begin(), dims.begin() + ndims, [](dim_t d) { return d == 0; });
}

bool dnnl_memory_desc::has_padding() const { return dims != padded_dims; }

dim_t dnnl_memory_desc::nelems(bool with_padding) const {
    return ndims == 0 ? 0 : product(with_padding ? padded_dims : dims, ndims);
}

dim_t dnnl_memory_desc::block(int d) const {
    dim_t size = 1;
    for (int b = 0; b < inner_nblks; ++b)
        if (inner_idxs[b] == d) size *= inner_blks[b];
    return size;
}

dim_t dnnl_memory_desc::inner_elements() const { return product(inner_blks, inner_nblks); }

namespace {
/// The number of elements from the first to the last one, gaps included; nothing when it exceeds 64
/// bits. The stride of a dimension with one block is never stepped.
std::optional<dim_t> span_elements(const memory_desc &md) {
    std::optional<dim_t> span = 1;
    for (int b = 0; b < md.inner_nblks; ++b) span = checked_mul(span, md.inner_blks[b]);
    for (int d = 0; span && d < md.ndims; ++d) {
        const dim_t outer = md.padded_dims[d] / md.block(d);
        if (outer == 1) continue;
        const auto reach = checked_mul(outer, md.strides[d]);
        span = reach ? std::max(span, reach) : reach;
    }
    return span;
}

/// Elements from the start of the buffer to the end of the last; empty when beyond 64 bits.
std::optional<dim_t> end_of_elements(const memory_desc &md) {
    auto end = checked_add(md.offset0, md.inner_elements());
    for (int d = 0; end && d < md.ndims; ++d) {
        const auto last = checked_mul(md.padded_dims[d] / md.block(d) - 1, md.strides[d]);
        end = last ? checked_add(*end, *last) : std::nullopt;
    }
    return end;
}

/// The bytes of this many elements.
std::size_t bytes_of(data_type dtype, dim_t elements) {
    if (is_4bit(dtype)) return std::size_t(div_up(elements, 2));
    return std::size_t(elements) * size_of(dtype);
}

/// The bytes of a buffer whose last element ends at `end`.
std::size_t bytes_to(const memory_desc &md, std::optional<dim_t> end) {
    if (!md.is_blocked()) return md.size_bytes();
    if (md.has_zero_dim()) return 0;
    if (md.column_sums_mask != 0) return md.size_bytes();
    return end ? bytes_of(md.dtype, *end) : SIZE_MAX;
}

/// Refuses tensors whose size in bytes does not fit 64 bits; run-time dimensions count as 1.
void check_size(const memory_desc &md) {
    std::optional<dim_t> elements = 1;
    for (int d = 0; d < md.ndims; ++d)
        elements = checked_mul(elements, std::max<dim_t>(md.padded_dims[d], 1));
    require_size(elements.has_value(), "dims: the tensor's size overflows 64 bits");
    const bool measurable = md.is_blocked() && !md.has_runtime();
    const auto span = measurable ? span_elements(md) : elements;
    const auto element_bytes = dim_t(size_of(md.dtype));
    const bool fits = span && checked_mul(std::max(span, elements), element_bytes).has_value();
    require_size(fits, "dims: the tensor's size in bytes overflows 64 bits");
}

bool is_element_type(data_type dtype) {
    return dtype != data_type::boolean && dtype != data_type::f4_e3m0 &&
           name_of(dtype) != name_of(data_type::undef);
}

/// Checks shape and type, and makes a descriptor of these alone.
memory_desc shape_only(int ndims, const dim_t *dims, data_type dtype, layout_kind layout) {
    require(ndims >= 0 && ndims <= max_ndims, "ndims: must lie in 0...12");
    require(dims != nullptr, "dims: must not be NULL");
    for (int d = 0; d < ndims; ++d)
        require(dims[d] >= 0 || dims[d] == runtime_dim, "dims: must not be negative");
    require(is_element_type(dtype),
        "data_type: undef, boolean, f4_e3m0 and unknown numbers are no types of elements");
    memory_desc md;
    md.ndims = ndims;
    md.dtype = dtype;
    md.layout = layout;
    std::copy_n(dims, ndims, md.dims.begin());
    md.padded_dims = md.dims;
    return md;
}

/// Elements of one tensor must not share an address: sorted by stride, each stride covers the
/// dimension before it. Zero strides (broadcast) and unit dims are free.
void check_no_overlap(const memory_desc &md) {
    if (md.has_runtime()) return;
    std::array<int, max_ndims> order {};
    int count = 0;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] > 1 && md.strides[d] > 0) order[count++] = d;
    std::sort(order.begin(), order.begin() + count,
        [&](int a, int b) { return md.strides[a] < md.strides[b]; });
    for (int i = 1; i < count; ++i) {
        const auto reach = checked_mul(md.dims[order[i - 1]], md.strides[order[i - 1]]);
        require(reach && md.strides[order[i]] >= *reach, "strides: elements overlap");
    }
}

/// The dimensions by stride, the largest first. Equal strides keep the logical order, and
/// dimensions of extent 1 come after others of the same stride.
std::array<int, max_ndims> order_of_strides(const memory_desc &md) {
    std::array<int, max_ndims> order {};
    std::iota(order.begin(), order.begin() + md.ndims, 0);
    const auto outer_extent = [&](int d) { return md.padded_dims[d] / md.block(d); };
    const auto stride = [&](int d) {
        return md.strides[d] == runtime_dim ? std::numeric_limits<dim_t>::max() : md.strides[d];
    };
    std::stable_sort(order.begin(), order.begin() + md.ndims, [&](int a, int b) {
        if (stride(a) != stride(b)) return stride(a) > stride(b);
        return outer_extent(a) > 1 && outer_extent(b) <= 1;
    });
    return order;
}
} // namespace

dim_t dnnl_memory_desc::column_sums_count() const {
    if (column_sums_mask == 0) return 0;
    dim_t count = 1;
    for (int d = 0; d < ndims; ++d)
        if (column_sums_mask >> d & 1) count *= padded_dims[d];
    return count;
}

std::size_t dnnl_memory_desc::elements_bytes() const {
    if (!is_blocked() || has_zero_dim()) return 0;
    const std::size_t bytes = bytes_of(dtype, span_elements(*this).value_or(0));
    return column_sums_mask ? (bytes + 3) / 4 * 4 : bytes;
}

std::size_t dnnl_memory_desc::size_bytes() const {
    if (has_runtime()) return DNNL_RUNTIME_SIZE_VAL;
    if (is_sparse()) return size_bytes(0);
    if (is_host_scalar()) return size_of(dtype);
    if (!is_blocked() || has_zero_dim()) return 0;
    return elements_bytes() + std::size_t(column_sums_count()) * sizeof(std::int32_t);
}

int dnnl_memory_desc::buffer_count() const {
    if (!is_sparse()) return 1;
    return sparse.encoding == dnnl_coo ? 1 + ndims : 3;
}

data_type dnnl_memory_desc::buffer_type(int index) const {
    if (index == 0) return dtype;
    if (!is_sparse() || index < 0 || index >= buffer_count()) return data_type::undef;
    return sparse.encoding == dnnl_csr && index == 2 ? sparse.pointers : sparse.indices;
}

std::size_t dnnl_memory_desc::size_bytes(int index) const {
    if (!is_sparse()) return index == 0 ? size_bytes() : 0;
    const data_type stored = buffer_type(index);
    if (sparse.encoding == dnnl_packed || name_of(stored) == name_of(data_type::undef)) return 0;
    if (sparse.encoding == dnnl_csr && index == 2)
        return dims[0] == runtime_dim ? DNNL_RUNTIME_SIZE_VAL : bytes_of(stored, dims[0] + 1);
    return bytes_of(stored, sparse.nnz);
}

std::size_t dnnl_memory_desc::buffer_bytes() const {
    return bytes_to(*this, checked_add(offset0, span_elements(*this).value_or(0)));
}

std::size_t dnnl_memory_desc::accessed_bytes() const {
    return bytes_to(*this, end_of_elements(*this));
}

namespace dnnl::impl {

dim_t element_offset(const memory_desc &md, const dims_t &position) {
    dim_t offset = md.offset0;
    if (md.inner_nblks == 0) {
        for (int d = 0; d < md.ndims; ++d) offset += position[d] * md.strides[d];
        return offset;
    }
    dims_t rest = position;
    dim_t inner_stride = 1;
    for (int b = md.inner_nblks - 1; b >= 0; --b) { // innermost factor first
        dim_t &r = rest[std::size_t(md.inner_idxs[b])];
        offset += r % md.inner_blks[b] * inner_stride;
        r /= md.inner_blks[b];
        inner_stride *= md.inner_blks[b];
    }
    for (int d = 0; d < md.ndims; ++d) offset += rest[d] * md.strides[d];
    return offset;
}

dims_t position_of(const memory_desc &md, dim_t index) {
    dims_t position {};
    for (int d = md.ndims - 1; d >= 0; --d) {
        position[d] = index % md.dims[d];
        index /= md.dims[d];
    }
    return position;
}

void require_whole_bytes(const memory_desc &md) {
    if (!is_4bit(md.dtype) || !md.is_blocked()) return;
    for (int d = 0; d < md.ndims; ++d) {
        const bool moves = md.dims[d] != 1 && md.strides[d] != runtime_dim && md.strides[d] > 1;
        require(!moves || md.strides[d] % 2 == 0,
            "strides: rows of elements of 4 bits must begin with a byte: an odd stride");
    }
}

void set_data_type(memory_desc &md, data_type dtype) {
    require(is_element_type(dtype),
        "data_type: undef, boolean and unknown numbers are no types of elements");
    memory_desc retyped = md;
    retyped.dtype = dtype;
    if (md.ndims > 0) check_size(retyped);
    require_whole_bytes(retyped);
    md = retyped;
}

void set_dense_strides(memory_desc &md) {
    std::array<int, max_ndims> order {};
    std::iota(order.begin(), order.begin() + md.ndims, 0);
    set_blocked_layout(md, std::span(order.data(), std::size_t(md.ndims)), {});
}

bool has_sound_end(const memory_desc &md) {
    const auto end = checked_add(span_elements(md), md.offset0);
    return checked_mul(end, dim_t(size_of(md.dtype))).has_value();
}

memory_desc make_with_strides(int ndims, const dim_t *dims, data_type dtype, const dim_t *strides) {
    if (ndims == 0) return {};
    memory_desc md = shape_only(ndims, dims, dtype, layout_kind::blocked);
    if (!strides) {
        set_dense_strides(md);
    } else {
        for (int d = 0; d < ndims; ++d)
            require(strides[d] >= 0 || strides[d] == runtime_dim, "strides: must not be negative");
        std::copy_n(strides, ndims, md.strides.begin());
        check_no_overlap(md);
    }
    check_size(md);
    return md;
}

memory_desc make_sparse(int ndims, const dim_t *dims, data_type dtype, const sparse_layout &kept) {
    if (ndims == 0) return {};
    memory_desc md = shape_only(ndims, dims, dtype, layout_kind::sparse);
    check_size(md);
    require_implemented(
        ndims <= 2 || kept.encoding == dnnl_packed, "ndims: a sparse tensor has at most two");
    require(kept.nnz >= 0, "nnz: must not be negative");
    // No element has more than eight bytes, so a buffer of this many elements fits 64 bits.
    const auto rows = checked_add(dims[0], 1);
    require(checked_mul(rows, 8) && checked_mul(kept.nnz, 8),
        "nnz: the tensor's size in bytes overflows 64 bits");
    md.sparse = kept;
    return md;
}

memory_desc make_host_scalar(data_type dtype) {
    constexpr dim_t one = 1;
    return shape_only(1, &one, dtype, layout_kind::host_scalar);
}

memory_desc make_any(int ndims, const dim_t *dims, data_type dtype) {
    if (ndims == 0) return {};
    return make_shape(ndims, dims, dtype, true);
}

memory_desc make_shape(int ndims, const dim_t *dims, data_type dtype, bool refuse_runtime) {
    memory_desc md = shape_only(ndims, dims, dtype, layout_kind::any);
    require(!refuse_runtime || !md.has_runtime(),
        "dims: run-time dimensions need a defined layout, not `any`");
    check_size(md);
    return md;
}

void set_blocked_layout(
    memory_desc &md, std::span<const int> order, std::span<const inner_block> blocks) {
    md.layout = layout_kind::blocked;
    md.inner_nblks = static_cast<int>(blocks.size());
    md.inner_blks = {};
    md.inner_idxs = {};
    dim_t stride = 1;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        md.inner_blks[b] = blocks[b].size;
        md.inner_idxs[b] = blocks[b].dim;
        stride *= blocks[b].size;
    }
    md.padded_dims = md.dims;
    md.strides = {};
    for (std::size_t i = order.size(); i-- > 0;) {
        const int d = order[i];
        const dim_t block = md.block(d);
        md.strides[d] = stride;
        if (md.dims[d] != runtime_dim) {
            require_size(
                md.dims[d] <= INT64_MAX - block + 1, "dims: the tensor's size overflows 64 bits");
            md.padded_dims[d] = round_up(md.dims[d], block);
        }
        if (md.dims[d] == runtime_dim || stride == runtime_dim) {
            stride = runtime_dim;
            continue;
        }
        const auto next = checked_mul(stride, std::max<dim_t>(md.padded_dims[d] / block, 1));
        require_size(next.has_value(), "dims: the tensor's size overflows 64 bits");
        stride = *next;
    }
    check_size(md);
}

std::array<int, max_ndims> outer_order(const memory_desc &md) {
    std::array<int, max_ndims> order {};
    const auto is_unit = [&](int d) { return md.padded_dims[d] == md.block(d); };
    auto *end = order.begin();
    for (int i = 0; const int d : order_of_strides(md))
        if (i++ < md.ndims && !is_unit(d)) *end++ = d;
    for (int d = 0; d < md.ndims; ++d) {
        if (!is_unit(d)) continue;
        auto *const place = std::find_if(order.begin(), end, [&](int other) { return other > d; });
        std::copy_backward(place, end, end + 1);
        *place = d;
        ++end;
    }
    return order;
}

void set_layout_like(memory_desc &md, const memory_desc &model) {
    const auto order = outer_order(model);
    std::array<inner_block, max_ndims> blocks {};
    for (int b = 0; b < model.inner_nblks; ++b)
        blocks[b] = {static_cast<int>(model.inner_idxs[b]), model.inner_blks[b]};
    set_blocked_layout(md, std::span(order.data(), std::size_t(md.ndims)),
        std::span<const inner_block>(blocks.data(), std::size_t(model.inner_nblks)));
}

bool has_dense_strides(const memory_desc &md) {
    memory_desc dense = md;
    set_layout_like(dense, md);
    return dense == md;
}

// ---- Format tags ----
//
// The canonical name of a tag spells its layout, and is parsed where it is needed. "aBcd8b": outer
// dimensions from the largest stride to the smallest (capitals have inner blocks), then the inner
// blocks, outermost first.

namespace {

struct parsed_tag {
    int ndims = 0, block_count = 0;
    std::array<int, max_ndims> order {};
    std::array<inner_block, max_ndims> blocks {};
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What the name of a tag spells: each dimension once, then blocks with sizes of at most nine
/// digits. No dimensions when it spells no layout.
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
    set_blocked_layout(md, std::span(tag.order.data(), std::size_t(md.ndims)),
        std::span(tag.blocks.data(), std::size_t(tag.block_count)));
}

} // namespace

std::string layout_name(const memory_desc &md) {
    std::string name;
    const auto order = order_of_strides(md);
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
