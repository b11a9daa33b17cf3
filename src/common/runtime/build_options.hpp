// SPDX-License-Identifier: Apache-2.0
// Services that the build may leave out: options DNNL_VERBOSE, DNNL_ENABLE_MAX_CPU_ISA and
// DNNL_ENABLE_CPU_ISA_HINTS.
#pragma once

namespace dnnl::impl {

#ifdef DNNL_WITHOUT_VERBOSE
inline constexpr bool has_verbose = false;
#else
inline constexpr bool has_verbose = true;
#endif

#ifdef DNNL_WITHOUT_MAX_CPU_ISA
inline constexpr bool has_max_cpu_isa = false;
#else
inline constexpr bool has_max_cpu_isa = true;
#endif

#ifdef DNNL_WITHOUT_CPU_ISA_HINTS
inline constexpr bool has_cpu_isa_hints = false;
#else
inline constexpr bool has_cpu_isa_hints = true;
#endif

} // namespace dnnl::impl
