// SPDX-License-Identifier: Apache-2.0
// Parts of a page that needs no other file: head, cards, tables and grey pictures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace reporting {

/// `&`, `<`, `>` and quotes as HTML and SVG write them.
std::string escaped(const std::string &text);

/// The page from its head to its last line. The texts are escaped here, `body` is HTML.
std::string page(const std::string &title, const std::string &heading, const std::string &note,
    const std::string &body);

/// A box with a figure and what it means.
std::string card(const std::string &value, const std::string &meaning);
std::string cards(const std::vector<std::string> &each);

/// Rows of texts under their titles; the first cell of a row is its heading. Wide tables scroll by
/// themselves. Cells and the caption are escaped here.
std::string table(const std::vector<std::string> &titles,
    const std::vector<std::vector<std::string>> &rows, const std::string &caption = "");

/// A picture of one byte per pixel, 0 is black, with a line of text below. `width` pixels of the
/// screen.
std::string picture(const std::uint8_t *pixels, int width, int height, int width_on_screen,
    const std::string &alternative, const std::string &caption);

/// Throws std::runtime_error with one line that names the file.
void write_text(const std::string &text, const std::filesystem::path &path);

} // namespace reporting
