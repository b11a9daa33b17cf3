// SPDX-License-Identifier: Apache-2.0
// Local response normalization forward and backward, bounds of doc/numerics.md.
#include "language/spatial.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace conformance {
namespace {

constexpr double pow_ulp = 4;
const double denormal = std::ldexp(1.0, -149);

// omega of one element and the bound on its relative error; `open` where f32 may overflow, or where
// the power depends on what is lost below the smallest f32.
struct denominator {
    double omega, relative;
    bool open;
};

class lrn_problem : public test_problem {
  public:
    explicit lrn_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    dnnl::algorithm algorithm() const {
        return across_ ? dnnl::algorithm::lrn_across_channels : dnnl::algorithm::lrn_within_channel;
    }
    template <class Body> void for_window(const dims &position, const Body &body) const;
    std::vector<denominator> denominators(const tensor &src) const;
    interval forward(double x, const denominator &d) const;
    interval backward(const dims &position, const tensor &src, const tensor &diff,
        const std::vector<denominator> &all) const;

    bool forward_, across_;
    dims shape_;
    dim local_size_;
    float alpha_, beta_, k_;
    double factor_ = 0; // alpha / n
};

lrn_problem::lrn_problem(const test_case &c)
    : test_problem(c), forward_(is_forward(c["dir"])), across_(c["alg"] == "ACROSS") {
    if (!forward_ && c["dir"] != "BWD_D")
        throw skipped_case("Invalid case: this direction does not exist");
    const descriptor_entries entries = descriptor_of(c.bare_problem(), c.what->keys);
    if (!entries.has("ic")) throw usage_error("the channels are mandatory");
    shape_ = {entries.get("mb", 2), entries.get("ic", 0)};
    if (integer_of(c["mb"], "mb") > 0) shape_[0] = integer_of(c["mb"], "mb");
    const dims spatial = extents_of(entries);
    shape_.insert(shape_.end(), spatial.begin(), spatial.end());
    local_size_ = entries.get("ls", 5);
    if (local_size_ < 1) throw skipped_case("Invalid case: the window has no element");
    alpha_ = entries.real("alpha", 1.0f / 8192);
    beta_ = entries.real("beta", 0.75f);
    k_ = entries.real("k", 1);
    const double dimensions = across_ ? 1 : double(spatial.size());
    factor_ = double(alpha_) / std::pow(double(local_size_), dimensions);
    const data_type type = type_named(c["dt"]);
    add_tensor(DNNL_ARG_SRC, "src", shape_, type, c["tag"], role::input).accumulates = true;
    if (forward_) {
        add_tensor(DNNL_ARG_DST, "dst", shape_, type, "any", role::output);
    } else {
        add_tensor(DNNL_ARG_DIFF_DST, "diff_dst", shape_, type, c["tag"], role::input).accumulates =
            true;
        add_tensor(DNNL_ARG_DIFF_SRC, "diff_src", shape_, type, "any", role::output);
    }
    add_attribute_tensors(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC);
}

dnnl::primitive_desc_base lrn_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    const auto prop = line["dir"] == "FWD_I" ? dnnl::prop_kind::forward_inference
                                             : dnnl::prop_kind::forward_training;
    if (forward_)
        return dnnl::lrn_forward::primitive_desc(engine, prop, algorithm(), desc(DNNL_ARG_SRC),
            desc(DNNL_ARG_DST), local_size_, alpha_, beta_, k_, attr);
    const dnnl::lrn_forward::primitive_desc hint(engine, prop, algorithm(), desc(DNNL_ARG_SRC),
        desc(DNNL_ARG_SRC), local_size_, alpha_, beta_, k_, dnnl::primitive_attr(), true);
    dnnl_primitive_desc_t made = nullptr;
    dnnl::error::wrap_c_api(dnnl_lrn_backward_primitive_desc_create(&made, engine.get(),
                                dnnl::convert_to_c(algorithm()), desc(DNNL_ARG_DIFF_SRC).get(),
                                desc(DNNL_ARG_DIFF_DST).get(), desc(DNNL_ARG_SRC).get(),
                                local_size_, alpha_, beta_, k_, hint.get(true), attr.get()),
        "lrn backward");
    return dnnl::primitive_desc_base(made);
}

// body(position) for the elements around `position` that exist.
template <class Body> void lrn_problem::for_window(const dims &position, const Body &body) const {
    const dim half = (local_size_ - 1) / 2;
    dims first = position, extent(position.size(), 1);
    for (std::size_t d = across_ ? 1 : 2; d < (across_ ? 2 : position.size()); ++d) {
        first[d] = std::max<dim>(position[d] - half, 0);
        extent[d] = std::min(position[d] + half, shape_[d] - 1) - first[d] + 1;
    }
    dims step(position.size(), 0);
    do {
        dims at = first;
        for (std::size_t d = 0; d < at.size(); ++d) at[d] += step[d];
        body(at);
    } while (next_position(step, extent));
}

std::vector<denominator> lrn_problem::denominators(const tensor &src) const {
    std::vector<denominator> all;
    dims position(shape_.size(), 0);
    do {
        double squares = 0, count = 0;
        for_window(position, [&](const dims &at) {
            squares += src.at(at) * src.at(at);
            ++count;
        });
        const double share = factor_ * squares, omega = double(k_) + share;
        const double error = (error_growth(count) + 1) * u32 * std::fabs(share) + FLT_MIN;
        const bool finite = std::isfinite(omega);
        const double relative = finite ? error / std::fabs(omega) + u32 : 0;
        const bool open =
            finite && (squares > FLT_MAX || relative > 0.01 || std::fabs(omega) < 1e-30);
        all.push_back({omega, relative, open});
    } while (next_position(position, shape_));
    return all;
}

interval lrn_problem::forward(double x, const denominator &d) const {
    const double power = std::pow(d.omega, -double(beta_)), y = x * power;
    const double relative = std::fabs(beta_) * d.relative + (pow_ulp + 2) * u32;
    interval result(y);
    if (std::isfinite(y))
        result = interval(y, relative * std::fabs(y) + (std::fabs(x) + 1) * denormal);
    result.any_allowed = d.open || std::fabs(power) > FLT_MAX;
    return result;
}

interval lrn_problem::backward(const dims &position, const tensor &src, const tensor &diff,
    const std::vector<denominator> &all) const {
    const double beta = double(beta_), s = src.at(position), dd = diff.at(position);
    const denominator &own = all[src.index(position)];
    const double direct = dd * std::pow(own.omega, -beta);
    double sum = 0, magnitude = 0, error = 0, count = 0;
    bool open = own.open;
    for_window(position, [&](const dims &at) {
        const denominator &d = all[src.index(at)];
        const double share = diff.at(at) * src.at(at) * std::pow(d.omega, -beta - 1);
        sum += share;
        magnitude += std::fabs(share);
        error += ((std::fabs(beta) + 1) * d.relative + (pow_ulp + 4) * u32) * std::fabs(share) +
                 (std::fabs(src.at(at)) + 1) * denormal;
        open |= d.open;
        ++count;
    });
    const double outer = 2 * factor_ * beta * s, y = direct - outer * sum;
    if (!std::isfinite(y)) {
        interval result(y);
        result.any_allowed = open || !std::isnan(y);
        return result;
    }
    const double bound =
        (std::fabs(beta) * own.relative + (pow_ulp + 2) * u32) * std::fabs(direct) +
        std::fabs(outer) * (error + (error_growth(count) + 4) * u32 * magnitude) +
        u32 * (std::fabs(direct) + std::fabs(outer * sum)) +
        (std::fabs(dd) + std::fabs(outer) + 1) * denormal;
    interval result(y, bound);
    result.any_allowed = open;
    return result;
}

expectation_map lrn_problem::expected(const tensor_map &in) const {
    expectation_map result;
    auto &out = result[forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC];
    const tensor &src = in.at(DNNL_ARG_SRC);
    if (src.values.empty()) return result;
    const std::vector<denominator> all = denominators(src);
    dims position(shape_.size(), 0);
    do {
        const std::size_t i = src.index(position);
        out.push_back(forward_ ? forward(src.values[i], all[i])
                               : backward(position, src, in.at(DNNL_ARG_DIFF_DST), all));
    } while (next_position(position, shape_));
    return result;
}

} // namespace

std::unique_ptr<test_problem> make_lrn(const test_case &c) {
    return std::make_unique<lrn_problem>(c);
}

} // namespace conformance
