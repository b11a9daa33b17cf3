// SPDX-License-Identifier: Apache-2.0
// A row on tensors in layouts of its own choice, with the library's reorders around it: for layouts
// that the row itself cannot walk.
#pragma once

#include "common/plan/implementation.hpp"

namespace dnnl::impl::cpu {

/// The layout that replaces a tensor's, or a post-op operand's; dims and type stay.
using wanted_layout = memory_desc (*)(const memory_desc &);

/// Dense, row-major.
memory_desc plain_layout(const memory_desc &md);

/// The plan of `row` for the problem as it is, or for its tensors in the wanted layout. Layouts
/// `any` are replaced first. `row` sees defined layouts only and changes nothing of the operation.
planned make_walked_or_relaid(problem &p, planned (*row)(problem &), wanted_layout wanted);

} // namespace dnnl::impl::cpu
