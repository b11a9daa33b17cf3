// SPDX-License-Identifier: Apache-2.0
// What onnx_reading found out, as JSON and as a page.
#pragma once

#include "measures.hpp"
#include "samples.hpp"

#include <string>
#include <vector>

namespace accuracy {

/// What one variant read of single lines.
struct reading {
    std::string name;
    std::vector<std::string> texts;
    std::vector<line_errors> errors, without_spaces;
    rate wrong, wrong_without_spaces, above_f32;
    std::size_t as_f32 = 0; // lines that are read as in f32, right or wrong
    double seconds = 0;
};

/// What one variant found and read on whole pages.
struct page_result {
    std::string name;
    double overlap = 0; // of the detector's map with that of f32, mean over the pages
    std::size_t boxes = 0, lines = 0;
    rate wrong;
};

struct reading_report {
    std::string note; // model, lines, fonts, library
    std::vector<text_line> lines;
    std::vector<reading> readings; // f32 first
    std::vector<page_result> pages;
    std::size_t page_count = 0;
};

/// The int8 variant with the fewest characters wrong; null where there is none.
const reading *best_int8(const reading_report &of);

void write_json(const reading_report &report, const std::string &file);
void write_html(const reading_report &report, const std::string &file);

} // namespace accuracy
