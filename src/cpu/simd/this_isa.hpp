// SPDX-License-Identifier: Apache-2.0
// this_isa: the tag that the build compiles the including kernel source for.
#pragma once

#include "cpu/simd/isa_tags.hpp"

namespace dnnl::impl::cpu {

using this_isa = DNNL_ISA;

} // namespace dnnl::impl::cpu
