// SPDX-License-Identifier: Apache-2.0
// Small text functions of the case language: splitting, numbers, upper and lower case.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace conformance {

/// Parts between separators; an empty text is one empty part.
std::vector<std::string> split(const std::string &text, char separator);

/// Splits "src:common:1e+5+dst:common" at each '+' that begins a name.
std::vector<std::string> split_entries(const std::string &text);

std::string joined(const std::vector<std::string> &parts, const std::string &separator);

std::string lower_case(std::string text);
std::string upper_case(std::string text);

/// Plain decimal, optionally negative, no leading zeros; `what` names it in the error.
std::int64_t integer_of(const std::string &text, const std::string &what);

/// A number as strtof reads it.
float float_of(const std::string &text, const std::string &what);

/// The shortest decimal text that reads back as the same float.
std::string text_of(float value);

/// "2x3x4"; throws usage_error unless all parts are integers >= 0.
std::vector<std::int64_t> dims_of(const std::string &text, const std::string &what);
std::string dims_text(const std::vector<std::int64_t> &shape);

} // namespace conformance
