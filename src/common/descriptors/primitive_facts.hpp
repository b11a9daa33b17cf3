// SPDX-License-Identifier: Apache-2.0
// What is true of a primitive whichever row computes it. Each alternative of op_desc has its facts,
// defined in the file of the primitive's family; problem.cpp, describe.cpp and common/verbose read
// them and know no primitive by name. Facts and checks that families share are here, too.
#pragma once

#include <array>
#include <fmt/core.h>
#include <string>
#include <vector>

#include "common/descriptors/checks.hpp"
#include "common/descriptors/describe.hpp"
#include "common/descriptors/problem.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

/// Kinds of post-ops, bits in the order of the alternatives of post_op.
enum post_op_kinds : unsigned {
    no_post_ops = 0,
    eltwises = 1,
    sums = 2,
    binaries = 4,
    prelus = 8,
    depthwises = 16
};

/// The attributes that a primitive takes in forward propagation, whichever row computes it.
struct offered_attributes {
    unsigned post_ops = no_post_ops;
    bool scales = false, zero_points = false;
    /// Zero points need a source of 8-bit integers, scales need one of 8 bits (integers or f8),
    bool integer_only = false;
    bool or_dst = false; ///< or a dst of 8 bits
    bool dst_of_integers =
        false; ///< with a source of 8-bit integers, dst has zero points whatever its type
    bool groups = false, dropout = false;
    enum { never, of_floats, always } stochastic_rounding = never;
};

/// An output that may overwrite an input in the same buffer. Both have one type, and each position
/// has one place in both.
struct in_place_pair {
    int output = DNNL_ARG_UNDEF, input = DNNL_ARG_UNDEF;
};
/// The pairs of a primitive: none, one for each direction, or the states of recurrent networks.
using in_place_pairs = std::array<in_place_pair, 2>;
inline constexpr in_place_pairs in_both_directions {
    {{DNNL_ARG_DST, DNNL_ARG_SRC}, {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST}}};
/// True where the output is paired with the input (problem.cpp).
bool may_run_in_place(const op_desc &op, int output, int input);

/// Collects the tensors of an operation; those that it lacks (zero descriptors) are left out.
struct argument_list {
    std::vector<tensor_argument> entries;
    void input(int arg, memory_desc &md) { add(arg, md, false); }
    void output(int arg, memory_desc &md) { add(arg, md, true); }
    void add(int arg, memory_desc &md, bool is_output) {
        if (!md.is_zero()) entries.push_back({arg, &md, is_output});
    }
};

/// Collects the tensors of a verbose line in their final layouts, with a mark for a former `any`.
template <class Desc> struct item_list {
    const Desc &op, &asked;
    std::string text {};

    item_list &add(const char *name, memory_desc Desc::*tensor) {
        return add(name, op.*tensor, asked.*tensor);
    }
    item_list &add(const char *name, const memory_desc &md, const memory_desc &as_asked) {
        text.append(text.empty() ? "" : " ").append(tensor_item(name, md, as_asked.is_any()));
        return *this;
    }
};

// ---- Tensors of an execution ----

/// Lists the tensors of a primitive that maps one tensor, src, to another, dst. Some backward
/// passes also read a tensor of the forward pass, `data`, as argument data_arg.
template <class Desc> void list_mapping(Desc &d, argument_list &list, int data_arg) {
    const bool forward = runs_forward(d);
    if (forward) {
        list.input(DNNL_ARG_SRC, d.src);
        list.output(DNNL_ARG_DST, d.dst);
    } else {
        if constexpr (requires { d.data; }) list.input(data_arg, d.data);
        list.input(DNNL_ARG_DIFF_DST, d.dst);
    }
    if constexpr (requires { d.workspace; }) list.add(DNNL_ARG_WORKSPACE, d.workspace, forward);
    if (!forward) list.output(DNNL_ARG_DIFF_SRC, d.src);
}
template <class Desc> void list_mapping(Desc &d, argument_list &list) {
    list_mapping(d, list, DNNL_ARG_SRC);
}
/// Lists the tensors of a product: matmul, convolution, deconvolution or inner product.
template <class Desc> void list_weighted(Desc &d, argument_list &list) {
    const dnnl_prop_kind_t prop = prop_of(d);
    if (prop == dnnl_backward_data) {
        list.input(DNNL_ARG_DIFF_DST, d.dst);
        list.input(DNNL_ARG_WEIGHTS, d.weights);
        list.output(DNNL_ARG_DIFF_SRC, d.src);
    } else if (prop == dnnl_backward_weights) {
        list.input(DNNL_ARG_SRC, d.src);
        list.input(DNNL_ARG_DIFF_DST, d.dst);
        list.output(DNNL_ARG_DIFF_WEIGHTS, d.weights);
        list.output(DNNL_ARG_DIFF_BIAS, d.bias);
    } else {
        list.input(DNNL_ARG_SRC, d.src);
        list.input(DNNL_ARG_WEIGHTS, d.weights);
        list.input(DNNL_ARG_BIAS, d.bias);
        list.output(DNNL_ARG_DST, d.dst);
    }
}

// ---- Layouts of tensors that came as `any` ----

/// src and dst take the layout of the forward tensor of a backward pass, then that of each other.
template <class Desc> void follow_each_other(Desc &d) {
    if constexpr (requires { d.data; }) {
        follow(d.dst, {&d.data, &d.src});
        follow(d.src, {&d.data, &d.dst});
    } else {
        follow(d.dst, {&d.src});
        follow(d.src, {&d.dst});
    }
    if constexpr (requires { d.workspace; }) follow(d.workspace, {&d.dst});
}

// ---- Fields of verbose lines ----

template <class Desc> void add_src_and_dst(item_list<Desc> &list) {
    list.add("src", &Desc::src).add("dst", &Desc::dst);
}
/// Adds `data`, the forward tensor (without one the gradient of dst), and `diff`, that of src.
template <class Desc> void add_data_and_diff(item_list<Desc> &list) {
    if (is_forward(list.op.prop))
        list.add("data", &Desc::src).add("diff", {}, {});
    else if constexpr (requires(Desc d) { d.data; })
        list.add("data", &Desc::data).add("diff", &Desc::src);
    else
        list.add("data", &Desc::dst).add("diff", &Desc::src);
}
template <class Desc> void add_weighted(item_list<Desc> &list) {
    list.add("src", &Desc::src).add("wei", &Desc::weights);
    list.add("bia", &Desc::bias).add("dst", &Desc::dst);
}
template <class Desc> std::string algorithm_text(const Desc &desc) {
    if constexpr (requires { desc.alg; })
        return fmt::format("alg:{}", dnnl_alg_kind2str(desc.alg));
    else
        return {};
}
/// `_ih8oh4kh3sh2dh0ph1` for each spatial dimension, the depth first.
template <class Desc> std::string window_text(const Desc &op, const dim_t *kernel) {
    std::string text;
    for (int d = 2, i = 0; d < op.src.ndims; ++d, ++i)
        text += fmt::format("_i{0}{1}o{0}{2}k{0}{3}s{0}{4}d{0}{5}p{0}{6}",
            spatial_letter(op.src.ndims, d), op.src.dims[d], op.dst.dims[d], kernel[i],
            op.strides[i], op.dilates[i], op.padding_l[i]);
    return text;
}
template <class Desc> std::string src_text(const Desc &desc) { return extents(desc.src); }

// ---- Masks of scales and zero points ----

template <class Desc> bool takes_one_value(const Desc &, const quantization &q) {
    return q.mask == 0;
}
template <class Desc> bool takes_one_value_of_sources(const Desc &, const quantization &q) {
    return q.arg != DNNL_ARG_DST && q.mask == 0;
}
template <class Desc> bool takes_any_mask(const Desc &, const quantization &) { return true; }
/// True for any mask and groups of dst where it has 8 or 4 bits.
template <class Desc> bool takes_any_scale_mask(const Desc &d, const quantization &q) {
    return q.arg != DNNL_ARG_DST || !q.has_groups() || is_f8(d.dst.dtype) ||
           d.dst.dtype == data_type::f4_e2m1;
}
/// True for one scale for all, or for one per output channel of the weights: the first of their
/// dimensions after that of the groups.
template <class Desc> bool takes_channel_scales(const Desc &d, const quantization &q) {
    const int output_channels = d.weights.ndims > d.src.ndims ? 3 : 1;
    return q.mask == 0 || (q.arg == DNNL_ARG_WEIGHTS && q.mask == output_channels);
}
/// True for one zero point for all, or for one per channel of src or dst (dimension 1).
template <class Desc> bool takes_channel_zero_points(const Desc &, const quantization &q) {
    return q.arg != DNNL_ARG_WEIGHTS && (q.mask == 0 || q.mask == 2);
}

template <class Desc> const memory_desc &dst_of(const Desc &desc) { return desc.dst; }

/// The facts about the primitive with this operation descriptor. The defaults are true of most
/// primitives that map one tensor to another.
template <class Desc> struct primitive_facts {
    dnnl_primitive_kind_t kind;
    offered_attributes attributes {};
    /// Lists the tensors of an execution, inputs first.
    void (*arguments)(Desc &, argument_list &) = list_mapping<Desc>;
    /// Which outputs may overwrite an input.
    in_place_pairs in_place {};
    /// Replaces layouts that are still `any`, as default_layouts() does.
    void (*layouts)(Desc &) = follow_each_other<Desc>;

    // Writes the fields of a verbose line: tensors, parameters, extents.
    void (*items)(item_list<Desc> &) = add_src_and_dst<Desc>;
    std::string (*parameters)(const Desc &) = algorithm_text<Desc>;
    std::string (*shape)(const Desc &) = src_text<Desc>;

    /// True for a mask of scales, or of zero points, that an implementation takes.
    bool (*takes_scale_mask)(const Desc &, const quantization &) = takes_one_value<Desc>;
    bool (*takes_zero_point_mask)(const Desc &, const quantization &) = takes_any_mask<Desc>;
    /// Why a post-op of an offered kind, at this index, is not taken; null when it is.
    const char *(*post_op_refusal)(const post_ops &, std::size_t index) = nullptr;
    /// Throws an error where the parameters of 8-bit recurrent networks do not fit the operation;
    /// returns false where they do not concern it and must not be set. Null: they never concern it.
    bool (*check_rnn_parameters)(const Desc &, const primitive_attr &) = nullptr;
    /// The name of an argument in reasons; an empty text stands for that of its DNNL_ARG_*. Null:
    /// all arguments have that name.
    std::string (*tensor_name)(int arg) = nullptr;
    /// The tensor that the attributes of the destination describe.
    const memory_desc &(*destination)(const Desc &) = dst_of<Desc>;
};

// ---- Checks that primitives which map one tensor to another share ----

template <class Desc> const char *src_name(const Desc &desc) {
    return is_forward(desc.prop) ? "src" : "diff_src";
}
template <class Desc> const char *dst_name(const Desc &desc) {
    return is_forward(desc.prop) ? "dst" : "diff_dst";
}

/// Sets src or diff_src, which a backward pass writes.
template <class Desc> void take_src(Desc &desc, const memory_desc *src) {
    desc.src = checked_tensor(
        desc, src_name(desc), src, is_forward(desc.prop) ? +defined_only : may_be_any | is_written);
}
/// Sets dst or diff_dst.
template <class Desc> void take_dst(Desc &desc, const memory_desc *dst) {
    desc.dst = checked_tensor(
        desc, dst_name(desc), dst, is_forward(desc.prop) ? may_be_any | is_written : +may_be_any);
}

/// Sets the tensors of desc, whose prop is set. `data_name` is the name in reasons of `data`, which
/// a backward pass reads. Throws error(invalid_arguments) unless all have equal dims.
template <class Desc>
void take_mapping(Desc &desc, const memory_desc *src, const memory_desc *dst,
    const memory_desc *data, const char *data_name) {
    const bool forward = is_forward(desc.prop);
    if (!forward) desc.data = checked_tensor(desc, data_name, data, defined_only);
    take_src(desc, src);
    take_dst(desc, dst);
    check_tensors_of(desc, [&] {
        if (forward) return require_same_dims(desc.dst, desc.src, desc, "dst", "src");
        require_same_dims(desc.src, desc.data, desc, "diff_src", data_name);
        require_same_dims(desc.dst, desc.data, desc, "diff_dst", data_name);
    });
}

/// Throws error(unimplemented) unless all tensors have one type and, forward, one layout.
template <class Desc> void check_types_of_mapping(const Desc &desc, const char *data_name) {
    const auto implemented = [&](bool condition, const char *what, const char *model) {
        if (!condition)
            throw error(dnnl_unimplemented,
                fmt::format("{}: {} from {}'s", dnnl_prim_kind2str(desc.facts.kind), what, model));
    };
    if (is_forward(desc.prop)) {
        implemented(desc.src.dtype == desc.dst.dtype, "dst: its type differs", "src");
        implemented(
            desc.dst.is_any() || same_layout(desc.src, desc.dst), "dst: its layout differs", "src");
    } else {
        implemented(desc.src.dtype == desc.data.dtype && desc.dst.dtype == desc.data.dtype,
            "diff_src, diff_dst: their types differ", data_name);
    }
}

/// Gives tensors that came as `any` the layouts of the forward pass.
template <class Desc> void take_layouts_of(Desc &desc, const Desc &forward) {
    if (desc.src.is_any()) set_layout_like(desc.src, forward.src);
    if (desc.dst.is_any()) set_layout_like(desc.dst, forward.dst);
}

} // namespace dnnl::impl
