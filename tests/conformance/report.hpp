// SPDX-License-Identifier: Apache-2.0
// Counts and lines of a run: cases, rows, fills, refusals by reason.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

namespace conformance {

enum class verdict { passed, failed, skipped, listed };

class report {
  public:
    explicit report(int verbose) : verbose_(verbose) {}

    /// One execution of one row.
    void count_execution(const std::string &row, bool good);
    /// Elements judged in one tensor, and how many of them the specification leaves open.
    void count_elements(std::size_t judged, std::size_t open);
    /// One case; `detail` is the reason of a skip or the first failure.
    void finish_case(const std::string &line, verdict result, const std::string &detail);
    /// A request that no row accepted.
    void count_refusal(const std::string &primitive, const std::string &reason);
    /// Result bits of one implementation of the current case, for comparisons between runs.
    void record_hash(const std::string &line, const std::string &row, std::uint64_t hash);
    /// Writes recorded hashes to a file from now on.
    void write_hashes_to(const std::string &path);
    void print_summary() const;
    std::size_t cases() const { return next_index_; }
    std::size_t failed() const { return failed_; }
    void set_verbose(int verbose) { verbose_ = verbose; }
    ~report();

  private:
    struct row_counts {
        std::size_t executions = 0, failures = 0;
    };
    int verbose_;
    std::size_t next_index_ = 0, passed_ = 0, failed_ = 0, skipped_ = 0, listed_ = 0,
                executions_ = 0, elements_ = 0, open_ = 0;
    std::map<std::string, row_counts> rows_;
    std::map<std::string, std::size_t> refusals_, skips_;
    std::FILE *hashes_ = nullptr;
};

} // namespace conformance
