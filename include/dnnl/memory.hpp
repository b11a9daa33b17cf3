// SPDX-License-Identifier: Apache-2.0
// memory::desc (shape, type and layout of a tensor) and memory (a tensor in a buffer).
// Specification: Data Model.

#ifndef ONEAPI_DNNL_MEMORY_HPP
#define ONEAPI_DNNL_MEMORY_HPP

#include "dnnl/common.hpp"
#include "dnnl/dnnl.h"
#include "dnnl/format_tag.hpp"

namespace dnnl {

/// @cond
template <> struct handle_traits<dnnl_memory_desc_t> {
    static dnnl_status_t destructor(dnnl_memory_desc_t p) { return dnnl_memory_desc_destroy(p); }
};

template <> struct handle_traits<dnnl_memory_t> {
    static dnnl_status_t destructor(dnnl_memory_t p) { return dnnl_memory_destroy(p); }
};
/// @endcond

/// A tensor: a descriptor, an engine and a buffer. Copies refer to the same tensor.
/// The engine, and a buffer that the user provided, must outlive it.
/// Specification: Data Model, Memory.
struct memory : public handle<dnnl_memory_t> {
    using handle::handle;

    /// Extent or stride along one dimension, in elements.
    typedef dnnl_dim_t dim;
    /// Extents or strides of all dimensions, logical order.
    typedef std::vector<dim> dims;

    /// Throws invalid_arguments unless min_size <= v.size() <= 12.
    template <typename T> static void validate_dims(const std::vector<T> &v, int min_size = 0) {
        validate_container_size(
            v, "dims: the number of dimensions is out of range", min_size, DNNL_MAX_NDIMS);
    }

    /// Element types. Specification: Data Model, Data Types.
    enum class data_type {
        undef = dnnl_data_type_undef, ///< None.
        f4_e3m0 = dnnl_f4_e3m0,       ///< 4-bit float, 3 exponent bits.
        f4_e2m1 = dnnl_f4_e2m1,       ///< 4-bit float, 2 exponent bits, 1 mantissa bit.
        e8m0 = dnnl_e8m0,             ///< Power of two, 2^(x - 127): a scale.
        f8_e5m2 = dnnl_f8_e5m2,       ///< 8-bit float, 5 exponent bits, 2 mantissa bits.
        f8_e4m3 = dnnl_f8_e4m3,       ///< 8-bit float, 4 exponent bits, 3 mantissa bits.
        f16 = dnnl_f16,               ///< IEEE 16-bit float.
        bf16 = dnnl_bf16,             ///< The upper half of an f32.
        f32 = dnnl_f32,               ///< IEEE 32-bit float.
        f64 = dnnl_f64,               ///< IEEE 64-bit float.
        s32 = dnnl_s32,               ///< Signed 32-bit integer.
        s8 = dnnl_s8,                 ///< Signed 8-bit integer.
        u8 = dnnl_u8,                 ///< Unsigned 8-bit integer.
        s4 = dnnl_s4,                 ///< Signed 4-bit integer, two per byte, low half first.
        u4 = dnnl_u4,                 ///< Unsigned 4-bit integer, two per byte, low half first.
        s64 = dnnl_s64,               ///< Signed 64-bit integer: of seeds and offsets only.
    };

    /// Bytes per element; 1 for 4-bit types, (size_t)-1 for undef.
    static size_t data_type_size(data_type adata_type) {
        return dnnl_data_type_size(convert_to_c(adata_type));
    }

    /// How a layout is described.
    enum class format_kind {
        undef = dnnl_format_kind_undef,             ///< Zero descriptor.
        any = dnnl_format_kind_any,                 ///< To be chosen by a primitive descriptor.
        blocked = dnnl_blocked,                     ///< Strides and inner blocks.
        sparse = dnnl_format_kind_sparse,           ///< Sparse encoding.
        opaque = dnnl_format_kind_opaque,           ///< Known to the implementation only.
        host_scalar = dnnl_format_kind_host_scalar, ///< One value kept in host memory.
    };

    /// Encodings of sparse tensors.
    enum class sparse_encoding {
        undef = dnnl_sparse_encoding_undef, ///< None.
        csr = dnnl_csr,                     ///< Values, column indices, row pointers.
        packed = dnnl_packed,               ///< Known to the implementation only.
        coo = dnnl_coo,                     ///< Values and one array of indices per dimension.
    };

    /// Names of layouts, for example nchw or aBcd8b.
    typedef memory_format_tag format_tag;

    /// Shape, element type and physical layout of a tensor.
    /// Copies refer to the same immutable C object; == compares contents.
    /// Specification: Data Model, Memory Descriptor.
    struct desc : public handle<dnnl_memory_desc_t> {
        using handle<dnnl_memory_desc_t>::handle;

        /// The zero descriptor (no dimensions, type undef): stands for an absent tensor.
        desc() {
            dnnl_memory_desc_t md = nullptr;
            error::wrap_c_api(dnnl_memory_desc_create_with_tag(
                                  &md, 0, nullptr, dnnl_data_type_undef, dnnl_format_tag_undef),
                "cannot create a zero memory descriptor");
            reset(md);
        }

        /// A descriptor with the layout `aformat_tag`; format_tag::any leaves the layout to the
        /// primitive descriptor.
        /// Throws invalid_arguments if there are more than 12 dimensions, one is negative, the type
        /// is undef or the tag is for another number of dimensions; with allow_empty the result is
        /// an empty handle instead (too many dimensions still throw).
        desc(const memory::dims &adims, memory::data_type adata_type,
            memory::format_tag aformat_tag, bool allow_empty = false) {
            validate_dims(adims);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                dnnl_memory_desc_create_with_tag(&md, static_cast<int>(adims.size()), adims.data(),
                    convert_to_c(adata_type), convert_to_c(aformat_tag));
            adopt(status, md, allow_empty, "cannot create a memory descriptor from a format tag");
        }

        /// A descriptor with the given strides, in elements; no strides means dense, row-major.
        /// A stride of 0 repeats the same elements along that dimension.
        /// Throws invalid_arguments if there are more than 12 dimensions, fewer strides than
        /// dimensions, a negative value, or strides that overlap; allow_empty as above.
        desc(const memory::dims &adims, memory::data_type adata_type, const memory::dims &strides,
            bool allow_empty = false) {
            validate_dims(adims);
            if (!strides.empty())
                validate_container_size(strides, "strides: fewer than dims or more than 12",
                    static_cast<int>(adims.size()), DNNL_MAX_NDIMS);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_strides(&md,
                static_cast<int>(adims.size()), adims.data(), convert_to_c(adata_type),
                strides.empty() ? nullptr : strides.data());
            adopt(status, md, allow_empty, "cannot create a memory descriptor from strides");
        }

        /// Takes ownership of a C descriptor.
        desc(dnnl_memory_desc_t md) : handle<dnnl_memory_desc_t>(md) {}

        /// Restores a descriptor from get_blob(). Throws invalid_arguments for other bytes.
        desc(const std::vector<uint8_t> &blob) {
            size_t expected = 0;
            error::wrap_c_api(dnnl_memory_desc_get_blob(nullptr, &expected, desc().get()),
                "cannot query the size of a memory descriptor blob");
            if (blob.size() < expected) {
                DNNL_THROW_ERROR(dnnl_invalid_arguments, "the memory descriptor blob is too short");
            }
            dnnl_memory_desc_t md = nullptr;
            error::wrap_c_api(dnnl_memory_desc_create_with_blob(&md, blob.data()),
                "cannot create a memory descriptor from a blob");
            reset(md);
        }

        /// A sparse matrix in compressed rows: nnz values, their column indices, row pointers.
        static desc csr(const memory::dims &adims, memory::data_type adata_type, memory::dim nnz,
            memory::data_type index_dt, memory::data_type pointer_dt, bool allow_empty = false) {
            validate_dims(adims);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_csr_encoding(&md,
                static_cast<int>(adims.size()), adims.data(), convert_to_c(adata_type), nnz,
                convert_to_c(index_dt), convert_to_c(pointer_dt));
            return adopted(status, md, allow_empty, "cannot create a CSR memory descriptor");
        }

        /// A sparse tensor as nnz values with one array of indices per dimension, ascending by row.
        static desc coo(const memory::dims &adims, memory::data_type adata_type, memory::dim nnz,
            memory::data_type index_dt, bool allow_empty = false) {
            validate_dims(adims);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                dnnl_memory_desc_create_with_coo_encoding(&md, static_cast<int>(adims.size()),
                    adims.data(), convert_to_c(adata_type), nnz, convert_to_c(index_dt));
            return adopted(status, md, allow_empty, "cannot create a COO memory descriptor");
        }

        /// A sparse tensor in an encoding that the implementation chooses; no primitive of this
        /// library does.
        static desc packed(const memory::dims &adims, memory::data_type adata_type, memory::dim nnz,
            bool allow_empty = false) {
            validate_dims(adims);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_create_with_packed_encoding(
                &md, static_cast<int>(adims.size()), adims.data(), convert_to_c(adata_type), nnz);
            return adopted(status, md, allow_empty, "cannot create a packed memory descriptor");
        }

        /// One value of this type in host memory, for scales, zero points and dropout arguments.
        /// Throws invalid_arguments for undef.
        static desc host_scalar(memory::data_type adata_type) {
            dnnl_memory_desc_t md = nullptr;
            error::wrap_c_api(dnnl_memory_desc_create_host_scalar(&md, convert_to_c(adata_type)),
                "cannot create a memory descriptor of a host scalar");
            return desc(md);
        }

        /// The region of this tensor that starts at `offsets` and has extents `adims`, both in
        /// elements. A memory with the result takes the data handle of the whole tensor.
        /// Throws invalid_arguments if the region is not inside, unimplemented if an offset cuts a
        /// block; with allow_empty the result is an empty handle instead.
        desc submemory_desc(const memory::dims &adims, const memory::dims &offsets,
            bool allow_empty = false) const {
            validate_container_size(adims, "dims: fewer than the parent's or more than 12",
                get_ndims(), DNNL_MAX_NDIMS);
            validate_container_size(offsets,
                "offsets: fewer than the parent's dims or more than 12", get_ndims(),
                DNNL_MAX_NDIMS);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                dnnl_memory_desc_create_submemory(&md, get(), adims.data(), offsets.data());
            return adopted(status, md, allow_empty, "cannot create a submemory descriptor");
        }

        /// The same elements in the same row-major order under other extents: dimensions of size 1
        /// may come and go, dense dimensions may be joined or split. No data moves.
        /// Throws invalid_arguments if the layout cannot express it; allow_empty as above.
        desc reshape(const memory::dims &adims, bool allow_empty = false) const {
            if (get_ndims() != 0) validate_dims(adims, 1);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                dnnl_memory_desc_reshape(&md, get(), static_cast<int>(adims.size()), adims.data());
            return adopted(status, md, allow_empty, "cannot reshape a memory descriptor");
        }

        /// The same data with dimension i renamed to dimension permutation[i]. No data moves.
        /// Throws invalid_arguments unless it is a permutation of 0 ... ndims-1; allow_empty as
        /// above.
        desc permute_axes(const std::vector<int> &permutation, bool allow_empty = false) const {
            validate_container_size(permutation,
                "permutation: fewer entries than dims or more than 12", get_ndims(),
                DNNL_MAX_NDIMS);
            dnnl_memory_desc_t md = nullptr;
            const dnnl_status_t status =
                dnnl_memory_desc_permute_axes(&md, get(), permutation.data());
            return adopted(
                status, md, allow_empty, "cannot permute the axes of a memory descriptor");
        }

        /// Number of dimensions. This and the other getters never throw: what does not apply to the
        /// layout gives 0, an empty vector or undef.
        int get_ndims() const { return query_value<int>(dnnl_query_ndims_s32, 0); }
        /// Extents rounded up to whole blocks.
        memory::dims get_padded_dims() const {
            return query_dims(dnnl_query_padded_dims, get_ndims());
        }
        /// Where the tensor starts inside its padding: all 0.
        memory::dims get_padded_offsets() const {
            return query_dims(dnnl_query_padded_offsets, get_ndims());
        }
        /// Elements before the first element of a region made by submemory_desc().
        memory::dim get_submemory_offset() const {
            return query_value<memory::dim>(dnnl_query_submemory_offset_s64, 0);
        }
        /// Elements between neighbours (in blocked dimensions: between blocks) along each
        /// dimension.
        memory::dims get_strides() const { return query_dims(dnnl_query_strides, get_ndims()); }
        /// Number of inner blocks.
        int get_inner_nblks() const { return query_value<int>(dnnl_query_inner_nblks_s32, 0); }
        /// Sizes of the inner blocks, outermost first.
        memory::dims get_inner_blks() const {
            return query_dims(dnnl_query_inner_blks, get_inner_nblks());
        }
        /// Dimensions of the inner blocks, outermost first.
        memory::dims get_inner_idxs() const {
            return query_dims(dnnl_query_inner_idxs, get_inner_nblks());
        }
        /// Extents.
        memory::dims get_dims() const { return query_dims(dnnl_query_dims, get_ndims()); }
        /// Extents; the specification's name of get_dims().
        memory::dims dims() const { return get_dims(); }

        /// Element type; index > 0 selects the other buffers of a sparse tensor.
        memory::data_type get_data_type(int index = 0) const {
            return static_cast<memory::data_type>(query_value_v2<dnnl_data_type_t>(
                dnnl_query_data_type, index, dnnl_data_type_undef));
        }
        /// Bytes that buffer number `index` needs, padding included. 0 for the zero descriptor, an
        /// `any` layout and an empty tensor; DNNL_RUNTIME_SIZE_VAL with run-time extents.
        size_t get_size(int index = 0) const {
            return dnnl_memory_desc_get_size_v2(get(true), index);
        }
        /// Number of buffers.
        int get_num_handles() const {
            return query_value_v2<int>(dnnl_query_num_handles_s32, 0, 0);
        }
        /// Number of stored values.
        memory::dim get_nnz() const {
            return query_value_v2<memory::dim>(dnnl_query_nnz_s64, 0, 0);
        }
        /// Encoding of a sparse tensor.
        memory::sparse_encoding get_sparse_encoding() const {
            return static_cast<memory::sparse_encoding>(query_value_v2<dnnl_sparse_encoding_t>(
                dnnl_query_sparse_encoding, 0, dnnl_sparse_encoding_undef));
        }
        /// Element type; the specification's name of get_data_type().
        memory::data_type data_type() const { return get_data_type(); }
        /// How the layout is described.
        memory::format_kind get_format_kind() const {
            return static_cast<memory::format_kind>(
                query_value<dnnl_format_kind_t>(dnnl_query_format_kind, dnnl_format_kind_undef));
        }

        /// The descriptor as bytes, for the constructor that takes them back.
        std::vector<uint8_t> get_blob() const {
            size_t bytes = 0;
            error::wrap_c_api(dnnl_memory_desc_get_blob(nullptr, &bytes, get()),
                "cannot query the size of a memory descriptor blob");
            std::vector<uint8_t> blob(bytes);
            error::wrap_c_api(dnnl_memory_desc_get_blob(blob.data(), &bytes, get()),
                "cannot get a memory descriptor blob");
            return blob;
        }

        /// Whether this is the zero descriptor.
        bool is_zero() const { return get_ndims() == 0; }

        /// Whether shape, type and layout are equal. Strides of dimensions of size 1 do not count.
        bool operator==(const desc &other) const {
            return dnnl_memory_desc_equal(get(true), other.get(true)) != 0;
        }
        bool operator!=(const desc &other) const { return !(*this == other); }

      private:
        // Takes ownership of md, or throws, or stays empty.
        void adopt(
            dnnl_status_t status, dnnl_memory_desc_t md, bool allow_empty, const char *what) {
            if (!allow_empty) error::wrap_c_api(status, what);
            reset(status == dnnl_success ? md : nullptr);
        }

        static desc adopted(
            dnnl_status_t status, dnnl_memory_desc_t md, bool allow_empty, const char *what) {
            desc result(nullptr, true);
            result.adopt(status, md, allow_empty, what);
            return result;
        }

        template <typename T> T query_value(dnnl_query_t what, T fallback) const {
            T result = fallback;
            const dnnl_status_t status = dnnl_memory_desc_query(get(true), what, &result);
            return status == dnnl_success ? result : fallback;
        }

        template <typename T> T query_value_v2(dnnl_query_t what, int index, T fallback) const {
            T result = fallback;
            const dnnl_status_t status = dnnl_memory_desc_query_v2(get(true), what, index, &result);
            return status == dnnl_success ? result : fallback;
        }

        memory::dims query_dims(dnnl_query_t what, int count) const {
            const dnnl_dims_t *values = nullptr;
            const dnnl_status_t status = dnnl_memory_desc_query(get(true), what, &values);
            if (status != dnnl_success || values == nullptr) return memory::dims();
            return memory::dims(*values, *values + count);
        }
    };

    /// An empty memory.
    memory() = default;

    /// A sparse tensor in several buffers, in the order of its encoding; each as below.
    memory(const desc &md, const engine &aengine, std::vector<void *> handles) {
        create(md, aengine, handles);
    }
    /// A tensor in a buffer of the user (at least md.get_size() bytes, not owned), in one that the
    /// library allocates (DNNL_MEMORY_ALLOCATE; contents undefined), or without one yet
    /// (DNNL_MEMORY_NONE).
    /// Throws invalid_arguments for an empty engine, an `any` layout or run-time extents,
    /// out_of_memory if the allocation fails.
    memory(const desc &md, const engine &aengine, void *buffer) {
        create(md, aengine, std::vector<void *>(1, buffer));
    }
    /// A tensor in buffers that the library allocates and frees. Errors as above.
    memory(const desc &md, const engine &aengine) {
        const size_t count = static_cast<size_t>(md.get_num_handles());
        create(md, aengine, std::vector<void *>(count > 0 ? count : 1, DNNL_MEMORY_ALLOCATE));
    }

    /// A host scalar with this value. Throws invalid_arguments unless md describes a host scalar of
    /// the size of T.
    template <typename T> memory(const desc &md, const T value) {
        if (sizeof(T) != md.get_size()) {
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the value has another size than the type");
        }
        T copy = value;
        dnnl_memory_t created = nullptr;
        error::wrap_c_api(dnnl_memory_create_host_scalar(&created, md.get(), &copy),
            "cannot create a memory of a host scalar");
        reset(created);
    }

    /// The value of a host scalar. Throws invalid_arguments for other memories and when T has
    /// another size.
    template <typename T> T get_host_scalar_value() const {
        require_scalar_of(sizeof(T));
        T value = T();
        error::wrap_c_api(dnnl_memory_get_host_scalar_value(get(), &value),
            "cannot get the value of a host scalar");
        return value;
    }

    /// Replaces the value of a host scalar. Errors as above.
    template <typename T> void set_host_scalar_value(const T value) const {
        require_scalar_of(sizeof(T));
        error::wrap_c_api(dnnl_memory_set_host_scalar_value(get(), &value),
            "cannot set the value of a host scalar");
    }

    /// A copy of the descriptor.
    desc get_desc() const {
        const_dnnl_memory_desc_t borrowed = nullptr;
        error::wrap_c_api(dnnl_memory_get_memory_desc(get(), &borrowed),
            "cannot query the descriptor of a memory");
        dnnl_memory_desc_t copy = nullptr;
        error::wrap_c_api(
            dnnl_memory_desc_clone(&copy, borrowed), "cannot copy a memory descriptor");
        return desc(copy);
    }

    /// The engine, as a handle that does not own it; an empty one for a host scalar.
    engine get_engine() const {
        dnnl_engine_t result = nullptr;
        error::wrap_c_api(
            dnnl_memory_get_engine(get(), &result), "cannot query the engine of a memory");
        return engine(result, true);
    }

    /// Buffer number `index`; null if there is none.
    void *get_data_handle(int index = 0) const {
        void *result = nullptr;
        error::wrap_c_api(dnnl_memory_get_data_handle_v2(get(), &result, index),
            "cannot query the data handle of a memory");
        return result;
    }
    /// Replaces buffer number `index`.
    void set_data_handle(void *buffer, int index = 0) const {
        error::wrap_c_api(dnnl_memory_set_data_handle_v2(get(), buffer, index),
            "cannot set the data handle of a memory");
    }
    /// Pointer to the elements of buffer number `index`; give it back to unmap_data().
    template <typename T = void> T *map_data(int index = 0) const {
        void *result = nullptr;
        error::wrap_c_api(
            dnnl_memory_map_data_v2(get(), &result, index), "cannot map the data of a memory");
        return static_cast<T *>(result);
    }
    /// Ends the access that map_data() began.
    void unmap_data(void *mapped_ptr, int index = 0) const {
        error::wrap_c_api(dnnl_memory_unmap_data_v2(get(), mapped_ptr, index),
            "cannot unmap the data of a memory");
    }

    /// Replaces the buffer in the order of the stream's work. CPU streams have none pending, so it
    /// is replaced at once. Throws invalid_arguments for an empty stream.
    void set_data_handle(void *buffer, const stream &astream) const {
        astream.get();
        set_data_handle(buffer);
    }

    /// The C value of a data type.
    static dnnl_data_type_t convert_to_c(data_type adata_type) {
        return static_cast<dnnl_data_type_t>(adata_type);
    }
    /// The C value of a format tag.
    static dnnl_format_tag_t convert_to_c(format_tag format) {
        return static_cast<dnnl_format_tag_t>(format);
    }

  private:
    void require_scalar_of(size_t bytes) const {
        if (bytes != get_desc().get_size()) {
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the value has another size than the type");
        }
    }

    void create(const desc &md, const engine &aengine, std::vector<void *> handles) {
        dnnl_memory_t created = nullptr;
        error::wrap_c_api(dnnl_memory_create_v2(&created, md.get(), aengine.get(),
                              static_cast<int>(handles.size()), handles.data()),
            "cannot create a memory");
        reset(created);
    }
};

/// Comparisons of C and C++ values.
inline bool operator==(dnnl_data_type_t a, memory::data_type b) {
    return a == memory::convert_to_c(b);
}
inline bool operator!=(dnnl_data_type_t a, memory::data_type b) { return !(a == b); }
inline bool operator==(memory::data_type a, dnnl_data_type_t b) { return b == a; }
inline bool operator!=(memory::data_type a, dnnl_data_type_t b) { return !(a == b); }
inline bool operator==(dnnl_format_tag_t a, memory::format_tag b) {
    return a == memory::convert_to_c(b);
}
inline bool operator!=(dnnl_format_tag_t a, memory::format_tag b) { return !(a == b); }
inline bool operator==(memory::format_tag a, dnnl_format_tag_t b) { return b == a; }
inline bool operator!=(memory::format_tag a, dnnl_format_tag_t b) { return !(a == b); }

/// The C value of a format kind.
inline dnnl_format_kind_t convert_to_c(memory::format_kind kind) {
    return static_cast<dnnl_format_kind_t>(kind);
}

/// The C value of a sparse encoding.
inline dnnl_sparse_encoding_t convert_to_c(memory::sparse_encoding encoding) {
    return static_cast<dnnl_sparse_encoding_t>(encoding);
}

/// The C handles of several descriptors, borrowed. Throws invalid_arguments if one is empty.
inline std::vector<const_dnnl_memory_desc_t> convert_to_c(const std::vector<memory::desc> &mds) {
    std::vector<const_dnnl_memory_desc_t> result;
    result.reserve(mds.size());
    for (const memory::desc &md : mds) result.push_back(md.get());
    return result;
}

} // namespace dnnl

#endif
