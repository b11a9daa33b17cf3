// SPDX-License-Identifier: Apache-2.0
// Bounds the detected features by ONEDNN_MAX_CPU_ISA, and names the levels.
#include "common/runtime/isa.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <unistd.h>

#include "common/runtime/event_log.hpp"
#include "common/runtime/settings.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl {

namespace {

struct named_level {
    const char *short_name, *description;
    dnnl_cpu_isa_t level;
};

constexpr named_level levels[] = {
    {"avx10_2_amx_2",
        "Intel AVX10.2 and Intel AMX with float8, float16, bfloat16 and 8-bit integer support",
        dnnl_cpu_isa_avx10_2_amx_2},
    {"amx_fp16", "Intel AVX10.1 and Intel AMX with bfloat16, float16 and 8-bit integer support",
        dnnl_cpu_isa_avx10_1_512_amx_fp16},
    {"avx10_2", "Intel AVX10.2", dnnl_cpu_isa_avx10_2},
    {"amx", "Intel AVX10.1 and Intel AMX with bfloat16 and 8-bit integer support",
        dnnl_cpu_isa_avx10_1_512_amx},
    {"avx512_fp16", "Intel AVX 10.1", dnnl_cpu_isa_avx10_1_512},
    {"avx512_bf16", "Intel AVX-512 with Intel DL Boost and bfloat16 support",
        dnnl_cpu_isa_avx512_core_bf16},
    {"avx512_vnni", "Intel AVX-512 with Intel DL Boost", dnnl_cpu_isa_avx512_core_vnni},
    {"avx512", "Intel AVX-512 with AVX512BW, AVX512VL, and AVX512DQ extensions",
        dnnl_cpu_isa_avx512_core},
    {"avx2_vnni_2", "Intel AVX2 with Intel DL Boost, float16 and bfloat16 support",
        dnnl_cpu_isa_avx2_vnni_2},
    {"avx2_vnni", "Intel AVX2 with Intel DL Boost", dnnl_cpu_isa_avx2_vnni},
    {"avx2", "Intel AVX2", dnnl_cpu_isa_avx2},
    {"avx", "Intel AVX", dnnl_cpu_isa_avx},
    {"sse41", "Intel SSE4.1", dnnl_cpu_isa_sse41},
    {"", "Generic", dnnl_cpu_isa_default},
};

const named_level &effective() {
    const isa features = effective_isa();
    return *std::find_if(std::begin(levels), std::end(levels),
        [&](const named_level &l) { return has(features, static_cast<isa>(l.level)); });
}

/// The features that a bound leaves.
std::uint32_t features_within(dnnl_cpu_isa_t level) {
    const auto features = static_cast<std::uint32_t>(level);
    const bool all = level == dnnl_cpu_isa_default;
    const bool looks_up = has(static_cast<isa>(features), isa::avx512_fp16);
    return all ? ~0u : features | (looks_up ? static_cast<std::uint32_t>(isa::avx512_vbmi) : 0);
}

/// The bound that the environment asks for; all bits where it asks for none or for an unknown word.
std::uint32_t environment_bound() {
    const char *value = environment("MAX_CPU_ISA");
    const auto is = [&](const char *word) { return same_word(value, word); };
    if (!has_max_cpu_isa || !value || is("") || is("DEFAULT") || is("ALL")) return ~0u;
    const char *word = is("AVX512_CORE_FP16")       ? "AVX10_1_512"
                       : is("AVX512_CORE_AMX")      ? "AVX10_1_512_AMX"
                       : is("AVX512_CORE_AMX_FP16") ? "AVX10_1_512_AMX_FP16"
                       : is("AVX10_2_512")          ? "AVX10_2"
                       : is("AVX10_2_512_AMX_2")    ? "AVX10_2_AMX_2"
                                                    : value;
    std::string known;
    for (const named_level &l : levels) {
        const std::string name = dnnl_cpu_isa2str(l.level) + std::strlen("cpu_isa_");
        if (same_word(word, name.c_str())) return features_within(l.level);
        known.append(known.empty() ? "" : ", ");
        for (const char c : name) known += c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
    }
    verbose::setting_ignored("MAX_CPU_ISA", value, known);
    return ~0u;
}

// 0 until the features are asked for. Then the bit `known` is set: no detected features are 0.
constexpr std::uint32_t known = 0x80000000;
std::atomic<std::uint32_t> cached_features {0};
std::atomic<std::uint32_t> requested_bound {0};

} // namespace

isa effective_isa() {
    std::uint32_t features = cached_features.load(std::memory_order_acquire);
    if (!(features & known)) {
        const std::uint32_t asked = requested_bound.load();
        const std::uint32_t fresh =
            (detected_features() & (asked ? asked : environment_bound())) | known;
        if (cached_features.compare_exchange_strong(features, fresh)) features = fresh;
    }
    return static_cast<isa>(features & ~known);
}

bool set_max_isa(dnnl_cpu_isa_t max) {
    if (cached_features.load() & known) return false;
    std::uint32_t unset = 0;
    return requested_bound.compare_exchange_strong(unset, features_within(max));
}

dnnl_cpu_isa_t effective_level() { return effective().level; }

const char *isa_description() { return effective().description; }

bool is_level(dnnl_cpu_isa_t level) {
    return std::ranges::count(levels, level, &named_level::level) > 0;
}

std::string_view name_of(isa level) {
    if (level == isa::avx512_vbmi) return "avx512_vbmi";
    for (const named_level &l : levels)
        if (static_cast<isa>(l.level) == level) return l.short_name;
    return "";
}

const cache_sizes &caches() {
    static const cache_sizes sizes = [] {
        long l1 = 0, l2 = 0; // unknown, outside of glibc
#if defined(_SC_LEVEL1_DCACHE_SIZE)
        l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
        return cache_sizes {l1 > 0 ? std::size_t(l1) : std::size_t {32} << 10,
            l2 > 0 ? std::size_t(l2) : std::size_t {1} << 20};
    }();
    return sizes;
}

} // namespace dnnl::impl
