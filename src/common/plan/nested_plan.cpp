// SPDX-License-Identifier: Apache-2.0
#include "common/plan/nested_plan.hpp"

namespace dnnl::impl {

bool nested_plan::try_row(problem &outer, problem attempt, planned (*row)(problem &)) {
    planned made = row(attempt);
    why_not_ = made.why_not;
    if (!made.result) return false;
    plan_ = std::move(made.result);
    resolved_ = std::make_unique<problem>(std::move(attempt));
    scratch_ =
        outer.scratchpad.reserve<std::byte>(static_cast<dim_t>(resolved_->scratchpad.bytes()));
    return true;
}

nested_plan::nested_plan(problem &outer, op_desc op, const primitive_attr &attr, isa allowed) {
    for (const implementation &row : rows(op))
        if (has(allowed, row.needs) && try_row(outer, {op, attr, row.needs, {}}, row.make_plan))
            return;
}

nested_plan::nested_plan(
    problem &outer, op_desc op, const primitive_attr &attr, planned (*row)(problem &)) {
    try_row(outer, {std::move(op), attr, outer.target, {}}, row);
}

void nested_plan::execute(
    const exec_context &outer, std::span<const bound_argument> arguments) const {
    plan_->execute(exec_context(arguments, outer.scratch(scratch_)));
}

} // namespace dnnl::impl
