// SPDX-License-Identifier: Apache-2.0
// The page that shows measurements: bars of ratios and of shares of the peak, family by family.
#include "results.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bench {
namespace {

const char head[] = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>dnnl-bench</title>
<style>
body { font: 15px/1.4 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem;
  color: #1c2330; background: #fff; }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .15rem .4rem }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
tr:nth-child(even) { background: #f4f6f9 }
.case { margin: .5rem 0 } .case code { font-size: .8rem; overflow-wrap: anywhere; color: #556 }
.bar { position: relative; height: .9rem; background: #eceff4; border-radius: 3px; margin: .15rem 0 }
.bar span { position: absolute; inset: 0 auto 0 0; border-radius: 3px }
.bar i { position: absolute; top: -2px; bottom: -2px; width: 2px; background: #1c2330 }
.faster { background: #2f8f5b } .slower { background: #c8553d } .share { background: #4a6fa5 }
.label { font-size: .8rem; color: #333 } .wide { overflow-x: auto }
</style></head><body>
)";

std::string escaped(const std::string &text) {
    std::string result;
    for (const char c : text)
        result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return result;
}

std::string number(double x, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, x);
    return text;
}

/// A bar of 0 to `most`, with a mark where `at` lies.
std::string bar(const char *kind, double value, double most, double at) {
    const auto percent = [&](double x) {
        return number(100 * std::clamp(x / most, 0.0, 1.0), 1) + "%";
    };
    std::string text = std::string("<div class=\"bar\"><span class=\"") + kind +
                       "\" style=\"width:" + percent(value) + "\"></span>";
    if (at > 0) text += "<i style=\"left:" + percent(at) + "\"></i>";
    return text + "</div>";
}

void table_of_families(std::ostream &to, const measurements &m) {
    to << "<div class=\"wide\"><table><tr><th>family<th class=\"number\">cases"
          "<th class=\"number\">geometric mean<th class=\"number\">least"
          "<th class=\"number\">creation</tr>\n";
    for (const family_result &f : families_of(m))
        to << "<tr><td>" << escaped(f.name) << "<td class=\"number\">" << f.compared
           << "<td class=\"number\">" << number(f.mean_ratio, 3) << "<td class=\"number\">"
           << number(f.least_ratio, 3) << "<td class=\"number\">"
           << number(f.mean_creation_ratio, 1) << "</tr>\n";
    to << "</table></div>\n";
}

void show_case(std::ostream &to, const case_result &c) {
    to << "<div class=\"case\"><b>" << escaped(c.name.empty() ? c.line : c.name) << "</b> ";
    if (!c.ours.is_measured()) {
        to << escaped(c.ours.fault) << "</div>\n";
        return;
    }
    to << "<span class=\"label\">" << number(c.ours.run_us, 2) << " &micro;s";
    if (c.operations > 0) to << ", " << number(c.gmacs(), 1) << " GMAC/s";
    to << ", " << number(c.gigabytes_per_second(), 1) << " GB/s, " << escaped(c.ours.implementation)
       << "; creation " << number(c.ours.creation_us, 1) << " &micro;s, first "
       << number(c.ours.first_creation_us, 0) << "</span>";
    if (c.is_compared())
        to << bar(c.ratio() >= 1 ? "faster" : "slower", c.ratio(), 2, 1)
           << "<span class=\"label\">ratio " << number(c.ratio(), 2)
           << "; the other one: " << number(c.theirs.run_us, 2) << " &micro;s, "
           << escaped(c.theirs.implementation) << "; creation " << number(c.theirs.creation_us, 1)
           << " &micro;s, first " << number(c.theirs.first_creation_us, 0) << "</span>";
    else if (!c.theirs.fault.empty())
        to << "<span class=\"label\">; the other one: " << escaped(c.theirs.fault) << "</span>";
    if (c.peak_share > 0)
        to << bar("share", c.peak_share, 1, 0) << "<span class=\"label\">"
           << number(100 * c.peak_share, 0)
           << (c.operations > 0 ? " % of the peak</span>" : " % of copying</span>");
    to << "<br><code>" << escaped(c.line) << "</code></div>\n";
}

} // namespace

void write_html(const measurements &m, const std::string &file) {
    std::ofstream to(file);
    if (!to) throw std::runtime_error("cannot write " + file);
    const bool compares = !m.their_version.empty();
    to << head << "<h1>dnnl-bench " << escaped(m.our_version);
    if (compares) to << " against " << escaped(m.their_version);
    to << "</h1>\n<p>" << escaped(m.machine) << ", " << m.threads << " thread"
       << (m.threads > 1 ? "s" : "") << ", " << (m.cold ? "cold" : "warm") << " caches, "
       << escaped(m.date);
    to << ".<br>Ours: " << escaped(m.our_version) << ", <code>" << escaped(m.our_file) << "</code>";
    if (compares)
        to << "<br>The other: " << escaped(m.their_version) << ", <code>" << escaped(m.their_file)
           << "</code><br>Ratios are time(other) / time(ours): above 1 we are faster.";
    to << "<br>Times are medians of executions; GMAC/s are 10<sup>9</sup> multiplications and "
          "additions a "
          "second, GB/s 10<sup>9</sup> bytes read and written a second; a share is that of the "
          "peak below, "
          "or of copying as many bytes.</p>\n<table>";
    for (const measured_peak &p : m.peaks)
        to << "<tr><td>" << escaped(p.name) << "<td class=\"number\">" << number(p.value, 1)
           << "<td>" << escaped(p.unit) << "</tr>";
    to << "</table>\n";
    if (compares) {
        table_of_families(to, m);
        to << "<h2>The worst</h2>\n";
        for (const case_result *c : worst_of(m, 15)) show_case(to, *c);
    }
    for (const family_result &f : families_of(m)) {
        to << "<h2>" << escaped(f.name) << "</h2>\n";
        for (const case_result &c : m.cases)
            if (c.family == f.name) show_case(to, c);
    }
    to << "</body></html>\n";
}

} // namespace bench
