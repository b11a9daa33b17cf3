// SPDX-License-Identifier: Apache-2.0
// Checks of option values.
#include "language/knob_forms.hpp"

#include "language/attributes.hpp"
#include "language/random_knobs.hpp"
#include "language/tags.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <algorithm>

namespace conformance::form {

value_form word(std::vector<std::string> words, std::string long_prefix) {
    return [=](const std::string &text) {
        std::string bare = lower_case(text);
        if (!long_prefix.empty() && bare.rfind(long_prefix, 0) == 0)
            bare = bare.substr(long_prefix.size());
        for (const std::string &candidate : words)
            if (bare == lower_case(candidate)) return candidate;
        throw usage_error("unknown value '" + text + "'");
    };
}

value_form word_or(
    value_form short_names, std::vector<std::pair<std::string, std::string>> long_names) {
    return [=](const std::string &text) {
        for (const auto &name : long_names)
            if (lower_case(text) == name.first) return name.second;
        return short_names(text);
    };
}

value_form types(std::size_t count) {
    return [=](const std::string &text) {
        std::vector<std::string> names;
        for (const std::string &part : split(text, ':')) names.push_back(name_of(type_named(part)));
        if (names.size() != 1 && count != 0 && names.size() != count)
            throw usage_error("'" + text + "': wrong number of types");
        bool equal = names.size() == count;
        for (const auto &name : names) equal &= name == names[0];
        return equal && count != 0 ? names[0] : joined(names, ":");
    };
}

value_form two_types(bool one_for_both) {
    return [=](const std::string &text) {
        auto parts = split(text, ':');
        if (one_for_both && parts.size() == 1) parts.push_back(parts[0]);
        if (parts.size() != 2) throw usage_error("'" + text + "': two types are needed");
        return name_of(type_named(parts[0])) + ":" + name_of(type_named(parts[1]));
    };
}

value_form strides(std::size_t count) {
    return [=](const std::string &text) {
        const auto parts = split(text, ':');
        if (parts.size() != count) throw usage_error("'" + text + "': wrong number of colons");
        for (const std::string &part : parts)
            if (!part.empty()) dims_of(part, "strides");
        return text;
    };
}

value_form flag_letters(std::string letters) {
    return [=](const std::string &text) {
        for (char c : text)
            if (letters.find(c) == std::string::npos)
                throw usage_error("unknown flag '" + std::string(1, c) + "' in '" + text + "'");
        std::string ordered;
        for (char c : letters)
            if (text.find(c) != std::string::npos) ordered += c;
        return ordered;
    };
}

std::string tag(const std::string &text) {
    check_tag(text);
    return text;
}

std::string tag_list(const std::string &text) {
    for (const std::string &part : split(text, ':')) check_tag(part);
    return text;
}

value_form tags(std::size_t fewest, std::size_t most) {
    return [=](const std::string &text) {
        const std::size_t given = split(text, ':').size();
        if (given != fewest && given != most)
            throw usage_error("'" + text + "': " + std::to_string(most) + " tags are needed");
        return tag_list(text);
    };
}

std::string boolean(const std::string &text) {
    const std::string word = lower_case(text);
    if (word == "true" || word == "1") return "true";
    if (word == "false" || word == "0") return "false";
    throw usage_error("'" + text + "' is none of 1, 0, true and false");
}

std::string integer(const std::string &text) { return std::to_string(integer_of(text, "option")); }

std::string count(const std::string &text) {
    if (integer_of(text, "option") < 0) throw usage_error("'" + text + "' is negative");
    return text;
}

std::string real(const std::string &text) { return text_of(float_of(text, "option")); }

std::string reals(const std::string &text) {
    std::vector<std::string> parts;
    for (const std::string &part : split(text, ':')) parts.push_back(real(part));
    return joined(parts, ":");
}

value_form masks(std::size_t most) {
    return [=](const std::string &text) {
        const auto parts = split(text, ':');
        if (parts.size() > most) throw usage_error("'" + text + "': too many masks");
        for (const std::string &part : parts) integer_of(part, "mask");
        return text;
    };
}

std::string rnn_parameters(const std::string &text) {
    if (text.empty()) return text;
    const auto parts = split(text, ':');
    if (parts[0] == "data" && parts.size() == 3)
        return "data:" + real(parts[1]) + ":" + real(parts[2]);
    const bool weights = parts[0] == "weights" || parts[0] == "projection";
    if (!weights || parts.size() != 2)
        throw usage_error("'" + text + "': data:SCALE:SHIFT or weights:POLICY is needed");
    return parts[0] + ":" + word({"common", "per_oc"})(parts[1]);
}

std::string eltwise_algorithm(const std::string &text) {
    if (text.find(':') != text.npos)
        throw usage_error("'" + text + "': alpha and beta have knobs of their own");
    const auto chain = post_ops_of(text);
    if (chain.size() != 1 || chain[0].kind != post_op::eltwise)
        throw usage_error("unknown eltwise algorithm '" + text + "'");
    return upper_case(chain[0].name);
}

std::string scales(const std::string &text) {
    return text_of(quantization_of(text, quantization_kind::scales), quantization_kind::scales);
}

std::string zero_points(const std::string &text) {
    return text_of(
        quantization_of(text, quantization_kind::zero_points), quantization_kind::zero_points);
}

std::string reductions(const std::string &text) {
    return text_of(
        quantization_of(text, quantization_kind::reductions), quantization_kind::reductions);
}

std::string post_op_chain(const std::string &text) { return text_of(post_ops_of(text)); }
std::string rounding(const std::string &text) { return text_of(rounding_of(text)); }
std::string dropout(const std::string &text) { return text_of(dropout_of(text)); }

std::string fpmath(const std::string &text) {
    const auto parts = split(lower_case(text), ':');
    word({"strict", "bf16", "f16", "tf32", "any"})(parts[0]);
    if (parts.size() > 2) throw usage_error("wrong fpmath mode '" + text + "'");
    return parts.size() == 2 && boolean(parts[1]) == "true" ? parts[0] + ":true" : parts[0];
}

std::string compensation_flags(const std::string &text) {
    if (text.empty()) return text;
    std::vector<std::string> entries;
    for (const std::string &entry : split(text, '+')) {
        const auto fields = split(entry, ':');
        if (fields.size() != 2) throw usage_error("'" + text + "': FLAG:MASK is needed");
        entries.push_back(word({"s8s8_comp", "zp_comp"})(fields[0]) + ":" + count(fields[1]));
    }
    return joined(entries, "+");
}

std::string threading_context(const std::string &text) {
    const auto parts = split(lower_case(text), ':');
    if (parts.size() > 3) throw usage_error("'" + text + "': too many fields");
    for (const std::string &part : parts)
        if (part != "auto" && integer_of(part, "threading context") < 1)
            throw usage_error("'" + text + "' is not a threading context");
    const bool automatic =
        std::all_of(parts.begin(), parts.end(), [](const std::string &p) { return p == "auto"; });
    return automatic ? "auto" : joined(parts, ":");
}

std::string encodings(const std::string &text) {
    const auto parts = split(text, ':');
    if (parts.size() != 3) throw usage_error("'" + text + "': three encodings are needed");
    for (const std::string &part : parts) {
        if (part.empty()) continue;
        const std::size_t plus = part.find('+');
        word({"csr", "coo", "packed"})(part.substr(0, plus));
        if (plus != std::string::npos) float_of(part.substr(plus + 1), "sparsity");
    }
    return text;
}

} // namespace conformance::form
