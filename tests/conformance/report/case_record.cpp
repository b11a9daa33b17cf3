// SPDX-License-Identifier: Apache-2.0
#include "report/case_record.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

namespace conformance {
namespace {

using nlohmann::json;

// Non-empty buckets as [bucket, count]; the worst score as its bits, for it may be infinite.
json json_of(const row_result &row) {
    json buckets = json::array();
    for (int i = 0; i < score_statistics::buckets; ++i)
        if (const auto count = row.scores.histogram()[std::size_t(i)])
            buckets.push_back({i, count});
    std::uint64_t worst;
    const double worst_score = row.scores.worst();
    std::memcpy(&worst, &worst_score, sizeof worst);
    return {row.implementation, row.executions, row.failures, row.hash, worst, buckets};
}

row_result row_of(const json &fields) {
    row_result row;
    fields.at(0).get_to(row.implementation);
    fields.at(1).get_to(row.executions);
    fields.at(2).get_to(row.failures);
    fields.at(3).get_to(row.hash);
    const auto bits = fields.at(4).get<std::uint64_t>();
    double worst;
    std::memcpy(&worst, &bits, sizeof worst);
    std::array<std::uint32_t, score_statistics::buckets> histogram {};
    for (const json &bucket : fields.at(5))
        bucket.at(1).get_to(histogram[bucket.at(0).get<std::size_t>()]);
    row.scores = score_statistics::of(worst, histogram);
    return row;
}

} // namespace

std::string record_of(const case_result &result) {
    json rows = json::array();
    for (const row_result &row : result.rows) rows.push_back(json_of(row));
    json elements = json::array();
    for (const element_count &part : result.elements) elements.push_back({part.judged, part.open});
    const json record = {result.index, int(result.what), result.driver, result.direction,
        result.types, result.line, result.reason, result.errors, result.total, result.one_element,
        result.silent, result.walked, result.measured, result.least_ms, result.mean_ms, elements,
        rows};
    return record.dump(-1, ' ', false, json::error_handler_t::replace);
}

case_result case_of(const std::string &record) {
    const json fields = json::parse(record);
    case_result result;
    std::size_t next = 0;
    const auto take = [&](auto &field) { fields.at(next++).get_to(field); };
    int what = 0;
    take(result.index), take(what), take(result.driver), take(result.direction);
    take(result.types), take(result.line), take(result.reason), take(result.errors);
    take(result.total), take(result.one_element), take(result.silent), take(result.walked);
    take(result.measured), take(result.least_ms), take(result.mean_ms);
    result.what = status(what);
    const json &elements = fields.at(next++);
    for (std::size_t kind = 0; kind < result.elements.size(); ++kind) {
        elements.at(kind).at(0).get_to(result.elements[kind].judged);
        elements.at(kind).at(1).get_to(result.elements[kind].open);
    }
    for (const json &row : fields.at(next)) result.rows.push_back(row_of(row));
    return result;
}

} // namespace conformance
