// SPDX-License-Identifier: Apache-2.0
// The knobs of dropout and stochastic rounding (case-language.md, attributes).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace conformance {

/// --attr-dropout=P[:SEED[:TAG[:OFFSET[:USE_HOST_SCALARS]]]]; off when the text is empty.
struct dropout_knob {
    bool on = false;
    float probability = 0;
    std::int64_t seed = 0;
    std::string tag = "any"; // of the mask; undef: none is written
    std::int64_t offset = 0; // 0: not used
    bool on_host = false;    // probability, seed and offset are host scalars

    bool has_mask() const { return tag != "undef"; }
    /// The seed is an s64: where s32 does not hold it, and beside what came with that type.
    bool has_wide_seed() const {
        return offset != 0 || on_host || seed < INT32_MIN || seed > INT32_MAX;
    }
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
