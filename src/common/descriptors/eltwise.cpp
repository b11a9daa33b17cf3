// SPDX-License-Identifier: Apache-2.0
// Checks and facts of eltwise.
#include "common/descriptors/elementwise.hpp"

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "eltwise";

void check_algorithm(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, float alpha, float beta) {
    require(is_eltwise_algorithm(alg), "eltwise: alg_kind is not an algorithm of eltwise");
    require(
        !is_clip(alg) || alpha <= beta, "eltwise: alpha is above beta, clip has an empty range");
    const bool needs_sign =
        alg == dnnl_eltwise_relu_use_dst_for_bwd || alg == dnnl_eltwise_elu_use_dst_for_bwd;
    require(!needs_sign || prop == dnnl_forward_inference || alpha >= 0,
        "eltwise: alpha is negative, the gradient does not follow from dst");
    require(alg != dnnl_eltwise_round || is_forward(prop),
        "eltwise: alg_kind: round has no backward propagation");
}
} // namespace

bool is_eltwise_algorithm(dnnl_alg_kind_t alg) {
    return (alg >= dnnl_eltwise_relu && alg <= dnnl_eltwise_hardswish) ||
           (alg >= dnnl_eltwise_relu_use_dst_for_bwd &&
               alg <= dnnl_eltwise_clip_v2_use_dst_for_bwd);
}

bool is_clip(dnnl_alg_kind_t alg) {
    return alg == dnnl_eltwise_clip || alg == dnnl_eltwise_clip_v2 ||
           alg == dnnl_eltwise_clip_v2_use_dst_for_bwd;
}

eltwise_desc make_eltwise_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, float alpha, float beta) {
    require_propagation(name, prop);
    check_algorithm(prop, alg, alpha, beta);
    eltwise_desc desc;
    desc.prop = prop;
    desc.alg = alg;
    desc.alpha = alpha;
    desc.beta = beta;
    take_mapping(desc, name, src, dst, data, "data");
    check_tensors_of(desc, [&] { check_types_of_mapping(desc, name, "data"); });
    return desc;
}

const primitive_facts<eltwise_desc> eltwise_desc::facts {
    .kind = dnnl_eltwise,
    .attributes = {.post_ops = binaries},
    .arguments =
        [](eltwise_desc &d, argument_list &list) {
            list_mapping(d, list, d.uses_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC);
        },
    .layouts = follow_each_other,
    .items = add_data_and_diff,
    .parameters =
        [](const eltwise_desc &d) {
            return fmt::format("{} alpha:{:g} beta:{:g}", algorithm_text(d), d.alpha, d.beta);
        },
};

} // namespace dnnl::impl
