// SPDX-License-Identifier: Apache-2.0
// The kinds of matrix multiplication that the GEMM row hands on (make_gemm_matmul in cpu.hpp).
#pragma once

#include "common/implementation.hpp"
#include "common/matmul.hpp"
#include "cpu/epilogue.hpp"

namespace dnnl::impl::cpu {

/// True when a shape or a layout is known at execution only.
bool has_runtime(const matmul_desc &op);

/// Chooses a row of the table anew when an execution brings shapes that the last one did not have.
planned make_runtime_matmul(problem &p);

/// Makes f32 panels of the weights before a product of floats.
planned make_dequantising_matmul(problem &p);

/// Cuts K of an int8 product at the groups of its scales and zero points.
planned make_grouped_matmul(problem &p);

/// True when scales and zero points of both operands are single values or vectors along M and N
/// that the epilogue applies to whole sums.
bool is_common_quantization(const primitive_attr &attr, int ndims);

/// Panels over the last two dimensions of md, batch outside; with column sums where `sums`.
memory_desc packed_weights(memory_desc md, bool sums);

/// Product of the extents of all dimensions but the last two.
dim_t batches_of(const memory_desc &md);

/// Where one matrix of a batch lies.
struct matmul_batch {
    dim_t src, weights, dst;        ///< elements from the first one
    dim_t src_index, weights_index; ///< among the batches of that tensor
    dim_t position[position_rank];  ///< outer coordinates of the epilogue
};
/// The matrices of batch number `batch` of dst.
matmul_batch batch_at(const matmul_shape &shape, const memory_desc &src, const memory_desc &weights,
    const memory_desc &dst, dim_t batch);

/// What the epilogue of a product is asked for, with post-ops, bias and dst of op.
epilogue_request request_of(const matmul_desc &op);

/// md itself when its last dimension is dense, else dense row-major.
memory_desc with_dense_rows(const memory_desc &md);

/// True for scales of the weights that multiply whole sums: one, or one per column.
bool is_epilogue_scale(const quantization &q, const memory_desc &weights);

} // namespace dnnl::impl::cpu
