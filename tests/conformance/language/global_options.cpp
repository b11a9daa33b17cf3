// SPDX-License-Identifier: Apache-2.0
// Parsing and printing of the global options.
#include "language/global_options.hpp"

#include "language/knob_forms.hpp"
#include "language/tags.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

#include "oneapi/dnnl/dnnl.hpp"

#include <algorithm>
#include <cstdio>

namespace conformance {
namespace {

struct mode_name {
    const char *name;
    run_mode mode;
};
const mode_name mode_names[] = {{"L", run_mode::list}, {"I", run_mode::create},
    {"R", run_mode::execute}, {"C", run_mode::compare}, {"P", run_mode::measure},
    {"F", run_mode::measure}, {"S", run_mode::measure}, {"B", run_mode::repeat}};

bool is_true(const std::string &text) { return form::boolean(text) == "true"; }

std::string flag_text(bool value) { return value ? "true" : "false"; }

std::size_t count_of(const std::string &text, const char *what) {
    const auto value = integer_of(text, what);
    if (value < 0) throw usage_error("'" + text + "' is negative (" + what + ")");
    return std::size_t(value);
}

} // namespace

bool option_value(const std::string &token, const std::string &name, std::string &value) {
    const std::string prefix = "--" + name + "=";
    if (token.rfind(prefix, 0) != 0) return false;
    value = token.substr(prefix.size());
    return true;
}

implementation_filter filter_of(const std::string &names, bool skip) {
    implementation_filter filter;
    filter.skip = skip;
    std::string bare;
    for (char c : names)
        if (c != '"' && c != '\'') bare += c;
    if (!bare.empty()) filter.names = split(bare, ',');
    return filter;
}

bool implementation_filter::accepts(const std::string &implementation) const {
    if (names.empty()) return true;
    for (const std::string &name : names)
        if (implementation.find(name) != std::string::npos) return !skip;
    return skip;
}

std::string implementation_filter::text() const {
    if (names.empty()) return {};
    return (skip ? " --skip-impl=" : " --impl=") + joined(names, ",");
}

void global_options::set_mode(const std::string &text) {
    const std::string wanted = upper_case(text);
    for (const mode_name &entry : mode_names) {
        if (wanted != entry.name) continue;
        mode = entry.mode;
        mode_given = true;
        mode_text_ = wanted;
        fast_measure = wanted == "F";
        if (fast_measure) {
            create_in_parallel = true;
            longest_ms = 10;
        }
        simulates = wanted == "S";
        if (simulates) {
            if (rounds > 0) throw usage_error("--fix-times-per-prb is fixed in mode S", 2);
            cold_cache = "none";
        }
        without_reference |= fast_measure || simulates || mode == run_mode::execute;
        return;
    }
    throw usage_error("unknown mode '" + text + "'; modes: L I R C P F S B");
}

void global_options::set_modifier(const std::string &text) {
    for (char c : upper_case(text)) {
        if (c != 'P' && c != 'M')
            throw usage_error("unknown mode modifier '" + std::string(1, c) + "'");
        (c == 'P' ? create_in_parallel : without_reference) = true;
        if (modifier_text_.find(c) == std::string::npos) modifier_text_ += c;
    }
}

// "[no-]WORD[+...]"
void global_options::set_summary(const std::string &text) {
    for (const std::string &part : split(lower_case(text), '+')) {
        const bool on = part.rfind("no-", 0) != 0;
        const std::string word = on ? part : part.substr(3);
        if (word == "failures")
            summary.failures = on;
        else if (word == "impl")
            summary.implementations = on;
        else if (word == "impl-csv")
            summary.implementations_csv = on;
        else
            throw usage_error("unknown summary '" + part + "'; words: failures impl impl-csv");
    }
}

// "MODE[+tlb[:SIZE]]", SIZE a number with M or G.
void global_options::set_cold_cache(const std::string &text) {
    const auto parts = split(lower_case(text), '+');
    cold_cache = form::word({"none", "wei", "all", "custom"})(parts[0].empty() ? "none" : parts[0]);
    if (cold_cache == "custom")
        throw usage_error("'custom' needs a list of arguments in the source of the program");
    cold_tlb = 0;
    if (parts.size() > 2) throw usage_error("'" + text + "': MODE[+tlb[:SIZE]] is needed");
    if (parts.size() == 2) {
        const auto fields = split(parts[1], ':');
        std::string size = fields.size() > 1 ? fields[1] : "1g";
        const char unit = size.empty() ? ' ' : size.back();
        if (fields[0] != "tlb" || fields.size() > 2 || (unit != 'm' && unit != 'g'))
            throw usage_error("'" + text + "': MODE[+tlb[:SIZE]], SIZE with M or G, is needed");
        size.pop_back();
        cold_tlb = count_of(size, "cold-cache") << (unit == 'm' ? 20 : 30);
    }
    if (!simulates) return;
    cold_cache = "none";
    cold_tlb = 0;
}

std::vector<std::string> global_option_names() {
    return {"mode", "mode-modifier", "engine", "cpu-isa-hints", "start", "verbose", "summary",
        "attr-same-pd-check", "check-ref-impl", "canonical", "mem-check", "fast-ref",
        "execution-mode", "allow-enum-tags-only", "global-impl", "global-skip-impl", "cold-cache",
        "fix-times-per-prb", "max-ms-per-prb", "repeats-per-prb", "num-streams", "buffer-prefix"};
}

void global_options::set_engine(const std::string &text) {
    const auto parts = split(lower_case(text), ':');
    const bool is_cpu = !parts[0].empty() && parts[0].rfind("cpu", 0) == 0;
    if (!is_cpu || parts.size() > 2) throw usage_error("engine '" + text + "' does not exist here");
    if (parts.size() == 2 && integer_of(parts[1], "engine index") != 0)
        throw usage_error("there is one CPU engine, of index 0");
    engine = joined(parts, ":");
}

void global_options::set_isa_hints(const std::string &text) {
    const std::string hints =
        form::word({"none", "no_hints", "prefer_ymm"})(text.empty() ? "none" : text);
    if (hints == "none" && !hints_given_) return;
    const dnnl_status_t status = dnnl_set_cpu_isa_hints(
        hints == "prefer_ymm" ? dnnl_cpu_isa_prefer_ymm : dnnl_cpu_isa_no_hints);
    if (status != dnnl_success) throw usage_error("the hints cannot be changed any more");
    isa_hints = hints;
    hints_given_ = true;
}

// Options that say what is looked at.
bool global_options::take_judgement(const std::string &token) {
    std::string value;
    if (option_value(token, "attr-same-pd-check", value))
        same_implementation = is_true(value);
    else if (option_value(token, "check-ref-impl", value))
        no_reference_row = is_true(value);
    else if (option_value(token, "canonical", value))
        canonical = is_true(value);
    else if (option_value(token, "mem-check", value))
        memory_check = value.empty() || is_true(value);
    else if (option_value(token, "buffer-prefix", value))
        buffer_prefix = value;
    else if (option_value(token, "fast-ref", value))
        fast_reference = value.empty() || is_true(value);
    else if (option_value(token, "execution-mode", value)) {
        if (form::word({"direct", "graph", "native_graph"})(value) != "direct")
            throw usage_error("'" + token + "' belongs to builds with SYCL");
    } else if (option_value(token, "allow-enum-tags-only", value)) {
        enum_tags_only = value.empty() || is_true(value);
        accept_enum_tags_only(enum_tags_only);
    } else if (option_value(token, "global-impl", value))
        filter = filter_of(value, false);
    else if (option_value(token, "global-skip-impl", value))
        filter = filter_of(value, true);
    else
        return false;
    return true;
}

bool global_options::take_measurement(const std::string &token) {
    std::string value;
    if (option_value(token, "cold-cache", value)) {
        set_cold_cache(value);
    } else if (option_value(token, "fix-times-per-prb", value)) {
        if (simulates) throw usage_error("--fix-times-per-prb is fixed in mode S", 2);
        rounds = int(std::max<std::int64_t>(0, integer_of(value, "fix-times-per-prb")));
    } else if (option_value(token, "max-ms-per-prb", value)) {
        if (fast_measure) throw usage_error("--max-ms-per-prb is fixed in mode F", 2);
        longest_ms = std::clamp(double(float_of(value, "max-ms-per-prb")), 10.0, 60000.0);
    } else if (option_value(token, "repeats-per-prb", value))
        repeats = std::size_t(std::max<std::int64_t>(1, integer_of(value, "repeats-per-prb")));
    else if (option_value(token, "num-streams", value)) {
        if (integer_of(value, "num-streams") < 1)
            throw usage_error("--num-streams must be positive");
    } else if (option_value(token, "memory-kind", value) ||
               option_value(token, "stream-kind", value))
        throw usage_error("'" + token + "' belongs to builds with SYCL or OpenCL");
    else
        return false;
    return true;
}

bool global_options::take(const std::string &token) {
    std::string value;
    if (option_value(token, "mode", value))
        set_mode(value.empty() ? "C" : value);
    else if (option_value(token, "mode-modifier", value))
        set_modifier(value);
    else if (option_value(token, "engine", value))
        set_engine(value.empty() ? "cpu" : value);
    else if (option_value(token, "cpu-isa-hints", value))
        set_isa_hints(value);
    else if (option_value(token, "summary", value))
        set_summary(value);
    else if (option_value(token, "start", value))
        start = count_of(value, "start");
    else if (option_value(token, "verbose", value))
        verbose = int(count_of(value, "verbose"));
    else if (token.rfind("-v", 0) == 0 && token.size() > 2)
        verbose = int(count_of(token.substr(2), "-v"));
    else
        return take_judgement(token) || take_measurement(token);
    return true;
}

std::string global_options::text_before_driver() const {
    std::string text;
    const auto option = [&](const char *name, const std::string &value, bool is_default) {
        if (!is_default || canonical) text += std::string("--") + name + "=" + value + " ";
    };
    option("mode", mode_text_, mode_text_ == "C");
    if (!fast_measure) option("mode-modifier", modifier_text_, modifier_text_.empty());
    if (!fast_measure) option("max-ms-per-prb", text_of(float(longest_ms)), longest_ms == 3000);
    option("fix-times-per-prb", std::to_string(rounds), rounds == 0);
    return text;
}

std::string global_options::text_after_driver() const {
    std::string text;
    const auto option = [&](const char *name, const std::string &value, bool is_default) {
        if (!is_default || canonical) text += std::string(" --") + name + "=" + value;
    };
    option("canonical", flag_text(canonical), !canonical);
    option("engine", engine, engine == "cpu");
    option("fast-ref", flag_text(fast_reference), fast_reference);
    option("mem-check", flag_text(memory_check), memory_check);
    option("allow-enum-tags-only", flag_text(enum_tags_only), enum_tags_only);
    option("cpu-isa-hints", isa_hints, isa_hints == "none");
    option("attr-same-pd-check", flag_text(same_implementation), !same_implementation);
    option("check-ref-impl", flag_text(no_reference_row), !no_reference_row);
    const std::string tlb =
        cold_tlb > 0 ? "+tlb:" + std::to_string(cold_tlb >> 20) + "M" : std::string();
    option("cold-cache", cold_cache + tlb, cold_cache == "none" && cold_tlb == 0);
    option("buffer-prefix", buffer_prefix, buffer_prefix.empty());
    return text;
}

} // namespace conformance
