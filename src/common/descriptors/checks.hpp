// SPDX-License-Identifier: Apache-2.0
// Checks that primitives share, of one tensor and of sliding windows; the reasons name primitive
// and tensor. Windows are the strides, dilations, paddings and the size rule that convolution and
// pooling share.
#pragma once

#include <array>

#include "common/layout/memory_desc.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

// ---- Tensors ----

/// The primitive that a reason names, given by its kind or by an operation descriptor of it.
struct named_primitive {
    dnnl_primitive_kind_t kind;
    named_primitive(dnnl_primitive_kind_t of) : kind(of) {}
    template <class Desc> named_primitive(const Desc &desc) : kind(desc.facts.kind) {}
};

/// Throws error(invalid_arguments, "<primitive>: <what>") unless the condition holds. The text is
/// composed only when it is thrown; so it is by the functions below.
void require_of(bool condition, named_primitive primitive, const char *what);
/// The same with the text "<primitive>: <tensor>: <what>".
void require_tensor(bool holds, named_primitive primitive, const char *tensor, const char *what);

/// Throws error(invalid_arguments, "<primitive>: <tensor>: its dims differ from <model_name>'s")
/// unless md has the rank and the dims of the model.
void require_same_dims(const memory_desc &md, const memory_desc &model, named_primitive primitive,
    const char *tensor, const char *model_name);

/// Bits that say what a tensor may be.
enum tensor_permission : unsigned {
    defined_only = 0,
    may_be_any = 1,     ///< layout `any`
    may_be_runtime = 2, ///< dims and strides known at execution only
    may_be_sparse = 8,  ///< CSR or COO
    is_written = 4,     ///< no broadcast (zero) stride over more than one element
};

/// Returns the descriptor that md points to. Throws error(invalid_arguments) when it is null or
/// empty, when it is `any` or a host scalar where that is not permitted, and when it would be
/// written through a stride of 0. Throws error(unimplemented) for sparse layouts and run-time dims
/// where they are not permitted, and for 2^60 elements or more.
const memory_desc &checked_tensor(
    named_primitive primitive, const char *tensor, const memory_desc *md, unsigned permissions);

/// True for null, the zero descriptor and an undefined layout: there is no such tensor.
bool is_absent(const memory_desc *md);

/// True when both have the same ndims and dims.
bool same_dims(const memory_desc &a, const memory_desc &b);

/// True when both are equal but for the element type.
bool same_layout(const memory_desc &a, const memory_desc &b);

// ---- Windows ----

/// The parameters of a window as the caller passes them, one value per spatial dimension. Null
/// dilates are 0 (a dense kernel); null padding_r is padding_l.
struct window_parameters {
    const dim_t *strides;
    const dim_t *dilates;
    const dim_t *padding_l;
    const dim_t *padding_r;
};

/// Copies the parameters into the lists of these names in `desc` and checks that strides are at
/// least 1, dilates and padding_l at least 0. Throws error(invalid_arguments) with a reason that
/// names the primitive.
template <class Desc>
void take_window(Desc &desc, named_primitive primitive, const window_parameters &given) {
    require_of(given.strides, primitive, "strides is null");
    require_of(given.padding_l, primitive, "padding_l is null");
    for (int d = 0; d < desc.src.ndims - 2; ++d) {
        desc.strides[d] = given.strides[d];
        desc.dilates[d] = given.dilates ? given.dilates[d] : 0;
        desc.padding_l[d] = given.padding_l[d];
        desc.padding_r[d] = given.padding_r ? given.padding_r[d] : given.padding_l[d];
        require_of(desc.strides[d] >= 1, primitive, "strides: a stride is below 1");
        require_of(desc.dilates[d] >= 0, primitive, "dilates: a dilation is negative");
        require_of(desc.padding_l[d] >= 0, primitive, "padding_l: a padding is negative");
        require_of(
            desc.padding_r[d] != runtime_dim, primitive, "padding_r: the value is out of range");
    }
}

/// The number of positions of a window along one dimension, (I - (1 + (K - 1) * (D + 1)) + PL + PR)
/// / S + 1, rounded down; -1 when the kernel is larger than the padded input or the arithmetic
/// overflows.
dim_t output_extent(dim_t I, dim_t K, dim_t S, dim_t D, dim_t PL, dim_t PR);

/// Sets depth, height and width to the entries of a list of one per spatial dimension, and to
/// `missing` where a tensor lacks them.
inline void spread(
    const std::array<dim_t *, 3> &places, const dim_t *list, int spatial_ndims, dim_t missing) {
    const int absent = 3 - spatial_ndims;
    for (int d = 0; d < 3; ++d) *places[std::size_t(d)] = d < absent ? missing : list[d - absent];
}

/// Copies kernel, strides, dilations and the paddings before the first element into a shape. A
/// kernel of one element may have any dilation, which does not matter: it becomes 0.
template <class Shape, class Desc>
void spread_window(Shape &s, const dim_t *kernel, const Desc &desc) {
    const int spatial = s.spatial_ndims;
    spread({&s.KD, &s.KH, &s.KW}, kernel, spatial, 1);
    spread({&s.SD, &s.SH, &s.SW}, desc.strides.data(), spatial, 1);
    spread({&s.DD, &s.DH, &s.DW}, desc.dilates.data(), spatial, 0);
    spread({&s.PD, &s.PH, &s.PW}, desc.padding_l.data(), spatial, 0);
    if (s.KD == 1) s.DD = 0;
    if (s.KH == 1) s.DH = 0;
    if (s.KW == 1) s.DW = 0;
}

/// Throws error(invalid_arguments) unless a spatial extent is the expected one. A negative
/// `expected` says that no extent fits.
void check_extent(dim_t expected, dim_t given, named_primitive primitive, const char *tensor);

} // namespace dnnl::impl
