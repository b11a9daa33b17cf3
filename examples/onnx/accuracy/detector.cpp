// SPDX-License-Identifier: Apache-2.0
#include "detector.hpp"

#include <algorithm>
#include <cmath>

namespace accuracy {

namespace {

constexpr float text_from = .3f;

} // namespace

dnnl_onnx::tensor detector_input(const picture &page) {
    constexpr float mean[] = {.485f, .456f, .406f}, deviation[] = {.229f, .224f, .225f};
    dnnl_onnx::tensor made(dnnl_onnx::element_type::f32, {1, 3, page.height, page.width});
    float *to = made.data<float>();
    for (int plane = 0; plane < 3; ++plane)
        for (std::uint8_t pixel : page.pixels)
            *to++ = (float(pixel) / 255 - mean[plane]) / deviation[plane];
    return made;
}

std::vector<box> boxes_of(const float *map, int width, int height) {
    std::vector<bool> seen(std::size_t(width) * std::size_t(height));
    std::vector<box> found;
    std::vector<int> open;
    for (int start = 0; start < width * height; ++start) {
        if (seen[std::size_t(start)] || map[start] <= text_from) continue;
        int left = width, right = -1, top = height, bottom = -1, count = 0;
        double sum = 0;
        seen[std::size_t(start)] = true;
        open.assign(1, start);
        while (!open.empty()) {
            const int at = open.back(), x = at % width, y = at / width;
            open.pop_back();
            left = std::min(left, x), right = std::max(right, x);
            top = std::min(top, y), bottom = std::max(bottom, y);
            sum += map[at];
            ++count;
            const auto visit = [&](bool inside, int next) {
                if (!inside || seen[std::size_t(next)] || map[next] <= text_from) return;
                seen[std::size_t(next)] = true;
                open.push_back(next);
            };
            visit(x > 0, at - 1);
            visit(x + 1 < width, at + 1);
            visit(y > 0, at - width);
            visit(y + 1 < height, at + width);
        }
        if (count < 24 || sum / count <= .6) continue;
        const int w = right - left + 1, h = bottom - top + 1;
        const int grown = int(std::lround(1.5 * w * h / (2. * (w + h))));
        left = std::max(0, left - grown), top = std::max(0, top - grown);
        found.push_back({left, top, std::min(width, right + 1 + grown) - left,
            std::min(height, bottom + 1 + grown) - top});
    }
    std::sort(found.begin(), found.end(), [](const box &a, const box &b) { return a.top < b.top; });
    return found;
}

double overlap(const float *a, const float *b, std::size_t count) {
    std::size_t both = 0, any = 0;
    for (std::size_t i = 0; i < count; ++i) {
        both += a[i] > text_from && b[i] > text_from;
        any += a[i] > text_from || b[i] > text_from;
    }
    return any ? double(both) / double(any) : 1;
}

} // namespace accuracy
