// SPDX-License-Identifier: Apache-2.0
// Inner product forward, backward by data and by weights.
#include "language/spatial.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

namespace conformance {
namespace {

class inner_product_problem : public test_problem {
  public:
    explicit inner_product_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    dnnl::inner_product_forward::primitive_desc hint(const dnnl::engine &engine) const;
    void forward(const tensor_map &in, expectation_map &out) const;

    std::string dir_;
    dim MB_, IC_, OC_; // IC_ includes the spatial dimensions
    bool integer_ = false;
};

void add_spatial(const descriptor_entries &entries, dims &src, dims &weights) {
    std::string used;
    for (char letter : std::string("dhw"))
        if (!used.empty() || entries.has(std::string("i") + letter)) used += letter;
    dim last = 1;
    for (char letter : used) {
        last = entries.get(std::string("i") + letter, last);
        src.push_back(last);
        weights.push_back(last);
    }
}

inner_product_problem::inner_product_problem(const test_case &c) : test_problem(c), dir_(c["dir"]) {
    const auto entries = descriptor_of(c.bare_problem(), c.what->keys);
    const dim forced = integer_of(c["mb"], "mb");
    MB_ = forced > 0 ? forced : entries.get("mb", 2);
    OC_ = entries.get("oc", 0);
    dims src = {MB_, entries.get("ic", 0)}, weights = {OC_, entries.get("ic", 0)};
    add_spatial(entries, src, weights);
    IC_ = product(weights) / std::max<dim>(OC_, 1);
    auto names = split(c["dt"], ':');
    names.resize(3, names[0]);
    const data_type st = type_named(names[0]), wt = type_named(names[1]), dt = type_named(names[2]);
    const bool data = dir_ == "BWD_D", back = dir_ == "BWD_W" || dir_ == "BWD_WB";
    if (dir_ == "BWD_DW") throw skipped_case("Invalid case: no joint backward");
    const bool forward = is_forward(dir_);
    const data_type other = data ? dt : st;
    integer_ = is_integer(other) && is_integer(wt);
    add_tensor(data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, data ? "diff_src" : "src", src, st,
        c["stag"], data ? role::output : role::input);
    add_tensor(back ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, back ? "diff_weights" : "weights",
        weights, wt, c["wtag"], back ? role::output : role::input, meaning::weights);
    add_tensor(forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, forward ? "dst" : "diff_dst", {MB_, OC_},
        dt, c["dtag"], forward ? role::output : role::input);
    if (dir_ == "FWD_B" || dir_ == "BWD_WB")
        add_tensor(back ? DNNL_ARG_DIFF_BIAS : DNNL_ARG_BIAS, back ? "diff_bias" : "bias", {OC_},
            bias_type_of(c, wt), "a", back ? role::output : role::input, meaning::bias);
    for (tensor_spec &t : tensors) {
        t.accumulates = true;
        switch (t.argument) {
        case DNNL_ARG_SRC: t.axes = forward ? "m" : ".k"; break;
        case DNNL_ARG_WEIGHTS: t.axes = forward ? "n" : ".k"; break;
        case DNNL_ARG_DIFF_DST: t.axes = data ? "m" : ".n"; break;
        case DNNL_ARG_DST: t.axes = "mn"; break;
        default: t.axes = "n"; // of the bias
        }
        t.takes_nonfinite = t.holds == meaning::weights;
    }
    add_attribute_tensors(forward ? DNNL_ARG_DST
                          : data  ? DNNL_ARG_DIFF_SRC
                                  : DNNL_ARG_DIFF_WEIGHTS);
}

dnnl::inner_product_forward::primitive_desc inner_product_problem::hint(
    const dnnl::engine &engine) const {
    const bool data = dir_ == "BWD_D";
    return {engine, dnnl::prop_kind::forward_training,
        desc(data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC),
        desc(data ? DNNL_ARG_WEIGHTS : DNNL_ARG_DIFF_WEIGHTS), desc(DNNL_ARG_DIFF_DST),
        dnnl::primitive_attr(), true};
}

dnnl::primitive_desc_base inner_product_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    if (is_forward(dir_)) {
        const auto prop = dir_ == "FWD_I" ? dnnl::prop_kind::forward_inference
                                          : dnnl::prop_kind::forward_training;
        const memory::desc none;
        return dnnl::inner_product_forward::primitive_desc(engine, prop, desc(DNNL_ARG_SRC),
            desc(DNNL_ARG_WEIGHTS), dir_ == "FWD_B" ? desc(DNNL_ARG_BIAS) : none,
            desc(DNNL_ARG_DST), attr);
    }
    const auto forward = hint(engine);
    dnnl_primitive_desc_t made = nullptr;
    const dnnl_status_t status =
        dir_ == "BWD_D"
            ? dnnl_inner_product_backward_data_primitive_desc_create(&made, engine.get(),
                  desc(DNNL_ARG_DIFF_SRC).get(), desc(DNNL_ARG_WEIGHTS).get(),
                  desc(DNNL_ARG_DIFF_DST).get(), forward.get(true), attr.get())
            : dnnl_inner_product_backward_weights_primitive_desc_create(&made, engine.get(),
                  desc(DNNL_ARG_SRC).get(), desc(DNNL_ARG_DIFF_WEIGHTS).get(),
                  dir_ == "BWD_WB" ? desc(DNNL_ARG_DIFF_BIAS).get() : nullptr,
                  desc(DNNL_ARG_DIFF_DST).get(), forward.get(true), attr.get());
    dnnl::error::wrap_c_api(status, "inner product backward");
    return dnnl::primitive_desc_base(made);
}

void inner_product_problem::forward(const tensor_map &in, expectation_map &out) const {
    const auto &src = in.at(DNNL_ARG_SRC).values, &weights = in.at(DNNL_ARG_WEIGHTS).values;
    const quantized qs(*this, in, DNNL_ARG_SRC), qw(*this, in, DNNL_ARG_WEIGHTS);
    const epilogue last(*this, in, DNNL_ARG_DST);
    for (dim mb = 0; mb < MB_; ++mb)
        for (dim oc = 0; oc < OC_; ++oc) {
            accumulator sum;
            for (dim i = 0; i < IC_; ++i)
                sum.add(src[std::size_t(mb * IC_ + i)] * weights[std::size_t(oc * IC_ + i)]);
            interval x = integer_ ? sum.in_s32() : sum.in_f32();
            const dims channel(spec(DNNL_ARG_WEIGHTS).shape.size(), 0);
            dims weight_position = channel;
            weight_position[0] = oc;
            if (qs.has_scale()) x = multiply(x, qs.scale(channel));
            if (qw.has_scale()) x = multiply(x, qw.scale(weight_position));
            if (dir_ == "FWD_B") x = add(x, in.at(DNNL_ARG_BIAS).values[std::size_t(oc)]);
            out[DNNL_ARG_DST].push_back(last.finish(x, {mb, oc}));
        }
}

expectation_map inner_product_problem::expected(const tensor_map &in) const {
    expectation_map out;
    if (is_forward(dir_)) {
        forward(in, out);
        return out;
    }
    const bool data = dir_ == "BWD_D";
    const auto &diff_dst = in.at(DNNL_ARG_DIFF_DST).values;
    const auto &other = in.at(data ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC).values;
    std::vector<accumulator> sums(std::size_t((data ? MB_ : OC_) * IC_)), bias(OC_);
    for (dim mb = 0; mb < MB_; ++mb)
        for (dim oc = 0; oc < OC_; ++oc) {
            const double dd = diff_dst[std::size_t(mb * OC_ + oc)];
            bias[std::size_t(oc)].add(dd);
            const dim row = data ? mb : oc, other_row = data ? oc : mb;
            for (dim i = 0; i < IC_; ++i)
                sums[std::size_t(row * IC_ + i)].add(dd * other[std::size_t(other_row * IC_ + i)]);
        }
    auto &judged = out[data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DIFF_WEIGHTS];
    for (const accumulator &sum : sums) judged.push_back(integer_ ? sum.in_s32() : sum.in_f32());
    if (dir_ == "BWD_WB")
        for (const accumulator &sum : bias) out[DNNL_ARG_DIFF_BIAS].push_back(sum.in_f32());
    return out;
}

} // namespace

std::unique_ptr<test_problem> make_inner_product(const test_case &c) {
    return std::make_unique<inner_product_problem>(c);
}

} // namespace conformance
