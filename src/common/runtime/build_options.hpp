// SPDX-License-Identifier: Apache-2.0
// What the build may leave out: kernels where the processor or the compiler lacks their instruction
// sets (DNNL_HAS_KERNELS), and services by the options DNNL_VERBOSE, DNNL_ENABLE_MAX_CPU_ISA and
// DNNL_ENABLE_CPU_ISA_HINTS.
#pragma once

namespace dnnl::impl {

#ifdef DNNL_WITHOUT_KERNELS
inline constexpr bool has_kernels = false;
#else
inline constexpr bool has_kernels = true;
#endif

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
