// SPDX-License-Identifier: Apache-2.0
// Reads binary PGM and PPM files.
#pragma once

#include "image.hpp"

#include <filesystem>

namespace int8_accuracy {

/// P5 (grey) and P6 (colour) with 255 as the largest value. Throws std::runtime_error with one line
/// that names the file if it is missing, damaged, truncated or larger than 256 x 256 pixels.
image read_ppm(const std::filesystem::path &file);

} // namespace int8_accuracy
