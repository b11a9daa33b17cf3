// SPDX-License-Identifier: Apache-2.0
// Verbose lines: what is on, the header, and one whole line per event on stdout.
#define FMT_HEADER_ONLY
#include "common/verbose.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <regex.h>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "common/build_options.hpp"
#include "common/data_type.hpp"
#include "common/isa.hpp"
#include "common/parallel.hpp"
#include "common/primitive_desc.hpp"
#include "common/settings.hpp"
#include "common/verbose_fields.hpp"
#include "dnnl/dnnl_common.h"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl::verbose {

namespace {

// ---- ONEDNN_VERBOSE ----

constexpr unsigned profile = profile_create | profile_exec;
constexpr unsigned everything = errors | warnings | check | dispatch | profile;

struct word {
    const char *text;
    unsigned bits;
};
constexpr word words[] = {{"error", errors}, {"warn", warnings}, {"check", check},
    {"dispatch", dispatch}, {"profile_create", profile_create}, {"profile_exec", profile_exec},
    {"profile", profile}, {"all", everything}, {"-1", everything}, {"1", profile_exec},
    {"2", profile}, {"profile_externals", none}};

/// One call, so that lines of several threads do not mix.
void write(std::FILE *to, const std::string &line) {
    std::fwrite(line.data(), 1, line.size(), to);
    std::fflush(to);
}

/// Any value may stand in the environment: what can be printed of it, cut.
std::string printable(const std::string &value) {
    std::string text = value.substr(0, 60);
    for (char &c : text)
        if (c < ' ' || c > '~') c = '?';
    return value.size() > text.size() ? text + "..." : text;
}

void write_ignored_setting(const char *name, const std::string &value) {
    write(stderr, fmt::format("onednn_verbose,v1,common,warn,environment,{}={} is not known: "
                              "ignored\n",
                      environment_name(name), printable(value)));
}

/// What the environment asks for, read once and never released.
struct request {
    unsigned bits = errors;
    bool timestamps = false;
    std::string filter; ///< the text; empty: every primitive is shown
    std::optional<regex_t> pattern;
    std::string unknown; ///< the first word that means nothing

    request() {
        const char *value = environment("VERBOSE");
        std::string_view rest = value ? value : "";
        while (!rest.empty()) {
            const std::size_t comma = rest.find(',');
            read(std::string(rest.substr(0, comma)));
            rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
        }
        const char *stamp = environment("VERBOSE_TIMESTAMP");
        timestamps = stamp && std::string_view(stamp) == "1";
        if (bits & errors) mention_unknown(stamp ? stamp : "");
        regex_t compiled;
        if (!filter.empty() && regcomp(&compiled, filter.c_str(), REG_EXTENDED | REG_NOSUB) == 0)
            pattern = compiled;
    }

    void mention_unknown(const std::string &stamp) const {
        if (!unknown.empty()) write_ignored_setting("VERBOSE", unknown);
        if (!stamp.empty() && stamp != "0" && stamp != "1")
            write_ignored_setting("VERBOSE_TIMESTAMP", stamp);
    }

    void read(const std::string &text) {
        bool known = text.empty();
        if (same_word(text.c_str(), "none") || text == "0") {
            bits = none;
            known = true;
        }
        for (const word &w : words) {
            if (!same_word(text.c_str(), w.text)) continue;
            bits |= w.bits;
            known = true;
        }
        if (starts_with(text, "filter=")) filter = text.substr(std::string_view("filter=").size());
        if (!known && unknown.empty() && !starts_with(text, "filter=") &&
            !starts_with(text, "debuginfo="))
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
        // A level set meanwhile by another thread wins.
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

std::string timestamp() {
    if (!asked().timestamps) return {};
    using milliseconds = std::chrono::duration<double, std::milli>;
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return fmt::format("{:.3f},", std::chrono::duration_cast<milliseconds>(since_epoch).count());
}

/// `onednn_verbose,v1,[timestamp,]<text>`, behind the header when it is the first line.
void write_event(const std::string &text) {
    static std::once_flag once;
    std::call_once(once, write_header);
    write("onednn_verbose,v1," + timestamp() + text + '\n');
}

void write_profile(const char *operation, const ::dnnl_primitive_desc &pd, double milliseconds) {
    const char *name = dnnl_prim_kind2str(pd.kind());
    if (!asked().shows(name)) return;
    write_event(fmt::format("primitive,{},{},{},{},{},{:g}", operation,
        dnnl_engine_kind2str(pd.engine()->kind), name, pd.info(),
        fields_of(pd.resolved(), pd.request()), milliseconds));
}

} // namespace

bool wants(unsigned wanted) { return (bits() & wanted) != 0; }

void set_level(int level) {
    current = level == 0 ? none : level == 1 ? errors | profile_exec : errors | profile;
}

void created(const ::dnnl_primitive_desc &pd, double milliseconds) {
    if (wants(profile_create)) write_profile("create:cache_miss", pd, milliseconds);
}

void executed(const ::dnnl_primitive_desc &pd, double milliseconds) {
    if (wants(profile_exec)) write_profile("exec", pd, milliseconds);
}

void refused(const problem &p, const std::string &row, const char *reason) {
    const char *name = dnnl_prim_kind2str(kind_of(p.op));
    if (!wants(dispatch) || !asked().shows(name)) return;
    write_event(fmt::format("primitive,create:dispatch,{0},cpu,{0},{1},{2},{3},implementations.cpp",
        name, row, fields_of(p, p), reason));
}

void check_failed(const char *operation, const char *primitive, const char *reason) {
    if (!wants(check) || !asked().shows(primitive)) return;
    const bool creating = std::string_view(operation) == "create";
    std::string_view text = reason; // the primitive is a field of its own
    const std::string prefix = std::string(primitive) + ": ";
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    write_event(fmt::format("primitive,{}:check,{},{},{}", operation, primitive, text,
        creating ? "primitive_desc_create" : "primitive_execute"));
}

void failed(const char *component, const char *message) noexcept {
    try {
        if (wants(errors)) write_event(fmt::format("common,error,{},{}", component, message));
    } catch (...) { // the status tells the caller what this line cannot
    }
}

void argument_ignored(const char *primitive, const std::string &argument) noexcept {
    static std::mutex mutex;
    static auto &mentioned = *new std::set<std::string>; // outlives whoever executes at exit
    try {
        const std::string key = fmt::format("{},{}", primitive, argument);
        const std::lock_guard lock(mutex);
        if (!asked().shows(primitive) || !mentioned.insert(key).second) return;
        write(stderr, fmt::format("onednn_verbose,v1,common,warn,{} is not an argument of this "
                                  "primitive: ignored\n",
                          key));
    } catch (...) { // the execution goes on without the line
    }
}

void setting_ignored(const char *name, const std::string &value) noexcept {
    try {
        if (wants(errors)) write_ignored_setting(name, value);
    } catch (...) { // as above
    }
}

void leased(std::size_t bytes) {
    write_event(fmt::format("common,info,scratchpad,{} bytes leased beside the user's", bytes));
}

void gemm_executed(const gemm_line &line, double milliseconds) {
    if (!wants(profile_exec) || !asked().shows("gemm_api")) return;
    write_event(fmt::format("primitive,exec,cpu,gemm_api,,undef,src_{}::blocked:{}:f0 "
                            "wei_{}::blocked:{}:f0 dst_{}::blocked:ab:f0,,,{}x{}:{}x{},{:g}",
        name_of(line.types[0]), line.a_transposed ? "ba" : "ab", name_of(line.types[1]),
        line.b_transposed ? "ba" : "ab", name_of(line.types[2]), line.M, line.K, line.K, line.N,
        milliseconds));
}

double now_ms() {
    using milliseconds = std::chrono::duration<double, std::milli>;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<milliseconds>(now).count();
}

} // namespace dnnl::impl::verbose
