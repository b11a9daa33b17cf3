// SPDX-License-Identifier: Apache-2.0
// The result of a run as JSON.
#include "report/report.hpp"

#include "language/usage_error.hpp"

#include "oneapi/dnnl/dnnl.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace conformance {
namespace {

using nlohmann::ordered_json;

ordered_json rows_of(const run_summary &summary) {
    ordered_json rows = ordered_json::array();
    for (const auto &[key, row] : summary.rows) {
        const auto &[primitive, types, implementation] = key;
        rows.push_back(
            {{"primitive", primitive}, {"types", types}, {"implementation", implementation},
                {"cases", row.cases}, {"executions", row.executions}, {"failures", row.failures},
                {"score_max", row.scores.worst()}, {"score_99_99", row.scores.percentile_99_99()},
                {"worst_case", row.worst_line}});
    }
    return rows;
}

// Judged elements and those left open, by primitive, types and fill.
ordered_json elements_of(const run_summary &summary) {
    ordered_json all = ordered_json::array();
    for (const auto &[key, counts] : summary.elements)
        for (std::size_t kind = 0; kind < counts.size(); ++kind)
            if (counts[kind].all.judged > 0)
                all.push_back({{"primitive", key.first}, {"types", key.second},
                    {"fill", std::string(1, fill_names[kind])}, {"judged", counts[kind].all.judged},
                    {"open", counts[kind].all.open}});
    return all;
}

ordered_json failures_of(const run_summary &summary) {
    ordered_json failures = ordered_json::array();
    for (const case_result &failure : summary.failures)
        failures.push_back({{"case", failure.line}, {"status", name_of(failure.what)},
            {"reason", failure.reason}, {"errors", failure.errors}, {"total", failure.total}});
    return failures;
}

} // namespace

void write_json(const run_summary &summary, const std::string &path) {
    const dnnl_version_t *const version = dnnl_version();
    const element_count all = summary.elements_of_all();
    ordered_json whole;
    whole["library"] = {
        {"version", std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
                        std::to_string(version->patch)},
        {"hash", version->hash}, {"effective_isa", int(dnnl_get_effective_cpu_isa())}};
    whole["counts"] = {{"lines", summary.cases}, {"one_element_lines", summary.one_element},
        {"lines_x_rows", summary.case_rows}, {"lines_x_rows_x_fills", summary.executions},
        {"elements", all.judged}, {"elements_left_open", all.open},
        {"passed", summary.passed(false)}, {"failed", summary.failed(false)},
        {"skipped", summary.count(status::skipped)},
        {"unimplemented", summary.count(status::unimplemented)},
        {"mistrusted", summary.count(status::mistrusted)},
        {"listed", summary.count(status::listed)}};
    whole["seconds"] = summary.seconds;
    whole["rows"] = rows_of(summary);
    whole["elements"] = elements_of(summary);
    whole["failures"] = failures_of(summary);
    whole["unimplemented"] = summary.refusals;
    whole["skipped"] = summary.skips;
    std::ofstream file(path);
    file << whole.dump(1) << "\n";
    if (!file) throw usage_error("cannot write '" + path + "'");
}

} // namespace conformance
