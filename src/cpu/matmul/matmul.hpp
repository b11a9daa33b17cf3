// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication lives in this folder: dst[b][m][n] = sum over k of src[b][m][k] *
// weights[b][k][n] on the GEMM driver. matmul.cpp has panels, layouts, blocks and the product whose
// sums the epilogue finishes; others what it does without: scales and zero points that the epilogue
// does not apply (matmul_attributes.cpp), of bytes (matmul_quantization.cpp), groups of K
// (matmul_groups.cpp), compressed weights, run-time dimensions, scales of dst that follow from the
// results (_codes.cpp), and few rows or columns (_dots.cpp).
#pragma once

#include <functional>

#include "common/descriptors/products/shapes.hpp"
#include "cpu/epilogue/epilogue.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/gemm/zero_points.hpp"
#include "cpu/matmul/matmul_attributes.hpp"

namespace dnnl::impl::cpu {

struct copy_tile_args;
struct expand_args;
struct tile_values;

/// What the epilogue of a product is asked for, with post-ops, bias and dst of op.
epilogue_request request_of(const matmul_desc &op);

// ---- Weights as panels: where they are packed already, packed whole before the products,
// converted slab by slab between the products, or made slice by slice while a product runs ----

/// The layout of panels over the last two dimensions of md, batches outside, followed by column
/// sums where `sums`.
memory_desc packed_weights(memory_desc md, bool sums);

/// The layout of bytes in the order of f32 panels, for weights that are widened on their way.
memory_desc packed_bytes(memory_desc md);

/// Returns the product of the extents of all dimensions but the last two.
dim_t batches_of(const memory_desc &md);

/// Returns the elements to index number `index` of the first `dims` dimensions, row-major.
dim_t offset_of_index(const memory_desc &md, int dims, dim_t index);

/// What panels are made of.
///   f32 panels: scale(b, k, n) * (weights(b, k, n) - zero_point(b, k, n)), or without either
///   others:     the weights, of the panels' type or integers of 4 bits
struct panel_request {
    data_type type;      ///< of the panels
    dim_t group;         ///< each so many k begin a k group of the panel; K: only the first
    dim_t products = 1;  ///< matrices of weights that are multiplied, one after another
    bool sums = false;   ///< int8: column sums follow the panels
    bool stream = false; ///< make slices while the product runs, where that can be
    quantization_values scale {}; ///< of the weights, for f32 panels
    quantization_values zero_point {};

    /// True where the weights become panels without any arithmetic.
    bool copies(const memory_desc &weights) const {
        return weights.dtype == type && !scale && !zero_point;
    }
};

class weights_panels {
  public:
    weights_panels() = default;
    weights_panels(problem &p, const memory_desc &weights, const panel_request &r);

    /// Null, or why the weights cannot be brought into panels.
    const char *why_not() const { return why_not_; }
    /// The layout of begin(): panels over K and N, where K counts padded groups, and column sums.
    const memory_desc &wanted() const { return wanted_; }
    bool is_streamed() const { return how_ == source::streamed; }

    /// Loads scales and zero points; makes panels, if they are neither streamed nor in slabs, and
    /// returns the place of the first one.
    const char *begin(const exec_context &ctx) const;
    /// Returns the element of a panel at which k begins, the first of a group or of a k group.
    dim_t offset_of(dim_t k) const {
        return (k / group_ * padded_group_ + k % group_) * panel_columns(wanted_.dtype);
    }
    /// The column sums that follow panels which begin there: rows of column_sums_stride(), one for
    /// each matrix of the slab or of the tensor, column_sums_count() in all.
    const s32 *column_sums(const char *panels) const;
    dim_t column_sums_stride() const {
        return is_in_slabs() ? slab_.columns : wanted_.padded_dims[n_dim_];
    }
    dim_t column_sums_count() const {
        return is_in_slabs() ? slab_.matrices * slab_.columns : wanted_.column_sums_count();
    }

    /// Panels of columns [n0, n0 + n) and elements [k0, k0 + k) of K of one batch, n0 the first of
    /// a panel; k0 and k0 + k are those of whole groups, of whole k groups of a group, or K. From
    /// panel to panel: panel_bytes. int8: adds column sums from column_sums[0] on, if not null.
    struct slice {
        dim_t batch, n0, n, k0, k;
        char *to;
        dim_t panel_bytes;
        s32 *column_sums;
    };
    void fill(const exec_context &ctx, const slice &s) const;

    /// Panels that have another type or order than the weights are made slab by slab: some columns
    /// of one matrix, or all columns of some matrices, in at most a few megabytes.
    bool is_in_slabs() const { return how_ == source::filled; }
    struct slab_size {
        dim_t matrices, columns;
        bool by_product; ///< matrices of consecutive products; else all that the weights have
    };
    const slab_size &slab() const { return slab_; }
    /// Returns the elements from matrix to matrix of a slab.
    dim_t slab_matrix_stride() const {
        return slab_.columns / panel_columns(wanted_.dtype) * wanted_.strides[n_dim_];
    }
    /// Makes columns [n0, n0 + n) of `matrices` matrices of weights, where they are made in slabs;
    /// matrix_of(i) is the number of the i-th among those of the tensor. Once begin() has been
    /// called, and into its result.
    void fill_slab(const exec_context &ctx, dim_t matrices, dim_t n0, dim_t n,
        const std::function<dim_t(dim_t)> &matrix_of) const;

  private:
    enum class source { adapted, filled, streamed };
    struct matrix {
        void *elements;
        data_type type;
        dim_t k_stride, n_stride;
    };
    dim_t first_element(const slice &part) const;
    dim_t k_stride() const { return packed_ ? weights_.inner_blks[1] : weights_.strides[k_dim_]; }
    dim_t n_stride() const { return packed_ ? 1 : weights_.strides[n_dim_]; }
    /// True where 4-bit elements are expanded into many panels at once.
    bool expands_panels(const slice &s) const {
        return expand_ && is_int8(wanted_.dtype) && begins_bytes(s);
    }
    /// True when columns are adjacent and rows of 4 bits begin with a byte.
    bool begins_bytes(const slice &s) const {
        return n_stride() == 1 &&
               (!is_4bit(weights_.dtype) || (first_element(s) % 2 == 0 && k_stride() % 2 == 0));
    }
    void pack(const slice &part, const matrix &from) const;
    // Compressed weights (matmul_compressed.cpp).
    slab_size choose_slab(dim_t products) const;
    void prepare_conversion(problem &p, const panel_request &r);
    dim_t rows_at(dim_t k, dim_t end) const;
    tile_values values_of(
        const exec_context &ctx, const slice &part, const value_table<f32> &v) const;
    bool expand_part(const exec_context &ctx, const slice &part) const;
    void convert_part(const exec_context &ctx, const slice &part) const;
    matrix source_of(const exec_context &ctx, const slice &part, std::uint8_t *codes) const;
    void convert(
        const exec_context &ctx, const slice &part, const matrix &from, const matrix &to) const;

    memory_desc weights_, wanted_;
    source how_ = source::adapted;
    dim_t group_ = 1, padded_group_ = 1;
    int k_dim_ = 0, n_dim_ = 1;
    bool sums_ = false, converts_ = false;
    bool packed_ = false; ///< bytes, as packed_bytes() has them
    slab_size slab_ {};
    adapted_tensor adapted_;
    scratch_slot<std::byte> buffer_;
    value_table<f32> scale_, zero_point_;
    pack_b_function pack_ = nullptr;
    void (*copy_)(const copy_tile_args &) = nullptr;
    void (*expand_)(const expand_args &) = nullptr;
    void (*unpack_nibbles_)(const void *, dim_t, void *) = nullptr;
    const char *why_not_ = nullptr;
};

// ---- Operands ----

/// Where one matrix of a batch lies.
struct matmul_batch {
    dim_t src, weights, dst;                   ///< elements from the first one
    dim_t src_index, weights_index, dst_index; ///< among the batches of that tensor
    dim_t position[position_rank];             ///< outer coordinates of the epilogue
};

/// The matrices of batch number `batch` of dst, whose layout is that of `to`.
matmul_batch find_batch(const matmul_shape &shape, const memory_desc &a, const memory_desc &b,
    const memory_desc &to, dim_t batch);

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
    matmul_batch batch_at(dim_t batch) const {
        return find_batch(shape, a, weights.wanted(), dst.wanted(), batch);
    }
    dim_t part_count() const;
    part part_at(dim_t index) const;
    /// The number of blocks of MC x NC of a part, counted columns first, then rows, then batches.
    dim_t block_count(const part &p) const;
    block block_at(const part &p, dim_t index) const;
    /// Estimates the nanoseconds of one such block, for K of `depth`.
    double block_ns(dim_t depth) const;

    /// Matrices of weights of a part, their numbers among those of the tensor, and the elements
    /// from the first panel of the weights to those of the matrix.
    dim_t matrix_count(const part &p) const {
        return weights.slab().by_product ? p.batches : batches_of(weights.wanted());
    }
    dim_t matrix_of(const part &p, dim_t i) const {
        return weights.slab().by_product ? batch_at(p.first_batch + i).weights_index : i;
    }
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

/// What the kinds of products share: an execution multiplies part by part and block by block.
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
    /// Plans the epilogue and the threads for blocks of MC x NC, once the layouts are known.
    void prepare(problem &p, const epilogue_request &request, dim_t depth);
    /// Called last, where `length` products of bytes are added up in s32: leaves executions with
    /// zero points beside which s32 need not hold the sums to the reference.
    void guard(problem &p, dim_t length);

    /// Called once the operands are there; may replace src by a copy.
    virtual void begin(matmul_execution &e) const = 0;
    /// Called once the panels of a part are there.
    virtual void begin_part(const matmul_execution &e, const part &p) const = 0;
    /// Multiplies blocks [begin, end) of a part.
    virtual void multiply(
        const matmul_execution &e, const part &p, int thread, dim_t begin, dim_t end) const = 0;

    operand_values values_;
    matmul_operands operands_;
    epilogue_plan epilogue_;

  private:
    double block_ns_ = 0;
    zero_points_guard guard_;
};

/// Plans products of integers whose scales or zero points the epilogue cannot apply to whole sums.
planned make_grouped_matmul(problem &p, const operand_types &types, operand_values values);

/// True when a shape or a layout is known at execution only.
bool has_runtime(const matmul_desc &op);
/// A plan that asks the rows of the table anew when an execution brings shapes that the last one
/// did not have. make_concrete makes the plan of this row for a problem without run-time dims.
planned make_runtime_matmul(problem &p, planned (*make_concrete)(problem &));

} // namespace dnnl::impl::cpu
