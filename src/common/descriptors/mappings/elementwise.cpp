// SPDX-License-Identifier: Apache-2.0
// Checks and facts of eltwise, binary, prelu, softmax and reduction.
#include "common/descriptors/mappings/mappings.hpp"

#include <cmath>

#include "common/descriptors/primitive_facts.hpp"

namespace dnnl::impl {

namespace {
void check_algorithm(const eltwise_desc &desc) {
    require(is_eltwise_algorithm(desc.alg), "eltwise: alg_kind is not an algorithm of eltwise");
    require(!is_clip(desc.alg) || desc.alpha <= desc.beta,
        "eltwise: alpha is above beta, clip has an empty range");
    const bool needs_sign = desc.alg == dnnl_eltwise_relu_use_dst_for_bwd ||
                            desc.alg == dnnl_eltwise_elu_use_dst_for_bwd;
    require(!needs_sign || desc.prop == dnnl_forward_inference || desc.alpha >= 0,
        "eltwise: alpha is negative, the gradient does not follow from dst");
    require(desc.alg != dnnl_eltwise_round || is_forward(desc.prop),
        "eltwise: alg_kind: round has no backward propagation");
}

/// Throws unless each dimension of a tensor is that of the model, which `whose` calls, or 1.
void require_broadcast(const memory_desc &md, const memory_desc &model, named_primitive primitive,
    const char *tensor, const char *whose) {
    if (md.ndims != model.ndims)
        require_tensor(
            false, primitive, tensor, fmt::format("its rank differs from {}", whose).c_str());
    for (int d = 0; d < model.ndims; ++d)
        if (md.dims[d] != 1 && md.dims[d] != model.dims[d])
            require_tensor(false, primitive, tensor,
                fmt::format("a dimension is neither {} nor 1", whose).c_str());
}

void check_dims(const binary_desc &desc) {
    const memory_desc &a = desc.src0, &b = desc.src1, &dst = desc.dst;
    require_tensor(b.ndims == a.ndims, desc, "src1", "its rank differs from src0's");
    require_tensor(dst.ndims == a.ndims, desc, "dst", "its rank differs from src0's");
    for (int d = 0; d < a.ndims; ++d) {
        require_tensor(a.dims[d] == b.dims[d] || a.dims[d] == 1 || b.dims[d] == 1, desc, "src1",
            "a dimension is neither src0's nor 1");
        require_tensor(dst.dims[d] == (a.dims[d] == 1 ? b.dims[d] : a.dims[d]), desc, "dst",
            "a dimension is not that of the sources");
    }
}

/// True for one scale of src0 or src1. The condition of a select has none.
bool takes_scale(const binary_desc &, const quantization &q) {
    return (q.arg == DNNL_ARG_SRC_0 || q.arg == DNNL_ARG_SRC_1) && q.mask == 0;
}

void check_dst(const prelu_desc &desc) {
    const bool forward = is_forward(desc.prop);
    require_same_dims(desc.dst, desc.src, desc, dst_name(desc), "the source");
    require_implemented(
        desc.dst.dtype == desc.src.dtype, forward ? "prelu: dst: its type differs from src's"
                                                  : "prelu: diff_dst: its type differs from src's");
    require_implemented(!forward || desc.dst.is_any() || same_layout(desc.src, desc.dst),
        "prelu: dst: its layout differs from src's");
}

void check_gradients(const prelu_desc &desc) {
    require_same_dims(desc.diff_src, desc.src, desc, "diff_src", "the source");
    require_tensor(same_dims(desc.weights, desc.diff_weights), desc, "diff_weights",
        "its dims differ from the weights'");
    require_implemented(
        desc.diff_src.dtype == desc.src.dtype, "prelu: diff_src: its type differs from src's");
}

void check_dims(const reduction_desc &desc) {
    require_broadcast(desc.dst, desc.src, desc, "dst", "the source's");
    require_tensor(!same_dims(desc.dst, desc.src), desc, "dst",
        "its dims are the source's, nothing is reduced");
}
} // namespace

// ---- Eltwise ----

bool is_eltwise_algorithm(dnnl_alg_kind_t alg) {
    switch (static_cast<algorithm>(alg)) {
        DNNL_CASES_OF_ELTWISE DNNL_CASES_OF_DST return true;
    case algorithm::undef: DNNL_CASES_OF_BINARY break;
    }
    return false;
}

bool is_clip(dnnl_alg_kind_t alg) {
    return alg == dnnl_eltwise_clip || alg == dnnl_eltwise_clip_v2 ||
           alg == dnnl_eltwise_clip_v2_use_dst_for_bwd;
}

eltwise_desc make_eltwise_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, float alpha, float beta) {
    eltwise_desc desc {.prop = prop, .alg = alg, .alpha = alpha, .beta = beta};
    check_algorithm(desc);
    take_mapping(desc, src, dst, data, "data");
    check_tensors_of(desc, [&] { check_types_of_mapping(desc, "data"); });
    return desc;
}

const primitive_facts<eltwise_desc> eltwise_desc::facts {
    .kind = dnnl_eltwise,
    .attributes = {.post_ops = binaries, .dropout = true},
    .arguments =
        [](eltwise_desc &d, argument_list &list) {
            list_mapping(d, list, d.uses_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC);
        },
    .in_place = in_both_directions,
    .items = add_data_and_diff,
    .parameters =
        [](const eltwise_desc &d) {
            return fmt::format("{} alpha:{:g} beta:{:g}", algorithm_text(d), d.alpha, d.beta);
        },
};

// ---- Binary ----

bool is_binary_algorithm(dnnl_alg_kind_t alg) {
    switch (static_cast<algorithm>(alg)) {
        DNNL_CASES_OF_BINARY return true;
    case algorithm::undef: DNNL_CASES_OF_ELTWISE DNNL_CASES_OF_DST break;
    }
    return false;
}

binary_desc make_binary_desc(dnnl_alg_kind_t alg, const binary_tensors &tensors) {
    require(is_binary_algorithm(alg), "binary: alg_kind is not an algorithm of binary");
    binary_desc desc {.alg = alg};
    desc.src0 = checked_tensor(desc, "src0", tensors.src0, defined_only);
    desc.src1 = checked_tensor(desc, "src1", tensors.src1, may_be_any);
    desc.dst = checked_tensor(desc, "dst", tensors.dst, may_be_any | is_written);
    check_tensors_of(desc, [&] { check_dims(desc); });
    if (alg != dnnl_binary_select) return desc;
    desc.src2 = checked_tensor(desc, "src2", tensors.src2, may_be_any);
    check_tensors_of(desc, [&] {
        require_tensor(desc.src2.dtype == data_type::s8, desc, "src2", "its type must be s8");
        require_broadcast(desc.src2, desc.dst, desc, "src2", "dst's");
    });
    return desc;
}

const primitive_facts<binary_desc> binary_desc::facts {
    .kind = dnnl_binary,
    .attributes = {.post_ops = sums | eltwises | binaries, .scales = true},
    .arguments =
        [](binary_desc &d, argument_list &list) {
            list.input(DNNL_ARG_SRC_0, d.src0);
            list.input(DNNL_ARG_SRC_1, d.src1);
            list.input(DNNL_ARG_SRC_2, d.src2);
            list.output(DNNL_ARG_DST, d.dst);
        },
    .in_place = {{{DNNL_ARG_DST, DNNL_ARG_SRC_0}}},
    .layouts =
        [](binary_desc &d) {
            for (memory_desc *md : {&d.src1, &d.src2}) {
                if (!same_dims(d.src0, *md) && d.src0.inner_nblks > 0) make_plain(*md);
                follow(*md, {&d.src0});
            }
            follow(d.dst, {&d.src0});
        },
    .items =
        [](item_list<binary_desc> &list) {
            list.add("src", &binary_desc::src0).add("src", &binary_desc::src1);
            if (!list.op.src2.is_zero()) list.add("src", &binary_desc::src2);
            list.add("dst", &binary_desc::dst);
        },
    .shape =
        [](const binary_desc &d) {
            const std::string two = extents(d.src0) + ':' + extents(d.src1);
            return d.src2.is_zero() ? two : two + ':' + extents(d.src2);
        },
    .takes_scale_mask = takes_scale,
    .tensor_name =
        [](int arg) {
            return arg <= DNNL_ARG_SRC_2 ? "src" + std::to_string(arg - DNNL_ARG_SRC_0) : "";
        },
};

// ---- PReLU ----

prelu_desc make_prelu_desc(dnnl_prop_kind_t prop, const prelu_tensors &tensors) {
    prelu_desc desc {.prop = prop};
    desc.src = checked_tensor(desc, "src", tensors.src, defined_only);
    desc.weights = checked_tensor(desc, "weights", tensors.weights, may_be_any);
    check_tensors_of(
        desc, [&] { require_broadcast(desc.weights, desc.src, desc, "weights", "the source's"); });
    take_dst(desc, tensors.dst);
    check_tensors_of(desc, [&] { check_dst(desc); });
    if (is_forward(prop)) return desc;
    const unsigned written = may_be_any | is_written;
    desc.diff_src = checked_tensor(desc, "diff_src", tensors.diff_src, written);
    desc.diff_weights = checked_tensor(desc, "diff_weights", tensors.diff_weights, written);
    check_tensors_of(desc, [&] { check_gradients(desc); });
    return desc;
}

const primitive_facts<prelu_desc> prelu_desc::facts {
    .kind = dnnl_prelu,
    .arguments =
        [](prelu_desc &d, argument_list &list) {
            list.input(DNNL_ARG_SRC, d.src);
            list.input(DNNL_ARG_WEIGHTS, d.weights);
            if (is_forward(d.prop)) return list.output(DNNL_ARG_DST, d.dst);
            list.input(DNNL_ARG_DIFF_DST, d.dst);
            list.output(DNNL_ARG_DIFF_SRC, d.diff_src);
            list.output(DNNL_ARG_DIFF_WEIGHTS, d.diff_weights);
        },
    .in_place = {{{DNNL_ARG_DST, DNNL_ARG_SRC}}},
    .layouts =
        [](prelu_desc &d) {
            for (memory_desc *weights : {&d.weights, &d.diff_weights})
                follow_broadcast(*weights, d.src);
            for (memory_desc *md : {&d.dst, &d.diff_src}) follow(*md, {&d.src});
        },
    .items =
        [](item_list<prelu_desc> &list) {
            list.add("data", &prelu_desc::src).add("wei", &prelu_desc::weights);
            if (is_forward(list.op.prop))
                list.add("diff", {}, {});
            else
                list.add("diff", &prelu_desc::diff_src).add("diff_wei", &prelu_desc::diff_weights);
        },
    .shape = [](const prelu_desc &d) { return extents(d.src) + ':' + extents(d.weights); },
};

// ---- Softmax ----

softmax_desc make_softmax_desc(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const memory_desc *src,
    const memory_desc *dst, const memory_desc *data, int axis) {
    softmax_desc desc {.prop = prop, .alg = alg, .axis = axis};
    require(alg == dnnl_softmax_accurate || alg == dnnl_softmax_log,
        "softmax: alg_kind is not an algorithm of softmax");
    take_mapping(desc, src, dst, data, "dst");
    check_tensors_of(desc, [&] {
        if (axis < 0 || axis >= desc.src.ndims)
            require(false, fmt::format("softmax: axis {} is not a dimension of the tensors", axis));
    });
    return desc;
}

softmax_shape shape_of(const softmax_desc &desc) {
    softmax_shape shape {product(desc.src.dims, desc.axis), desc.src.dims[desc.axis], 1};
    for (int d = desc.axis + 1; d < desc.src.ndims; ++d) shape.inner *= desc.src.dims[d];
    return shape;
}

const primitive_facts<softmax_desc> softmax_desc::facts {
    .kind = dnnl_softmax,
    .attributes = {.post_ops = eltwises | binaries,
        .scales = true,
        .integer_only = true,
        .or_dst = true,
        .dropout = true},
    .arguments = [](softmax_desc &d, argument_list &list) { list_mapping(d, list, DNNL_ARG_DST); },
    .in_place = in_both_directions,
    .items =
        [](item_list<softmax_desc> &list) {
            if (is_forward(list.op.prop)) return add_src_and_dst(list);
            list.add("src", &softmax_desc::src);
            list.add("dst", &softmax_desc::data).add("diff_dst", &softmax_desc::dst);
        },
    .parameters =
        [](const softmax_desc &d) { return fmt::format("{} axis:{}", algorithm_text(d), d.axis); },
};

// ---- Reduction ----

bool is_norm(dnnl_alg_kind_t alg) {
    return alg >= dnnl_reduction_norm_lp_max && alg <= dnnl_reduction_norm_lp_power_p_sum;
}

reduction_desc make_reduction_desc(
    dnnl_alg_kind_t alg, const memory_desc *src, const memory_desc *dst, float p, float epsilon) {
    require(alg >= dnnl_reduction_max && alg <= dnnl_reduction_norm_lp_power_p_sum,
        "reduction: alg_kind is not an algorithm of reduction");
    reduction_desc desc {.alg = alg, .p = p, .epsilon = epsilon};
    desc.src = checked_tensor(desc, "src", src, defined_only);
    desc.dst = checked_tensor(desc, "dst", dst, may_be_any | is_written);
    check_tensors_of(desc, [&] { check_dims(desc); });
    require(!is_norm(alg) || (p >= 1 && std::isfinite(p)),
        "reduction: p: a norm needs a finite number of at least 1");
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
    .layouts = [](reduction_desc &d) { follow_broadcast(d.dst, d.src); },
    .parameters =
        [](const reduction_desc &d) {
            return fmt::format("{} p:{:g} eps:{:g}", algorithm_text(d), d.p, d.epsilon);
        },
    .shape = [](const reduction_desc &d) { return extents(d.src) + ':' + extents(d.dst); },
};

} // namespace dnnl::impl
