// SPDX-License-Identifier: Apache-2.0
// One picture as its file has it.
#pragma once

#include <cstdint>
#include <vector>

namespace int8_accuracy {

/// The largest width and height that the readers of files accept.
constexpr int largest_image_side = 256;

struct image {
    int width = 0, height = 0, channels = 0; // channels: 1 grey, 3 red, green and blue
    std::vector<std::uint8_t> pixels;        // height x width x channels
};

} // namespace int8_accuracy
