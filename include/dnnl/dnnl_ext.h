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
