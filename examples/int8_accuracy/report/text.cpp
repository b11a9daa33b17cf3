// SPDX-License-Identifier: Apache-2.0
// Lays out tables in columns of characters.
#include "text.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace int8_accuracy {
namespace {

/// Words in lines of `width` characters; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string &words, std::size_t width) {
    std::vector<std::string> lines {""};
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
        std::string &last = lines.back();
        if (last.empty())
            last = word;
        else if (last.size() + 1 + word.size() <= width)
            last += " " + word;
        else
            lines.push_back(word);
    }
    return lines;
}

struct column {
    std::vector<std::string> title; // lines
    std::size_t width = 0;
};

/// As wide as the widest cell; titles may take 8 characters of their own.
std::vector<column> columns_of(const text_table &table) {
    constexpr std::size_t title_width = 8, heading_width = 44;
    std::vector<column> columns(table.titles.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        column &c = columns[i];
        for (const auto &row : table.rows)
            if (i < row.size()) c.width = std::max(c.width, row[i].size());
        if (i == 0) c.width = std::min(c.width, heading_width);
        c.title = wrapped(table.titles[i], std::max(c.width, title_width));
        for (const std::string &line : c.title) c.width = std::max(c.width, line.size());
    }
    return columns;
}

std::string cell(const std::string &words, std::size_t width, bool first) {
    if (words.size() > width && first) return words.substr(0, width - 3) + "...";
    return first ? fmt::format("{:<{}}", words, width) : fmt::format("{:>{}}", words, width);
}

/// Titles, then rows, of the columns `begin` ... `end - 1` after the first one.
std::string block(const text_table &table, const std::vector<column> &columns, std::size_t begin,
    std::size_t end) {
    std::vector<std::size_t> shown {0};
    for (std::size_t i = begin; i < end; ++i) shown.push_back(i);
    std::size_t height = 0;
    for (std::size_t i : shown) height = std::max(height, columns[i].title.size());
    std::string text;
    const auto add_line = [&](const auto &cell_of) {
        std::string line;
        for (std::size_t i : shown)
            line += (i == 0 ? "  " : " ") + cell(cell_of(i), columns[i].width, i == 0);
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    };
    for (std::size_t k = 0; k < height; ++k)
        add_line([&](std::size_t i) { // titles stand at the bottom of their space
            const std::size_t above = height - columns[i].title.size();
            return k < above ? std::string() : columns[i].title[k - above];
        });
    for (const auto &row : table.rows)
        add_line([&](std::size_t i) { return i < row.size() ? row[i] : std::string(); });
    return text;
}

} // namespace

std::string as_lines(const std::string &words, std::size_t indent) {
    std::string text;
    for (const std::string &line : wrapped(words, terminal_columns - indent))
        text += (text.empty() ? "" : std::string(indent, ' ')) + line + "\n";
    return text;
}

std::string as_text(const text_table &table) {
    if (table.rows.empty() && table.notes.empty()) return {};
    std::string text = "\n" + table.caption + "\n";
    const std::vector<column> columns = columns_of(table);
    for (std::size_t begin = 1; begin < columns.size() && !table.rows.empty();) {
        std::size_t end = begin, width = 2 + columns[0].width;
        while (end < columns.size() &&
               (end == begin || width + 1 + columns[end].width <= terminal_columns))
            width += 1 + columns[end++].width;
        text += block(table, columns, begin, end);
        begin = end;
    }
    for (const std::string &note : table.notes) text += "  " + as_lines(note, 4);
    return text;
}

namespace {

std::string network_text(const network_report &net) {
    std::string text = fmt::format("\n{:=<{}}\n", net.name + " ", terminal_columns);
    for (const std::string &fact : facts_of(net)) text += as_lines(fact);
    for (const text_table &table : {training_table(net), scores_table(net, "formats", "formats"),
             scores_table(net, "methods", "choices of int8"), fixed_point_table(net),
             noise_table(net, "formats"), causes_table(net), sensitivity_table(net),
             bytes_table(net), speed_table(net)})
        text += as_text(table);
    if (!net.mixed.empty()) text += as_text(mixed_table(net)) + as_text(mixed_layers_table(net));
    if (!net.remarks.empty()) text += "\nremarks\n";
    for (const std::string &remark : net.remarks) text += "  - " + as_lines(remark, 4);
    return text + as_lines(fmt::format("evaluation {:.1f} s, speed {:.1f} s",
                      net.evaluation_seconds, net.speed_seconds));
}

} // namespace

std::string as_text(const report &results) {
    std::string text = as_lines(fmt::format("{}, {}, {} thread{}, seed {}", results.library,
        results.cpu, results.threads, results.threads == 1 ? "" : "s", results.seed));
    for (const network_report &net : results.networks) text += network_text(net);
    return text;
}

} // namespace int8_accuracy
