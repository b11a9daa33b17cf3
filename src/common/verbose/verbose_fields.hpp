// SPDX-License-Identifier: Apache-2.0
// The comma-separated fields of a verbose line that describe a problem.
#pragma once

#include <string>

#include "common/descriptors/problem.hpp"

namespace dnnl::impl::verbose {

/// `prop_kind,memory_descriptors,attributes,auxiliary,problem_desc` of an operation. `asked` is the
/// same operation before layouts were chosen: its `any` marks the descriptors with `a`.
std::string fields_of(const problem &resolved, const problem &asked);

/// "attr-scales:... attr-post-ops:..."; empty for default attributes.
std::string attribute_items(const primitive_attr &attr);

} // namespace dnnl::impl::verbose
