// SPDX-License-Identifier: Apache-2.0
// What is true of one primitive whatever the row. Each alternative of op_desc has its facts,
// defined in the file of that primitive; op_desc.cpp, default_layouts.cpp, attribute_checks.cpp,
// describe.cpp and common/verbose read them and know no primitive by name.
#pragma once

#define FMT_HEADER_ONLY
#include <fmt/format.h>
#include <string>
#include <vector>

#include "common/attributes/attributes.hpp"
#include "common/descriptors/default_layouts.hpp"
#include "common/descriptors/describe.hpp"
#include "common/descriptors/op_desc.hpp"
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

/// Which attributes a primitive takes in forward propagation, whatever the implementation.
struct offered_attributes {
    unsigned post_ops = no_post_ops;
    bool scales = false, zero_points = false;
    bool integer_only = false;    ///< scales and zero points need an 8-bit integer source,
    bool or_integer_dst = false;  ///< or scales an 8-bit integer dst
    bool dst_of_integers = false; ///< with an 8-bit source dst has zero points of any type
    bool groups = false, dropout = false;
    enum { never, of_floats, always } stochastic_rounding = never;
};

/// Collects the tensors of an operation; those that it lacks (zero descriptors) are left out.
struct argument_list {
    std::vector<tensor_argument> entries;
    void input(int arg, memory_desc &md) { add(arg, md, false); }
    void output(int arg, memory_desc &md) { add(arg, md, true); }

  private:
    void add(int arg, memory_desc &md, bool is_output) {
        if (!md.is_zero()) entries.push_back({arg, &md, is_output});
    }
};

/// Collects the tensors of a verbose line: each as planned, with a mark where it was asked for with
/// layout `any`.
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

// ---- Facts that hold for most primitives ----

template <class Desc> bool takes_one_value(const Desc &, const quantization &q) {
    return q.mask == 0;
}
template <class Desc> bool takes_any_mask(const Desc &, const quantization &) { return true; }

template <class Desc> const memory_desc &dst_of(const Desc &desc) { return desc.dst; }

template <class Desc> std::string algorithm_text(const Desc &desc) {
    if constexpr (requires { desc.alg; })
        return fmt::format("alg:{}", dnnl_alg_kind2str(desc.alg));
    else
        return {};
}
template <class Desc> std::string src_text(const Desc &desc) { return extents(desc.src); }

/// The facts about the primitive with this operation descriptor.
template <class Desc> struct primitive_facts {
    dnnl_primitive_kind_t kind;
    offered_attributes attributes {};
    /// Lists the tensors of an execution, inputs first.
    void (*arguments)(Desc &, argument_list &);
    /// Replaces what is still `any`: see default_layouts().
    void (*layouts)(Desc &);

    // Fields of verbose lines: tensors, parameters, extents.
    void (*items)(item_list<Desc> &);
    std::string (*parameters)(const Desc &) = algorithm_text<Desc>;
    std::string (*shape)(const Desc &) = src_text<Desc>;

    /// True for a mask of scales, or of zero points, that an implementation takes.
    bool (*takes_scale_mask)(const Desc &, const quantization &) = takes_one_value<Desc>;
    bool (*takes_zero_point_mask)(const Desc &, const quantization &) = takes_any_mask<Desc>;
    /// Why the post-op at this index of an offered kind is not taken; null when it is.
    const char *(*post_op_refusal)(const post_ops &, std::size_t index) = nullptr;
    /// Throws an error where the parameters of 8-bit recurrent networks do not fit; false where
    /// they do not concern the operation and must not be set. Null: they never concern it.
    bool (*check_rnn_parameters)(const Desc &, const primitive_attr &) = nullptr;
    /// What reasons call an argument; empty: as its DNNL_ARG_* says. Null: all are called so.
    std::string (*tensor_name)(int arg) = nullptr;
    /// The tensor that the attributes of the destination describe.
    const memory_desc &(*destination)(const Desc &) = dst_of<Desc>;
};

// ---- Facts that families of primitives share (more in mapping.hpp) ----

/// Convolution, deconvolution and inner product.
template <class Desc> void list_weighted(Desc &d, argument_list &list) {
    if (d.prop == dnnl_backward_data) {
        list.input(DNNL_ARG_DIFF_DST, d.dst);
        list.input(DNNL_ARG_WEIGHTS, d.weights);
        list.output(DNNL_ARG_DIFF_SRC, d.src);
    } else if (d.prop == dnnl_backward_weights) {
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
template <class Desc> void add_weighted(item_list<Desc> &list) {
    list.add("src", &Desc::src).add("wei", &Desc::weights);
    list.add("bia", &Desc::bias).add("dst", &Desc::dst);
}
/// One scale for all, or for the weights one per output channel, the first of their dimensions
/// after that of the groups.
template <class Desc> bool takes_channel_scales(const Desc &d, const quantization &q) {
    const int output_channels = d.weights.ndims > d.src.ndims ? 3 : 1;
    return q.mask == 0 || (q.arg == DNNL_ARG_WEIGHTS && q.mask == output_channels);
}
/// One zero point for all or one per channel of src or dst, whose channels are dimension 1.
template <class Desc> bool takes_channel_zero_points(const Desc &, const quantization &q) {
    return q.arg != DNNL_ARG_WEIGHTS && (q.mask == 0 || q.mask == 2);
}

/// Sum and concat.
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

} // namespace dnnl::impl
