// SPDX-License-Identifier: Apache-2.0
// Operations with dimensions or strides that are known at execution only: a plan for the concrete
// descriptors, made by the rows of the table when they differ from those of the last execution.
// Making one takes microseconds.
#pragma once

#include <memory>
#include <mutex>

#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

class runtime_plan : public plan {
  public:
    /// Replaces in `request`, the problem of the plan, what the arguments of ctx say; its target
    /// says which rows may take it.
    using make_concrete = void (*)(problem &request, const exec_context &ctx);

    /// Asks the user for `bytes` of scratchpad where the user provides it. A plan that needs more,
    /// or that the library provides for, leases its scratchpad at execution.
    runtime_plan(problem &p, make_concrete made, std::size_t bytes = 0);
    /// Throws error(unimplemented) when no row takes the concrete problem.
    void execute(const exec_context &ctx) const override;

  private:
    struct made_plan;
    std::shared_ptr<const made_plan> plan_for(const exec_context &ctx) const;

    problem request_;
    make_concrete make_concrete_;
    scratch_slot<std::byte> reserved_;
    std::size_t reserved_bytes_ = 0;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const made_plan> last_;
};

} // namespace dnnl::impl::cpu
