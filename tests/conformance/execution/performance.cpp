// SPDX-License-Identifier: Apache-2.0
// Timed executions, and the fields of the performance line.
#include "execution/performance.hpp"

#include "execution/execution.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/sparse.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace conformance {
namespace {

const char default_template[] =
    "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%";
const char csv_begin[] = "perf,%engine%,%impl%,%name%,";
const char csv_end[] = ",%attr%,%desc%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%";

const char *const text_fields[] = {"alg", "cfg", "desc", "engine", "flags", "activation",
    "direction", "attr", "axis", "dir", "dt", "group", "sdt", "stag", "mb", "name", "ddt", "dtag",
    "prop", "tag", "stat_tag", "wtag", "eps", "ctx-init", "ctx-exe", "driver", "prb", "impl",
    "idx"};
const char *const number_fields[] = {"time", "clocks", "freq", "ops", "flops", "bw", "ibytes",
    "obytes", "iobytes", "cpdtime", "cptime", "ctime"};

template <std::size_t Count>
bool is_among(const char *const (&names)[Count], const std::string &n) {
    return std::any_of(names, names + Count, [&](const char *name) { return n == name; });
}

// "%[-|0|+][K|M|G]name%" without the percent signs.
struct field {
    char statistic = '-';
    bool statistic_given = false;
    double unit = 1;
    std::string name;
};

field field_of(std::string text) {
    field f;
    if (!text.empty() && std::strchr("-0+", text[0])) {
        f.statistic = text[0];
        f.statistic_given = true;
        text.erase(0, 1);
    }
    const bool is_name = is_among(text_fields, text) || is_among(number_fields, text);
    if (!is_name && text.size() > 1) {
        f.unit = text[0] == 'K' ? 1e3 : text[0] == 'M' ? 1e6 : text[0] == 'G' ? 1e9 : 0;
        text.erase(0, 1);
    }
    f.name = text;
    if (f.unit == 0 || !(is_among(text_fields, text) || is_among(number_fields, text)))
        throw usage_error("unknown field of the performance template: '" + text + "'");
    return f;
}

// Calls on_text and on_field for the parts of a template.
template <class OnText, class OnField>
void for_each_part(const std::string &text, OnText on_text, OnField on_field) {
    const auto parts = split(text, '%');
    if (parts.size() % 2 == 0) throw usage_error("'" + text + "': a '%' has no partner");
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (i % 2 == 0)
            on_text(parts[i]);
        else
            on_field(field_of(parts[i]));
}

double chosen(char statistic, double least, double mean, double most) {
    return statistic == '-' ? least : statistic == '+' ? most : mean;
}

double run_ms(const measurement &m, char statistic) {
    if (m.run_ms.empty()) return 0;
    const auto ends = std::minmax_element(m.run_ms.begin(), m.run_ms.end());
    const double sum = std::accumulate(m.run_ms.begin(), m.run_ms.end(), 0.0);
    return chosen(statistic, *ends.first, sum / double(m.run_ms.size()), *ends.second);
}

// Creation: the default is the longer one, which met no cache.
double creation_ms(const double (&ms)[2], const field &f) {
    const char statistic = f.statistic_given ? f.statistic : '+';
    return chosen(statistic, std::min(ms[0], ms[1]), (ms[0] + ms[1]) / 2, std::max(ms[0], ms[1]));
}

double number_of(const field &f, const measurement &m) {
    const double ms = run_ms(m, f.statistic), bytes = m.input_bytes + m.output_bytes;
    const auto per_second = [&](double amount) { return ms > 0 ? amount / (ms / 1e3) : 0; };
    if (f.name == "time") return ms;
    if (f.name == "ops") return m.operations;
    if (f.name == "flops") return per_second(m.operations);
    if (f.name == "bw") return per_second(bytes);
    if (f.name == "ibytes") return m.input_bytes;
    if (f.name == "obytes") return m.output_bytes;
    if (f.name == "iobytes") return bytes;
    if (f.name == "cpdtime") return creation_ms(m.descriptor_ms, f);
    if (f.name == "cptime") return creation_ms(m.primitive_ms, f);
    if (f.name == "ctime") return creation_ms(m.descriptor_ms, f) + creation_ms(m.primitive_ms, f);
    return 0; // clocks and freq: no counter is read
}

std::string attributes_of(const test_case &c) {
    std::string text;
    for (std::size_t index : c.what->print_order) {
        const knob &k = c.what->knobs[index];
        if (k.name.rfind("attr-", 0) == 0 && !c.is_default(k.name))
            text += (text.empty() ? "--" : " --") + k.name + "=" + c[k.name];
    }
    return text;
}

// The knob that a field shows under another name.
std::string knob_text(const test_case &c, const std::string &name) {
    const auto value = [&](const char *knob_name) {
        const auto found = c.settings.find(knob_name);
        return found == c.settings.end() ? std::string() : found->second;
    };
    const std::string own = value(name.c_str());
    if (!own.empty()) return own;
    if (name == "sdt")
        return c.what->name == "pool" ? split(value("dt"), ':').front() : value("dt");
    if (name == "ddt" && c.what->name == "pool") return split(value("dt"), ':').back();
    if (name == "stag") return value("tag");
    if (name == "flags") return value("oflag");
    return {};
}

std::string text_field(
    const std::string &name, const test_case &c, const measurement &m, const std::string &engine) {
    if (name == "engine") return engine;
    if (name == "impl") return m.implementation;
    if (name == "name") return c.name();
    if (name == "driver") return c.what->name;
    if (name == "idx") return std::to_string(m.index);
    if (name == "attr") return attributes_of(c);
    if (name == "desc") return c.problem;
    if (name == "eps") return c.epsilon();
    if (name == "prb") {
        const std::string text = c.knob_text() + " " + c.problem;
        return text.substr(text.find_first_not_of(' '));
    }
    return knob_text(c, name);
}

} // namespace

performance_template::performance_template(const std::string &text)
    : text_(text.empty() || text == "def" ? default_template : text) {
    if (text != "csv")
        for_each_part(
            text_, [](const std::string &) {}, [](const field &) {});
}

std::string performance_template::text(const driver &d) const {
    return text_ == "csv" ? csv_begin + d.csv + csv_end : text_;
}

std::string performance_template::line(
    const test_case &c, const measurement &m, const std::string &engine) const {
    std::string result;
    for_each_part(
        text(*c.what), [&](const std::string &text) { result += text; },
        [&](const field &f) {
            if (is_among(text_fields, f.name)) {
                result += text_field(f.name, c, m, engine);
                return;
            }
            char number[40];
            std::snprintf(number, sizeof number, "%.6g", number_of(f, m) / f.unit);
            result += number;
        });
    return result;
}

std::vector<double> workplace::measure(const test_problem &problem, const evaluation &data,
    const dnnl::primitive_desc_base &pd, const measuring &how) {
    using clock = std::chrono::steady_clock;
    const binding b = bind_all(problem, data, pd, placement::end);
    const dnnl::primitive primitive(pd.get());
    std::vector<double> times;
    double total = 0;
    const std::string &cold = how.cold_cache;
    if (cold != "none") eviction_.resize(std::size_t(96) << 20);
    pages_.resize(how.cold_tlb);
    if (how.warms_up) primitive.execute(stream_, b.arguments); // touches what is mapped lazily
    const auto is_enough = [&] {
        return how.rounds > 0 ? times.size() >= std::size_t(how.rounds)
                              : times.size() >= 5 && total >= how.longest_ms;
    };
    while (!is_enough()) {
        for (std::size_t i = 0; i < eviction_.size() && cold != "none"; i += 64) ++eviction_[i];
        if (cold == "wei") // everything else is made warm again
            for (const bound_argument &argument : b.bound)
                if (argument.spec->holds != meaning::weights && argument.buffer)
                    for (std::size_t i = 0; i < argument.buffer->size(); i += 64)
                        static_cast<volatile std::uint8_t *>(argument.buffer->data())[i];
        for (std::size_t i = 0; i < pages_.size(); i += 4096) ++pages_[i];
        const auto start = clock::now();
        primitive.execute(stream_, b.arguments);
        stream_.wait();
        const std::chrono::duration<double, std::milli> time = clock::now() - start;
        times.push_back(time.count());
        total += time.count();
    }
    return times;
}

std::pair<double, double> workplace::bytes_of(
    const test_problem &problem, const dnnl::primitive_desc_base &pd) {
    std::pair<double, double> bytes {0, 0};
    for (const tensor_spec &spec : problem.tensors) {
        if (!spec.passed) continue;
        const double size = double(bytes_of_buffers(concrete_desc(spec, pd)));
        if (spec.use != role::output) bytes.first += size;
        if (spec.use != role::input) bytes.second += size;
    }
    return bytes;
}

} // namespace conformance
