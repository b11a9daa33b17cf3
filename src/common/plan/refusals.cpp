// SPDX-License-Identifier: Apache-2.0
// What does not fit, in words: a request that no row takes, the arguments of an execution.
#include "common/plan/primitive.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/descriptors/checks.hpp"
#include "common/descriptors/describe.hpp"
#include "common/descriptors/matmul.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/error.hpp"
#include "common/runtime/settings.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

// ---- Requests ----

namespace {
/// Rows that give one reason, in the order of the table.
struct group {
    std::string_view reason;
    std::string rows;
};

void add(std::string &list, const std::string &name) {
    list.append(list.empty() ? "" : ", ").append(name);
}

/// The row whose reason is told first: the last that is made for such problems.
std::size_t leading(std::span<const char *const> why_not) {
    std::size_t row = why_not.size() - 1;
    while (row > 0 && (is_beside_the_problem(why_not[row]) || why_not[row] == no_instructions))
        --row;
    return row;
}

/// The group of the leading row is the first.
std::vector<group> group_by_reason(std::span<const implementation> table,
    std::span<const char *const> why_not, std::string &absent) {
    const std::size_t first = leading(why_not);
    std::vector<group> groups {{why_not[first], full_name(table[first])}};
    for (std::size_t i = 0; i < table.size(); ++i) {
        const std::string name = full_name(table[i]);
        if (i == first || is_beside_the_problem(why_not[i])) continue;
        if (why_not[i] == no_instructions) {
            add(absent, name);
            continue;
        }
        const auto found = std::find_if(
            groups.begin(), groups.end(), [&](const group &g) { return g.reason == why_not[i]; });
        if (found == groups.end())
            groups.push_back({why_not[i], name});
        else
            add(found->rows, name);
    }
    return groups;
}
} // namespace

std::string refusal_of(const op_desc &op, std::span<const implementation> table,
    std::span<const char *const> why_not) {
    std::string absent;
    const std::vector<group> groups = group_by_reason(table, why_not, absent);
    std::string text = dnnl_prim_kind2str(kind_of(op));
    text.append(": ").append(groups[0].reason).append(" (").append(describe(op));
    text.append("); implementations: ").append(groups[0].rows).append(": as said");
    for (const group &g : std::span(groups).subspan(1))
        text.append("; ").append(g.rows).append(": ").append(g.reason);
    if (!absent.empty()) text.append("; without their instruction sets: ").append(absent);
    return text;
}

// ---- Arguments ----

namespace {

/// A digit of the index along one dimension, and what each step of it adds to the offset.
struct digit {
    dim_t extent, stride;
    bool operator==(const digit &) const = default;
};

/// How the indices of dimension d lie, innermost digit first. Digits that continue one another are
/// one, so that layouts which place all indices alike have equal digits.
std::vector<digit> digits_of(const memory_desc &md, int d) {
    std::vector<digit> digits;
    const auto append = [&](dim_t extent, dim_t stride) {
        if (extent == 1) return;
        if (!digits.empty() && stride == digits.back().extent * digits.back().stride)
            digits.back().extent *= extent;
        else
            digits.push_back({extent, stride});
    };
    dim_t stride = 1;
    for (int b = md.inner_nblks - 1; b >= 0; --b) {
        if (md.inner_idxs[b] == d) append(md.inner_blks[b], stride);
        stride *= md.inner_blks[b];
    }
    append(md.padded_dims[d] / md.block(d), md.strides[d]);
    return digits;
}

/// True when every element, padding and appended sums included, has the same offset in both, which
/// have equal dims.
bool same_places(const memory_desc &a, const memory_desc &b) {
    if (a.has_zero_dim()) return true;
    if (a.layout != b.layout || a.offset0 != b.offset0 || a.padded_dims != b.padded_dims ||
        a.column_sums_mask != b.column_sums_mask)
        return false;
    for (int d = 0; d < a.ndims; ++d)
        if (digits_of(a, d) != digits_of(b, d)) return false;
    return true;
}

std::string is_expected(const memory_desc &actual, const std::string &expected) {
    return "its memory is " + describe(actual) + ", expected " + expected;
}

/// Why a memory with the descriptor `actual` cannot stand where a primitive reads or writes by the
/// descriptor `expected`, both in words; empty when it can. Refused are another data type, equal
/// dims whose elements lie elsewhere and a buffer that ends before the last element. Other dims are
/// a view of the buffer that the caller answers for: the memory of a parent for a submemory, {1, C}
/// for {C}. With ONEDNN_STRICT_MEMORY=1 every difference is refused. Both are concrete.
std::string memory_mismatch(const memory_desc &expected, const memory_desc &actual) {
    if (actual == expected) return {};
    const bool equal_dims = actual.ndims == expected.ndims && actual.dims == expected.dims;
    // Only equal descriptors have the same buffers where one is sparse.
    if (actual.is_sparse() || expected.is_sparse() || actual.dtype != expected.dtype ||
        (equal_dims && !same_places(actual, expected)) || strict_memory())
        return is_expected(actual, describe(expected));
    const std::size_t held = actual.buffer_bytes(), needed = expected.accessed_bytes();
    if (held >= needed) return {};
    return is_expected(actual, describe(expected)) + ": the buffer has " + std::to_string(held) +
           " bytes of " + std::to_string(needed);
}

/// True when a concrete descriptor is one that `expected`, with runtime dims or strides, stands
/// for.
bool fits_runtime(const memory_desc &expected, const memory_desc &actual) {
    if (actual.ndims != expected.ndims || actual.dtype != expected.dtype || !actual.is_blocked() ||
        actual.inner_nblks != expected.inner_nblks || actual.inner_blks != expected.inner_blks ||
        actual.inner_idxs != expected.inner_idxs)
        return false;
    for (int d = 0; d < expected.ndims; ++d) {
        if (expected.dims[d] != runtime_dim && actual.dims[d] != expected.dims[d]) return false;
        if (expected.strides[d] != runtime_dim && actual.strides[d] != expected.strides[d] &&
            actual.dims[d] != 1)
            return false;
    }
    return expected.offset0 == runtime_dim || actual.offset0 == expected.offset0;
}

/// The first `count` dims without those of size 1.
dims_t without_ones(const dims_t &dims, int count) {
    dims_t kept {};
    std::copy_if(dims.begin(), dims.begin() + count, kept.begin(), [](dim_t d) { return d != 1; });
    return kept;
}

/// Row-major without gaps, or one value on the host; the strides of dimensions of size 1 do not
/// count.
bool is_row_major(const memory_desc &md) {
    if (md.is_host_scalar()) return true;
    dim_t dense = 1;
    for (int d = md.ndims - 1; d >= 0; --d) {
        if (md.dims[d] != 1 && md.strides[d] != dense) return false;
        dense *= md.dims[d];
    }
    return md.is_plain();
}

/// Why a memory cannot hold the scales or zero points of a tensor (empty: one value), both shapes
/// in words; empty when it can: plain, dense row-major, its dims other than 1 those of
/// value_dims(), or all values in one dimension.
std::string values_mismatch(
    const quantization &q, const memory_desc &tensor, const memory_desc &actual) {
    dims_t dims {1};
    int ndims = 1;
    const bool known = !tensor.is_zero() || q.mask == 0;
    if (known && q.mask != 0) ndims = value_dims(q, tensor, dims);
    if (actual.dtype == q.dtype && is_row_major(actual)) {
        const dim_t count = product(dims, ndims);
        if (count == 0 || (!known && actual.nelems() > 0)) return {};
        const dims_t kept = without_ones(actual.dims, actual.ndims);
        const bool vector = kept[1] == 0;
        if (actual.nelems() == count && (vector || kept == without_ones(dims, ndims))) return {};
    }
    return is_expected(actual, describe(make_with_strides(ndims, dims.data(), q.dtype, nullptr)));
}

/// Why a memory cannot hold the weights of a prelu post-op on dst; empty when it can: plain, its
/// dims other than 1 those of dst that the mask names, in their order.
std::string slopes_mismatch(int mask, const memory_desc &dst, const memory_desc &actual) {
    memory_desc expected = dst;
    for (int d = 0; d < dst.ndims; ++d)
        if (!(mask >> d & 1)) expected.dims[d] = 1;
    if (expected.has_zero_dim()) return {};
    const bool same =
        actual.nelems() == expected.nelems() &&
        without_ones(actual.dims, actual.ndims) == without_ones(expected.dims, expected.ndims);
    if (same && actual.is_plain() && actual.dtype == data_type::f32) return {};
    return is_expected(actual, "f32 " + extents(expected, expected.dims) + " in a plain layout");
}

/// Why the memory cannot hold values of an attribute; the tensors that they belong to are bound.
std::string attribute_mismatch(const required_argument &required, const memory_desc &actual,
    std::span<const bound_argument> bound) {
    const quantization &q = required.values;
    // What a fused depthwise convolution scales at its end is dst.
    const bool fused_dst = q.arg == (DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST);
    const memory_desc &tensor = exec_context(bound, nullptr).desc(fused_dst ? DNNL_ARG_DST : q.arg);
    return required.are_slopes ? slopes_mismatch(q.mask, tensor, actual)
                               : values_mismatch(q, tensor, actual);
}

} // namespace

void require_arguments_of(const primitive_attr &attr, std::vector<required_argument> &list) {
    list.reserve(list.size() + attr.scales.entries().size() + attr.zero_points.entries().size() +
                 attr.reductions.entries().size() + attr.post_ops.entries.size() + 5);
    for (const quantization &q : attr.scales.entries())
        list.push_back({DNNL_ARG_ATTR_SCALES | q.arg, nullptr, q, q.is_dynamic()});
    for (const quantization &q : attr.zero_points.entries())
        list.push_back({DNNL_ARG_ATTR_ZERO_POINTS | q.arg, nullptr, q, false});
    for (const quantization &q : attr.reductions.entries())
        list.push_back({DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | q.arg, nullptr, q, false});
    for (std::size_t i = 0; i < attr.post_ops.entries.size(); ++i) {
        const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i));
        const post_op &entry = attr.post_ops.entries[i];
        for_each_source(entry, i, [&](const memory_desc &source, int arg) {
            list.push_back({arg, &source, {}, false});
        });
        if (const auto *prelu = std::get_if<prelu_post_op>(&entry))
            list.push_back({base | DNNL_ARG_WEIGHTS, nullptr,
                {DNNL_ARG_DST, prelu->mask, 0, {1, 1}, data_type::f32}, false, true});
    }
    const auto scalar = [&](int arg, data_type dtype) {
        list.push_back({arg, nullptr, {DNNL_ARG_UNDEF, 0, 0, {1, 1}, dtype}, false});
    };
    if (const dropout_params &d = attr.dropout; d.enabled) {
        if (!d.mask.is_zero()) list.push_back({DNNL_ARG_ATTR_DROPOUT_MASK, &d.mask, {}, true});
        scalar(DNNL_ARG_ATTR_DROPOUT_PROBABILITY, data_type::f32);
        scalar(DNNL_ARG_ATTR_DROPOUT_SEED, d.seed_type);
        if (d.use_offset) scalar(DNNL_ARG_ATTR_DROPOUT_OFFSET, data_type::s64);
    }
    if (!attr.stochastic_rounding.empty()) scalar(DNNL_ARG_ATTR_ROUNDING_SEED, data_type::s32);
}

std::string mismatch(const required_argument &required, const memory_desc &actual,
    std::span<const bound_argument> bound) {
    const memory_desc *md = required.md;
    if (!md) return attribute_mismatch(required, actual, bound);
    if (!md->has_runtime()) return memory_mismatch(*md, actual);
    return fits_runtime(*md, actual) ? std::string() : is_expected(actual, describe(*md));
}

void refuse(const primitive_desc &pd, int arg, const std::string &what) {
    throw error(dnnl_invalid_arguments,
        std::string(dnnl_prim_kind2str(pd.kind())) + ": " + text_of(arg) + ": " + what);
}

void check_runtime_shapes(const primitive_desc &pd, std::span<const bound_argument> bound) {
    const exec_context ctx(bound, nullptr);
    const memory_desc &src = ctx.desc(DNNL_ARG_SRC), &dst = ctx.desc(DNNL_ARG_DST);
    if (pd.kind() == dnnl_reorder) {
        if (!same_dims(src, dst)) refuse(pd, DNNL_ARG_TO, "its dims differ from DNNL_ARG_FROM's");
        return;
    }
    const memory_desc &weights = ctx.desc(DNNL_ARG_WEIGHTS);
    if (const char *reason = matmul_shape_mismatch(src, weights, dst))
        throw error(dnnl_invalid_arguments, reason);
    for (const bound_argument &b : bound) {
        const bool post_op = b.arg >= DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE;
        if (b.arg != DNNL_ARG_BIAS && !(post_op && (b.arg & DNNL_ARG_SRC_1) == DNNL_ARG_SRC_1))
            continue;
        for (int d = 0; d < dst.ndims; ++d)
            if (b.md->ndims == dst.ndims && b.md->dims[d] != 1 && b.md->dims[d] != dst.dims[d])
                refuse(pd, b.arg, "a dimension is neither 1 nor dst's");
    }
}

} // namespace dnnl::impl

using namespace dnnl::impl;

void dnnl_primitive::mention_unknown(std::span<const dnnl_exec_arg_t> args) const {
    for (const dnnl_exec_arg_t &a : args) {
        const auto needed = [&](const required_argument &r) { return r.arg == a.arg; };
        if (a.arg != DNNL_ARG_SCRATCHPAD &&
            std::none_of(required_.begin(), required_.end(), needed))
            verbose::argument_ignored(dnnl_prim_kind2str(pd_.kind()), text_of(a.arg));
    }
}
