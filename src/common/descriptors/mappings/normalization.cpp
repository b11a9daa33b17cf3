// SPDX-License-Identifier: Apache-2.0
// Checks and facts of batch, layer and group normalization.
#include "common/descriptors/mappings/mappings.hpp"

#include <algorithm>
#include <tuple>

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/data_type.hpp"

namespace dnnl::impl {

namespace {
constexpr unsigned common_flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift;

template <class Desc> void check_dims(const Desc &desc) {
    const memory_desc &source = source_of(desc);
    require_tensor(
        source.ndims >= 2 && source.ndims <= 5, desc, "src", "it must have 2 to 5 dimensions");
    require_same_dims(desc.dst, source, desc, dst_name(desc), "src");
    require_same_dims(desc.src, source, desc, src_name(desc), "src");
}

/// Fills what the three normalizations share, except for the statistics and the vectors. `allowed`
/// are the flags that the primitive knows.
template <class Desc>
void fill(Desc &desc, dnnl_prop_kind_t prop, const normalization_request &given, unsigned allowed) {
    const bool forward = is_forward(prop);
    require_of(forward || prop == dnnl_backward || prop == dnnl_backward_data, desc,
        "prop_kind is not a propagation kind of this call");
    require_of((given.flags & ~allowed) == 0, desc, "flags: a bit is no flag of this primitive");
    desc.prop = prop;
    desc.flags = given.flags;
    desc.epsilon = given.epsilon;
    if (!forward) desc.data = checked_tensor(desc, "src", given.data, defined_only);
    take_src(desc, given.src);
    take_dst(desc, given.dst);
    check_tensors_of(desc, [&] { check_dims(desc); });
}

/// Takes layouts from the forward pass; does nothing where it is null.
template <class Desc> void follow_forward(Desc &desc, const Desc *forward) {
    if (!forward) return;
    require_of(same_dims(forward->src, desc.data), desc,
        "hint_fwd_pd is not the forward pass of this problem");
    if (desc.dst.is_any()) set_layout_like(desc.dst, forward->dst);
}

/// Sets the descriptors of scale and shift, and of their gradients, to vectors [channels].
void set_vectors(
    normalization_desc &desc, dim_t channels, data_type scale_shift, data_type diff_scale_shift) {
    if (!desc.has(dnnl_use_scale) && !desc.has(dnnl_use_shift)) return;
    desc.scale_shift = make_with_strides(1, &channels, scale_shift, nullptr);
    if (desc.prop == dnnl_backward)
        desc.diff_scale_shift = make_with_strides(1, &channels, diff_scale_shift, nullptr);
}

/// Backward takes the workspace of the forward pass.
void set_workspace(batch_normalization_desc &desc, const batch_normalization_desc *hint) {
    if (!desc.has(dnnl_fuse_norm_relu)) return;
    if (desc.prop == dnnl_forward_training)
        desc.workspace = make_any(desc.dst.ndims, desc.dst.dims.data(), data_type::u8);
    if (is_forward(desc.prop)) return;
    require_implemented(
        hint, "batch_normalization: hint_fwd_pd is null; a fused relu needs its workspace");
    require(!hint->workspace.is_zero(),
        "batch_normalization: hint_fwd_pd has no workspace; create it with forward_training");
    desc.workspace = hint->workspace;
}

/// True when the elements of both follow each other in the same order, gaps aside.
bool same_order(const memory_desc &a, const memory_desc &b) {
    if (a.is_any() || b.is_any()) return true;
    memory_desc dense = a, other = a;
    set_layout_like(dense, a);
    set_layout_like(other, b);
    return dense == other;
}

/// Mean and variance share a descriptor, as do scale and shift. A mean defined as 0 is no argument.
void list_statistics(normalization_desc &d, argument_list &list, bool outputs) {
    for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE}) {
        if (arg == DNNL_ARG_MEAN && d.has(dnnl_rms_norm)) continue;
        list.add(arg, d.statistics, outputs);
    }
}

template <class Desc> void list_arguments(Desc &d, argument_list &list) {
    const bool forward = is_forward(d.prop), given = d.has(dnnl_use_global_stats);
    list.input(DNNL_ARG_SRC, forward ? d.src : d.data);
    if (!forward || given) list_statistics(d, list, false);
    if (!forward) list.input(DNNL_ARG_DIFF_DST, d.dst);
    if (d.has(dnnl_use_scale)) list.input(DNNL_ARG_SCALE, d.scale_shift);
    if (d.has(dnnl_use_shift) && forward) list.input(DNNL_ARG_SHIFT, d.scale_shift);
    if (forward) {
        list.output(DNNL_ARG_DST, d.dst);
        if (d.prop == dnnl_forward_training && !given) list_statistics(d, list, true);
        list.output(DNNL_ARG_WORKSPACE, d.workspace);
        return;
    }
    list.input(DNNL_ARG_WORKSPACE, d.workspace);
    list.output(DNNL_ARG_DIFF_SRC, d.src);
    if (d.has(dnnl_use_scale)) list.output(DNNL_ARG_DIFF_SCALE, d.diff_scale_shift);
    if (d.has(dnnl_use_shift)) list.output(DNNL_ARG_DIFF_SHIFT, d.diff_scale_shift);
}

template <class Desc> void add_items(item_list<Desc> &list) {
    const bool forward = is_forward(list.op.prop);
    if (forward)
        add_src_and_dst(list);
    else
        list.add("src", &Desc::data);
    list.add("stats", &Desc::statistics);
    if (list.op.has(dnnl_use_scale)) list.add("scale", &Desc::scale_shift);
    if (list.op.has(dnnl_use_shift)) list.add("shift", &Desc::scale_shift);
    if (!forward) list.add("diff_src", &Desc::src).add("diff_dst", &Desc::dst);
}

template <class Desc> std::string flag_letters(const Desc &d) {
    std::string letters;
    if (d.has(dnnl_use_global_stats)) letters += 'G';
    if (d.has(dnnl_use_scale)) letters += 'C';
    if (d.has(dnnl_use_shift)) letters += 'H';
    if (d.has(dnnl_fuse_norm_relu)) letters += 'R';
    if (d.has(dnnl_rms_norm)) letters += 'M';
    return "flags:" + letters;
}

template <class Desc> bool takes_scale_of_mapping(const Desc &, const quantization &q) {
    return (q.arg == DNNL_ARG_SRC || q.arg == DNNL_ARG_DST) && q.mask == 0;
}

constexpr offered_attributes of_layers_and_groups {
    .post_ops = eltwises | binaries, .scales = true, .integer_only = true, .or_dst = true};
} // namespace

batch_normalization_desc make_batch_normalization_desc(dnnl_prop_kind_t prop,
    const normalization_request &request, const batch_normalization_desc *hint) {
    batch_normalization_desc desc;
    fill(desc, prop, request, common_flags | dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu);
    require_implemented(
        !desc.has(dnnl_fuse_norm_add_relu), "batch_normalization: flags: fuse_norm_add_relu");
    const dim_t channels = desc.dst.dims[1];
    desc.statistics = make_with_strides(1, &channels, data_type::f32, nullptr);
    set_vectors(desc, channels, data_type::f32, data_type::f32);
    follow_forward(desc, hint);
    set_workspace(desc, hint);
    return desc;
}

memory_desc statistics_like(const memory_desc &tensor) {
    const int ndims = tensor.ndims - 1;
    memory_desc statistics = make_with_strides(ndims, tensor.dims.data(), data_type::f32, nullptr);
    std::array<int, max_ndims> order = outer_order(tensor);
    std::ignore = std::remove(order.begin(), order.begin() + tensor.ndims, ndims);
    set_blocked_layout(statistics, std::span(order).first(std::size_t(ndims)), {});
    return statistics;
}

layer_normalization_desc make_layer_normalization_desc(dnnl_prop_kind_t prop,
    const normalization_request &request, const layer_normalization_types &types,
    const layer_normalization_desc *hint) {
    layer_normalization_desc desc;
    fill(desc, prop, request, common_flags | dnnl_rms_norm);
    const memory_desc &source = source_of(desc);
    const int ndims = source.ndims;
    const auto known = [](data_type t) {
        return t != data_type::undef && size_of(t) != std::size_t(-1);
    };
    require(known(types.scale_shift) && known(types.diff_scale_shift),
        "layer_normalization: scale_shift_data_type: it is no type of elements");
    set_vectors(desc, source.dims[ndims - 1], types.scale_shift, types.diff_scale_shift);
    follow_forward(desc, hint);
    if (is_absent(types.statistics)) {
        desc.statistics = hint ? hint->statistics : statistics_like(source);
        return desc;
    }
    desc.statistics = checked_tensor(desc, "stat", types.statistics, may_be_any | is_written);
    check_tensors_of(desc, [&] {
        require_tensor(desc.statistics.ndims == ndims - 1 &&
                           std::equal(source.dims.begin(), source.dims.begin() + ndims - 1,
                               desc.statistics.dims.begin()),
            desc, "stat", "its dims are not those of src without the last");
    });
    if (desc.statistics.is_any()) {
        const data_type given = desc.statistics.dtype;
        desc.statistics = statistics_like(source);
        desc.statistics.dtype = given;
    }
    return desc;
}

group_normalization_desc make_group_normalization_desc(dnnl_prop_kind_t prop,
    const normalization_request &request, dim_t groups, const group_normalization_desc *hint) {
    group_normalization_desc desc;
    fill(desc, prop, request, common_flags);
    require(groups >= 1, "group_normalization: groups is below 1");
    const dim_t channels = desc.dst.dims[1];
    if (channels % groups != 0)
        require_of(false, desc,
            fmt::format("groups: {} does not divide C = {}", groups, channels).c_str());
    require(!hint || hint->groups == groups,
        "group_normalization: hint_fwd_pd is not the forward pass of this problem");
    desc.groups = groups;
    const dim_t dims[] {desc.dst.dims[0], groups};
    desc.statistics = make_with_strides(2, dims, data_type::f32, nullptr);
    set_vectors(desc, channels, data_type::f32, data_type::f32);
    follow_forward(desc, hint);
    return desc;
}

const char *types_refusal(const normalization_desc &desc) {
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

const char *types_refusal(const batch_normalization_desc &desc) {
    const memory_desc &source = source_of(desc);
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

const primitive_facts<batch_normalization_desc> batch_normalization_desc::facts {
    .kind = dnnl_batch_normalization,
    .attributes = {.post_ops = eltwises},
    .arguments = list_arguments,
    .in_place = in_both_directions,
    .items = add_data_and_diff,
    .parameters = flag_letters,
    .shape = [](const batch_normalization_desc &d) { return image_text(d.src); },
    .post_op_refusal =
        [](const post_ops &chain, std::size_t index) {
            const bool relu =
                std::get<eltwise_post_op>(chain.entries[index]).alg == dnnl_eltwise_relu;
            return relu ? nullptr : "only a relu is offered here";
        },
};

const primitive_facts<layer_normalization_desc> layer_normalization_desc::facts {
    .kind = dnnl_layer_normalization,
    .attributes = of_layers_and_groups,
    .arguments = [](layer_normalization_desc &d, argument_list &list) { list_arguments(d, list); },
    .in_place = in_both_directions,
    .items = add_items,
    .parameters = flag_letters,
    .takes_scale_mask = takes_scale_of_mapping,
};

const primitive_facts<group_normalization_desc> group_normalization_desc::facts {
    .kind = dnnl_group_normalization,
    .attributes = of_layers_and_groups,
    .arguments = list_arguments,
    .in_place = in_both_directions,
    .items = add_items,
    .parameters = flag_letters,
    .shape =
        [](const group_normalization_desc &d) {
            return fmt::format("g{}{}", d.groups, image_text(d.src));
        },
    .takes_scale_mask = takes_scale_of_mapping,
};

} // namespace dnnl::impl
