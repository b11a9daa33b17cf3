// SPDX-License-Identifier: Apache-2.0
#include "common/memory_checks.hpp"

#include <vector>

#include "common/data_type.hpp"
#include "common/describe.hpp"
#include "common/settings.hpp"

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

} // namespace dnnl::impl
