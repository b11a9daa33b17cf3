// SPDX-License-Identifier: Apache-2.0
// How far answers are from the truth, with intervals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace accuracy {

/// Characters to insert, delete or replace to make one text of the other (Levenshtein). Texts are
/// UTF-8; each code point is a character.
int edit_distance(const std::string &a, const std::string &b);

/// The number of code points of a UTF-8 text.
int character_count(const std::string &text);

/// One line: characters that are wrong, of characters that there are.
struct line_errors {
    int wrong = 0, characters = 0;
};

struct rate {
    double value = 0, low = 0, high = 0; // 95 % interval
};

/// Wrong characters over characters, in percent. The interval comes from 1,000 samples of as many
/// lines, drawn with replacement: the characters of a line are not independent.
rate error_rate(const std::vector<line_errors> &lines, std::uint64_t seed);

/// The difference of the error rates of two readers of the same lines, drawn together.
rate error_difference(const std::vector<line_errors> &of, const std::vector<line_errors> &against,
    std::uint64_t seed);

/// The probability that a value of the first kind is above one of the second; equal ones count
/// half. 0.5 where one of them is empty.
double area_under_curve(const std::vector<double> &first, const std::vector<double> &second);

} // namespace accuracy
