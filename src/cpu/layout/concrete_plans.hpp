// SPDX-License-Identifier: Apache-2.0
// Operations with dimensions or strides that are known at execution only: a plan for the concrete
// descriptors, made by the rows of the table when they differ from those of the last execution.
// Making one takes microseconds.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

class concrete_plans {
  public:
    /// Asks the user for `bytes` of scratchpad where the user provides it. A plan that needs more,
    /// or that the library provides for, leases its scratchpad at execution.
    void reserve(problem &p, std::size_t bytes);

    /// Runs the arguments of ctx. `concrete` gives their problem; its target says which rows may
    /// take it. Throws error(unimplemented) when none does.
    void execute(const exec_context &ctx, const std::function<problem()> &concrete) const;

  private:
    struct made_plan;
    std::shared_ptr<const made_plan> plan_for(
        const exec_context &ctx, const std::function<problem()> &concrete) const;

    scratch_slot<std::byte> reserved_;
    std::size_t reserved_bytes_ = 0;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const made_plan> last_;
};

} // namespace dnnl::impl::cpu
