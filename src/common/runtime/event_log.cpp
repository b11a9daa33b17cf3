// SPDX-License-Identifier: Apache-2.0
// Prints verbose lines to stdout: finds out what is asked for, writes the header, a line per event.
#define FMT_HEADER_ONLY
#include "common/runtime/event_log.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <optional>
#include <regex.h>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "common/runtime/isa.hpp"
#include "common/runtime/parallel.hpp"
#include "common/runtime/settings.hpp"
#include "dnnl/dnnl_common.h"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl::verbose {

// The one function of fmt that other files link to: compiled in each, it takes 4 seconds of each.
[[gnu::used]] std::string (*const formatter)(fmt::string_view, fmt::format_args) = fmt::vformat;

namespace {

// ---- ONEDNN_VERBOSE ----

constexpr unsigned profile = profile_create | profile_exec;
constexpr unsigned everything = errors | refusals | warnings | check | dispatch | profile;

struct word {
    const char *text;
    unsigned bits;
    bool clears = false; ///< true for a word that takes back what the words before it asked for
};
constexpr word words[] = {{"error", errors | refusals}, {"warn", warnings}, {"check", check},
    {"dispatch", dispatch}, {"profile_create", profile_create}, {"profile_exec", profile_exec},
    {"profile", profile}, {"all", everything}, {"-1", everything}, {"1", warnings | profile_exec},
    {"2", warnings | profile}, {"profile_externals", none}, {"none", none, true},
    {"0", none, true}};

/// Writes the line in one call, so that lines of several threads do not mix.
void write(std::FILE *to, const std::string &line) {
    std::fwrite(line.data(), 1, line.size(), to);
    std::fflush(to);
}

/// The printable characters of a value of the environment, which may hold anything, cut short.
std::string printable(const std::string &value) {
    std::string text = value.substr(0, 60);
    for (char &c : text)
        if (c < ' ' || c > '~') c = '?';
    return value.size() > text.size() ? text + "..." : text;
}

void write_ignored_setting(const char *name, const std::string &value, const std::string &known) {
    write_warning(fmt::format("environment,{}={} is not known: ignored; known: {}",
        environment_name(name), printable(value), known));
}

/// True for the variables of the library, those of oneDNN's code generator and graphs, which have
/// no effect here, and those that name its place to build tools.
bool is_variable(std::string_view name) {
    constexpr std::string_view known[] = {"VERBOSE", "VERBOSE_TIMESTAMP", "MAX_CPU_ISA",
        "CPU_ISA_HINTS", "DEFAULT_FPMATH_MODE", "PRIMITIVE_CACHE_CAPACITY", "STRICT_MEMORY",
        "WALK_EVERY_PRIMITIVE", "WARN", "JIT_DUMP", "JIT_PROFILE", "ITT_TASK_LEVEL", "ROOT", "DIR"};
    return std::find(std::begin(known), std::end(known), name) != std::end(known) ||
           name.starts_with("GRAPH_") || name.starts_with("EXPERIMENTAL_");
}

/// What ONEDNN_VERBOSE asks for; read once and never released.
struct request {
    unsigned bits = errors;
    bool timestamps = false;
    std::string filter; ///< a text that names of primitives must contain; empty: all are shown
    std::optional<regex_t> pattern;
    std::string unknown; ///< the first word without a meaning

    request() {
        const char *value = environment("VERBOSE");
        std::string_view rest = value ? value : "";
        while (!rest.empty()) {
            const std::size_t comma = rest.find(',');
            read(std::string(rest.substr(0, comma)));
            rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        }
        const char *stamp = environment("VERBOSE_TIMESTAMP");
        timestamps = stamp && std::string_view(stamp) == "1";
        if (bits & errors) mention_unknown(stamp ? stamp : "");
        if (bits & errors) mention_misspelt();
        regex_t compiled;
        if (!filter.empty() && regcomp(&compiled, filter.c_str(), REG_EXTENDED | REG_NOSUB) == 0)
            pattern = compiled;
    }

    void mention_unknown(const std::string &stamp) const {
        std::string known;
        for (const word &w : words) known.append(w.text).append(", ");
        if (!unknown.empty()) write_ignored_setting("VERBOSE", unknown, known + "filter=<regex>");
        if (!stamp.empty() && stamp != "0" && stamp != "1")
            write_ignored_setting("VERBOSE_TIMESTAMP", stamp, "0, 1");
    }

    /// Variables with the prefix of the library that it does not know.
    static void mention_misspelt() {
        for (char **entry = environ; entry && *entry; ++entry) {
            const std::string_view text = *entry, name = text.substr(0, text.find('='));
            for (const std::string_view prefix : {"ONEDNN_", "DNNL_"})
                if (name.starts_with(prefix) && !is_variable(name.substr(prefix.size())))
                    write_warning(fmt::format(
                        "environment,{} is not known: ignored", printable(std::string(name))));
        }
    }

    void read(const std::string &text) {
        const auto spells = [&](const word &w) { return same_word(text.c_str(), w.text); };
        const word *found = std::find_if(std::begin(words), std::end(words), spells);
        if (found != std::end(words))
            bits = (found->clears ? none : bits) | found->bits;
        else if (starts_with(text, "filter="))
            filter = text.substr(std::string_view("filter=").size());
        else if (!text.empty() && unknown.empty() && !starts_with(text, "debuginfo="))
            unknown = text;
    }
    static bool starts_with(const std::string &text, const char *key) {
        return same_word(text.substr(0, std::string_view(key).size()).c_str(), key);
    }

    bool shows(const char *component) const {
        return !pattern || regexec(&*pattern, component, 0, nullptr, 0) == 0;
    }
};

const request &asked() {
    static const request &the_request = *new request;
    return the_request;
}

constexpr unsigned unread = 1u << 31;
std::atomic<unsigned> current {unread};

unsigned bits() {
    if (!has_verbose) return none;
    unsigned on = current.load(std::memory_order_relaxed);
    if (on == unread) {
        // Where another thread has set a level meanwhile, that level stays.
        current.compare_exchange_strong(on, asked().bits);
        on = current.load(std::memory_order_relaxed);
    }
    return on;
}

// ---- Lines ----

void write(const std::string &line) { write(stdout, line); }

std::string filter_line() {
    if (asked().filter.empty()) return {};
    constexpr const char *start = "onednn_verbose,v1,common,";
    if (!asked().pattern)
        return fmt::format("{}error,filter format is ill-formed and is not applied\n", start);
    std::string hits;
    for (int kind = dnnl_reorder; kind <= dnnl_group_normalization; ++kind) {
        const char *name = dnnl_prim_kind2str(static_cast<dnnl_primitive_kind_t>(kind));
        if (asked().shows(name)) hits += (hits.empty() ? "" : " ") + std::string(name);
    }
    return fmt::format("{}info,filter format is enabled, hit components: {}\n", start, hits);
}

void write_header() {
    const dnnl_version_t &v = *dnnl_version();
    constexpr const char *start = "onednn_verbose,v1,";
    write(fmt::format(
        "{0}info,oneDNN v{1}.{2}.{3} (commit {4})\n"
        "{0}info,cpu,runtime:{5},nthr:{6}\n{0}info,cpu,isa:{7}\n"
        "{0}info,gpu,runtime:{8}\n"
        "{0}primitive,info,template:{9}operation,engine,primitive,implementation,"
        "prop_kind,memory_descriptors,attributes,auxiliary,problem_desc,exec_time\n{10}",
        start, v.major, v.minor, v.patch, v.hash, dnnl_runtime2str(v.cpu_runtime), max_threads(),
        isa_description(), dnnl_runtime2str(v.gpu_runtime), asked().timestamps ? "timestamp," : "",
        filter_line()));
}

using milliseconds = std::chrono::duration<double, std::milli>;

std::string timestamp() {
    if (!asked().timestamps) return {};
    const milliseconds since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return fmt::format("{:.3f},", since_epoch.count());
}

} // namespace

bool wants(unsigned wanted) { return (bits() & wanted) != 0; }

void set_level(int level) {
    constexpr unsigned always = errors | warnings;
    current = level == 0 ? none : always | (level == 1 ? profile_exec : profile);
}

bool shows(const char *component) { return asked().shows(component); }

void write_event(const std::string &text) {
    static std::once_flag once;
    std::call_once(once, write_header);
    write("onednn_verbose,v1," + timestamp() + text + '\n');
}

void write_warning(const std::string &text) {
    write(stderr, "onednn_verbose,v1,common,warn," + text + '\n');
}

void failed(const char *component, const char *message) noexcept {
    try {
        if (wants(errors)) write_event(fmt::format("common,error,{},{}", component, message));
    } catch (...) { // the status tells the caller what this line cannot
    }
}

void setting_ignored(const char *name, const std::string &text, const std::string &known) noexcept {
    try {
        if (wants(errors)) write_ignored_setting(name, text, known);
    } catch (...) { // as above
    }
}

double now_ms() {
    return milliseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace dnnl::impl::verbose
