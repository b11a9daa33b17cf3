// SPDX-License-Identifier: Apache-2.0
// Checks of eltwise descriptors.
#include "common/descriptors/eltwise.hpp"

#include "common/descriptors/describe.hpp"
#include "common/layout/tensor_checks.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "eltwise";

void check_algorithm(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, float alpha, float beta) {
    require(is_eltwise_algorithm(alg), "eltwise: alg_kind is not an algorithm of eltwise");
    const bool clips = alg == dnnl_eltwise_clip || alg == dnnl_eltwise_clip_v2 ||
                       alg == dnnl_eltwise_clip_v2_use_dst_for_bwd;
    require(!clips || alpha <= beta, "eltwise: alpha is above beta, clip has an empty range");
    const bool needs_sign =
        alg == dnnl_eltwise_relu_use_dst_for_bwd || alg == dnnl_eltwise_elu_use_dst_for_bwd;
    require(!needs_sign || prop == dnnl_forward_inference || alpha >= 0,
        "eltwise: alpha is negative, the gradient does not follow from dst");
    require(alg != dnnl_eltwise_round || is_forward(prop),
        "eltwise: alg_kind: round has no backward propagation");
}

void check_forward(const eltwise_desc &desc) {
    require_tensor(same_dims(desc.src, desc.dst), name, "dst", "its dims differ from src's");
    require_implemented(
        desc.src.dtype == desc.dst.dtype, "eltwise: dst: its type differs from src's");
    require_implemented(desc.dst.is_any() || same_layout(desc.src, desc.dst),
        "eltwise: dst: its layout differs from src's");
}

void check_backward(const eltwise_desc &desc) {
    require_tensor(same_dims(desc.data, desc.src), name, "diff_src", "its dims differ from data's");
    require_tensor(same_dims(desc.data, desc.dst), name, "diff_dst", "its dims differ from data's");
    require_implemented(desc.src.dtype == desc.data.dtype && desc.dst.dtype == desc.data.dtype,
        "eltwise: diff_src, diff_dst: their types differ from data's");
}
} // namespace

bool is_eltwise_algorithm(dnnl_alg_kind_t alg) {
    return (alg >= dnnl_eltwise_relu && alg <= dnnl_eltwise_hardswish) ||
           (alg >= dnnl_eltwise_relu_use_dst_for_bwd &&
               alg <= dnnl_eltwise_clip_v2_use_dst_for_bwd);
}

eltwise_desc make_eltwise_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, float alpha, float beta) {
    const bool forward = is_forward(prop);
    require(forward || prop == dnnl_backward_data,
        "eltwise: prop_kind is not a propagation kind of this call");
    check_algorithm(prop, alg, alpha, beta);
    eltwise_desc desc;
    desc.prop = prop;
    desc.alg = alg;
    desc.alpha = alpha;
    desc.beta = beta;
    if (forward) {
        desc.src = checked_tensor(name, "src", src, defined_only);
        desc.dst = checked_tensor(name, "dst", dst, may_be_any | is_written);
        check_tensors_of(desc, [&] { check_forward(desc); });
        return desc;
    }
    desc.data = checked_tensor(name, "data", data, defined_only);
    desc.src = checked_tensor(name, "diff_src", src, may_be_any | is_written);
    desc.dst = checked_tensor(name, "diff_dst", dst, may_be_any);
    check_tensors_of(desc, [&] { check_backward(desc); });
    return desc;
}

} // namespace dnnl::impl
