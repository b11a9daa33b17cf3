// SPDX-License-Identifier: Apache-2.0
// Reports for a terminal of 100 columns.
#pragma once

#include "results.hpp"
#include "tables.hpp"

#include <string>

namespace int8_accuracy {

constexpr std::size_t terminal_columns = 100;

/// Lines of at most 100 columns: titles break at spaces, columns that do not fit follow below under
/// the same row headings. Empty if the table has no rows and no notes.
std::string as_text(const text_table &table);

/// Words in lines of at most 100 columns; lines after the first are indented.
std::string as_lines(const std::string &words, std::size_t indent = 2);

/// All tables of all networks, each line ended.
std::string as_text(const report &results);

} // namespace int8_accuracy
