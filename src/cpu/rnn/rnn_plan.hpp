// SPDX-License-Identifier: Apache-2.0
// What the plans of the forward and the backward pass of recurrent networks hold: the network, its
// packed weights, and how a step is cut into blocks.
#pragma once

#include "common/descriptors/rnn_states.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/kernels/rnn/rnn_cell.hpp"
#include "cpu/rnn/rnn.hpp"

namespace dnnl::impl::cpu {

/// Which states a pass keeps, and how it multiplies its weights: see rnn_weights::request.
struct rnn_pass {
    rnn_states::extent kept;
    data_type a_type;
    bool transposed, column_sums;
};

class gemm_rnn : public plan {
  protected:
    /// Resolves the layouts of the problem and keeps the descriptor.
    gemm_rnn(problem &p, const rnn_pass &pass);
    const char *weights_refusal() const;

    dim_t state_bytes() const { return static_cast<dim_t>(size_of(states_.state_type())); }
    dim_t time(dim_t d, dim_t step) const { return is_reversed(desc_, d) ? s_.T - 1 - step : step; }
    /// The first row of a layer and direction in tensors of initial and final states.
    dim_t slot(dim_t l, dim_t d) const { return (l * s_.D + d) * s_.MB; }

    /// body(block) over `rows` and the columns of a product with the weights of `gates`, between
    /// begin() and end(). element_ns: what the body costs per row and column beside the product.
    template <class Body>
    void for_each_block(
        const rnn_weights &w, dim_t rows, dim_t gates, double element_ns, const Body &body) const {
        const rnn_grid grid(rows, w.N(), w.driver(), threads_);
        const double body_ns = element_ns *
                               static_cast<double>(std::min(grid.row_block, grid.rows)) *
                               static_cast<double>(std::min(grid.column_block, grid.columns));
        parallel_for(grid.count(), w.cost_ns(grid, gates) + body_ns, threads_,
            [&](int, dim_t begin, dim_t end) {
                w.driver().begin();
                for (dim_t item = begin; item < end; ++item) body(rnn_block(grid, item));
                w.driver().end(nullptr);
            });
    }

    rnn_desc desc_;
    rnn_shape s_;
    rnn_states states_;
    isa target_;
    int threads_;
    rnn_weights layer_, iter_, projection_;
};

} // namespace dnnl::impl::cpu
