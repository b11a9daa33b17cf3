// SPDX-License-Identifier: Apache-2.0
#include "reading_report.hpp"

#include "../../reporting/html.hpp"
#include "../../reporting/plots.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accuracy {

using nlohmann::ordered_json;

namespace {

ordered_json json_of(const rate &r) {
    return {{"percent", r.value}, {"low", r.low}, {"high", r.high}};
}

std::string interval(const rate &r) { return fmt::format("{:.2f} ... {:.2f}", r.low, r.high); }

double as_f32_percent(const reading &r) {
    return r.texts.empty() ? 100 : 100. * double(r.as_f32) / double(r.texts.size());
}

std::string summary(const reading_report &report) {
    const reading &f32 = report.readings.at(0);
    std::vector<std::string> each {
        reporting::card(fmt::format("{:.2f} %", f32.wrong.value), "of the characters wrong in f32"),
        reporting::card(
            fmt::format("{:.2f} %", f32.wrong_without_spaces.value), "without counting spaces")};
    if (const reading *best = best_int8(report)) {
        each.push_back(reporting::card(fmt::format("{:+.2f}", best->above_f32.value),
            "points apart from f32 in " + best->name));
        each.push_back(reporting::card(
            fmt::format("{:.1f} %", as_f32_percent(*best)), "of its lines are read as in f32"));
    }
    return reporting::cards(each);
}

std::string lines_section(const reading_report &report) {
    std::vector<reporting::dot> dots;
    std::vector<std::vector<std::string>> rows;
    for (const reading &r : report.readings) {
        dots.push_back({r.name, 100 - r.wrong.value, 100 - r.wrong.high, 100 - r.wrong.low});
        rows.push_back({r.name, fmt::format("{:.2f}", r.wrong.value), interval(r.wrong),
            fmt::format("{:+.2f}", r.above_f32.value), interval(r.above_f32),
            fmt::format("{:.2f}", r.wrong_without_spaces.value),
            fmt::format("{:.1f}", as_f32_percent(r)), fmt::format("{:.1f}", r.seconds)});
    }
    std::string html =
        "<h2>Single lines</h2>\n<p class=\"note\">Intervals hold 95 % of 1,000 samples "
        "of as many lines, drawn with replacement; the difference is that of the same "
        "lines.</p>\n";
    html +=
        reporting::dot_plot("characters read right, %", dots, 100 - report.readings[0].wrong.value,
            .5, "bars: 95 % intervals; line: f32, band: 0.5 points around it");
    html += reporting::table({"", "wrong %", "interval", "more than f32", "interval",
                                 "without spaces %", "lines as f32 %", "seconds"},
        rows);
    return html;
}

std::string pages_section(const reading_report &report) {
    if (report.pages.empty()) return {};
    std::vector<std::vector<std::string>> rows;
    for (const page_result &p : report.pages)
        rows.push_back({p.name, fmt::format("{:.4f}", p.overlap), std::to_string(p.boxes),
            std::to_string(p.lines), fmt::format("{:.2f}", p.wrong.value), interval(p.wrong)});
    return fmt::format(
               "<h2>Whole pages</h2>\n<p class=\"note\">{} pages: detection, boxes, reading. "
               "The overlap is that of the detector's map with its map in f32.</p>\n",
               report.page_count) +
           reporting::table({"", "overlap of maps", "boxes", "lines", "wrong %", "interval"}, rows);
}

/// Lines that the best int8 variant reads with more errors than f32 does.
std::string pictures_section(const reading_report &report) {
    const reading *best = best_int8(report);
    if (!best) return {};
    const reading &f32 = report.readings[0];
    std::string html;
    int shown = 0, all = 0;
    for (std::size_t i = 0; i < report.lines.size(); ++i) {
        if (best->errors[i].wrong <= f32.errors[i].wrong) continue;
        if (++all; shown == 24) continue;
        ++shown;
        const text_line &line = report.lines[i];
        html += reporting::picture(line.drawn.pixels.data(), line.drawn.width, line.drawn.height,
            std::min(line.drawn.width, 900), line.text,
            fmt::format(
                "truth: {}\nf32: {}\n{}: {}", line.text, f32.texts[i], best->name, best->texts[i]));
    }
    return fmt::format(
               "<h2>Lines that {} misreads</h2>\n<p class=\"note\">{} of {} lines have more "
               "errors than in f32; the first {}.</p>\n",
               best->name, all, report.lines.size(), shown) +
           html;
}

} // namespace

const reading *best_int8(const reading_report &of) {
    const reading *best = nullptr;
    for (const reading &r : of.readings)
        if (r.name.rfind("int8", 0) == 0 && (!best || r.wrong.value < best->wrong.value)) best = &r;
    return best;
}

void write_json(const reading_report &report, const std::string &file) {
    ordered_json all {{"note", report.note}, {"lines", report.lines.size()}};
    for (const reading &r : report.readings)
        all["readings"].push_back({{"name", r.name}, {"wrong", json_of(r.wrong)},
            {"wrong_without_spaces", json_of(r.wrong_without_spaces)},
            {"above_f32", json_of(r.above_f32)}, {"lines_as_f32_percent", as_f32_percent(r)},
            {"seconds", r.seconds}});
    for (const page_result &p : report.pages)
        all["pages"].push_back({{"name", p.name}, {"overlap", p.overlap}, {"boxes", p.boxes},
            {"lines", p.lines}, {"wrong", json_of(p.wrong)}});
    reporting::write_text(all.dump(2) + "\n", file);
}

void write_html(const reading_report &report, const std::string &file) {
    reporting::write_text(reporting::page("reading in int8",
                              "Lines of text, read in f32 and in fewer bits", report.note,
                              summary(report) + lines_section(report) + pages_section(report) +
                                  pictures_section(report)),
        file);
}

} // namespace accuracy
