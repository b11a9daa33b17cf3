// SPDX-License-Identifier: Apache-2.0
// The gradient of a bias: sums over everything but the channels, in chunks of pixels.
#pragma once

#include "cpu/kernels/convolution/depthwise.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/walk/ordered_sums.hpp"

namespace dnnl::impl::cpu {

/// Adds up sums of all channels, cut into chunks of pixels, into a tensor (C) of layout md.
void store_channel_sums(const memory_desc &md, void *to, const ordered_sums<f32> &sums);

/// Sums of a tensor over everything but its channels: the gradient of a bias.
class channel_sums {
  public:
    channel_sums() = default;
    /// tensor: (MB, C, spatial...), f32, bf16 or f16; sums: (C), of such a type. Both have layouts.
    channel_sums(problem &p, const memory_desc &tensor, const memory_desc &sums);

    /// Null, or why no kernel serves.
    const char *why_not() const { return why_not_; }
    /// The partial sums are cut by shape and added in order, whatever the threads.
    void execute(const exec_context &ctx, void *tensor, void *sums) const;

  private:
    depthwise_weights_function run_ = nullptr;
    adapted_tensor tensor_;
    memory_desc sums_;
    dim_t pixels_ = 0, chunks_ = 0;
    dim_t padded_channels_ = 0; ///< to whole vectors
    scratch_slot<f32> partial_; ///< [chunk][padded channel]
    const char *why_not_ = nullptr;
};

} // namespace dnnl::impl::cpu
