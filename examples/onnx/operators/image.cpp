// SPDX-License-Identifier: Apache-2.0
// Regions of images: pooling over boxes, sampling at points, choosing among boxes, and the inverse
// of maximum pooling.
#include "loops.hpp"
#include "tables.hpp"
#include "window.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dnnl_onnx {

namespace {

/// A value between four pixels of a plane; points up to one pixel beyond it count as its edge.
double bilinear(const float *plane, std::int64_t height, std::int64_t width, double y, double x) {
    if (y < -1 || y > double(height) || x < -1 || x > double(width)) return 0;
    y = std::clamp(y, 0.0, double(height - 1));
    x = std::clamp(x, 0.0, double(width - 1));
    const auto top = std::int64_t(y), left = std::int64_t(x);
    const std::int64_t bottom = std::min(top + 1, height - 1),
                       right = std::min(left + 1, width - 1);
    const double dy = y - double(top), dx = x - double(left);
    const auto at = [&](std::int64_t i, std::int64_t j) { return double(plane[i * width + j]); };
    return (1 - dy) * ((1 - dx) * at(top, left) + dx * at(top, right)) +
           dy * ((1 - dx) * at(bottom, left) + dx * at(bottom, right));
}

struct roi_rule {
    std::int64_t height, width, sampling;
    double scale;
    bool average, half_pixel;
};

/// One bin of a box: the mean, or the largest, of samples on a grid in it.
double pooled_bin(const roi_rule &rule, const float *plane, std::int64_t height, std::int64_t width,
    const float *box, std::int64_t i, std::int64_t j) {
    const double offset = rule.half_pixel ? 0.5 : 0;
    const double left = box[0] * rule.scale - offset, top = box[1] * rule.scale - offset;
    double box_width = box[2] * rule.scale - offset - left;
    double box_height = box[3] * rule.scale - offset - top;
    if (!rule.half_pixel) {
        box_width = std::max(box_width, 1.0);
        box_height = std::max(box_height, 1.0);
    }
    const double bin_height = box_height / double(rule.height),
                 bin_width = box_width / double(rule.width);
    const auto samples = [&](double bin) {
        return rule.sampling > 0 ? rule.sampling : std::int64_t(std::ceil(bin));
    };
    const std::int64_t rows = samples(bin_height), columns = samples(bin_width);
    double sum = 0, largest = 0;
    bool first = true;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t s = 0; s < columns; ++s) {
            const double y = top + (double(i) + (double(r) + 0.5) / double(rows)) * bin_height;
            const double x = left + (double(j) + (double(s) + 0.5) / double(columns)) * bin_width;
            const double value = bilinear(plane, height, width, y, x);
            sum += value;
            largest = first ? value : std::max(largest, value);
            first = false;
        }
    return rule.average ? sum / double(std::max<std::int64_t>(rows * columns, 1)) : largest;
}

host_step roi_align(op_context &c) {
    if (c.in(0).type != element_type::f32) c.not_there("its image is " + text_of(c.in(0)));
    if (c.rank(0) != 4 || c.rank(1) != 2 || c.dims(1)[1] != 4) c.fail("its inputs do not fit");
    const std::string mode = c.text("mode", "avg");
    const std::string places =
        c.text("coordinate_transformation_mode", c.opset < 16 ? "output_half_pixel" : "half_pixel");
    const roi_rule rule {c.integer("output_height", 1), c.integer("output_width", 1),
        c.integer("sampling_ratio", 0), c.number("spatial_scale", 1), mode == "avg",
        places == "half_pixel"};
    if (mode == "max") c.not_there("the maximum of weighted pixels");
    c.output(0, c.in(0).type, {c.dims(1)[0], c.dims(0)[1], rule.height, rule.width});
    return [rule, text = c.asked.text()](views in, views out) {
        const extents &image = in[0].dims();
        float *to = out[0].data<float>();
        for (std::int64_t box = 0; box < in[1].dims()[0]; ++box) {
            const std::int64_t n = in[2].data<std::int64_t>()[box];
            if (n < 0 || n >= image[0])
                throw error(text + ": there is no image " + std::to_string(n));
            for (std::int64_t channel = 0; channel < image[1]; ++channel) {
                const float *plane =
                    in[0].data<float>() + (n * image[1] + channel) * image[2] * image[3];
                for (std::int64_t i = 0; i < rule.height; ++i)
                    for (std::int64_t j = 0; j < rule.width; ++j)
                        *to++ = float(pooled_bin(
                            rule, plane, image[2], image[3], in[1].data<float>() + box * 4, i, j));
            }
        }
    };
}

struct grid_rule {
    std::string mode, padding;
    bool align;
};

/// A coordinate of [-1, 1] as one of pixels.
double pixel_of(const grid_rule &rule, double x, std::int64_t extent) {
    return rule.align ? (x + 1) / 2 * double(extent - 1) : ((x + 1) * double(extent) - 1) / 2;
}

/// A pixel's index under the padding; -1 where it counts 0.
std::int64_t padded(const grid_rule &rule, std::int64_t at, std::int64_t extent) {
    if (at >= 0 && at < extent) return at;
    if (rule.padding == "zeros") return -1;
    if (rule.padding == "border") return std::clamp<std::int64_t>(at, 0, extent - 1);
    // Reflected at the middles of the edge pixels, or at their outer edges.
    const double low = rule.align ? 0 : -0.5, span = double(extent) - (rule.align ? 1 : 0);
    if (span <= 0) return 0;
    double distance = std::fmod(std::abs(double(at) - low), 2 * span);
    if (distance > span) distance = 2 * span - distance;
    return std::clamp<std::int64_t>(std::int64_t(std::nearbyint(distance + low)), 0, extent - 1);
}

double cubic(double d) {
    constexpr double a = -0.75;
    d = std::abs(d);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// A coordinate that padding moved into the image, for the modes that look between pixels.
double bounded(const grid_rule &rule, double x, std::int64_t extent) {
    if (rule.padding == "border") return std::clamp(x, 0.0, double(extent - 1));
    if (rule.padding != "reflection") return x;
    const double low = rule.align ? 0 : -0.5, span = double(extent) - (rule.align ? 1 : 0);
    if (span <= 0) return 0;
    double distance = std::fmod(std::abs(x - low), 2 * span);
    if (distance > span) distance = 2 * span - distance;
    return std::clamp(distance + low, 0.0, double(extent - 1));
}

double sampled(const grid_rule &rule, const float *plane, std::int64_t height, std::int64_t width,
    double y, double x) {
    const auto at = [&](std::int64_t i, std::int64_t j) {
        i = padded(rule, i, height);
        j = padded(rule, j, width);
        return i < 0 || j < 0 ? 0.0 : double(plane[i * width + j]);
    };
    if (rule.mode == "nearest")
        return at(std::int64_t(std::nearbyint(bounded(rule, y, height))),
            std::int64_t(std::nearbyint(bounded(rule, x, width))));
    const bool wide = rule.mode == "bicubic";
    if (!wide) {
        y = bounded(rule, y, height);
        x = bounded(rule, x, width);
    }
    const auto top = std::int64_t(std::floor(y)), left = std::int64_t(std::floor(x));
    double sum = 0;
    for (std::int64_t i = top - wide; i <= top + 1 + wide; ++i)
        for (std::int64_t j = left - wide; j <= left + 1 + wide; ++j) {
            const double dy = y - double(i), dx = x - double(j);
            const double weight =
                wide ? cubic(dy) * cubic(dx) : (1 - std::abs(dy)) * (1 - std::abs(dx));
            if (weight != 0) sum += weight * at(i, j);
        }
    return sum;
}

host_step grid_sample(op_context &c) {
    if (c.in(0).type != element_type::f32) c.not_there("its image is " + text_of(c.in(0)));
    if (c.rank(0) != 4 || c.rank(1) != 4 || c.dims(1)[3] != 2 || c.dims(1)[0] != c.dims(0)[0])
        c.fail("its inputs do not fit");
    const grid_rule rule {c.text("mode", "bilinear"), c.text("padding_mode", "zeros"),
        c.integer("align_corners", 0) != 0};
    c.output(0, c.in(0).type, {c.dims(0)[0], c.dims(0)[1], c.dims(1)[1], c.dims(1)[2]});
    return [rule](views in, views out) {
        const extents &image = in[0].dims(), &to = out[0].dims();
        const std::int64_t points = to[2] * to[3], pixels = image[2] * image[3];
        for (std::int64_t n = 0; n < to[0]; ++n)
            for (std::int64_t channel = 0; channel < to[1]; ++channel)
                for (std::int64_t p = 0; p < points; ++p) {
                    const float *place = in[1].data<float>() + (n * points + p) * 2;
                    const std::int64_t plane = n * to[1] + channel;
                    out[0].data<float>()[plane * points + p] = float(sampled(rule,
                        in[0].data<float>() + plane * pixels, image[2], image[3],
                        pixel_of(rule, place[1], image[2]), pixel_of(rule, place[0], image[3])));
                }
    };
}

struct box {
    float top, left, bottom, right;
    float area() const { return (bottom - top) * (right - left); }
};

box box_at(const float *p, bool centre) {
    if (centre) // x, y of the centre, width, height
        return {p[1] - p[3] / 2, p[0] - p[2] / 2, p[1] + p[3] / 2, p[0] + p[2] / 2};
    return {std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]), std::max(p[1], p[3])};
}

float overlap(const box &a, const box &b) {
    const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0) return 0;
    return height * width / (a.area() + b.area() - height * width);
}

/// Of boxes [images, boxes, 4] and scores [images, classes, boxes]: per image and class the best
/// ones that overlap no better one by more than the threshold.
host_step non_max_suppression(op_context &c) {
    const std::vector<double> boxes = c.value(0).numbers(), scores = c.value(1).numbers();
    const auto number = [&](std::size_t i, double otherwise) {
        return c.has(i) && c.in(i).count() ? c.value(i).numbers()[0] : otherwise;
    };
    const auto most = std::int64_t(number(2, 0));
    const double threshold = number(3, 0);
    const bool has_least = c.has(4) && c.in(4).count() > 0;
    const double least = number(4, 0);
    const bool centre = c.integer("center_point_box", 0) != 0;
    const std::vector<float> places(boxes.begin(), boxes.end());
    const std::int64_t images = c.dims(1)[0], classes = c.dims(1)[1], count = c.dims(1)[2];
    std::vector<std::int64_t> chosen;
    for (std::int64_t n = 0; n < images; ++n)
        for (std::int64_t k = 0; k < classes; ++k) {
            const double *score = scores.data() + (n * classes + k) * count;
            std::vector<std::int64_t> order(count), kept;
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(),
                [&](std::int64_t a, std::int64_t b) { return score[a] > score[b]; });
            for (std::int64_t i : order) {
                if (std::int64_t(kept.size()) >= most || (has_least && score[i] <= least)) break;
                const box candidate = box_at(places.data() + (n * count + i) * 4, centre);
                const bool free = std::none_of(kept.begin(), kept.end(), [&](std::int64_t other) {
                    return overlap(candidate,
                               box_at(places.data() + (n * count + other) * 4, centre)) > threshold;
                });
                if (!free) continue;
                kept.push_back(i);
                chosen.insert(chosen.end(), {n, k, i});
            }
        }
    c.output(0, element_type::s64, {std::int64_t(chosen.size()) / 3, 3});
    return [chosen](views, views out) {
        std::copy(chosen.begin(), chosen.end(), out[0].data<std::int64_t>());
    };
}

/// Puts maxima back to where MaxPool found them; zeros elsewhere.
host_step max_unpool(op_context &c) {
    const window w = window_of(c, spatial(c.dims(0)), {});
    extents to {c.dims(0)[0], c.dims(0)[1]};
    for (int d = 0; d < w.dims(); ++d)
        to.push_back((c.dims(0)[d + 2] - 1) * w.strides[d] + w.kernel[d] - w.begin[d] - w.end[d]);
    const extents own = to;
    if (c.has(2)) to = c.value(2).integers();
    if (to.size() != own.size()) c.fail("its result has the extents " + text_of(to));
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    return [type, own, text = c.asked.text()](views in, views out) {
        const extents from = strides_of(own), strides = strides_of(out[0].dims());
        with_bits(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            std::fill_n(out[0].data<T>(), out[0].count(), T(0));
            for (std::int64_t i = 0; i < in[0].count(); ++i) {
                std::int64_t place = in[1].data<std::int64_t>()[i], at = 0;
                if (place < 0 || place >= count_of(own))
                    throw error(text + ": there is no place " + std::to_string(place));
                // The place counts in the pooled image, which may be smaller than the result.
                for (std::size_t d = 0; d < own.size(); ++d)
                    at += place / from[d] % own[d] * strides[d];
                out[0].data<T>()[at] = in[0].data<T>()[i];
            }
        });
    };
}

} // namespace

operator_table image_operators() {
    static const operator_entry table[] = {
        {"GridSample", grid_sample},
        {"MaxUnpool", max_unpool},
        {"NonMaxSuppression", non_max_suppression},
        {"RoiAlign", roi_align},
    };
    return table;
}

} // namespace dnnl_onnx
