// SPDX-License-Identifier: Apache-2.0
// Sum: d = sum over i of scale_i * s_i, in f32.
#include "language/tags.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

namespace conformance {
namespace {

class sum_problem : public test_problem {
  public:
    explicit sum_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    std::vector<float> scales_;
};

sum_problem::sum_problem(const test_case &c) : test_problem(c) {
    const dims shape = dims_of(c.bare_problem(), "shape");
    const auto types = split(c["sdt"], ':');
    auto tags = split(c["stag"], ':'), scales = split(c["scales"], ':');
    tags.resize(types.size(), tags[0]);
    scales.resize(types.size(), scales[0]);
    for (std::size_t i = 0; i < types.size(); ++i) {
        add_tensor(DNNL_ARG_MULTIPLE_SRC + int(i), "src" + std::to_string(i), shape,
            type_named(types[i]), tags[i], role::input);
        scales_.push_back(float_of(scales[i], "scale"));
    }
    // A derived destination has the type of the first source.
    const data_type dst = type_named(c["dtag"] == "undef" ? types[0] : c["ddt"]);
    add_tensor(DNNL_ARG_DST, "dst", shape, dst, c["dtag"], role::output);
    add_attribute_tensors(DNNL_ARG_DST);
}

dnnl::primitive_desc_base sum_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    std::vector<memory::desc> sources;
    for (std::size_t i = 0; i < scales_.size(); ++i)
        sources.push_back(desc(DNNL_ARG_MULTIPLE_SRC + int(i)));
    if (line["dtag"] == "undef") return dnnl::sum::primitive_desc(engine, scales_, sources, attr);
    return dnnl::sum::primitive_desc(engine, desc(DNNL_ARG_DST), scales_, sources, attr);
}

expectation_map sum_problem::expected(const tensor_map &in) const {
    expectation_map result;
    const std::size_t size = std::size_t(product(spec(DNNL_ARG_DST).shape));
    const epilogue last(*this, in, DNNL_ARG_DST);
    for (std::size_t e = 0; e < size; ++e) {
        accumulator total;
        double magnitude = 0;
        interval two; // up to two terms are judged step by step, more by the bound of a sum
        for (std::size_t i = 0; i < scales_.size(); ++i) {
            const interval term =
                multiply(in.at(DNNL_ARG_MULTIPLE_SRC + int(i)).values[e], double(scales_[i]));
            total.add(term.value);
            magnitude += term.value < 0 ? -term.value : term.value;
            two = i == 0 ? term : add(two, term);
        }
        const bool by_steps = scales_.size() <= 2 || total.is_exact();
        result[DNNL_ARG_DST].push_back(
            by_steps ? two : widened(total.in_f32(), 2 * u32 * magnitude));
    }
    return result;
}

} // namespace

std::unique_ptr<test_problem> make_sum(const test_case &c) {
    return std::make_unique<sum_problem>(c);
}

} // namespace conformance
