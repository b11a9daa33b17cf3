// SPDX-License-Identifier: Apache-2.0
// Checks of one tensor descriptor and of sliding windows.
#include "common/descriptors/checks.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

// ---- Tensors ----

namespace {
[[noreturn]] void refuse(
    dnnl_status_t status, named_primitive primitive, const char *tensor, const std::string &what) {
    throw error(
        status, std::string(dnnl_prim_kind2str(primitive.kind)) + ": " + tensor + ": " + what);
}

bool has_broadcast_stride(const memory_desc &md) {
    if (!md.is_blocked()) return false;
    for (int d = 0; d < md.ndims; ++d)
        if (md.strides[d] == 0 && md.padded_dims[d] > md.block(d)) return true;
    return false;
}
} // namespace

void require_of(bool condition, named_primitive primitive, const char *what) {
    if (!condition) require(false, dnnl_prim_kind2str(primitive.kind), what);
}

void require_tensor(bool holds, named_primitive primitive, const char *tensor, const char *what) {
    if (!holds) refuse(dnnl_invalid_arguments, primitive, tensor, what);
}

void require_same_dims(const memory_desc &md, const memory_desc &model, named_primitive primitive,
    const char *tensor, const char *model_name) {
    if (!same_dims(md, model))
        refuse(dnnl_invalid_arguments, primitive, tensor,
            std::string("its dims differ from ") + model_name + "'s");
}

const memory_desc &checked_tensor(
    named_primitive primitive, const char *tensor, const memory_desc *md, unsigned permissions) {
    require_tensor(md != nullptr, primitive, tensor, "the descriptor is null");
    require_tensor(!is_absent(md), primitive, tensor, "the descriptor is empty");
    require_tensor((permissions & may_be_any) || !md->is_any(), primitive, tensor,
        "the layout must be given, it is `any`");
    require_tensor(!md->is_host_scalar(), primitive, tensor,
        "a host scalar can only be a value of an attribute");
    if (md->is_sparse() && !(permissions & may_be_sparse))
        refuse(dnnl_unimplemented, primitive, tensor, "a sparse layout is not offered here");
    const bool runtime = md->has_runtime();
    if (runtime && !(permissions & may_be_runtime))
        refuse(dnnl_unimplemented, primitive, tensor,
            "dimensions known at execution only are not offered");
    // Elements are counted in f64 and padded to blocks elsewhere: below this, within 64 bits.
    if (!runtime && md->nelems(true) > INT64_MAX / 8)
        refuse(dnnl_unimplemented, primitive, tensor, "2^60 elements or more");
    if ((permissions & is_written) && !runtime)
        require_tensor(!has_broadcast_stride(*md), primitive, tensor,
            "an output may not have stride 0, its elements would overlap");
    return *md;
}

bool is_absent(const memory_desc *md) {
    return !md || md->ndims == 0 || md->layout == layout_kind::undefined;
}

bool same_dims(const memory_desc &a, const memory_desc &b) {
    return a.ndims == b.ndims &&
           std::equal(a.dims.begin(), a.dims.begin() + a.ndims, b.dims.begin());
}

bool same_layout(const memory_desc &a, const memory_desc &b) {
    memory_desc retyped = b;
    retyped.dtype = a.dtype;
    return a == retyped;
}

// ---- Windows ----

dim_t output_extent(dim_t I, dim_t K, dim_t S, dim_t D, dim_t PL, dim_t PR) {
    // The distance from the first element of the kernel to the last one.
    const auto reach = K > 1 ? checked_mul(checked_add(D, 1), K - 1) : 0;
    if (!reach) return -1;
    const auto free_steps = checked_add(checked_add(checked_add(I, PL), PR), -1 - *reach);
    if (!free_steps) return -1;
    if (*free_steps < 0) return I == 0 ? 0 : -1;
    return *free_steps / S + 1;
}

void check_extent(dim_t expected, dim_t given, named_primitive primitive, const char *tensor) {
    if (expected == given) return;
    std::string what = fmt::format("the spatial extent {} does not follow from source, kernel, "
                                   "strides, dilation and padding",
        given);
    if (expected >= 0) what += fmt::format(", which give {}", expected);
    require_tensor(false, primitive, tensor, what.c_str());
}

} // namespace dnnl::impl
