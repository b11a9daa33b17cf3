// SPDX-License-Identifier: Apache-2.0
// Reads PNG files.
#pragma once

#include "image.hpp"

#include <filesystem>

namespace int8_accuracy {

/// Grey and colour, with 8 or 16 bits (the upper byte is taken), grey and palettes with 1, 2, 4
/// and 8 bits. Transparency is left out: what lies below it counts. A palette gives a colour image.
/// Throws std::runtime_error with one line that names the file if it is missing, damaged,
/// truncated, interlaced or larger than 256 x 256 pixels.
image read_png(const std::filesystem::path &file);

} // namespace int8_accuracy
