// SPDX-License-Identifier: Apache-2.0
// Sets are made of the files in cases/ and inputs/ and of random problems.
#include "execution/sets.hpp"

#include "execution/random_cases.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

namespace conformance {
namespace {

// Files of cases/ beside those named like a driver.
const char *const files_of_default[] = {"types.txt", "matmul_sparse.txt", "networks.txt",
    "borders.txt", "pieces.txt", "layouts.txt", "select.txt", "interface_3_13.txt",
    "quantization.txt"};
const char *const files_of_walk[] = {"support.txt", "rows.txt"};
const char *const files_of_full[] = {"full.txt"};

constexpr std::size_t random_of_smoke = 20, random_of_default = 100, random_of_full = 2500;

// What is computed; everything else is shown with each of its values.
bool leads(const std::string &knob) {
    for (const char *name : {"dir", "prop", "dt", "sdt", "cfg", "alg"})
        if (knob == name) return true;
    return false;
}

void run_random(
    interpreter &language, const std::string &driver_name, std::size_t count, std::uint64_t seed) {
    for (const std::string &line : random_cases(driver_name, count, seed))
        language.run(batch_tokens(line));
}

void run_driver_files(interpreter &language, std::size_t random, std::uint64_t seed) {
    for (const std::string &name : driver_names()) {
        language.run({"--" + name});
        const std::string file = name + ".txt";
        if (language.has_batch_file(file)) language.run({"--batch=" + file});
        run_random(language, name, random, seed);
    }
}

void run_file(interpreter &language, const std::string &file, bool must_exist) {
    if (must_exist || language.has_batch_file(file)) language.run({"--batch=" + file});
}

// "random:SEED:COUNT": COUNT problems, the drivers in turn.
void run_random_set(interpreter &language, const std::string &name) {
    const auto fields = split(name, ':');
    if (fields.size() != 3) throw usage_error("the random set is random:SEED:COUNT");
    const auto seed = std::uint64_t(integer_of(fields[1], "seed"));
    const auto count = std::size_t(integer_of(fields[2], "count"));
    std::vector<std::string> with_generator;
    for (const std::string &driver_name : driver_names())
        if (!random_cases(driver_name, 1, seed).empty()) with_generator.push_back(driver_name);
    for (std::size_t i = 0; i < with_generator.size(); ++i) {
        const std::size_t share = count / with_generator.size();
        const std::size_t rest = i < count % with_generator.size() ? 1 : 0;
        run_random(language, with_generator[i], share + rest, seed);
    }
}

} // namespace

bool is_whole_set(const set_options &options) {
    return options.name == "smoke" || options.name == "default" || options.name == "full";
}

bool sampler::is_new(const std::string &what) { return seen_.insert(what).second; }

bool sampler::takes(const test_case &c) {
    if (takes_all_) return true;
    if (!c.name().empty()) return false;
    std::vector<std::string> leading = {""}, all;
    for (const auto &[knob, value] : c.settings) {
        if (c.is_default(knob)) continue;
        all.push_back(knob + "=" + value);
        if (leads(knob)) leading.push_back(all.back());
    }
    bool shows_more = is_new(c.what->name + " " + c.bare_problem());
    for (const std::string &first : leading)
        for (const std::string &second : all)
            shows_more |= is_new(c.what->name + " " + first + " " + second);
    return shows_more;
}

void run_set(interpreter &language, const set_options &options) {
    if (options.name.rfind("random:", 0) == 0) return run_random_set(language, options.name);
    const bool full = options.name == "full", smoke = options.name == "smoke";
    if (is_whole_set(options)) {
        const std::size_t random = full    ? random_of_full
                                   : smoke ? random_of_smoke
                                           : random_of_default;
        run_driver_files(language, options.random ? options.random : random, options.seed);
        for (const char *file : files_of_default) run_file(language, file, false);
        // Every primitive, propagation kind and types that there are, for the rows that they need.
        language.walk_only(true);
        for (const char *file : files_of_walk) run_file(language, file, true);
        language.walk_only(false);
        if (!full) return;
        for (const char *file : files_of_full) run_file(language, file, true);
        return;
    }
    for (const std::string &name : split(options.name, ',')) {
        if (find_driver(name)) language.run({"--" + name});
        run_file(language, name + ".txt", true);
        if (find_driver(name)) run_random(language, name, options.random, options.seed);
    }
}

} // namespace conformance
