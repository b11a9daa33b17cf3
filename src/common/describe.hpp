// SPDX-License-Identifier: Apache-2.0
// Descriptors in words, for the reasons of refusals and for verbose lines.
#pragma once

#include <string>

#include "common/memory_desc.hpp"
#include "common/op_desc.hpp"

namespace dnnl::impl {

/// Type, layout and shape: "f32 ab 64x32". A run-time extent is `*`. Strides stand behind the shape
/// where they leave gaps, the offset where it is not 0: "f32 ba 64x32 strides 1x70 offset 8". The
/// layout is `any`, `opaque` or spelled like a tag; a descriptor of no dimensions is "empty".
std::string describe(const memory_desc &md);

/// The tensors of an operation: "src f32 ab 2x64, weights f32 any 64x32, dst f32 ab 2x32".
std::string describe(const op_desc &op);

/// An argument of an execution as the headers spell it: "DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS".
std::string text_of(int arg);

/// One number for each dimension, "2x16x4"; what is known at execution only is `*`.
std::string extents(const memory_desc &md, const dims_t &values);

/// True when the strides are those that the layout has without gaps; the strides of dimensions of
/// size 1 do not count.
bool has_dense_strides(const memory_desc &md);

} // namespace dnnl::impl
