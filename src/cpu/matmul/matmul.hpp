// SPDX-License-Identifier: Apache-2.0
// What the kinds of matrix multiplication on the GEMM row share (make_gemm_matmul in cpu.hpp).
#pragma once

#include "common/descriptors/matmul.hpp"
#include "common/plan/implementation.hpp"
#include "cpu/epilogue/epilogue.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/matmul/matmul_panels.hpp"
#include "cpu/matmul/matmul_values.hpp"

namespace dnnl::impl::cpu {

// ---- Kinds ----

/// True when a shape or a layout is known at execution only.
bool has_runtime(const matmul_desc &op);

/// Chooses a row of the table anew when an execution brings shapes that the last one did not have.
planned make_runtime_matmul(problem &p);

struct operand_types;
struct operand_values;

/// One sum per element of dst, of floats or integers; the epilogue does the rest.
planned make_plain_matmul(problem &p, const operand_types &types, operand_values values);
/// Sums of integers whose scales or zero points the epilogue cannot apply to the whole sum.
planned make_grouped_matmul(problem &p, const operand_types &types, operand_values values);

// ---- Types and attributes ----

/// What the kernels multiply in the place of the elements of src and weights.
struct operand_types {
    data_type a = data_type::undef, b = data_type::undef;
};
/// Null, or why the level of p has no kernel for its types.
const char *choose_types(const problem &p, operand_types &types);

/// The scales and zero points of src and weights that the epilogue does not apply, and the
/// attributes without them.
struct operand_values {
    quantization_values src_scale, weights_scale, src_zero_point, weights_zero_point;
    primitive_attr rest;

    bool empty() const {
        return !src_scale && !weights_scale && !src_zero_point && !weights_zero_point;
    }
};
operand_values split_attributes(const problem &p);

/// What the epilogue of a product is asked for, with post-ops, bias and dst of op.
epilogue_request request_of(const matmul_desc &op);

// ---- Layouts ----

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

/// The operands of a product as the kernels take them, and its cut into parts and blocks of dst.
struct matmul_operands {
    /// What is multiplied while a slab of the weights is there: columns of some batches of dst.
    /// Everything, where the weights are not made in slabs.
    struct part {
        dim_t first_batch, batches, n0, columns;
    };
    /// One block of dst.
    struct block {
        matmul_batch at;
        dim_t m0, n0, rows, columns;
        dim_t panels;      ///< elements from the first panel of the weights to that of the block
        dim_t column_sums; ///< what is added to a column of dst for the index of its column sum
    };

    /// Resolves the layouts of p. panels.group: the elements of K that one product multiplies.
    matmul_operands(problem &p, const operand_types &types, panel_request panels);

    /// A is a copy of src, dense and row-major, that the caller makes.
    void copy_a();

    /// Null, or why the operands cannot be had.
    const char *why_not() const;
    /// The matrices of batch number `batch` of dst.
    matmul_batch batch_at(dim_t batch) const;
    dim_t part_count() const;
    part part_at(dim_t index) const;
    /// Matrices of weights of a part, their numbers among those of the tensor, and the elements
    /// from the first panel of the weights to those of the matrix.
    dim_t matrix_count(const part &p) const;
    dim_t matrix_of(const part &p, dim_t i) const;
    dim_t matrix_offset(const part &p, dim_t i) const;
    /// Makes the panels of a part, where they are made in slabs. Before its blocks.
    void make_panels(const exec_context &ctx, const part &p) const;
    /// Blocks of MC x NC of a part, columns first, then rows, then batches.
    dim_t block_count(dim_t MC, dim_t NC, const part &p) const;
    block block_at(dim_t MC, dim_t NC, const part &p, dim_t index) const;
    /// Nanoseconds of one such block, for K of `depth`.
    double block_ns(dim_t MC, dim_t NC, dim_t depth) const;

    /// Elements of a and of dst from the first ones to those of a block.
    dim_t a_offset(const block &b) const;
    dim_t dst_offset(const block &b) const;
    /// Bytes from row to row of a, from panel to panel, from row to row of dst.
    dim_t a_stride() const;
    dim_t panel_stride() const;
    dim_t dst_stride() const;
    /// sums[batch][piece of K][m] = sum over the piece of the elements of src; integers.
    void sum_rows(const char *rows_of_a, dim_t piece, s32 *sums) const;

    matmul_shape shape;
    isa target;
    int threads;
    gemm_driver driver;
    adapted_tensor src, dst;
    weights_panels weights;
    memory_desc a; ///< layout of A: that of src, as adapted, if it is no other copy
};

} // namespace dnnl::impl::cpu
