// SPDX-License-Identifier: Apache-2.0
// Splitting and numbers of the case language.
#include "language/text.hpp"

#include "language/usage_error.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace conformance {

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts(1);
    for (char c : text)
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

std::vector<std::string> split_entries(const std::string &text) {
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool before_name =
            i + 1 == text.size() || std::isalpha(static_cast<unsigned char>(text[i + 1]));
        if (text[i] == '+' && before_name)
            parts.emplace_back();
        else
            parts.back() += text[i];
    }
    return parts;
}

std::string joined(const std::vector<std::string> &parts, const std::string &separator) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) text += (i ? separator : "") + parts[i];
    return text;
}

std::string lower_case(std::string text) {
    for (char &c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::string upper_case(std::string text) {
    for (char &c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::int64_t integer_of(const std::string &text, const std::string &what) {
    const std::size_t first = text.size() > 1 && text[0] == '-' ? 1 : 0;
    bool good = first < text.size() && text.size() < 19;
    for (std::size_t i = first; good && i < text.size(); ++i)
        good = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (good && text[first] == '0' && text.size() > first + 1) good = false;
    if (!good) throw usage_error("'" + text + "' is not an integer (" + what + ")");
    return std::strtoll(text.c_str(), nullptr, 10);
}

float float_of(const std::string &text, const std::string &what) {
    char *end = nullptr;
    const float value = std::strtof(text.c_str(), &end);
    if (text.empty() || *end != '\0')
        throw usage_error("'" + text + "' is not a number (" + what + ")");
    return value;
}

std::string text_of(float value) {
    char buffer[32];
    for (int digits = 6; digits <= 9; ++digits) {
        std::snprintf(buffer, sizeof buffer, "%.*g", digits, double(value));
        if (std::strtof(buffer, nullptr) == value) break;
    }
    return buffer;
}

std::vector<std::int64_t> dims_of(const std::string &text, const std::string &what) {
    std::vector<std::int64_t> shape;
    for (const std::string &part : split(text, 'x')) {
        shape.push_back(integer_of(part, what));
        if (shape.back() < 0) throw usage_error("'" + text + "': negative extent (" + what + ")");
    }
    if (shape.size() > 12) throw usage_error("'" + text + "': more than 12 dimensions");
    return shape;
}

std::string dims_text(const std::vector<std::int64_t> &shape) {
    std::vector<std::string> parts;
    for (std::int64_t extent : shape) parts.push_back(std::to_string(extent));
    return joined(parts, "x");
}

} // namespace conformance
