// SPDX-License-Identifier: Apache-2.0
// Shuffle forward and backward.
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

namespace conformance {
namespace {

class shuffle_problem : public test_problem {
  public:
    explicit shuffle_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    bool forward_;
    int axis_;
    dim group_;
    dims shape_;
    data_type type_;
};

shuffle_problem::shuffle_problem(const test_case &c)
    : test_problem(c), forward_(is_forward(c["dir"])), axis_(int(integer_of(c["axis"], "axis"))),
      group_(integer_of(c["group"], "group")), type_(type_named(c["dt"])) {
    if (!forward_ && c["dir"] != "BWD_D")
        throw skipped_case("Invalid case: this direction does not exist");
    shape_ = dims_of(c.bare_problem(), "shape");
    if (axis_ < 0 || axis_ >= int(shape_.size()))
        throw skipped_case("Invalid case: the axis is outside the shape");
    if (group_ < 1 || shape_[std::size_t(axis_)] % group_ != 0)
        throw skipped_case("Invalid case: the group does not divide the axis");
    const int in = forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST;
    const int out = forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    add_tensor(in, forward_ ? "src" : "diff_dst", shape_, type_, c["tag"], role::input);
    add_tensor(out, forward_ ? "dst" : "diff_src", shape_, type_, "any", role::output);
    add_attribute_tensors(out);
}

dnnl::primitive_desc_base shuffle_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    const auto prop = line["dir"] == "FWD_I" ? dnnl::prop_kind::forward_inference
                                             : dnnl::prop_kind::forward_training;
    if (forward_)
        return dnnl::shuffle_forward::primitive_desc(
            engine, prop, desc(DNNL_ARG_SRC), desc(DNNL_ARG_DST), axis_, int(group_), attr);
    const dnnl::shuffle_forward::primitive_desc hint(engine, prop, desc(DNNL_ARG_DIFF_DST),
        desc(DNNL_ARG_DIFF_DST), axis_, int(group_), dnnl::primitive_attr(), true);
    dnnl_primitive_desc_t made = nullptr;
    dnnl::error::wrap_c_api(dnnl_shuffle_backward_primitive_desc_create(&made, engine.get(),
                                desc(DNNL_ARG_DIFF_SRC).get(), desc(DNNL_ARG_DIFF_DST).get(), axis_,
                                group_, hint.get(true), attr.get()),
        "shuffle backward");
    return dnnl::primitive_desc_base(made);
}

// Forward, element g * members + m of src is element m * groups + g of dst.
expectation_map shuffle_problem::expected(const tensor_map &in) const {
    expectation_map result;
    const tensor &from = in.at(forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST);
    auto &to = result[forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC];
    if (from.values.empty()) return result;
    const auto axis = std::size_t(axis_);
    const dim groups = shape_[axis] / group_;
    dims position(shape_.size(), 0);
    do {
        dims source = position;
        const dim x = position[axis];
        source[axis] =
            forward_ ? x % groups * group_ + x / groups : x % group_ * groups + x / group_;
        const double value = from.at(source);
        to.push_back(is_integer(type_) ? exact_integer(value) : interval(value));
    } while (next_position(position, shape_));
    return result;
}

} // namespace

std::unique_ptr<test_problem> make_shuffle(const test_case &c) {
    return std::make_unique<shuffle_problem>(c);
}

} // namespace conformance
