// SPDX-License-Identifier: Apache-2.0
// Draws the colour images: background -> small shapes -> object -> bar across -> light -> noise.
#include "colour_images.hpp"

#include "../../random_source.hpp"
#include "shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace int8_accuracy {
namespace {

using examples::random_source;

constexpr int side = 32, channels = 3;
constexpr float half_turn = 3.1415927f, two_pi = 2 * half_turn; // radians

struct color {
    float red = 0, green = 0, blue = 0; // 0 ... 1

    color mixed(const color &other, float share) const {
        return {red + share * (other.red - red), green + share * (other.green - green),
            blue + share * (other.blue - blue)};
    }
};

color random_color(random_source &random) {
    return {float(random.unit()), float(random.unit()), float(random.unit())};
}

float distance(const color &a, const color &b) {
    return std::sqrt(
        ((a.red - b.red) * (a.red - b.red) + (a.green - b.green) * (a.green - b.green) +
            (a.blue - b.blue) * (a.blue - b.blue)) /
        3);
}

/// A random colour of this brightness, the mean of its three parts.
color random_color(float brightness, random_source &random) {
    color drawn = random_color(random);
    const float own = (drawn.red + drawn.green + drawn.blue) / 3;
    if (own > brightness) return color {}.mixed(drawn, brightness / own);
    return drawn.mixed({1, 1, 1}, (brightness - own) / (1 - own));
}

struct canvas {
    std::array<color, side * side> pixels;

    color &at(int x, int y) { return pixels[y * side + x]; }
};

/// Straight stripes with soft edges: 0 ... 1 across them.
class stripes {
  public:
    stripes(float period, random_source &random) {
        const float angle = float(random.uniform(0, two_pi));
        x_ = two_pi / period * std::cos(angle);
        y_ = two_pi / period * std::sin(angle);
        phase_ = float(random.uniform(0, two_pi));
    }

    float operator()(float x, float y) const {
        return std::clamp(.5f + 1.5f * std::sin(x * x_ + y * y_ + phase_), 0.f, 1.f);
    }

  private:
    float x_, y_, phase_;
};

/// Random values on a grid, and smooth ones between: 0 ... 1.
class cloud {
  public:
    explicit cloud(random_source &random) : cell_(float(random.uniform(4, 11))) {
        for (float &value : values_) value = float(random.unit());
    }

    float operator()(float x, float y) const {
        const int column = int(x / cell_), row = int(y / cell_);
        const float u = smooth(x / cell_ - float(column)), v = smooth(y / cell_ - float(row));
        const float *upper = values_.data() + row * grid + column, *lower = upper + grid;
        const float above = upper[0] + u * (upper[1] - upper[0]);
        return above + v * (lower[0] + u * (lower[1] - lower[0]) - above);
    }

  private:
    static constexpr int grid = 10; // side / the smallest cell, and one more at each end
    static float smooth(float t) { return t * t * (3 - 2 * t); }

    float cell_;
    std::array<float, grid * grid> values_;
};

/// One of four textures between two colours.
void draw_background(canvas &to, const color &main, const color &other, random_source &random) {
    const int kind = random.below(4);
    const cloud clouds(random);
    const stripes first(float(random.uniform(4, 14)), random);
    const stripes second(float(random.uniform(4, 14)), random);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const auto u = float(x), v = float(y);
            const float share = kind == 0   ? u / side
                                : kind == 1 ? first(u, v)
                                : kind == 2 ? first(u, v) * second(u, v)
                                            : clouds(u, v);
            to.at(x, y) = main.mixed(other, share);
        }
}

/// Where a shape lies: image = centre + radius x (proportions, then rotation) of the shape.
struct placement {
    float x, y, radius;   // pixels
    float xx, xy, yx, yy; // from pixels around the centre to coordinates of the shape
};

placement random_placement(
    float x, float y, float radius, float largest_rotation, random_source &random) {
    const float angle = float(random.uniform(-largest_rotation, largest_rotation));
    const float width = float(random.uniform(.8, 1.2)) * radius, height = 1.96f * radius - width;
    const float mirror = random.unit() < .5 ? -1.f : 1.f;
    const float c = std::cos(angle), s = std::sin(angle);
    return {x, y, radius, mirror * c / width, mirror * s / width, -s / height, c / height};
}

/// Calls paint(pixel, x, y, coverage) for the pixels that the shape with this distance covers.
template <typename distance_function, typename painter>
void cover(canvas &to, const placement &at, distance_function &&distance, painter &&paint) {
    const float reach = 1.25f * at.radius + 1;
    const int left = std::max(0, int(at.x - reach)), right = std::min(side - 1, int(at.x + reach));
    const int top = std::max(0, int(at.y - reach)), bottom = std::min(side - 1, int(at.y + reach));
    for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x) {
            const float u = float(x) - at.x, v = float(y) - at.y;
            const float away = distance(u * at.xx + v * at.xy, u * at.yx + v * at.yy);
            const float coverage = std::clamp(.5f - away * at.radius, 0.f, 1.f);
            if (coverage > 0) paint(to.at(x, y), u, v, coverage);
        }
}

void draw_distractor(canvas &to, random_source &random) {
    const color ink = random_color(random);
    const bool line = random.unit() < .5;
    const float radius = float(line ? random.uniform(5, 14) : random.uniform(2.5, 4.5));
    const placement at = random_placement(
        float(random.uniform(0, side)), float(random.uniform(0, side)), radius, half_turn, random);
    const int shape = random.below(shape_count);
    const float thickness = float(random.uniform(.8, 1.6)) / radius;
    const auto distance = [&](float u, float v) {
        return line ? std::max(std::abs(u) - 1, std::abs(v) - thickness)
                    : distance_to_shape(shape, u, v);
    };
    cover(to, at, distance,
        [&](color &pixel, float, float, float coverage) { pixel = pixel.mixed(ink, coverage); });
}

/// The colours of an object: one with a slight slope, or two in stripes.
struct surface {
    color main, other;
    bool striped;
};

void draw_object(canvas &to, int shape, const surface &colors, const placement &at,
    const image_difficulty &difficulty, random_source &random) {
    const bool ambiguous = random.unit() < difficulty.ambiguous;
    const int other = (shape + 1 + random.below(shape_count - 1)) % shape_count;
    const float share = ambiguous ? float(random.uniform(.35, .5)) : 0;
    const auto distance = [&](float u, float v) {
        const float own = distance_to_shape(shape, u, v);
        return ambiguous ? own + share * (distance_to_shape(other, u, v) - own) : own;
    };
    const stripes pattern(float(random.uniform(3.6, 6.5)), random);
    const stripes slope(float(random.uniform(40, 90)), random);
    cover(to, at, distance, [&](color &pixel, float u, float v, float coverage) {
        const float part = colors.striped ? pattern(u, v) : slope(u, v);
        pixel = pixel.mixed(colors.main.mixed(colors.other, part), coverage);
    });
}

/// A bar from edge to edge over the object, not through its centre.
void draw_bar(canvas &to, const placement &object, random_source &random) {
    const color ink = random_color(random);
    placement at = random_placement(object.x, object.y, side, half_turn, random);
    const float from_centre = float(random.uniform(.25, .7)) * object.radius / at.radius;
    const float thickness = float(random.uniform(1, 2.2)) / at.radius;
    cover(
        to, at, [&](float, float v) { return std::abs(v - from_centre) - thickness; },
        [&](color &pixel, float, float, float coverage) { pixel = pixel.mixed(ink, coverage); });
}

/// About a standard normal variable: the sum of eight bytes of equal probability, scaled.
float quick_normal(random_source &random) {
    constexpr std::uint64_t low_bytes = 0x00ff00ff00ff00ffu;
    const std::uint64_t bits = random.bits();
    std::uint64_t sums = (bits & low_bytes) + (bits >> 8 & low_bytes); // four sums of two bytes
    sums += sums >> 32;
    sums += sums >> 16;
    constexpr float mean = 8 * 127.5f, deviation = 209.0f; // sqrt(8 x (256^2 - 1) / 12)
    return (float(sums & 0xffff) - mean) / deviation;
}

/// Light that falls off to one side, then noise.
void develop(const canvas &from, const image_difficulty &difficulty, random_source &random,
    std::uint8_t *pixels) {
    const float noise = float(random.uniform(difficulty.least_noise, difficulty.most_noise));
    const float light = float(random.uniform(.6, 1.15)), slope = float(random.uniform(0, .3));
    const float angle = float(random.uniform(0, two_pi));
    const float slope_x = slope * std::cos(angle) / (side / 2),
                slope_y = slope * std::sin(angle) / (side / 2);
    const float dark = float(random.uniform(0, .15)) * 255; // added: fog
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const float factor =
                255 * light *
                (1 + slope_x * (float(x) - side / 2) + slope_y * (float(y) - side / 2));
            const color &seen = from.pixels[y * side + x];
            for (float value : {seen.red, seen.green, seen.blue})
                *pixels++ = std::uint8_t(std::clamp(
                    dark + factor * value + noise * quick_normal(random) + .5f, 0.f, 255.f));
        }
}

/// Bright colours for the object, dark ones for the background.
struct palette {
    color background, texture;
    surface object;
};

palette draw_palette(bool striped, const image_difficulty &difficulty, random_source &random) {
    palette drawn;
    const float dark = float(random.uniform(.1, .45));
    drawn.background = random_color(dark, random);
    drawn.texture = drawn.background.mixed(random_color(random), float(difficulty.background));
    drawn.object.striped = striped;
    const auto bright = [&] { return random_color(float(random.uniform(.4, .95)), random); };
    do drawn.object.main = bright();
    while (distance(drawn.object.main, drawn.background) < difficulty.least_contrast);
    if (striped) {
        do drawn.object.other = random_color(random);
        while (distance(drawn.object.main, drawn.object.other) < difficulty.least_stripes ||
               distance(drawn.object.other, drawn.background) < difficulty.least_contrast);
    } else
        drawn.object.other = drawn.object.main.mixed(random_color(random), .2f);
    return drawn;
}

void draw_image(
    int label, const image_difficulty &difficulty, random_source &random, std::uint8_t *pixels) {
    canvas image;
    const palette colors = draw_palette(label % 2 == 1, difficulty, random);
    draw_background(image, colors.background, colors.texture, random);
    for (int i = random.below(difficulty.most_distractors + 1); i > 0; --i)
        draw_distractor(image, random);
    const float radius = float(random.uniform(difficulty.least_radius, difficulty.most_radius));
    const float play = side / 2 - .8f * radius; // most of the object stays in the image
    const placement at = random_placement(side / 2 + play * float(random.uniform(-.8, .8)),
        side / 2 + play * float(random.uniform(-.8, .8)), radius,
        float(difficulty.largest_rotation), random);
    draw_object(image, label / 2, colors.object, at, difficulty, random);
    if (random.unit() < difficulty.occluded) draw_bar(image, at, random);
    if (random.unit() < difficulty.inverted)
        for (color &pixel : image.pixels) pixel = {1 - pixel.red, 1 - pixel.green, 1 - pixel.blue};
    develop(image, difficulty, random, pixels);
}

} // namespace

dataset draw_colour_images(int count, std::uint64_t seed, const image_difficulty &difficulty) {
    constexpr int classes = 2 * shape_count, values = side * side * channels;
    random_source random(seed);
    dataset drawn {{channels, side, side}, classes, 1, {}, {}};
    drawn.values.resize(std::size_t(count) * values);
    for (int i = 0; i < count; ++i) {
        drawn.labels.push_back(std::uint8_t(i % classes));
        draw_image(i % classes, difficulty, random, drawn.values.data() + std::size_t(i) * values);
    }
    return drawn;
}

std::vector<std::string> colour_image_names() {
    std::vector<std::string> names;
    for (std::string_view shape : shape_names) {
        names.emplace_back(shape);
        names.push_back("striped " + names.back());
    }
    return names;
}

} // namespace int8_accuracy
