// SPDX-License-Identifier: Apache-2.0
// One dimension of a resampling: what an index of the result takes from the other tensor, computed
// when it is asked for. Forward the result is dst, backward diff_src.
#pragma once

#include "common/descriptors/op_desc.hpp"
#include "common/layout/types.hpp"

namespace dnnl::impl::cpu {

/// What is taken from index `from`.
struct share {
    dim_t from;
    float weight;
};

class resampling_axis {
  public:
    resampling_axis() = default;
    /// I elements of src, O of dst; both at least 1.
    resampling_axis(dnnl_alg_kind_t alg, bool forward, dim_t I, dim_t O);

    dim_t results() const { return forward_ ? O_ : I_; }
    /// As many shares as a result has at most; at least 1.
    dim_t most_shares() const;
    /// More elements of the other tensor than lie between the first and the last share of
    /// `results` neighbours.
    dim_t span(dim_t results) const;
    /// The shares of result r + period() are those of r, shift() further: for all results but
    /// border() ones at either end.
    dim_t period() const { return forward_ ? den_ : num_; }
    dim_t shift() const { return forward_ ? num_ : den_; }
    dim_t border() const { return forward_ ? den_ / (2 * num_) + 1 : 1; }
    /// Writes the shares of a result, the lowest index first; returns their number.
    dim_t list(dim_t result, share *shares) const {
        if (I_ == O_) {
            shares[0] = {result, 1.0f};
            return 1;
        }
        return forward_ ? inputs_of(result, shares) : outputs_of(result, shares);
    }

  private:
    dim_t inputs_of(dim_t o, share *shares) const;
    dim_t outputs_of(dim_t i, share *shares) const;

    bool nearest_ = false, forward_ = true;
    dim_t I_ = 1, O_ = 1;
    dim_t num_ = 1, den_ = 1; ///< I / O in lowest terms
};

} // namespace dnnl::impl::cpu
