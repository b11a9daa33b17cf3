// SPDX-License-Identifier: Apache-2.0
// Instruction sets: what the CPU has, what ONEDNN_MAX_CPU_ISA leaves of it, and their names.
#pragma once

#include <string_view>

#include "common/plain_types.hpp"
#include "dnnl/dnnl_types.h"

namespace dnnl::impl {

/// Feature bits of the CPU that the operating system supports (cpu_features.cpp).
std::uint32_t detected_features();

/// Features that rows may use: those of the CPU and the operating system, bounded by
/// ONEDNN_MAX_CPU_ISA or set_max_isa(). A bound leaves byte look-ups (isa::avx512_vbmi) where it
/// contains AVX10_1_512, whose processors all have them. Fixed at its first call.
isa effective_isa();

/// Bounds the features; false when effective_isa() was already asked (the setting came too late)
/// or it was set before.
bool set_max_isa(dnnl_cpu_isa_t max);

/// True for the levels of dnnl_cpu_isa_t.
bool is_level(dnnl_cpu_isa_t level);

/// The highest level of dnnl_cpu_isa_t that the effective features contain.
dnnl_cpu_isa_t effective_level();

/// The text of the verbose header, "Intel AVX2", ...
const char *isa_description();

/// "avx512_vnni", ...; "" for isa::none.
std::string_view name_of(isa level);

/// Asks the operating system for permission to use AMX tiles; once per process, then remembered.
/// Called when the first AMX row is chosen, never at load.
bool request_amx_permission();

/// True where vdpbf16ps multiplies pairs of bf16 at the rate of fused multiply-adds of f32, as on
/// AMD cores since Zen 4; Intel cores need two cycles for one, twice the time of products of f32.
bool has_fast_bf16_pairs();

/// Bytes of the data caches of one core, from CPUID; fallbacks 32 KiB, 1 MiB where it does not say.
struct cache_sizes {
    std::size_t l1_bytes, l2_bytes;
};
const cache_sizes &caches();

} // namespace dnnl::impl
