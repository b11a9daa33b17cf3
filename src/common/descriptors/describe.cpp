// SPDX-License-Identifier: Apache-2.0

#include "common/descriptors/primitive_facts.hpp"
#include "common/layout/data_type.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

namespace {
std::string layout_word(const memory_desc &md) {
    switch (md.layout) {
    case layout_kind::any: return "any";
    case layout_kind::opaque: return "opaque";
    case layout_kind::blocked: return layout_name(md);
    case layout_kind::sparse: return dnnl_sparse_encoding2str(md.sparse.encoding);
    case layout_kind::host_scalar: return "host scalar";
    default: return "undefined";
    }
}

/// The name of a tensor in reasons: "diff_weights", or "src0" where there are several sources.
std::string tensor_name(const op_desc &op, int arg) {
    const auto own_name = [arg](const auto &desc) {
        return desc.facts.tensor_name ? desc.facts.tensor_name(arg) : std::string();
    };
    if (std::string own = std::visit(own_name, op); !own.empty()) return own;
    if (arg >= DNNL_ARG_MULTIPLE_SRC) return "src" + std::to_string(arg - DNNL_ARG_MULTIPLE_SRC);
    std::string name = text_of(arg).substr(sizeof "DNNL_ARG_" - 1);
    for (char &c : name)
        if (c >= 'A' && c <= 'Z') c |= 0x20;
    return name;
}
} // namespace

std::string describe(const memory_desc &md) {
    if (md.is_zero()) return "empty";
    std::string text = name_of(md.dtype);
    text.append(" ").append(layout_word(md)).append(" ").append(extents(md));
    if (md.is_sparse())
        text.append(" with ").append(std::to_string(md.sparse.nnz)).append(" values");
    if (!md.is_blocked()) return text;
    if (!has_dense_strides(md)) text.append(" strides ").append(extents(md, md.strides));
    if (md.offset0 == runtime_dim)
        text.append(" offset *");
    else if (md.offset0 != 0)
        text.append(" offset ").append(std::to_string(md.offset0));
    if (md.column_sums_mask != 0) text.append(" with column sums");
    return text;
}

std::string extents(const memory_desc &md) { return extents(md, md.dims); }

std::string extents(const memory_desc &md, const dims_t &values) {
    std::string text;
    for (int d = 0; d < md.ndims; ++d) {
        if (d) text += 'x';
        text += values[d] == runtime_dim ? "*" : std::to_string(values[d]);
    }
    return text;
}

std::string strides_text(const memory_desc &md) {
    const bool known = md.is_blocked() && !md.has_runtime();
    return known && !has_dense_strides(md) ? extents(md, md.strides) : std::string();
}

std::string tensor_item(const char *name, const memory_desc &md, bool created_as_any) {
    if (md.is_zero()) return fmt::format("{}:undef::undef:::", name);
    std::string props;
    if (created_as_any) props += 'a';
    if (md.has_padding()) props += 'p';
    if (md.offset0 != 0) props += '0';
    if (md.is_sparse())
        return fmt::format("{}:{}:{}:sparse:{}:", name, name_of(md.dtype), props,
            dnnl_sparse_encoding2str(md.sparse.encoding));
    std::string kind = "any", tag = "any", strides;
    if (md.is_blocked()) {
        kind = "blocked";
        tag = layout_name(md);
        strides = strides_text(md);
    }
    const std::string extra =
        md.column_sums_mask ? fmt::format("s{}", md.column_sums_mask) : std::string("f0");
    return fmt::format(
        "{}:{}:{}:{}:{}:{}:{}", name, name_of(md.dtype), props, kind, tag, strides, extra);
}

std::string image_text(const memory_desc &src) {
    std::string text = fmt::format("mb{}ic{}", src.dims[0], src.dims[1]);
    for (int d = 2; d < src.ndims; ++d)
        text += fmt::format("i{}{}", spatial_letter(src.ndims, d), src.dims[d]);
    return text;
}

char spatial_letter(int ndims, int d) { return "dhw"[d + 3 - ndims]; }

std::string text_of(int arg) {
    // Arguments whose numbers follow each other, such as several sources; the second and later ones
    // are numbered in their names.
    static constexpr struct {
        int first, count;
        const char *name;
    } names[] = {{DNNL_ARG_SRC_0, 4, "SRC"}, {DNNL_ARG_DST_0, 3, "DST"},
        {DNNL_ARG_WEIGHTS_0, 4, "WEIGHTS"}, {DNNL_ARG_DIFF_SRC_0, 4, "DIFF_SRC"},
        {DNNL_ARG_DIFF_DST_0, 3, "DIFF_DST"}, {DNNL_ARG_DIFF_WEIGHTS_0, 4, "DIFF_WEIGHTS"},
        {DNNL_ARG_BIAS, 1, "BIAS"}, {DNNL_ARG_DIFF_BIAS, 1, "DIFF_BIAS"},
        {DNNL_ARG_MEAN, 1, "MEAN"}, {DNNL_ARG_VARIANCE, 1, "VARIANCE"},
        {DNNL_ARG_SCALE, 1, "SCALE"}, {DNNL_ARG_SHIFT, 1, "SHIFT"},
        {DNNL_ARG_DIFF_SCALE, 1, "DIFF_SCALE"}, {DNNL_ARG_DIFF_SHIFT, 1, "DIFF_SHIFT"},
        {DNNL_ARG_WORKSPACE, 1, "WORKSPACE"}, {DNNL_ARG_SCRATCHPAD, 1, "SCRATCHPAD"},
        {DNNL_ARG_ATTR_ROUNDING_SEED, 1, "ATTR_ROUNDING_SEED"},
        {DNNL_ARG_ATTR_DROPOUT_MASK, 1, "ATTR_DROPOUT_MASK"},
        {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, 1, "ATTR_DROPOUT_PROBABILITY"},
        {DNNL_ARG_ATTR_DROPOUT_SEED, 1, "ATTR_DROPOUT_SEED"}};
    std::string text;
    const int post_op = arg / DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE;
    if (post_op > 0)
        text = "DNNL_ARG_ATTR_MULTIPLE_POST_OP(" + std::to_string(post_op - 1) + ") | ";
    arg %= DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE;
    if (arg & DNNL_ARG_ATTR_SCALES) text += "DNNL_ARG_ATTR_SCALES | ";
    if (arg & DNNL_ARG_ATTR_ZERO_POINTS) text += "DNNL_ARG_ATTR_ZERO_POINTS | ";
    if (arg & DNNL_ARG_ATTR_POST_OP_DW) text += "DNNL_ARG_ATTR_POST_OP_DW | ";
    arg &= ~(DNNL_ARG_ATTR_SCALES | DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_ATTR_POST_OP_DW);
    if (arg & DNNL_ARG_MULTIPLE_SRC)
        return text + "DNNL_ARG_MULTIPLE_SRC + " + std::to_string(arg - DNNL_ARG_MULTIPLE_SRC);
    for (const auto &[first, count, name] : names)
        if (arg >= first && arg < first + count)
            return text + "DNNL_ARG_" + name + (arg > first ? fmt::format("_{}", arg - first) : "");
    return text + std::to_string(arg);
}

std::string describe(const op_desc &op) {
    op_desc listed = op; // its arguments are listed for change, too
    std::string text;
    for (const tensor_argument &a : arguments_of(listed)) {
        if (!text.empty()) text.append(", ");
        text.append(tensor_name(op, a.arg)).append(" ").append(describe(*a.md));
    }
    return text;
}

} // namespace dnnl::impl
