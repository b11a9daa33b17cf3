// SPDX-License-Identifier: Apache-2.0
// An operation that a plan carries out as a step of its own, by the best row of the table: packing
// weights is a reorder, an inner product is a convolution.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "common/plan/implementation.hpp"

namespace dnnl::impl {

class nested_plan {
  public:
    nested_plan() = default;
    /// The plan of the first row of `op` that takes it on the allowed features; reserves its
    /// scratchpad in the outer problem. Empty when none does: then why_not() says what the last row
    /// said.
    nested_plan(problem &outer, op_desc op, const primitive_attr &attr, isa allowed);
    /// With the features of the outer problem's target.
    nested_plan(problem &outer, op_desc op, const primitive_attr &attr)
        : nested_plan(outer, std::move(op), attr, outer.target) {}
    /// The plan of this row on the outer problem's target.
    nested_plan(problem &outer, op_desc op, const primitive_attr &attr, planned (*row)(problem &));

    explicit operator bool() const { return plan_ != nullptr; }
    const char *why_not() const { return why_not_; }
    /// The operation with the layouts that the row chose.
    const op_desc &op() const { return resolved_->op; }
    const primitive_attr &attr() const { return resolved_->attr; }

    /// Runs on the scratch of the outer execution.
    void execute(const exec_context &outer, std::span<const bound_argument> arguments) const;

  private:
    void take(problem &outer, problem &resolved, planned made);

    std::unique_ptr<problem> resolved_;
    std::unique_ptr<plan> plan_;
    scratch_slot<std::byte> scratch_;
    const char *why_not_ = "not asked for";
};

} // namespace dnnl::impl
