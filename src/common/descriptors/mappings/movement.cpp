// SPDX-License-Identifier: Apache-2.0
// Checks and facts of reorder, concat, sum and shuffle.
#include "common/descriptors/mappings/mappings.hpp"

#include "common/descriptors/primitive_facts.hpp"
#include "common/descriptors/rnn.hpp"
#include "common/layout/data_type.hpp"

namespace dnnl::impl {

namespace {
bool is_scale_or_f4(data_type type) {
    return type == data_type::e8m0 || type == data_type::f4_e2m1;
}

/// Why there is no conversion between two types; null when there is.
const char *pair_refusal(data_type from, data_type to) {
    if (from == data_type::f64 || to == data_type::f64) return "src or dst is f64";
    if (is_f8(from) || is_f8(to)) {
        const data_type other = is_f8(from) ? to : from;
        return is_f8(other) || is_float(other) ? nullptr : "f8 with a type that is not float";
    }
    if (is_int4(from) || is_int4(to))
        return is_float(is_int4(from) ? to : from)
                   ? nullptr
                   : "s4 or u4 with a type that is not f32, bf16 or f16";
    if (is_scale_or_f4(from) || is_scale_or_f4(to))
        return is_float(is_scale_or_f4(from) ? to : from)
                   ? nullptr
                   : "e8m0 or f4 with a type that is not f32, bf16 or f16";
    return nullptr;
}

const char *sum_refusal(const post_ops &chain, std::size_t index) {
    if (chain.entries.size() > 1) return "one sum alone is offered here";
    return std::get<sum_post_op>(chain.entries[index]).zero_point != 0
               ? "a sum with a zero point is not offered here"
               : nullptr;
}

bool check_rnn_parameters(const reorder_desc &d, const primitive_attr &attr) {
    if (attr.rnn == rnn_quantization {}) return true;
    require_implemented(
        attr.scales.empty() && attr.zero_points.empty() && attr.post_ops.entries.empty(),
        "reorder: rnn_qparams: scales, zero points and post-ops are not offered beside them");
    check_reorder_quantization(d, attr.rnn);
    return true;
}

/// Sets dst. Where it is absent it gets the given dims, the type of the sources and layout `any`.
template <class Desc> void take_dst_or_any(Desc &desc, const memory_desc *dst, const dims_t &dims) {
    const memory_desc &first = desc.srcs[0];
    desc.dst = is_absent(dst) ? make_any(first.ndims, dims.data(), first.dtype)
                              : checked_tensor(desc, "dst", dst, may_be_any | is_written);
}

template <class Desc> void list_sources(Desc &d, argument_list &list) {
    int arg = DNNL_ARG_MULTIPLE_SRC;
    for (memory_desc &src : d.srcs) list.input(arg++, src);
    list.output(DNNL_ARG_DST, d.dst);
}

template <class Desc> void follow_first_source(Desc &d) { follow(d.dst, {&d.srcs[0]}); }

template <class Desc> void add_sources(item_list<Desc> &list) {
    for (std::size_t i = 0; i < list.op.srcs.size(); ++i)
        list.add("src", list.op.srcs[i], list.asked.srcs[i]);
    list.add("dst", &Desc::dst);
}

void check_source(const concat_desc &desc) {
    const memory_desc &src = desc.srcs.back(), &first = desc.srcs[0];
    require_tensor(src.dtype == first.dtype, desc, "src_descs", "the types of the sources differ");
    require_tensor(src.ndims == first.ndims, desc, "src_descs", "the ranks of the sources differ");
    for (int d = 0; d < src.ndims; ++d)
        require_tensor(d == desc.axis || src.dims[d] == first.dims[d], desc, "src_descs",
            "a dimension beside the axis differs");
}

void check_groups(const shuffle_desc &desc) {
    require_same_dims(desc.dst, desc.src, desc, dst_name(desc), "the source");
    require(desc.axis >= 0 && desc.axis < desc.src.ndims,
        "shuffle: axis is not a dimension of the tensors");
    require(desc.group_size >= 1, "shuffle: group_size is below 1");
    if (desc.src.dims[desc.axis] % desc.group_size != 0)
        require(
            false, fmt::format("shuffle: group_size: {} does not divide the {} elements of axis {}",
                       desc.group_size, desc.src.dims[desc.axis], desc.axis));
}

/// Takes the layout from the forward pass where neither gradient has one; else row-major.
void follow_hint(shuffle_desc &desc, const shuffle_desc *hint) {
    if (!hint) return;
    require(same_dims(hint->src, desc.src) && hint->axis == desc.axis &&
                hint->group_size == desc.group_size,
        "shuffle: hint_fwd_pd is not the forward pass of this problem");
    if (desc.dst.is_any() && desc.src.is_any()) set_layout_like(desc.dst, hint->dst);
}
} // namespace

// ---- Reorder ----

reorder_desc make_reorder_desc(const memory_desc *src, const memory_desc *dst) {
    reorder_desc desc;
    desc.src = checked_tensor(desc, "src", src, may_be_runtime);
    desc.dst = checked_tensor(desc, "dst", dst, may_be_runtime | is_written);
    check_tensors_of(desc, [&] { require_same_dims(desc.dst, desc.src, desc, "dst", "src"); });
    return desc;
}

const char *reorder_refusal(const problem &p) {
    const auto &op = std::get<reorder_desc>(p.op);
    if (const char *why = pair_refusal(op.src.dtype, op.dst.dtype)) return why;
    const auto &post_ops = p.attr.post_ops.entries;
    if (post_ops.empty()) return nullptr;
    if (post_ops.size() > 1) return "more than one post-op";
    const auto *sum = std::get_if<sum_post_op>(&post_ops.front());
    if (!sum) return "a post-op other than sum";
    if (sum->zero_point != 0) return "the sum post-op has a zero point";
    if (sum->dtype != data_type::undef && sum->dtype != op.dst.dtype)
        return "the sum post-op has a type of its own";
    return nullptr;
}

const primitive_facts<reorder_desc> reorder_desc::facts {
    .kind = dnnl_reorder,
    .attributes = {.post_ops = sums, .scales = true, .zero_points = true},
    .in_place = {{{DNNL_ARG_TO, DNNL_ARG_FROM}}},
    .layouts = [](reorder_desc &) {},
    .takes_scale_mask = takes_any_mask,
    .post_op_refusal = sum_refusal,
    .check_rnn_parameters = check_rnn_parameters,
};

// ---- Concat and sum ----

concat_desc make_concat_desc(
    const memory_desc *dst, int n, int axis, const memory_desc *const *srcs) {
    require(n >= 1, "concat: n is below 1, there is no source");
    require(srcs, "concat: src_descs is null");
    concat_desc desc {.axis = axis};
    desc.srcs.reserve(std::size_t(n));
    std::optional<dim_t> extent = 0;
    for (int i = 0; i < n; ++i) {
        desc.srcs.push_back(checked_tensor(desc, "src_descs", srcs[i], defined_only));
        const memory_desc &src = desc.srcs.back();
        require(axis >= 0 && axis < src.ndims,
            "concat: concat_dimension is not a dimension of the sources");
        check_tensors_of(desc, [&] { check_source(desc); });
        extent = checked_add(extent, src.dims[axis]);
    }
    require_implemented(
        extent.has_value(), "concat: src_descs: the sum of the extents along the axis overflows");
    dims_t dims = desc.srcs[0].dims;
    dims[axis] = *extent;
    take_dst_or_any(desc, dst, dims);
    check_tensors_of(desc, [&] {
        require_tensor(desc.dst.ndims == desc.srcs[0].ndims && desc.dst.dims == dims, desc, "dst",
            "its dims are not those of the sources one after the other");
    });
    return desc;
}

const primitive_facts<concat_desc> concat_desc::facts {
    .kind = dnnl_concat,
    .attributes = {.scales = true},
    .arguments = list_sources,
    .layouts = follow_first_source,
    .items = add_sources,
    .parameters = [](const concat_desc &d) { return fmt::format("axis:{}", d.axis); },
    .shape =
        [](const concat_desc &d) {
            std::string text;
            for (const memory_desc &src : d.srcs) text += (text.empty() ? "" : ":") + extents(src);
            return text;
        },
    .takes_scale_mask = takes_one_value_of_sources,
};

sum_desc make_sum_desc(
    const memory_desc *dst, int n, const float *scales, const memory_desc *const *srcs) {
    require(n >= 1, "sum: n is below 1, there is no source");
    require(scales, "sum: scales is null");
    require(srcs, "sum: src_descs is null");
    sum_desc desc;
    desc.srcs.reserve(std::size_t(n));
    for (int i = 0; i < n; ++i) {
        desc.srcs.push_back(checked_tensor(desc, "src_descs", srcs[i], defined_only));
        check_tensors_of(desc, [&] {
            require_tensor(same_dims(desc.srcs[i], desc.srcs[0]), desc, "src_descs",
                "the dims of the sources differ");
        });
    }
    desc.scales.assign(scales, scales + n);
    const memory_desc &first = desc.srcs[0];
    take_dst_or_any(desc, dst, first.dims);
    check_tensors_of(desc, [&] {
        require_tensor(
            same_dims(desc.dst, first), desc, "dst", "its dims differ from those of the sources");
    });
    return desc;
}

const primitive_facts<sum_desc> sum_desc::facts {
    .kind = dnnl_sum,
    .arguments = list_sources,
    .in_place = {{{DNNL_ARG_DST, DNNL_ARG_MULTIPLE_SRC}}},
    .layouts = follow_first_source,
    .items = add_sources,
    .shape = [](const sum_desc &d) { return extents(d.dst); },
};

// ---- Shuffle ----

shuffle_desc make_shuffle_desc(dnnl_prop_kind_t prop, const memory_desc *src,
    const memory_desc *dst, int axis, dim_t group_size, const shuffle_desc *hint) {
    shuffle_desc desc {.prop = prop, .axis = axis, .group_size = group_size};
    take_src(desc, src);
    take_dst(desc, dst);
    check_tensors_of(desc, [&] { check_groups(desc); });
    if (!is_forward(prop)) follow_hint(desc, hint);
    check_tensors_of(desc, [&] {
        require_implemented(
            desc.src.dtype == desc.dst.dtype, "shuffle: dst: its type differs from the source's");
        require_implemented(
            desc.src.is_any() || desc.dst.is_any() || same_layout(desc.src, desc.dst),
            "shuffle: dst: its layout differs from the source's");
    });
    return desc;
}

shuffle_matrix matrix_of(const shuffle_desc &desc) {
    const dim_t groups = desc.src.dims[desc.axis] / desc.group_size;
    if (is_forward(desc.prop)) return {groups, desc.group_size};
    return {desc.group_size, groups};
}

const primitive_facts<shuffle_desc> shuffle_desc::facts {
    .kind = dnnl_shuffle,
    .items = add_data_and_diff,
    .parameters =
        [](const shuffle_desc &d) { return fmt::format("axis:{} group:{}", d.axis, d.group_size); },
};

} // namespace dnnl::impl
