// SPDX-License-Identifier: Apache-2.0
// This folder holds the drivers of convolution, deconvolution and inner product. This header: what
// the drivers of convolution share.
#pragma once

#include "common/descriptors/convolution.hpp"
#include "common/plan/implementation.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/walk/ordered_sums.hpp"

namespace dnnl::impl::cpu {

/// Weights, (G,) and two dims of channels before the spatial ones, in the order (G,) spatial,
/// channels k_dim and n_dim; without column sums.
memory_desc weights_in_order(memory_desc md, bool has_groups, int k_dim, int n_dim,
    std::span<const inner_block> blocks = {});

/// Null when every group has one input and one output channel, else the reason.
const char *depthwise_refusal(const convolution_desc &op);
/// Weights (G, 1, 1, spatial...) as the kernels of depthwise convolution read them.
memory_desc depthwise_weights_layout(memory_desc md);

/// Null when rows of backward weights that need problem.target take the types and attributes, else
/// the reason.
const char *weights_gradient_refusal(const problem &p);
/// Chunks of the pixels, at most `most`: several only where few sums make them cheap.
dim_t weights_gradient_chunks(dim_t sums, dim_t pixels, dim_t most = 8);

/// Adds up sums of all channels, cut into chunks of pixels, into a tensor (C) of layout md.
void store_channel_sums(const memory_desc &md, void *to, const ordered_sums<f32> &sums);

/// The value fits the type u8 or s8 of a source, so that padding can hold it as a zero point.
bool is_byte(data_type type, s32 value);

class convolution_plan : public plan {
  protected:
    explicit convolution_plan(const problem &p);

    /// Of the operation: the tensor that windows lie over, and that of their positions. Backward
    /// data they change places; backward weights reads both.
    const memory_desc &source(const convolution_desc &op) const {
        return forward_ ? op.src : op.dst;
    }
    const memory_desc &result(const convolution_desc &op) const {
        return forward_ ? op.dst : op.src;
    }
    /// Works on the tensors of the operation, whose layouts are defined, in these layouts.
    void adapt(
        problem &p, const memory_desc &src, const memory_desc &weights, const memory_desc &dst);

    /// The first elements in the wanted layouts.
    struct tensors {
        char *src, *weights, *dst;
    };
    tensors begin(const exec_context &ctx) const;
    void end(const exec_context &ctx) const;

    convolution_shape shape_;
    bool forward_ = true; ///< or backward weights, whose windows are those of forward
    int threads_;
    adapted_tensor src_, weights_, dst_; ///< source, weights and result

  private:
    struct arguments {
        int src, weights, dst;
    };
    arguments arguments_;
};

} // namespace dnnl::impl::cpu
