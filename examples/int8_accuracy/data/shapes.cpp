// SPDX-License-Identifier: Apache-2.0
// Shapes as intersections (the maximum of distances) and unions (the minimum) of simple ones.
#include "shapes.hpp"

#include <algorithm>
#include <cmath>

namespace int8_accuracy {
namespace {

float disc(float x, float y, float radius) { return std::sqrt(x * x + y * y) - radius; }

float box(float x, float y, float half_width, float half_height) {
    return std::max(std::abs(x) - half_width, std::abs(y) - half_height);
}

float triangle(float x, float y) {
    const float slanted = .866f * std::abs(x) - .5f * y; // of both upper sides
    return std::max(slanted, y) - .48f;
}

/// Five points at radius 1, and five corners between them at radius 0.45.
float star(float x, float y) {
    constexpr float tenth = .62831853f; // of a full turn, radians
    const float radius = std::sqrt(x * x + y * y);
    float angle = std::fmod(std::atan2(x, -y) + 10 * tenth, 2 * tenth); // from a point of the star
    if (angle > tenth) angle = 2 * tenth - angle;
    // The side from the point (1, 0) to the inner corner, in coordinates along and across the ray.
    constexpr float corner_x = .45f * .80901699f, corner_y = .45f * .58778525f;
    const float along = radius * std::cos(angle) - 1, across = radius * std::sin(angle);
    const float side_x = corner_x - 1, side_y = corner_y;
    return (side_x * across - side_y * along) / -std::sqrt(side_x * side_x + side_y * side_y);
}

float heart(float x, float y) {
    const float side = .42f; // half of the side of a square on its corner
    const float u = .7071068f * (x + y - .1f), v = .7071068f * (y - .1f - x);
    const float body = box(u, v, side, side);
    return std::min({body, disc(u, v + side, side), disc(u + side, v, side)});
}

float arrow(float x, float y) {
    const float head = std::max(.75f * std::abs(x) - .66f * (y + .95f), y + .1f);
    return std::min(head, box(x, y - .4f, .22f, .52f));
}

float hourglass(float x, float y) {
    return std::max(.75f * std::abs(x) - .66f * std::abs(y) - .06f, std::abs(y) - .8f);
}

} // namespace

float distance_to_shape(int shape, float x, float y) {
    switch (shape) {
    case 0: return disc(x, y, .85f);
    case 1: return std::abs(disc(x, y, .68f)) - .22f;
    case 2: return box(x, y, .7f, .7f);
    case 3: return triangle(x, y);
    case 4: return star(x, y);
    case 5: return std::min(box(x, y, .28f, .9f), box(x, y, .9f, .28f));
    case 6: return std::max(disc(x, y, .9f), -disc(x - .5f, y, .72f));
    case 7: return heart(x, y);
    case 8: return arrow(x, y);
    default: return hourglass(x, y);
    }
}

} // namespace int8_accuracy
