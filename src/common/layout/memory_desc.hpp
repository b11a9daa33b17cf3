// SPDX-License-Identifier: Apache-2.0
// This folder has memory descriptors, element types and memories. This file has dimensions,
// arithmetic on sizes that refuses to overflow, and the shape, element type and physical layout of
// one tensor (specification: "Memory", "Memory Formats").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/plain_types.hpp"
#include "dnnl/dnnl_types.h"

namespace dnnl::impl {

inline constexpr int max_ndims = DNNL_MAX_NDIMS;

/// Extents, strides or positions, one per logical dimension; entries from ndims on are 0.
using dims_t = std::array<dim_t, max_ndims>;

/// A dimension or stride that is known at execution only.
inline constexpr dim_t runtime_dim = DNNL_RUNTIME_DIM_VAL;

/// a * b, or nothing when a is nothing or the product overflows 64 bits.
inline std::optional<dim_t> checked_mul(std::optional<dim_t> a, dim_t b) {
    dim_t product = 0;
    if (!a || __builtin_mul_overflow(*a, b, &product)) return std::nullopt;
    return product;
}

/// a + b, or nothing when a is nothing or the sum overflows 64 bits.
inline std::optional<dim_t> checked_add(std::optional<dim_t> a, dim_t b) {
    dim_t sum = 0;
    if (!a || __builtin_add_overflow(*a, b, &sum)) return std::nullopt;
    return sum;
}

/// a / b rounded up; a >= 0, b > 0.
constexpr dim_t div_up(dim_t a, dim_t b) { return a / b + (a % b != 0); }

/// a rounded up to a multiple of b; a >= 0, b > 0.
constexpr dim_t round_up(dim_t a, dim_t b) { return div_up(a, b) * b; }

/// The product of the first entries.
inline dim_t product(const dims_t &list, int count) {
    return std::accumulate(list.begin(), list.begin() + count, dim_t {1}, std::multiplies<> {});
}

/// How the elements are laid out; the values, from 0 on, are those of dnnl_format_kind_t.
enum class layout_kind { undefined, any, blocked, opaque, sparse, host_scalar };
static_assert(static_cast<int>(layout_kind::host_scalar) == dnnl_format_kind_host_scalar);

/// The buffers of a sparse tensor besides its nnz values: column indices and row pointers (CSR), or
/// one list of indices for each dimension (COO).
struct sparse_layout {
    dnnl_sparse_encoding_t encoding = dnnl_sparse_encoding_undef;
    data_type indices = data_type::undef;
    data_type pointers = data_type::undef; ///< of CSR
    dim_t nnz = 0;
    bool operator==(const sparse_layout &) const = default;
};

/// No descriptor has more buffers.
inline constexpr int max_buffers = 3;

} // namespace dnnl::impl

/// A value: copy and compare freely. Strides and offsets are in elements.
///
/// The element at position x lies at
///     offset0 + sum over d of (x[d] / B[d]) * strides[d] + place inside the inner block,
/// with B[d] the product of the inner blocks of dimension d; inner blocks are row-major in the
/// order listed, the outermost factor of a dimension first.
struct dnnl_memory_desc {
    using dim_t = dnnl::impl::dim_t;
    using dims_t = dnnl::impl::dims_t;

    int ndims = 0;
    dnnl::impl::data_type dtype = dnnl::impl::data_type::undef;
    dnnl::impl::layout_kind layout = dnnl::impl::layout_kind::undefined;
    dims_t dims {};
    dims_t padded_dims {};    ///< dims rounded up to whole blocks
    dims_t padded_offsets {}; ///< always 0; kept because the API can be asked for it
    dims_t strides {}; ///< between consecutive blocks (elements where unblocked) of a dimension
    dim_t offset0 = 0; ///< elements before the first one (submemory)
    int inner_nblks = 0;
    dims_t inner_blks {}; ///< sizes of the inner blocks, outermost first
    dims_t inner_idxs {}; ///< the logical dimension that each inner block splits
    /// Weights of int8 that the library packed have sums appended, after elements_bytes(). There is
    /// one s32 for each index of the padded dimensions whose bits are set here, row-major: the sum
    /// of the elements that share these indices. 0: nothing is appended.
    int column_sums_mask = 0;
    dnnl::impl::sparse_layout sparse {}; ///< of a sparse layout

    /// Same shape, type and layout. The strides of dimensions of size 1 do not matter.
    bool operator==(const dnnl_memory_desc &other) const;

    bool is_zero() const { return ndims == 0; }
    bool is_any() const { return layout == dnnl::impl::layout_kind::any; }
    bool is_blocked() const { return layout == dnnl::impl::layout_kind::blocked; }
    bool is_sparse() const { return layout == dnnl::impl::layout_kind::sparse; }
    /// One value in host memory that the library reads while a primitive is executed.
    bool is_host_scalar() const { return layout == dnnl::impl::layout_kind::host_scalar; }
    bool is_plain() const { return is_blocked() && inner_nblks == 0; }
    /// True when a dimension or a stride is known at execution only.
    bool has_runtime() const;
    /// True when some dimension has size 0.
    bool has_zero_dim() const;
    /// True when padded_dims differ from dims.
    bool has_padding() const;
    /// Number of logical elements; with_padding counts the padding of blocked layouts too.
    dim_t nelems(bool with_padding = false) const;
    /// Product of the inner blocks of dimension d.
    dim_t block(int d) const;
    /// Product of all inner blocks.
    dim_t inner_elements() const;
    /// Bytes that a buffer must hold: semantics as dnnl_memory_desc_get_size.
    std::size_t size_bytes() const;
    /// The number of buffers: one of values and those of the indices of a sparse layout.
    int buffer_count() const;
    /// The element type of a buffer; undef where there is no such buffer or its type is unknown.
    dnnl::impl::data_type buffer_type(int index) const;
    /// size_bytes() of one of the buffers; 0 for those that do not exist.
    std::size_t size_bytes(int index) const;
    /// Bytes from the start of the buffer to the end of the last row, elements before the first one
    /// (offset0) included. size_bytes() leaves these out.
    std::size_t buffer_bytes() const;
    /// Bytes from the start of the buffer to the end of the last element. This is at most
    /// buffer_bytes(), which counts the gap after the last row, too. Neither knows run-time
    /// dimensions.
    std::size_t accessed_bytes() const;
    /// The bytes of the elements alone, which is where appended sums begin: then a multiple of 4.
    std::size_t elements_bytes() const;
    /// Number of appended sums.
    dim_t column_sums_count() const;
};

namespace dnnl::impl {

using memory_desc = ::dnnl_memory_desc;

/// Offset in elements of a logical position (entries beyond md.ndims are ignored).
dim_t element_offset(const memory_desc &md, const dims_t &position);

/// The position of the index-th logical element, row-major over dims.
dims_t position_of(const memory_desc &md, dim_t index);

/// True where the bytes to the end of the elements, offset included, fit 64 bits.
bool has_sound_end(const memory_desc &md);

/// The functions below throw error(invalid_arguments) or error(unimplemented) exactly where
/// the C functions of the same names answer with these.
memory_desc make_with_strides(int ndims, const dim_t *dims, data_type dtype, const dim_t *strides);
/// Throws error(invalid_arguments) where a stride of elements of 4 bits is odd: their rows begin
/// with a byte. Descriptors that the library makes for itself need not follow.
void require_whole_bytes(const memory_desc &md);
/// Changes the element type of a layout, with the checks of creation.
void set_data_type(memory_desc &md, data_type dtype);
memory_desc make_with_tag(int ndims, const dim_t *dims, data_type dtype, dnnl_format_tag_t tag);
/// The layout spelled like a tag ("aBcd12b"), also one that no tag has.
memory_desc make_with_layout_name(
    int ndims, const dim_t *dims, data_type dtype, std::string_view name);
memory_desc make_any(int ndims, const dim_t *dims, data_type dtype);
/// A sparse tensor of at most two dimensions, or of any number in the packed encoding. The caller
/// says the types of indices and pointers.
memory_desc make_sparse(int ndims, const dim_t *dims, data_type dtype, const sparse_layout &kept);
memory_desc make_host_scalar(data_type dtype);
/// Shape and type alone, layout `any`; run-time dims pass unless refuse_runtime.
memory_desc make_shape(int ndims, const dim_t *dims, data_type dtype, bool refuse_runtime);
memory_desc reshape(const memory_desc &md, int ndims, const dim_t *dims);
memory_desc permute_axes(const memory_desc &md, const int *permutation);
memory_desc submemory(const memory_desc &parent, const dim_t *dims, const dim_t *offsets);

/// Dense row-major strides over the given dims (a zero dim counts as 1 in the products).
void set_dense_strides(memory_desc &md);

/// Replaces the layout of `md`: the outer order (dimension indices, largest stride first) and the
/// inner blocks {dimension, size}; recomputes padded_dims and dense strides.
struct inner_block {
    int dim;
    dim_t size;
};
void set_blocked_layout(
    memory_desc &md, std::span<const int> outer_order, std::span<const inner_block> blocks);

/// Gives md, which keeps its dims and type, the layout of `model` (same ndims): its outer order by
/// strides and its inner blocks, dense. Strides of dimensions of extent 1 do not count.
void set_layout_like(memory_desc &md, const memory_desc &model);

/// True when the strides of a blocked md are those that its layout has without gaps.
bool has_dense_strides(const memory_desc &md);

/// The outer order of a blocked md: dimension indices from the largest stride to the smallest. A
/// stride that is known at execution only counts as the largest; equal strides keep the logical
/// order. A dimension with one block may have any stride: it comes before the first one that
/// follows it logically.
std::array<int, max_ndims> outer_order(const memory_desc &md);

/// The layout of a blocked descriptor spelled like a tag, "aBcd8b", also where no tag has it.
std::string layout_name(const memory_desc &md);

// ---- A descriptor as bytes of fixed size, and back; the bytes may come from anywhere ----

/// Bytes of every blob.
std::size_t blob_bytes();

/// Writes blob_bytes() bytes; the same fields give the same bytes.
void write_blob(const memory_desc &md, std::uint8_t *blob);

/// Reads the header (16 bytes) first and the rest only when the header is one of ours. Throws
/// error(invalid_arguments) unless the bytes are intact and describe a tensor that the other
/// functions of creation could have made.
memory_desc read_blob(const std::uint8_t *blob);

} // namespace dnnl::impl
