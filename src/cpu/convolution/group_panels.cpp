// SPDX-License-Identifier: Apache-2.0
#include "cpu/convolution/convolution.hpp"

namespace dnnl::impl::cpu {

bool group_panels::suit(const memory_desc &weights, int k_dim, int n_dim) {
    const dim_t K = weights.dims[k_dim], N = weights.dims[n_dim];
    const dim_t padded =
        round_up(K, panel_k_group(weights.dtype)) * round_up(N, panel_columns(weights.dtype));
    return weights.dims[0] > 1 && padded > 2 * K * N && !weights.has_zero_dim();
}

group_panels::group_panels(
    problem &p, const memory_desc &weights, int k_dim, int n_dim, dim_t joined, int threads)
    : type_(weights.dtype), pack_(select_pack_b(p.target, weights.dtype)), rows_(1),
      K_(weights.dims[k_dim] * joined), N_(weights.dims[n_dim]) {
    for (int d = std::max(k_dim, n_dim) + 1; d < weights.ndims; ++d) rows_ *= weights.dims[d];
    rows_ /= joined;
    const dim_t columns = panel_columns(type_);
    panel_stride_ = rows_ * round_up(K_, panel_k_group(type_)) * columns;
    panels_bytes_ = div_up(N_, columns) * panel_stride_ * size_in_bytes(type_);
    place_ = p.scratchpad.reserve<char>(threads * panels_bytes_);
}

void group_panels::make(const char *weights, dim_t g, char *panels) const {
    const dim_t bytes = size_in_bytes(type_), row_bytes = K_ * N_ * bytes;
    pack_b_args b {};
    b.k_stride = N_;
    b.n_stride = 1;
    b.k = K_;
    b.k_padded = round_up(K_, panel_k_group(type_));
    b.n = N_;
    b.panel_bytes = panel_stride_ * bytes;
    for (dim_t row = 0; row < rows_; ++row) {
        b.src = weights + (g * rows_ + row) * row_bytes;
        b.dst = panels + row * row_stride() * bytes;
        pack_(b);
    }
}

} // namespace dnnl::impl::cpu
