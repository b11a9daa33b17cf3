// SPDX-License-Identifier: Apache-2.0
// What is said when a problem is refused: composed where it is thrown, so that the way to an
// accepted problem costs nothing.
#pragma once

#include <span>
#include <string>

#include "common/plan/implementation.hpp"

namespace dnnl::impl {

/// The name of a row as impl_info_str gives it: "gemm:avx512", "reference".
std::string full_name(const implementation &row);

/// The reason of a problem that no row of the table takes, why_not being what each of them says:
/// first what the reference says, or the last row that is made for such problems, and the tensors;
/// then which rows say what, equal reasons told once; last the rows whose instruction sets are
/// absent. Rows for other problems are left out.
std::string refusal_of(
    const op_desc &op, std::span<const implementation> table, std::span<const char *const> why_not);

} // namespace dnnl::impl
