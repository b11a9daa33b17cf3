// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax forward and backward, bounds of doc/numerics.md.
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/fill.hpp"
#include "oracle/problem.hpp"

#include <cfloat>
#include <cmath>

namespace conformance {
namespace {

constexpr double exp_ulp = 2, log_ulp = 2;

class softmax_problem : public test_problem {
  public:
    explicit softmax_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    template <class Row> void for_each_row(const Row &row) const;
    std::vector<interval> forward_row(const std::vector<double> &s) const;
    std::vector<interval> backward_row(
        const std::vector<double> &d, const std::vector<double> &dd) const;

    std::string axes_of_rows() const;

    bool forward_, logarithm_;
    int axis_;
    dims shape_;
};

softmax_problem::softmax_problem(const test_case &c)
    : test_problem(c), forward_(is_forward(c["dir"])), logarithm_(c["alg"] == "LOGSOFTMAX"),
      axis_(int(integer_of(c["axis"], "axis"))) {
    if (!forward_ && c["dir"] != "BWD_D")
        throw skipped_case("Invalid case: this direction does not exist");
    shape_ = dims_of(c.bare_problem(), "shape");
    if (integer_of(c["mb"], "mb") > 0) shape_[0] = integer_of(c["mb"], "mb");
    if (axis_ < 0 || axis_ >= int(shape_.size()))
        throw skipped_case("Invalid case: the axis is outside the shape");
    const data_type st = type_named(c["sdt"]), dt = type_named(c["ddt"]);
    if (forward_) {
        tensor_spec &src = add_tensor(DNNL_ARG_SRC, "src", shape_, st, c["stag"], role::input);
        // A NaN or an infinity leaves its row open: half of the cases have neither, but values
        // whose exponentials overflow.
        if (hash_of(c.line(), 1) & 1) src.reach = 128;
        src.axes = axes_of_rows();
        add_tensor(DNNL_ARG_DST, "dst", shape_, dt, c["dtag"], role::output);
    } else {
        const std::string tag = c["dtag"] == "any" ? c["stag"] : c["dtag"];
        add_tensor(DNNL_ARG_DST, "dst", shape_, dt, tag, role::input,
            logarithm_ ? meaning::log_probability : meaning::probability);
        tensor_spec &diff = add_tensor(DNNL_ARG_DIFF_DST, "diff_dst", shape_, dt, tag, role::input);
        diff.accumulates = true;
        diff.axes = axes_of_rows();
        add_tensor(DNNL_ARG_DIFF_SRC, "diff_src", shape_, st, c["stag"], role::output);
    }
    add_attribute_tensors(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC);
}

// Elements along the axis are summed.
std::string softmax_problem::axes_of_rows() const {
    std::string axes;
    for (std::size_t d = 0; d < shape_.size(); ++d) axes += int(d) == axis_ ? '.' : char('a' + d);
    return axes;
}

dnnl::primitive_desc_base softmax_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    const auto alg = logarithm_ ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
    if (forward_)
        return dnnl::softmax_forward::primitive_desc(engine,
            line["dir"] == "FWD_I" ? dnnl::prop_kind::forward_inference
                                   : dnnl::prop_kind::forward_training,
            alg, desc(DNNL_ARG_SRC), desc(DNNL_ARG_DST), axis_, attr);
    const dnnl::softmax_forward::primitive_desc hint(engine, dnnl::prop_kind::forward_training, alg,
        desc(DNNL_ARG_DIFF_SRC), desc(DNNL_ARG_DST), axis_, dnnl::primitive_attr(), true);
    dnnl_primitive_desc_t made = nullptr;
    dnnl::error::wrap_c_api(
        dnnl_softmax_backward_primitive_desc_create(&made, engine.get(), dnnl::convert_to_c(alg),
            desc(DNNL_ARG_DIFF_SRC).get(), desc(DNNL_ARG_DIFF_DST).get(), desc(DNNL_ARG_DST).get(),
            axis_, hint.get(true), attr.get()),
        "softmax backward");
    return dnnl::primitive_desc_base(made);
}

// row(first index, step, position of the first element) for every line along the axis.
template <class Row> void softmax_problem::for_each_row(const Row &row) const {
    if (product(shape_) == 0) return;
    dims outer = shape_;
    outer[std::size_t(axis_)] = 1;
    dim step = 1;
    for (std::size_t d = std::size_t(axis_) + 1; d < shape_.size(); ++d) step *= shape_[d];
    dims position(shape_.size(), 0);
    const tensor index_of(shape_, data_type::u8);
    do row(index_of.index(position), std::size_t(step), position);
    while (next_position(position, outer));
}

std::vector<interval> softmax_problem::forward_row(const std::vector<double> &s) const {
    std::vector<interval> result(s.size());
    double most = -INFINITY, sum = 0, spread = 0;
    bool open = false;
    for (double x : s) {
        open |= std::isnan(x) || x == INFINITY;
        most = std::max(most, x);
    }
    if (open || most == -INFINITY) {
        for (interval &x : result) {
            x = interval(NAN);
            x.any_allowed = open; // at least one NaN, the rest unspecified
        }
        return result;
    }
    for (double x : s) sum += std::exp(x - most);
    for (double x : s)
        if (x > -INFINITY) spread += std::exp(x - most) / sum * (most - x);
    const double n = error_growth(double(s.size())), lse = std::log(sum);
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double distance = most - s[i];
        if (!logarithm_) {
            const double y = std::exp(-distance) / sum;
            const double relative =
                u32 * (std::isinf(distance) ? 0 : distance + spread) + (2 * exp_ulp + n + 3) * u32;
            result[i] = interval(y, relative * y + (y < 2 * FLT_MIN && y > 0 ? FLT_MIN : 0));
            result[i].low = std::max(result[i].low, 0.0);
            continue;
        }
        const double y = -distance - lse;
        if (std::isinf(y))
            result[i] = interval(y);
        else
            result[i] = interval(y, u32 * (distance + std::fabs(lse) + std::fabs(y)) +
                                        (exp_ulp + log_ulp + n) * u32 *
                                            (1 + std::fabs(lse) / std::max(std::fabs(lse), 1.0)));
    }
    return result;
}

std::vector<interval> softmax_problem::backward_row(
    const std::vector<double> &d, const std::vector<double> &dd) const {
    std::vector<interval> result(d.size());
    accumulator sum;
    double total = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
        const double term = logarithm_ ? dd[i] : dd[i] * d[i];
        sum.add(term);
        total += term;
    }
    for (std::size_t i = 0; i < d.size(); ++i) {
        const double weight = logarithm_ ? std::exp(d[i]) : d[i];
        const double y = logarithm_ ? dd[i] - weight * total : weight * (dd[i] - total);
        const double terms = logarithm_ ? std::fabs(dd[i]) + std::fabs(weight * total)
                                        : std::fabs(weight) * (std::fabs(dd[i]) + std::fabs(total));
        const double of_exp =
            logarithm_ ? (2 * exp_ulp + std::fabs(d[i])) * u32 * weight * std::fabs(total) : 0;
        const double of_sum = sum.is_exact() ? 0
                                             : error_growth(double(d.size())) * u32 *
                                                   sum.magnitude() * std::fabs(weight);
        if (!std::isfinite(total)) {
            result[i].any_allowed = true;
            continue;
        }
        const bool exact = sum.is_exact() && !logarithm_ && is_f32(y) && is_f32(dd[i] - total);
        result[i] = exact ? interval(y) : interval(y, of_sum + 4 * u32 * terms + of_exp + FLT_MIN);
    }
    return result;
}

expectation_map softmax_problem::expected(const tensor_map &in) const {
    expectation_map out;
    auto &result = out[forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC];
    result.resize(std::size_t(product(shape_)));
    const quantized qs(*this, in, DNNL_ARG_SRC);
    const epilogue last(*this, in, DNNL_ARG_DST);
    const dropout_knob dropout = dropout_of(line["attr-dropout"]);
    std::vector<interval> mask(dropout.on ? result.size() : 0);
    const auto gather = [&](int argument, std::size_t first, std::size_t step) {
        std::vector<double> row;
        for (std::size_t i = 0; i < std::size_t(shape_[std::size_t(axis_)]); ++i)
            row.push_back(in.at(argument).values[first + i * step]);
        return row;
    };
    for_each_row([&](std::size_t first, std::size_t step, dims position) {
        const auto row = forward_ ? forward_row(gather(DNNL_ARG_SRC, first, step))
                                  : backward_row(gather(DNNL_ARG_DST, first, step),
                                        gather(DNNL_ARG_DIFF_DST, first, step));
        for (std::size_t i = 0; i < row.size(); ++i) {
            position[std::size_t(axis_)] = dim(i);
            interval x = row[i];
            if (forward_ && qs.has_scale()) x = multiply(x, qs.scale(position));
            if (dropout.on) x = last.drop_out(x, position, mask[first + i * step]);
            result[first + i * step] = forward_ ? last.finish(x, position) : x;
        }
    });
    if (dropout.on && dropout.has_mask()) out[DNNL_ARG_ATTR_DROPOUT_MASK] = mask;
    return out;
}

} // namespace

std::unique_ptr<test_problem> make_softmax(const test_case &c) {
    return std::make_unique<softmax_problem>(c);
}

} // namespace conformance
