// SPDX-License-Identifier: Apache-2.0
// Recurrent networks on the GEMM kernels: what the forward and the backward pass share.
#pragma once

#include "common/descriptors/rnn.hpp"
#include "common/plan/implementation.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/layout/adapted_tensor.hpp"

namespace dnnl::impl::cpu {

planned make_rnn_forward(problem &);
planned make_rnn_backward(problem &);

/// A matrix cut into blocks, one item of a parallel loop each: columns at panels, rows only where
/// the panels are fewer than the threads.
struct rnn_grid {
    dim_t rows, columns, row_block, column_block;

    rnn_grid(dim_t all_rows, dim_t all_columns, const gemm_driver &driver, int threads);
    dim_t column_items() const { return div_up(columns, column_block); }
    dim_t count() const { return div_up(rows, row_block) * column_items(); }
};

/// One block of a grid.
struct rnn_block {
    dim_t row, rows, column, columns;
    rnn_block(const rnn_grid &grid, dim_t item)
        : row(item / grid.column_items() * grid.row_block),
          rows(std::min(grid.row_block, grid.rows - row)),
          column(item % grid.column_items() * grid.column_block),
          columns(std::min(grid.column_block, grid.columns - column)) {}
};

/// A product with one gate's weights, or with several: the sums of gate g lie g * gate_step
/// elements behind those of the first.
struct rnn_product {
    const void *a; ///< rows of k elements
    dim_t lda;     ///< elements
    dim_t rows, column, columns;
    dim_t l, d, first_gate, gates;
    void *sums; ///< 32 bits wide, of the first row, column and gate
    dim_t sums_row, gate_step;
    dim_t a_gate_step; ///< elements: transposed weights multiply another part of a for each gate,
    bool accumulate;   ///< whose products are then added up in one gate's sums

    /// One gate of one block; a and sums are still to be given.
    static rnn_product of(const rnn_block &b, dim_t l, dim_t d) {
        rnn_product p {};
        p.rows = b.rows;
        p.column = b.column;
        p.columns = b.columns;
        p.l = l;
        p.d = d;
        p.gates = 1;
        return p;
    }
};

/// Weights of the layer, of the state or of the projection, packed into panels.
class rnn_weights {
  public:
    rnn_weights() = default;
    /// Chooses panels where the layout is `any`, else copies. transposed: sums run over output
    /// channels. threads: that multiply() is called from; rows: of the widest product.
    struct request {
        rnn_tensor tensor;
        data_type a_type;
        bool transposed, column_sums;
        dim_t rows;
        int threads;
    };
    rnn_weights(problem &p, const request &r);

    const char *why_not() const;
    const gemm_driver &driver() const { return driver_; }
    dim_t K() const { return K_; }
    dim_t N() const { return N_; }
    const char *begin(const exec_context &ctx) const;
    /// Between driver().begin() and end() of the thread.
    void multiply(const char *weights, const rnn_product &product) const;
    /// Sums over k of gate g, one per column.
    const s32 *column_sums(const char *weights, dim_t l, dim_t d, dim_t g) const;
    /// Nanoseconds that one block of a grid costs.
    double cost_ns(const rnn_grid &grid, dim_t gates) const;

  private:
    gemm_driver driver_;
    adapted_tensor tensor_;
    int arg_ = 0, gate_dim_ = -1, n_dim_ = 0; ///< no gates: the projection
    dim_t K_ = 0, N_ = 0;
    isa target_ = isa::none;
    data_type a_type_ = data_type::undef;
};

/// md with the given type, dense row-major.
memory_desc dense_like(const memory_desc &md, data_type dtype);

/// A tensor of the network as dense rows of `dtype`; not there: an adapted_tensor without layout.
adapted_tensor adapt_rnn_tensor(
    problem &p, const memory_desc &md, data_type dtype, adapted_tensor::use how);

} // namespace dnnl::impl::cpu
