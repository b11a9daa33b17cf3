// SPDX-License-Identifier: Apache-2.0
// Checks of one tensor descriptor that all primitives share; the reasons name primitive and tensor.
#pragma once

#include "common/layout/memory_desc.hpp"

namespace dnnl::impl {

/// The primitive that a reason names, given by its kind or by an operation descriptor of it.
struct named_primitive {
    dnnl_primitive_kind_t kind;
    named_primitive(dnnl_primitive_kind_t of) : kind(of) {}
    template <class Desc> named_primitive(const Desc &desc) : kind(desc.facts.kind) {}
};

/// Throws error(invalid_arguments, "<primitive>: <what>") unless the condition holds. The text is
/// composed only when it is needed, as those below.
void require_of(bool condition, named_primitive primitive, const char *what);
/// The same with the text "<primitive>: <tensor>: <what>".
void require_tensor(
    bool condition, named_primitive primitive, const char *tensor, const char *what);

/// Throws error(invalid_arguments, "<primitive>: <tensor>: its dims differ from <model_name>'s")
/// unless md has the rank and the dims of the model.
void require_same_dims(const memory_desc &md, const memory_desc &model, named_primitive primitive,
    const char *tensor, const char *model_name);

/// What a tensor may be, bits.
enum tensor_permission : unsigned {
    defined_only = 0,
    may_be_any = 1,     ///< layout `any`
    may_be_runtime = 2, ///< dims and strides known at execution only
    is_written = 4,     ///< no broadcast (zero) stride over more than one element
};

/// The descriptor that is pointed to. Throws error(invalid_arguments) when it is null or empty,
/// `any` where that is not allowed, written through a zero stride; error(unimplemented) for runtime
/// dims where they are not offered and for 2^60 elements or more.
const memory_desc &checked_tensor(
    named_primitive primitive, const char *tensor, const memory_desc *md, unsigned permissions);

/// True for null, the zero descriptor and an undefined layout: an optional tensor that is not
/// there.
bool is_absent(const memory_desc *md);

/// True when both have the same ndims and dims.
bool same_dims(const memory_desc &a, const memory_desc &b);

/// True when both are equal but for the element type.
bool same_layout(const memory_desc &a, const memory_desc &b);

} // namespace dnnl::impl
