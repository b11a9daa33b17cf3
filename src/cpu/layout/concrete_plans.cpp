// SPDX-License-Identifier: Apache-2.0
#include "cpu/layout/concrete_plans.hpp"

#include <vector>

#include "common/plan/implementation.hpp"
#include "common/runtime/error.hpp"
#include "common/runtime/scratchpad.hpp"
#include "common/verbose/verbose.hpp"

namespace dnnl::impl::cpu {

struct concrete_plans::made_plan {
    problem resolved;
    std::vector<memory_desc> tensors; ///< of the arguments that it was made for
    std::unique_ptr<plan> steps;

    bool fits(const exec_context &ctx) const {
        const auto arguments = ctx.arguments();
        if (arguments.size() != tensors.size()) return false;
        for (std::size_t i = 0; i < arguments.size(); ++i)
            if (*arguments[i].md != tensors[i]) return false;
        return true;
    }
};

namespace {

bool has_users_scratchpad(const problem &p) {
    return p.attr.scratchpad == dnnl_scratchpad_mode_user;
}

} // namespace

void concrete_plans::reserve(problem &p, std::size_t bytes) {
    if (!has_users_scratchpad(p)) return;
    reserved_ = p.scratchpad.reserve<std::byte>(static_cast<dim_t>(bytes));
    reserved_bytes_ = bytes;
}

std::shared_ptr<const concrete_plans::made_plan> concrete_plans::plan_for(
    const exec_context &ctx, const std::function<problem()> &concrete) const {
    std::shared_ptr<const made_plan> chosen;
    {
        const std::lock_guard lock(mutex_);
        chosen = last_;
    }
    if (chosen && chosen->fits(ctx)) return chosen;
    auto made = std::make_shared<made_plan>();
    for (const bound_argument &a : ctx.arguments()) made->tensors.push_back(*a.md);
    made->resolved = concrete();
    made->steps = find_plan(made->resolved).result;
    if (!made->steps)
        throw error(dnnl_unimplemented, "no implementation takes these run-time shapes");
    const std::lock_guard lock(mutex_);
    last_ = made;
    return made;
}

void concrete_plans::execute(
    const exec_context &ctx, const std::function<problem()> &concrete) const {
    const auto chosen = plan_for(ctx, concrete);
    const std::size_t bytes = chosen->resolved.scratchpad.bytes();
    if (bytes > 0 && bytes <= reserved_bytes_)
        return chosen->steps->execute(exec_context(ctx.arguments(), ctx.scratch(reserved_)));
    if (bytes > 0 && has_users_scratchpad(chosen->resolved) &&
        verbose::wants(verbose::profile_exec))
        verbose::leased(bytes);
    const scratchpad_lease lease(bytes);
    chosen->steps->execute(exec_context(ctx.arguments(), lease.data()));
}

} // namespace dnnl::impl::cpu
