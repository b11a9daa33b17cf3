// SPDX-License-Identifier: Apache-2.0
// Checks and facts of reduction.
#include "common/descriptors/elementwise.hpp"

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
constexpr const char *name = "reduction";

void check_dims(const reduction_desc &desc) {
    require_tensor(
        desc.dst.ndims == desc.src.ndims, name, "dst", "its rank differs from the source's");
    bool reduces = false;
    for (int d = 0; d < desc.src.ndims; ++d) {
        require_tensor(desc.dst.dims[d] == 1 || !is_reduced(desc, d), name, "dst",
            "a dimension is neither the source's nor 1");
        reduces = reduces || is_reduced(desc, d);
    }
    require_tensor(reduces, name, "dst", "its dims are the source's, nothing is reduced");
}
} // namespace

bool is_norm(dnnl_alg_kind_t alg) {
    return alg >= dnnl_reduction_norm_lp_max && alg <= dnnl_reduction_norm_lp_power_p_sum;
}

reduction_desc make_reduction_desc(
    dnnl_alg_kind_t alg, const memory_desc *src, const memory_desc *dst, float p, float epsilon) {
    require(alg >= dnnl_reduction_max && alg <= dnnl_reduction_norm_lp_power_p_sum,
        "reduction: alg_kind is not an algorithm of reduction");
    reduction_desc desc;
    desc.alg = alg;
    desc.p = p;
    desc.epsilon = epsilon;
    desc.src = checked_tensor(name, "src", src, defined_only);
    desc.dst = checked_tensor(name, "dst", dst, may_be_any | is_written);
    check_tensors_of(desc, [&] { check_dims(desc); });
    require(!is_norm(alg) || p >= 1, "reduction: p: a norm needs at least 1");
    return desc;
}

dim_t reduced_count(const reduction_desc &desc) {
    dim_t count = 1;
    for (int d = 0; d < desc.src.ndims; ++d)
        if (is_reduced(desc, d)) count *= desc.src.dims[d];
    return count;
}

const primitive_facts<reduction_desc> reduction_desc::facts {
    .kind = dnnl_reduction,
    .attributes = {.post_ops = sums | eltwises | binaries},
    .arguments =
        [](reduction_desc &d, argument_list &list) {
            list.input(DNNL_ARG_SRC, d.src);
            list.output(DNNL_ARG_DST, d.dst);
        },
    .layouts = [](reduction_desc &d) { follow_broadcast(d.dst, d.src); },
    .items = add_src_and_dst,
    .parameters =
        [](const reduction_desc &d) {
            return fmt::format("{} p:{:g} eps:{:g}", algorithm_text(d), d.p, d.epsilon);
        },
    .shape = [](const reduction_desc &d) { return extents(d.src) + ':' + extents(d.dst); },
};

} // namespace dnnl::impl
