// SPDX-License-Identifier: Apache-2.0
// The embedded data: handwriting-like digits, drawn from a seed.
#pragma once

#include "dataset.hpp"

#include <cstdint>

namespace int8_accuracy {

/// Draws `count` digits of 28 x 28 grey pixels, 0 is paper and 255 is ink; every class occurs
/// equally often. A digit is a few strokes of a pen whose control points tremble, under a random
/// affine map (size, slant, rotation, shift), with a pen of random width, stray marks and Gaussian
/// noise. Equal seeds give equal images.
dataset draw_digits(int count, std::uint64_t seed);

} // namespace int8_accuracy
