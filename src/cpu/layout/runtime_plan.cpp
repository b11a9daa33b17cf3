// SPDX-License-Identifier: Apache-2.0
#include "cpu/layout/adapted_tensor.hpp"

#include <algorithm>
#include <vector>

#include "common/verbose/verbose.hpp"

namespace dnnl::impl::cpu {

struct runtime_plan::made_plan {
    problem resolved;
    std::vector<memory_desc> tensors; ///< of the arguments that it was made for
    std::unique_ptr<plan> steps;

    bool fits(const exec_context &ctx) const {
        return std::ranges::equal(ctx.arguments(), tensors,
            [](const bound_argument &a, const memory_desc &md) { return *a.md == md; });
    }
};

runtime_plan::runtime_plan(problem &p, make_concrete made, std::size_t bytes)
    : request_(p), make_concrete_(made) {
    if (p.attr.scratchpad != dnnl_scratchpad_mode_user) return;
    reserved_ = p.scratchpad.reserve<std::byte>(dim_t(bytes));
    reserved_bytes_ = bytes;
}

std::shared_ptr<const runtime_plan::made_plan> runtime_plan::plan_for(
    const exec_context &ctx) const {
    std::shared_ptr<const made_plan> chosen;
    {
        const std::lock_guard lock(mutex_);
        chosen = last_;
    }
    if (chosen && chosen->fits(ctx)) return chosen;
    auto made = std::make_shared<made_plan>();
    for (const bound_argument &a : ctx.arguments()) made->tensors.push_back(*a.md);
    made->resolved = request_;
    make_concrete_(made->resolved, ctx);
    made->steps = find_plan(made->resolved).result;
    if (!made->steps)
        throw error(dnnl_unimplemented, "no implementation takes these run-time shapes");
    const std::lock_guard lock(mutex_);
    last_ = made;
    return made;
}

void runtime_plan::execute(const exec_context &ctx) const {
    const auto chosen = plan_for(ctx);
    const std::size_t bytes = chosen->resolved.scratchpad.bytes();
    if (bytes > 0 && bytes <= reserved_bytes_)
        return chosen->steps->execute(exec_context(ctx.arguments(), ctx.scratch(reserved_)));
    if (bytes > 0 && request_.attr.scratchpad == dnnl_scratchpad_mode_user &&
        verbose::wants(verbose::profile_exec))
        verbose::leased(bytes);
    const scratchpad_lease lease(bytes);
    chosen->steps->execute(exec_context(ctx.arguments(), lease.data()));
}

} // namespace dnnl::impl::cpu
