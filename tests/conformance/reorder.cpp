// SPDX-License-Identifier: Apache-2.0
// Reorder: d = conv((scale_src (s - zp_src) + beta d_old) / scale_dst + zp_dst) (primitives.md 20).
#include "problem.hpp"
#include "tags.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace conformance {
namespace {

class reorder_problem : public test_problem {
  public:
    explicit reorder_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;
};

reorder_problem::reorder_problem(const test_case &c) : test_problem(c) {
    if (!c["oflag"].empty())
        throw skipped_case("Case not supported: private compensation of another library's kernels");
    const dims shape = dims_of(c.bare_problem(), "shape");
    const auto strides = split(c["strides"], ':');
    set_strides(
        add_tensor(DNNL_ARG_FROM, "src", shape, type_named(c["sdt"]), c["stag"], role::input),
        strides[0]);
    set_strides(
        add_tensor(DNNL_ARG_TO, "dst", shape, type_named(c["ddt"]), c["dtag"], role::output),
        strides[1]);
    const std::int64_t mask = integer_of(c["runtime-dim-mask"], "mask");
    if (mask != 0)
        for (tensor_spec &t : tensors) {
            dims open = shape;
            for (std::size_t d = 0; d < open.size(); ++d)
                if (mask >> d & 1) open[d] = DNNL_RUNTIME_DIM_VAL;
            t.concrete = t.requested;
            t.requested =
                desc_with_tag(open, t.type, t.argument == DNNL_ARG_FROM ? c["stag"] : c["dtag"]);
        }
    add_attribute_tensors(DNNL_ARG_TO);
}

dnnl::primitive_desc_base reorder_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    return dnnl::reorder::primitive_desc(
        engine, desc(DNNL_ARG_FROM), engine, desc(DNNL_ARG_TO), attr);
}

expectation_map reorder_problem::expected(const tensor_map &in) const {
    expectation_map result;
    const tensor &src = in.at(DNNL_ARG_FROM);
    const quantized q(*this, in, DNNL_ARG_FROM), qd(*this, in, DNNL_ARG_TO);
    const epilogue last(*this, in, DNNL_ARG_TO);
    const bool plain = line.is_default("attr-scales") && line.is_default("attr-zero-points") &&
                       line.is_default("attr-post-ops");
    dims position(src.shape.size(), 0);
    for (double s : src.values) {
        interval x = plain && is_integer(src.type) ? exact_integer(s) : interval(s);
        if (q.has_zero_point()) x = subtract(x, q.zero_point(position));
        if (q.has_scale()) x = multiply(x, q.scale(position));
        result[DNNL_ARG_TO].push_back(last.finish(x, position));
        next_position(position, src.shape);
    }
    return result;
}

} // namespace

std::unique_ptr<test_problem> make_reorder(const test_case &c) {
    return std::make_unique<reorder_problem>(c);
}

} // namespace conformance
