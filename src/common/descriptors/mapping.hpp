// SPDX-License-Identifier: Apache-2.0
// Primitives that map one tensor, src, to another, dst: what they check alike and their facts. Some
// backward passes read a tensor of the forward pass, `data`, besides.
#pragma once

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/tensor_checks.hpp"

namespace dnnl::impl {

/// Throws error(invalid_arguments) unless prop is a forward kind or the given backward kind.
inline void require_propagation(
    const char *primitive, dnnl_prop_kind_t prop, dnnl_prop_kind_t backward = dnnl_backward_data) {
    require(is_forward(prop) || prop == backward, primitive,
        "prop_kind is not a propagation kind of this call");
}

template <class Desc> const char *src_name(const Desc &desc) {
    return is_forward(desc.prop) ? "src" : "diff_src";
}
template <class Desc> const char *dst_name(const Desc &desc) {
    return is_forward(desc.prop) ? "dst" : "diff_dst";
}

/// Sets src or diff_src, which a backward pass writes.
template <class Desc> void take_src(Desc &desc, const char *primitive, const memory_desc *src) {
    desc.src = checked_tensor(primitive, src_name(desc), src,
        is_forward(desc.prop) ? +defined_only : may_be_any | is_written);
}
/// Sets dst or diff_dst.
template <class Desc> void take_dst(Desc &desc, const char *primitive, const memory_desc *dst) {
    desc.dst = checked_tensor(primitive, dst_name(desc), dst,
        is_forward(desc.prop) ? may_be_any | is_written : +may_be_any);
}

/// Sets the tensors of desc, whose prop is set; data_name: what reasons call `data`, which a
/// backward pass reads. Throws error(invalid_arguments) unless all have equal dims.
template <class Desc>
void take_mapping(Desc &desc, const char *primitive, const memory_desc *src, const memory_desc *dst,
    const memory_desc *data, const char *data_name) {
    const bool forward = is_forward(desc.prop);
    if (!forward) desc.data = checked_tensor(primitive, data_name, data, defined_only);
    take_src(desc, primitive, src);
    take_dst(desc, primitive, dst);
    check_tensors_of(desc, [&] {
        if (forward) return require_same_dims(desc.dst, desc.src, primitive, "dst", "src");
        require_same_dims(desc.src, desc.data, primitive, "diff_src", data_name);
        require_same_dims(desc.dst, desc.data, primitive, "diff_dst", data_name);
    });
}

/// Throws error(unimplemented) unless all tensors have one type and, forward, one layout.
template <class Desc>
void check_types_of_mapping(const Desc &desc, const char *primitive, const char *data_name) {
    const auto implemented = [&](bool condition, const char *what, const char *model) {
        if (!condition)
            throw error(
                dnnl_unimplemented, std::string(primitive) + ": " + what + " from " + model + "'s");
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

// ---- Facts ----

/// A backward pass that reads `data` reads it as argument data_arg.
template <class Desc> void list_mapping(Desc &d, argument_list &list, int data_arg) {
    if (is_forward(d.prop)) {
        list.input(DNNL_ARG_SRC, d.src);
        list.output(DNNL_ARG_DST, d.dst);
        return;
    }
    if constexpr (requires { d.data; }) list.input(data_arg, d.data);
    list.input(DNNL_ARG_DIFF_DST, d.dst);
    list.output(DNNL_ARG_DIFF_SRC, d.src);
}
template <class Desc> void list_mapping(Desc &d, argument_list &list) {
    list_mapping(d, list, DNNL_ARG_SRC);
}

/// Each of the two follows the forward tensor that a backward pass reads, then the other one.
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

template <class Desc> void add_src_and_dst(item_list<Desc> &list) {
    list.add("src", &Desc::src).add("dst", &Desc::dst);
}
/// `data` is the forward tensor, `diff` the gradient with respect to it.
template <class Desc> void add_data_and_diff(item_list<Desc> &list) {
    if (is_forward(list.op.prop))
        list.add("data", &Desc::src).add("diff", {}, {});
    else
        list.add("data", &Desc::data).add("diff", &Desc::src);
}

} // namespace dnnl::impl
