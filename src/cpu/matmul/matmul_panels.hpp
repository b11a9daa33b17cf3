// SPDX-License-Identifier: Apache-2.0
// The weights of a product as panels of the GEMM kernels: where they are packed already, packed
// whole before the products, converted slab by slab between the products, or made slice by slice
// while a product runs.
#pragma once

#include <functional>

#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/kernel_types.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/matmul/matmul_values.hpp"

namespace dnnl::impl::cpu {

struct copy_tile_args;

/// Panels over the last two dimensions of md, batch outside; with column sums where `sums`.
memory_desc packed_weights(memory_desc md, bool sums);

/// Product of the extents of all dimensions but the last two.
dim_t batches_of(const memory_desc &md);

/// What panels are made of.
///   f32 panels: scale(b, k, n) * (weights(b, k, n) - zero_point(b, k, n)), or without either
///   others:     the weights, of the panels' type or integers of 4 bits
struct panel_request {
    data_type type;            ///< of the panels
    dim_t group;               ///< each so many k begin a k group of the panel; K: only the first
    dim_t products = 1;        ///< matrices of weights that are multiplied, one after another
    bool sums = false;         ///< int8: column sums follow the panels
    bool stream = false;       ///< make slices while the product runs, where that can be
    quantization_values scale; ///< of the weights, for f32 panels
    quantization_values zero_point;

    /// True for weights that become panels without any arithmetic.
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
    /// Element of a panel at which k begins; k is the first of a group or of a k group.
    dim_t offset_of(dim_t k) const {
        return (k / group_ * padded_group_ + k % group_) * panel_columns(wanted_.dtype);
    }
    /// The column sums that follow panels which begin there: rows of column_sums_stride(), one for
    /// each matrix of the slab or of the tensor, column_sums_count() in all.
    const s32 *column_sums(const char *panels) const;
    dim_t column_sums_stride() const;
    dim_t column_sums_count() const;

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
    /// Elements from matrix to matrix of a slab.
    dim_t slab_matrix_stride() const;
    /// Makes columns [n0, n0 + n) of `matrices` matrices of weights; matrix_of(i) is the number of
    /// the i-th among those of the tensor. Once begin() has been called, and into its result.
    void fill_slab(const exec_context &ctx, dim_t matrices, dim_t n0, dim_t n,
        const std::function<dim_t(dim_t)> &matrix_of) const;

  private:
    enum class source { packed, adapted, filled, streamed };
    struct matrix {
        void *elements;
        data_type type;
        dim_t k_stride, n_stride;
    };
    dim_t first_element(const slice &part) const;
    void fill_panel(const exec_context &ctx, const slice &panel) const;
    void pack(const slice &part, const matrix &from) const;
    // Compressed weights (matmul_compressed.cpp).
    slab_size choose_slab(dim_t products) const;
    void prepare_conversion(problem &p, const panel_request &r);
    dim_t rows_at(dim_t k, dim_t end) const;
    void convert_panel(const exec_context &ctx, const slice &panel) const;
    matrix source_of(const exec_context &ctx, const slice &part, std::uint8_t *codes) const;
    void convert(
        const exec_context &ctx, const slice &part, const matrix &from, const matrix &to) const;

    memory_desc weights_, wanted_;
    source how_ = source::packed;
    dim_t group_ = 1, padded_group_ = 1;
    int k_dim_ = 0, n_dim_ = 1;
    bool sums_ = false, converts_ = false;
    slab_size slab_ {};
    adapted_tensor adapted_;
    scratch_slot<std::byte> buffer_;
    value_table<f32> scale_, zero_point_;
    pack_b_function pack_ = nullptr;
    void (*copy_)(const copy_tile_args &) = nullptr;
    void (*unpack_nibbles_)(const void *, dim_t, void *) = nullptr;
    const char *why_not_ = nullptr;
};

} // namespace dnnl::impl::cpu
