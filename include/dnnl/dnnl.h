// SPDX-License-Identifier: Apache-2.0
// C API: memory, attributes, primitive descriptors, primitives, service, GEMM.
//
// Rules for every function that returns dnnl_status_t, not repeated below:
// - dnnl_invalid_arguments for NULL where a pointer or handle is required, and for values that are
//   no enumerator.
// - On failure outputs keep their value; dnnl_ext_last_error() tells the reason.
// - What a create or clone function writes belongs to the caller, who destroys it; a const handle
//   from a get or query function belongs to the object asked. Destroying NULL succeeds.
// - Everything is copied: descriptors, attributes and post-ops may be destroyed after use. Only
//   the engine must outlive what was created on it.
// - Lengths, strides and offsets are in elements; arrays are in the order of the logical dims.
// - attr may be NULL for default attributes.
// "Specification" names a section of the oneDNN part of the oneAPI specification 1.3; "Extension"
// is what only oneDNN has.
#ifndef ONEAPI_DNNL_DNNL_H
#define ONEAPI_DNNL_DNNL_H

#include "dnnl/dnnl_common.h"
#include "dnnl/dnnl_config.h"
#include "dnnl/dnnl_types.h"
#include "dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Memory descriptors ----

/// Destroys a memory descriptor; NULL is allowed.
/// Specification: Memory, Memory Descriptors.
DNNL_API dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc);

/// Creates a copy of a memory descriptor.
/// Specification: Memory, Memory Descriptors.
DNNL_API dnnl_status_t dnnl_memory_desc_clone(
    dnnl_memory_desc_t *memory_desc, const_dnnl_memory_desc_t existing_memory_desc);

/// Writes a descriptor as bytes. With blob NULL only the size in bytes is written; else *size is
/// the room in blob.
/// Errors: dnnl_invalid_arguments if there is too little room.
/// Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_get_blob(
    uint8_t *blob, size_t *size, const_dnnl_memory_desc_t memory_desc);

/// Creates the descriptor that dnnl_memory_desc_get_blob() wrote, equal to the original.
/// Errors: dnnl_invalid_arguments if the bytes do not describe a tensor.
/// Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_blob(
    dnnl_memory_desc_t *memory_desc, const uint8_t *blob);

/// Creates a descriptor of ndims dimensions with strides[d] elements between neighbours along d.
/// A stride of 0 repeats the elements; strides NULL is dense, the last dimension contiguous. Dims
/// and strides may be DNNL_RUNTIME_DIM_VAL. With ndims 0 it is the zero descriptor.
/// Errors: dnnl_invalid_arguments for ndims outside 0..12, a negative dim or stride, no data
/// type, elements that overlap, or a size that overflows.
/// Specification: Memory, Memory Descriptors.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *memory_desc,
    int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, const dnnl_dims_t strides);

/// Creates a descriptor of ndims dimensions in the layout that a tag names; blocked dimensions
/// are padded to whole blocks. dnnl_format_tag_any leaves the layout to the primitive. With ndims
/// 0 or tag undef it is the zero descriptor.
/// Errors: dnnl_invalid_arguments for ndims outside 0..12 or not that of the tag, a negative dim,
/// no data type, run-time dims with any, or a size that overflows.
/// Specification: Memory, Memory Descriptors.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *memory_desc, int ndims,
    const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_format_tag_t tag);

/// Creates the descriptor of the box of dims[d] elements from offsets[d] on inside a parent
/// tensor. It goes with the parent's buffer.
/// Errors: dnnl_invalid_arguments if the box leaves the parent or the parent is not blocked;
/// dnnl_unimplemented if the parent has run-time dims or layout any, or if an offset is not a
/// multiple of a block.
/// Specification: Memory, Memory Descriptors.
DNNL_API dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *memory_desc,
    const_dnnl_memory_desc_t parent_memory_desc, const dnnl_dims_t dims, const dnnl_dims_t offsets);

/// Creates a descriptor of the same elements in the same order with other dims: dimensions of 1
/// are added or removed, dimensions split, or contiguous ones joined. No data moves; any stays
/// any.
/// Errors: dnnl_invalid_arguments if the number of elements differs, the layout cannot express
/// the result, or dims are run-time values.
/// Specification: Memory, Memory Descriptors.
DNNL_API dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t *out_memory_desc,
    const_dnnl_memory_desc_t in_memory_desc, int ndims, const dnnl_dims_t dims);

/// Creates a descriptor whose dimension permutation[i] is dimension i of the input. No data
/// moves.
/// Errors: dnnl_invalid_arguments if permutation is not one of 0..ndims-1.
/// Specification: Memory, Memory Descriptors.
DNNL_API dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t *out_memory_desc,
    const_dnnl_memory_desc_t in_memory_desc, const int *permutation);

/// Writes a property of a descriptor; dnnl_query_t tells the type that result points to. Arrays
/// belong to the descriptor.
/// Errors: dnnl_invalid_arguments for strides or inner blocks of a layout that is not blocked;
/// dnnl_unimplemented for a query of something else.
/// Specification: Memory, Memory Descriptors.
DNNL_API dnnl_status_t dnnl_memory_desc_query(
    const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void *result);

/// 1 if two descriptors describe the same tensor in the same layout, else 0. Strides of
/// dimensions of 1 do not count. NULL equals only NULL.
/// Specification: Memory, Memory Descriptors.
DNNL_API int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs);

/// Size in bytes of the buffer that a descriptor needs, padding included; 0 for NULL, the zero
/// descriptor, layout any and empty tensors; DNNL_RUNTIME_SIZE_VAL with run-time dims or strides.
/// Specification: Memory, Memory Descriptors.
DNNL_API size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc);

/// Size in bytes of an element, 1 for the 4-bit types; (size_t)-1 for undef and unknown values.
/// Extension.
DNNL_API size_t dnnl_data_type_size(dnnl_data_type_t data_type);

/// Creates a descriptor of a sparse matrix by rows. Buffers of its memories: nnz values; nnz column
/// indices of type indices_dt; rows + 1 places of type pointers_dt, where each row begins in the
/// other two. Primitives take indices and pointers of type s32 only.
/// Errors: dnnl_invalid_arguments as for a dense tensor and for a negative nnz; dnnl_unimplemented
/// for more than two dimensions. Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t *memory_desc,
    int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
    dnnl_data_type_t indices_dt, dnnl_data_type_t pointers_dt);

/// Creates a descriptor of a sparse tensor of nnz values with their positions. Buffers of its
/// memories: nnz values; for each dimension nnz indices of type indices_dt. The values are sorted
/// by row, then by column: the library does not check. Errors as above. Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t *memory_desc,
    int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
    dnnl_data_type_t indices_dt);

/// Creates a descriptor of sparse weights in an encoding that a primitive chooses: no memory can
/// have it. No primitive of this library offers such an encoding. Errors as above, any number of
/// dimensions. Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t *memory_desc,
    int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz);

/// Creates a descriptor of one value that stays in host memory: a scale, a zero point, or what a
/// dropout needs. One dimension of size 1. Errors: dnnl_invalid_arguments for an unknown type.
/// Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_create_host_scalar(
    dnnl_memory_desc_t *memory_desc, dnnl_data_type_t data_type);

/// dnnl_memory_desc_query() for buffer number index; only data types differ between the buffers.
/// Errors: dnnl_invalid_arguments for other indices, and for queries of sparse tensors on others.
/// Extension.
DNNL_API dnnl_status_t dnnl_memory_desc_query_v2(
    const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index, void *result);

/// dnnl_memory_desc_get_size() for buffer number index; 0 where there is none. Extension.
DNNL_API size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index);

// ---- Memory objects ----

/// Creates a memory object. handle is a buffer of dnnl_memory_desc_get_size() bytes that stays
/// the caller's, DNNL_MEMORY_NONE, or DNNL_MEMORY_ALLOCATE for an uninitialised buffer of the
/// library, aligned to 64 bytes. memory_desc NULL or empty gives an object without buffer.
/// Errors: dnnl_invalid_arguments for layout any or run-time dims; dnnl_out_of_memory.
/// Specification: Memory, Memory Objects.
DNNL_API dnnl_status_t dnnl_memory_create(dnnl_memory_t *memory,
    const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, void *handle);

/// Writes the descriptor of a memory object.
/// Specification: Memory, Memory Objects.
DNNL_API dnnl_status_t dnnl_memory_get_memory_desc(
    const_dnnl_memory_t memory, const_dnnl_memory_desc_t *memory_desc);

/// Writes the engine of a memory object.
/// Specification: Memory, Memory Objects.
DNNL_API dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t *engine);

/// Writes a pointer through which the host may read and write the data; on the CPU the buffer
/// itself. Give it back with dnnl_memory_unmap_data().
/// Specification: Memory, Memory Objects.
DNNL_API dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void **mapped_ptr);

/// Ends the access that dnnl_memory_map_data() began.
/// Specification: Memory, Memory Objects.
DNNL_API dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void *mapped_ptr);

/// Writes the buffer of a memory object, NULL if it has none or if memory is NULL.
/// Specification: Memory, Memory Objects.
DNNL_API dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void **handle);

/// Gives a memory object another buffer, which stays the caller's, or NULL. A buffer of the
/// library is freed. The data is not touched; whoever fills a blocked layout by hand must write
/// zeros to its padding.
/// Specification: Memory, Memory Objects.
DNNL_API dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void *handle);

/// Destroys a memory object and the buffer if the library allocated it; NULL is allowed.
/// Specification: Memory, Memory Objects.
DNNL_API dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory);

/// dnnl_memory_create() with a handle for each of the descriptor's buffers; buffers without a
/// handle stay empty until dnnl_memory_set_data_handle_v2() gives them one. Errors: also
/// dnnl_invalid_arguments for NULL handles, nhandles <= 0 or more than there are buffers, host
/// scalars. Extension.
DNNL_API dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t *memory,
    const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, int nhandles, void **handles);

/// Creates a memory object that holds a copy of the value at scalar_ptr. It has no engine and no
/// handle. Errors: dnnl_invalid_arguments for descriptors of another kind. Extension.
DNNL_API dnnl_status_t dnnl_memory_create_host_scalar(
    dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc, void *scalar_ptr);

/// Copies the value of a host scalar to value. Errors: dnnl_invalid_arguments for other memories.
/// Extension.
DNNL_API dnnl_status_t dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void *value);

/// Replaces the value of a host scalar; executions that begin later read it. Errors as above.
/// Extension.
DNNL_API dnnl_status_t dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void *value);

/// dnnl_memory_map_data() for buffer number index. A host scalar gives the address of its value.
/// Errors: dnnl_invalid_arguments where there is no such buffer. Extension.
DNNL_API dnnl_status_t dnnl_memory_map_data_v2(
    const_dnnl_memory_t memory, void **mapped_ptr, int index);

/// dnnl_memory_unmap_data() for buffer number index. Errors as above. Extension.
DNNL_API dnnl_status_t dnnl_memory_unmap_data_v2(
    const_dnnl_memory_t memory, void *mapped_ptr, int index);

/// dnnl_memory_get_data_handle() for buffer number index. Errors: dnnl_invalid_arguments for host
/// scalars and where there is no such buffer. Extension.
DNNL_API dnnl_status_t dnnl_memory_get_data_handle_v2(
    const_dnnl_memory_t memory, void **handle, int index);

/// dnnl_memory_set_data_handle() for buffer number index. Errors as above. Extension.
DNNL_API dnnl_status_t dnnl_memory_set_data_handle_v2(
    dnnl_memory_t memory, void *handle, int index);

// ---- Primitive attributes ----

/// Creates attributes with default values: no scales, zero points or post-ops, library
/// scratchpad, strict arithmetic (dnnl_set_default_fpmath_mode() may have changed that).
/// Specification: Attributes.
DNNL_API dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr);

/// Creates a copy of attributes.
/// Specification: Attributes.
DNNL_API dnnl_status_t dnnl_primitive_attr_clone(
    dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr);

/// Destroys attributes; NULL is allowed.
/// Specification: Attributes.
DNNL_API dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr);

/// Writes the descriptor of the dropout mask, the zero descriptor when there is none.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout(
    const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc);

/// dnnl_primitive_attr_set_dropout_v2() with an s32 seed, without an offset.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout(
    dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc);

/// Writes what dnnl_primitive_attr_set_dropout_v2() set: the zero descriptor, undef, 0 and 0
/// without dropout. Each output may be NULL.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr,
    const_dnnl_memory_desc_t *mask_desc, dnnl_data_type_t *seed_dt, int *use_offset,
    int *use_host_scalars);

/// Drops elements of a result before the post-ops: mask = 1 with probability 1 - p, dst =
/// result * mask / (1 - p). mask_desc is u8 with the dims of dst, or the zero descriptor: then the
/// mask is not stored. Arguments of the execution are DNNL_ARG_ATTR_DROPOUT_MASK,
/// DNNL_ARG_ATTR_DROPOUT_PROBABILITY (f32), DNNL_ARG_ATTR_DROPOUT_SEED (of type seed_dt, s32 or
/// s64) and with use_offset other than 0 DNNL_ARG_ATTR_DROPOUT_OFFSET (s64), one value each; with
/// use_host_scalars other than 0 they are host scalars. An element's random number depends on seed,
/// offset and the element's place in dst alone. Offered by matmul, and by eltwise and softmax
/// forward. Only new attributes are without dropout again.
/// Errors: dnnl_invalid_arguments for another type of the mask or of the seed.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
    const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_dt, int use_offset,
    int use_host_scalars);

/// Writes the math mode.
/// Specification: Attributes, Floating-point Math Mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(
    const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode);

/// As dnnl_primitive_attr_set_fpmath_mode_v2() with apply_to_int 0.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(
    dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode);

/// Writes the math mode and whether it holds for integer tensors; an output may be NULL.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(
    const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode, int *apply_to_int);

/// Sets the type that f32 arithmetic may silently use. apply_to_int not 0: integer weights may be
/// multiplied as floating point too (weight decompression in matmul).
/// Errors: dnnl_invalid_arguments if mode is no enumerator.
/// Specification: Attributes, Floating-point Math Mode.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(
    dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int);

/// Writes 1 if results must be reproducible bit by bit, else 0.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_deterministic(
    const_dnnl_primitive_attr_t attr, int *value);

/// Asks for results that are reproducible bit by bit; any value but 0 is yes.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value);

/// Writes the accumulation mode.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(
    const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode);

/// Sets the type that sums are kept in.
/// Errors: dnnl_invalid_arguments if mode is no enumerator.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(
    dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode);

/// Writes who owns the scratchpad.
/// Specification: Attributes, Scratchpad.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(
    const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode);

/// Sets who owns the scratchpad. User: query dnnl_query_scratchpad_md and pass
/// DNNL_ARG_SCRATCHPAD to each execution; executions at the same time need one each.
/// Errors: dnnl_invalid_arguments if mode is no enumerator.
/// Specification: Attributes, Scratchpad.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(
    dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode);

/// Announces f32 scales of an argument: one value per index of each dimension whose bit is set in
/// mask. The values come with the execution, as DNNL_ARG_ATTR_SCALES | arg: real = scale *
/// stored. Weights [K, N] with a scale per column need mask 2 and a memory of {N}.
/// Errors: dnnl_invalid_arguments for a negative mask or an argument that takes no scales.
/// Specification: Attributes, Quantization.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_mask(
    dnnl_primitive_attr_t attr, int arg, int mask);

/// dnnl_primitive_attr_set_scales_v2() for values in a memory of the engine.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask,
    int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/// dnnl_primitive_attr_set_scales_v3() for scales that the user gives.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg,
    int mask, int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type, int is_on_host);

/// Announces scales of type data_type (f32, bf16, f16; e8m0 or f8_e4m3 with a mask other than 0)
/// with groups: ndims 0 for none, whatever group_dims is, or ndims 2 and the numbers of neighbours,
/// along the last two dimensions, that share a value. The mask must name every dimension along
/// which the values differ. Their memory has the extents of these dimensions, divided by the
/// groups, dense and row-major: weights [K, N] with groups {g, 1} need mask 3 and a memory {K / g,
/// N} in the layout ab, or the same values as one vector. Executions refuse other shapes and
/// layouts. is_on_host other than 0: one value for the whole tensor, given as a host scalar or as a
/// memory of one element. Dynamic modes (of DNNL_ARG_DST) make the scales an output: the library
/// finds and stores them. Errors: dnnl_invalid_arguments for a bad mask, group, type, mode or
/// argument. Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg,
    int mask, int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type, int is_on_host,
    dnnl_quantization_mode_t qmode);

/// Announces s32 zero points of DNNL_ARG_SRC, _WEIGHTS or _DST: one value per index of each
/// dimension whose bit is set in mask. The values come with the execution, as
/// DNNL_ARG_ATTR_ZERO_POINTS | arg: real = scale * (stored - zero point).
/// Errors: dnnl_invalid_arguments for a negative mask or another argument.
/// Specification: Attributes, Quantization.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(
    dnnl_primitive_attr_t attr, int arg, int mask);

/// dnnl_primitive_attr_set_zero_points_v2() for values in a memory of the engine.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg,
    int mask, int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/// Announces zero points of type data_type (s32, s8, u8; s4 or u4 with a mask other than 0) with
/// groups; mask, groups, shape and order of the values, and values on the host, are those of
/// dnnl_primitive_attr_set_scales_v3(). Those of DNNL_ARG_DST are s32 without groups.
/// Errors: dnnl_invalid_arguments for a bad mask, group, type or argument.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg,
    int mask, int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type, int is_on_host);

/// Announces sums of src over groups of K that the user has made already, s32 of shape
/// {M, K / group_dims[1]}, dense and row-major: the execution takes them as
/// DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | DNNL_ARG_SRC and need not sum src for the zero points of
/// the weights. They are trusted.
/// Errors: dnnl_invalid_arguments for an argument other than DNNL_ARG_SRC, a type other than s32, a
/// bad mask or group.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr,
    int arg, int mask, int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type);

/// Sets how results of DNNL_ARG_DST, _DIFF_SRC or _DIFF_WEIGHTS are rounded. Stochastic rounding
/// takes an s32 seed as DNNL_ARG_ATTR_ROUNDING_SEED.
/// Errors: dnnl_invalid_arguments for another argument or mode.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rounding(
    dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode);

/// Writes the rounding mode of an argument.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rounding(
    dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode);

/// Writes the post-ops, which belong to the attributes.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_post_ops(
    const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops);

/// Sets the post-ops; they are copied.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_post_ops(
    dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops);

/// Sets the quantization of u8 and s8 RNN data: real = (stored - shift) / scale. On a reorder
/// between f32 and data of three or four dimensions: stored = real * scale + shift, or the inverse.
/// Specification: Attributes, Quantization.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(
    dnnl_primitive_attr_t attr, const float scale, const float shift);

/// Writes the quantization of RNN data.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(
    const_dnnl_primitive_attr_t attr, float *scale, float *shift);

/// Sets the scales of the s8 layer and iteration weights of an RNN: real = stored / scale. count
/// values, one per index of each dimension whose bit is set in mask; copied. On a reorder between
/// f32 and s8 weights of five dimensions: stored = real * scale, or the inverse. Masks 0 and 24.
/// Errors: dnnl_invalid_arguments for a count below 1 or a negative mask.
/// Specification: Attributes, Quantization.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(
    dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales);

/// Writes the scales of the layer and iteration weights; the array belongs to the attributes.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(
    const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales);

/// Sets the scales of the s8 projection weights of an RNN: real = stored / scale. count values,
/// one per index of each dimension whose bit is set in mask; copied. Masks 0 and 8. A reorder to or
/// from s8 of four dimensions takes them where the layout is one that an RNN chose or is blocked,
/// or where the quantization of data is not set; else it takes that.
///
/// Errors: dnnl_invalid_arguments for a count below 1 or a negative mask.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(
    dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales);

/// Writes the scales of the projection weights; the array belongs to the attributes.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(
    const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales);

// ---- Post-ops ----

/// Creates an empty list of post-ops.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops);

/// Creates a copy of post-ops.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_post_ops_clone(
    dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing_post_ops);

/// Destroys post-ops; NULL is allowed.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops);

/// Number of entries, 0 for NULL.
/// Specification: Attributes, Post-ops.
DNNL_API int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops);

/// Kind of entry number index: sum, eltwise, binary, prelu, or convolution for a depthwise one;
/// dnnl_undefined_primitive if there is no such entry.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index);

/// Appends x = x + scale * (dst - zero_point), dst being the contents before the execution, read
/// as data_type (undef: as the type of dst).
/// Errors: dnnl_out_of_memory for a 33rd entry.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_post_ops_append_sum(
    dnnl_post_ops_t post_ops, float scale, int32_t zero_point, dnnl_data_type_t data_type);

/// Writes the parameters of sum entry number index; an output may be NULL.
/// Errors: dnnl_invalid_arguments if there is no such entry or it is of another kind.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index,
    float *scale, int32_t *zero_point, dnnl_data_type_t *data_type);

/// Appends x = f(x; alpha, beta).
/// Errors: dnnl_invalid_arguments unless alg_kind is an eltwise kind, or if clip has alpha >
/// beta; dnnl_out_of_memory for a 33rd entry.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_post_ops_append_eltwise(
    dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, float alpha, float beta);

/// Writes the parameters of eltwise entry number index; an output may be NULL.
/// Errors: dnnl_invalid_arguments if there is no such entry or it is of another kind.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index,
    dnnl_alg_kind_t *alg_kind, float *alpha, float *beta);

/// Appends a depthwise convolution of the result: square kernel, stride and left padding of the
/// given sizes; bias undef for none. Weights and bias come as DNNL_ARG_ATTR_POST_OP_DW |
/// DNNL_ARG_WEIGHTS and | DNNL_ARG_BIAS.
/// Errors: dnnl_invalid_arguments for kernel or stride 0 or types undef; dnnl_out_of_memory for a
/// 33rd entry.
/// Extension.
DNNL_API dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops,
    dnnl_data_type_t weights_data_type, dnnl_data_type_t bias_data_type,
    dnnl_data_type_t dst_data_type, dnnl_dim_t kernel_size, dnnl_dim_t stride_size,
    dnnl_dim_t padding_l_size);

/// Writes the parameters of depthwise entry number index; an output may be NULL.
/// Errors: dnnl_invalid_arguments if there is no such entry or it is of another kind.
/// Extension.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
    dnnl_data_type_t *weights_data_type, dnnl_data_type_t *bias_data_type,
    dnnl_data_type_t *dst_data_type, dnnl_dim_t *kernel_size, dnnl_dim_t *stride_size,
    dnnl_dim_t *padding_l_size);

/// Appends x = op(x, src1). src1 has as many dims as dst, each that of dst or 1; it comes as
/// DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | DNNL_ARG_SRC_1.
/// Errors: dnnl_invalid_arguments for another algorithm, select or run-time dims;
/// dnnl_out_of_memory for a 33rd entry.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_post_ops_append_binary(
    dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc);

/// Writes the parameters of binary entry number index; an output may be NULL. The descriptor
/// belongs to the post-ops.
/// Errors: dnnl_invalid_arguments if there is no such entry or it is of another kind.
/// Specification: Attributes, Post-ops.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
    dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc);

/// As dnnl_post_ops_append_binary(), and with dnnl_binary_select appends x = src2 != 0 ? x : src1:
/// the condition src2, of type s8, has as many dims as dst, each that of dst or 1; it comes as
/// DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | DNNL_ARG_SRC_2. Other algorithms ignore src2_desc, which
/// may be NULL.
/// Errors: dnnl_invalid_arguments for another algorithm, run-time dims or a condition that is NULL
/// or not s8; dnnl_out_of_memory for a 33rd entry.
/// Extension.
DNNL_API dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc,
    const_dnnl_memory_desc_t src2_desc);

/// As dnnl_post_ops_get_params_binary(), with the descriptor of the condition, which is the zero
/// descriptor where the algorithm has two sources.
/// Errors: dnnl_invalid_arguments if there is no such entry or it is of another kind.
/// Extension.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index,
    dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc,
    const_dnnl_memory_desc_t *src2_desc);

/// Appends x = x > 0 ? x : x * weights, one f32 weight per index of each dimension whose bit is
/// set in mask; weights come as DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | DNNL_ARG_WEIGHTS and are
/// read by the descriptor of that memory: the dims of dst, 1 where the mask has no bit (such
/// dimensions may be left out), in any plain layout; oneDNN reads channels last (a, ab, acb, acdb,
/// acdeb).
/// Errors: dnnl_invalid_arguments for a negative mask; dnnl_out_of_memory for a 33rd entry.
/// Extension.
DNNL_API dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask);

/// Writes the parameters of prelu entry number index; an output may be NULL.
/// Errors: dnnl_invalid_arguments if there is no such entry or it is of another kind.
/// Extension.
DNNL_API dnnl_status_t dnnl_post_ops_get_params_prelu(
    const_dnnl_post_ops_t post_ops, int index, int *mask);

// ---- Primitive descriptors and primitives ----

/// Moves a primitive descriptor to the next implementation that accepts the operation. Reorder,
/// concat and sum have one.
/// Errors: dnnl_last_impl_reached if there is none; the descriptor stays as it is.
/// Specification: Primitives, Common Definitions.
DNNL_API dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc);

/// Creates a copy of a primitive descriptor, at the same implementation.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_desc_clone(
    dnnl_primitive_desc_t *primitive_desc, const_dnnl_primitive_desc_t existing_primitive_desc);

/// Writes the attributes, which belong to the primitive descriptor.
/// Specification: Primitives, Common Definitions.
DNNL_API dnnl_status_t dnnl_primitive_desc_get_attr(
    const_dnnl_primitive_desc_t primitive_desc, const_dnnl_primitive_attr_t *attr);

/// Destroys a primitive descriptor; NULL is allowed.
/// Specification: Primitives, Common Definitions.
DNNL_API dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc);

/// Writes a property; dnnl_query_t tells the type that result points to. index numbers the
/// tensors of a kind (weights 1 is the bias) or is a DNNL_ARG_* value. A tensor that the
/// operation lacks has the zero descriptor.
/// Errors: dnnl_unimplemented for a property that the operation does not have.
/// Specification: Primitives, Common Definitions.
DNNL_API dnnl_status_t dnnl_primitive_desc_query(
    const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index, void *result);

/// Memory descriptor of a tensor, with the layout that was chosen; it belongs to the primitive
/// descriptor. NULL if primitive_desc is NULL or what asks for something else; the zero
/// descriptor for a tensor that the operation lacks.
/// Specification: Primitives, Common Definitions.
DNNL_API const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(
    const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index);

/// An int property, 0 if it does not exist.
/// Extension.
DNNL_API int dnnl_primitive_desc_query_s32(
    const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index);

/// Creates a primitive. It may be executed from many threads at once.
/// Specification: Primitives, Common Definitions.
DNNL_API dnnl_status_t dnnl_primitive_create(
    dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc);

/// Creates a primitive from what dnnl_primitive_get_cache_blob() wrote.
/// Errors: dnnl_unimplemented: CPU primitives have no such bytes; dnnl_invalid_arguments for NULL
/// or size 0.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t *primitive,
    const_dnnl_primitive_desc_t primitive_desc, size_t size, const uint8_t *cache_blob);

/// Runs a primitive and returns when it is done. args: nargs pairs of a DNNL_ARG_* index and a
/// memory object whose descriptor is that of the primitive descriptor; further arguments are
/// ignored. Inputs may share memory. An output may have the buffer of an input, with its data type
/// and layout, in these places: dst that of src for eltwise, softmax, normalizations, prelu and
/// reorder, of src_0 for binary, of the first source for sum; diff_src that of diff_dst for
/// eltwise, softmax and normalizations; dst_iter that of src_iter, dst_iter_c that of src_iter_c.
/// No other element that is written may lie on another argument. Errors: dnnl_invalid_arguments if
/// a required argument is missing, an index appears twice or memory is shared that must not be;
/// dnnl_runtime_error, dnnl_out_of_memory. Thread-safe unless executions write the same memory.
/// Specification: Execution Model.
DNNL_API dnnl_status_t dnnl_primitive_execute(
    const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args);

/// Writes the primitive descriptor, which belongs to the primitive.
/// Specification: Primitives, Common Definitions.
DNNL_API dnnl_status_t dnnl_primitive_get_primitive_desc(
    const_dnnl_primitive_t primitive, const_dnnl_primitive_desc_t *primitive_desc);

/// Writes a primitive as bytes, or their number when cache_blob is NULL.
/// Errors: dnnl_unimplemented: CPU primitives have no such bytes.
/// Extension.
DNNL_API dnnl_status_t dnnl_primitive_get_cache_blob(
    const_dnnl_primitive_t primitive, size_t *size, uint8_t *cache_blob);

/// Destroys a primitive; NULL is allowed.
/// Specification: Primitives, Common Definitions.
DNNL_API dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive);

// ---- Data movement and elementwise ----

/// Prepares dst = (scale_src * (src - zp_src) + beta * dst) / scale_dst + zp_dst, rounded and
/// saturated: a copy into another layout or type. beta is the scale of a sum post-op.
/// Shapes: src and dst equal; neither layout is any.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: Reorder.
DNNL_API dnnl_status_t dnnl_reorder_primitive_desc_create(
    dnnl_primitive_desc_t *reorder_primitive_desc, const_dnnl_memory_desc_t src_desc,
    dnnl_engine_t src_engine, const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
    const_dnnl_primitive_attr_t attr);

/// Prepares the n sources set one behind the other along concat_dimension.
/// Shapes: sources equal but for that dimension, of one type; dst their sum along it. dst_desc
/// may be NULL or any.
/// Errors: dnnl_invalid_arguments if the shapes disagree, the axis does not exist or n < 1;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Concat.
DNNL_API dnnl_status_t dnnl_concat_primitive_desc_create(
    dnnl_primitive_desc_t *concat_primitive_desc, dnnl_engine_t engine,
    const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
    const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr);

/// Prepares dst = sum over i of scales[i] * src_i, computed in f32.
/// Shapes: all equal; types and layouts are free. dst_desc may be NULL or any.
/// Errors: dnnl_invalid_arguments if the shapes disagree or n < 1; dnnl_unimplemented if no
/// implementation takes the types, layouts and attributes.
/// Specification: Sum.
DNNL_API dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *sum_primitive_desc,
    dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n, const float *scales,
    const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr);

/// Prepares dst = op(scale_0 * src0, scale_1 * src1); comparisons give 1 or 0.
/// Shapes: src0 and src1 of equal ndims, each dim equal or 1; dst the larger. src1 and dst may be
/// any.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: Binary.
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
    const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr);

/// As dnnl_binary_primitive_desc_create(), with a third source for dnnl_binary_select: dst = src2
/// != 0 ? src0 : src1, src2 of type s8 and of equal ndims, each dim that of dst or 1. Other
/// algorithms ignore src2_desc.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Extension.
DNNL_API dnnl_status_t dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
    const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Prepares the transposition of the axis of length C seen as a matrix of C/G rows and G =
/// group_size columns: dst[u + v * C/G] = src[u * G + v].
/// Shapes: src and dst equal.
/// Errors: dnnl_invalid_arguments if the shapes disagree, the axis does not exist or G does not
/// divide C; dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Shuffle.
DNNL_API dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, int axis,
    dnnl_dim_t group_size, const_dnnl_primitive_attr_t attr);

/// Prepares the inverse of the forward shuffle: diff_src[u * G + v] = diff_dst[u + v * C/G].
/// Shapes: equal. hint_fwd_pd, the forward descriptor, may be NULL. Where both layouts are any they
/// are that of the hint, without one row-major.
/// Errors: dnnl_invalid_arguments if the shapes disagree, the axis does not exist or G does not
/// divide C; dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Shuffle.
DNNL_API dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, int axis,
    dnnl_dim_t group_size, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Prepares dst = f(src; alpha, beta) for each element, f being alg_kind; parameters that f lacks
/// are ignored.
/// Shapes: src and dst equal. May run in place.
/// Errors: dnnl_invalid_arguments if the shapes disagree or clip has alpha > beta;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Elementwise.
DNNL_API dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    float alpha, float beta, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src = f'(data; alpha, beta) * diff_dst; data is src, or dst for the use_dst
/// kinds.
/// Shapes: all equal. hint_fwd_pd, the forward descriptor, may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree or f has no gradient (round);
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Elementwise.
DNNL_API dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t data_desc, float alpha, float beta,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares dst = exp(src - max) / sum of exp(src - max) along softmax_axis, or its logarithm.
/// Shapes: src and dst equal. May run in place.
/// Errors: dnnl_invalid_arguments if the shapes disagree or the axis does not exist;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Softmax.
DNNL_API dnnl_status_t dnnl_softmax_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    int softmax_axis, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src = dst * (diff_dst - sum of dst * diff_dst) along softmax_axis, for the
/// logarithm diff_src = diff_dst - exp(dst) * sum of diff_dst.
/// Shapes: all equal. hint_fwd_pd, the forward descriptor, may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree or the axis does not exist;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Softmax.
DNNL_API dnnl_status_t dnnl_softmax_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t dst_desc, int softmax_axis, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Prepares dst = src > 0 ? src : src * weights.
/// Shapes: src and dst equal; weights of equal ndims, each dim that of src or 1.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: PReLU.
DNNL_API dnnl_status_t dnnl_prelu_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src = src > 0 ? diff_dst : diff_dst * weights, and diff_weights = min(src, 0) *
/// diff_dst summed over the dimensions where weights has 1.
/// Shapes as forward. hint_fwd_pd, the forward descriptor, may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: PReLU.
DNNL_API dnnl_status_t dnnl_prelu_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares dst at x = (o + 0.5) * I / O - 0.5 per spatial dimension: the nearest element of src,
/// or linear interpolation between its neighbours, indices clamped to the image.
/// Shapes: src [MB, C, (ID, IH,) IW], dst [MB, C, (OD, OH,) OW]. factors[d] = O / I gives dst
/// when dst_desc is NULL; with dst_desc it may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree or both factors and dst_desc are absent;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Resampling.
DNNL_API dnnl_status_t dnnl_resampling_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const float *factors, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src: each diff_dst added to the elements that it was computed from, with the
/// forward weights.
/// Shapes as forward. hint_fwd_pd, the forward descriptor, may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: Resampling.
DNNL_API dnnl_status_t dnnl_resampling_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const float *factors, const_dnnl_memory_desc_t diff_src_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Prepares dst = max, min, sum, product, mean or a norm of src over the dimensions where dst has
/// 1; S = sum of |src|^p: lp_max (max(S, eps))^(1/p), lp_sum (S + eps)^(1/p), power_p without the
/// root.
/// Shapes: each dim of dst is that of src or 1, at least one of them 1 instead. p and eps matter
/// to norms only.
/// Errors: dnnl_invalid_arguments if the shapes disagree or a norm has p < 1; dnnl_unimplemented
/// if no implementation takes the types, layouts and attributes.
/// Specification: Reduction.
DNNL_API dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t dst_desc, float p, float eps, const_dnnl_primitive_attr_t attr);

// ---- Convolution, deconvolution, inner product, matmul ----

/// Prepares dst[mb, oc, oh, ow] = bias[oc] + sum over ic, kh, kw of
/// src[mb, ic, oh*SH + kh*(DH+1) - PHL, ow*SW + kw*(DW+1) - PWL] * weights[oc, ic, kh, kw], per
/// group; src is 0 outside.
/// Shapes: src [MB, IC, (ID, IH,) IW], weights [(G,) OC/G, IC/G, (KD, KH,) KW], bias [OC], dst
/// [MB, OC, (OD, OH,) OW].
/// Per spatial dimension: strides, dilates (0 is dense, NULL all 0), paddings (padding_r NULL: as
/// left) in elements. bias_desc may be NULL; layouts may be any.
/// Errors: dnnl_invalid_arguments if the shapes disagree, a stride is below 1, or OH != (IH -
/// ((KH - 1)(DH + 1) + 1) + PHL + PHR) / SH + 1; dnnl_unimplemented if no implementation takes
/// the types, layouts and attributes.
/// Specification: Convolution and Deconvolution.
DNNL_API dnnl_status_t dnnl_convolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src, the gradient of dnnl_convolution_forward_primitive_desc_create() by src:
/// each diff_dst[mb, oc, oh, ow] * weights[oc, ic, kh, kw] added to the source element that it
/// was computed from.
/// Shapes and units as forward. hint_fwd_pd, the forward descriptor, may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree, a stride is below 1, or OH != (IH -
/// ((KH - 1)(DH + 1) + 1) + PHL + PHR) / SH + 1; dnnl_unimplemented if no implementation takes
/// the types, layouts and attributes.
/// Specification: Convolution and Deconvolution.
DNNL_API dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares diff_weights[oc, ic, kh, kw] = sum over mb, oh, ow of src * diff_dst at the positions
/// of the forward sum, and diff_bias[oc] = sum over mb, oh, ow of diff_dst.
/// Shapes and units as forward. diff_bias_desc may be NULL. hint_fwd_pd, the forward descriptor,
/// may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree, a stride is below 1, or OH != (IH -
/// ((KH - 1)(DH + 1) + 1) + PHL + PHR) / SH + 1; dnnl_unimplemented if no implementation takes
/// the types, layouts and attributes.
/// Specification: Convolution and Deconvolution.
DNNL_API dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Prepares the transposed convolution: dst[mb, oc, oh, ow] = bias[oc] + sum over ic, kh, kw and
/// the ih, iw with oh = ih*SH + kh*(DH+1) - PHL, ow likewise, of src[mb, ic, ih, iw] *
/// weights[oc, ic, kh, kw].
/// Shapes: src [MB, IC, (ID, IH,) IW], weights [(G,) OC/G, IC/G, (KD, KH,) KW], bias [OC], dst
/// [MB, OC, (OD, OH,) OW].
/// Per spatial dimension: strides, dilates (0 is dense, NULL all 0), paddings (padding_r NULL: as
/// left) in elements. bias_desc may be NULL; layouts may be any.
/// Errors: dnnl_invalid_arguments if the shapes disagree, a stride is below 1, or OH != (IH - 1)
/// SH + (KH - 1)(DH + 1) + 1 - PHL - PHR; dnnl_unimplemented if no implementation takes the
/// types, layouts and attributes.
/// Specification: Convolution and Deconvolution.
DNNL_API dnnl_status_t dnnl_deconvolution_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src, the gradient of the deconvolution by src: the convolution of diff_dst with
/// weights.
/// Shapes and units as forward. hint_fwd_pd, the forward descriptor, may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree, a stride is below 1, or OH != (IH - 1)
/// SH + (KH - 1)(DH + 1) + 1 - PHL - PHR; dnnl_unimplemented if no implementation takes the
/// types, layouts and attributes.
/// Specification: Convolution and Deconvolution.
DNNL_API dnnl_status_t dnnl_deconvolution_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares diff_weights and diff_bias, the gradients of the deconvolution by weights and bias.
/// Shapes and units as forward. diff_bias_desc may be NULL. hint_fwd_pd, the forward descriptor,
/// may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree, a stride is below 1, or OH != (IH - 1)
/// SH + (KH - 1)(DH + 1) + 1 - PHL - PHR; dnnl_unimplemented if no implementation takes the
/// types, layouts and attributes.
/// Specification: Convolution and Deconvolution.
DNNL_API dnnl_status_t dnnl_deconvolution_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
    const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
    const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Prepares dst[mb, oc] = bias[oc] + sum over ic, id, ih, iw of src * weights.
/// Shapes: src [MB, IC, (ID, IH,) IW], weights [OC, IC, (ID, IH,) IW], bias [OC], dst [MB, OC].
/// bias_desc may be NULL; layouts may be any.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: Inner Product.
DNNL_API dnnl_status_t dnnl_inner_product_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr);

/// Prepares diff_src[mb, ic, ...] = sum over oc of diff_dst[mb, oc] * weights[oc, ic, ...].
/// Shapes as forward. hint_fwd_pd, the forward descriptor, may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: Inner Product.
DNNL_API dnnl_status_t dnnl_inner_product_backward_data_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Prepares diff_weights[oc, ic, ...] = sum over mb of diff_dst[mb, oc] * src[mb, ic, ...] and
/// diff_bias[oc] = sum over mb of diff_dst.
/// Shapes as forward. diff_bias_desc may be NULL. hint_fwd_pd, the forward descriptor, may be
/// NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: Inner Product.
DNNL_API dnnl_status_t dnnl_inner_product_backward_weights_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
    const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Prepares dst[b, m, n] = bias + sum over k of src[b, m, k] * weights[b, k, n]. K = 0 is an
/// empty sum.
/// Shapes: src [..., M, K], weights [..., K, N], dst [..., M, N], bias each dim that of dst or 1;
/// equal ndims from 2 on, batch dims equal or 1. Dims may be DNNL_RUNTIME_DIM_VAL; bias_desc may
/// be NULL; layouts may be any. One of src and weights may be sparse (CSR or COO with indices of
/// s32, two dimensions); the other tensors are row-major then, without bias and attributes.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: Matrix Multiplication. The sparse operand is an extension.
DNNL_API dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_primitive_attr_t attr);

// ---- Pooling and normalization ----

/// Prepares the maximum or the average of each window of src; the average divides by the size of
/// the window, padding included or excluded. Training with the maximum writes a workspace.
/// Shapes: src [MB, C, (ID, IH,) IW], dst [MB, C, (OD, OH,) OW]. Per spatial dimension: strides,
/// kernel, dilation (0 is dense, NULL all 0), paddings (padding_r NULL: as left) in elements.
/// Errors: dnnl_invalid_arguments if the shapes disagree, a stride or kernel is below 1, OH !=
/// (IH - ((KH - 1)(DH + 1) + 1) + PHL + PHR) / SH + 1, or an average without padding has an empty
/// window; dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Pooling.
DNNL_API dnnl_status_t dnnl_pooling_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    const dnnl_dims_t strides, const dnnl_dims_t kernel, const dnnl_dims_t dilation,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src: each diff_dst added to the maximal element of its window, taken from the
/// workspace, or divided over the window.
/// Shapes and units as forward. hint_fwd_pd is required for the maximum.
/// Errors: dnnl_invalid_arguments if the shapes disagree, a stride or kernel is below 1, OH !=
/// (IH - ((KH - 1)(DH + 1) + 1) + PHL + PHR) / SH + 1, or an average without padding has an empty
/// window, or the hint is missing; dnnl_unimplemented if no implementation takes the types,
/// layouts and attributes.
/// Specification: Pooling.
DNNL_API dnnl_status_t dnnl_pooling_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const dnnl_dims_t strides, const dnnl_dims_t kernel, const dnnl_dims_t dilation,
    const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares dst = src * (k + alpha / n * sum of src^2)^(-beta), the sum over n = local_size
/// channels around, or over the spatial window of n per dimension around (divided by its volume).
/// Shapes: src and dst [MB, C, (D, H,) W], equal.
/// Errors: dnnl_invalid_arguments if the shapes disagree or local_size is negative;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Local Response Normalization.
DNNL_API dnnl_status_t dnnl_lrn_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size,
    float alpha, float beta, float k, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src, the gradient of local response normalization.
/// Shapes as forward. hint_fwd_pd, the forward descriptor, may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree or local_size is negative;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Local Response Normalization.
DNNL_API dnnl_status_t dnnl_lrn_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, dnnl_dim_t local_size, float alpha, float beta, float k,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares dst = gamma * (src - mean) / sqrt(variance + epsilon) + beta, mean and variance per
/// channel over MB and space.
/// Shapes: src and dst [MB, C, (D, H,) W]; mean, variance, gamma, beta [C], f32. flags: a set of
/// dnnl_normalization_flags_t; gamma is 1 and beta 0 without dnnl_use_scale and dnnl_use_shift;
/// mean and variance are inputs with dnnl_use_global_stats. May run in place.
/// Errors: dnnl_invalid_arguments if the shapes disagree or flags has unknown bits;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Batch Normalization.
DNNL_API dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float epsilon,
    unsigned flags, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src and, with dnnl_backward, the gradients of gamma and beta: with x = (src -
/// mean) / sqrt(variance + epsilon), diff_src = gamma / sqrt(variance + epsilon) * (diff_dst -
/// mean of diff_dst - x * mean of x * diff_dst), the means left out with dnnl_use_global_stats;
/// diff_gamma = sum of x * diff_dst, diff_beta = sum of diff_dst.
/// Shapes as forward. hint_fwd_pd may be NULL unless a ReLU is fused.
/// Errors: dnnl_invalid_arguments if the shapes disagree or flags has unknown bits;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Batch Normalization.
DNNL_API dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, float epsilon, unsigned flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares dst = gamma * (src - mean) / sqrt(variance + epsilon) + beta, mean and variance per
/// image and group of C / groups channels.
/// Shapes: src and dst [MB, C, (D, H,) W]; mean and variance [MB, groups]; gamma and beta [C].
/// flags: a set of dnnl_normalization_flags_t; gamma is 1 and beta 0 without dnnl_use_scale and
/// dnnl_use_shift; mean and variance are inputs with dnnl_use_global_stats.
/// Errors: dnnl_invalid_arguments if the shapes disagree, groups does not divide C or flags has
/// unknown bits; dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Extension.
DNNL_API dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups,
    float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src and, with dnnl_backward, the gradients of gamma and beta of group
/// normalization.
/// Shapes as forward. hint_fwd_pd, the forward descriptor, may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree, groups does not divide C or flags has
/// unknown bits; dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Extension.
DNNL_API dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, dnnl_dim_t groups, float epsilon, unsigned flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares dst = gamma * (src - mean) / sqrt(variance + epsilon) + beta, mean and variance over
/// the last dimension.
/// Shapes: src and dst [..., C]; mean and variance src without C, f32, layout stat_desc (NULL: as
/// src); gamma and beta [C], f32. flags: a set of dnnl_normalization_flags_t; gamma is 1 and beta
/// 0 without dnnl_use_scale and dnnl_use_shift; mean and variance are inputs with
/// dnnl_use_global_stats; with dnnl_rms_norm the mean is 0, no argument, and the variance the mean
/// of src^2.
/// Errors: dnnl_invalid_arguments if the shapes disagree or flags has unknown bits;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Extension.
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned flags,
    const_dnnl_primitive_attr_t attr);

/// Prepares diff_src and, with dnnl_backward, the gradients of gamma and beta of layer
/// normalization: diff_src = r * (gamma * diff_dst - mean of gamma * diff_dst - x * mean of x *
/// gamma * diff_dst), x = (src - mean) * r, r = 1 / sqrt(variance + epsilon), the means left out
/// with dnnl_use_global_stats. With dnnl_rms_norm src has the mean 0, which is no argument, and the
/// mean of gamma * diff_dst is left out.
/// Shapes as forward; gamma, beta and their gradients f32. hint_fwd_pd, the forward descriptor,
/// may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree or flags has unknown bits;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Extension.
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc, float epsilon,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares dst = gamma * (src - mean) / sqrt(variance + epsilon) + beta, mean and variance over
/// the last dimension.
/// Shapes: src and dst [..., C]; mean and variance src without C, f32, layout stat_desc (NULL: as
/// src); gamma and beta [C], of scale_shift_data_type. flags: a set of
/// dnnl_normalization_flags_t; gamma is 1 and beta 0 without dnnl_use_scale and dnnl_use_shift;
/// mean and variance are inputs with dnnl_use_global_stats; with dnnl_rms_norm the mean is 0, no
/// argument, and the variance the mean of src^2.
/// Errors: dnnl_invalid_arguments if the shapes disagree or flags has unknown bits;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Layer Normalization.
DNNL_API dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
    const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t scale_shift_data_type, float epsilon,
    unsigned flags, const_dnnl_primitive_attr_t attr);

/// Prepares diff_src and, with dnnl_backward, the gradients of gamma and beta of layer
/// normalization: diff_src = r * (gamma * diff_dst - mean of gamma * diff_dst - x * mean of x *
/// gamma * diff_dst), x = (src - mean) * r, r = 1 / sqrt(variance + epsilon), the means left out
/// with dnnl_use_global_stats. With dnnl_rms_norm src has the mean 0, which is no argument, and the
/// mean of gamma * diff_dst is left out.
/// Shapes as forward; gamma and beta of scale_shift_data_type, their gradients of
/// diff_scale_shift_data_type. hint_fwd_pd, the forward descriptor, may be NULL.
/// Errors: dnnl_invalid_arguments if the shapes disagree or flags has unknown bits;
/// dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: Layer Normalization.
DNNL_API dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc,
    dnnl_data_type_t diff_scale_shift_data_type, dnnl_data_type_t scale_shift_data_type,
    float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

// ---- RNN ----
//
// Letters: T steps, MB batch, L layers, D directions, SLC channels of the layer input, SIC of the
// given state, G gates, DHC of the cell state, DIC of the state that a cell leaves (DHC without a
// projection), DLC of dst_layer. Rules, dnnl_invalid_arguments where one is broken:
// - DLC = DIC; 2 DIC for dnnl_bidirectional_concat.
// - Directions are independent: layers behind the first read what the layer before left in the same
//   direction. With L > 1 therefore SLC = DIC, also for dnnl_bidirectional_concat.
// - With T > 1 SIC = DIC. One step takes states of any SIC.
// - GRU of every kind: SIC = DHC. With attention L = 1, from left to right.
// - src_iter and src_iter_c of an LSTM are given both or neither, likewise dst_iter and dst_iter_c.

/// Prepares a plain recurrent network: h' = act(W x + U h + B), act being relu (alpha: slope),
/// tanh or logistic; beta is unused. x is the input, h the previous state.
/// Shapes: src_layer [T, MB, SLC], src_iter [L, D, MB, SIC], weights_layer [L, D, SLC, G, DHC],
/// weights_iter [L, D, SIC, G, DHC], bias [L, D, G, DHC], dst_layer [T, MB, DLC], dst_iter
/// [L, D, MB, DHC]; G = 1, DLC = 2 DHC when directions are concatenated. Both iteration states
/// and the bias may be NULL (zero).
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: RNN, Vanilla RNN.
DNNL_API dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, float alpha, float beta,
    const_dnnl_primitive_attr_t attr);

/// Prepares the backward pass of dnnl_vanilla_rnn_forward_primitive_desc_create(): all gradients,
/// with the workspace of forward training. Gradients of weights and bias are added to their
/// buffers unless flags has dnnl_rnn_flags_diff_weights_overwrite.
/// Shapes as forward, gradients as what they belong to. hint_fwd_pd: the forward training
/// descriptor.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: RNN, Vanilla RNN.
DNNL_API dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const dnnl_alg_kind_t activation, const dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr);

/// Prepares long short-term memory: c' = f c + i g, h' = o tanh(c'), i = sig(Wi x + Ui h + Pi c +
/// Bi), f = sig(Wf x + Uf h + Pf c + Bf), g = tanh(Wg x + Ug h + Bg), o = sig(Wo x + Uo h + Po c'
/// + Bo); with projection R h' instead of h'. Gates in the order i, f, g, o.
/// Shapes: src_layer [T, MB, SLC], src_iter [L, D, MB, SIC], weights_layer [L, D, SLC, G, DHC],
/// weights_iter [L, D, SIC, G, DHC], bias [L, D, 4, DHC], dst_layer [T, MB, DLC], dst_iter
/// [L, D, MB, DHC]; G = 4, DLC = 2 DHC when directions are concatenated. Cell states src_iter_c,
/// dst_iter_c [L, D, MB, DHC]; weights_peephole P [L, D, 3, DHC]; weights_projection R
/// [L, D, DHC, DIC], DIC then taking the place of DHC in the states. Peephole, projection, bias
/// and the iteration states may be NULL, src_iter and src_iter_c together.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: RNN, LSTM.
DNNL_API dnnl_status_t dnnl_lstm_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t src_iter_c_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Prepares the backward pass of dnnl_lstm_forward_primitive_desc_create(): all gradients, with
/// the workspace of forward training. Gradients of weights and bias are added to their buffers
/// unless flags has dnnl_rnn_flags_diff_weights_overwrite.
/// Shapes as forward, gradients as what they belong to. hint_fwd_pd: the forward training
/// descriptor.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: RNN, LSTM.
DNNL_API dnnl_status_t dnnl_lstm_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t src_iter_c_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t weights_peephole_desc,
    const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t dst_iter_c_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_src_iter_c_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc,
    const_dnnl_memory_desc_t diff_weights_peephole_desc,
    const_dnnl_memory_desc_t diff_weights_projection_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    const_dnnl_memory_desc_t diff_dst_iter_c_desc, unsigned flags,
    const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares gated recurrent units: h' = u h + (1 - u) o with u = sig(Wu x + Uu h + Bu), r =
/// sig(Wr x + Ur h + Br), o = tanh(Wo x + Uo (r h) + Bo); gates in the order u, r, o. x is the
/// input, h the previous state.
/// Shapes: src_layer [T, MB, SLC], src_iter [L, D, MB, SIC], weights_layer [L, D, SLC, G, DHC],
/// weights_iter [L, D, SIC, G, DHC], bias [L, D, G, DHC], dst_layer [T, MB, DLC], dst_iter
/// [L, D, MB, DHC]; G = 3, DLC = 2 DHC when directions are concatenated. Both iteration states
/// and the bias may be NULL (zero).
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: RNN, GRU.
DNNL_API dnnl_status_t dnnl_gru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
    dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
    const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Prepares the backward pass of dnnl_gru_forward_primitive_desc_create(): all gradients, with
/// the workspace of forward training. Gradients of weights and bias are added to their buffers
/// unless flags has dnnl_rnn_flags_diff_weights_overwrite.
/// Shapes as forward, gradients as what they belong to. hint_fwd_pd: the forward training
/// descriptor.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: RNN, GRU.
DNNL_API dnnl_status_t dnnl_gru_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares linear-before-reset GRU: h' = u h + (1 - u) o, u and r as in
/// dnnl_gru_forward_primitive_desc_create(), o = tanh(Wo x + r (Uo h + Bu') + Bo); biases in the
/// order u, r, o, u'. x is the input, h the previous state.
/// Shapes: src_layer [T, MB, SLC], src_iter [L, D, MB, SIC], weights_layer [L, D, SLC, G, DHC],
/// weights_iter [L, D, SIC, G, DHC], bias [L, D, 4, DHC], dst_layer [T, MB, DLC], dst_iter
/// [L, D, MB, DHC]; G = 3, DLC = 2 DHC when directions are concatenated. Both iteration states
/// and the bias may be NULL (zero).
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: RNN, Linear-Before-Reset GRU.
DNNL_API dnnl_status_t dnnl_lbr_gru_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc, unsigned flags,
    const_dnnl_primitive_attr_t attr);

/// Prepares the backward pass of dnnl_lbr_gru_forward_primitive_desc_create(): all gradients,
/// with the workspace of forward training. Gradients of weights and bias are added to their
/// buffers unless flags has dnnl_rnn_flags_diff_weights_overwrite.
/// Shapes as forward, gradients as what they belong to. hint_fwd_pd: the forward training
/// descriptor.
/// Errors: dnnl_invalid_arguments if the shapes disagree; dnnl_unimplemented if no implementation
/// takes the types, layouts and attributes.
/// Specification: RNN, Linear-Before-Reset GRU.
DNNL_API dnnl_status_t dnnl_lbr_gru_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
    const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
    const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
    const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares GRU with attention: as GRU with u replaced by (1 - a) u in h', a the attention
/// [T, MB, 1]. x is the input, h the previous state.
/// Shapes: src_layer [T, MB, SLC], src_iter [L, D, MB, SIC], weights_layer [L, D, SLC, G, DHC],
/// weights_iter [L, D, SIC, G, DHC], bias [L, D, G, DHC], dst_layer [T, MB, DLC], dst_iter
/// [L, D, MB, DHC]; G = 3, DLC = 2 DHC when directions are concatenated. Both iteration states
/// and the bias may be NULL (zero).
/// Errors: dnnl_invalid_arguments if the shapes disagree, or unless there is one layer from left
/// to right; dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: RNN, AUGRU.
DNNL_API dnnl_status_t dnnl_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Prepares the backward pass of dnnl_augru_forward_primitive_desc_create(): all gradients, with
/// the workspace of forward training. Gradients of weights and bias are added to their buffers
/// unless flags has dnnl_rnn_flags_diff_weights_overwrite.
/// Shapes as forward, gradients as what they belong to. hint_fwd_pd: the forward training
/// descriptor.
/// Errors: dnnl_invalid_arguments if the shapes disagree, or unless there is one layer from left
/// to right; dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: RNN, AUGRU.
DNNL_API dnnl_status_t dnnl_augru_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_attention_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

/// Prepares linear-before-reset GRU with attention: as linear-before-reset GRU with u replaced by
/// (1 - a) u in h', a the attention [T, MB, 1]. x is the input, h the previous state.
/// Shapes: src_layer [T, MB, SLC], src_iter [L, D, MB, SIC], weights_layer [L, D, SLC, G, DHC],
/// weights_iter [L, D, SIC, G, DHC], bias [L, D, 4, DHC], dst_layer [T, MB, DLC], dst_iter
/// [L, D, MB, DHC]; G = 3, DLC = 2 DHC when directions are concatenated. Both iteration states
/// and the bias may be NULL (zero).
/// Errors: dnnl_invalid_arguments if the shapes disagree, or unless there is one layer from left
/// to right; dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: RNN, Linear-Before-Reset AUGRU.
DNNL_API dnnl_status_t dnnl_lbr_augru_forward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr);

/// Prepares the backward pass of dnnl_lbr_augru_forward_primitive_desc_create(): all gradients,
/// with the workspace of forward training. Gradients of weights and bias are added to their
/// buffers unless flags has dnnl_rnn_flags_diff_weights_overwrite.
/// Shapes as forward, gradients as what they belong to. hint_fwd_pd: the forward training
/// descriptor.
/// Errors: dnnl_invalid_arguments if the shapes disagree, or unless there is one layer from left
/// to right; dnnl_unimplemented if no implementation takes the types, layouts and attributes.
/// Specification: RNN, Linear-Before-Reset AUGRU.
DNNL_API dnnl_status_t dnnl_lbr_augru_backward_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
    const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t attention_desc,
    const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
    const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
    const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
    const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_attention_desc,
    const_dnnl_memory_desc_t diff_weights_layer_desc,
    const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
    const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
    unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr);

// ---- Primitive cache ----

/// Writes the capacity of the primitive cache, in primitives.
/// Extension.
DNNL_API dnnl_status_t dnnl_get_primitive_cache_capacity(int *capacity);

/// Sets the capacity of the primitive cache and drops what it holds; 0 switches it off. It holds
/// the plans of at most 64 creations, for those that come again. The first value comes from
/// ONEDNN_PRIMITIVE_CACHE_CAPACITY, else 1024. Thread-safe.
/// Errors: dnnl_invalid_arguments if capacity is negative.
/// Extension.
DNNL_API dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity);

// ---- Service ----

/// Asks for generated code to be written to files; any value but 0 is yes. This library generates
/// no code, so there is nothing to write.
/// Extension.
DNNL_API dnnl_status_t dnnl_set_jit_dump(int enable);

/// Chooses the profilers that generated code is announced to, DNNL_JIT_PROFILE_*. This library
/// generates no code, so there is nothing to announce.
/// Errors: dnnl_invalid_arguments for unknown bits; dnnl_unimplemented where profiling is not
/// built in.
/// Extension.
DNNL_API dnnl_status_t dnnl_set_jit_profiling_flags(unsigned flags);

/// Sets the folder of the jitdump file, NULL for the default. This library generates no code, so
/// there is nothing to write there.
/// Errors: dnnl_unimplemented where profiling is not built in.
/// Extension.
DNNL_API dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char *dir);

/// Limits the instruction set, for the whole process; once, and before anything asks for it. A
/// set that the CPU lacks is cut to what it has. Wins over ONEDNN_MAX_CPU_ISA.
/// Errors: dnnl_invalid_arguments if isa is no enumerator or the call comes too late.
/// Extension.
DNNL_API dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa);

/// The instruction set in use: what the CPU has, cut to the limit.
/// Extension.
DNNL_API dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void);

/// Sets a preference among instructions; once, and before anything asks for it. Wins over
/// ONEDNN_CPU_ISA_HINTS.
/// Errors: dnnl_runtime_error if the call comes too late.
/// Extension.
DNNL_API dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints);

/// The preference in force.
/// Extension.
DNNL_API dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void);

#ifdef DNNL_EXPERIMENTAL_PROFILING
/// Forgets the profile of a stream.
/// Errors: dnnl_unimplemented on the CPU, which has no profiling streams.
/// Extension.
DNNL_API dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream);

/// Writes the profile of a stream: num_entries values (nanoseconds for time), or only their
/// number when data is NULL.
/// Errors: dnnl_unimplemented on the CPU, which has no profiling streams.
/// Extension.
DNNL_API dnnl_status_t dnnl_query_profiling_data(
    dnnl_stream_t stream, dnnl_profiling_data_kind_t data_kind, int *num_entries, uint64_t *data);
#endif

// ---- BLAS-like ----

/// Computes C = alpha * op(A) op(B) + beta * C in f32, row-major. op(A) is M x K, op(B) K x N,
/// transposed for 'T'. lda, ldb, ldc: elements from row to row as stored. With beta 0 the
/// contents of C do not matter.
/// Errors: dnnl_invalid_arguments for another letter, a negative extent, a leading dimension that
/// is too small or NULL. Thread-safe.
/// Extension.
DNNL_API dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
    dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb,
    float beta, float *C, dnnl_dim_t ldc);

/// Computes C = round(alpha * (op(A) - ao) (op(B) - bo) + beta * C + co), saturated to s32, for A
/// in u8 and B in s8; row-major as dnnl_sgemm(). offsetc: co is one value ('F'), one per row of C
/// ('C') or one per column ('R').
/// Errors: dnnl_invalid_arguments for another letter, a negative extent, a leading dimension that
/// is too small or NULL. Thread-safe.
/// Extension.
DNNL_API dnnl_status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
    dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda, uint8_t ao,
    const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
    const int32_t *co);

/// Computes C = round(alpha * (op(A) - ao) (op(B) - bo) + beta * C + co), saturated to s32, for A
/// in s8 and B in s8; row-major as dnnl_sgemm(). offsetc: co is one value ('F'), one per row of C
/// ('C') or one per column ('R').
/// Errors: dnnl_invalid_arguments for another letter, a negative extent, a leading dimension that
/// is too small or NULL. Thread-safe.
/// Extension.
DNNL_API dnnl_status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M,
    dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda, int8_t ao,
    const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc,
    const int32_t *co);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_H
