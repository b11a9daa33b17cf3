// SPDX-License-Identifier: Apache-2.0
// Grey pictures and what a camera does to them.
#pragma once

#include "../../random_source.hpp"

#include <cstdint>
#include <vector>

namespace accuracy {

/// One byte per pixel, rows from the top, 0 is black.
struct picture {
    int width = 0, height = 0;
    std::vector<std::uint8_t> pixels;

    picture() = default;
    picture(int w, int h, std::uint8_t grey)
        : width(w), height(h), pixels(std::size_t(w) * std::size_t(h), grey) {}

    std::uint8_t &at(int x, int y) { return pixels[std::size_t(y) * width + x]; }
    std::uint8_t at(int x, int y) const { return pixels[std::size_t(y) * width + x]; }
    /// Between pixels, by the four around the place; the border goes on outside.
    double between(double x, double y) const;
};

/// Each new pixel is the mean of the area that it covers, or lies between pixels where it covers
/// less than one.
picture resized(const picture &from, int width, int height);

/// Turned around the middle, counterclockwise; the size stays, corners have the grey of the border.
picture rotated(const picture &from, double degrees);

/// By a Gaussian bell of `sigma` pixels.
picture blurred(const picture &from, double sigma);

/// Adds normally distributed noise of `sigma` grey levels.
picture noisy(const picture &from, double sigma, examples::random_source &random);

picture cut_out(const picture &from, int left, int top, int width, int height);

} // namespace accuracy
