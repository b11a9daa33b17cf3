// SPDX-License-Identifier: Apache-2.0
// What was measured, per case and per family, and its texts: a table, TSV, JSON.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace bench {

/// One library on one case; times in microseconds.
struct library_times {
    std::string implementation, fault; ///< fault: why there are no times
    double run_us = 0;                 ///< of one execution: the median of the rounds' medians
    double first_creation_us = 0, creation_us = 0;
    bool is_measured() const { return run_us > 0; }
};

struct case_result {
    std::string family; ///< shape file, driver, direction, algorithm, types
    std::string name, line;
    double operations = 0, bytes = 0;
    /// Of the peak that the table of peaks has for the types or, without products, of the speed of
    /// copying as many bytes; 0: not measured.
    double peak_share = 0;
    library_times ours, theirs;
    int repeated = 0; ///< how often it was measured again because the ratio was low

    bool is_compared() const { return ours.is_measured() && theirs.is_measured(); }
    /// time(theirs) / time(ours): above 1 we are faster.
    double ratio() const { return theirs.run_us / ours.run_us; }
    double gmacs() const { return operations / 2 / (ours.run_us * 1e3); }
    double gigabytes_per_second() const { return bytes / (ours.run_us * 1e3); }
};

struct family_result {
    std::string name;
    std::size_t cases = 0, compared = 0;
    double mean_ratio = 0, mean_creation_ratio = 0; ///< geometric
    double least_ratio = 0;
};

struct measured_peak {
    std::string name, unit;
    double value;
};

struct measurements {
    std::string our_version, our_file, their_version, their_file, machine, date;
    int threads = 1;
    bool cold = false;
    std::vector<measured_peak> peaks;
    std::vector<case_result> cases;
};

/// In the order in which families came.
std::vector<family_result> families_of(const measurements &m);
/// The cases with the lowest ratios, worst first.
std::vector<const case_result *> worst_of(const measurements &m, std::size_t count);

void print_case(std::FILE *to, const case_result &c);
void print_summary(std::FILE *to, const measurements &m);
/// Errors of the next three: std::runtime_error when the file cannot be written.
void write_tsv(const measurements &m, const std::string &file);
void write_json(const measurements &m, const std::string &file);
/// One page without other files: ratios and shares of the peak per shape, creation times.
void write_html(const measurements &m, const std::string &file);

} // namespace bench
