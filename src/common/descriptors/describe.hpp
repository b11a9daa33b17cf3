// SPDX-License-Identifier: Apache-2.0
// Descriptors in words, for the reasons of refusals and for verbose lines.
#pragma once

#include <string>
#include <utility>

#include "common/descriptors/op_desc.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

/// Type, layout and shape: "f32 ab 64x32". A run-time extent is `*`. Strides follow the shape
/// where they leave gaps, the offset where it is not 0: "f32 ba 64x32 strides 1x70 offset 8". The
/// layout is `any`, `opaque` or spelled like a tag; a descriptor of no dimensions is "empty".
std::string describe(const memory_desc &md);

/// The tensors of an operation: "src f32 ab 2x64, weights f32 any 64x32, dst f32 ab 2x32".
std::string describe(const op_desc &op);

/// An argument of an execution as the headers spell it: "DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS".
std::string text_of(int arg);

/// The extents of a tensor, "2x16x4".
std::string extents(const memory_desc &md);
/// One number for each dimension, "2x16x4"; what is known at execution only is `*`.
std::string extents(const memory_desc &md, const dims_t &values);

/// The strides as "1x70" where they are known and leave gaps; else an empty text.
std::string strides_text(const memory_desc &md);

/// In verbose lines: `name:data_type:props:format_kind:tag:strides:extra`.
std::string tensor_item(const char *name, const memory_desc &md, bool created_as_any);

/// An image in verbose lines: `mb2ic16ih4iw4`.
std::string image_text(const memory_desc &src);
/// The letter of spatial dimension d of ndims: `d`, `h` or `w`.
char spatial_letter(int ndims, int d);

/// Calls check(). The reason of an error that it throws gets the tensors of the operation.
template <class Desc, class Check> void check_tensors_of(const Desc &desc, Check &&check) {
    try {
        std::forward<Check>(check)();
    } catch (error &e) {
        e.append(" (" + describe(op_desc(desc)) + ")");
        throw;
    }
}

} // namespace dnnl::impl
