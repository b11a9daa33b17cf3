// SPDX-License-Identifier: Apache-2.0
#include "common/plan/nested_plan.hpp"

#include "common/plan/search.hpp"

namespace dnnl::impl {

void nested_plan::take(problem &outer, problem &resolved, planned made) {
    why_not_ = made.why_not;
    if (!made.result) return;
    plan_ = std::move(made.result);
    resolved_ = std::make_unique<problem>(std::move(resolved));
    scratch_ =
        outer.scratchpad.reserve<std::byte>(static_cast<dim_t>(resolved_->scratchpad.bytes()));
}

nested_plan::nested_plan(problem &outer, op_desc op, const primitive_attr &attr, isa allowed) {
    problem resolved {std::move(op), attr, allowed, {}};
    take(outer, resolved, find_plan(resolved));
}

nested_plan::nested_plan(
    problem &outer, op_desc op, const primitive_attr &attr, planned (*row)(problem &)) {
    problem resolved {std::move(op), attr, outer.target, {}};
    take(outer, resolved, row(resolved));
}

void nested_plan::execute(
    const exec_context &outer, std::span<const bound_argument> arguments) const {
    plan_->execute(exec_context(arguments, outer.scratch(scratch_)));
}

} // namespace dnnl::impl
