// SPDX-License-Identifier: Apache-2.0
#include "cpu/pooling/resampling_axis.hpp"

#include <algorithm>
#include <numeric>

namespace dnnl::impl::cpu {

namespace {

/// numerator / denominator as whole number, rounded down, and rest.
struct divided {
    dim_t whole, rest;
};
/// (o * factor + summand) / divisor. Products of two extents may need more than 64 bits.
divided divide(dim_t o, dim_t factor, dim_t summand, dim_t divisor) {
    dim_t n = 0;
    if (__builtin_mul_overflow(o, factor, &n) || __builtin_add_overflow(n, summand, &n)) {
        __extension__ typedef __int128 wide;
        const wide exact = static_cast<wide>(o) * factor + summand;
        return {static_cast<dim_t>(exact / divisor), static_cast<dim_t>(exact % divisor)};
    }
    return {n / divisor, n % divisor};
}

} // namespace

resampling_axis::resampling_axis(dnnl_alg_kind_t alg, bool forward, dim_t I, dim_t O)
    : nearest_(alg == dnnl_resampling_nearest), forward_(forward), I_(I), O_(O) {
    const dim_t common = std::gcd(I, O);
    num_ = I / common;
    den_ = O / common;
}

dim_t resampling_axis::most_hits() const {
    if (forward_) return nearest_ ? 1 : 2;
    // A result is hit by the outputs of one input's width (nearest) or of two (linear).
    return std::min(div_up(nearest_ ? den_ : 2 * den_, num_), O_);
}

dim_t resampling_axis::span(dim_t results) const {
    const dim_t width = forward_ ? divide(results + 2, num_, 0, den_).whole
                                 : divide(results + 2, den_, 0, num_).whole;
    return std::min(width + 3, forward_ ? I_ : O_);
}

/// The place of output o is x = ((2 o + 1) I - O) / (2 O), in whole numbers.
dim_t resampling_axis::inputs_of(dim_t o, weighted_hit *hits) const {
    if (nearest_) {
        hits[0] = {std::min(I_ - 1, divide(2 * o + 1, num_, 0, 2 * den_).whole), 1.0f};
        return 1;
    }
    // One added to x keeps it above 0: x is at least -1/2.
    const divided x = divide(2 * o + 1, num_, den_, 2 * den_);
    const dim_t below = x.whole - 1;
    if (below < 0 || below >= I_ - 1 || x.rest == 0) {
        hits[0] = {std::clamp<dim_t>(below, 0, I_ - 1), 1.0f};
        return 1;
    }
    const auto weight = [&](dim_t part) {
        return static_cast<float>(static_cast<double>(part) / static_cast<double>(2 * den_));
    };
    hits[0] = {below, weight(2 * den_ - x.rest)};
    hits[1] = {below + 1, weight(x.rest)};
    return 2;
}

/// The outputs that take something from input i. Their places are above i - 1.
dim_t resampling_axis::outputs_of(dim_t i, weighted_hit *hits) const {
    // x > i - 1 where 2 o + 1 > (2 i - 1) O / I.
    dim_t o = i == 0 ? 0 : (divide(2 * i - 1, den_, 0, num_).whole + 1) / 2;
    dim_t count = 0;
    for (; o < O_; ++o) {
        weighted_hit inputs[2];
        const dim_t found = inputs_of(o, inputs);
        if (inputs[0].index > i) break;
        for (dim_t k = 0; k < found; ++k)
            if (inputs[k].index == i) hits[count++] = {o, inputs[k].weight};
    }
    return count;
}

} // namespace dnnl::impl::cpu
