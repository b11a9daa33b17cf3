// SPDX-License-Identifier: Apache-2.0
// dnnl-bench: how fast a library with the oneDNN API is, alone or against another one.
#include "case_server.hpp"
#include "execution/interpreter.hpp"
#include "language/usage_error.hpp"
#include "library_process.hpp"
#include "peaks.hpp"
#include "prepared_case.hpp"
#include "results.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <unistd.h>

namespace {

using namespace bench;

struct options {
    std::string against, tsv, json, html;
    int rounds = 5, repetitions = 3;
    double ms = 20, floor = 0.85;
    bool cold = false, without_peaks = false, same = false;
    std::vector<std::string> words; ///< of the case language
};

/// A case, and the file of shapes that it comes from.
struct planned_case {
    conformance::test_case what;
    std::string shapes;
};

std::vector<std::string> folders_of_shapes() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    std::string program(path, length > 0 ? static_cast<std::size_t>(length) : 0);
    program.resize(program.rfind('/') + 1);
    return {program + "../share/dnnl/bench/shapes", DNNL_BENCH_SHAPES};
}

/// "matmul_2d" of "--batch=folder/matmul_2d.txt".
std::string shapes_of(const std::string &word) {
    const std::string file = word.substr(word.find('=') + 1);
    const std::size_t begin = file.rfind('/') + 1, dot = file.rfind('.');
    return file.substr(begin, dot == std::string::npos || dot < begin ? dot : dot - begin);
}

std::vector<planned_case> cases_of(const std::vector<std::string> &words) {
    std::vector<planned_case> cases;
    std::string shapes;
    conformance::interpreter language(
        [&](const conformance::test_case &c, const conformance::run_options &) {
            cases.push_back({c, shapes});
        },
        folders_of_shapes());
    for (const std::string &word : words) {
        const bool is_file = word.rfind("--batch=", 0) == 0;
        shapes = is_file ? shapes_of(word) : "";
        language.run({word});
    }
    return cases;
}

std::string contents(const std::string &file) {
    std::ifstream from(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(from), {}};
}

/// The case is prepared in this library; false with the reason in `to` where it cannot be.
bool prepare(
    library_process &library, const std::string &line, library_times &to, nlohmann::json &answer) {
    answer = library.ask("prepare " + line);
    if (answer.contains("fault")) {
        to.fault = answer["fault"];
        return false;
    }
    to.implementation = answer["implementation"];
    to.first_creation_us = answer["first_creation_us"];
    to.creation_us = answer["creation_us"];
    return true;
}

class measuring {
  public:
    measuring(const options &o, measurements &to) : o_(o), to_(to) {
        to_.our_version = ours_.version();
        to_.our_file = ours_.file();
        if (o_.against.empty()) return;
        theirs_ = std::make_unique<library_process>(o_.against);
        to_.their_version = theirs_->version();
        to_.their_file = theirs_->file();
        if (!o.same && contents(to_.our_file) == contents(to_.their_file))
            throw std::runtime_error(o.against + " is the library that this program has itself (" +
                                     to_.our_file + "): name another one, or say --same");
    }

    case_result measure(const planned_case &planned) {
        const conformance::test_case &c = planned.what;
        case_result result;
        result.line = c.line();
        result.name = c.name();
        const auto algorithm = c.settings.find("alg");
        for (const std::string &part : {planned.shapes, c.what->name, c.direction(),
                 algorithm == c.settings.end() ? "" : algorithm->second, c.types()})
            if (!part.empty() && part != "-")
                result.family += (result.family.empty() ? "" : " ") + part;
        nlohmann::json answer, other;
        if (!prepare(ours_, result.line, result.ours, answer)) return result;
        result.operations = answer["operations"];
        result.bytes = answer["bytes"];
        const bool compares = theirs_ && prepare(*theirs_, result.line, result.theirs, other);
        run_rounds(result, compares);
        while (compares && result.is_compared() && result.ratio() < o_.floor &&
               result.repeated < o_.repetitions)
            run_again(result);
        if (!o_.without_peaks && result.ours.is_measured()) add_share(result, c.types());
        return result;
    }

  private:
    double round(library_process &library, std::string &fault) const {
        const nlohmann::json answer =
            library.ask("run " + std::to_string(o_.ms) + (o_.cold ? " cold" : " warm"));
        if (answer.contains("fault")) {
            fault = answer["fault"];
            return 0;
        }
        return median(answer["us"].get<std::vector<double>>());
    }

    void add_share(case_result &result, const std::string &types) {
        if (result.operations > 0) {
            result.peak_share = share_of_peak(to_.peaks, types, result.gmacs(), to_.threads);
            return;
        }
        double &copies = copies_[result.bytes];
        if (copies == 0) copies = copy_gigabytes_per_second(result.bytes);
        if (copies > 0) result.peak_share = result.gigabytes_per_second() / (copies * to_.threads);
    }

    /// Both libraries in turn; the median of each one's rounds.
    void run_rounds(case_result &result, bool compares) {
        std::vector<double> ours, theirs;
        for (int i = 0; i < o_.rounds; ++i) {
            ours.push_back(round(ours_, result.ours.fault));
            if (compares) theirs.push_back(round(*theirs_, result.theirs.fault));
        }
        result.ours.run_us = result.ours.fault.empty() ? median(ours) : 0;
        if (compares) result.theirs.run_us = result.theirs.fault.empty() ? median(theirs) : 0;
    }

    /// The better one of two measurements stays.
    void run_again(case_result &result) {
        case_result again = result;
        run_rounds(again, true);
        ++again.repeated;
        ++result.repeated;
        if (again.is_compared() && again.ratio() > result.ratio()) result = again;
    }

    const options &o_;
    measurements &to_;
    library_process ours_ {""};
    std::unique_ptr<library_process> theirs_;
    std::map<double, double> copies_; ///< bytes: GB/s of copying them
};

/// On a terminal a line that shows how far it is; nothing elsewhere.
void show_progress(std::size_t done, std::size_t all) {
    if (!isatty(STDERR_FILENO)) return;
    constexpr std::size_t width = 40;
    const std::size_t filled = all ? done * width / all : width;
    std::cerr << "\r[" << std::string(filled, '=') << std::string(width - filled, ' ') << "] "
              << done << " of " << all << (done == all ? "\n" : "") << std::flush;
}

std::string machine_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

/// The drivers with their options, and examples.
std::string help_of_language() {
    std::string text = "\nDrivers and their options (doc/conformance.md explains them):\n";
    for (const std::string &name : conformance::driver_names()) {
        const conformance::driver *d = conformance::find_driver(name);
        text += "  --" + name + ":";
        for (const conformance::knob &k : d->knobs) text += " --" + k.name;
        text += '\n';
    }
    return text + "\nExamples:\n"
                  "  dnnl-bench --matmul --dt=f32,u8:s8:u8 64x512:512x256\n"
                  "  dnnl-bench --html page.html --conv --dir=FWD_B --batch=conv_resnet50v15.txt\n"
                  "  dnnl-bench --against /other/libdnnl.so.3 --matmul --batch=matmul_small.txt\n"
                  "Exit status: 0, 1 where a case has no times, 2 for a mistake in the call.\n";
}

int run(const options &o) {
    const std::vector<planned_case> cases = cases_of(o.words);
    if (cases.empty()) throw conformance::usage_error("no case: name a driver and its problems");
    measurements m;
    m.machine = machine_name();
    m.date = today();
    m.cold = o.cold;
    m.threads = threads_in_use();
    if (!o.without_peaks) m.peaks = measure_peaks();
    measuring measure(o, m);
    for (const planned_case &c : cases) {
        show_progress(m.cases.size(), cases.size());
        m.cases.push_back(measure.measure(c));
        print_case(stdout, m.cases.back());
        std::fflush(stdout);
    }
    show_progress(cases.size(), cases.size());
    print_summary(stdout, m);
    if (!o.tsv.empty()) write_tsv(m, o.tsv);
    if (!o.json.empty()) write_json(m, o.json);
    if (!o.html.empty()) write_html(m, o.html);
    const auto failed = std::count_if(
        m.cases.begin(), m.cases.end(), [](const case_result &c) { return !c.ours.fault.empty(); });
    if (failed > 0) std::cerr << "dnnl-bench: " << failed << " cases have no times\n";
    return failed > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc == 2 && std::string(argv[1]) == "--serve") return serve_cases();
    options o;
    CLI::App app {"Times the cases of the language of dnnl-conformance: a driver (--matmul), its "
                  "options, problems or --batch=FILE of bench/shapes. OMP_NUM_THREADS says on how "
                  "many threads."};
    app.allow_extras();
    app.add_option("--against", o.against, "another libdnnl.so.3, measured in turn with this one");
    app.add_flag("--same", o.same, "even if it is this one");
    app.add_option("--rounds", o.rounds, "rounds of each library")->check(CLI::PositiveNumber);
    app.add_option("--ms", o.ms, "milliseconds of a round")->check(CLI::PositiveNumber);
    app.add_option("--floor", o.floor, "ratios below are measured again");
    app.add_option("--again", o.repetitions, "how often");
    app.add_flag("--cold", o.cold, "no argument is in a cache before an execution");
    app.add_flag("--no-peaks", o.without_peaks, "do not measure the peaks of the machine");
    app.add_option("--tsv", o.tsv, "writes a table");
    app.add_option("--json", o.json, "writes everything");
    app.add_option("--html", o.html, "writes a page");
    app.footer(help_of_language());
    CLI11_PARSE(app, argc, argv);
    o.words = app.remaining();
    try {
        return run(o);
    } catch (const std::exception &fault) {
        std::cerr << "dnnl-bench: " << fault.what() << '\n';
        return 2;
    }
}
