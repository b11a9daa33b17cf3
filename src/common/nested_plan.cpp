// SPDX-License-Identifier: Apache-2.0
#include "common/nested_plan.hpp"

namespace dnnl::impl {

nested_plan::nested_plan(problem &outer, op_desc op, const primitive_attr &attr, isa allowed) {
    for (const implementation &row : rows(op)) {
        if (!has(allowed, row.needs)) continue;
        auto attempt = std::make_unique<problem>(problem {op, attr, row.needs, {}});
        planned made = row.make_plan(*attempt);
        if (!made.result) {
            why_not_ = made.why_not;
            continue;
        }
        plan_ = std::move(made.result);
        resolved_ = std::move(attempt);
        scratch_ =
            outer.scratchpad.reserve<std::byte>(static_cast<dim_t>(resolved_->scratchpad.bytes()));
        return;
    }
}

void nested_plan::execute(
    const exec_context &outer, std::span<const bound_argument> arguments) const {
    plan_->execute(exec_context(arguments, outer.scratch(scratch_)));
}

} // namespace dnnl::impl
