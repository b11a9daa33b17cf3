// SPDX-License-Identifier: Apache-2.0
// Rows of the implementation table and what they make (doc/architecture.md, "From problem to
// plan").
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "common/exec_context.hpp"
#include "common/plain_types.hpp"
#include "common/problem.hpp"

namespace dnnl::impl {

/// One implementation, prepared for one problem. Immutable: one plan executes on many threads at
/// once.
class plan {
  public:
    virtual ~plan() = default;
    virtual void execute(const exec_context &ctx) const = 0;
};

/// A plan, or the reason why this implementation does not take the problem.
struct planned {
    std::unique_ptr<plan> result;
    const char *why_not = nullptr;

    planned(std::unique_ptr<plan> made) : result(std::move(made)) {}
    /// A refusal; the reason is a literal.
    planned(const char *reason) : why_not(reason) {}
};

/// A plan constructed of the problem and what else it takes, which may change the problem; where
/// its why_not() gives a reason, that reason and the problem as it was.
template <class Plan, class... Others> planned try_plan(problem &p, Others &&...others) {
    problem attempt(p);
    auto made = std::make_unique<Plan>(attempt, std::forward<Others>(others)...);
    if (const char *reason = made->why_not()) return reason;
    p = std::move(attempt);
    return planned(std::move(made));
}

/// One row. make_plan() may change the problem only when it accepts it.
struct implementation {
    std::string_view name;
    isa needs; ///< impl_info_str is name + ":" + the ISA's name; the bare name for isa::none
    planned (*make_plan)(problem &);
};

/// The rows of a primitive, best first, the reference last; defined in src/implementations.cpp.
std::span<const implementation> rows(const op_desc &op);

} // namespace dnnl::impl
