// SPDX-License-Identifier: Apache-2.0
// Makes up English-like text.
#pragma once

#include <cstdint>
#include <string>

namespace int8_accuracy {

struct grammar_text {
    std::string characters;
    double bits = 0; // information in the random choices: an upper bound of the text's own
};

/// `characters` characters of paragraphs about invented people: sentences with agreement of subject
/// and verb, pronouns that fit the names, sums of numbers, quotations and nested brackets. The last
/// sentence may be cut. Equal seeds give equal text.
grammar_text draw_text(int characters, std::uint64_t seed);

} // namespace int8_accuracy
