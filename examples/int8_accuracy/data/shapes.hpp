// SPDX-License-Identifier: Apache-2.0
// Plane shapes as signed distances.
#pragma once

#include <string_view>

namespace int8_accuracy {

inline constexpr std::string_view shape_names[] {"disc", "ring", "square", "triangle", "star",
    "cross", "crescent", "heart", "arrow", "hourglass"};
inline constexpr int shape_count = 10;

/// About how far the point lies outside of the shape; below zero inside. Each shape fits into a
/// disc of radius 1 around the origin and has its top at negative y.
float distance_to_shape(int shape, float x, float y);

} // namespace int8_accuracy
