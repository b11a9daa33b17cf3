// SPDX-License-Identifier: Apache-2.0
// Descriptor form: parsing, printing, deduction.
#include "spatial.hpp"

#include "text.hpp"
#include "usage_error.hpp"

#include <cctype>

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

// The cube rule: quantities of `from` are copied to `to`.
void copy_quantities(std::map<std::string, dim> &values, char from, char to) {
    for (const char *quantity : {"i", "o", "k", "s", "p", "d"}) {
        const auto found = values.find(std::string(quantity) + from);
        if (found != values.end()) values[std::string(quantity) + to] = found->second;
    }
}

window window_of(const descriptor_entries &entries, char letter) {
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
    const dim extent = (w.kernel - 1) * (w.dilation + 1) + 1;
    if (!entries.has(key("o"))) {
        w.pad_left = entries.get(key("p"), 0);
        w.out = (w.in - extent + 2 * w.pad_left) / w.stride + 1;
        if (w.out <= 0) throw usage_error("the deduced output size is not positive");
    } else {
        w.out = entries.get(key("o"), 0);
        w.pad_left = entries.get(key("p"), ((w.out - 1) * w.stride - w.in + extent) / 2);
    }
    w.pad_right = (w.out - 1) * w.stride - w.in + extent - w.pad_left;
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
        const std::string digits = digits_at(text, at);
        if (!is_listed(key, keys) || digits.empty())
            throw usage_error("'" + text + "': wrong entry '" + key + digits + "'");
        entries.values[key] = integer_of(digits, text);
        if (at < text.size() && text[at] == '_') ++at;
    }
    return entries;
}

std::string text_of(const descriptor_entries &entries, const std::string &keys) {
    std::string text;
    for (const std::string &key : split(keys, ' '))
        if (entries.has(key)) text += key + std::to_string(entries.values.at(key));
    return entries.name.empty() ? text : text + "n" + entries.name;
}

window_problem window_problem_of(const descriptor_entries &given, bool is_pooling) {
    descriptor_entries entries = given;
    auto &values = entries.values;
    const auto used = [&](char letter) {
        return entries.has(std::string("i") + letter) || entries.has(std::string("o") + letter);
    };
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
    std::string letters = "w";
    if (used('d')) {
        letters = "dhw";
        if (!used('h') && !used('w')) {
            copy_quantities(values, 'd', 'h');
            copy_quantities(values, 'd', 'w');
        }
    } else if (used('h')) {
        letters = "hw";
        if (!used('w')) copy_quantities(values, 'h', 'w');
    }
    for (char letter : letters) problem.spatial.push_back(window_of(entries, letter));
    return problem;
}

} // namespace conformance
