// SPDX-License-Identifier: Apache-2.0
// A deconvolution carried out by the row of a convolution: source and destination change places,
// and so do the channels of the weights. Attributes keep the names of the deconvolution; a mask
// over weights names the channels of the result.
#pragma once

#include "common/plan/implementation.hpp"
#include "common/plan/nested_plan.hpp"

namespace dnnl::impl {

class exchanged_convolution {
  public:
    /// Plans by `row` the convolution that the deconvolution of `outer` is; resolves the layouts
    /// of its tensors and post-ops, but not that of the gradient of a bias.
    exchanged_convolution(problem &outer, planned (*row)(problem &));

    /// Null, or why the row refuses.
    const char *why_not() const { return convolution_ ? nullptr : convolution_.why_not(); }
    /// Everything but the gradient of a bias.
    void execute(const exec_context &ctx) const;

  private:
    nested_plan convolution_;
};

} // namespace dnnl::impl
