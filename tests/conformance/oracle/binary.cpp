// SPDX-License-Identifier: Apache-2.0
// Binary: d = op(s0 * scale0, s1 * scale1), with broadcast both ways; select.
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/eltwise_formulas.hpp"
#include "oracle/problem.hpp"

#include <algorithm>

namespace conformance {
namespace {

class binary_problem : public test_problem {
  public:
    explicit binary_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    bool selects_;
    dnnl::algorithm alg_ = dnnl::algorithm::binary_select;
    dims dst_;
};

binary_problem::binary_problem(const test_case &c)
    : test_problem(c), selects_(c["alg"] == "SELECT") {
    if (!selects_) binary_named(lower_case(c["alg"]), alg_);
    const auto shapes = split(c.bare_problem(), ':');
    if (shapes.size() != 2 && !(selects_ && shapes.size() == 3))
        throw usage_error("binary takes exactly two shapes, select three at most");
    const dims a = dims_of(shapes[0], "src0");
    dims b = dims_of(shapes[1], "src1");
    if (b.size() > a.size())
        throw usage_error("the second shape has more dimensions than the first");
    b.resize(a.size(), 1);
    for (std::size_t d = 0; d < a.size(); ++d) {
        if (a[d] != b[d] && a[d] != 1 && b[d] != 1)
            throw skipped_case("Invalid case: the shapes do not broadcast");
        dst_.push_back(a[d] == 1 ? b[d] : a[d]);
    }
    const dims chosen_by = shapes.size() == 3 ? dims_of(shapes[2], "src2") : a;
    if (chosen_by.size() != a.size())
        throw usage_error("the third shape has another number of dimensions than the first");
    const auto strides = split(c["strides"], ':');
    const auto types = split(c["sdt"], ':'), tags = split(c["stag"], ':');
    set_strides(add_tensor(DNNL_ARG_SRC_0, "src0", a, type_named(types[0]), tags[0], role::input),
        strides[0]);
    tensor_spec &second =
        add_tensor(DNNL_ARG_SRC_1, "src1", b, type_named(types[1]), tags[1], role::input);
    second.divides = alg_ == dnnl::algorithm::binary_div;
    set_strides(second, strides[1]);
    if (selects_)
        add_tensor(DNNL_ARG_SRC_2, "src2", chosen_by, data_type::s8, tags[0], role::input,
            meaning::condition);
    set_strides(
        add_tensor(DNNL_ARG_DST, "dst", dst_, type_named(c["ddt"]), c["dtag"], role::output),
        strides[2]);
    add_attribute_tensors(DNNL_ARG_DST);
}

dnnl::primitive_desc_base binary_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    if (selects_)
        return dnnl::binary::primitive_desc(engine, alg_, desc(DNNL_ARG_SRC_0),
            desc(DNNL_ARG_SRC_1), desc(DNNL_ARG_SRC_2), desc(DNNL_ARG_DST), attr);
    return dnnl::binary::primitive_desc(
        engine, alg_, desc(DNNL_ARG_SRC_0), desc(DNNL_ARG_SRC_1), desc(DNNL_ARG_DST), attr);
}

expectation_map binary_problem::expected(const tensor_map &in) const {
    expectation_map result;
    auto &dst = result[DNNL_ARG_DST];
    if (product(dst_) == 0) return result;
    const quantized q0(*this, in, DNNL_ARG_SRC_0), q1(*this, in, DNNL_ARG_SRC_1);
    const tensor &s0 = in.at(DNNL_ARG_SRC_0), &s1 = in.at(DNNL_ARG_SRC_1);
    const epilogue last(*this, in, DNNL_ARG_DST);
    dims position(dst_.size(), 0);
    do {
        interval a = s0.at(position), b = s1.at(position);
        if (q0.has_scale()) a = multiply(a, q0.scale(position));
        if (q1.has_scale()) b = multiply(b, q1.scale(position));
        const interval x = selects_ ? (in.at(DNNL_ARG_SRC_2).at(position) != 0 ? a : b)
                                    : binary_result(alg_, a, b);
        dst.push_back(last.finish(x, position));
    } while (next_position(position, dst_));
    return result;
}

} // namespace

std::unique_ptr<test_problem> make_binary(const test_case &c) {
    return std::make_unique<binary_problem>(c);
}

} // namespace conformance
