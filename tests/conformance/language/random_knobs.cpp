// SPDX-License-Identifier: Apache-2.0
#include "language/random_knobs.hpp"

#include "language/attributes.hpp"
#include "language/tags.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

namespace conformance {

dropout_knob dropout_of(const std::string &text) {
    dropout_knob knob;
    if (text.empty()) return knob;
    const auto fields = split(text, ':');
    if (fields.size() > 5) throw usage_error("wrong dropout '" + text + "'");
    knob.on = true;
    knob.probability = float_of(fields[0], text);
    if (!(knob.probability >= 0 && knob.probability <= 1))
        throw usage_error("the probability in '" + text + "' is not in [0, 1]");
    if (fields.size() > 1) knob.seed = integer_of(fields[1], text);
    if (fields.size() > 2) knob.tag = fields[2];
    if (knob.has_mask()) check_tag(knob.tag);
    if (fields.size() > 3) knob.offset = integer_of(fields[3], text);
    if (knob.offset < 0) throw usage_error("the offset in '" + text + "' is negative");
    if (fields.size() > 4) {
        const std::string word = lower_case(fields[4]);
        knob.on_host = word == "true" || word == "1";
        if (!knob.on_host && word != "false" && word != "0")
            throw usage_error("'" + fields[4] + "' in '" + text + "' is neither true nor false");
    }
    return knob;
}

std::string text_of(const dropout_knob &knob) {
    if (!knob.on) return "";
    std::string text = text_of(knob.probability);
    const bool offset = knob.offset != 0 || knob.on_host, tagged = knob.tag != "any" || offset;
    if (knob.seed != 0 || tagged) text += ":" + std::to_string(knob.seed);
    if (tagged) text += ":" + knob.tag;
    if (offset) text += ":" + std::to_string(knob.offset);
    return knob.on_host ? text + ":true" : text;
}

rounding_knob rounding_of(const std::string &text) {
    rounding_knob knob;
    if (text.empty()) return knob;
    for (const std::string &part : split(text, '+')) {
        const auto fields = split(part, ':');
        if (fields.size() < 2 || fields.size() > 3 || argument_of(lower_case(fields[0])) == 0)
            throw usage_error("wrong rounding mode '" + text + "'");
        const std::string mode = lower_case(fields[1]);
        if (mode != "environment" && mode != "stochastic")
            throw usage_error("unknown rounding mode '" + mode + "'");
        if (mode == "stochastic") knob.arguments.push_back(lower_case(fields[0]));
        if (fields.size() > 2) knob.seed = int(integer_of(fields[2], text));
    }
    return knob;
}

std::string text_of(const rounding_knob &knob) {
    std::vector<std::string> parts;
    for (const std::string &argument : knob.arguments)
        parts.push_back(
            argument + ":stochastic" + (knob.seed != 0 ? ":" + std::to_string(knob.seed) : ""));
    return joined(parts, "+");
}

} // namespace conformance
