// SPDX-License-Identifier: Apache-2.0
// Zero padding: a tensor written into a blocked layout has zeros in the padded part. A reorder of
// equal types writes it; the runner looks at what lies outside the elements.
#include "language/text.hpp"
#include "oracle/problem.hpp"

namespace conformance {
namespace {

class zero_padding_problem : public test_problem {
  public:
    explicit zero_padding_problem(const test_case &c) : test_problem(c) {
        const dims shape = dims_of(c.bare_problem(), "shape");
        const data_type type = type_named(c["dt"]);
        add_tensor(DNNL_ARG_FROM, "src", shape, type, "abx", role::input);
        add_tensor(DNNL_ARG_TO, "dst", shape, type, c["tag"], role::output);
    }
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override {
        return dnnl::reorder::primitive_desc(
            engine, desc(DNNL_ARG_FROM), engine, desc(DNNL_ARG_TO), attr);
    }
    expectation_map expected(const tensor_map &in) const override {
        const auto &values = in.at(DNNL_ARG_FROM).values;
        return {{DNNL_ARG_TO, {values.begin(), values.end()}}};
    }
};

} // namespace

std::unique_ptr<test_problem> make_zero_padding(const test_case &c) {
    return std::make_unique<zero_padding_problem>(c);
}

} // namespace conformance
