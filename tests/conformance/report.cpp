// SPDX-License-Identifier: Apache-2.0
// Printing of results; the last line is the project's "N passed, N failed, N skipped".
#include "report.hpp"

#include "usage_error.hpp"

namespace conformance {

report::~report() {
    if (hashes_) std::fclose(hashes_);
}

void report::count_execution(const std::string &row, bool good) {
    ++executions_;
    ++rows_[row].executions;
    if (!good) ++rows_[row].failures;
}

void report::count_elements(std::size_t judged, std::size_t open) {
    elements_ += judged;
    open_ += open;
}

void report::count_refusal(const std::string &primitive, const std::string &reason) {
    ++refusals_[primitive + ": " + reason];
}

void report::finish_case(const std::string &line, verdict result, const std::string &detail) {
    static const char *const names[] = {"PASSED", "FAILED", "SKIPPED", "LISTED"};
    const int index = int(next_index_++);
    std::size_t *const counters[] = {&passed_, &failed_, &skipped_, &listed_};
    ++*counters[int(result)];
    if (result == verdict::skipped) ++skips_[detail];
    if (result == verdict::listed) {
        std::printf("%d:LISTED __REPRO: %s\n", index, line.c_str());
        return;
    }
    if (result != verdict::failed && verbose_ < 1) return;
    const std::string reason = detail.empty() ? "" : " (" + detail + ")";
    std::printf("%d:%s%s __REPRO: %s\n", index, names[int(result)], reason.c_str(), line.c_str());
    std::fflush(stdout);
}

void report::write_hashes_to(const std::string &path) {
    hashes_ = std::fopen(path.c_str(), "w");
    if (!hashes_) throw usage_error("cannot write '" + path + "'");
}

void report::record_hash(const std::string &line, const std::string &row, std::uint64_t hash) {
    if (hashes_)
        std::fprintf(hashes_, "%016llx %s | %s\n", static_cast<unsigned long long>(hash),
            row.c_str(), line.c_str());
}

void report::print_summary() const {
    if (!rows_.empty()) std::printf("rows (executions, failures):\n");
    for (const auto &row : rows_)
        std::printf(
            "  %8zu %6zu  %s\n", row.second.executions, row.second.failures, row.first.c_str());
    if (!refusals_.empty()) std::printf("unimplemented, by reason:\n");
    for (const auto &refusal : refusals_)
        std::printf("  %8zu  %s\n", refusal.second, refusal.first.c_str());
    if (!skips_.empty()) std::printf("skipped, by reason:\n");
    for (const auto &skip : skips_)
        if (skip.first.rfind("unimplemented", 0) != 0)
            std::printf("  %8zu  %s\n", skip.second, skip.first.c_str());
    std::printf("cases: %zu, rows: %zu, executions: %zu, listed: %zu\n", next_index_, rows_.size(),
        executions_, listed_);
    std::printf("elements judged: %zu, left open by the specification: %zu\n", elements_, open_);
    std::printf("%zu passed, %zu failed, %zu skipped\n", passed_, failed_, skipped_);
    std::fflush(stdout);
}

} // namespace conformance
