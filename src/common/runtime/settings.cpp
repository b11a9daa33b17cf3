// SPDX-License-Identifier: Apache-2.0
// Settings of the process. Each is read from the environment once, at its first use.
#include "common/runtime/settings.hpp"

#include <climits>
#include <cstdlib>
#include <mutex>
#include <strings.h>

#include "common/runtime/event_log.hpp"

namespace dnnl::impl {

std::string environment_name(const char *name) {
    const std::string newer = std::string("ONEDNN_") + name;
    return std::getenv(newer.c_str()) ? newer : std::string("DNNL_") + name;
}

const char *environment(const char *name) { return std::getenv(environment_name(name).c_str()); }

bool same_word(const char *a, const char *b) { return strcasecmp(a, b) == 0; }

bool strict_memory() {
    static const bool strict = [] {
        const char *value = environment("STRICT_MEMORY");
        if (!value || same_word(value, "") || same_word(value, "0")) return false;
        if (!same_word(value, "1")) verbose::setting_ignored("STRICT_MEMORY", value, "0, 1");
        return same_word(value, "1");
    }();
    return strict;
}

namespace {

dnnl_fpmath_mode_t initial_fpmath_mode() {
    struct named {
        const char *word;
        dnnl_fpmath_mode_t mode;
    };
    constexpr named words[] = {{"", dnnl_fpmath_mode_strict}, {"strict", dnnl_fpmath_mode_strict},
        {"bf16", dnnl_fpmath_mode_bf16}, {"f16", dnnl_fpmath_mode_f16},
        {"tf32", dnnl_fpmath_mode_tf32}, {"any", dnnl_fpmath_mode_any}};
    const char *value = environment("DEFAULT_FPMATH_MODE");
    for (const named &n : words)
        if (same_word(value ? value : "", n.word)) return n.mode;
    verbose::setting_ignored("DEFAULT_FPMATH_MODE", value, "STRICT, BF16, F16, TF32, ANY");
    return dnnl_fpmath_mode_strict;
}

int initial_capacity() {
    const char *value = environment("PRIMITIVE_CACHE_CAPACITY");
    if (!value) return 1024;
    char *end = nullptr;
    const long number = std::strtol(value, &end, 10); // 0 for text that is no number
    if (*end != '\0') verbose::setting_ignored("PRIMITIVE_CACHE_CAPACITY", value, "numbers");
    return number > INT_MAX ? INT_MAX : number < INT_MIN ? INT_MIN : static_cast<int>(number);
}

std::mutex hints_mutex;
bool hints_fixed = false;
dnnl_cpu_isa_hints_t hints = dnnl_cpu_isa_no_hints;

} // namespace

std::atomic<dnnl_fpmath_mode_t> &default_fpmath_mode() {
    static std::atomic<dnnl_fpmath_mode_t> mode {initial_fpmath_mode()};
    return mode;
}

std::atomic<int> &cache_capacity() {
    static std::atomic<int> number {initial_capacity()};
    return number;
}

dnnl_cpu_isa_hints_t isa_hints() {
    const std::lock_guard lock(hints_mutex);
    if (has_cpu_isa_hints && !hints_fixed) {
        const char *value = environment("CPU_ISA_HINTS");
        if (value && same_word(value, "PREFER_YMM"))
            hints = dnnl_cpu_isa_prefer_ymm;
        else if (value && *value && !same_word(value, "NO_HINTS"))
            verbose::setting_ignored("CPU_ISA_HINTS", value, "NO_HINTS, PREFER_YMM");
        hints_fixed = true;
    }
    return hints;
}

bool set_isa_hints(dnnl_cpu_isa_hints_t wanted) {
    const std::lock_guard lock(hints_mutex);
    if (hints_fixed) return false;
    hints = wanted;
    return hints_fixed = true;
}

bool walks_every_primitive() {
    static const bool wanted = [] {
        const char *value = environment("WALK_EVERY_PRIMITIVE");
        return value && same_word(value, "1");
    }();
    return wanted;
}

} // namespace dnnl::impl
