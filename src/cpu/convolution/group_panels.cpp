// SPDX-License-Identifier: Apache-2.0
#include "cpu/convolution/group_panels.hpp"

#include <algorithm>
#include <cstring>

#include "common/layout/data_type.hpp"
#include "cpu/gemm/gemm.hpp"

namespace dnnl::impl::cpu {

namespace {

/// One tap of one panel: k x n elements, N from row to row, become groups of k.
template <dim_t Group, class T>
void make_tap(const T *from, dim_t K, dim_t N, dim_t n, dim_t row_columns, T *to) {
    for (dim_t k = 0; k < K; k += Group, from += Group * N, to += Group * row_columns) {
        if constexpr (Group == 1) {
            std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
        } else {
            const dim_t rows = std::min(Group, K - k);
            for (dim_t j = 0; j < n; ++j)
                for (dim_t q = 0; q < rows; ++q) to[j * Group + q] = from[q * N + j];
        }
    }
}

} // namespace

bool group_panels::suit(const memory_desc &weights, int k_dim, int n_dim) {
    const dim_t K = weights.dims[k_dim], N = weights.dims[n_dim];
    const dim_t padded =
        round_up(K, panel_k_group(weights.dtype)) * round_up(N, panel_columns(weights.dtype));
    return weights.dims[0] > 1 && padded > 2 * K * N && !weights.has_zero_dim();
}

group_panels::group_panels(
    problem &p, const memory_desc &weights, int k_dim, int n_dim, int threads)
    : type_(weights.dtype), rows_(1), K_(weights.dims[k_dim]), N_(weights.dims[n_dim]) {
    for (int d = 3; d < weights.ndims; ++d) rows_ *= weights.dims[d];
    const dim_t columns = panel_columns(type_);
    panel_stride_ = rows_ * round_up(K_, panel_k_group(type_)) * columns;
    panels_bytes_ = div_up(N_, columns) * panel_stride_ * size_in_bytes(type_);
    place_ = p.scratchpad.reserve<char>(threads * panels_bytes_);
}

char *group_panels::begin(const exec_context &ctx, int thread) const {
    char *panels = ctx.scratch(place_) + thread * panels_bytes_;
    std::memset(panels, 0, static_cast<std::size_t>(panels_bytes_));
    return panels;
}

void group_panels::make(const char *weights, dim_t g, char *panels) const {
    const dim_t columns = panel_columns(type_), group = panel_k_group(type_);
    const dim_t bytes = size_in_bytes(type_);
    const dim_t tap = K_ * N_, panel_tap = round_up(K_, group) * columns;
    weights += g * rows_ * tap * bytes;
    for (dim_t n0 = 0; n0 < N_; n0 += columns) {
        const dim_t n = std::min(columns, N_ - n0);
        char *to = panels + n0 / columns * panel_stride_ * bytes;
        const char *from = weights + n0 * bytes;
        for (dim_t row = 0; row < rows_; ++row, from += tap * bytes, to += panel_tap * bytes) {
            if (group == 1)
                make_tap<1>(reinterpret_cast<const f32 *>(from), K_, N_, n, columns,
                    reinterpret_cast<f32 *>(to));
            else if (group == 2)
                make_tap<2>(reinterpret_cast<const std::uint16_t *>(from), K_, N_, n, columns,
                    reinterpret_cast<std::uint16_t *>(to));
            else
                make_tap<4>(from, K_, N_, n, columns, to);
        }
    }
}

} // namespace dnnl::impl::cpu
