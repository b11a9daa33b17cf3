// SPDX-License-Identifier: Apache-2.0
// The embedded colour images: shapes with a surface, in clutter, drawn from a seed.
#pragma once

#include "dataset.hpp"

#include <string>
#include <vector>

namespace int8_accuracy {

/// How hard the images are to tell apart. The program always uses the default values.
struct image_difficulty {
    double least_noise = 4, most_noise = 18; // standard deviation of the Gaussian noise, of 255
    double least_contrast = .3; // distance of the object's colours from the background's, at most 1
    double least_stripes = .3;  // distance of a striped object's two colours
    double background = .35;    // distance of the two colours of the background's texture
    double least_radius = 9.5, most_radius = 13; // of the object, pixels
    double largest_rotation = .4;                // radians, to both sides
    double inverted = .05;    // part of the images with a dark object on a bright background
    double occluded = .15;    // part of the images with a bar across the object
    double ambiguous = .06;   // part of the images whose shape is halfway to another one
    int most_distractors = 1; // small shapes and lines around the object
};

/// Draws `count` images of 32 x 32 pixels in red, green and blue, of twenty classes, each of them
/// equally often: ten shapes, plain (even numbers) or striped. Each has random colours, position,
/// size, rotation and proportions, light from one side, a background with a texture, small shapes
/// and lines around it, and noise. Equal seeds give equal images.
dataset draw_colour_images(int count, std::uint64_t seed, const image_difficulty &difficulty = {});

/// "disc", "striped disc", ...
std::vector<std::string> colour_image_names();

} // namespace int8_accuracy
