// SPDX-License-Identifier: Apache-2.0
// Makes panels of one group of the weights of a convolution at a time.
#pragma once

#include "common/plan/implementation.hpp"
#include "cpu/gemm/gemm.hpp"

namespace dnnl::impl::cpu {

/// Weights of many groups with few channels each, whose panels would be zeros for the most part, or
/// of taps that are joined across their channels, which no layout of panels has. They are kept
/// dense, [g][kd][kh][kw][k][n], and a thread makes panels of the one group that it works on.
class group_panels {
  public:
    group_panels() = default;
    /// weights: in the order [g][spatial][k][n], with or without groups; k_dim and n_dim are the
    /// two dims before the spatial ones. joined: so many neighbours of the last dim are one row of
    /// k.
    group_panels(
        problem &p, const memory_desc &weights, int k_dim, int n_dim, dim_t joined, int threads);

    /// True for groups whose panels would take more than twice the memory of the weights.
    static bool suit(const memory_desc &weights, int k_dim, int n_dim);

    /// False where the weights are panels themselves.
    explicit operator bool() const { return rows_ > 0; }
    /// The number of elements from panel to panel, and of those in a row of a panel.
    dim_t panel_stride() const { return panel_stride_; }
    dim_t row_stride() const { return panel_stride_ / rows_; }

    /// Returns the memory for a thread's panels.
    char *begin(const exec_context &ctx, int thread) const;
    /// Makes the panels of group g there.
    void make(const char *weights, dim_t g, char *panels) const;

  private:
    data_type type_ = data_type::undef;
    pack_b_function pack_ = nullptr;
    dim_t rows_ = 0; ///< taps, or rows of them
    dim_t K_ = 0, N_ = 0;
    dim_t panel_stride_ = 0, panels_bytes_ = 0;
    scratch_slot<char> place_;
};

} // namespace dnnl::impl::cpu
