// SPDX-License-Identifier: Apache-2.0
// Scales of dst that follow from the results (doc/numerics.md, "Scales that the library computes").
#include "oracle/problem.hpp"

#include <algorithm>
#include <cmath>

namespace conformance {
namespace {

bool is_open(const interval &x) {
    return x.any_allowed || x.nan_allowed ||
           (std::isfinite(x.value) && !(std::isfinite(x.low) && std::isfinite(x.high)));
}

interval magnitude(const interval &x) {
    interval result(std::fabs(x.value));
    result.high = std::max(std::fabs(x.low), std::fabs(x.high));
    result.low = x.low <= 0 && x.high >= 0 ? 0 : std::min(std::fabs(x.low), std::fabs(x.high));
    return result;
}

interval open_element() {
    interval x(0);
    x.any_allowed = true;
    return x;
}

} // namespace

dynamic_scales::dynamic_scales(const test_problem &problem) {
    for (const auto &q : problem.scales_) {
        if (!q.is_dynamic()) continue;
        group_ = q.groups.back();
        powers_of_two_ = q.mode == dnnl::quantization_mode::dynamic_mx;
        dst_ = problem.spec(DNNL_ARG_DST).type;
    }
}

// The scale of a group whose largest magnitude is known. Not decreasing, but for 0.
double dynamic_scales::scale_of(double largest) const {
    const double most = max_finite_of(dst_);
    if (powers_of_two_) {
        if (largest < std::ldexp(1, -126)) return std::ldexp(1, -127);
        return std::ldexp(1, std::max(std::ilogb(largest) - std::ilogb(most), -127));
    }
    if (largest == 0) return 1;
    const double ratio = double(float(largest / most)), least = std::ldexp(1, -9);
    if (ratio >= 448) return 448;
    return std::max(round_to(data_type::f8_e4m3, ratio), least);
}

interval dynamic_scales::scale_of(const interval *results) const {
    interval largest(0);
    bool infinite = false, open = false;
    for (dim i = 0; i < group_; ++i) {
        const interval size = magnitude(results[i]);
        infinite |= !std::isfinite(results[i].value) && !is_open(results[i]);
        open |= is_open(results[i]);
        largest.low = std::max(largest.low, size.low);
        largest.value = std::max(largest.value, size.value);
        largest.high = std::max(largest.high, size.high);
    }
    if (infinite) return interval(NAN);
    if (open) return open_element();
    interval scale = exact_integer(scale_of(largest.value)); // stored as it is
    scale.low = std::min(scale.value, scale_of(largest.low));
    scale.high = std::max(scale.value, scale_of(largest.high));
    if (!powers_of_two_ && largest.low == 0 && largest.high > 0) {
        scale.low = std::min(scale.low, std::ldexp(1, -9));
        scale.high = std::max(scale.high, 1.0);
    }
    return scale;
}

interval dynamic_scales::stored(const interval &x, const interval &scale) const {
    if (scale.any_allowed) return open_element();
    if (std::isnan(scale.value)) return interval(NAN);
    const double most = max_finite_of(dst_);
    const auto by = [&](double s) {
        const double inverse = double(float(1 / s));
        interval y =
            is_exact(x) ? interval(double(float(x.value * inverse))) : multiply(x, inverse);
        for (double *end : {&y.low, &y.value, &y.high}) *end = std::clamp(*end, -most, most);
        return y;
    };
    interval y = by(scale.value);
    for (double s : {scale.low, scale.high}) {
        const interval other = by(s);
        y.low = std::min(y.low, other.low);
        y.high = std::max(y.high, other.high);
    }
    return y;
}

std::vector<interval> dynamic_scales::apply(std::vector<interval> &results) const {
    std::vector<interval> scales;
    const auto group = std::size_t(group_);
    for (interval &x : results) x = rounded_to_f32(x);
    for (std::size_t first = 0; first + group <= results.size(); first += group) {
        scales.push_back(scale_of(&results[first]));
        for (std::size_t i = first; i < first + group; ++i)
            results[i] = stored(results[i], scales.back());
    }
    return scales;
}

} // namespace conformance
