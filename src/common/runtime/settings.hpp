// SPDX-License-Identifier: Apache-2.0
// In this folder lives what there is without tensors: errors, threads, instruction sets, scratch
// memory, verbose lines, and here the settings of the process (environment variables and what the
// service functions change) and of the build.
#pragma once

#include <atomic>
#include <string>

#include "dnnl/dnnl_types.h"

namespace dnnl::impl {

/// The value of ONEDNN_<name>, or of DNNL_<name> when that is unset; null when both are.
const char *environment(const char *name);

/// The name under which it finds that value.
std::string environment_name(const char *name);

/// True when both texts have the same letters, whatever their case.
bool same_word(const char *a, const char *b);

/// ONEDNN_STRICT_MEMORY=1: a memory that is passed to an execution must have the very descriptor of
/// the primitive.
bool strict_memory();

/// What attributes created from now on, and descriptors created without attributes, start with.
/// Initially ONEDNN_DEFAULT_FPMATH_MODE, else strict.
std::atomic<dnnl_fpmath_mode_t> &default_fpmath_mode();

/// Number of primitives to cache, as set; initially ONEDNN_PRIMITIVE_CACHE_CAPACITY, else 1024.
/// Plans are made in microseconds and nothing is cached: the number is kept for the caller alone.
std::atomic<int> &cache_capacity();

/// Initially ONEDNN_CPU_ISA_HINTS, else none. The first call fixes them.
dnnl_cpu_isa_hints_t isa_hints();
/// False when the hints are fixed already, by a query or an earlier setting.
bool set_isa_hints(dnnl_cpu_isa_hints_t wanted);

/// ONEDNN_WALK_EVERY_PRIMITIVE=1: next_impl() reaches every row of reorder, concat and sum too, for
/// tests of these rows. By default it ends at the first one: those who walk expect that.
bool walks_every_primitive();

// ---- What the build may leave out ----

/// Kernels are missing where the processor or the compiler lacks their instruction sets, services
/// by the options DNNL_VERBOSE, DNNL_ENABLE_MAX_CPU_ISA and DNNL_ENABLE_CPU_ISA_HINTS.
inline constexpr bool has_kernels = DNNL_HAS_KERNELS, has_verbose = DNNL_HAS_VERBOSE,
                      has_max_cpu_isa = DNNL_HAS_MAX_CPU_ISA,
                      has_cpu_isa_hints = DNNL_HAS_CPU_ISA_HINTS;

} // namespace dnnl::impl
