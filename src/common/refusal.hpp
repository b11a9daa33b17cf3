// SPDX-License-Identifier: Apache-2.0
// What is said when a problem is refused: composed where it is thrown, so that the way to an
// accepted problem costs nothing.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "common/describe.hpp"
#include "common/error.hpp"
#include "common/implementation.hpp"

namespace dnnl::impl {

/// The name of a row as impl_info_str gives it: "gemm:avx512", "reference".
std::string full_name(const implementation &row);

/// The reason of a problem that no row of the table takes, why_not being what each of them says:
/// first what the reference says, or the last row that is made for such problems, and the tensors;
/// then which rows say what, equal reasons told once; last the rows whose instruction sets are
/// absent. Rows for other problems are left out.
std::string refusal_of(
    const op_desc &op, std::span<const implementation> table, std::span<const char *const> why_not);

template <class Desc> op_desc operation_of(const Desc &desc) { return desc; }
/// What normalizations share lists its tensors like a batch normalization.
inline op_desc operation_of(const normalization_desc &desc) {
    return batch_normalization_desc {desc};
}

/// Calls check(); where that throws an error, the tensors of the operation stand behind its reason.
template <class Desc, class Check> void check_tensors_of(const Desc &desc, Check &&check) {
    try {
        std::forward<Check>(check)();
    } catch (error &e) {
        e.append(" (" + describe(operation_of(desc)) + ")");
        throw;
    }
}

} // namespace dnnl::impl
