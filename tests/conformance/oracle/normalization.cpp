// SPDX-License-Identifier: Apache-2.0
// Statistics, normalization and gradients in f64.
#include "oracle/normalization.hpp"

#include "language/spatial.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"

#include <cfloat>
#include <cmath>

namespace conformance {
namespace {

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
    return double(descriptor_of(c.bare_problem(), c.what->keys).real("eps", default_epsilon));
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
    if (has('M')) result |= normalization_flags::rms_norm;
    return result;
}

void normalization_problem::add_tensors(const normalization_tensors &what) {
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
    // Elements of one statistic are summed.
    for (std::size_t d = 0; d < shape.size(); ++d)
        tensors.back().axes += geometry_.box[d] == 1 ? char('a' + d) : '.';
    if (!forward_) {
        const std::string axes = tensors.back().axes;
        tensor_spec &diff = activations(DNNL_ARG_DIFF_DST, "diff_dst", false, role::input);
        diff.accumulates = true;
        diff.axes = axes;
    }
    if (given || line["dir"] == "FWD_D") {
        const role use = given ? role::input : role::output;
        if (!has('M'))
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
            .passed = forward_;
    if (has('C') && gradients)
        add_tensor(DNNL_ARG_DIFF_SCALE, "diff_scale", vector, what.vector_type, "a", role::output);
    if (has('H') && gradients)
        add_tensor(DNNL_ARG_DIFF_SHIFT, "diff_shift", vector, what.vector_type, "a", role::output);
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

// Two passes, the way the bounds (doc/numerics.md, "How a result is judged") assume; one where the
// mean is 0 by definition.
std::vector<normalization_problem::statistic> normalization_problem::computed_statistics(
    const std::vector<double> &src) const {
    std::vector<statistic> result(statistics_);
    std::vector<accumulator> sums(statistics_), squares(statistics_);
    for (std::size_t i = 0; i < src.size(); ++i) {
        statistic &s = result[statistic_of_[i]];
        s.nan |= has('M') ? std::isnan(src[i]) : !std::isfinite(src[i]);
        if (has('M')) continue;
        s.mean += src[i];
        sums[statistic_of_[i]].add(src[i]);
    }
    const double growth = error_growth(size_);
    for (std::size_t i = 0; i < statistics_; ++i) {
        statistic &s = result[i];
        s.mean /= size_;
        s.exact = sums[i].is_exact() && is_exact_f32(s.mean);
        if (!s.exact && !has('M'))
            s.mean_bound = growth * u32 * sums[i].magnitude() / size_ + smallest_f32;
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
        if (!has('M')) result[i].mean = in.at(DNNL_ARG_MEAN).values[i];
        result[i].variance = in.at(DNNL_ARG_VARIANCE).values[i];
    }
    return result;
}

// z = (x - mean) / sqrt(variance + epsilon).
interval normalization_problem::normalized(double x, const statistic &s) const {
    const double sum = s.variance + epsilon_, distance = x - s.mean;
    // An infinite mean square leaves of a finite element nothing.
    if (has('M') && std::isinf(s.variance)) return interval(std::isfinite(x) ? 0 : NAN);
    const double low = sum - s.variance_bound, high = sum + s.variance_bound;
    if (!(low > 0) || s.open || !std::isfinite(high)) return everything();
    const double root = std::sqrt(sum), z = distance / root;
    if (s.exact && is_exact_f32(distance) && is_exact_f32(sum) && root * root == sum &&
        is_exact_f32(1 / root) && is_exact_f32(z))
        return z;
    const double of_distance = has('M') ? 0 : u32 * std::fabs(distance) + smallest_f32;
    const double reach = s.mean_bound + of_distance;
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
    return result;
}

// Where a fused relu lets its value through, as the workspace keeps it for the way back.
static interval relu_mask_of(const interval &x) {
    interval result = exact_integer(x.low > 0 ? 1 : 0);
    result.any_allowed = x.any_allowed || std::isnan(x.value) || (x.low <= 0 && x.high > 0);
    return result;
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
        if (has('R') && line["dir"] == "FWD_D") out[DNNL_ARG_WORKSPACE].push_back(relu_mask_of(y));
        if (has('R')) y = clamped(y);
        if (of_src.has_scale()) y = multiply(y, of_src.scale(position));
        dst.push_back(last.finish(y, position));
    }
    if (has('G') || line["dir"] != "FWD_D") return;
    const bool empty = src.values.empty();
    for (const statistic &s : statistics) {
        const bool open = s.open || s.nan || empty;
        if (!has('M'))
            out[DNNL_ARG_MEAN].push_back(open ? everything() : interval(s.mean, s.mean_bound));
        out[DNNL_ARG_VARIANCE].push_back(
            open ? everything() : interval(s.variance, s.variance_bound));
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
