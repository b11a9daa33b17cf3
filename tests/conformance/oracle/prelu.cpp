// SPDX-License-Identifier: Apache-2.0
// PReLU forward and backward, bounds of doc/numerics.md.
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

#include <cmath>

namespace conformance {
namespace {

class prelu_problem : public test_problem {
  public:
    explicit prelu_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    interval scaled(double s, double x, double weight) const;
    void backward(const tensor_map &in, expectation_map &out) const;

    bool forward_;
    dims src_, weights_;
    data_type src_type_, weights_type_;
};

prelu_problem::prelu_problem(const test_case &c) : test_problem(c), forward_(is_forward(c["dir"])) {
    if (!forward_ && c["dir"] != "BWD_DW")
        throw skipped_case("Invalid case: this direction does not exist");
    const auto shapes = split(c.bare_problem(), ':');
    if (shapes.size() != 2) throw usage_error("prelu takes exactly two shapes");
    src_ = dims_of(shapes[0], "src");
    weights_ = dims_of(shapes[1], "weights");
    if (weights_.size() > src_.size())
        throw usage_error("the second shape has more dimensions than the first");
    weights_.resize(src_.size(), 1);
    for (std::size_t d = 0; d < src_.size(); ++d)
        if (weights_[d] != 1 && weights_[d] != src_[d])
            throw skipped_case("Invalid case: the weights do not broadcast");
    auto types = split(c["sdt"], ':');
    types.resize(2, types[0]);
    const auto tags = split(c["stag"], ':');
    src_type_ = type_named(types[0]);
    weights_type_ = type_named(types[1]);
    tensors.reserve(8);
    add_tensor(DNNL_ARG_SRC, "src", src_, src_type_, tags[0], role::input).accumulates = !forward_;
    add_tensor(DNNL_ARG_WEIGHTS, "weights", weights_, weights_type_, tags[1], role::input);
    if (forward_) {
        add_tensor(DNNL_ARG_DST, "dst", src_, src_type_, "any", role::output);
        add_attribute_tensors(DNNL_ARG_DST);
        return;
    }
    add_tensor(DNNL_ARG_DIFF_DST, "diff_dst", src_, src_type_, "any", role::input).accumulates =
        true;
    add_tensor(DNNL_ARG_DIFF_SRC, "diff_src", src_, src_type_, "any", role::output);
    add_tensor(
        DNNL_ARG_DIFF_WEIGHTS, "diff_weights", weights_, weights_type_, tags[1], role::output);
    add_attribute_tensors(DNNL_ARG_DIFF_SRC);
}

dnnl::primitive_desc_base prelu_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    const auto prop = line["dir"] == "FWD_I" ? dnnl::prop_kind::forward_inference
                                             : dnnl::prop_kind::forward_training;
    if (forward_)
        return dnnl::prelu_forward::primitive_desc(
            engine, prop, desc(DNNL_ARG_SRC), desc(DNNL_ARG_WEIGHTS), desc(DNNL_ARG_DST), attr);
    const dnnl::prelu_forward::primitive_desc hint(
        engine, prop, desc(DNNL_ARG_SRC), desc(DNNL_ARG_WEIGHTS), desc(DNNL_ARG_DIFF_DST));
    return dnnl::prelu_backward::primitive_desc(engine, desc(DNNL_ARG_SRC), desc(DNNL_ARG_WEIGHTS),
        desc(DNNL_ARG_DIFF_SRC), desc(DNNL_ARG_DIFF_WEIGHTS), desc(DNNL_ARG_DIFF_DST), hint, attr);
}

// s > 0 ? x : x * weight: one product; s32 and f64 may be rounded to f32 before it.
interval prelu_problem::scaled(double s, double x, double weight) const {
    if (s > 0) {
        interval kept(x);
        kept.integer = is_integer(src_type_);
        return kept;
    }
    const double y = x * weight;
    const bool whole = is_f32(x) && is_f32(weight) && src_type_ != data_type::f64;
    return whole ? interval(y) : interval(y, 3 * u32 * std::fabs(y));
}

void prelu_problem::backward(const tensor_map &in, expectation_map &out) const {
    const tensor &src = in.at(DNNL_ARG_SRC), &weights = in.at(DNNL_ARG_WEIGHTS);
    const tensor &diff_dst = in.at(DNNL_ARG_DIFF_DST);
    auto &diff_src = out[DNNL_ARG_DIFF_SRC];
    std::vector<accumulator> sums(weights.values.size());
    std::vector<char> open(weights.values.size(), 0);
    dims position(src_.size(), 0);
    for (std::size_t i = 0; i < src.values.size(); ++i, next_position(position, src_)) {
        const std::size_t w = weights.index(position);
        const double s = src.values[i], dd = diff_dst.values[i];
        diff_src.push_back(scaled(s, dd, weights.values[w]));
        sums[w].add(s > 0 ? 0 : s * dd);
        // min(s, 0) * dd is not 0 there.
        if (s > 0 && !std::isfinite(dd)) open[w] = 1;
    }
    auto &diff_weights = out[DNNL_ARG_DIFF_WEIGHTS];
    for (std::size_t w = 0; w < sums.size(); ++w) {
        diff_weights.push_back(sums[w].in_f32());
        diff_weights.back().any_allowed |= open[w] != 0;
    }
}

expectation_map prelu_problem::expected(const tensor_map &in) const {
    expectation_map out;
    if (!forward_) {
        backward(in, out);
        return out;
    }
    auto &dst = out[DNNL_ARG_DST];
    const tensor &src = in.at(DNNL_ARG_SRC), &weights = in.at(DNNL_ARG_WEIGHTS);
    dims position(src_.size(), 0);
    for (std::size_t i = 0; i < src.values.size(); ++i, next_position(position, src_))
        dst.push_back(scaled(src.values[i], src.values[i], weights.at(position)));
    return out;
}

} // namespace

std::unique_ptr<test_problem> make_prelu(const test_case &c) {
    return std::make_unique<prelu_problem>(c);
}

} // namespace conformance
