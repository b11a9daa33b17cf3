// SPDX-License-Identifier: Apache-2.0
// Concat along one axis, with optional scales of the sources.
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

namespace conformance {
namespace {

class concat_problem : public test_problem {
  public:
    explicit concat_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    int axis_, count_ = 0;
};

concat_problem::concat_problem(const test_case &c)
    : test_problem(c), axis_(int(integer_of(c["axis"], "axis"))) {
    const auto shapes = split(c.bare_problem(), ':');
    auto tags = split(c["stag"], ':');
    tags.resize(shapes.size(), tags[0]);
    const data_type st = type_named(c["sdt"]);
    dims dst = dims_of(shapes[0], "src");
    if (axis_ < 0 || axis_ >= int(dst.size()))
        throw skipped_case("Invalid case: the axis is outside the shape");
    dst[std::size_t(axis_)] = 0;
    for (const std::string &text : shapes) {
        const dims shape = dims_of(text, "src");
        if (shape.size() != dst.size()) throw usage_error("concat shapes differ in dimensions");
        add_tensor(DNNL_ARG_MULTIPLE_SRC + count_, "src" + std::to_string(count_), shape, st,
            tags[std::size_t(count_)], role::input);
        ++count_;
        dst[std::size_t(axis_)] += shape[std::size_t(axis_)];
    }
    const data_type dt = c["dtag"] == "undef" ? st : type_named(c["ddt"]);
    add_tensor(DNNL_ARG_DST, "dst", dst, dt, c["dtag"], role::output);
    add_attribute_tensors(DNNL_ARG_DST);
}

dnnl::primitive_desc_base concat_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    std::vector<memory::desc> sources;
    for (int i = 0; i < count_; ++i) sources.push_back(desc(DNNL_ARG_MULTIPLE_SRC + i));
    if (line["dtag"] == "undef") return dnnl::concat::primitive_desc(engine, axis_, sources, attr);
    return dnnl::concat::primitive_desc(engine, desc(DNNL_ARG_DST), axis_, sources, attr);
}

expectation_map concat_problem::expected(const tensor_map &in) const {
    expectation_map result;
    const tensor_spec &dst = spec(DNNL_ARG_DST);
    auto &judged = result[DNNL_ARG_DST];
    if (product(dst.shape) == 0) return result;
    dims position(dst.shape.size(), 0);
    const std::size_t axis = std::size_t(axis_);
    do {
        dims from = position;
        int source = 0;
        while (from[axis] >= spec(DNNL_ARG_MULTIPLE_SRC + source).shape[axis])
            from[axis] -= spec(DNNL_ARG_MULTIPLE_SRC + source++).shape[axis];
        const int argument = DNNL_ARG_MULTIPLE_SRC + source;
        const quantized q(*this, in, argument);
        const tensor &src = in.at(argument);
        const bool copied = is_integer(src.type) && is_integer(dst.type) && !q.has_scale();
        interval x = copied ? exact_integer(src.at(from)) : interval(src.at(from));
        if (q.has_scale()) x = multiply(x, q.scale(from));
        judged.push_back(x);
    } while (next_position(position, dst.shape));
    return result;
}

} // namespace

std::unique_ptr<test_problem> make_concat(const test_case &c) {
    return std::make_unique<concat_problem>(c);
}

} // namespace conformance
