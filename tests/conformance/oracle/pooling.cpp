// SPDX-License-Identifier: Apache-2.0
// Pooling forward and backward.
#include "language/spatial.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

#include <cfloat>
#include <cmath>

namespace conformance {
namespace {

class pooling_problem : public test_problem {
  public:
    explicit pooling_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;
    void complete(const dnnl::engine &engine, const dnnl::stream &stream, const tensor_map &in,
        const dnnl::primitive_desc_base &pd, argument_map &arguments) const override;

  private:
    dnnl::pooling_forward::primitive_desc forward_desc(const dnnl::engine &engine,
        dnnl::prop_kind prop, const memory::desc &src, const memory::desc &dst,
        const dnnl::primitive_attr &attr, bool allow_empty) const;
    /// An element of a window that lies inside the image: its index there, and that of its tap in
    /// the kernel.
    struct tap {
        std::size_t element, kernel;
    };
    std::vector<tap> window_elements(const dims &out_position) const;
    interval first_maximum(const std::vector<double> &plane, const dims &out_position) const;
    interval window_result(const std::vector<double> &plane, const dims &out_position) const;
    double divisor(std::size_t real_elements) const;
    void backward(const tensor_map &in, std::vector<interval> &diff_src) const;

    std::string dir_;
    window_problem shape_;
    dims in_, out_, kernel_, strides_, dilations_, padding_left_, padding_right_;
    data_type src_type_, dst_type_;
};

dnnl::algorithm algorithm_of(const std::string &name) {
    if (name == "max") return dnnl::algorithm::pooling_max;
    return name == "avg_p" ? dnnl::algorithm::pooling_avg_include_padding
                           : dnnl::algorithm::pooling_avg_exclude_padding;
}

pooling_problem::pooling_problem(const test_case &c) : test_problem(c), dir_(c["dir"]) {
    shape_ = window_problem_of(descriptor_of(c.bare_problem(), c.what->keys), window_kind::pooling);
    if (integer_of(c["mb"], "mb") > 0) shape_.MB = integer_of(c["mb"], "mb");
    if (!is_forward(dir_) && dir_ != "BWD_D")
        throw skipped_case("Invalid case: this direction does not exist");
    for (const window &w : shape_.spatial) {
        in_.push_back(w.in);
        out_.push_back(w.out);
        kernel_.push_back(w.kernel);
        strides_.push_back(w.stride);
        dilations_.push_back(w.dilation);
        padding_left_.push_back(w.pad_left);
        padding_right_.push_back(w.pad_right);
    }
    dims src = {shape_.MB, shape_.IC}, dst = src;
    src.insert(src.end(), in_.begin(), in_.end());
    dst.insert(dst.end(), out_.begin(), out_.end());
    auto names = split(c["dt"], ':');
    names.resize(2, names[0]);
    src_type_ = type_named(names[0]);
    dst_type_ = type_named(names[1]);
    const bool forward = is_forward(dir_);
    const bool sums = c["alg"] != "max";
    if (forward) {
        add_tensor(DNNL_ARG_SRC, "src", src, src_type_, c["tag"], role::input).accumulates = sums;
        add_tensor(DNNL_ARG_DST, "dst", dst, dst_type_, "any", role::output);
        add_attribute_tensors(DNNL_ARG_DST);
        return;
    }
    add_tensor(DNNL_ARG_DIFF_SRC, "diff_src", src, src_type_, c["tag"], role::output);
    add_tensor(DNNL_ARG_DIFF_DST, "diff_dst", dst, dst_type_, c["tag"], role::input).accumulates =
        true;
    // The forward source decides the maxima; it is an input of the oracle only.
    if (!sums) {
        tensor_spec &maxima =
            add_tensor(DNNL_ARG_SRC, "src", src, src_type_, c["tag"], role::input);
        maxima.accumulates = true;
        maxima.passed = false;
    }
    add_attribute_tensors(DNNL_ARG_DIFF_SRC);
}

dnnl::pooling_forward::primitive_desc pooling_problem::forward_desc(const dnnl::engine &engine,
    dnnl::prop_kind prop, const memory::desc &src, const memory::desc &dst,
    const dnnl::primitive_attr &attr, bool allow_empty) const {
    return {engine, prop, algorithm_of(line["alg"]), src, dst, strides_, kernel_, dilations_,
        padding_left_, padding_right_, attr, allow_empty};
}

dnnl::primitive_desc_base pooling_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    if (is_forward(dir_))
        return forward_desc(engine,
            dir_ == "FWD_I" ? dnnl::prop_kind::forward_inference
                            : dnnl::prop_kind::forward_training,
            desc(DNNL_ARG_SRC), desc(DNNL_ARG_DST), attr, false);
    const auto hint = forward_desc(engine, dnnl::prop_kind::forward_training,
        desc(DNNL_ARG_DIFF_SRC), desc(DNNL_ARG_DIFF_DST), dnnl::primitive_attr(), true);
    dnnl_primitive_desc_t made = nullptr;
    dnnl::error::wrap_c_api(
        dnnl_pooling_backward_primitive_desc_create(&made, engine.get(),
            dnnl::convert_to_c(algorithm_of(line["alg"])), desc(DNNL_ARG_DIFF_SRC).get(),
            desc(DNNL_ARG_DIFF_DST).get(), strides_.data(), kernel_.data(), dilations_.data(),
            padding_left_.data(), padding_right_.data(), hint.get(true), attr.get()),
        "pooling backward");
    return dnnl::primitive_desc_base(made);
}

// Backward needs the forward pass's workspace.
void pooling_problem::complete(const dnnl::engine &engine, const dnnl::stream &stream,
    const tensor_map &in, const dnnl::primitive_desc_base &pd, argument_map &arguments) const {
    const memory::desc workspace_md = pd.workspace_desc();
    if (workspace_md.is_zero() || is_forward(dir_)) return;
    const dnnl::memory workspace(workspace_md, engine);
    arguments[DNNL_ARG_WORKSPACE] = workspace;
    const auto forward = forward_desc(engine, dnnl::prop_kind::forward_training,
        desc(DNNL_ARG_DIFF_SRC), desc(DNNL_ARG_DIFF_DST), dnnl::primitive_attr(), false);
    const dnnl::memory src(forward.src_desc(), engine), dst(forward.dst_desc(), engine);
    const auto bytes = layout(forward.src_desc()).pack(in.at(DNNL_ARG_SRC), 0xff);
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t *>(src.get_data_handle()));
    dnnl::pooling_forward(forward).execute(
        stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}, {DNNL_ARG_WORKSPACE, workspace}});
}

// The window's real elements, in kernel order.
std::vector<pooling_problem::tap> pooling_problem::window_elements(const dims &out_position) const {
    std::vector<tap> elements;
    dims k(kernel_.size(), 0);
    std::size_t next = 0;
    do {
        dim index = 0;
        bool inside = true;
        for (std::size_t d = 0; d < k.size(); ++d) {
            const window &w = shape_.spatial[d];
            const dim i = out_position[d] * w.stride + k[d] * (w.dilation + 1) - w.pad_left;
            inside &= i >= 0 && i < w.in;
            index = index * w.in + i;
        }
        if (inside) elements.push_back({std::size_t(index), next});
        ++next;
    } while (next_position(k, kernel_));
    return elements;
}

double pooling_problem::divisor(std::size_t real_elements) const {
    return line["alg"] == "avg_p" ? double(product(kernel_)) : double(real_elements);
}

interval pooling_problem::window_result(
    const std::vector<double> &plane, const dims &out_position) const {
    const auto elements = window_elements(out_position);
    if (line["alg"] != "max") {
        accumulator sum;
        for (const tap &at : elements) sum.add(plane[at.element]);
        return divide(
            is_integer(src_type_) ? sum.in_s32() : sum.in_f32(), divisor(elements.size()));
    }
    bool has_nan = false;
    double most = is_integer(src_type_) ? lowest_of(src_type_) : -max_finite_of(src_type_);
    bool found = false;
    for (const tap &at : elements) {
        const double x = plane[at.element];
        has_nan |= std::isnan(x);
        if (x > most || (!found && x >= -INFINITY)) most = x;
        found |= !std::isnan(x);
    }
    interval result(most);
    result.nan_allowed = has_nan;
    result.any_allowed = has_nan && !found;
    if (most == -INFINITY) result.high = -max_finite_of(src_type_); // or the lowest finite value
    result.integer = is_integer(src_type_) && is_integer(dst_type_);
    return result;
}

// What the workspace of a maximum holds: the tap of the first one. Without an element, and where a
// NaN may count or not, it is open.
interval pooling_problem::first_maximum(
    const std::vector<double> &plane, const dims &out_position) const {
    const auto elements = window_elements(out_position);
    interval result;
    result.integer = true;
    if (elements.empty()) result.any_allowed = true;
    const tap *most = nullptr;
    for (const tap &at : elements) {
        if (std::isnan(plane[at.element])) result.any_allowed = true;
        if (!most || plane[at.element] > plane[most->element]) most = &at;
    }
    if (most && !result.any_allowed) result = exact_integer(double(most->kernel));
    return result;
}

void pooling_problem::backward(const tensor_map &in, std::vector<interval> &diff_src) const {
    const auto &dd = in.at(DNNL_ARG_DIFF_DST).values;
    const dim images = shape_.MB * shape_.IC, in_size = product(in_), out_size = product(out_);
    std::vector<accumulator> sums(std::size_t(images * in_size));
    if (out_size > 0 && in_size > 0)
        for (dim image = 0; image < images; ++image) {
            dims o(out_.size(), 0);
            std::size_t next = std::size_t(image * out_size);
            do {
                const double gradient = dd[next++];
                const auto elements = window_elements(o);
                const std::size_t base = std::size_t(image * in_size);
                if (line["alg"] != "max") {
                    for (const tap &at : elements)
                        sums[base + at.element].add(gradient / divisor(elements.size()));
                    continue;
                }
                const auto &src = in.at(DNNL_ARG_SRC).values;
                std::size_t first = elements.empty() ? 0 : elements[0].element;
                for (const tap &at : elements)
                    if (src[base + at.element] > src[base + first]) first = at.element;
                if (!elements.empty()) sums[base + first].add(gradient);
            } while (next_position(o, out_));
        }
    for (const accumulator &sum : sums) diff_src.push_back(sum.in_f32());
}

expectation_map pooling_problem::expected(const tensor_map &in) const {
    expectation_map result;
    if (!is_forward(dir_)) {
        backward(in, result[DNNL_ARG_DIFF_SRC]);
        return result;
    }
    auto &dst = result[DNNL_ARG_DST];
    const tensor &src = in.at(DNNL_ARG_SRC);
    const epilogue last(*this, in, DNNL_ARG_DST);
    if (src.values.empty() || product(out_) == 0) return result;
    const dim in_size = product(in_);
    const bool writes_maxima = line["alg"] == "max" && dir_ != "FWD_I";
    for (dim mb = 0; mb < shape_.MB; ++mb)
        for (dim c = 0; c < shape_.IC; ++c) {
            const auto begin = src.values.begin() + (mb * shape_.IC + c) * in_size;
            const std::vector<double> plane(begin, begin + in_size);
            dims o(out_.size(), 0);
            do {
                dims position = {mb, c};
                position.insert(position.end(), o.begin(), o.end());
                dst.push_back(last.finish(window_result(plane, o), position));
                if (writes_maxima) result[DNNL_ARG_WORKSPACE].push_back(first_maximum(plane, o));
            } while (next_position(o, out_));
        }
    return result;
}

} // namespace

std::unique_ptr<test_problem> make_pooling(const test_case &c) {
    return std::make_unique<pooling_problem>(c);
}

} // namespace conformance
