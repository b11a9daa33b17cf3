// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>
#include <cmath>

namespace accuracy {

namespace {

std::uint8_t grey(double value) { return std::uint8_t(std::clamp(std::lround(value), 0L, 255L)); }

/// The mean of value(pixel) over [begin, end), in pixels; the value between pixels, at the middle,
/// where that is one pixel or less.
template <class F> double mean_of_area(double begin, double end, F &&value) {
    if (end - begin <= 1) return value((begin + end) / 2 - .5);
    double sum = 0;
    for (double at = begin; at < end - 1e-9;) {
        const double next = std::min(std::floor(at) + 1, end);
        sum += (next - at) * value(std::floor(at));
        at = next;
    }
    return sum / (end - begin);
}

} // namespace

double picture::between(double x, double y) const {
    x = std::clamp(x, 0., double(width - 1));
    y = std::clamp(y, 0., double(height - 1));
    const int left = int(x), top = int(y);
    const int right = std::min(left + 1, width - 1), bottom = std::min(top + 1, height - 1);
    const double fx = x - left, fy = y - top;
    return (1 - fy) * ((1 - fx) * at(left, top) + fx * at(right, top)) +
           fy * ((1 - fx) * at(left, bottom) + fx * at(right, bottom));
}

picture resized(const picture &from, int width, int height) {
    picture to(width, height, 0);
    const double dx = double(from.width) / width, dy = double(from.height) / height;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            to.at(x, y) = grey(mean_of_area(y * dy, (y + 1) * dy, [&](double row) {
                return mean_of_area(
                    x * dx, (x + 1) * dx, [&](double column) { return from.between(column, row); });
            }));
    return to;
}

picture rotated(const picture &from, double degrees) {
    picture to(from.width, from.height, 0);
    const double angle = degrees * 0.017453292519943295;
    const double c = std::cos(angle), s = std::sin(angle);
    const double mx = (from.width - 1) / 2., my = (from.height - 1) / 2.;
    for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x)
            to.at(x, y) = grey(
                from.between(mx + c * (x - mx) - s * (y - my), my + s * (x - mx) + c * (y - my)));
    return to;
}

picture blurred(const picture &from, double sigma) {
    if (sigma <= 0) return from;
    const int reach = std::max(1, int(std::ceil(3 * sigma)));
    std::vector<double> weights(std::size_t(2 * reach + 1));
    double sum = 0;
    for (int i = -reach; i <= reach; ++i)
        sum += weights[std::size_t(i + reach)] = std::exp(-.5 * i * i / (sigma * sigma));
    picture across(from.width, from.height, 0), to = across;
    const auto pass = [&](const picture &source, picture &result, int dx, int dy) {
        for (int y = 0; y < source.height; ++y)
            for (int x = 0; x < source.width; ++x) {
                double value = 0;
                for (int i = -reach; i <= reach; ++i)
                    value += weights[std::size_t(i + reach)] *
                             source.at(std::clamp(x + i * dx, 0, source.width - 1),
                                 std::clamp(y + i * dy, 0, source.height - 1));
                result.at(x, y) = grey(value / sum);
            }
    };
    pass(from, across, 1, 0);
    pass(across, to, 0, 1);
    return to;
}

picture noisy(const picture &from, double sigma, examples::random_source &random) {
    picture to = from;
    for (std::uint8_t &pixel : to.pixels) pixel = grey(pixel + sigma * random.normal());
    return to;
}

picture cut_out(const picture &from, int left, int top, int width, int height) {
    picture to(width, height, 0);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) to.at(x, y) = from.at(left + x, top + y);
    return to;
}

} // namespace accuracy
