// SPDX-License-Identifier: Apache-2.0
// Descriptor form: parsing, printing, deduction.
#include "language/spatial.hpp"

#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>

namespace conformance {
namespace {

std::string key_at(const std::string &text, std::size_t &at) {
    std::string key;
    while (at < text.size() && std::islower(static_cast<unsigned char>(text[at])))
        key += text[at++];
    return key;
}

std::string digits_at(const std::string &text, std::size_t &at) {
    std::string digits;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])))
        digits += text[at++];
    return digits;
}

bool is_listed(const std::string &key, const std::string &keys) {
    return (" " + keys + " ").find(" " + key + " ") != std::string::npos;
}

// A number as strtof reads it, at the front of the rest of the text.
float real_at(const std::string &text, std::size_t &at) {
    const char *const begin = text.c_str() + at;
    char *end = nullptr;
    const float value = std::strtof(begin, &end);
    if (end == begin || *begin == '-' || !std::isfinite(value))
        throw usage_error("'" + text + "': a number is missing");
    at += std::size_t(end - begin);
    return value;
}

// The cube rule: quantities of `from` are copied to `to`.
void copy_quantities(std::map<std::string, dim> &values, char from, char to) {
    for (const char *quantity : {"i", "o", "k", "s", "p", "d"}) {
        const auto found = values.find(std::string(quantity) + from);
        if (found != values.end()) values[std::string(quantity) + to] = found->second;
    }
}

// The letters of the spatial dimensions that are there, with quantities copied by the cube rule.
std::string spatial_letters(descriptor_entries &entries) {
    const auto used = [&](char letter) {
        return entries.has(std::string("i") + letter) || entries.has(std::string("o") + letter);
    };
    auto &values = entries.values;
    if (used('d')) {
        if (used('h') != used('w')) throw usage_error("3-D problems need both of h and w, or none");
        if (!used('h')) {
            copy_quantities(values, 'd', 'h');
            copy_quantities(values, 'd', 'w');
        }
        return "dhw";
    }
    if (used('h')) {
        if (!used('w')) copy_quantities(values, 'h', 'w');
        return "hw";
    }
    return used('w') ? "w" : "";
}

// Where both extents fit without right padding that differs from the left one.
struct window_formula {
    dim out;             // size that padding `pad` on both sides gives
    dim doubled_padding; // sum of both paddings that `out` needs
};

window_formula formula_of(const window &w, window_kind kind) {
    const dim extent = (w.kernel - 1) * (w.dilation + 1) + 1;
    if (kind == window_kind::deconvolution)
        return {(w.in - 1) * w.stride + extent - 2 * w.pad_left,
            (w.in - 1) * w.stride - w.out + extent};
    return {
        (w.in - extent + 2 * w.pad_left) / w.stride + 1, (w.out - 1) * w.stride - w.in + extent};
}

window window_of(const descriptor_entries &entries, char letter, window_kind kind) {
    const auto key = [&](const char *quantity) { return std::string(quantity) + letter; };
    window w;
    if (!entries.has(key("i")) || !entries.has(key("k")))
        throw usage_error(
            "input and kernel sizes are mandatory for '" + std::string(1, letter) + "'");
    w.in = entries.get(key("i"), 0);
    w.kernel = entries.get(key("k"), 0);
    w.stride = entries.get(key("s"), 1);
    w.dilation = entries.get(key("d"), 0);
    if (w.stride < 1) throw usage_error("a stride must be at least 1");
    if (!entries.has(key("o"))) {
        w.pad_left = entries.get(key("p"), 0);
        w.out = formula_of(w, kind).out;
        if (w.out <= 0) throw usage_error("the deduced output size is not positive");
    } else {
        w.out = entries.get(key("o"), 0);
        w.pad_left = entries.get(key("p"), formula_of(w, kind).doubled_padding / 2);
    }
    w.pad_right = formula_of(w, kind).doubled_padding - w.pad_left;
    return w;
}

} // namespace

descriptor_entries descriptor_of(const std::string &text, const std::string &keys) {
    descriptor_entries entries;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::string key = key_at(text, at);
        if (key == "n" || (!key.empty() && key[0] == 'n' && !is_listed(key, keys))) {
            entries.name = text.substr(at - key.size() + 1);
            return entries;
        }
        if (is_listed("~" + key, keys))
            entries.reals[key] = real_at(text, at);
        else {
            const std::string digits = digits_at(text, at);
            if (!is_listed(key, keys) || digits.empty())
                throw usage_error("'" + text + "': wrong entry '" + key + digits + "'");
            entries.values[key] = integer_of(digits, text);
        }
        if (at < text.size() && text[at] == '_') ++at;
    }
    return entries;
}

std::string text_of(const descriptor_entries &entries, const std::string &keys) {
    std::string text;
    for (const std::string &key : split(keys, ' '))
        if (entries.has(key))
            text += key + std::to_string(entries.values.at(key));
        else if (key[0] == '~' && entries.reals.count(key.substr(1)))
            text += key.substr(1) + text_of(entries.reals.at(key.substr(1)));
    return entries.name.empty() ? text : text + "n" + entries.name;
}

window_problem window_problem_of(const descriptor_entries &given, window_kind kind) {
    descriptor_entries entries = given;
    const bool is_pooling = kind == window_kind::pooling;
    window_problem problem;
    problem.grouped = entries.has("g");
    problem.G = entries.get("g", 1);
    problem.MB = entries.get("mb", 2);
    problem.IC = entries.get("ic", 0);
    problem.OC = is_pooling ? problem.IC : entries.get("oc", 0);
    if (!entries.has("ic") || (!is_pooling && !entries.has("oc")))
        throw usage_error("channel counts are mandatory");
    if (problem.G < 1 || problem.IC % problem.G != 0 || problem.OC % problem.G != 0)
        throw usage_error("the groups do not divide the channels");
    const std::string letters = spatial_letters(entries);
    if (letters.empty()) throw usage_error("a spatial dimension is mandatory");
    for (char letter : letters) problem.spatial.push_back(window_of(entries, letter, kind));
    return problem;
}

dims extents_of(const descriptor_entries &given, char quantity) {
    descriptor_entries entries = given;
    dims extents;
    for (char letter : spatial_letters(entries)) {
        const std::string key = {quantity, letter};
        if (!entries.has(key)) throw usage_error("'" + key + "' is missing");
        extents.push_back(entries.get(key, 0));
    }
    return extents;
}

} // namespace conformance
