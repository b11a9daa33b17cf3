// SPDX-License-Identifier: Apache-2.0
// Rows and plans, the search of the table, primitives and their execution live in this folder.
// Here: rows and what they make (doc/architecture.md, "From problem to plan").
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "common/descriptors/problem.hpp"
#include "common/plain_types.hpp"
#include "common/plan/exec_context.hpp"

namespace dnnl::impl {

/// One implementation, prepared for one problem. Immutable: one plan executes on many threads at
/// once.
class plan {
  public:
    virtual ~plan() = default;
    virtual void execute(const exec_context &ctx) const = 0;
    /// Null, or why the constructor found that the implementation does not take the problem. Such
    /// a plan is never executed. The reason is a literal.
    const char *why_not() const { return why_not_; }

  protected:
    const char *why_not_ = nullptr;
};

/// Reasons that say nothing about the problem, known by their address: the processor lacks what the
/// row needs, or the row is made for other problems.
inline constexpr char no_instructions[] = "the instruction set is not available";
inline constexpr char another_direction[] = "another direction of propagation is this row's";
inline constexpr char without_depthwise_post_op[] = "there is no depthwise post-op";
inline constexpr char with_depthwise_post_op[] = "a depthwise post-op is another row's";
inline constexpr char floats_of_another_level[] =
    "floating-point types have no instructions of their own at this level";
inline bool is_beside_the_problem(const char *reason) {
    return reason == another_direction || reason == without_depthwise_post_op ||
           reason == with_depthwise_post_op || reason == floats_of_another_level;
}

/// A plan, or the reason why this implementation does not take the problem.
struct planned {
    std::unique_ptr<plan> result;
    const char *why_not = nullptr;

    planned(std::unique_ptr<plan> made) : result(std::move(made)) {}
    /// A refusal; the reason is a literal.
    planned(const char *reason) : why_not(reason) {}
};

/// How every row makes its plan: the constructor takes the problem and what else the plan is made
/// of, and may change the problem. Where why_not() gives a reason then, the answer is that reason
/// and the problem stays as it was.
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
