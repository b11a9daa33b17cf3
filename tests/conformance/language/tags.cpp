// SPDX-License-Identifier: Apache-2.0
// Binding of format tags to dimensions.
#include "language/tags.hpp"

#include "language/usage_error.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace conformance {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }

// Named letters come from exactly one set; the ones present get a, b, c, ... in the set's order.
std::string letters_of_named(const std::string &text) {
    static const char *const sets[] = {"goidhw", "oidhw", "ncdhw", "tnc", "ldnc", "ldigo"};
    for (const std::string set : sets) {
        std::map<char, char> meaning;
        for (char c : set)
            if (text.find(c) != std::string::npos ||
                text.find(char(std::toupper(c))) != std::string::npos) {
                const char letter = char('a' + meaning.size());
                meaning[c] = letter;
            }
        std::string result;
        bool fits = true;
        for (char c : text) {
            if (!is_letter(c)) {
                result += c;
                continue;
            }
            fits &= meaning.count(lower(c)) != 0;
            if (!fits) break;
            const char letter = meaning[lower(c)];
            result +=
                std::isupper(static_cast<unsigned char>(c)) ? char(std::toupper(letter)) : letter;
        }
        if (fits) return result;
    }
    return {};
}

// Letters a, b, ... without a gap, each once before the inner blocks: the test of a letter tag.
bool is_letter_tag(const std::string &text) {
    std::string outer;
    std::size_t i = 0;
    for (; i < text.size() && is_letter(text[i]); ++i) outer += lower(text[i]);
    for (char c = 'a'; c < char('a' + int(outer.size())); ++c)
        if (outer.find(c) == std::string::npos) return false;
    while (i < text.size()) {
        if (!is_digit(text[i])) return false;
        while (i < text.size() && is_digit(text[i])) ++i;
        if (i == text.size() || !std::islower(static_cast<unsigned char>(text[i]))) return false;
        if (outer.find(text[i++]) == std::string::npos) return false;
    }
    return !outer.empty() && outer.size() <= 12;
}

bool is_meta(const std::string &text) { return text.find('x') != std::string::npos && text != "x"; }

std::string expanded_meta(const std::string &text, int ndims) {
    char highest = 'b';
    for (char c : text)
        if (c >= 'b' && c <= 'l' && c > highest) highest = c;
    std::string result;
    for (char c : text)
        if (c != 'x')
            result += c;
        else
            for (char letter = char(highest + 1); letter < char('a' + ndims); ++letter)
                result += letter;
    std::string kept; // letters beyond ndims go, with the digits directly in front of them
    std::size_t digits = 0;
    for (char c : result) {
        if (is_letter(c) && lower(c) >= char('a' + ndims))
            kept.resize(kept.size() - digits);
        else
            kept += c;
        digits = is_digit(c) ? digits + 1 : 0;
    }
    return kept;
}

const std::map<std::string, dnnl_format_tag_t> &tags_by_name() {
    static const auto table = [] {
        std::map<std::string, dnnl_format_tag_t> names;
        for (int value = dnnl_format_tag_any + 1; value < int(dnnl_format_tag_last); ++value) {
            const auto tag = static_cast<dnnl_format_tag_t>(value);
            names[dnnl_fmt_tag2str(tag)] = tag;
        }
        return names;
    }();
    return table;
}

bool enum_tags_only = true;

// Letters without blocks as strides: the last letter is adjacent.
memory::desc desc_by_strides(const dims &shape, data_type type, const std::string &letters) {
    dims strides(shape.size(), 1);
    dim stride = 1;
    for (std::size_t i = letters.size(); i-- > 0;) {
        const std::size_t d = std::size_t(letters[i] - 'a');
        strides[d] = stride;
        stride *= std::max<dim>(shape[d], 1);
    }
    return memory::desc(shape, type, strides);
}

int dimensions_of(const std::string &letters) {
    int count = 0;
    while (std::size_t(count) < letters.size() && is_letter(letters[std::size_t(count)])) ++count;
    return count;
}

} // namespace

void check_tag(const std::string &text) {
    if (text == "any" || text == "undef" || text == "x") return;
    if (is_meta(text)) {
        if (is_letter_tag(expanded_meta(text, 6))) return;
    } else {
        const std::string letters = is_letter_tag(text) ? text : letters_of_named(text);
        if (enum_tags_only && !letters.empty() && !tags_by_name().count(letters))
            throw usage_error("tag '" + text + "' is not in the enumeration", 2);
        if (!letters.empty()) return;
    }
    throw usage_error("malformed format tag '" + text + "'", 2);
}

void accept_enum_tags_only(bool only) { enum_tags_only = only; }

std::string bound_tag(const std::string &text, int ndims) {
    if (text == "any" || text == "undef") return text;
    if (text == "x") return "a";
    if (is_meta(text)) return expanded_meta(text, ndims);
    return is_letter_tag(text) ? text : letters_of_named(text);
}

memory::desc desc_with_tag(const dims &shape, data_type type, const std::string &text) {
    const std::string letters = bound_tag(text, int(shape.size()));
    if (letters == "undef") return memory::desc();
    if (letters == "any") return memory::desc(shape, type, memory::format_tag::any);
    if (dimensions_of(letters) != int(shape.size()))
        throw skipped_case("Invalid case: tag '" + text + "' has another number of dimensions");
    const auto found = tags_by_name().find(letters);
    if (found == tags_by_name().end()) {
        const bool plain = std::all_of(letters.begin(), letters.end(),
            [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; });
        if (!enum_tags_only && plain) return desc_by_strides(shape, type, letters);
        throw skipped_case("Invalid case: tag '" + letters + "' is not in the enumeration");
    }
    return whole_bytes(type,
        [&] { return memory::desc(shape, type, static_cast<memory::format_tag>(found->second)); });
}

} // namespace conformance
