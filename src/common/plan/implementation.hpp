// SPDX-License-Identifier: Apache-2.0
// This folder has rows and plans, the search of the table, primitives and their execution. This
// file has rows, the plans that they make, the tensors and the temporary memory of one execution,
// and the search that primitives, steps of plans and operations with run-time dimensions share
// (doc/architecture.md, "From problem to plan").
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/descriptors/problem.hpp"
#include "common/plain_types.hpp"

namespace dnnl::impl {

// ---- An execution ----

/// One argument of an execution: its buffer (offset0 is not added) and the descriptor by which it
/// is read. That is the primitive's; for what the primitive knows at execution only (run-time dims,
/// scales, zero points, slopes) it is the memory's.
struct bound_argument {
    int arg;
    const memory_desc *md;
    void *data;
    std::array<const void *, max_buffers - 1>
        indices {}; ///< the further buffers of a sparse tensor
};

class exec_context {
  public:
    exec_context(std::span<const bound_argument> arguments, std::byte *scratchpad)
        : arguments_(arguments), scratchpad_(scratchpad) {}

    /// Buffers of arguments, null for those not passed. offset0 of the descriptor is NOT added.
    template <class T> const T *in(int arg) const { return static_cast<const T *>(data(arg)); }
    template <class T> T *out(int arg) const { return static_cast<T *>(data(arg)); }
    void *data(int arg) const {
        const bound_argument *found = find(arg);
        return found ? found->data : nullptr;
    }
    /// Buffer number 1 or 2 of a sparse tensor: indices and pointers.
    template <class T> const T *indices(int arg, int buffer) const {
        const bound_argument *found = find(arg);
        const auto place = std::size_t(buffer - 1);
        return found ? static_cast<const T *>(found->indices[place]) : nullptr;
    }
    /// The descriptor by which the argument is read; a zero descriptor for an argument not passed.
    const memory_desc &desc(int arg) const {
        static const memory_desc none {};
        const bound_argument *found = find(arg);
        return found ? *found->md : none;
    }
    std::span<const bound_argument> arguments() const { return arguments_; }

    template <class T> T *scratch(scratch_slot<T> slot) const {
        return reinterpret_cast<T *>(scratchpad_ + slot.offset);
    }

  private:
    const bound_argument *find(int arg) const {
        for (const bound_argument &a : arguments_)
            if (a.arg == arg) return &a;
        return nullptr;
    }
    std::span<const bound_argument> arguments_;
    std::byte *scratchpad_;
};

// ---- Rows and plans ----

/// One implementation, prepared for one problem. It is immutable, so that one plan can execute on
/// many threads at once.
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

/// The reason of rows whose instructions the processor lacks. It says nothing about the problem and
/// is recognised by its address.
inline constexpr char no_instructions[] = "the instruction set is not available";

/// Reasons of rows that leave a problem to other rows of the table begin so.
/// ONEDNN_VERBOSE=dispatch prints them; where no row takes a problem they do not explain why, and
/// the text of the error leaves them out.
inline constexpr std::string_view made_for = "made for ";
inline constexpr char another_direction[] = "made for another direction of propagation";
inline constexpr char without_depthwise_post_op[] = "made for a depthwise post-op";
inline constexpr char with_depthwise_post_op[] = "made for problems without a depthwise post-op";
inline constexpr char with_sparse_operand[] = "made for dense operands";
inline constexpr char without_sparse_operand[] = "made for a sparse operand";
inline bool is_beside_the_problem(std::string_view reason) { return reason.starts_with(made_for); }

/// A plan, or the reason why this implementation does not take the problem.
struct planned {
    std::unique_ptr<plan> result;
    const char *why_not = nullptr;

    planned(std::unique_ptr<plan> made) : result(std::move(made)) {}
    /// A refusal; the reason is a literal.
    planned(const char *reason) : why_not(reason) {}
};

/// Makes the plan of a row: the constructor takes the problem and further arguments, and may change
/// the problem. Where why_not() gives a reason then, the answer is that reason, and the problem
/// stays as it was.
template <class Plan, class... Others> planned try_plan(problem &p, Others &&...others) {
    problem attempt(p);
    auto made = std::make_unique<Plan>(attempt, std::forward<Others>(others)...);
    if (const char *reason = made->why_not()) return reason;
    p = std::move(attempt);
    return planned(std::move(made));
}

/// One row of the table. make_plan() may change the problem only when it accepts it.
struct implementation {
    std::string_view name;
    isa needs; ///< impl_info_str is name + ":" + the ISA's name; the bare name for isa::none
    planned (*make_plan)(problem &);
};

/// A bound on the rows of a table, so that their refusals are kept without allocation.
constexpr std::size_t most_rows = 48;

/// The rows of a primitive, best first, the reference last; defined in src/implementations.cpp.
std::span<const implementation> rows(const op_desc &op);

// ---- The search of the table ----

/// The row's plan for the problem, if the operating system permits the row's instructions.
planned try_row(const implementation &row, problem &p);

/// Walks down the rows of the problem from number `row` on. The first that takes it on the features
/// of its target makes the plan; `row` is its number then, and the number of rows when there is
/// none. refused(row, reason) is told of each row before it. Without a plan the reason is that of
/// the last row, the reference.
template <class Refused> planned find_plan(problem &p, std::size_t &row, const Refused &refused) {
    const isa allowed = p.target;
    const std::span<const implementation> table = rows(p.op);
    planned made = no_instructions;
    for (; row < table.size(); ++row) {
        made = has(allowed, table[row].needs) ? try_row(table[row], p) : no_instructions;
        if (made.result) break;
        refused(table[row], made.why_not);
    }
    return made;
}
inline planned find_plan(problem &p) {
    std::size_t row = 0;
    return find_plan(p, row, [](const implementation &, const char *) {});
}

/// The name of a row as impl_info_str gives it: "gemm:avx512", "reference".
std::string full_name(const implementation &row);

/// The text of the error for a request that every row refuses; why_not has the reason of each row.
/// It is composed where the error is thrown, so that it costs an accepted request nothing. First
/// comes what the reference says (or the last row that is made for such problems), with the
/// tensors, then up to two other reasons of such rows, each told once.
std::string refusal_of(
    const op_desc &op, std::span<const implementation> table, std::span<const char *const> why_not);

} // namespace dnnl::impl
