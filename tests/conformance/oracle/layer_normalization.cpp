// SPDX-License-Identifier: Apache-2.0
// Layer normalization forward and backward.
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/normalization.hpp"

namespace conformance {
namespace {

class layer_normalization_problem : public normalization_problem {
  public:
    explicit layer_normalization_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;

  private:
    data_type vector_type_;
};

dims shape_of(const test_case &c) {
    const dims shape = dims_of(c.bare_problem(), "shape");
    if (shape.size() < 2 || shape.size() > 5)
        throw skipped_case("Invalid case: 2 to 5 dimensions are normalized");
    return shape;
}
dims rows_of(dims shape) {
    std::fill(shape.begin(), shape.end() - 1, 1);
    return shape;
}
dims outer_of(dims shape) {
    shape.pop_back();
    return shape;
}

layer_normalization_problem::layer_normalization_problem(const test_case &c)
    : normalization_problem(c,
          {shape_of(c), rows_of(shape_of(c)), outer_of(shape_of(c)), shape_of(c).size() - 1},
          double(default_epsilon)),
      vector_type_(type_named(c["ss_dt"])) {
    auto types = split(c["dt"], ':'), tags = split(c["tag"], ':');
    types.resize(2, types[0]);
    add_tensors({type_named(types[0]), type_named(types[1]), vector_type_, tags[0], tags[1],
        c["stat_tag"], "", ""});
}

dnnl::primitive_desc_base layer_normalization_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    using forward_desc = dnnl::layer_normalization_forward::primitive_desc;
    const memory::desc statistics(
        geometry_.statistics_shape, data_type::f32, memory::format_tag::any);
    const bool exposed = !forward_ || has('G') || line["dir"] == "FWD_D";
    const memory::desc stat = exposed ? desc(DNNL_ARG_VARIANCE) : statistics;
    if (forward_)
        return forward_desc(engine, prop(), desc(DNNL_ARG_SRC), desc(DNNL_ARG_DST), stat,
            vector_type_, float(epsilon_), flags(), attr);
    const forward_desc hint(engine, dnnl::prop_kind::forward_training, desc(DNNL_ARG_SRC),
        desc(DNNL_ARG_DIFF_DST), stat, vector_type_, float(epsilon_), flags(),
        dnnl::primitive_attr(), true);
    return dnnl::layer_normalization_backward::primitive_desc(engine, prop(),
        desc(DNNL_ARG_DIFF_SRC), desc(DNNL_ARG_DIFF_DST), desc(DNNL_ARG_SRC), stat, vector_type_,
        vector_type_, float(epsilon_), flags(), hint, attr);
}

} // namespace

std::unique_ptr<test_problem> make_layer_normalization(const test_case &c) {
    return std::make_unique<layer_normalization_problem>(c);
}

} // namespace conformance
