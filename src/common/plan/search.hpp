// SPDX-License-Identifier: Apache-2.0
// The search of the table of implementations, which primitives, the steps of plans and operations
// with run-time dimensions share; and the text of a request that no row takes.
#pragma once

#include <span>
#include <string>

#include "common/plan/implementation.hpp"

namespace dnnl::impl {

/// The row's plan for the problem, where the operating system permits its instructions.
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

/// The text that a request is refused with, why_not being what each row of the table says. It is
/// composed where it is thrown, so that the way to an accepted request costs nothing:
/// first what the reference says, or the last row that is made for such problems, and the tensors;
/// then which rows say what, equal reasons told once; last the rows whose instruction sets are
/// absent. Rows for other problems are left out.
std::string refusal_of(
    const op_desc &op, std::span<const implementation> table, std::span<const char *const> why_not);

} // namespace dnnl::impl
