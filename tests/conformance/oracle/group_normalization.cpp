// SPDX-License-Identifier: Apache-2.0
// Group normalization forward and backward.
#include "language/spatial.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/normalization.hpp"

namespace conformance {
namespace {

class group_normalization_problem : public normalization_problem {
  public:
    explicit group_normalization_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;

  private:
    dim groups_;
};

dim groups_of(const test_case &c) {
    const auto entries = descriptor_of(c.bare_problem(), c.what->keys);
    const dim groups = entries.get("g", 0);
    if (groups < 1 || entries.get("ic", 0) % groups != 0)
        throw usage_error("the groups do not divide the channels");
    return groups;
}
dims shape_of(const test_case &c) { return image_of(c); }
dims group_of(const test_case &c) {
    dims box = shape_of(c);
    box[0] = 1;
    box[1] /= groups_of(c);
    return box;
}

group_normalization_problem::group_normalization_problem(const test_case &c)
    : normalization_problem(
          c, {shape_of(c), group_of(c), {shape_of(c)[0], groups_of(c)}, 1}, epsilon_of(c)),
      groups_(groups_of(c)) {
    auto types = split(c["dt"], ':'), tags = split(c["tag"], ':');
    types.resize(2, types[0]);
    add_tensors({type_named(types[0]), type_named(types[1]), data_type::f32, tags[0], tags[1], "ab",
        "", ""});
}

dnnl::primitive_desc_base group_normalization_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    using forward_desc = dnnl::group_normalization_forward::primitive_desc;
    if (forward_)
        return forward_desc(engine, prop(), desc(DNNL_ARG_SRC), desc(DNNL_ARG_DST), groups_,
            float(epsilon_), flags(), attr);
    const forward_desc hint(engine, dnnl::prop_kind::forward_training, desc(DNNL_ARG_SRC),
        desc(DNNL_ARG_DIFF_DST), groups_, float(epsilon_), flags(), dnnl::primitive_attr(), true);
    return dnnl::group_normalization_backward::primitive_desc(engine, prop(),
        desc(DNNL_ARG_DIFF_SRC), desc(DNNL_ARG_DIFF_DST), desc(DNNL_ARG_SRC), groups_,
        float(epsilon_), flags(), hint, attr);
}

} // namespace

std::unique_ptr<test_problem> make_group_normalization(const test_case &c) {
    return std::make_unique<group_normalization_problem>(c);
}

} // namespace conformance
