// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication lives in this folder: dst[b][m][n] = sum over k of src[b][m][k] *
// weights[b][k][n] on the GEMM driver. matmul.cpp has the product whose sums the epilogue finishes,
// matmul_operands.cpp the layouts and blocks, matmul_panels.cpp the panels of the weights. Other
// files have what a plain product does without: zero points of bytes (matmul_quantization.cpp),
// groups of K (matmul_groups.cpp), compressed weights (matmul_compressed.cpp) and run-time
// dimensions (matmul_runtime.cpp).
#pragma once

#include "common/descriptors/matmul.hpp"
#include "common/plan/implementation.hpp"
#include "cpu/epilogue/epilogue.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/matmul/matmul_panels.hpp"

namespace dnnl::impl::cpu {

// ---- Types and attributes ----

/// The scales and zero points of src and weights that the epilogue does not apply, and those that
/// it does.
struct operand_values {
    quantization_values src_scale, weights_scale, src_zero_point, weights_zero_point;
    quantization_params epilogue_scales, epilogue_zero_points;

    bool empty() const {
        return !src_scale && !weights_scale && !src_zero_point && !weights_zero_point;
    }
    /// The attributes that are left to the epilogue.
    primitive_attr rest_of(const primitive_attr &all) const;
};
operand_values split_attributes(const problem &p);

/// What the kernels multiply in the place of the elements of src and weights.
struct operand_types {
    data_type a = data_type::undef, b = data_type::undef;
};
/// Null, or why the level of p has no kernel for its types.
const char *choose_types(const problem &p, const operand_values &values, operand_types &types);

/// What the epilogue of a product is asked for, with post-ops, bias and dst of op.
epilogue_request request_of(const matmul_desc &op);

// ---- Operands ----

/// Where one matrix of a batch lies.
struct matmul_batch {
    dim_t src, weights, dst;        ///< elements from the first one
    dim_t src_index, weights_index; ///< among the batches of that tensor
    dim_t position[position_rank];  ///< outer coordinates of the epilogue
};

/// One execution.
struct matmul_execution {
    const exec_context &ctx;
    const bound_epilogue &finish;
    const char *src, *weights; ///< A and the panels
    char *dst;
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

    /// Null, or why the operands cannot be had.
    const char *why_not() const;
    /// The matrices of batch number `batch` of dst.
    matmul_batch batch_at(dim_t batch) const;
    dim_t part_count() const;
    part part_at(dim_t index) const;
    /// Blocks of MC x NC of a part, columns first, then rows, then batches.
    dim_t block_count(const part &p) const;
    block block_at(const part &p, dim_t index) const;
    /// Nanoseconds of one such block, for K of `depth`.
    double block_ns(dim_t depth) const;

    /// Makes the panels of a part, where they are made in slabs. Before its blocks.
    void make_panels(const exec_context &ctx, const part &p) const;
    /// Matrices of weights of a part, their numbers among those of the tensor, and the elements
    /// from the first panel of the weights to those of the matrix.
    dim_t matrix_count(const part &p) const;
    dim_t matrix_of(const part &p, dim_t i) const;
    dim_t matrix_offset(const part &p, dim_t i) const;

    /// The product of a block with all of K: A, panels, dst, extents, position.
    gemm_task task_of(const matmul_execution &e, const block &b) const;

    matmul_shape shape;
    isa target;
    gemm_driver driver;
    adapted_tensor src, dst;
    weights_panels weights;
    memory_desc a; ///< layout of A: that of src, as adapted, or of a dense row-major copy of it
    dim_t MC = 0, NC = 0;
    int threads;
};

// ---- Plans ----

/// What the kinds of products share: an execution takes the operands, then multiplies part by part
/// and block by block.
class matmul_plan : public plan {
  public:
    void execute(const exec_context &ctx) const final;

  protected:
    using part = matmul_operands::part;
    using block = matmul_operands::block;
    matmul_plan(problem &p, const operand_types &types, operand_values &&values,
        const panel_request &panels)
        : values_(std::move(values)), operands_(p, types, panels) {
        why_not_ = operands_.why_not();
    }
    /// Once the layouts are known: the epilogue, and the threads for blocks of MC x NC.
    void prepare(problem &p, const epilogue_request &request, dim_t depth);

    /// Once the operands are there; may put a copy of src in its place.
    virtual void begin(matmul_execution &e) const = 0;
    /// Once the panels of a part are there.
    virtual void begin_part(const matmul_execution &e, const part &p) const = 0;
    /// Blocks [begin, end) of a part.
    virtual void multiply(
        const matmul_execution &e, const part &p, int thread, dim_t begin, dim_t end) const = 0;

    operand_values values_;
    matmul_operands operands_;
    epilogue_plan epilogue_;

  private:
    double block_ns_ = 0;
};

/// Sums of integers whose scales or zero points the epilogue cannot apply to the whole sum.
planned make_grouped_matmul(problem &p, const operand_types &types, operand_values values);

/// True when a shape or a layout is known at execution only.
bool has_runtime(const matmul_desc &op);
/// A plan that asks the rows of the table anew when an execution brings shapes that the last one
/// did not have. make_concrete makes the plan of this row for a problem without run-time dims.
planned make_runtime_matmul(problem &p, planned (*make_concrete)(problem &));

} // namespace dnnl::impl::cpu
