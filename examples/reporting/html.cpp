// SPDX-License-Identifier: Apache-2.0
#include "html.hpp"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

namespace reporting {
namespace {

constexpr const char *style = R"(
:root { color-scheme: light dark; --ink: #22272e; --muted: #57606a; --paper: #fff; --edge: #d8dde3;
        --grid: #d8dde3; --focus: #0969da; --panel: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e2e6eb; --muted: #a3adb8; --paper: #16191e; --edge: #3a424c; --grid: #343b44;
          --focus: #6cb6ff; --panel: #20252c; }
}
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       margin: 2rem auto; max-width: 1120px; padding: 0 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.25rem; margin-top: 2.4rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; }
p, li { max-width: 76ch; } p.note { color: var(--muted); margin-top: .2rem; }
a { color: var(--focus); } :focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; padding: 0; }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.2rem 0; }
.card { flex: 1 1 9rem; border: 1px solid var(--edge); border-radius: 8px; padding: .6rem .9rem; }
.card b { display: block; font-size: 1.4rem; line-height: 1.3; }
.card span { color: var(--muted); font-size: .85rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(400px, 100%), 1fr)); gap: 1rem; }
.pair > * { min-width: 0; }
svg { display: block; width: 100%; height: auto; margin: .5rem 0; font-family: system-ui, sans-serif; }
svg .t { font-size: 14px; font-weight: 600; fill: var(--ink); }
svg .a { font-size: 12px; fill: var(--muted); } svg .v { font-size: 10px; fill: var(--muted); }
svg .l { font-size: 12px; fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.single svg { max-width: 760px; }
.scroll { overflow-x: auto; margin: .5rem 0; } .scroll svg { min-width: 640px; }
table { border-collapse: collapse; font-size: .86rem; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid var(--edge); white-space: nowrap; }
thead th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; }
th:first-child, td:first-child { text-align: left; }
caption { text-align: left; font-weight: 600; padding: .3rem .5rem; }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--focus); }
pre { background: var(--panel); padding: .6rem .9rem; border-radius: 8px; overflow-x: auto; font-size: .82rem; }
figure { display: inline-block; margin: .2rem .4rem .2rem 0; text-align: center; font-size: .75rem;
         max-width: 100%; }
figure.wide { display: block; margin: .8rem 0; text-align: left; }
figcaption { white-space: pre-line; overflow-wrap: anywhere; }
img { image-rendering: pixelated; display: block; max-width: 100%; height: auto; }
@media (max-width: 600px) {
  .scroll tbody th:first-child { position: sticky; left: 0; background: var(--paper);
                                 white-space: normal; min-width: 7.5rem; max-width: 10rem; }
}
)";

void append_number(std::string &bytes, std::uint32_t value, int length) {
    for (int i = 0; i < length; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

/// An 8-bit BMP file: two headers, 256 greys, rows from the bottom to the top, each filled up to a
/// multiple of 4 bytes.
std::string bitmap(const std::uint8_t *pixels, int width, int height) {
    constexpr std::uint32_t pixels_at = 14 + 40 + 256 * 4;
    const int row = (width + 3) / 4 * 4;
    std::string file = "BM";
    append_number(file, pixels_at + std::uint32_t(row * height), 4);
    append_number(file, 0, 4);
    append_number(file, pixels_at, 4);
    append_number(file, 40, 4);
    append_number(file, std::uint32_t(width), 4);
    append_number(file, std::uint32_t(height), 4);
    append_number(file, 1, 2);
    append_number(file, 8, 2);
    for (int i = 0; i < 6; ++i) append_number(file, i == 1 ? std::uint32_t(row * height) : 0, 4);
    for (std::uint32_t grey = 0; grey < 256; ++grey) append_number(file, grey * 0x010101, 4);
    for (int y = height - 1; y >= 0; --y) {
        file.append(
            reinterpret_cast<const char *>(pixels) + std::ptrdiff_t(y) * width, std::size_t(width));
        file.append(std::size_t(row - width), '\0');
    }
    return file;
}

std::string base64(const std::string &bytes) {
    constexpr const char *letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? std::uint8_t(bytes[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= bytes.size() ? letters[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

} // namespace

std::string escaped(const std::string &text) {
    std::string safe;
    for (char c : text) {
        if (c == '&')
            safe += "&amp;";
        else if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else if (c == '"')
            safe += "&quot;";
        else
            safe += c;
    }
    return safe;
}

std::string page(const std::string &title, const std::string &heading, const std::string &note,
    const std::string &body) {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<title>{}</title>\n<style>{}</style></head>\n<body>\n<h1>{}</h1>\n"
                       "<p class=\"note\">{}</p>\n{}</body></html>\n",
        escaped(title), style, escaped(heading), escaped(note), body);
}

std::string card(const std::string &value, const std::string &meaning) {
    return fmt::format(
        "<div class=\"card\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(meaning));
}

std::string cards(const std::vector<std::string> &each) {
    std::string html = "<div class=\"cards\">\n";
    for (const std::string &one : each) html += one;
    return html + "</div>\n";
}

std::string table(const std::vector<std::string> &titles,
    const std::vector<std::vector<std::string>> &rows, const std::string &caption) {
    std::string html = fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                                   "aria-label=\"{}\"><table>{}<thead><tr>",
        escaped(caption.empty() ? "table" : caption),
        caption.empty() ? "" : "<caption>" + escaped(caption) + "</caption>");
    for (const std::string &title : titles)
        html += title.empty() ? "<td></td>" : "<th scope=\"col\">" + escaped(title) + "</th>";
    html += "</tr></thead>\n<tbody>";
    for (const std::vector<std::string> &row : rows) {
        html += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i)
            html += i == 0 ? "<th scope=\"row\">" + escaped(row[i]) + "</th>"
                           : "<td>" + escaped(row[i]) + "</td>";
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string picture(const std::uint8_t *pixels, int width, int height, int width_on_screen,
    const std::string &alternative, const std::string &caption) {
    return fmt::format("<figure{}><img alt=\"{}\" style=\"width: {}px\" "
                       "src=\"data:image/bmp;base64,{}\"><figcaption>{}</figcaption></figure>\n",
        width_on_screen > 200 ? " class=\"wide\"" : "", escaped(alternative), width_on_screen,
        base64(bitmap(pixels, width, height)), escaped(caption));
}

void write_text(const std::string &text, const std::filesystem::path &path) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error(fmt::format("{}: cannot write", path.string()));
}

} // namespace reporting
