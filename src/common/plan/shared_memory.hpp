// SPDX-License-Identifier: Apache-2.0
// Which arguments of an execution may share memory. Arguments that are read may share everything;
// one that is written may lie on an input, element on element, where the primitive runs in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/plan/implementation.hpp"

struct dnnl_primitive_desc;

namespace dnnl::impl {

struct required_argument;

/// The first byte of a tensor and the byte behind its last one, counted from the start of its
/// buffer. Tensors known at execution only, or of several buffers, may lie anywhere in them.
struct byte_range {
    dim_t first = -(dim_t {1} << 62), end = dim_t {1} << 62;
};

/// Two arguments of a primitive, by their places in its list. The first is written.
struct written_pair {
    std::size_t written, other;
    bool both_written, in_place; ///< in_place: both may have one buffer
    byte_range written_bytes, other_bytes;
};
std::vector<written_pair> written_pairs(
    const op_desc &op, std::span<const required_argument> required);

/// False where the buffers alone show that no memory is shared, or all of it in place.
inline bool may_share_memory(const written_pair &pair, std::span<const bound_argument> bound) {
    const auto written = reinterpret_cast<std::intptr_t>(bound[pair.written].data);
    const auto other = reinterpret_cast<std::intptr_t>(bound[pair.other].data);
    if (pair.in_place && written == other) return false;
    return written + pair.written_bytes.first < other + pair.other_bytes.end &&
           other + pair.other_bytes.first < written + pair.written_bytes.end;
}

/// Throws where a written element overlaps one of the other argument, except in place.
void check_shared_memory(const ::dnnl_primitive_desc &pd, std::span<const bound_argument> bound,
    const written_pair &pair);
/// Throws where the user's scratchpad overlaps an argument.
void check_scratchpad(const ::dnnl_primitive_desc &pd, std::span<const bound_argument> bound,
    const std::byte *scratchpad);

/// True when every element, padding and appended sums included, has the same offset in both. Both
/// have equal dims (refusals.cpp).
bool same_places(const memory_desc &a, const memory_desc &b);

} // namespace dnnl::impl
