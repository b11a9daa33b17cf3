// SPDX-License-Identifier: Apache-2.0
// This folder has what needs no tensors: errors, threads, instruction sets, scratch memory and
// verbose lines. This file has the settings of the process (environment variables, and what the
// service functions change) and of the build.
#pragma once

#include <atomic>
#include <string>

#include "dnnl/dnnl_types.h"

namespace dnnl::impl {

/// The value of ONEDNN_<name>, or of DNNL_<name> when that is unset; null when both are.
const char *environment(const char *name);

/// The name under which environment() finds that value.
std::string environment_name(const char *name);

/// True when both texts have the same letters, whatever their case.
bool same_word(const char *a, const char *b);

/// ONEDNN_STRICT_MEMORY=1: memories have the very descriptors of the primitive that takes them.
bool strict_memory();

/// The math mode of new attributes, and of descriptors that are created without attributes. It
/// begins as ONEDNN_DEFAULT_FPMATH_MODE says, else strict.
std::atomic<dnnl_fpmath_mode_t> &default_fpmath_mode();

/// The capacity of the primitive cache, as it was set last; it begins as
/// ONEDNN_PRIMITIVE_CACHE_CAPACITY says, else 1024. It bounds what common/plan/kept_rows.cpp keeps.
std::atomic<int> &cache_capacity();

/// The hints that were set, else of ONEDNN_CPU_ISA_HINTS, else none. The first call fixes them.
dnnl_cpu_isa_hints_t isa_hints();
/// False when the hints are fixed already, by a query or an earlier setting.
bool set_isa_hints(dnnl_cpu_isa_hints_t wanted);

/// True with ONEDNN_WALK_EVERY_PRIMITIVE=1: next_impl() reaches every row of reorder, concat and
/// sum, too, for tests of them. By default it ends at the first one, as programs that walk expect.
bool walks_every_primitive();

// ---- What the build may leave out ----

/// Kernels are missing where the processor or the compiler lacks their instruction sets. The
/// options DNNL_VERBOSE, DNNL_ENABLE_MAX_CPU_ISA and DNNL_ENABLE_CPU_ISA_HINTS omit the others.
inline constexpr bool has_kernels = DNNL_HAS_KERNELS, has_verbose = DNNL_HAS_VERBOSE,
                      has_max_cpu_isa = DNNL_HAS_MAX_CPU_ISA,
                      has_cpu_isa_hints = DNNL_HAS_CPU_ISA_HINTS;

} // namespace dnnl::impl
