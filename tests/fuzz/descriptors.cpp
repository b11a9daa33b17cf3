// SPDX-License-Identifier: Apache-2.0
// Random sequences of calls that make memory descriptors from dims, tags, strides, encodings, blobs
// and each other. Whatever is accepted must survive its queries, equal its clone and its blob, and
// have a size that a memory of it holds.
#include "bytes.hpp"

#include <cstring>
#include <vector>

using fuzz::bytes;
using fuzz::expect;

namespace {

constexpr int slots = 4;
constexpr std::size_t small = 1 << 20; ///< bytes that are worth allocating

/// The descriptors of a sequence; a new one replaces the oldest.
struct pool {
    dnnl_memory_desc_t all[slots] = {};
    int next = 0;
    ~pool() {
        for (dnnl_memory_desc_t md : all) dnnl_memory_desc_destroy(md);
    }
    void put(dnnl_memory_desc_t md) {
        dnnl_memory_desc_destroy(all[next]);
        all[next] = md;
        next = (next + 1) % slots;
    }
    const_dnnl_memory_desc_t any(bytes &in) const { return all[in.below(slots)]; }
};

void check_queries(const_dnnl_memory_desc_t md) {
    for (const dnnl_query_t what : {dnnl_query_data_type, dnnl_query_format_kind,
             dnnl_query_submemory_offset_s64, dnnl_query_padded_dims, dnnl_query_padded_offsets,
             dnnl_query_strides, dnnl_query_inner_nblks_s32, dnnl_query_inner_blks,
             dnnl_query_inner_idxs, dnnl_query_engine}) {
        std::uint64_t result[2] = {};
        dnnl_memory_desc_query(md, what, result);
    }
    const dnnl_dims_t *dims = nullptr;
    int ndims = 0;
    expect(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims) == dnnl_success);
    expect(dnnl_memory_desc_query(md, dnnl_query_dims, &dims) == dnnl_success);
    expect(ndims >= 0 && ndims <= DNNL_MAX_NDIMS);
    for (int d = 0; d < ndims; ++d) expect((*dims)[d] >= 0 || (*dims)[d] == DNNL_RUNTIME_DIM_VAL);
}

/// A blob holds all of a descriptor; one changed byte is refused.
void check_blob(const_dnnl_memory_desc_t md, unsigned changed) {
    std::size_t size = 0;
    expect(dnnl_memory_desc_get_blob(nullptr, &size, md) == dnnl_success);
    std::vector<std::uint8_t> blob(size);
    expect(dnnl_memory_desc_get_blob(blob.data(), &size, md) == dnnl_success);
    dnnl_memory_desc_t copy = nullptr;
    expect(dnnl_memory_desc_create_with_blob(&copy, blob.data()) == dnnl_success);
    expect(dnnl_memory_desc_equal(copy, md));
    expect(dnnl_memory_desc_get_size(copy) == dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(copy);
    blob[changed % size] ^= static_cast<std::uint8_t>(1 + changed % 255);
    copy = nullptr;
    expect(dnnl_memory_desc_create_with_blob(&copy, blob.data()) == dnnl_invalid_arguments);
    expect(copy == nullptr);
}

/// A memory of the size that the descriptor states can be made and touched at both ends; that of a
/// host scalar is made by another function, with its value.
void check_memory(const_dnnl_memory_desc_t md) {
    const std::size_t size = dnnl_memory_desc_get_size(md);
    if (size == 0 || size > small) return;
    dnnl_format_kind_t kind = dnnl_format_kind_undef;
    expect(dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind) == dnnl_success);
    if (kind == dnnl_format_kind_host_scalar) {
        std::uint64_t value = 1;
        dnnl_memory_t scalar = nullptr;
        const dnnl_status_t status =
            dnnl_memory_create(&scalar, md, fuzz::engine(), DNNL_MEMORY_ALLOCATE);
        expect(status == dnnl_invalid_arguments && scalar == nullptr);
        expect(size <= sizeof value);
        expect(dnnl_memory_create_host_scalar(&scalar, md, &value) == dnnl_success);
        dnnl_memory_destroy(scalar);
        return;
    }
    // The size leaves the offset out, the buffer that is allocated holds it.
    dnnl_dim_t offset = 0;
    expect(dnnl_memory_desc_query(md, dnnl_query_submemory_offset_s64, &offset) == dnnl_success);
    if (offset > static_cast<dnnl_dim_t>(small)) return;
    dnnl_memory_t memory = nullptr;
    expect(dnnl_memory_create(&memory, md, fuzz::engine(), DNNL_MEMORY_ALLOCATE) == dnnl_success);
    void *handle = nullptr;
    expect(dnnl_memory_get_data_handle(memory, &handle) == dnnl_success && handle);
    static_cast<char *>(handle)[0] = static_cast<char *>(handle)[size - 1] = 0;
    dnnl_memory_destroy(memory);
}

void check_accepted(const_dnnl_memory_desc_t md, unsigned changed) {
    check_queries(md);
    check_blob(md, changed);
    check_memory(md);
    dnnl_memory_desc_t clone = nullptr;
    expect(dnnl_memory_desc_clone(&clone, md) == dnnl_success);
    expect(dnnl_memory_desc_equal(clone, md));
    dnnl_memory_desc_destroy(clone);
}

/// The blob of `like` with fields that the input decides, and a checksum (64-bit FNV-1a) that fits:
/// so the checks behind the checksum are reached.
dnnl_status_t forged(bytes &in, dnnl_memory_desc_t *out, const_dnnl_memory_desc_t like) {
    std::size_t size = 0;
    if (dnnl_memory_desc_get_blob(nullptr, &size, like) != dnnl_success)
        return dnnl_invalid_arguments;
    std::vector<std::uint8_t> blob(size);
    dnnl_memory_desc_get_blob(blob.data(), &size, like);
    const int changes = 1 + in.below(4);
    for (int i = 0; i < changes; ++i) {
        const std::size_t field = 16 + 8 * (in.byte() % ((size - 24) / 8));
        const dnnl_dim_t value = in.dim();
        std::memcpy(&blob[field], &value, sizeof value);
    }
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < size - 8; ++i) hash = (hash ^ blob[i]) * 0x100000001b3u;
    std::memcpy(&blob[size - 8], &hash, sizeof hash);
    return dnnl_memory_desc_create_with_blob(out, blob.data());
}

dnnl_status_t make(bytes &in, const pool &made, dnnl_memory_desc_t *out) {
    dnnl_dims_t dims = {}, more = {};
    int permutation[DNNL_MAX_NDIMS] = {};
    const int kind = in.below(10), ndims = in.below(14);
    const int entries = ndims < DNNL_MAX_NDIMS ? ndims : DNNL_MAX_NDIMS;
    const auto type = static_cast<dnnl_data_type_t>(in.below(18));
    in.dims(dims, entries);
    switch (kind) {
    case 0: {
        const int tag = (in.byte() | in.byte() << 8) % 1200;
        return dnnl_memory_desc_create_with_tag(
            out, ndims, dims, type, static_cast<dnnl_format_tag_t>(tag));
    }
    case 1:
        in.dims(more, entries, 200);
        return dnnl_memory_desc_create_with_strides(out, ndims, dims, type, more);
    case 2:
        in.dims(dims, DNNL_MAX_NDIMS);
        in.dims(more, DNNL_MAX_NDIMS, 8);
        return dnnl_memory_desc_create_submemory(out, made.any(in), dims, more);
    case 3: return dnnl_memory_desc_reshape(out, made.any(in), ndims, dims);
    case 4:
        for (int &axis : permutation) axis = in.below(14) - 1;
        return dnnl_memory_desc_permute_axes(out, made.any(in), permutation);
    case 5: return forged(in, out, made.any(in));
    case 6: return dnnl_memory_desc_create_host_scalar(out, type);
    case 7: {
        const dnnl_dim_t nnz = in.dim();
        const auto indices = static_cast<dnnl_data_type_t>(in.below(18));
        const auto pointers = static_cast<dnnl_data_type_t>(in.below(18));
        return dnnl_memory_desc_create_with_csr_encoding(
            out, ndims, dims, type, nnz, indices, pointers);
    }
    case 8: {
        const dnnl_dim_t nnz = in.dim();
        const auto indices = static_cast<dnnl_data_type_t>(in.below(18));
        return dnnl_memory_desc_create_with_coo_encoding(out, ndims, dims, type, nnz, indices);
    }
    default: return dnnl_memory_desc_create_with_strides(out, ndims, dims, type, nullptr);
    }
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    bytes in(data, size);
    pool made;
    for (int calls = 0; calls < 16 && !in.empty(); ++calls) {
        const auto marker = reinterpret_cast<dnnl_memory_desc_t>(std::uintptr_t {64});
        dnnl_memory_desc_t out = marker;
        if (make(in, made, &out) == dnnl_success) {
            check_accepted(out, static_cast<unsigned>(in.byte() | in.byte() << 8));
            made.put(out);
        } else {
            expect(out == marker && dnnl_ext_last_error()[0] != '\0');
        }
    }
    return 0;
}
