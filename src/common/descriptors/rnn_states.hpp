// SPDX-License-Identifier: Apache-2.0
// What the cells of a recurrent network keep, in one buffer: the workspace of a training
// pass, which all implementations write alike, or the scratchpad of an inference.
#pragma once

#include <cstddef>

#include "common/descriptors/rnn.hpp"

namespace dnnl::impl {

/// Four arrays, each dense and 64-byte aligned to the buffer's start, over slots (layer,
/// direction), time steps and batch:
///   gates   f32 [slot][T][MB][G][DHC]  as they enter h': results of their functions, but of a
///                                      relu cell the argument
///   linear  f32 [slot][T][MB][DHC]     linear before reset: U_o h + B_u'; LSTM with projection: h
///                                      before the projection, rounded as the product takes it
///   c       f32 [slot][T][MB][DHC]     LSTM: the cell state c'
///   h       [slot][T][MB][DIC]         the state h' of state_type()
class rnn_states {
  public:
    /// keep_all: a slot for each layer and direction. keep_last: all share the arrays but h, which
    /// keeps two layers of each direction.
    enum extent { keep_all, keep_last };

    rnn_states() = default;
    rnn_states(const rnn_desc &desc, extent kept);

    dim_t bytes() const { return bytes_; }
    data_type state_type() const { return state_type_; }
    bool has_linear() const { return linear_row_ > 0; }

    /// Elements of time step t of a layer and direction, in a buffer that starts at `base`.
    float *gates(std::byte *base, dim_t l, dim_t d, dim_t t) const {
        return reinterpret_cast<float *>(base) + (shared_slot(l, d) * T_ + t) * gates_row_;
    }
    float *linear(std::byte *base, dim_t l, dim_t d, dim_t t) const {
        return reinterpret_cast<float *>(base + linear_begin_) +
               (shared_slot(l, d) * T_ + t) * linear_row_;
    }
    float *c(std::byte *base, dim_t l, dim_t d, dim_t t) const {
        return reinterpret_cast<float *>(base + c_begin_) + (shared_slot(l, d) * T_ + t) * c_row_;
    }
    std::byte *h(std::byte *base, dim_t l, dim_t d, dim_t t) const {
        const dim_t slot = kept_ == keep_all ? l * D_ + d : l % 2 * D_ + d;
        return base + h_begin_ + (slot * T_ + t) * h_row_bytes_;
    }

  private:
    dim_t shared_slot(dim_t l, dim_t d) const { return kept_ == keep_all ? l * D_ + d : 0; }

    extent kept_ = keep_all;
    data_type state_type_ = data_type::undef;
    dim_t T_ = 0, D_ = 0;
    dim_t gates_row_ = 0, linear_row_ = 0, c_row_ = 0, h_row_bytes_ = 0; ///< of a time step
    dim_t linear_begin_ = 0, c_begin_ = 0, h_begin_ = 0, bytes_ = 0;     ///< bytes
};

} // namespace dnnl::impl
