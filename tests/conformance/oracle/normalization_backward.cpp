// SPDX-License-Identifier: Apache-2.0
// Gradients of the normalizations in f64, with the bounds of doc/numerics.md.
#include "oracle/normalization.hpp"

#include <algorithm>
#include <cmath>

namespace conformance {
namespace {

// A sum of terms, some of which may or may not be there. `error`: of a term, beyond its share of
// the magnitudes.
struct gradient_sum {
    accumulator terms;
    double value = 0, doubtful = 0;

    void add(double term, bool sure, double error = 0) {
        value += term;
        terms.add(term);
        doubtful += error;
        if (!sure) doubtful += std::fabs(term);
    }
    // growth: the error that is allowed, in units of u32 times the sum of magnitudes.
    interval result(double growth, bool exact) const {
        if (!(terms.magnitude() < too_large)) return everything();
        if (exact && terms.is_exact() && doubtful == 0) return interval(value);
        return {value, growth * u32 * terms.magnitude() + doubtful + smallest_f32};
    }
};

} // namespace

/// Sums over the elements of each statistic and of each channel.
struct normalization_problem::gradient_sums {
    std::vector<gradient_sum> of_d, of_dz;    // by statistic, d scaled
    std::vector<gradient_sum> shifts, scales; // by channel
    std::vector<bool> exact, open, channel_open;
    double growth = 0;
};

std::vector<int> normalization_problem::passed_by_relu(const tensor_map &in) const {
    const std::vector<double> &src = in.at(DNNL_ARG_SRC).values;
    std::vector<int> result(src.size(), 1);
    if (!has('R')) return result;
    const auto statistics = has('G') ? given_statistics(in) : computed_statistics(src);
    for (std::size_t i = 0; i < src.size(); ++i) {
        const statistic &s = statistics[statistic_of_[i]];
        const interval z = normalized(src[i], s);
        const double scale = vector_value(in, DNNL_ARG_SCALE, i, 1);
        const double shift = vector_value(in, DNNL_ARG_SHIFT, i, 0);
        const double y = scale * z.value + shift;
        const double reach = std::fabs(scale) * (z.high - z.low) + smallest_f32 +
                             2 * u32 * (std::fabs(scale * z.value) + std::fabs(shift));
        const bool sure = !z.any_allowed && !s.nan && (z.low == z.high || std::fabs(y) > reach);
        result[i] = sure ? y > 0 : -1;
    }
    return result;
}

normalization_problem::gradient_term normalization_problem::term_of(std::size_t element,
    const tensor_map &in, const std::vector<statistic> &statistics,
    const std::vector<int> &passed) const {
    gradient_term term;
    const double x = in.at(DNNL_ARG_SRC).values[element];
    term.z = normalized(x, statistics[statistic_of_[element]]);
    term.d = passed[element] ? in.at(DNNL_ARG_DIFF_DST).values[element] : 0;
    term.scaled = term.d * vector_value(in, DNNL_ARG_SCALE, element, 1);
    term.sure = passed[element] >= 0;
    // Products of a very large z overflow.
    term.lost = term.z.any_allowed || !std::isfinite(term.d * term.z.value) ||
                std::fabs(term.z.value) > 1e18;
    return term;
}

normalization_problem::gradient_sums normalization_problem::sums_of(
    const std::vector<gradient_term> &terms) const {
    gradient_sums sums;
    sums.of_d.resize(statistics_);
    sums.of_dz.resize(statistics_);
    sums.open.resize(statistics_);
    sums.shifts.resize(channels_);
    sums.scales.resize(channels_);
    sums.channel_open.resize(channels_);
    sums.exact.resize(channels_, true);
    sums.growth = error_growth(size_) + 4; // z itself is off by 4 roundings
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::size_t s = statistic_of_[i], c = channel_of_[i];
        const gradient_term &t = terms[i];
        // Without a mean to take off, z may be next to nothing and has an error of its own.
        const double of_z = t.z.low == t.z.high ? 0 : smallest_f32;
        if (t.lost) sums.open[s] = sums.channel_open[c] = true;
        sums.exact[c] = sums.exact[c] && t.z.low == t.z.high;
        sums.of_d[s].add(t.scaled, t.sure);
        sums.of_dz[s].add(t.scaled * t.z.value, t.sure, std::fabs(t.scaled) * of_z);
        sums.shifts[c].add(t.d, t.sure);
        sums.scales[c].add(t.d * t.z.value, t.sure, std::fabs(t.d) * of_z);
    }
    return sums;
}

// `deviation`: the square root of variance + epsilon.
interval normalization_problem::source_gradient(std::size_t element, const gradient_term &term,
    double deviation, const gradient_sums &sums) const {
    const std::size_t s = statistic_of_[element];
    const double z = term.z.value,
                 reach = std::fabs(term.scaled) + std::fabs(z) * sums.of_dz[s].terms.magnitude();
    if (sums.open[s] || !term.sure || !(reach / deviation < too_large)) return everything();
    if (has('G')) {
        const double y = term.scaled / deviation;
        const bool exact = is_exact_f32(1 / deviation) && is_exact_f32(deviation * deviation) &&
                           is_exact_f32(term.scaled) && is_exact_f32(y);
        return exact ? interval(y) : interval(y, 4 * u32 * std::fabs(y) + smallest_f32);
    }
    const interval of_d = has('M') ? interval(0) : sums.of_d[s].result(sums.growth, false);
    const interval of_dz = sums.of_dz[s].result(sums.growth, false);
    if (of_d.any_allowed || of_dz.any_allowed) return everything();
    const double y = (term.scaled - (of_d.value + z * of_dz.value) / size_) / deviation;
    const double of_sums = (of_d.high - of_d.value + std::fabs(z) * (of_dz.high - of_dz.value) +
                               smallest_f32 * std::fabs(of_dz.value)) /
                           size_;
    const double bound = 4 * u32 * std::fabs(term.scaled) + of_sums + smallest_f32;
    return {y, bound / deviation + 2 * u32 * std::fabs(y) + smallest_f32};
}

void normalization_problem::backward(const tensor_map &in, expectation_map &out) const {
    const auto statistics = given_statistics(in);
    const auto passed = passed_by_relu(in);
    std::vector<gradient_term> terms;
    for (std::size_t i = 0; i < passed.size(); ++i)
        terms.push_back(term_of(i, in, statistics, passed));
    const gradient_sums sums = sums_of(terms);
    auto &diff_src = out[DNNL_ARG_DIFF_SRC];
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const double deviation = std::sqrt(statistics[statistic_of_[i]].variance + epsilon_);
        diff_src.push_back(source_gradient(i, terms[i], deviation, sums));
    }
    if (!has_gradients_of_vectors()) return;
    const double per_channel = double(terms.size()) / double(std::max<std::size_t>(channels_, 1));
    const double growth = error_growth(per_channel);
    for (std::size_t c = 0; c < channels_; ++c) {
        const bool empty = terms.empty(), open = empty || sums.channel_open[c];
        if (has('H'))
            out[DNNL_ARG_DIFF_SHIFT].push_back(
                empty ? everything() : sums.shifts[c].result(growth, true));
        if (has('C'))
            out[DNNL_ARG_DIFF_SCALE].push_back(
                open ? everything() : sums.scales[c].result(growth + 4, sums.exact[c]));
    }
}

} // namespace conformance
