// SPDX-License-Identifier: Apache-2.0
// The knobs of dropout and stochastic rounding (case-language.md, attributes).
#pragma once

#include <string>
#include <vector>

namespace conformance {

/// --attr-dropout=P[:SEED[:TAG]]; off when the text is empty.
struct dropout_knob {
    bool on = false;
    float probability = 0;
    int seed = 0;
    std::string tag = "any";
};
dropout_knob dropout_of(const std::string &text);
std::string text_of(const dropout_knob &knob);

/// --attr-rounding-mode=ARG:MODE[:SEED][+...]: only stochastic entries are kept.
struct rounding_knob {
    std::vector<std::string> arguments; // those with stochastic rounding
    int seed = 0;
};
rounding_knob rounding_of(const std::string &text);
std::string text_of(const rounding_knob &knob);

} // namespace conformance
