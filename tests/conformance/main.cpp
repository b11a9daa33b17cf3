// SPDX-License-Identifier: Apache-2.0
// dnnl-conformance: judges a library with the oneDNN API by the specification's formulas.
#include "interpreter.hpp"
#include "random_cases.hpp"
#include "report.hpp"
#include "restart.hpp"
#include "runner.hpp"
#include "text.hpp"
#include "usage_error.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

using namespace conformance;

const char usage[] = R"(dnnl-conformance [own options] --DRIVER [knobs | problems | --batch=FILE]...

own options:
  --set=default|NAME    runs the case files of all drivers, or one file of cases/
  --case "LINE"         runs one case line
  --random=N            adds N random problems per driver of the set
  --caps[=A,B,...]      restarts itself under each ONEDNN_MAX_CPU_ISA
  --threads=1,2,...     restarts itself under each OMP_NUM_THREADS and compares result bits
  --seed=N              another seed for inputs and random problems
  --require-isa=CAP     ends with status 77 where the CPU lacks the cap
  --hashes=FILE         writes the result bits of each case and implementation
  --mode=L              lists the cases instead of running them
)";

struct own_options {
    std::string set, require_isa, hashes;
    std::vector<std::string> caps, threads;
    std::uint64_t seed = 1;
    std::size_t random = 0;
    bool help = false;
    std::vector<std::string> tokens; // of the case language
    std::vector<std::string> rest;   // everything but --caps and --threads
};

bool takes(const std::string &argument, const std::string &name, std::string &value) {
    if (argument.rfind(name + "=", 0) != 0) return false;
    value = argument.substr(name.size() + 1);
    return true;
}

own_options options_of(const std::vector<std::string> &arguments) {
    own_options o;
    std::string value;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string &argument = arguments[i];
        if (argument == "--caps") {
            o.caps = default_caps();
            continue;
        }
        if (takes(argument, "--caps", value)) {
            o.caps = split(value, ',');
            continue;
        }
        if (takes(argument, "--threads", value)) {
            o.threads = split(value, ',');
            continue;
        }
        o.rest.push_back(argument);
        if (argument == "--case" && i + 1 < arguments.size()) {
            o.rest.push_back(arguments[++i]);
            for (const std::string &token : batch_tokens(arguments[i])) o.tokens.push_back(token);
        } else if (argument == "--help")
            o.help = true;
        else if (takes(argument, "--set", value))
            o.set = value;
        else if (takes(argument, "--require-isa", value))
            o.require_isa = value;
        else if (takes(argument, "--hashes", value))
            o.hashes = value;
        else if (takes(argument, "--seed", value))
            o.seed = std::uint64_t(integer_of(value, "seed"));
        else if (takes(argument, "--random", value))
            o.random = std::size_t(integer_of(value, "random"));
        else
            o.tokens.push_back(argument);
    }
    if (arguments.empty()) o.set = "default";
    return o;
}

void run_set(interpreter &language, const own_options &o) {
    const auto names = o.set == "default" ? driver_names() : split(o.set, ',');
    for (const std::string &name : names) {
        if (!find_driver(name)) { // a file that names its drivers
            language.run({"--batch=" + name + ".txt"});
            continue;
        }
        if (o.set == "default" && !language.has_batch_file(name + ".txt")) continue;
        language.run({"--" + name, "--batch=" + name + ".txt"});
        if (o.random == 0) continue;
        std::printf("random problems of %s: seed %llu\n", name.c_str(),
            static_cast<unsigned long long>(o.seed));
        for (const std::string &line : random_cases(name, o.random, o.seed))
            language.run(batch_tokens(line));
    }
}

int run_cases(const own_options &o) {
    std::string why_not;
    if (!o.require_isa.empty() && !reaches_cap(o.require_isa, why_not)) {
        std::printf("skipped: %s\n0 passed, 0 failed, 1 skipped\n", why_not.c_str());
        return 77;
    }
    report results(0);
    if (!o.hashes.empty()) results.write_hashes_to(o.hashes);
    std::unique_ptr<runner> judge;
    interpreter language(
        [&](const test_case &c, const implementation_filter &filter, const global_options &g) {
            results.set_verbose(g.verbose);
            if (g.mode == 'L') return results.finish_case(c.line(), verdict::listed, "");
            if (results.cases() < g.start)
                return results.finish_case(c.line(), verdict::skipped, "Skip-start option hit");
            if (!judge) judge = std::make_unique<runner>(results, o.seed);
            judge->run(c, filter);
        },
        {DNNL_CONFORMANCE_CASES});
    language.run(o.tokens);
    if (!o.set.empty()) run_set(language, o);
    results.print_summary();
    return results.failed() > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        const own_options o = options_of({argv + 1, argv + argc});
        if (o.help) {
            std::printf("%sdrivers: %s\n", usage, joined(driver_names(), " ").c_str());
            return 0;
        }
        if (!o.caps.empty()) {
            auto rest = o.rest;
            if (!o.threads.empty())
                rest.insert(rest.begin(), "--threads=" + joined(o.threads, ","));
            return run_per_cap(rest, o.caps);
        }
        if (!o.threads.empty()) return run_per_thread_count(o.rest, o.threads);
        return run_cases(o);
    } catch (const usage_error &error) {
        std::fprintf(stderr, "dnnl-conformance: %s\n", error.what());
        return error.exit_code;
    }
}
