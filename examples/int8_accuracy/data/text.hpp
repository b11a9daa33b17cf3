// SPDX-License-Identifier: Apache-2.0
// Texts as data sets for networks that predict the next character.
#pragma once

#include "dataset.hpp"

#include <filesystem>

namespace int8_accuracy {

/// Cuts the bytes of a file into sequences of `length` tokens, one after the other; a token is the
/// place of its byte among the sorted distinct ones of the text, and a label is the token that
/// follows. The classes are named after the characters. The sequences of the last tenth of the text
/// are held out, in the order of the text; the others are shuffled with `seed`. Throws
/// std::runtime_error with one line that names the file if it cannot be read, has fewer than twenty
/// sequences, only one distinct byte, or all 256.
data_split read_text(const std::filesystem::path &file, int length, std::uint64_t seed);

/// The same for `characters` characters that draw_text() makes up. Throws std::runtime_error if
/// they are too few.
data_split drawn_text(int characters, int length, std::uint64_t seed);

} // namespace int8_accuracy
