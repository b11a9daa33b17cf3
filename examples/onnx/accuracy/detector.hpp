// SPDX-License-Identifier: Apache-2.0
// Detectors of text: networks that give the probability that a pixel belongs to a line of text.
#pragma once

#include "../network.hpp"
#include "picture.hpp"

#include <vector>

namespace accuracy {

struct box {
    int left, top, width, height;
};

/// [1, 3, height, width], (v / 255 - mean) / deviation, with the means and deviations of the three
/// colours that such networks are trained by.
dnnl_onnx::tensor detector_input(const picture &page);

/// Regions of at least 24 connected pixels above 0.3 with a mean above 0.6, as upright boxes from
/// top to bottom. A detector marks the middle of a line, so a box grows on each side by
/// 1.5 area / circumference.
std::vector<box> boxes_of(const float *map, int width, int height);

/// Pixels above 0.3 in both maps over pixels above 0.3 in any; 1 where there are none.
double overlap(const float *a, const float *b, std::size_t count);

} // namespace accuracy
