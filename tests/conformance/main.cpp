// SPDX-License-Identifier: Apache-2.0
// dnnl-conformance: judges a library with the oneDNN API by the specification's formulas.
#include "execution/creation_ahead.hpp"
#include "execution/own_options.hpp"
#include "execution/restart.hpp"
#include "execution/runner.hpp"
#include "execution/threading_context.hpp"
#include "execution/workers.hpp"
#include "language/usage_error.hpp"
#include "report/open_elements.hpp"
#include "report/required_rows.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace {

using namespace conformance;

// Folders of the program, of the installation, of the source tree.
std::vector<std::string> file_folders() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    std::string program(path, length > 0 ? std::size_t(length) : 0);
    program.resize(program.rfind('/') == std::string::npos ? 0 : program.rfind('/'));
    std::vector<std::string> folders;
    for (const char *root : {"/", "/../", "/../share/dnnl/conformance/"})
        folders.push_back(program + root);
    folders.push_back(DNNL_CONFORMANCE_FILES "/");
    return folders;
}

std::vector<std::string> batch_folders() {
    std::vector<std::string> folders;
    for (const std::string &root : file_folders())
        for (const char *folder : {"inputs", "cases"}) folders.push_back(root + folder);
    return folders;
}

std::string path_of(const std::string &file) {
    for (const std::string &folder : file_folders())
        if (std::ifstream(folder + file).good()) return folder + file;
    throw usage_error("the file '" + file + "' was not found");
}

// What this library owes as a whole: its rows, of which the names of another library say nothing,
// and in sets of many cases a limit on what the oracle leaves open.
void demand_of_library(const own_options &o, report &results) {
    const bool whole = is_whole_set(o.set) && o.only.empty();
    const bool own = dlsym(RTLD_DEFAULT, "dnnl_ext_last_error") != nullptr;
    const auto is_effective = [](const std::string &level) {
        std::string why_not;
        return reaches_cap(level, why_not);
    };
    if (own && !o.set.name.empty())
        results.require(
            std::make_unique<required_rows>(path_of("required_rows"), is_effective), whole);
    if (whole && !o.without_oracle)
        results.limit(std::make_unique<open_elements>(path_of("open_elements")));
}

void speak(interpreter &language, const own_options &o) {
    language.run(o.tokens);
    if (!o.set.name.empty()) run_set(language, o.set);
}

using case_visitor = std::function<void(const test_case &, const run_options &, std::size_t)>;

// An interpreter that shows the cases of the run, numbered.
interpreter interpreter_of(const own_options &o, const case_visitor &visit) {
    return interpreter(
        [&o, visit, sample = sampler(o.set), place = std::size_t(0), next = std::size_t(0)](
            const test_case &c, const run_options &options) mutable {
            if (!options.walk_only && !sample.takes(c)) return;
            if (is_chosen(o, place++)) visit(c, options, next++);
        },
        batch_folders());
}

std::size_t count_cases(const own_options &o) {
    std::size_t count = 0;
    interpreter language =
        interpreter_of(o, [&](const test_case &, const run_options &, std::size_t) { ++count; });
    speak(language, o);
    return count;
}

void print_help(const interpreter &language) {
    const driver *const d = language.current_driver();
    if (!d) return print_usage();
    std::printf("--%s, in nesting order:\n", d->name.c_str());
    for (const knob &k : d->knobs)
        std::printf("  --%s=...  default '%s'\n", k.name.c_str(), k.initial.c_str());
    if (!d->keys.empty()) std::printf("entries: %s n\n", d->keys.c_str());
}

// What is wrong with the tokens ends the run, but not its summary.
int exit_code_of(const std::function<void()> &action) {
    try {
        action();
    } catch (const usage_error &error) {
        std::fprintf(stderr, "dnnl-conformance: %s\n", error.what());
        return error.exit_code;
    }
    return 0;
}

int speak_and_tell(interpreter &language, const own_options &o) {
    if (const int code = exit_code_of([&] { speak(language, o); })) return code;
    if (!language.help_wanted() && language.ends_with_option() && o.set.name.empty())
        std::fprintf(stderr, "warning: No problem found for the options at the end\n");
    return 0;
}

// One process's part of a run that several share.
void work(const own_options &o, worker &self) {
    runner judge(o.set.seed, !o.without_oracle);
    const auto run_one = [&](const test_case &c, const run_options &options, std::size_t index) {
        if (!self.claims(index, c.line())) return;
        try {
            self.finish(judge.run(c, options, index));
        } catch (const usage_error &error) {
            case_result result;
            result.index = index;
            result.line = c.line();
            result.reason = error.what();
            self.finish(result);
        }
    };
    try {
        interpreter language = interpreter_of(o, run_one);
        speak(language, o);
    } catch (const usage_error &) {
        // The process that started this one reads the same tokens, and tells.
    }
}

int run_cases(const own_options &o) {
    std::string why_not;
    if (!o.require_isa.empty() && !reaches_cap(o.require_isa, why_not)) {
        std::printf("skipped: %s\n0 passed, 0 failed, 1 skipped\n", why_not.c_str());
        return 77;
    }
    report results;
    demand_of_library(o, results);
    if (!o.hashes.empty()) results.write_hashes_to(o.hashes);
    if (isatty(fileno(stderr)) && isatty(fileno(stdout))) results.show_progress(count_cases(o));
    std::optional<runner> judge;
    std::optional<creation_ahead> cases;
    if (o.jobs == 1) {
        judge.emplace(o.set.seed, !o.without_oracle);
        cases.emplace(*judge, threads_of_runtime(),
            [&](const case_result &result) { results.finish_case(result); });
    }
    interpreter language =
        interpreter_of(o, [&](const test_case &c, const run_options &options, std::size_t index) {
            results.speak_case_language(options.global.mode_given);
            results.set_verbose(options.global.verbose);
            results.set_parts(options.global.summary);
            if (!cases || (o.until_failure && results.failed() > 0)) return;
            cases->take(c, options, index);
        });
    int exit_code = speak_and_tell(language, o);
    if (cases) exit_code = std::max(exit_code, exit_code_of([&] { cases->finish(); }));
    if (language.help_wanted()) return print_help(language), exit_code;
    if (!judge)
        run_in_workers(
            o.jobs, [&](worker &self) { work(o, self); }, results, o.until_failure);
    results.print_summary();
    if (!o.json.empty()) write_json(results.results(), o.json);
    if (!o.html.empty()) write_html(results.results(), o.html);
    return exit_code != 0 ? exit_code : results.failed() > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
    // Of this library: next_impl() then reaches every row of reorder, concat and sum as well.
    setenv("ONEDNN_WALK_EVERY_PRIMITIVE", "1", 1);
    try {
        const own_options o = options_of({argv + 1, argv + argc});
        if (o.help) return print_usage(), 0;
        if (!o.caps.empty()) return run_per_cap(o.rest, o.caps);
        if (!o.threads.empty()) return run_per_thread_count(o.rest, o.threads);
        if (o.jobs > 1) let_waiting_threads_sleep(argv);
        return run_cases(o);
    } catch (const usage_error &error) {
        std::fprintf(stderr, "dnnl-conformance: %s\n", error.what());
        return error.exit_code;
    }
}
