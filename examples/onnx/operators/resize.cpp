// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample in all their forms. The forms that the library's resampling has run as
// primitives; the others are computed here, one dimension after the other.
#include "loops.hpp"
#include "tables.hpp"

#include <algorithm>
#include <cmath>

namespace dnnl_onnx {

namespace {

enum class interpolation { nearest, linear, cubic };

struct resize_rule {
    interpolation how = interpolation::nearest;
    std::string places, nearest;
    float cubic_a = -0.75f, outside = 0;
    bool exclude_outside = false;
};

/// Elements of the source that an element of the result is a weighted sum of. `outside`: it lies
/// beyond the source, where tf_crop_and_resize puts a number.
struct taps {
    std::vector<std::pair<std::int64_t, double>> list;
    bool outside = false;
};

/// Where the middle of element i of the result lies in the source. `to` is the extent of the result
/// before it is rounded to an integer. An end of the range of interest
/// counts for tf_crop_and_resize alone.
double place_of(const resize_rule &rule, double i, double scale, double from, double to,
    double first, double last) {
    if (rule.places == "align_corners") return to == 1 ? 0 : i * (from - 1) / (to - 1);
    if (rule.places == "asymmetric") return i / scale;
    if (rule.places == "pytorch_half_pixel") return to > 1 ? (i + 0.5) / scale - 0.5 : 0;
    if (rule.places == "tf_half_pixel_for_nn") return (i + 0.5) / scale;
    if (rule.places == "tf_crop_and_resize")
        return to > 1 ? first * (from - 1) + i * (last - first) * (from - 1) / (to - 1)
                      : 0.5 * (first + last) * (from - 1);
    return (i + 0.5) / scale - 0.5;
}

std::int64_t nearest_index(const resize_rule &rule, double x) {
    if (rule.nearest == "floor") return std::int64_t(std::floor(x));
    if (rule.nearest == "ceil") return std::int64_t(std::ceil(x));
    if (rule.nearest == "round_prefer_ceil") return std::int64_t(std::floor(x + 0.5));
    return std::int64_t(std::ceil(x - 0.5)); // round_prefer_floor
}

/// Keys' cubic: the weight of an element at distance d.
double cubic_weight(double d, double a) {
    d = std::abs(d);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    return 0;
}

taps taps_at(const resize_rule &rule, double x, std::int64_t extent) {
    taps result;
    result.outside = rule.places == "tf_crop_and_resize" && (x < 0 || x > double(extent - 1));
    const auto inside = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at, 0, extent - 1);
    };
    if (rule.how == interpolation::nearest) {
        result.list = {{inside(nearest_index(rule, x)), 1}};
        return result;
    }
    const auto base = std::int64_t(std::floor(x));
    if (rule.how == interpolation::linear) {
        const double part = x - double(base);
        result.list = {{inside(base), 1 - part}, {inside(base + 1), part}};
        return result;
    }
    double sum = 0;
    for (std::int64_t at = base - 1; at <= base + 2; ++at) {
        double weight = cubic_weight(x - double(at), rule.cubic_a);
        if (rule.exclude_outside && (at < 0 || at >= extent)) weight = 0;
        sum += weight;
        result.list.push_back({inside(at), weight});
    }
    if (rule.exclude_outside)
        for (auto &[at, weight] : result.list) weight /= sum;
    return result;
}

/// Replaces one dimension of `values` by the elements that the taps tell.
std::vector<double> resized(const std::vector<double> &values, const extents &dims, int axis,
    const std::vector<taps> &list) {
    const axis_view view = around(dims, axis);
    std::vector<double> to(std::size_t(view.outer) * list.size() * std::size_t(view.inner));
    auto at = to.begin();
    for (std::int64_t o = 0; o < view.outer; ++o)
        for (const taps &each : list)
            for (std::int64_t n = 0; n < view.inner; ++n, ++at)
                for (const auto &[from, weight] : each.list)
                    *at += weight * values[std::size_t((o * view.extent + from) * view.inner + n)];
    return to;
}

resize_rule rule_of(const op_context &c) {
    const bool old = c.asked.operation == "Upsample" || c.opset < 11;
    resize_rule rule;
    const std::string mode = c.text("mode", "nearest");
    if (mode == "nearest")
        rule.how = interpolation::nearest;
    else if (mode == "linear" || mode == "bilinear")
        rule.how = interpolation::linear;
    else if (mode == "cubic")
        rule.how = interpolation::cubic;
    else
        c.fail("its mode is '" + mode + "'");
    rule.places = c.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    rule.nearest = c.text("nearest_mode", old ? "floor" : "round_prefer_floor");
    rule.cubic_a = c.number("cubic_coeff_a", -0.75f);
    rule.outside = c.number("extrapolation_value", 0);
    rule.exclude_outside = c.integer("exclude_outside", 0) != 0;
    return rule;
}

/// Factors and extents of the result, by the attributes and inputs that each operator set has.
void sizes_of(op_context &c, std::vector<double> &scales, extents &to) {
    const extents &from = c.dims(0);
    const bool upsample = c.asked.operation == "Upsample";
    const std::size_t at = upsample || c.opset < 11 ? 1 : 2;
    to = from;
    if (upsample && c.opset < 9)
        for (float s : c.numbers("scales", {})) scales.push_back(s);
    else if (c.has(at) && c.in(at).count() > 0)
        scales = c.value(at).numbers();
    if (!scales.empty()) {
        if (scales.size() != from.size()) c.fail("its factors have the wrong number");
        for (std::size_t d = 0; d < to.size(); ++d)
            to[d] = std::int64_t(std::floor(double(from[d]) * scales[d]));
        return;
    }
    to = c.value(3).integers();
    if (to.size() != from.size()) c.fail("its extents have the wrong number");
    for (std::size_t d = 0; d < to.size(); ++d) scales.push_back(double(to[d]) / double(from[d]));
}

host_step resize(op_context &c) {
    const resize_rule rule = rule_of(c);
    std::vector<double> scales;
    extents to;
    sizes_of(c, scales, to);
    const int rank = c.rank(0);
    const element_type type = c.in(0).type;
    c.output(0, type, to);
    std::vector<double> interest;
    if (rule.places == "tf_crop_and_resize") interest = c.value(1).numbers();
    return [=](views in, views out) {
        extents dims = in[0].dims();
        std::vector<double> values;
        std::vector<std::vector<taps>> lists(rank);
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t i = 0; i < in[0].count(); ++i)
                values.push_back(double(arithmetic_type<T>(in[0].data<T>()[i])));
        });
        for (int d = 0; d < rank; ++d) {
            const double first = interest.empty() ? 0 : interest[d];
            const double last = interest.empty() ? 1 : interest[rank + d];
            for (std::int64_t i = 0; i < to[d]; ++i)
                lists[d].push_back(taps_at(rule,
                    place_of(rule, double(i), scales[d], double(dims[d]),
                        scales[d] * double(dims[d]), first, last),
                    dims[d]));
        }
        for (int d = 0; d < rank; ++d) {
            if (scales[d] == 1 && to[d] == dims[d] && interest.empty()) continue;
            values = resized(values, dims, d, lists[d]);
            dims[d] = to[d];
        }
        with_number(type, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (std::int64_t at = 0; at < out[0].count(); ++at) {
                bool outside = false;
                std::int64_t rest = at;
                for (int d = rank; d-- > 0; rest /= to[d])
                    outside |= lists[d][rest % to[d]].outside;
                out[0].data<T>()[at] =
                    T(arithmetic_type<T>(outside ? double(rule.outside) : values[at]));
            }
        });
    };
}

} // namespace

operator_table resize_operators() {
    static const operator_entry table[] = {
        {"Resize", resize},
        {"Upsample", resize},
    };
    return table;
}

} // namespace dnnl_onnx
