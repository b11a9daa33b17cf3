// SPDX-License-Identifier: Apache-2.0
// How a plan runs once its arguments are bound: within the call, or on an asynchronous thread pool,
// where the execution ends after the call that began it.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "common/plan/implementation.hpp"
#include "common/plan/primitive.hpp"

namespace dnnl::impl {

/// An address for what has no bytes: tensors without elements, and scratchpads in which nothing was
/// reserved. Plans add offsets to it, which a null pointer does not allow.
alignas(64) inline std::byte nothing[64];

/// Runs the plan on bound arguments. `users` is the user's scratchpad; where it is null, the
/// library leases one.
inline void run_plan(
    const primitive_desc &pd, std::span<const bound_argument> bound, std::byte *users) {
    const std::size_t bytes = pd.scratchpad_bytes();
    const scratchpad_lease lease(users ? 0 : bytes);
    std::byte *scratchpad = users ? users : bytes > 0 ? lease.data() : nothing;
    pd.prepared().execute(exec_context(bound, scratchpad));
}

/// An execution that was handed to an asynchronous pool: what it needs of the primitive and of the
/// memories, except for the buffers. The values of host scalars are those at the call, because the
/// caller may set others before the execution ends.
struct submitted_execution {
    primitive_desc pd;
    std::vector<memory_desc> descriptors {}; ///< of the memories whose descriptors matter
    std::vector<std::uint64_t> scalars {};   ///< the values of host scalars
    std::vector<bound_argument> bound {};
    std::byte *users;

    submitted_execution(
        const primitive_desc &made, std::span<const bound_argument> arguments, std::byte *scratch)
        : pd(made), bound(arguments.begin(), arguments.end()), users(scratch) {
        descriptors.reserve(bound.size());
        scalars.reserve(bound.size());
        for (bound_argument &b : bound) {
            descriptors.push_back(*b.md);
            b.md = &descriptors.back();
            if (!b.md->is_host_scalar()) continue;
            std::memcpy(&scalars.emplace_back(), b.data, b.md->size_bytes());
            b.data = &scalars.back();
        }
    }
};

} // namespace dnnl::impl
