// SPDX-License-Identifier: Apache-2.0
// Counting and printing of results.
#include "report/report.hpp"

#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "report/open_elements.hpp"
#include "report/required_rows.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace conformance {

const char *name_of(status s) {
    static const char *const names[] = {"LISTED", "SKIPPED", "INVALID_ARGUMENTS", "UNIMPLEMENTED",
        "INITIALIZED", "EXECUTED", "PASSED", "MISTRUSTED", "FAILED"};
    return names[int(s)];
}

void score_statistics::add(double score) {
    ++count_;
    worst_ = std::max(worst_, score);
    const double bucket = score <= 0 ? 0 : std::floor(std::log2(score) * 8) + 192;
    ++histogram_[std::size_t(std::clamp<double>(bucket, 0, buckets - 1))];
}

void score_statistics::add(const score_statistics &other) {
    count_ += other.count_;
    worst_ = std::max(worst_, other.worst_);
    for (std::size_t i = 0; i < histogram_.size(); ++i) histogram_[i] += other.histogram_[i];
}

score_statistics score_statistics::of(
    double worst, const std::array<std::uint32_t, buckets> &histogram) {
    score_statistics result;
    result.worst_ = worst;
    result.histogram_ = histogram;
    for (std::uint32_t count : histogram) result.count_ += count;
    return result;
}

double score_statistics::percentile_99_99() const {
    std::size_t above = 0;
    for (int bucket = buckets - 1; bucket > 0; --bucket) {
        above += histogram_[std::size_t(bucket)];
        if (above * 10000 > count_) return std::min(worst_, std::exp2((bucket - 191) / 8.0));
    }
    return 0;
}

element_count run_summary::elements_of_all() const {
    element_count all;
    for (const auto &[key, counts] : elements)
        for (const element_total &part : counts) {
            all.judged += part.all.judged;
            all.open += part.all.open;
        }
    return all;
}

std::size_t run_summary::passed(bool case_language) const {
    return count(status::passed) + count(status::executed) + count(status::initialized) +
           (case_language ? count(status::mistrusted) : 0);
}

std::size_t run_summary::failed(bool case_language) const {
    return count(status::failed) + count(status::invalid_arguments) +
           (case_language ? count(status::unimplemented) : 0);
}

namespace {
/// A refusal without what differs from problem to problem: the tensors, in parentheses, and what
/// the implementations say behind them.
std::string kind_of_reason(const std::string &reason) {
    return reason.substr(0, reason.find(" ("));
}
} // namespace

report::report() : start_(std::chrono::steady_clock::now()) {}

report::~report() {
    if (hashes_) std::fclose(hashes_);
}

void report::count_rows(const case_result &result) {
    for (const row_result &part : result.rows) {
        if (part.executions == 0) continue;
        row_summary &row = summary_.rows[{result.driver, result.types, part.implementation}];
        ++row.cases;
        ++summary_.case_rows;
        row.executions += part.executions;
        summary_.executions += part.executions;
        row.failures += part.failures;
        if (row.worst_line.empty() || part.scores.worst() > row.scores.worst())
            row.worst_line = result.line;
        row.scores.add(part.scores);
        if (hashes_)
            std::fprintf(hashes_, "%016llx %s %s | %s\n",
                static_cast<unsigned long long>(part.hash), result.driver.c_str(),
                part.implementation.c_str(), result.line.c_str());
    }
}

void report::require(std::unique_ptr<required_rows> rows, bool whole_set) {
    required_ = std::move(rows);
    whole_set_ = whole_set;
}

void report::limit(std::unique_ptr<open_elements> ceilings) { ceilings_ = std::move(ceilings); }

// A case that lacks a row which it must have has failed, whatever the other rows did.
void report::demand_rows(case_result &result) {
    const bool refused = result.what == status::unimplemented;
    if (!result.walked && !refused) return;
    const auto missing = required_->missing(result);
    if (missing.empty()) return;
    const std::string also = result.reason.empty() ? "" : "; " + result.reason;
    result.what = status::failed;
    result.reason = "required row " + joined(missing, ", ") + " does not take the case" + also;
}

// A failure of no single case.
void report::fail_run(const std::string &driver, const std::string &reason) {
    case_result result;
    result.index = summary_.cases;
    result.driver = driver;
    result.line = driver.empty() ? "(the whole run)" : "(all of --" + driver + ")";
    result.reason = reason;
    ++summary_.statuses[std::size_t(status::failed)];
    print_line(result);
    summary_.failures.push_back(std::move(result));
}

// What only the whole run shows.
void report::judge_run() {
    if (case_language_) return;
    if (required_ && whole_set_)
        for (const std::string &row : required_->never_asked())
            fail_run("", "no case fits a rule of required_rows: " + row);
    if (!ceilings_) return;
    for (const auto &[key, counts] : summary_.elements)
        for (std::size_t kind = 0; kind < counts.size(); ++kind) {
            const std::string excess =
                ceilings_->excess(key.first, key.second, fill_names[kind], counts[kind]);
            if (!excess.empty()) fail_run(key.first, excess);
        }
}

void report::finish_case(case_result result) {
    if (required_ && !case_language_) demand_rows(result);
    ++summary_.cases;
    ++summary_.statuses[std::size_t(result.what)];
    summary_.one_element += result.one_element;
    auto &elements = summary_.elements[{result.driver, result.types}];
    for (std::size_t kind = 0; kind < elements.size(); ++kind)
        elements[kind].add(result.elements[kind]);
    measured_ |= result.measured;
    least_ms_ += result.least_ms;
    mean_ms_ += result.mean_ms;
    count_rows(result);
    if (result.what == status::skipped || result.what == status::mistrusted)
        ++summary_.skips[result.reason];
    if (result.what == status::unimplemented) ++summary_.refusals[kind_of_reason(result.reason)];
    const bool failure = result.what == status::failed || result.what == status::invalid_arguments;
    if (failure) summary_.failures.push_back(result);
    const bool wanted = case_language_ || failure || verbose_ >= 1 || result.what == status::listed;
    if (wanted && !result.silent) print_line(result);
    draw_progress();
}

void report::print_line(const case_result &result) const {
    clear_progress();
    const std::string reason = result.reason.empty() ? "" : " (" + result.reason + ")";
    std::printf("%zu:%s%s", result.index, name_of(result.what), reason.c_str());
    if (result.errors > 0) std::printf(" (errors:%zu total:%zu)", result.errors, result.total);
    std::printf(" __REPRO: %s\n", result.line.c_str());
    std::fflush(stdout);
}

void report::write_hashes_to(const std::string &path) {
    hashes_ = std::fopen(path.c_str(), "w");
    if (!hashes_) throw usage_error("cannot write '" + path + "'");
}

void report::draw_progress() const {
    if (expected_cases_ == 0 || summary_.cases % 8 != 0) return;
    constexpr std::size_t width = 40;
    const std::size_t done = std::min(width, summary_.cases * width / expected_cases_);
    const std::size_t failed_cases = summary_.failed(case_language_);
    std::fprintf(stderr, "\r[%s%s] %zu of %zu, %zu failed ", std::string(done, '#').c_str(),
        std::string(width - done, '.').c_str(), summary_.cases, expected_cases_, failed_cases);
}

void report::clear_progress() const {
    if (expected_cases_ > 0) std::fprintf(stderr, "\r%80s\r", "");
}

// A long table is printed by implementation over all types; files have all of it.
void report::print_rows() const {
    constexpr std::size_t longest = 60;
    const bool whole = summary_.rows.size() <= longest || verbose_ >= 1;
    std::map<row_key, row_summary> shown;
    std::map<row_key, std::set<std::string>> types;
    for (const auto &[key, row] : summary_.rows) {
        const auto &[primitive, type, implementation] = key;
        const row_key place {primitive, whole ? type : "", implementation};
        row_summary &sum = shown[place];
        if (row.scores.worst() >= sum.scores.worst()) sum.worst_line = row.worst_line;
        sum.cases += row.cases;
        sum.executions += row.executions;
        sum.failures += row.failures;
        sum.scores.add(row.scores);
        types[place].insert(type);
    }
    std::printf("%-10s %-18s %-28s %8s %10s %7s %8s %8s  worst case\n", "primitive", "types",
        "implementation", "cases", "executions", "failed", "s max", "s 99.99%");
    for (const auto &[key, row] : shown) {
        const auto &[primitive, type, implementation] = key;
        const std::string of_types =
            whole ? type : std::to_string(types[key].size()) + " combinations";
        std::printf("%-10s %-18s %-28s %8zu %10zu %7zu %8.3g %8.3g  %s\n", primitive.c_str(),
            of_types.c_str(), implementation.c_str(), row.cases, row.executions, row.failures,
            row.scores.worst(), row.scores.percentile_99_99(), row.worst_line.c_str());
    }
    if (!whole)
        std::printf("(by types: %zu lines with -v1, --json or --report)\n", summary_.rows.size());
}

void report::print_tables() const {
    if (!summary_.rows.empty()) print_rows();
    if (!summary_.refusals.empty()) std::printf("unimplemented, by reason:\n");
    for (const auto &[reason, count] : summary_.refusals)
        std::printf("  %8zu  %s\n", count, reason.c_str());
    if (!summary_.skips.empty()) std::printf("skipped, by reason:\n");
    for (const auto &[reason, count] : summary_.skips)
        std::printf("  %8zu  %s\n", count, reason.c_str());
    std::printf("lines: %zu (%zu of one element), lines x rows: %zu, lines x rows x fills: %zu\n",
        summary_.cases, summary_.one_element, summary_.case_rows, summary_.executions);
    const element_count all = summary_.elements_of_all();
    std::printf(
        "elements judged: %zu, left open by the specification: %zu\n", all.judged, all.open);
    if (summary_.count(status::initialized) > 0)
        std::printf("walked along their rows only: %zu\n", summary_.count(status::initialized));
    if (summary_.count(status::listed) > 0)
        std::printf("listed: %zu\n", summary_.count(status::listed));
    std::printf("%.1f s\n%zu passed, %zu failed, %zu skipped\n", summary_.seconds,
        summary_.passed(false), summary_.failed(false),
        summary_.count(status::skipped) + summary_.count(status::unimplemented) +
            summary_.count(status::mistrusted));
}

// What --summary asks for.
void report::print_summary_parts() const {
    if (parts_.implementations || parts_.implementations_csv) {
        std::map<std::string, std::size_t> counts;
        for (const auto &[key, row] : summary_.rows) counts[std::get<2>(key)] += row.cases;
        if (parts_.implementations)
            std::printf("= Implementation statistics (--summary=no-impl to disable) =\n");
        for (const auto &[name, count] : counts)
            if (parts_.implementations) std::printf("%s : %zu\n", name.c_str(), count);
        if (parts_.implementations_csv) std::printf("impl,cases\n");
        for (const auto &[name, count] : counts)
            if (parts_.implementations_csv) std::printf("%s,%zu\n", name.c_str(), count);
    }
    if (!parts_.failures || summary_.failures.empty()) return;
    std::printf("= Failed cases summary (--summary=no-failures to disable) =\n");
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < std::min(most, summary_.failures.size()); ++i)
        print_line(summary_.failures[i]);
}

void report::print_case_language_end() const {
    print_summary_parts();
    const auto count = [&](status s) { return summary_.count(s); };
    std::printf("tests:%zu passed:%zu skipped:%zu mistrusted:%zu unimplemented:%zu "
                "invalid_arguments:%zu failed:%zu listed:%zu\n",
        summary_.cases, summary_.passed(false), count(status::skipped), count(status::mistrusted),
        count(status::unimplemented), count(status::invalid_arguments), summary_.failed(true),
        count(status::listed));
    if (measured_) std::printf("total perf: min(ms):%.6g avg(ms):%.6g\n", least_ms_, mean_ms_);
    std::printf("total: %.2fs\n", summary_.seconds);
}

void report::print_summary() {
    clear_progress();
    judge_run();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
    summary_.seconds = time.count();
    if (case_language_)
        print_case_language_end();
    else
        print_tables();
    std::fflush(stdout);
}

} // namespace conformance
