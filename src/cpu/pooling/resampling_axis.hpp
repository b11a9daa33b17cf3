// SPDX-License-Identifier: Apache-2.0
// One dimension of a resampling: what an index of the result takes from the other tensor, computed
// when it is asked for. Forward the result is dst, backward diff_src.
#pragma once

#include "common/descriptors/op_desc.hpp"
#include "common/layout/memory_desc.hpp"

namespace dnnl::impl::cpu {

/// An element of the other tensor that a result takes, times a weight.
struct weighted_hit {
    dim_t index;
    float weight;
};

class resampling_axis {
  public:
    resampling_axis() = default;
    /// I elements of src, O of dst; both at least 1.
    resampling_axis(dnnl_alg_kind_t alg, bool forward, dim_t I, dim_t O);

    /// As many hits as a result has at most; at least 1.
    dim_t most_hits() const;
    /// More elements of the other tensor than lie between the first and the last hit of
    /// `results` neighbours.
    dim_t span(dim_t results) const;
    /// The hits of result r + period() are those of r, shift() further: for all results but
    /// border() ones at either end.
    dim_t period() const { return forward_ ? den_ : num_; }
    dim_t shift() const { return forward_ ? num_ : den_; }
    dim_t border() const { return forward_ ? den_ / (2 * num_) + 1 : 1; }
    /// Writes the hits of a result, the lowest index first; returns their number.
    dim_t list(dim_t result, weighted_hit *hits) const {
        if (I_ == O_) {
            hits[0] = {result, 1.0f};
            return 1;
        }
        return forward_ ? inputs_of(result, hits) : outputs_of(result, hits);
    }

  private:
    dim_t inputs_of(dim_t o, weighted_hit *hits) const;
    dim_t outputs_of(dim_t i, weighted_hit *hits) const;

    bool nearest_ = false, forward_ = true;
    dim_t I_ = 1, O_ = 1;
    dim_t num_ = 1, den_ = 1; ///< I / O in lowest terms
};

} // namespace dnnl::impl::cpu
