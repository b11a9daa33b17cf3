// SPDX-License-Identifier: Apache-2.0
// Rows of a GEMM from an image: for each position of a sliding window, the elements under the
// window as one row, ordered (kd, kh, kw, channel). One table per dimension says which source index
// a tap of a position touches, so that forward and backward data share the code.
#pragma once

#include <array>
#include <vector>

#include "common/convolution.hpp"

namespace dnnl::impl::cpu {

/// Source index of tap k at position o along one dimension, -1 outside the source: [o][k].
struct tap_table {
    dim_t positions, taps;
    std::vector<std::int32_t> index;
    std::int32_t at(dim_t o, dim_t k) const {
        return index[static_cast<std::size_t>(o * taps + k)];
    }
};

/// forward: o * S + k * (D + 1) - P within [0, I).
tap_table forward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P);
/// backward data: the o with o * S + k * (D + 1) - P == i, within [0, O), for each i.
tap_table backward_taps(dim_t O, dim_t I, dim_t K, dim_t S, dim_t D, dim_t P);

/// Of depth, height and width.
using window_tables = std::array<tap_table, 3>;
window_tables forward_tables(const convolution_shape &shape);
window_tables backward_tables(const convolution_shape &shape);

/// Null, or why the tables cannot hold the indices of a convolution.
const char *tap_table_refusal(const convolution_desc &op);

class spatial_gather {
  public:
    spatial_gather() = default;
    /// src: (MB, channels, spatial...) with channels dense; channels of one group are gathered,
    /// each tap padded with zeros to a multiple of k_group elements.
    spatial_gather(const memory_desc &src, dim_t channels, dim_t k_group, window_tables tables);

    dim_t rows() const { return MB_ * d_.positions * h_.positions * w_.positions; }
    /// Elements of one gathered row, and of one tap of it.
    dim_t row_size() const { return d_.taps * h_.taps * w_.taps * tap_size_; }
    dim_t tap_size() const { return tap_size_; }

    /// True when the rows lie in the source themselves, row_stride() elements apart.
    bool is_direct() const { return direct_; }
    dim_t row_stride() const { return row_stride_; }
    /// Elements of a row that a product reads: a direct row lacks the padding of its last tap.
    dim_t k() const { return direct_ ? row_size() - (tap_size_ - channels_) : row_size(); }

    /// Copies rows [begin, end); element (begin, 0) goes to dst, rows are row_size() elements.
    /// src points to channel 0 of the group; padding: tap_size() elements for each tap outside
    /// (int8 zero points), null for zeros.
    void run(const void *src, dim_t begin, dim_t end, void *dst, const void *padding) const;

  private:
    void gather_row(
        const char *image, dim_t od, dim_t oh, dim_t ow, char *dst, const void *padding) const;
    void gather_line(const char *line, dim_t ow, char *dst, const void *padding) const;
    bool pixels_are_rows();
    bool images_are_rows();

    dim_t MB_ = 0, channels_ = 0, tap_size_ = 0, bytes_ = 0;
    tap_table d_, h_, w_;
    dim_t n_stride_ = 0, d_stride_ = 0, h_stride_ = 0, w_stride_ = 0; ///< elements of the source
    bool direct_ = false;
    dim_t row_stride_ = 0;
};

} // namespace dnnl::impl::cpu
