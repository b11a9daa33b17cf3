// SPDX-License-Identifier: Apache-2.0
// How tensors of ONNX lie in memory of the library.
#pragma once

#include "../model/tensor.hpp"

#include <dnnl.hpp>

#include <optional>

namespace dnnl_onnx {

/// The library's type of the same elements; undef where it has none (64-bit integers, f64).
dnnl::memory::data_type library_type(element_type type);
bool has_library_type(element_type type);

/// Dense, the last dimension fastest. A scalar is one element in one dimension. Empty where the
/// library has no such type.
dnnl::memory::desc plain_desc(const tensor_type &type);
dnnl::memory::desc plain_desc(const extents &dims, dnnl::memory::data_type type);
dnnl::memory::desc any_desc(const extents &dims, dnnl::memory::data_type type);
/// Channels last: the second dimension fastest.
dnnl::memory::desc channels_last_desc(const extents &dims, dnnl::memory::data_type type);

/// Elements at a sum of strides, and in no inner blocks.
bool is_strided(const dnnl::memory::desc &desc);
bool is_plain(const dnnl::memory::desc &desc);

/// The same order of dimensions without gaps between the elements; for other extents, the order of
/// the model.
dnnl::memory::desc compact_desc(const dnnl::memory::desc &desc);
dnnl::memory::desc ordered_like(const dnnl::memory::desc &model, const extents &dims);

/// The strides under which the elements of a strided tensor have other extents; none where these
/// elements cannot be seen so without a copy.
std::optional<extents> reshaped_strides(
    const extents &dims, const extents &strides, const extents &to);

/// The same elements with dimensions of extent 1 in front, `rank` in all.
dnnl::memory::desc with_rank(const dnnl::memory::desc &desc, int rank);

/// "f32 nhwc 1x16x24x160", by the order of the strides.
std::string text_of(const dnnl::memory::desc &desc);

} // namespace dnnl_onnx
