// SPDX-License-Identifier: Apache-2.0
// Settings of the process. Each is read from the environment once, at its first use.
#include "common/settings.hpp"

#include <atomic>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <string>
#include <strings.h>

#include "common/build_options.hpp"

namespace dnnl::impl {

const char *environment(const char *name) {
    const char *value = std::getenv((std::string("ONEDNN_") + name).c_str());
    return value ? value : std::getenv((std::string("DNNL_") + name).c_str());
}

bool same_word(const char *a, const char *b) { return strcasecmp(a, b) == 0; }

bool strict_memory() {
    static const bool strict = [] {
        const char *value = environment("STRICT_MEMORY");
        return value && same_word(value, "1");
    }();
    return strict;
}

namespace {

dnnl_fpmath_mode_t initial_fpmath_mode() {
    struct named {
        const char *word;
        dnnl_fpmath_mode_t mode;
    };
    constexpr named words[] = {{"bf16", dnnl_fpmath_mode_bf16}, {"f16", dnnl_fpmath_mode_f16},
        {"tf32", dnnl_fpmath_mode_tf32}, {"any", dnnl_fpmath_mode_any}};
    if (const char *value = environment("DEFAULT_FPMATH_MODE"))
        for (const named &n : words)
            if (same_word(value, n.word)) return n.mode;
    return dnnl_fpmath_mode_strict;
}

std::atomic<dnnl_fpmath_mode_t> &fpmath_mode() {
    static std::atomic<dnnl_fpmath_mode_t> mode {initial_fpmath_mode()};
    return mode;
}

int initial_capacity() {
    const char *value = environment("PRIMITIVE_CACHE_CAPACITY");
    if (!value) return 1024;
    const long number = std::strtol(value, nullptr, 10); // 0 for text that is no number
    return number > INT_MAX ? INT_MAX : number < INT_MIN ? INT_MIN : static_cast<int>(number);
}

std::atomic<int> &capacity() {
    static std::atomic<int> number {initial_capacity()};
    return number;
}

std::mutex hints_mutex;
bool hints_fixed = false;
dnnl_cpu_isa_hints_t hints = dnnl_cpu_isa_no_hints;

} // namespace

dnnl_fpmath_mode_t default_fpmath_mode() { return fpmath_mode(); }
void set_default_fpmath_mode(dnnl_fpmath_mode_t mode) { fpmath_mode() = mode; }

int cache_capacity() { return capacity(); }
void set_cache_capacity(int number) { capacity() = number; }

dnnl_cpu_isa_hints_t isa_hints() {
    const std::lock_guard lock(hints_mutex);
    if (has_cpu_isa_hints && !hints_fixed) {
        const char *value = environment("CPU_ISA_HINTS");
        if (value && same_word(value, "PREFER_YMM")) hints = dnnl_cpu_isa_prefer_ymm;
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
