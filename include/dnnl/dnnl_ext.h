// SPDX-License-Identifier: Apache-2.0
// C API: functions beyond the headers of oneDNN. Its shared library exports those that its own test
// programs link, undeclared; the functions dnnl_ext_*() are this library's alone. The rules of
// dnnl.h hold.
#ifndef ONEAPI_DNNL_DNNL_EXT_H
#define ONEAPI_DNNL_DNNL_EXT_H

#include "dnnl/dnnl.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates a descriptor whose layout is spelled like a format tag, also one that no tag has:
/// "aBcd12b" is the order of the dimensions from the largest stride to the smallest, then the inner
/// blocks, outermost first. Capitals and small letters are the same; blocks of 1 are none.
/// Errors: dnnl_invalid_arguments for a text that does not name each of the ndims dimensions once
/// before the blocks, and for what dnnl_memory_desc_create_with_tag() refuses.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *memory_desc,
    int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, const char *tag);

/// Replaces the element type of a descriptor; shape and layout stay.
/// Errors: dnnl_invalid_arguments for an unknown type and for weights that the library has packed.
DNNL_API dnnl_status_t dnnl_memory_desc_set_data_type(
    dnnl_memory_desc_t memory_desc, dnnl_data_type_t data_type);

/// Zeroes the elements of a blocked layout that pad its dims to whole blocks. Other layouts, and a
/// memory without a buffer, stay as they are. Returns when it is done, on any stream.
DNNL_API dnnl_status_t dnnl_impl_zero_pad(const_dnnl_memory_t memory, dnnl_stream_t stream);

/// Computes C = alpha * op(A) op(B) + beta * C in f32 for A and B in bf16 (the upper halves of f32
/// numbers); else as dnnl_sgemm().
DNNL_API dnnl_status_t dnnl_gemm_bf16bf16f32(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N,
    dnnl_dim_t K, float alpha, const uint16_t *A, dnnl_dim_t lda, const uint16_t *B, dnnl_dim_t ldb,
    float beta, float *C, dnnl_dim_t ldc);

/// Gives back to the operating system the scratchpads that the library keeps between executions in
/// scratchpad mode `library`, those in use excepted; later executions take new ones. Up to 1 MB for
/// each thread stays until the thread ends.
DNNL_API dnnl_status_t dnnl_ext_release_scratchpads(void);

/// Lets executions on the stream use at most this many threads, so that streams of several threads
/// of the program share a processor; 0, as at first, is as many as the runtime has. Results do not
/// depend on it.
/// Errors: dnnl_invalid_arguments for a negative number; dnnl_unimplemented in a build whose
/// threads come from the stream's thread pool.
DNNL_API dnnl_status_t dnnl_ext_stream_set_threads(dnnl_stream_t stream, int threads);

/// For `flags` of the functions that create inference descriptors of recurrent networks: src_layer
/// holds what the product of the input with weights_layer would give, the sums of all gates, T x MB
/// x (gates * DHC) in f32 and in the order of the gates; weights_layer_desc is NULL. Bias and
/// recurrent products are added to them as ever. For one layer of one direction, with states in
/// f32, bf16 or f16, whose type is that of dst_layer: inputs that are rows of a table, as
/// embeddings are, then need no product at all. Errors: dnnl_invalid_arguments for weights_layer,
/// more layers or directions; dnnl_unimplemented for other kinds of propagation and for 8-bit
/// states.
enum { dnnl_ext_rnn_flags_gate_sums = 0x100 };

/// What attention is called: dnnl_query_primitive_kind() of its descriptors.
enum { dnnl_ext_attention = 0x1000 };
/// Arguments of attention.
#define DNNL_ARG_QUERIES DNNL_ARG_SRC_0
#define DNNL_ARG_KEYS DNNL_ARG_SRC_1
#define DNNL_ARG_VALUES DNNL_ARG_SRC_2
#define DNNL_ARG_ATTN_MASK DNNL_ARG_SRC_3
/// Flags of attention.
enum dnnl_ext_attention_flags_t {
    /// A row sees the keys up to its own, both counted from the end: row m of M the first N - M + m
    /// + 1 of N. What comes after them costs nothing.
    dnnl_ext_attention_causal = 1
};

/// Creates a descriptor of attention, the two products and the softmax of transformers in one:
///
///     dst[b][m][e] = sum over n of w[b][m][n] * values[b][n][e],
///     w[b][m] = softmax over n of scale * sum over k of queries[b][m][k] * keys[b][n][k] +
///               mask[b][m][n]
///
/// The scores are computed in blocks of some rows by some keys, with running maxima, and never lie
/// in memory as a whole. A row that sees no key, or only keys with a mask of -infinity, is 0.
///
/// Shapes, b standing for any number of dimensions: queries b x M x K, keys b x N x K, values b x N
/// x E, dst b x M x E, mask b x M x N or 1 in the place of an extent of b or of M. Along b, keys
/// and values may have a divisor of what queries have: then neighbours share them, as heads do in
/// groups. Layouts: any plain one, so that heads may be taken out of b x M x heads x K by strides.
/// Types: queries, keys and values all f32, all bf16 or all f16; or each s8 or u8, with scales of
/// DNNL_ARG_QUERIES, DNNL_ARG_KEYS and DNNL_ARG_VALUES (mask 0), where w becomes u8 with the scale
/// 1 / 255 of its block's largest. dst and mask: f32, bf16 or f16. mask_desc may be NULL.
/// Arguments: DNNL_ARG_QUERIES, DNNL_ARG_KEYS, DNNL_ARG_VALUES, DNNL_ARG_ATTN_MASK, DNNL_ARG_DST.
/// Errors: dnnl_invalid_arguments for shapes that do not fit and for no keys; dnnl_unimplemented
/// for other types, attributes and dimensions known at execution only.
DNNL_API dnnl_status_t dnnl_ext_attention_primitive_desc_create(
    dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
    const_dnnl_memory_desc_t queries_desc, const_dnnl_memory_desc_t keys_desc,
    const_dnnl_memory_desc_t values_desc, const_dnnl_memory_desc_t mask_desc,
    const_dnnl_memory_desc_t dst_desc, float scale, unsigned flags,
    const_dnnl_primitive_attr_t attr);

#ifdef __cplusplus
}

/// Test mode of recurrent networks: activations are products with scales[gate], that of the cell
/// state with cscale. mode false is the mode of every attribute and changes nothing.
/// Errors: dnnl_unimplemented for mode true: activations are what the primitive says.
/// A C++ function, as in oneDNN.
DNNL_API dnnl_status_t dnnl_primitive_attr_set_rnn_tparams(
    dnnl_primitive_attr_t attr, bool mode, dnnl_dim_t ngates, const float *scales, float cscale);
#endif

#endif // ONEAPI_DNNL_DNNL_EXT_H
