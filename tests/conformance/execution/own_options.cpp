// SPDX-License-Identifier: Apache-2.0
// Reading of the own options, and the help.
#include "execution/own_options.hpp"

#include "execution/restart.hpp"
#include "execution/workers.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <algorithm>
#include <cstdio>

namespace conformance {
namespace {

const char usage[] =
    R"(dnnl-conformance [own options] --DRIVER [options | problems | --batch=FILE]...

Judges the implementations of a library with the oneDNN API. Problems and their options are those
of the case language; every implementation that takes a problem is run on three fills of its
inputs and judged by an oracle of this program.

own options:
  --set=NAME            smoke, default, full, random:SEED:COUNT, or files of cases/ by name
  --case "LINE"         runs one case line
  --random=N            N random problems per driver beside those of the set
  --jobs=N              processes that share the cases; as many as cores if a set is all that is
                        asked for, else 1
  --seed=N              another seed for inputs and random problems
  --caps[=A,B,...]      runs again under each ONEDNN_MAX_CPU_ISA
  --threads=1,2,...     runs again under each OMP_NUM_THREADS and compares result bits
  --only=A-B,C,...      the cases of these numbers alone, counted from 0 as --mode=L shows them
  --until-failure       takes no further case after the first that failed
  --without-oracle      judges nothing, records bits only; for --threads
  --require-isa=CAP     ends with status 77 where the CPU lacks the cap
  --hashes=FILE         writes the result bits of each case and implementation
  --json=FILE           writes everything as JSON
  --report=FILE.html    writes a page to look at

Without --mode the run judges: lines for failures only, tables, and "N passed, N failed,
N skipped" at the end; a request that no implementation takes counts as skipped. With --mode=L, I,
R, C, P, F, S or B the output is that of the case language: a line for every problem, "tests:..."
at the end; a request that no implementation takes counts as failed.
)";

bool takes(const std::string &argument, const std::string &name, std::string &value) {
    return option_value(argument, name, value);
}

unsigned jobs_of(const std::string &value) {
    constexpr std::int64_t most = 1024;
    const std::int64_t jobs = integer_of(value, "jobs");
    if (jobs < 1 || jobs > most) throw usage_error("--jobs needs 1 to 1024 processes", 2);
    return unsigned(jobs);
}

std::vector<std::pair<std::size_t, std::size_t>> ranges_of(const std::string &value) {
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    for (const std::string &range : split(value, ',')) {
        const auto ends = split(range, '-');
        const auto number = [](const std::string &text) {
            return std::size_t(integer_of(text, "only"));
        };
        ranges.push_back({number(ends.front()), number(ends.back())});
    }
    return ranges;
}

// Options that are handed on to a run of the program by itself.
bool take_passed_on(own_options &o, const std::string &argument) {
    std::string value;
    if (argument == "--without-oracle")
        o.without_oracle = true;
    else if (argument == "--until-failure")
        o.until_failure = true;
    else if (takes(argument, "set", value))
        o.set.name = value;
    else if (takes(argument, "require-isa", value))
        o.require_isa = value;
    else if (takes(argument, "hashes", value))
        o.hashes = value;
    else if (takes(argument, "json", value))
        o.json = value;
    else if (takes(argument, "report", value))
        o.html = value;
    else if (takes(argument, "seed", value))
        o.set.seed = std::uint64_t(integer_of(value, "seed"));
    else if (takes(argument, "jobs", value))
        o.jobs = jobs_of(value);
    else if (takes(argument, "only", value))
        o.only = ranges_of(value);
    else if (takes(argument, "random", value))
        o.set.random = std::size_t(integer_of(value, "random"));
    else
        return false;
    return true;
}

} // namespace

bool is_chosen(const own_options &o, std::size_t place) {
    return o.only.empty() || std::any_of(o.only.begin(), o.only.end(), [&](const auto &range) {
        return range.first <= place && place <= range.second;
    });
}

own_options options_of(const std::vector<std::string> &arguments) {
    own_options o;
    std::string value, threads;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string &argument = arguments[i];
        if (argument == "--caps") {
            o.caps = default_caps();
            continue;
        }
        if (takes(argument, "caps", value)) {
            o.caps = split(value, ',');
            continue;
        }
        if (takes(argument, "threads", value)) {
            o.threads = split(threads = value, ',');
            continue;
        }
        o.rest.push_back(argument);
        if (argument == "--help") o.help = o.tokens.empty();
        if (argument == "--case") {
            if (++i == arguments.size()) throw usage_error("--case needs a line", 2);
            o.rest.push_back(arguments[i]);
            for (const std::string &token : batch_tokens(arguments[i])) o.tokens.push_back(token);
        } else if (!take_passed_on(o, argument))
            o.tokens.push_back(argument);
    }
    if (arguments.empty()) o.set.name = "default";
    if (o.jobs == 0) o.jobs = o.tokens.empty() ? default_jobs() : 1;
    if (!o.caps.empty() && !threads.empty()) o.rest.insert(o.rest.begin(), "--threads=" + threads);
    return o;
}

void print_usage() { std::printf("%sdrivers: %s\n", usage, joined(driver_names(), " ").c_str()); }

} // namespace conformance
