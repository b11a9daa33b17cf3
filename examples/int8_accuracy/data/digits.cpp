// SPDX-License-Identifier: Apache-2.0
// Draws the embedded digits: strokes -> trembling control points -> affine map -> pen -> noise.
#include "digits.hpp"

#include "../../random_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace int8_accuracy {

using examples::random_source;
namespace {

struct point {
    double x, y; // in glyphs: 0 ... 1, y down; in images: pixels
};

struct stroke {
    bool curved; // a smooth curve through the points, otherwise straight lines between them
    std::vector<point> points;
};

using glyph = std::vector<stroke>;

constexpr bool curved = true, straight = false;
constexpr int class_count = 10, image_side = 28, image_pixels = image_side * image_side;

/// The ways of writing each digit, in a box of 1 x 1.
const std::array<std::vector<glyph>, class_count> &glyphs() {
    static const std::array<std::vector<glyph>, class_count> all {{
        // 0
        {{{curved, {{.5, .05}, {.25, .2}, {.18, .5}, {.25, .8}, {.5, .95}, {.75, .8}, {.82, .5},
                       {.75, .2}, {.5, .05}}}},
            {{curved, {{.6, .08}, {.32, .16}, {.2, .55}, {.35, .9}, {.62, .88}, {.8, .55},
                          {.7, .16}, {.45, .1}}}}},
        // 1
        {{{straight, {{.5, .05}, {.5, .95}}}}, {{straight, {{.28, .28}, {.52, .05}, {.52, .95}}}},
            {{straight, {{.3, .25}, {.5, .05}, {.5, .95}}}, {straight, {{.28, .95}, {.72, .95}}}}},
        // 2
        {{{curved, {{.2, .27}, {.33, .08}, {.65, .07}, {.79, .28}, {.62, .55}, {.2, .93}}},
             {straight, {{.2, .93}, {.84, .93}}}},
            {{curved, {{.2, .22}, {.48, .05}, {.76, .22}, {.6, .56}, {.28, .9}, {.17, .78},
                          {.36, .76}, {.6, .93}, {.86, .86}}}}},
        // 3
        {{{curved, {{.2, .16}, {.48, .05}, {.76, .2}, {.68, .4}, {.42, .47}}},
             {curved, {{.42, .47}, {.74, .56}, {.82, .75}, {.55, .95}, {.18, .85}}}},
            {{straight, {{.2, .07}, {.78, .07}, {.45, .42}}},
                {curved, {{.45, .42}, {.76, .52}, {.8, .76}, {.52, .95}, {.18, .86}}}}},
        // 4
        {{{straight, {{.65, .95}, {.65, .05}, {.15, .65}, {.88, .65}}}},
            {{straight, {{.27, .05}, {.2, .52}, {.84, .52}}},
                {straight, {{.74, .06}, {.68, .95}}}}},
        // 5
        {{{straight, {{.78, .07}, {.3, .07}, {.26, .45}}},
            {curved, {{.26, .45}, {.55, .38}, {.8, .58}, {.72, .86}, {.45, .95}, {.18, .84}}}}},
        // 6
        {{{curved, {{.7, .06}, {.4, .25}, {.22, .6}, {.32, .9}, {.6, .94}, {.78, .73}, {.6, .52},
                       {.38, .56}, {.24, .74}}}},
            {{curved, {{.5, .04}, {.28, .4}, {.24, .78}, {.48, .95}, {.74, .8}, {.62, .58},
                          {.36, .62}, {.25, .78}}}}},
        // 7
        {{{straight, {{.18, .07}, {.82, .07}, {.42, .95}}}},
            {{straight, {{.18, .1}, {.82, .07}, {.45, .95}}}, {straight, {{.34, .5}, {.76, .48}}}}},
        // 8
        {{{curved, {{.5, .48}, {.26, .3}, {.34, .09}, {.5, .05}, {.66, .09}, {.74, .3}, {.5, .48},
                       {.24, .68}, {.3, .9}, {.5, .95}, {.7, .9}, {.76, .68}, {.5, .48}}}},
            {{curved, {{.74, .16}, {.5, .05}, {.27, .2}, {.42, .44}, {.7, .62}, {.7, .88},
                          {.5, .95}, {.28, .84}, {.36, .6}, {.62, .42}, {.76, .18}}}}},
        // 9
        {{{curved,
              {{.76, .28}, {.6, .07}, {.35, .1}, {.24, .3}, {.38, .5}, {.62, .47}, {.76, .28}}},
             {straight, {{.76, .28}, {.62, .95}}}},
            {{curved, {{.74, .22}, {.5, .05}, {.26, .25}, {.38, .48}, {.64, .44}, {.75, .24},
                          {.74, .62}, {.52, .94}, {.25, .86}}}}},
    }};
    return all;
}

/// Position p + t (t in 0 ... 1) on the Catmull-Rom spline through the points.
point on_spline(const std::vector<point> &points, std::size_t p, double t) {
    const point a = points[p == 0 ? 0 : p - 1], b = points[p], c = points[p + 1],
                d = points[std::min(p + 2, points.size() - 1)];
    const auto blend = [t](double k, double l, double m, double n) {
        return .5 * (2 * l + (m - k) * t + (2 * k - 5 * l + 4 * m - n) * t * t +
                        (3 * l - k - 3 * m + n) * t * t * t);
    };
    return {blend(a.x, b.x, c.x, d.x), blend(a.y, b.y, c.y, d.y)};
}

/// The stroke as a chain of short lines, its control points moved by a trembling hand.
std::vector<point> trace(stroke s, double tremble, random_source &random) {
    for (point &p : s.points)
        p = {p.x + tremble * random.normal(), p.y + tremble * random.normal()};
    if (!s.curved) return s.points;
    std::vector<point> chain;
    constexpr int lines = 6; // per pair of control points
    for (std::size_t p = 0; p + 1 < s.points.size(); ++p)
        for (int i = 0; i < lines; ++i) chain.push_back(on_spline(s.points, p, double(i) / lines));
    chain.push_back(s.points.back());
    return chain;
}

/// image = matrix * (glyph - centre) + shift.
struct affine_map {
    double xx, xy, yx, yy, shift_x, shift_y;

    point operator()(point p) const {
        const double x = p.x - .5, y = p.y - .5;
        return {xx * x + xy * y + shift_x, yx * x + yy * y + shift_y};
    }
};

affine_map random_map(random_source &random) {
    const double width = random.uniform(10, 19), height = random.uniform(14, 22); // pixels
    const double angle = random.uniform(-.34, .34), slant = random.uniform(-.35, .35);
    const double c = std::cos(angle), s = std::sin(angle);
    const double centre = (image_side - 1) / 2.0;
    return {width * c, height * (c * slant - s), width * s, height * (s * slant + c),
        centre + random.uniform(-3, 3), centre + random.uniform(-3, 3)};
}

double distance_to_line(point p, point a, point b) {
    const double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
    const double along = length2 == 0 ? 0 : ((p.x - a.x) * dx + (p.y - a.y) * dy) / length2;
    const double t = std::clamp(along, 0., 1.);
    return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

using canvas = std::array<double, image_pixels>; // 0 paper ... 1 ink

/// Draws one line with a round pen whose edge fades over one pixel.
void draw_line(canvas &image, point a, point b, double radius) {
    const auto first = [radius](double u, double v) {
        return std::max(0, static_cast<int>(std::min(u, v) - radius - 1));
    };
    const auto last = [radius](double u, double v) {
        return std::min(image_side - 1, static_cast<int>(std::max(u, v) + radius + 2));
    };
    for (int y = first(a.y, b.y); y <= last(a.y, b.y); ++y)
        for (int x = first(a.x, b.x); x <= last(a.x, b.x); ++x) {
            const double distance = distance_to_line({double(x), double(y)}, a, b);
            double &pixel = image[y * image_side + x];
            pixel = std::max(pixel, std::clamp(radius + .5 - distance, 0., 1.));
        }
}

/// A short mark somewhere on the paper that belongs to no digit.
void draw_stray_mark(canvas &image, double radius, random_source &random) {
    const point from {random.uniform(0, image_side), random.uniform(0, image_side)};
    const point to {from.x + random.uniform(-5, 5), from.y + random.uniform(-5, 5)};
    draw_line(image, from, to, radius);
}

void draw_digit(int digit, std::uint8_t *pixels, random_source &random) {
    const std::vector<glyph> &styles = glyphs()[digit];
    const glyph &chosen = styles[random.below(static_cast<int>(styles.size()))];
    const affine_map map = random_map(random);
    const double radius = random.uniform(.6, 1.5), tremble = random.uniform(.015, .065);
    canvas image {};
    for (const stroke &s : chosen) {
        const std::vector<point> chain = trace(s, tremble, random);
        for (std::size_t i = 0; i + 1 < chain.size(); ++i)
            draw_line(image, map(chain[i]), map(chain[i + 1]), radius);
    }
    if (random.unit() < .5) draw_stray_mark(image, .8 * radius, random);
    const double ink = random.uniform(.55, 1), noise = random.uniform(.02, .16);
    for (int i = 0; i < image_pixels; ++i) {
        const double grey = std::clamp(ink * image[i] + noise * random.normal(), 0., 1.);
        pixels[i] = static_cast<std::uint8_t>(std::lround(255 * grey));
    }
}

} // namespace

dataset draw_digits(int count, std::uint64_t seed) {
    random_source random(seed);
    dataset digits;
    digits.of = {1, image_side, image_side};
    digits.classes = class_count;
    digits.values.resize(std::size_t(count) * image_pixels);
    digits.labels.resize(count);
    for (int i = 0; i < count; ++i) {
        digits.labels[i] = static_cast<std::uint8_t>(i % class_count);
        draw_digit(i % class_count, digits.values.data() + std::size_t(i) * image_pixels, random);
    }
    return digits;
}

} // namespace int8_accuracy
