// SPDX-License-Identifier: Apache-2.0
// What a memory must be to be passed to an execution.
#include "common/plan/primitive.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "common/descriptors/describe.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/settings.hpp"

namespace dnnl::impl {

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

} // namespace

std::string memory_mismatch(const memory_desc &expected, const memory_desc &actual) {
    if (actual == expected) return {};
    const bool equal_dims = actual.ndims == expected.ndims && actual.dims == expected.dims;
    if (actual.dtype != expected.dtype || (equal_dims && !same_places(actual, expected)) ||
        strict_memory())
        return is_expected(actual, describe(expected));
    const std::size_t held = actual.buffer_bytes(), needed = expected.accessed_bytes();
    if (held >= needed) return {};
    return is_expected(actual, describe(expected)) + ": the buffer has " + std::to_string(held) +
           " bytes of " + std::to_string(needed);
}

namespace {
/// The first `count` dims without those of size 1.
dims_t without_ones(const dims_t &dims, int count) {
    dims_t kept {};
    std::copy_if(dims.begin(), dims.begin() + count, kept.begin(), [](dim_t d) { return d != 1; });
    return kept;
}

dim_t product(const dims_t &dims, int count) {
    return std::accumulate(dims.begin(), dims.begin() + count, dim_t {1}, std::multiplies<> {});
}

/// Row-major without gaps; the strides of dimensions of size 1 do not count.
bool is_row_major(const memory_desc &md) {
    dim_t dense = 1;
    for (int d = md.ndims - 1; d >= 0; --d) {
        if (md.dims[d] != 1 && md.strides[d] != dense) return false;
        dense *= md.dims[d];
    }
    return md.is_plain();
}
} // namespace

std::string values_mismatch(
    const quantization &q, const memory_desc *tensor, const memory_desc &actual) {
    dims_t dims {1};
    int ndims = 1;
    const bool known = tensor || q.mask == 0;
    if (known && q.mask != 0) ndims = value_dims(q, *tensor, dims);
    if (actual.dtype == q.dtype && is_row_major(actual)) {
        const dim_t count = product(dims, ndims);
        if (count == 0 || (!known && actual.nelems() > 0)) return {};
        const dims_t kept = without_ones(actual.dims, actual.ndims);
        const bool vector = kept[1] == 0;
        if (actual.nelems() == count && (vector || kept == without_ones(dims, ndims))) return {};
    }
    return is_expected(actual, describe(make_with_strides(ndims, dims.data(), q.dtype, nullptr)));
}

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

} // namespace dnnl::impl
