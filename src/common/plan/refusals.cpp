// SPDX-License-Identifier: Apache-2.0
// Puts refusals into words: a request that no row takes, an argument that does not fit.
#include "common/plan/primitive.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/descriptors/describe.hpp"
#include "common/descriptors/products/shapes.hpp"
#include "common/runtime/settings.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

namespace {
/// A reason, and the rows that give it: their names without instruction sets.
struct group {
    std::string_view reason;
    std::vector<std::string_view> rows;
};

/// At most so many reasons are told, so that a stranger reads them to the end.
constexpr std::size_t most_reasons = 3;

/// Groups the rows by their reason, from the last row on: the reference, which takes whatever any
/// row does, comes first.
std::vector<group> group_by_reason(
    std::span<const implementation> table, std::span<const char *const> why_not) {
    std::vector<group> groups;
    for (std::size_t i = table.size(); i-- > 0;) {
        const char *reason = why_not[i];
        if (is_beside_the_problem(reason) || reason == no_instructions) continue;
        auto found = std::ranges::find(groups, reason, &group::reason);
        if (found == groups.end()) {
            if (groups.size() == most_reasons) continue;
            found = groups.insert(found, {reason, {}});
        }
        if (found->rows.empty() || found->rows.back() != table[i].name)
            found->rows.push_back(table[i].name);
    }
    if (groups.empty()) groups.push_back({why_not.back(), {}});
    return groups;
}

/// A digit of the index along one dimension, and what each step of it adds to the offset.
struct digit {
    dim_t extent, stride;
    bool operator==(const digit &) const = default;
};

/// The digits of an index along dimension d, innermost first. Digits that continue one another are
/// joined, so that layouts which place all indices alike have equal digits.
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

std::string is_expected(const memory_desc &actual, const std::string &expected) {
    return "its memory is " + describe(actual) + ", expected " + expected;
}

std::string is_read(const memory_desc &actual, const memory_desc &expected) {
    return "its memory is " + describe(actual) + ", its bytes are read as " + describe(expected);
}

/// How well a memory fits where another descriptor is expected.
enum class fit {
    view,   ///< it fits: the same elements, or a view that the caller answers for
    reread, ///< it fits, but its bytes are read by the expected descriptor, not by its own
    none
};

/// True for a plain layout without gaps between its elements, in any order of the dimensions.
bool is_dense(const memory_desc &md) {
    return md.is_plain() && md.column_sums_mask == 0 && has_dense_strides(md);
}

/// How well elements of `type` fit where `expected` ones are read or written: bytes are read as
/// bytes of the other sign, and dst may have the type in which a sum post-op reads it.
fit fit_of_types(data_type expected, data_type type, data_type of_sum) {
    if (expected == type) return fit::view;
    return (is_int8(expected) && is_int8(type)) || type == of_sum ? fit::reread : fit::none;
}

/// A memory whose elements have another order is taken as the bytes that it holds where both orders
/// are dense and plain. Blocked layouts against plain ones, gaps and other offsets are a forgotten
/// reorder. Other dims are a view of the buffer that the caller answers for: the memory of a parent
/// for a submemory, {1, C} for {C}. With ONEDNN_STRICT_MEMORY=1 nothing but an equal descriptor
/// fits. Both are concrete.
fit fit_of(const memory_desc &expected, const memory_desc &actual, data_type of_sum) {
    if (actual == expected) return fit::view;
    if (strict_memory() || actual.is_sparse() || expected.is_sparse()) return fit::none;
    const fit types = fit_of_types(expected.dtype, actual.dtype, of_sum);
    const bool equal_dims = actual.ndims == expected.ndims && actual.dims == expected.dims;
    if (!equal_dims || same_places(actual, expected)) return types;
    const bool alike = is_dense(actual) && is_dense(expected) && actual.offset0 == expected.offset0;
    return alike && types != fit::none ? fit::reread : fit::none;
}

/// Why a memory with the descriptor `actual` cannot stand where a primitive expects `expected`,
/// both in words; empty when it can. It must fit as fit_of() says, and its buffer must not end
/// before the last element.
std::string memory_mismatch(
    const memory_desc &expected, const memory_desc &actual, data_type of_sum) {
    if (fit_of(expected, actual, of_sum) == fit::none)
        return is_expected(actual, describe(expected));
    const std::size_t held = actual.buffer_bytes(), needed = expected.accessed_bytes();
    if (actual == expected || held >= needed) return {};
    return is_expected(actual, describe(expected)) + ": the buffer has " + std::to_string(held) +
           " bytes of " + std::to_string(needed);
}

/// True when `expected`, which has run-time dims or strides, stands for this concrete descriptor.
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

/// The first `count` dims without those that are 1.
dims_t without_ones(const dims_t &dims, int count) {
    dims_t kept {};
    std::copy_if(dims.begin(), dims.begin() + count, kept.begin(), [](dim_t d) { return d != 1; });
    return kept;
}

/// True for a row-major layout without gaps, and for one value on the host. The strides of
/// dimensions of extent 1 do not count.
bool is_row_major(const memory_desc &md) {
    if (md.is_host_scalar()) return true;
    if (md.has_zero_dim()) return md.is_plain(); // strides of no element do not count
    dim_t dense = 1;
    for (int d = md.ndims - 1; d >= 0; --d) {
        if (md.dims[d] != 1 && md.strides[d] != dense) return false;
        dense *= md.dims[d];
    }
    return md.is_plain();
}

/// The scales or zero points that a tensor needs: dense and row-major over value_dims(). An empty
/// tensor needs one value.
struct expected_values {
    dims_t dims {1};
    int ndims = 1;
    bool known;

    expected_values(const quantization &q, const memory_desc &tensor)
        : known(!tensor.is_zero() || q.mask == 0) {
        if (known && q.mask != 0) ndims = value_dims(q, tensor, dims);
    }
    dim_t count() const { return product(dims, ndims); }
};

/// How well a memory holds the scales or zero points of a tensor. It fits where it is row-major and
/// its dims other than 1 are those of the values, or where all values lie in one dimension. Another
/// dense memory with at least as many elements is read as if it did.
fit fit_of_values(const quantization &q, const expected_values &values, const memory_desc &actual) {
    if (actual.dtype != q.dtype) return fit::none;
    const dim_t count = values.count();
    if (is_row_major(actual)) {
        if (count == 0 || (!values.known && actual.nelems() > 0)) return fit::view;
        const dims_t kept = without_ones(actual.dims, actual.ndims);
        const bool vector = kept[1] == 0;
        if (actual.nelems() == count && (vector || kept == without_ones(values.dims, values.ndims)))
            return fit::view;
    }
    const bool as_bytes = !strict_memory() && is_dense(actual) && actual.nelems() >= count;
    return as_bytes && values.known ? fit::reread : fit::none;
}

/// Why a memory cannot hold the scales or zero points of a tensor, with both shapes; else empty.
std::string values_mismatch(
    const quantization &q, const memory_desc &tensor, const memory_desc &actual) {
    const expected_values values(q, tensor);
    if (fit_of_values(q, values, actual) != fit::none) return {};
    return is_expected(
        actual, describe(make_with_strides(values.ndims, values.dims.data(), q.dtype, nullptr)));
}

/// Why a memory cannot hold the weights of a prelu post-op on dst; empty when it can. It is plain,
/// and its dims other than 1 are those of dst that the mask names, in their order.
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

/// The tensor that values of an attribute belong to, among those that are bound.
const memory_desc &tensor_of(
    const required_argument &required, std::span<const bound_argument> bound) {
    const int arg = required.values.arg;
    // The last scale of a fused depthwise convolution belongs to dst.
    const bool fused_dst = arg == (DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST);
    return exec_context(bound, nullptr).desc(fused_dst ? DNNL_ARG_DST : arg);
}

} // namespace

// ---- Requests ----

std::string refusal_of(const op_desc &op, std::span<const implementation> table,
    std::span<const char *const> why_not) {
    const std::vector<group> groups = group_by_reason(table, why_not);
    std::string text = dnnl_prim_kind2str(kind_of(op));
    text.append(": ").append(groups[0].reason).append(" (").append(describe(op)).append(")");
    for (const group &g : std::span(groups).subspan(1)) {
        text.append(g.rows.size() > 1 ? "; implementations" : "; implementation");
        for (const std::string_view row : g.rows)
            text.append(row == g.rows[0] ? " " : ", ").append(row);
        text.append(": ").append(g.reason);
    }
    return text;
}

// ---- Arguments ----

bool same_places(const memory_desc &a, const memory_desc &b) {
    if (a.has_zero_dim()) return true;
    if (a.layout != b.layout || a.offset0 != b.offset0 || a.padded_dims != b.padded_dims ||
        a.column_sums_mask != b.column_sums_mask)
        return false;
    for (int d = 0; d < a.ndims; ++d)
        if (digits_of(a, d) != digits_of(b, d)) return false;
    return true;
}

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
    if (!md) {
        const memory_desc &tensor = tensor_of(required, bound);
        return required.are_slopes ? slopes_mismatch(required.values.mask, tensor, actual)
                                   : values_mismatch(required.values, tensor, actual);
    }
    if (!md->has_runtime()) return memory_mismatch(*md, actual, required.type_of_sum);
    return fits_runtime(*md, actual) ? std::string() : is_expected(actual, describe(*md));
}

std::string reread(const required_argument &required, const memory_desc &actual,
    std::span<const bound_argument> bound) {
    if (const memory_desc *md = required.md) {
        const bool is_reread =
            !md->has_runtime() && fit_of(*md, actual, required.type_of_sum) == fit::reread;
        return is_reread ? is_read(actual, *md) : std::string();
    }
    const quantization &q = required.values;
    if (required.are_slopes) return {};
    const expected_values values(q, tensor_of(required, bound));
    if (fit_of_values(q, values, actual) != fit::reread) return {};
    return is_read(actual, make_with_strides(values.ndims, values.dims.data(), q.dtype, nullptr));
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
