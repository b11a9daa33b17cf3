// SPDX-License-Identifier: Apache-2.0
// Reduction, bounds of doc/numerics.md.
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace conformance {
namespace {

class reduction_problem : public test_problem {
  public:
    explicit reduction_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    interval result(const std::vector<double> &x) const;
    interval extreme(const std::vector<double> &x) const;
    interval total(const std::vector<double> &x) const;
    interval product(const std::vector<double> &x) const;
    interval norm(const std::vector<double> &x) const;

    std::string alg_;
    float p_, eps_;
    dims src_, dst_;
    data_type src_type_, dst_type_;
};

const struct {
    const char *name;
    dnnl::algorithm alg;
} algorithms[] = {{"max", dnnl::algorithm::reduction_max}, {"min", dnnl::algorithm::reduction_min},
    {"sum", dnnl::algorithm::reduction_sum}, {"mul", dnnl::algorithm::reduction_mul},
    {"mean", dnnl::algorithm::reduction_mean},
    {"norm_lp_max", dnnl::algorithm::reduction_norm_lp_max},
    {"norm_lp_sum", dnnl::algorithm::reduction_norm_lp_sum},
    {"norm_lp_power_p_max", dnnl::algorithm::reduction_norm_lp_power_p_max},
    {"norm_lp_power_p_sum", dnnl::algorithm::reduction_norm_lp_power_p_sum}};

reduction_problem::reduction_problem(const test_case &c)
    : test_problem(c), alg_(c["alg"]), p_(float_of(c["p"], "p")), eps_(float_of(c["eps"], "eps")),
      src_type_(type_named(c["sdt"])), dst_type_(type_named(c["ddt"])) {
    const auto shapes = split(c.bare_problem(), ':');
    if (shapes.size() != 2) throw usage_error("reduction takes exactly two shapes");
    src_ = dims_of(shapes[0], "src");
    dst_ = dims_of(shapes[1], "dst");
    dst_.resize(src_.size(), 1);
    for (std::size_t d = 0; d < src_.size(); ++d)
        if (dst_[d] != 1 && dst_[d] != src_[d])
            throw skipped_case("Invalid case: a dimension of dst is neither 1 nor src's");
    if (src_ == dst_) throw skipped_case("Invalid case: nothing is reduced");
    if (alg_.rfind("norm", 0) == 0 && !(p_ >= 1)) throw skipped_case("Invalid case: p below 1");
    tensor_spec &src = add_tensor(DNNL_ARG_SRC, "src", src_, src_type_, c["stag"], role::input);
    src.accumulates = alg_ != "max" && alg_ != "min";
    if (alg_ == "mul") src.holds = meaning::factor;
    src.factors =
        double(conformance::product(src_)) / double(std::max<dim>(1, conformance::product(dst_)));
    if (src.accumulates)
        for (std::size_t d = 0; d < src_.size(); ++d)
            src.axes += dst_[d] == 1 ? '.' : char('a' + d);
    add_tensor(DNNL_ARG_DST, "dst", dst_, dst_type_, c["dtag"], role::output);
    add_attribute_tensors(DNNL_ARG_DST);
}

dnnl::primitive_desc_base reduction_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    for (const auto &entry : algorithms)
        if (alg_ == entry.name)
            return dnnl::reduction::primitive_desc(
                engine, entry.alg, desc(DNNL_ARG_SRC), desc(DNNL_ARG_DST), p_, eps_, attr);
    throw usage_error("unknown algorithm of reduction");
}

interval reduction_problem::extreme(const std::vector<double> &x) const {
    const double sign = alg_ == "max" ? 1 : -1;
    if (x.empty()) return -sign * double(FLT_MAX);
    double best = -INFINITY;
    bool has_nan = false, has_number = false;
    for (double y : x) {
        has_nan |= std::isnan(y);
        has_number |= !std::isnan(y);
        if (sign * y > best) best = sign * y;
    }
    interval result(sign * best);
    result.nan_allowed = has_nan; // NaN or the extreme of the rest
    result.any_allowed = !has_number;
    result.integer = is_integer(src_type_) && is_integer(dst_type_);
    return result;
}

interval reduction_problem::total(const std::vector<double> &x) const {
    accumulator sum;
    for (double y : x) sum.add(y);
    const interval s = is_integer(src_type_) ? sum.in_s32() : sum.in_f32();
    return alg_ == "sum" ? s : divide(s, double(x.size()));
}

// Products are within (K - 1) u of the exact one; of integers, exact.
interval reduction_problem::product(const std::vector<double> &x) const {
    double y = 1, above = 1, below = 1;
    bool zero = false;
    for (double factor : x) {
        y *= factor;
        zero |= factor == 0;
        (std::fabs(factor) > 1 ? above : below) *= factor == 0 ? 1 : std::fabs(factor);
    }
    if (is_integer(src_type_)) {
        interval exact = zero ? 0.0 : y;
        exact.integer = is_integer(dst_type_);
        return std::fabs(y) < 9e15 || zero ? exact : widened(exact, std::fabs(y) * 1e-12);
    }
    interval result(y, std::max(double(x.size()) - 1, 0.0) * u32 * std::fabs(y));
    // In some order of the factors f32 overflows or loses bits.
    if (!(above < FLT_MAX) || !(below > double(FLT_MIN))) result.any_allowed = true;
    return result;
}

interval reduction_problem::norm(const std::vector<double> &x) const {
    accumulator sum;
    for (double y : x)
        sum.add(p_ == 2 ? y * y : p_ == 1 ? std::fabs(y) : std::pow(std::fabs(y), p_));
    const bool root = alg_.find("power_p") == std::string::npos;
    const bool adds = alg_.find("_sum") != std::string::npos;
    const double s = sum.magnitude(), total = adds ? s + eps_ : s < eps_ ? double(eps_) : s;
    const double y = root ? std::pow(total, 1.0 / p_) : total;
    const bool is_exact = sum.is_exact() && is_f32(total) && (p_ == 1 || (p_ == 2 && !root));
    if (is_exact || std::isnan(y)) return y;
    const double powers = 4 * std::max(1.0, double(p_)), growth = error_growth(double(x.size()));
    interval result(y, ((root ? growth / p_ : growth) + powers) * u32 * y);
    // Powers and sums of them are f32 numbers: they may overflow or vanish.
    if (s > FLT_MAX || (s > 0 && s < double(FLT_MIN) * (1 << 24))) result.any_allowed = true;
    return result;
}

interval reduction_problem::result(const std::vector<double> &x) const {
    if (alg_ == "max" || alg_ == "min") return extreme(x);
    if (alg_ == "sum" || alg_ == "mean") return x.empty() && alg_ == "mean" ? NAN : total(x);
    return alg_ == "mul" ? product(x) : norm(x);
}

expectation_map reduction_problem::expected(const tensor_map &in) const {
    expectation_map out;
    auto &dst = out[DNNL_ARG_DST];
    const tensor &src = in.at(DNNL_ARG_SRC);
    const epilogue last(*this, in, DNNL_ARG_DST);
    if (conformance::product(dst_) == 0) return out;
    dims reduced = src_; // extents of what is behind one element
    for (std::size_t d = 0; d < src_.size(); ++d)
        if (dst_[d] == src_[d]) reduced[d] = 1;
    dims position(dst_.size(), 0);
    do {
        std::vector<double> elements;
        dims inner(src_.size(), 0);
        if (conformance::product(reduced) > 0) {
            do {
                dims at = position;
                for (std::size_t d = 0; d < at.size(); ++d) at[d] += inner[d];
                elements.push_back(src.at(at));
            } while (next_position(inner, reduced));
        }
        dst.push_back(last.finish(result(elements), position));
    } while (next_position(position, dst_));
    return out;
}

} // namespace

std::unique_ptr<test_problem> make_reduction(const test_case &c) {
    return std::make_unique<reduction_problem>(c);
}

} // namespace conformance
