// SPDX-License-Identifier: Apache-2.0
// Counts, lines and tables of a run.
#pragma once

#include "language/global_options.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace conformance {

/// Statuses of a case, as the result lines of benchdnn name them.
enum class status {
    listed,
    skipped,
    invalid_arguments,
    unimplemented,
    initialized,
    executed,
    passed,
    mistrusted,
    failed
};
const char *name_of(status s);

/// How far results were from the exact value, in units of what is allowed: |g - y| / (B + ulp/2).
class score_statistics {
  public:
    void add(double score);
    void add(const score_statistics &other);
    double worst() const { return worst_; }
    std::size_t count() const { return count_; }
    /// The score that all but one in 10,000 results stay below; from a histogram of eighths of
    /// octaves.
    double percentile_99_99() const;

    static constexpr int buckets = 256;
    const std::array<std::uint32_t, buckets> &histogram() const { return histogram_; }
    /// Statistics of another process.
    static score_statistics of(double worst, const std::array<std::uint32_t, buckets> &histogram);

  private:
    std::array<std::uint32_t, buckets> histogram_ {};
    double worst_ = 0;
    std::size_t count_ = 0;
};

/// Elements that executions with one fill wrote: all that are judged, and those among them of which
/// the oracle says nothing.
struct element_count {
    std::size_t judged = 0, open = 0;
};

/// By fill: E, R, X.
using element_counts = std::array<element_count, 3>;

/// Those of several cases, and those of the case that leaves most open.
struct element_total {
    element_count all, most_open;
    void add(const element_count &of_case) {
        all.judged += of_case.judged;
        all.open += of_case.open;
        if (of_case.open > most_open.open) most_open = of_case;
    }
};
constexpr const char *fill_names = "ERX";

/// What one implementation did in a case.
struct row_result {
    std::string implementation;
    std::size_t executions = 0, failures = 0;
    std::uint64_t hash = 0; // of the result bits, for comparisons between runs
    score_statistics scores;
};

/// The end of one case.
struct case_result {
    std::size_t index = 0; // in the order of the run
    status what = status::failed;
    std::string driver, direction, types;
    std::string line;   // reads back as the case
    std::string reason; // of a skip or a refusal; the first failure
    std::size_t errors = 0, total = 0;
    element_counts elements;
    bool one_element = false; // no tensor has more than one element
    bool silent = false;      // no result line (a performance line stands for it)
    bool walked = false;      // the rows are all that next_impl() has
    bool measured = false;
    double least_ms = 0, mean_ms = 0; // if measured
    std::vector<row_result> rows;
};

/// One line of the summary table.
struct row_summary {
    std::size_t cases = 0, executions = 0, failures = 0;
    score_statistics scores;
    std::string worst_line; // case with the worst score
};

/// Primitive, element types, implementation.
using row_key = std::tuple<std::string, std::string, std::string>;

/// Everything that a run found out.
struct run_summary {
    std::array<std::size_t, 9> statuses {}; // by status
    std::size_t cases = 0, case_rows = 0, executions = 0, one_element = 0;
    std::map<row_key, row_summary> rows;
    std::map<std::pair<std::string, std::string>, std::array<element_total, 3>>
        elements;                                       // by primitive and types
    std::map<std::string, std::size_t> refusals, skips; // by reason
    std::vector<case_result> failures;
    double seconds = 0;
    std::size_t count(status s) const { return statuses[std::size_t(s)]; }
    element_count elements_of_all() const;
    /// As benchdnn counts them in its language; elsewhere what is mistrusted counts as skipped.
    std::size_t passed(bool case_language) const;
    std::size_t failed(bool case_language) const;
};

class required_rows;
class open_elements;

class report {
  public:
    report();
    ~report();
    report(const report &) = delete;
    report &operator=(const report &) = delete;
    /// Every case has its result line, and the run ends with the lines of benchdnn;
    /// without it refused requests count as skipped, only failures have a line, and tables and
    /// "N passed, N failed, N skipped" are at the end.
    void speak_case_language(bool wanted) { case_language_ = wanted; }
    void set_verbose(int verbose) { verbose_ = verbose; }
    void set_parts(const summary_parts &parts) { parts_ = parts; }
    /// Shows a bar on the terminal, out of so many cases.
    void show_progress(std::size_t expected_cases) { expected_cases_ = expected_cases; }

    /// Cases that lack a row fail from now on; `whole_set`: so does the run for a row that no case
    /// has asked for.
    void require(std::unique_ptr<required_rows> rows, bool whole_set);
    /// The run fails for a primitive and types that leave more elements open than the ceiling says.
    void limit(std::unique_ptr<open_elements> ceilings);

    void finish_case(case_result result);
    /// Writes recorded hashes to a file from now on.
    void write_hashes_to(const std::string &path);
    /// Tables and last lines.
    void print_summary();
    const run_summary &results() const { return summary_; }
    std::size_t failed() const { return summary_.failed(case_language_); }

  private:
    void demand_rows(case_result &result);
    void fail_run(const std::string &driver, const std::string &reason);
    void judge_run();
    void count_rows(const case_result &result);
    void print_line(const case_result &result) const;
    void print_tables() const;
    void print_rows() const;
    void print_summary_parts() const;
    void print_case_language_end() const;
    void draw_progress() const;
    void clear_progress() const;

    int verbose_ = 0;
    summary_parts parts_;
    bool case_language_ = false;
    std::size_t expected_cases_ = 0;
    run_summary summary_;
    double least_ms_ = 0, mean_ms_ = 0;
    bool measured_ = false;
    std::chrono::steady_clock::time_point start_;
    std::FILE *hashes_ = nullptr;
    std::unique_ptr<required_rows> required_;
    std::unique_ptr<open_elements> ceilings_;
    bool whole_set_ = false;
};

/// Files of the whole result.
void write_json(const run_summary &summary, const std::string &path);
void write_html(const run_summary &summary, const std::string &path);

} // namespace conformance
