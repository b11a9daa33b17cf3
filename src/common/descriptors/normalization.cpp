// SPDX-License-Identifier: Apache-2.0
// Checks that the normalizations share.
#include "common/descriptors/normalization.hpp"

#include <string>

#include "common/descriptors/describe.hpp"
#include "common/layout/data_type.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
void require_argument(bool condition, const char *primitive, const char *what) {
    if (!condition) throw error(dnnl_invalid_arguments, std::string(primitive) + ": " + what);
}

void check_normalization(const normalization_desc &desc, const char *primitive) {
    const bool forward = is_forward(desc.prop);
    const char *src_name = forward ? "src" : "diff_src", *dst_name = forward ? "dst" : "diff_dst";
    const memory_desc &source = source_of(desc);
    require_tensor(
        source.ndims >= 2 && source.ndims <= 5, primitive, "src", "it must have 2 to 5 dimensions");
    require_tensor(same_dims(source, desc.dst), primitive, dst_name, "its dims differ from src's");
    require_tensor(same_dims(source, desc.src), primitive, src_name, "its dims differ from src's");
}
} // namespace

void fill_normalization(normalization_desc &desc, const char *primitive,
    const normalization_request &request, unsigned allowed) {
    const bool forward = is_forward(request.prop);
    require_argument(forward || request.prop == dnnl_backward || request.prop == dnnl_backward_data,
        primitive, "prop_kind is not a propagation kind of this call");
    require_argument(
        (request.flags & ~allowed) == 0, primitive, "flags: a bit is no flag of this primitive");
    desc.prop = request.prop;
    desc.flags = request.flags;
    desc.epsilon = request.epsilon;
    const char *src_name = forward ? "src" : "diff_src", *dst_name = forward ? "dst" : "diff_dst";
    if (!forward) desc.data = checked_tensor(primitive, "src", request.data, defined_only);
    desc.src = checked_tensor(
        primitive, src_name, request.src, forward ? +defined_only : may_be_any | is_written);
    desc.dst = checked_tensor(
        primitive, dst_name, request.dst, forward ? may_be_any | is_written : +may_be_any);
    check_tensors_of(desc, [&] { check_normalization(desc, primitive); });
}

void follow_forward(
    normalization_desc &desc, const char *primitive, const normalization_desc *forward) {
    if (!forward) return;
    require_argument(same_dims(forward->src, desc.data), primitive,
        "hint_fwd_pd is not the forward pass of this problem");
    if (desc.dst.is_any()) set_layout_like(desc.dst, forward->dst);
}

void set_vectors(
    normalization_desc &desc, dim_t channels, data_type scale_shift, data_type diff_scale_shift) {
    if (!desc.has(dnnl_use_scale) && !desc.has(dnnl_use_shift)) return;
    desc.scale_shift = make_with_strides(1, &channels, scale_shift, nullptr);
    if (desc.prop == dnnl_backward)
        desc.diff_scale_shift = make_with_strides(1, &channels, diff_scale_shift, nullptr);
}

const char *mixed_types_refusal(const normalization_desc &desc) {
    if (desc.statistics.dtype != data_type::f32) return "mean and variance are not f32";
    for (const memory_desc *md : {&desc.scale_shift, &desc.diff_scale_shift})
        if (!md->is_zero() && !is_float(md->dtype))
            return "scale, shift or their gradients are not f32, bf16 or f16";
    for (const memory_desc *md : {&desc.src, &desc.dst, &desc.data}) {
        if (md->is_zero() || is_float(md->dtype)) continue;
        if (!is_forward(desc.prop)) return "gradients and src are not f32, bf16 or f16";
        if (!is_int8(md->dtype)) return "src or dst is not f32, bf16, f16, s8 or u8";
    }
    return nullptr;
}

namespace {
/// True when the elements of both follow each other in the same order, gaps aside.
bool same_order(const memory_desc &a, const memory_desc &b) {
    if (a.is_any() || b.is_any()) return true;
    memory_desc dense = a, other = a;
    set_layout_like(dense, a);
    set_layout_like(other, b);
    return dense == other;
}
} // namespace

const char *batch_normalization_refusal(const normalization_desc &desc) {
    const memory_desc &source = source_of(desc);
    if (desc.has(dnnl_fuse_norm_add_relu)) return "fuse_norm_add_relu";
    const bool s8 = source.dtype == data_type::s8;
    if (!is_float(source.dtype) && !s8) return "src is not f32, bf16, f16 or s8";
    if (s8 && (desc.prop != dnnl_forward_inference || !desc.has(dnnl_use_global_stats)))
        return "s8 is taken in inference with use_global_stats only";
    if (desc.dst.dtype != source.dtype || desc.src.dtype != source.dtype)
        return "src and the other tensors differ in type";
    if (!is_forward(desc.prop) && (!same_order(desc.src, source) || !same_order(desc.dst, source)))
        return "src and its gradients differ in layout";
    return nullptr;
}

} // namespace dnnl::impl
