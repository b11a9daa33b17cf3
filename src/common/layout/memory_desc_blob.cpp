// SPDX-License-Identifier: Apache-2.0
// The blob of a memory descriptor: a header {magic, version, length, 0}, the fields as
// little-endian 64-bit numbers in the order of for_each_field(), a checksum.
#include "common/layout/memory_desc.hpp"

#include <algorithm>
#include <type_traits>

#include "common/layout/data_type.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {

constexpr std::uint32_t magic = 0x646d6e64; // "dnmd"
constexpr std::uint32_t version = 2;
constexpr std::size_t header_bytes = 16;
constexpr std::size_t field_count = 10 + 6 * std::size_t(max_ndims);
constexpr std::size_t total_bytes = header_bytes + 8 * field_count + 8;

/// FNV-1a over 64 bits. It finds damage, not forgery; forged fields are refused by the validation.
std::uint64_t checksum(const std::uint8_t *bytes, std::size_t count) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

void put(std::uint8_t *to, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(value >> 8 * i);
}

std::uint64_t get(const std::uint8_t *from, int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= static_cast<std::uint64_t>(from[i]) << 8 * i;
    return value;
}

/// Calls body(field, name) for the fields of a descriptor, which may be const. Those that are small
/// numbers have names in reasons.
template <class Desc, class Body> void for_each_field(Desc &md, const Body &body) {
    body(md.ndims, "ndims");
    body(md.dtype, "data type");
    body(md.layout, "format kind");
    body(md.column_sums_mask, "extra flags");
    body(md.offset0, "");
    body(md.inner_nblks, "number of inner blocks");
    body(md.sparse.encoding, "encoding");
    body(md.sparse.indices, "type of indices");
    body(md.sparse.pointers, "type of pointers");
    body(md.sparse.nnz, "");
    for (auto *list : {&md.dims, &md.padded_dims, &md.padded_offsets, &md.strides, &md.inner_blks,
             &md.inner_idxs})
        for (auto &entry : *list) body(entry, "");
}

/// True where all entries from `used` on are zero.
bool has_zero_tail(const dims_t &list, int used) {
    return std::all_of(list.begin() + used, list.end(), [](dim_t x) { return x == 0; });
}

void validate_blocks(const memory_desc &md) {
    require(md.inner_nblks <= max_ndims, "blob: more than 12 inner blocks");
    require(has_zero_tail(md.inner_blks, md.inner_nblks) &&
                has_zero_tail(md.inner_idxs, md.inner_nblks),
        "blob: an inner block beyond their number");
    std::optional<dim_t> product = 1;
    for (int b = 0; b < md.inner_nblks; ++b) {
        require(md.inner_idxs[b] >= 0 && md.inner_idxs[b] < md.ndims,
            "blob: an inner block splits no dimension");
        require(md.inner_blks[b] > 0, "blob: an inner block is not positive");
        product = checked_mul(product, md.inner_blks[b]);
        require(product.has_value(), "blob: the inner blocks overflow 64 bits");
    }
}

void validate_padding(const memory_desc &md) {
    for (int d = 0; d < md.ndims; ++d) {
        if (md.dims[d] == runtime_dim) {
            require(md.padded_dims[d] == runtime_dim, "blob: padded dims of a run-time dimension");
            continue;
        }
        const dim_t block = md.block(d);
        require(
            md.dims[d] <= INT64_MAX - (block - 1), "blob: a padded dimension overflows 64 bits");
        require(md.padded_dims[d] == round_up(md.dims[d], block),
            "blob: padded dims are not dims in whole blocks");
    }
}

/// The strides of blocks must be as sound as those that make_with_strides() takes for elements. It
/// checks the tensor of the blocks; then the bytes of all blocks are checked.
void validate_strides(const memory_desc &md) {
    const dim_t inner = md.inner_elements();
    memory_desc blocks = md;
    for (int d = 0; d < md.ndims; ++d) {
        if (md.dims[d] == runtime_dim) continue;
        blocks.dims[d] = md.padded_dims[d] / md.block(d);
        if (md.strides[d] == runtime_dim) continue;
        require(md.strides[d] >= 0, "blob: a stride is negative");
        require(blocks.dims[d] <= 1 || md.strides[d] % inner == 0,
            "blob: a stride is not a whole number of inner blocks");
        blocks.strides[d] = md.strides[d] / inner;
    }
    make_with_strides(md.ndims, blocks.dims.data(), md.dtype, blocks.strides.data());
    if (md.has_runtime()) return;
    require(has_sound_end(md), "blob: the tensor's size overflows 64 bits");
}

/// Sparse tensors and host scalars must be what the functions of creation make of the same values.
void validate_unblocked(const memory_desc &md) {
    const auto encoding = md.sparse.encoding;
    require(
        !md.is_sparse() || encoding == dnnl_csr || encoding == dnnl_coo || encoding == dnnl_packed,
        "blob: unknown encoding");
    require(md == (md.is_sparse() ? make_sparse(md.ndims, md.dims.data(), md.dtype, md.sparse)
                                  : make_host_scalar(md.dtype)),
        "blob: layout without strides with strides, blocks or an offset");
    require(has_zero_tail(md.strides, 0), "blob: layout without strides with strides");
}

void validate(const memory_desc &md) {
    require(md.ndims <= max_ndims, "blob: ndims out of range");
    for (const dims_t *list : {&md.dims, &md.padded_dims, &md.strides})
        require(has_zero_tail(*list, md.ndims), "blob: a dimension beyond ndims");
    require(has_zero_tail(md.padded_offsets, 0), "blob: padded offsets are not zero");
    require(md.offset0 >= 0, "blob: the offset is negative");
    if (md.is_zero())
        return require(md == memory_desc {}, "blob: the zero descriptor is not empty");
    if (md.is_sparse() || md.is_host_scalar()) return validate_unblocked(md);
    require(md.is_any() || md.is_blocked(), "blob: unknown format kind");
    require(md.sparse == sparse_layout {}, "blob: an encoding of a tensor that is not sparse");
    require(md.column_sums_mask < 1 << md.ndims, "blob: unknown extra flags");
    validate_blocks(md);
    if (md.is_any())
        require(md.inner_nblks == 0 && md.offset0 == 0 && has_zero_tail(md.strides, 0) &&
                    md.column_sums_mask == 0 && md.padded_dims == md.dims,
            "blob: layout `any` with strides, blocks or an offset");
    make_shape(md.ndims, md.dims.data(), md.dtype, false);
    if (md.is_any()) return;
    validate_padding(md);
    validate_strides(md);
    require(md.column_sums_mask == 0 || is_int8(md.dtype), "blob: column sums of a wide type");
    require(md.column_sums_mask == 0 || !md.has_runtime(), "blob: column sums of run-time dims");
}

} // namespace

std::size_t blob_bytes() { return total_bytes; }

void write_blob(const memory_desc &md, std::uint8_t *blob) {
    put(blob, magic, 4);
    put(blob + 4, version, 4);
    put(blob + 8, total_bytes, 4);
    put(blob + 12, 0, 4);
    std::uint8_t *next = blob + header_bytes;
    for_each_field(md, [&](auto field, const char *) {
        put(next, static_cast<std::uint64_t>(field), 8);
        next += 8;
    });
    put(next, checksum(blob, total_bytes - 8), 8);
}

memory_desc read_blob(const std::uint8_t *blob) {
    require(get(blob, 4) == magic, "blob: not a memory descriptor");
    require(get(blob + 4, 4) == version, "blob: written by another version");
    require(get(blob + 8, 4) == total_bytes && get(blob + 12, 4) == 0, "blob: wrong length");
    const std::uint64_t expected = get(blob + total_bytes - 8, 8);
    require(checksum(blob, total_bytes - 8) == expected, "blob: the checksum differs");
    memory_desc md;
    const std::uint8_t *next = blob + header_bytes;
    for_each_field(md, [&]<class Field>(Field &field, const char *name) {
        const auto value = dim_t(get(next, 8));
        if constexpr (!std::is_same_v<Field, dim_t>)
            require(value >= 0 && value < 1 << max_ndims,
                std::string("blob: ") + name + " out of range");
        field = static_cast<Field>(value);
        next += 8;
    });
    validate(md);
    return md;
}

} // namespace dnnl::impl
