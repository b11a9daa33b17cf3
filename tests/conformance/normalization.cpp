// SPDX-License-Identifier: Apache-2.0
// Statistics, normalization and gradients in f64.
#include "normalization.hpp"

#include "spatial.hpp"
#include "text.hpp"
#include "usage_error.hpp"

#include <cfloat>
#include <cmath>

namespace conformance {
namespace {

const double smallest_f32 = std::ldexp(1.0, -149);

// Magnitudes from here on overflow in f32 somewhere on the way.
constexpr double too_large = 1e37;

bool is_exact_f32(double x) { return std::isfinite(x) && is_f32(x); }

interval everything() {
    interval x;
    x.any_allowed = true;
    return x;
}

// max(0, x)
interval clamped(interval x) {
    x.low = std::max(x.low, 0.0);
    x.value = std::max(x.value, 0.0);
    x.high = std::max(x.high, 0.0);
    return x;
}

} // namespace

dims image_of(const test_case &c) {
    const auto entries = descriptor_of(c.bare_problem(), c.what->keys);
    if (!entries.has("ic")) throw usage_error("the channel count is mandatory");
    const dim forced = integer_of(c["mb"], "mb");
    dims image = {forced > 0 ? forced : entries.get("mb", 2), entries.get("ic", 0)};
    for (dim extent : extents_of(entries)) image.push_back(extent);
    return image;
}

double epsilon_of(const test_case &c) {
    return double(descriptor_of(c.bare_problem(), c.what->keys).real("eps", 1.0f / 16));
}

normalization_problem::normalization_problem(const test_case &c, geometry g, double epsilon)
    : test_problem(c), forward_(is_forward(c["dir"])), flags_(c["flags"]), geometry_(std::move(g)),
      epsilon_(epsilon) {
    const std::string dir = c["dir"];
    if (dir != "FWD_D" && dir != "FWD_I" && dir != "BWD_D" && dir != "BWD_DW")
        throw skipped_case("Invalid case: this direction does not exist");
    const dims &shape = geometry_.shape;
    channels_ = std::size_t(shape[geometry_.channel]);
    statistics_ = std::size_t(product(geometry_.statistics_shape));
    size_ = double(product(geometry_.box));
    if (product(shape) == 0) return;
    dims position(shape.size(), 0);
    do {
        std::size_t index = 0;
        for (std::size_t d = 0; d < shape.size(); ++d)
            index = index * std::size_t(shape[d] / geometry_.box[d]) +
                    std::size_t(position[d] / geometry_.box[d]);
        statistic_of_.push_back(index);
        channel_of_.push_back(std::size_t(position[geometry_.channel]));
    } while (next_position(position, shape));
}

dnnl::prop_kind normalization_problem::prop() const {
    const std::string dir = line["dir"];
    if (dir == "FWD_I") return dnnl::prop_kind::forward_inference;
    if (dir == "FWD_D") return dnnl::prop_kind::forward_training;
    return dir == "BWD_D" ? dnnl::prop_kind::backward_data : dnnl::prop_kind::backward;
}

dnnl::normalization_flags normalization_problem::flags() const {
    using dnnl::normalization_flags;
    auto result = normalization_flags::none;
    if (has('G')) result |= normalization_flags::use_global_stats;
    if (has('C')) result |= normalization_flags::use_scale;
    if (has('H')) result |= normalization_flags::use_shift;
    if (has('R')) result |= normalization_flags::fuse_norm_relu;
    if (has('A')) result |= normalization_flags::fuse_norm_add_relu;
    return result;
}

void normalization_problem::add_tensors(const normalization_tensors &what, bool shift_backward) {
    const dims &shape = geometry_.shape, vector = {dim(channels_)};
    const bool gradients = has_gradients_of_vectors(), given = has('G') || !forward_;
    const auto activations = [&](int argument, const char *name, bool src,
                                 role use) -> tensor_spec & {
        tensor_spec &spec = add_tensor(argument, name, shape, src ? what.src_type : what.dst_type,
            src ? what.src_tag : what.dst_tag, use);
        set_strides(spec, src ? what.src_strides : what.dst_strides);
        return spec;
    };
    activations(DNNL_ARG_SRC, "src", true, role::input).holds = meaning::normalized;
    if (!forward_)
        activations(DNNL_ARG_DIFF_DST, "diff_dst", false, role::input).accumulates = true;
    if (given || line["dir"] == "FWD_D") {
        const role use = given ? role::input : role::output;
        add_tensor(DNNL_ARG_MEAN, "mean", geometry_.statistics_shape, data_type::f32,
            what.statistics_tag, use, meaning::weights);
        add_tensor(DNNL_ARG_VARIANCE, "variance", geometry_.statistics_shape, data_type::f32,
            what.statistics_tag, use, meaning::variance)
            .constant = epsilon_;
    }
    if (has('C'))
        add_tensor(
            DNNL_ARG_SCALE, "scale", vector, what.vector_type, "a", role::input, meaning::weights);
    if (has('H'))
        add_tensor(
            DNNL_ARG_SHIFT, "shift", vector, what.vector_type, "a", role::input, meaning::weights)
            .passed = forward_ || shift_backward;
    if (has('C') && gradients)
        add_tensor(DNNL_ARG_DIFF_SCALE, "diff_scale", vector, what.vector_type, "a", role::output);
    if (has('H') && gradients)
        add_tensor(DNNL_ARG_DIFF_SHIFT, "diff_shift", vector, what.vector_type, "a", role::output);
    // The last output is the one that an in-place run puts into the memory of its input.
    if (forward_)
        activations(DNNL_ARG_DST, "dst", false, role::output);
    else
        activations(DNNL_ARG_DIFF_SRC, "diff_src", true, role::output);
    add_attribute_tensors(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC);
}

double normalization_problem::vector_value(
    const tensor_map &in, int argument, std::size_t element, double missing) const {
    const auto found = in.find(argument);
    return found == in.end() ? missing : found->second.values[channel_of_[element]];
}

// Two passes, the way the bounds of numerics.md 4 assume.
std::vector<normalization_problem::statistic> normalization_problem::computed_statistics(
    const std::vector<double> &src) const {
    std::vector<statistic> result(statistics_);
    std::vector<accumulator> sums(statistics_), squares(statistics_);
    for (std::size_t i = 0; i < src.size(); ++i) {
        statistic &s = result[statistic_of_[i]];
        s.nan |= !std::isfinite(src[i]);
        s.mean += src[i];
        sums[statistic_of_[i]].add(src[i]);
    }
    const double growth = error_growth(size_);
    for (std::size_t i = 0; i < statistics_; ++i) {
        statistic &s = result[i];
        s.mean /= size_;
        s.exact = sums[i].is_exact() && is_exact_f32(s.mean);
        if (!s.exact) s.mean_bound = growth * u32 * sums[i].magnitude() / size_ + smallest_f32;
        s.open |= sums[i].magnitude() > too_large;
    }
    for (std::size_t i = 0; i < src.size(); ++i) {
        statistic &s = result[statistic_of_[i]];
        const double d = src[i] - s.mean;
        s.variance += d * d / size_;
        squares[statistic_of_[i]].add(d * d);
    }
    for (std::size_t i = 0; i < statistics_; ++i) {
        statistic &s = result[i];
        s.exact &= squares[i].is_exact() && is_exact_f32(s.variance);
        s.open |= squares[i].magnitude() > too_large;
        if (!s.exact)
            s.variance_bound =
                (growth + 4) * u32 * s.variance + s.mean_bound * s.mean_bound + 2 * smallest_f32;
    }
    return result;
}

std::vector<normalization_problem::statistic> normalization_problem::given_statistics(
    const tensor_map &in) const {
    std::vector<statistic> result(statistics_);
    for (std::size_t i = 0; i < statistics_; ++i) {
        result[i].mean = in.at(DNNL_ARG_MEAN).values[i];
        result[i].variance = in.at(DNNL_ARG_VARIANCE).values[i];
    }
    return result;
}

// z = (x - mean) / sqrt(variance + epsilon).
interval normalization_problem::normalized(double x, const statistic &s) const {
    const double sum = s.variance + epsilon_, distance = x - s.mean;
    const double low = sum - s.variance_bound, high = sum + s.variance_bound;
    if (!(low > 0) || s.open || !std::isfinite(high)) return everything();
    const double root = std::sqrt(sum), z = distance / root;
    if (s.exact && is_exact_f32(distance) && is_exact_f32(sum) && root * root == sum &&
        is_exact_f32(1 / root) && is_exact_f32(z))
        return z;
    const double reach = s.mean_bound + u32 * std::fabs(distance) + smallest_f32;
    const double largest = std::fabs(distance) + reach;
    if (largest / std::sqrt(low) > too_large) return everything();
    interval result(z);
    const double nearest = distance - reach, farthest = distance + reach;
    result.low = nearest / std::sqrt(nearest < 0 ? low : high);
    result.high = farthest / std::sqrt(farthest < 0 ? high : low);
    return widened(result, 3 * u32 * std::fabs(z) + smallest_f32);
}

interval normalization_problem::forward_value(
    std::size_t element, double x, const statistic &s, const tensor_map &in) const {
    if (s.nan) return has('R') ? everything() : interval(NAN);
    const double scale = vector_value(in, DNNL_ARG_SCALE, element, 1);
    const double shift = vector_value(in, DNNL_ARG_SHIFT, element, 0);
    const interval z = normalized(x, s);
    const double product = scale * z.value, y = product + shift;
    if (z.any_allowed || !std::isfinite(y) || std::fabs(product) > too_large) return everything();
    const bool exact = z.low == z.high && is_exact_f32(product) && is_exact_f32(y);
    interval result(y);
    if (!exact) {
        const double ends[] = {scale * z.low, scale * z.high};
        result.low = std::min(ends[0], ends[1]) + shift;
        result.high = std::max(ends[0], ends[1]) + shift;
        result = widened(result, u32 * (std::fabs(product) + std::fabs(shift)) + smallest_f32);
    }
    return has('R') ? clamped(result) : result;
}

void normalization_problem::forward(const tensor_map &in, expectation_map &out) const {
    const tensor &src = in.at(DNNL_ARG_SRC);
    const auto statistics = has('G') ? given_statistics(in) : computed_statistics(src.values);
    auto &dst = out[DNNL_ARG_DST];
    const quantized of_src(*this, in, DNNL_ARG_SRC);
    const epilogue last(*this, in, DNNL_ARG_DST);
    dims position(src.shape.size(), 0);
    for (std::size_t i = 0; i < src.values.size(); ++i, next_position(position, src.shape)) {
        interval y = forward_value(i, src.values[i], statistics[statistic_of_[i]], in);
        if (of_src.has_scale()) y = multiply(y, of_src.scale(position));
        dst.push_back(last.finish(y, position));
    }
    if (has('G') || line["dir"] != "FWD_D") return;
    const bool empty = src.values.empty();
    for (const statistic &s : statistics) {
        const bool open = s.open || s.nan || empty;
        out[DNNL_ARG_MEAN].push_back(open ? everything() : interval(s.mean, s.mean_bound));
        out[DNNL_ARG_VARIANCE].push_back(
            open ? everything() : interval(s.variance, s.variance_bound));
    }
}

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
        const double reach = std::fabs(scale) * (z.high - z.low) +
                             2 * u32 * (std::fabs(scale * z.value) + std::fabs(shift));
        const bool sure = !z.any_allowed && !s.nan && (z.low == z.high || std::fabs(y) > reach);
        result[i] = sure ? y > 0 : -1;
    }
    return result;
}

namespace {
// A sum of terms, some of which may or may not be there, and whether it can be judged at all.
struct gradient_sum {
    accumulator terms;
    double value = 0, doubtful = 0;
    void add(double term, bool sure) {
        value += term;
        terms.add(term);
        if (!sure) doubtful += std::fabs(term);
    }
    // `growth`: relative to the sum of magnitudes.
    interval result(double growth, bool exact) const {
        if (!(terms.magnitude() < too_large)) return everything();
        if (exact && terms.is_exact() && doubtful == 0) return interval(value);
        return {value, growth * u32 * terms.magnitude() + doubtful + smallest_f32};
    }
};
} // namespace

void normalization_problem::backward(const tensor_map &in, expectation_map &out) const {
    const std::vector<double> &src = in.at(DNNL_ARG_SRC).values;
    const std::vector<double> &diff = in.at(DNNL_ARG_DIFF_DST).values;
    const auto statistics = given_statistics(in);
    const auto passed = passed_by_relu(in);
    std::vector<gradient_sum> sums(statistics_), products(statistics_);
    std::vector<gradient_sum> shifts(channels_), scales(channels_);
    std::vector<bool> exact(channels_, true), open(statistics_), channel_open(channels_);
    for (std::size_t i = 0; i < src.size(); ++i) {
        const std::size_t s = statistic_of_[i], c = channel_of_[i];
        const interval z = normalized(src[i], statistics[s]);
        const double d = passed[i] ? diff[i] : 0, scale = vector_value(in, DNNL_ARG_SCALE, i, 1);
        const bool sure = passed[i] >= 0, lost = z.any_allowed || !std::isfinite(d * z.value);
        // Squares and products of it may overflow, too.
        if (lost || std::fabs(z.value) > 1e18) open[s] = channel_open[c] = true;
        exact[c] = exact[c] && z.low == z.high;
        sums[s].add(scale * d, sure);
        products[s].add(scale * d * z.value, sure);
        shifts[c].add(d, sure);
        scales[c].add(d * z.value, sure);
    }
    const bool given = has('G');
    const double growth = error_growth(size_) + 4;
    auto &result = out[DNNL_ARG_DIFF_SRC];
    for (std::size_t i = 0; i < src.size(); ++i) {
        const std::size_t s = statistic_of_[i];
        const double root = std::sqrt(statistics[s].variance + epsilon_);
        const double z = (src[i] - statistics[s].mean) / root;
        const double d = passed[i] ? diff[i] : 0, scale = vector_value(in, DNNL_ARG_SCALE, i, 1);
        const double term = scale * d;
        const interval of_d = sums[s].result(growth, false),
                       of_dz = products[s].result(growth, false);
        const double reach = std::fabs(term) + std::fabs(z) * products[s].terms.magnitude();
        if (open[s] || passed[i] < 0 || !(reach / root < too_large) ||
            (!given && (of_d.any_allowed || of_dz.any_allowed))) {
            result.push_back(everything());
            continue;
        }
        if (given) {
            const double y = term / root;
            const bool is_exact = is_exact_f32(1 / root) && is_exact_f32(term) && is_exact_f32(y) &&
                                  is_exact_f32(statistics[s].variance + epsilon_);
            result.push_back(
                is_exact ? interval(y) : interval(y, 4 * u32 * std::fabs(y) + smallest_f32));
            continue;
        }
        const double y = (term - (of_d.value + z * of_dz.value) / size_) / root;
        const double of_sums =
            (of_d.high - of_d.value + std::fabs(z) * (of_dz.high - of_dz.value)) / size_;
        result.push_back(interval(y, (4 * u32 * std::fabs(term) + of_sums + smallest_f32) / root +
                                         2 * u32 * std::fabs(y) + smallest_f32));
    }
    if (!has_gradients_of_vectors()) return;
    const double of_channel =
        error_growth(double(src.size()) / double(std::max<std::size_t>(channels_, 1)));
    for (std::size_t c = 0; c < channels_; ++c) {
        const bool left_open = src.empty() || channel_open[c];
        if (has('H'))
            out[DNNL_ARG_DIFF_SHIFT].push_back(
                src.empty() ? everything() : shifts[c].result(of_channel, true));
        if (has('C'))
            out[DNNL_ARG_DIFF_SCALE].push_back(
                left_open ? everything() : scales[c].result(of_channel + 5, exact[c]));
    }
}

expectation_map normalization_problem::expected(const tensor_map &in) const {
    expectation_map out;
    if (forward_)
        forward(in, out);
    else
        backward(in, out);
    return out;
}

} // namespace conformance
