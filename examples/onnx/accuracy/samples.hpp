// SPDX-License-Identifier: Apache-2.0
// Lines and pages of text whose truth is known, as a camera might see them.
#pragma once

#include "typesetter.hpp"

#include <string>
#include <vector>

namespace accuracy {

struct text_line {
    std::string text;
    std::size_t font = 0;
    picture drawn;
};

/// Lines of four to six English words, some of them numbers, in every font, 24 to 44 pixels high,
/// with blur, noise and a rotation of at most two degrees. The same seed gives the same lines.
std::vector<text_line> make_lines(const typesetter &with, int count, std::uint64_t seed);

struct placed_text {
    std::string text;
    int top, height;
};

struct text_page {
    picture drawn;
    std::vector<placed_text> lines; // from top to bottom
};

/// A page of lines below each other, width x height pixels, both multiples of 32.
text_page make_page(const typesetter &with, int width, int height, std::uint64_t seed);

} // namespace accuracy
