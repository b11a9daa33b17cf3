// SPDX-License-Identifier: Apache-2.0
// Reorder: d = conv((scale_src (s - zp_src) + beta d_old) / scale_dst + zp_dst).
#include "language/tags.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

namespace conformance {
namespace {

class reorder_problem : public test_problem {
  public:
    explicit reorder_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    interval with_rnn_parameters(interval x, std::size_t index) const;

    /// --rnn-qparams: x_8bit = x * scale + shift; a scale of data, or one or one per gate and
    /// output channel of weights, which vary fastest.
    std::string quantized_; // data, weights or projection; empty: nothing
    std::vector<float> scales_;
    float shift_ = 0;
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
    const auto parts = split(c["rnn-qparams"], ':');
    quantized_ = parts[0];
    if (quantized_ == "data") {
        scales_ = {float_of(parts[1], "scale")};
        shift_ = float_of(parts[2], "shift");
    } else if (!quantized_.empty()) {
        if (shape.size() != (quantized_ == "weights" ? 5 : 4))
            throw skipped_case("Invalid case: weights have five dimensions, a projection four");
        dim channels = parts[1] == "per_oc" ? shape.back() : 1;
        if (parts[1] == "per_oc" && shape.size() == 5) channels *= shape[3];
        for (dim i = 0; i < channels; ++i) scales_.push_back(float(40 + 7 * (i % 11)));
    }
}

dnnl::primitive_desc_base reorder_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    dnnl::primitive_attr with(attr);
    const bool each = scales_.size() > 1;
    if (quantized_ == "data") with.set_rnn_data_qparams(scales_[0], shift_);
    if (quantized_ == "weights") with.set_rnn_weights_qparams(each ? 24 : 0, scales_);
    if (quantized_ == "projection") with.set_rnn_weights_projection_qparams(each ? 8 : 0, scales_);
    return dnnl::reorder::primitive_desc(
        engine, desc(DNNL_ARG_FROM), engine, desc(DNNL_ARG_TO), with);
}

interval reorder_problem::with_rnn_parameters(interval x, std::size_t index) const {
    const data_type from = spec(DNNL_ARG_FROM).type, to = spec(DNNL_ARG_TO).type;
    if (quantized_.empty() || from == to) return x;
    const double scale = double(scales_[index % scales_.size()]), shift = double(shift_);
    if (is_integer(to)) {
        x = multiply(x, scale);
        return quantized_ == "data" ? add(x, shift) : x;
    }
    return divide(quantized_ == "data" ? subtract(x, shift) : x, scale);
}

expectation_map reorder_problem::expected(const tensor_map &in) const {
    expectation_map result;
    const tensor &src = in.at(DNNL_ARG_FROM);
    const quantized q(*this, in, DNNL_ARG_FROM), qd(*this, in, DNNL_ARG_TO);
    const epilogue last(*this, in, DNNL_ARG_TO);
    const bool plain = line.is_default("attr-scales") && line.is_default("attr-zero-points") &&
                       line.is_default("attr-post-ops");
    dims position(src.shape.size(), 0);
    std::size_t index = 0;
    for (double s : src.values) {
        interval x = plain && is_integer(src.type) ? exact_integer(s) : interval(s);
        if (q.has_zero_point()) x = subtract(x, q.zero_point(position));
        if (q.has_scale()) x = multiply(x, q.scale(position));
        x = with_rnn_parameters(x, index++);
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
