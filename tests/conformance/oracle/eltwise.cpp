// SPDX-License-Identifier: Apache-2.0
// Eltwise forward and backward.
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/eltwise_formulas.hpp"
#include "oracle/problem.hpp"

namespace conformance {
namespace {

class eltwise_problem : public test_problem {
  public:
    explicit eltwise_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    int data_argument() const { return uses_dst_ ? DNNL_ARG_DST : DNNL_ARG_SRC; }

    bool forward_, uses_dst_;
    dnnl::algorithm alg_ = dnnl::algorithm::undef;
    float alpha_, beta_;
};

bool needs_ordered_bounds(const std::string &name) { return name.rfind("CLIP", 0) == 0; }

eltwise_problem::eltwise_problem(const test_case &c)
    : test_problem(c), forward_(is_forward(c["dir"])), alpha_(float_of(c["alpha"], "alpha")),
      beta_(float_of(c["beta"], "beta")) {
    const std::string name = c["alg"];
    uses_dst_ = name.size() > 4 && name.substr(name.size() - 4) == "_DST";
    eltwise_named(lower_case(name), alg_);
    const int parameters = eltwise_parameters(lower_case(name));
    if ((parameters < 1 && alpha_ != 0) || (parameters < 2 && beta_ != 0))
        warning = name + " does not use all of alpha and beta";
    if (!forward_ && c["dir"] != "BWD_D")
        throw skipped_case("Invalid case: this direction does not exist");
    if (needs_ordered_bounds(name) && !(alpha_ <= beta_))
        throw skipped_case("Invalid case: clip needs alpha <= beta");
    if (name == "SOFT_RELU" && alpha_ == 0)
        throw skipped_case("Invalid case: soft_relu needs a non-zero alpha");
    if (uses_dst_ && (name == "RELU_DST" || name == "ELU_DST") && alpha_ < 0)
        throw skipped_case("Invalid case: alpha must not be negative");
    if (name == "ROUND" && !forward_) throw skipped_case("Invalid case: round has no backward");
    dims shape = dims_of(c.bare_problem(), "shape");
    if (integer_of(c["mb"], "mb") > 0) shape[0] = integer_of(c["mb"], "mb");
    const data_type type = type_named(c["dt"]);
    if (forward_) {
        add_tensor(DNNL_ARG_SRC, "src", shape, type, c["tag"], role::input);
        const bool drops = dropout_of(c["attr-dropout"]).on; // goes by the layout of dst
        add_tensor(DNNL_ARG_DST, "dst", shape, type, drops ? c["tag"] : "any", role::output);
    } else {
        add_tensor(data_argument(), uses_dst_ ? "dst" : "src", shape, type, c["tag"], role::input);
        add_tensor(DNNL_ARG_DIFF_DST, "diff_dst", shape, type, c["tag"], role::input).accumulates =
            true;
        add_tensor(DNNL_ARG_DIFF_SRC, "diff_src", shape, type, c["tag"], role::output);
    }
    add_attribute_tensors(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC);
}

dnnl::primitive_desc_base eltwise_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    if (forward_)
        return dnnl::eltwise_forward::primitive_desc(engine,
            line["dir"] == "FWD_I" ? dnnl::prop_kind::forward_inference
                                   : dnnl::prop_kind::forward_training,
            alg_, desc(DNNL_ARG_SRC), desc(DNNL_ARG_DST), alpha_, beta_, attr);
    const dnnl::eltwise_forward::primitive_desc hint(engine, dnnl::prop_kind::forward_training,
        alg_, desc(data_argument()), desc(data_argument()), alpha_, beta_, dnnl::primitive_attr(),
        true);
    dnnl_primitive_desc_t made = nullptr;
    dnnl::error::wrap_c_api(
        dnnl_eltwise_backward_primitive_desc_create(&made, engine.get(), dnnl::convert_to_c(alg_),
            desc(DNNL_ARG_DIFF_SRC).get(), desc(DNNL_ARG_DIFF_DST).get(),
            desc(data_argument()).get(), alpha_, beta_, hint.get(true), attr.get()),
        "eltwise backward");
    return dnnl::primitive_desc_base(made);
}

expectation_map eltwise_problem::expected(const tensor_map &in) const {
    expectation_map result;
    if (!forward_) {
        const auto &x = in.at(data_argument()).values, &dd = in.at(DNNL_ARG_DIFF_DST).values;
        for (std::size_t i = 0; i < x.size(); ++i)
            result[DNNL_ARG_DIFF_SRC].push_back(
                conformance::eltwise_backward(alg_, dd[i], x[i], alpha_, beta_));
        return result;
    }
    const tensor &src = in.at(DNNL_ARG_SRC);
    const epilogue last(*this, in, DNNL_ARG_DST);
    const dropout_knob dropout = dropout_of(line["attr-dropout"]);
    std::vector<interval> mask;
    dims position(src.shape.size(), 0);
    for (double x : src.values) {
        interval y = conformance::eltwise_forward(alg_, x, alpha_, beta_);
        if (dropout.on) {
            mask.emplace_back();
            y = last.drop_out(y, position, mask.back());
        }
        result[DNNL_ARG_DST].push_back(last.finish(y, position));
        next_position(position, src.shape);
    }
    if (dropout.on && dropout.has_mask()) result[DNNL_ARG_ATTR_DROPOUT_MASK] = mask;
    return result;
}

} // namespace

std::unique_ptr<test_problem> make_eltwise(const test_case &c) {
    return std::make_unique<eltwise_problem>(c);
}

} // namespace conformance
