// SPDX-License-Identifier: Apache-2.0
// The result of a run as one self-contained page.
#include "report/report.hpp"

#include "language/usage_error.hpp"

#include "oneapi/dnnl/dnnl.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace conformance {
namespace {

const char page_begin[] = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>dnnl-conformance</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { --good:#1a7f4b; --bad:#c2342b; --skip:#8a8f98; --line:#e3e6ea; --text:#1c2128; --bar:#4a7fc1; }
* { box-sizing:border-box }
body { font:15px/1.5 system-ui,"Segoe UI","DejaVu Sans",sans-serif; color:var(--text);
       max-width:1180px; margin:0 auto; padding:32px 24px 80px; background:#fff }
h1 { font-size:26px; margin:0 } h2 { font-size:18px; margin:40px 0 10px }
.sub { color:#5a626d; margin:2px 0 24px }
.cards { display:grid; grid-template-columns:repeat(auto-fit,minmax(150px,1fr)); gap:12px }
.card { border:1px solid var(--line); border-radius:10px; padding:12px 16px }
.card b { display:block; font-size:21px; font-variant-numeric:tabular-nums; font-weight:600 }
.card span { color:#5a626d; font-size:13px }
.good b { color:var(--good) } .bad b { color:var(--bad) } .skip b { color:var(--skip) }
.share { display:flex; height:10px; border-radius:5px; overflow:hidden; margin:18px 0 4px; background:var(--line) }
.share i { display:block }
table { border-collapse:collapse; width:100%; font-size:13.5px }
th { text-align:left; font-weight:600; border-bottom:2px solid var(--line); padding:6px 8px; white-space:nowrap }
td { border-bottom:1px solid var(--line); padding:5px 8px; vertical-align:top }
td.n, th.n { text-align:right; font-variant-numeric:tabular-nums }
tr.bad td { background:#fdf0ef }
code { font:12.5px/1.45 ui-monospace,"DejaVu Sans Mono",monospace; overflow-wrap:anywhere }
.meter { display:inline-block; width:90px; height:8px; background:var(--line); border-radius:4px;
         overflow:hidden; margin-left:8px; vertical-align:middle }
.meter i { display:block; height:100%; background:var(--bar) }
details { border:1px solid var(--line); border-radius:10px; margin:8px 0; padding:0 14px }
details > div { padding:4px 0 14px; overflow-x:auto }
summary { cursor:pointer; padding:10px 0; display:grid; align-items:center; gap:12px;
          grid-template-columns:130px 1fr 110px 110px 190px; font-variant-numeric:tabular-nums }
summary b { font-weight:600 } summary span { color:#5a626d; font-size:13.5px }
.verdict { color:var(--good) } .verdict.no { color:var(--bad); font-weight:600 }
@media (max-width:800px) { summary { grid-template-columns:1fr 1fr } }
</style></head><body>
)";

std::string escaped(const std::string &text) {
    std::string result;
    for (char c : text)
        if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '&')
            result += "&amp;";
        else
            result += c;
    return result;
}

std::string grouped(std::size_t number) {
    std::string digits = std::to_string(number);
    for (int at = int(digits.size()) - 3; at > 0; at -= 3) digits.insert(std::size_t(at), 1, ',');
    return digits;
}

std::string score_text(double score) {
    char buffer[24];
    std::snprintf(buffer, sizeof buffer, "%.3g", score);
    return buffer;
}

// A number with a bar: 1 is what is allowed.
std::string meter(double score) {
    const int percent = int(std::lround(100 * std::min(score, 1.0)));
    return score_text(score) + "<span class=meter><i style=\"width:" + std::to_string(percent) +
           "%\"></i></span>";
}

void card(std::ostream &out, const char *kind, std::size_t number, const char *text) {
    out << "<div class=\"card " << kind << "\"><b>" << grouped(number) << "</b><span>" << text
        << "</span></div>\n";
}

void write_overview(std::ostream &out, const run_summary &s) {
    const dnnl_version_t *const version = dnnl_version();
    const std::size_t skipped =
        s.count(status::skipped) + s.count(status::unimplemented) + s.count(status::mistrusted);
    out << "<h1>Conformance</h1><p class=sub>library " << version->major << '.' << version->minor
        << '.' << version->patch << " &middot; " << grouped(std::size_t(s.seconds))
        << " s &middot; " << s.rows.size()
        << " combinations of primitive, types and implementation</p>\n<div class=cards>\n";
    card(out, "good", s.passed(false), "lines passed");
    card(out, s.failed(false) ? "bad" : "good", s.failed(false), "lines failed");
    card(out, "skip", skipped, "lines skipped");
    card(out, "", s.case_rows, "lines &times; implementations");
    card(out, "", s.executions, "executions, all fills");
    card(out, "", s.elements_of_all().judged, "elements judged");
    out << "</div>\n<div class=share>";
    const std::pair<std::size_t, const char *> parts[] = {
        {s.passed(false), "good"}, {s.failed(false), "bad"}, {skipped, "skip"}};
    for (const auto &part : parts)
        if (part.first > 0)
            out << "<i style=\"flex:" << part.first << ";background:var(--" << part.second
                << ")\"></i>";
    out << "</div>\n";
}

void write_failures(std::ostream &out, const run_summary &s) {
    if (s.failures.empty()) return;
    out << "<h2>Failures</h2><table><tr><th>Case</th><th>What is wrong</th><th class=n>Elements"
           "</th></tr>\n";
    constexpr std::size_t most = 500;
    for (std::size_t i = 0; i < std::min(most, s.failures.size()); ++i) {
        const case_result &failure = s.failures[i];
        out << "<tr class=bad><td><code>" << escaped(failure.line) << "</code></td><td>"
            << escaped(failure.reason) << "</td><td class=n>" << failure.errors << " of "
            << failure.total << "</td></tr>\n";
    }
    out << "</table>\n";
    if (s.failures.size() > most)
        out << "<p class=sub>and " << s.failures.size() - most << " more</p>\n";
}

using row_iterator = std::map<row_key, row_summary>::const_iterator;

void write_primitive(std::ostream &out, row_iterator begin, row_iterator end) {
    std::size_t cases = 0, failures = 0, rows = 0;
    double worst = 0;
    for (auto row = begin; row != end; ++row, ++rows) {
        cases += row->second.cases;
        failures += row->second.failures;
        worst = std::max(worst, row->second.scores.worst());
    }
    out << "<details" << (failures ? " open" : "") << "><summary><b>" << std::get<0>(begin->first)
        << "</b><span>" << rows << " combinations of types and implementation</span><span>"
        << grouped(cases) << " cases</span><span class=\"verdict" << (failures ? " no\">" : "\">")
        << (failures ? grouped(failures) + " failed" : "all pass") << "</span><span>s max "
        << meter(worst)
        << "</span></summary><div><table><tr><th>Types</th><th>Implementation</th><th class=n>Cases"
           "</th><th class=n>Executions</th><th class=n>Failed</th><th>Worst score</th><th class=n>"
           "99.99&nbsp;%</th><th>Its case</th></tr>\n";
    for (auto row = begin; row != end; ++row) {
        const row_summary &r = row->second;
        out << (r.failures ? "<tr class=bad>" : "<tr>") << "<td>"
            << escaped(std::get<1>(row->first)) << "</td><td>" << escaped(std::get<2>(row->first))
            << "</td><td class=n>" << grouped(r.cases) << "</td><td class=n>"
            << grouped(r.executions) << "</td><td class=n>" << r.failures << "</td><td>"
            << meter(r.scores.worst()) << "</td><td class=n>"
            << score_text(r.scores.percentile_99_99()) << "</td><td><code>" << escaped(r.worst_line)
            << "</code></td></tr>\n";
    }
    out << "</table></div></details>\n";
}

void write_reasons(
    std::ostream &out, const char *title, const std::map<std::string, std::size_t> &reasons) {
    if (reasons.empty()) return;
    out << "<h2>" << title << "</h2><table><tr><th class=n>Lines</th><th>Reason</th></tr>\n";
    std::vector<std::pair<std::size_t, std::string>> sorted;
    for (const auto &[reason, count] : reasons) sorted.push_back({count, reason});
    std::sort(sorted.rbegin(), sorted.rend());
    for (const auto &[count, reason] : sorted)
        out << "<tr><td class=n>" << grouped(count) << "</td><td>" << escaped(reason)
            << "</td></tr>\n";
    out << "</table>\n";
}

} // namespace

void write_html(const run_summary &summary, const std::string &path) {
    std::ofstream out(path);
    out << page_begin;
    write_overview(out, summary);
    write_failures(out, summary);
    out << "<h2>Primitives</h2><p class=sub>The score s of a result is its distance from the exact "
           "value in units of what is allowed, error bound plus half a unit in the last place: at "
           "most 1 by numerics; a full bar is 1.</p>\n";
    for (auto begin = summary.rows.begin(); begin != summary.rows.end();) {
        auto end = begin;
        while (end != summary.rows.end() && std::get<0>(end->first) == std::get<0>(begin->first))
            ++end;
        write_primitive(out, begin, end);
        begin = end;
    }
    write_reasons(out, "Unimplemented, by reason", summary.refusals);
    write_reasons(out, "Skipped, by reason", summary.skips);
    out << "</body></html>\n";
    if (!out) throw usage_error("cannot write '" + path + "'");
}

} // namespace conformance
