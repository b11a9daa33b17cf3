// SPDX-License-Identifier: Apache-2.0
// Panels of one group of the weights of a convolution at a time.
#pragma once

#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

/// Weights of many groups with few channels each. As panels they would be zeros for the most part:
/// they are kept dense, [g][kd][kh][kw][k][n], and a thread makes panels of the one group that it
/// works on.
class group_panels {
  public:
    group_panels() = default;
    /// weights: in the order [g][spatial][k][n]; k_dim and n_dim are 1 and 2 or 2 and 1.
    group_panels(problem &p, const memory_desc &weights, int k_dim, int n_dim, int threads);

    /// True where panels would take more than twice the memory of the weights.
    static bool suit(const memory_desc &weights, int k_dim, int n_dim);

    /// False where the weights are panels themselves.
    explicit operator bool() const { return rows_ > 0; }
    /// Elements from panel to panel.
    dim_t panel_stride() const { return panel_stride_; }

    /// The place of a thread's panels, cleared.
    char *begin(const exec_context &ctx, int thread) const;
    /// Makes the panels of group g there, as far as they are not zeros.
    void make(const char *weights, dim_t g, char *panels) const;

  private:
    data_type type_ = data_type::undef;
    dim_t rows_ = 0; ///< taps
    dim_t K_ = 0, N_ = 0;
    dim_t panel_stride_ = 0, panels_bytes_ = 0;
    scratch_slot<char> place_;
};

} // namespace dnnl::impl::cpu
