// SPDX-License-Identifier: Apache-2.0
// Parts of the reference convolution that the reference deconvolution is made of.
#pragma once

#include "common/descriptors/convolution.hpp"
#include "common/plan/implementation.hpp"
#include "ref/tensor.hpp"

namespace dnnl::impl::ref {

/// Why the types or attributes are not supported; null when they are. Also for deconvolutions.
const char *convolution_refusal(const convolution_desc &desc, const primitive_attr &attr);

/// A convolution whose types and attributes were checked; its gradient by data applies bias and
/// attributes, which deconvolution uses.
planned plan_convolution(problem &p);

/// diff_bias = sum over mb and space of diff_dst, per output channel.
void backward_bias(const convolution_shape &s, const tensor &diff_dst, const tensor &diff_bias);

} // namespace dnnl::impl::ref
