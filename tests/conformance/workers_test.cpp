// SPDX-License-Identifier: Apache-2.0
// Runs shared by processes: every case once, also when a process dies.
#include "execution/workers.hpp"
#include "report/case_record.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <csignal>
#include <map>
#include <unistd.h>

using namespace conformance;

namespace {

case_result passed_case(std::size_t index) {
    case_result result;
    result.index = index;
    result.what = status::passed;
    result.driver = "matmul";
    result.line = "--matmul " + std::to_string(index);
    return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_record_keeps_everything) {
    case_result result = passed_case(7);
    result.types = "f32:s8:bf16";
    result.reason = "a \"quoted\"\nreason";
    result.errors = 3, result.total = 10, result.elements[2] = {30, 2};
    result.one_element = result.measured = true;
    result.least_ms = 0.5, result.mean_ms = 1.5;
    row_result row;
    row.implementation = "ref:any";
    row.executions = 4, row.failures = 1, row.hash = 0xfedcba9876543210u;
    row.scores.add(0), row.scores.add(0.25), row.scores.add(INFINITY);
    result.rows.push_back(row);
    const std::string record = record_of(result);
    BOOST_CHECK(record.find('\n') == std::string::npos);
    const case_result copy = case_of(record);
    BOOST_CHECK_EQUAL(record_of(copy), record);
    BOOST_CHECK_EQUAL(copy.reason, result.reason);
    BOOST_REQUIRE_EQUAL(copy.rows.size(), 1u);
    BOOST_CHECK_EQUAL(copy.rows[0].hash, row.hash);
    BOOST_CHECK_EQUAL(copy.rows[0].scores.count(), 3u);
    BOOST_CHECK_EQUAL(copy.rows[0].scores.worst(), INFINITY);
}

BOOST_AUTO_TEST_CASE(every_case_runs_once) {
    report results;
    const auto body = [](worker &self) {
        for (std::size_t i = 0; i < 500; ++i)
            if (self.claims(i, "line")) self.finish(passed_case(i));
    };
    run_in_workers(3, body, results);
    BOOST_CHECK_EQUAL(results.results().cases, 500u);
    BOOST_CHECK_EQUAL(results.results().passed(false), 500u);
}

BOOST_AUTO_TEST_CASE(a_process_that_dies_costs_its_case) {
    report results;
    const auto body = [](worker &self) {
        for (std::size_t i = 0; i < 100; ++i) {
            if (!self.claims(i, "--matmul " + std::to_string(i))) continue;
            if (i == 20) _exit(3);
            if (i == 60) raise(SIGKILL);
            self.finish(passed_case(i));
        }
    };
    run_in_workers(2, body, results);
    const run_summary &all = results.results();
    BOOST_CHECK_EQUAL(all.cases, 100u);
    BOOST_CHECK_EQUAL(all.passed(false), 98u);
    std::map<std::string, std::string> reasons; // in either order
    for (const case_result &failure : all.failures) reasons[failure.line] = failure.reason;
    const std::map<std::string, std::string> expected = {
        {"--matmul 20", "the process ended with status 3"},
        {"--matmul 60", "the process ended by signal 9"}};
    BOOST_CHECK(reasons == expected);
}

BOOST_AUTO_TEST_CASE(processes_that_die_between_cases_end_the_run) {
    report results;
    const auto body = [](worker &) { _exit(4); };
    run_in_workers(2, body, results);
    BOOST_CHECK_EQUAL(results.results().failures.size(), 2u);
}

BOOST_AUTO_TEST_CASE(a_run_until_the_first_failure_deals_out_no_further_case) {
    report results;
    const auto body = [](worker &self) {
        for (std::size_t i = 0; i < 500; ++i) {
            if (!self.claims(i, "line")) continue;
            case_result result = passed_case(i);
            if (i == 3) result.what = status::failed;
            usleep(1000); // time for the other process to hear of it
            self.finish(result);
        }
    };
    run_in_workers(2, body, results, true);
    BOOST_CHECK_EQUAL(results.failed(), 1u);
    BOOST_CHECK_GE(results.results().cases, 4u);
    BOOST_CHECK_LT(results.results().cases, 500u);
}
