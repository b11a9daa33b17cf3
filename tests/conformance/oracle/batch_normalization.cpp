// SPDX-License-Identifier: Apache-2.0
// Batch normalization forward and backward.
#include "language/spatial.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/normalization.hpp"

#include <algorithm>

namespace conformance {
namespace {

using forward_desc = dnnl::batch_normalization_forward::primitive_desc;

class batch_normalization_problem : public normalization_problem {
  public:
    explicit batch_normalization_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    void complete(const dnnl::engine &engine, const dnnl::stream &stream, const tensor_map &in,
        const dnnl::primitive_desc_base &pd, argument_map &arguments) const override;

  private:
    forward_desc training(const dnnl::engine &engine, bool allow_empty) const;
};

dims shape_of(const test_case &c) { return image_of(c); }

dims all_but_channels(dims shape) {
    shape[1] = 1;
    return shape;
}

batch_normalization_problem::batch_normalization_problem(const test_case &c)
    : normalization_problem(
          c, {shape_of(c), all_but_channels(shape_of(c)), {shape_of(c)[1]}, 1}, epsilon_of(c)) {
    const data_type type = type_named(c["dt"]);
    const auto strides = split(c["strides"], ':');
    const std::string dst_tag = forward_ ? "any" : c["tag"];
    add_tensors({type, type, data_type::f32, c["tag"], dst_tag, "a", strides[0], strides[1]});
}

forward_desc batch_normalization_problem::training(
    const dnnl::engine &engine, bool allow_empty) const {
    return {engine, dnnl::prop_kind::forward_training, desc(DNNL_ARG_SRC), desc(DNNL_ARG_DIFF_DST),
        float(epsilon_), flags(), dnnl::primitive_attr(), allow_empty};
}

dnnl::primitive_desc_base batch_normalization_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    if (forward_)
        return forward_desc(
            engine, prop(), desc(DNNL_ARG_SRC), desc(DNNL_ARG_DST), float(epsilon_), flags(), attr);
    return dnnl::batch_normalization_backward::primitive_desc(engine, prop(),
        desc(DNNL_ARG_DIFF_SRC), desc(DNNL_ARG_DIFF_DST), desc(DNNL_ARG_SRC), float(epsilon_),
        flags(), training(engine, true), attr);
}

// A fused relu: backward needs the workspace of the forward pass.
void batch_normalization_problem::complete(const dnnl::engine &engine, const dnnl::stream &stream,
    const tensor_map &in, const dnnl::primitive_desc_base &pd, argument_map &arguments) const {
    const memory::desc workspace_md = pd.workspace_desc();
    if (workspace_md.is_zero() || forward_) return;
    const dnnl::memory workspace(workspace_md, engine);
    arguments[DNNL_ARG_WORKSPACE] = workspace;
    const forward_desc pass = training(engine, false);
    argument_map of_pass {
        {DNNL_ARG_DST, dnnl::memory(pass.dst_desc(), engine)}, {DNNL_ARG_WORKSPACE, workspace}};
    for (int argument :
        {DNNL_ARG_SRC, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE, DNNL_ARG_SHIFT}) {
        const memory::desc md = pass.query_md(dnnl::query::exec_arg_md, argument);
        if (md.is_zero()) continue;
        const dnnl::memory filled(md, engine);
        if (in.count(argument)) {
            const auto bytes = layout(md).pack(in.at(argument), 0xff);
            std::copy(
                bytes.begin(), bytes.end(), static_cast<std::uint8_t *>(filled.get_data_handle()));
        }
        of_pass[argument] = filled;
    }
    dnnl::batch_normalization_forward(pass).execute(stream, of_pass);
}

} // namespace

std::unique_ptr<test_problem> make_batch_normalization(const test_case &c) {
    return std::make_unique<batch_normalization_problem>(c);
}

} // namespace conformance
