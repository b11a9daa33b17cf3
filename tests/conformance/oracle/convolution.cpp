// SPDX-License-Identifier: Apache-2.0
// Convolution and deconvolution forward, backward by data and by weights: one
// loop nest over all (source, weight, destination) triples serves them all. A deconvolution's
// triples are those of the convolution from its destination to its source.
#include "language/spatial.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

#include <algorithm>
#include <cmath>

namespace conformance {
namespace {

class convolution_problem : public test_problem {
  public:
    explicit convolution_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;
    expectation_map expected_where_flushed(const tensor_map &in) const override;

  private:
    template <class Visit> void for_each_product(const Visit &visit) const;
    struct creation {
        const dnnl::engine &engine;
        const_dnnl_primitive_attr_t attr;
        dnnl_alg_kind_t alg;
    };
    dnnl::primitive_desc_base create_forward(
        const creation &c, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t dst) const;
    dnnl::primitive_desc_base create_backward(const creation &c) const;
    void finish_forward(
        const tensor_map &in, const std::vector<interval> &sums, std::vector<interval> &dst) const;
    std::vector<interval> sums_of(const std::vector<accumulator> &sums, bool forward,
        const std::vector<double> &weights) const;

    void add_depthwise(const post_op &fused, data_type weights_type);
    std::string axes_of(int argument) const;
    std::vector<interval> depthwise(const tensor_map &in, const std::vector<interval> &src) const;

    std::string dir_;
    bool transposed_; // a deconvolution
    window_problem shape_;
    dims strides_, dilations_, padding_left_, padding_right_;
    bool integer_ = false;
    dims base_dst_; // in front of a depthwise post-op; empty without one
    data_type base_type_ = data_type::undef;
    post_op fused_;
    std::size_t fused_index_ = 0;
};

dnnl_alg_kind_t algorithm_of(const std::string &name, bool transposed) {
    if (transposed) return name == "WINO" ? dnnl_deconvolution_winograd : dnnl_deconvolution_direct;
    if (name == "WINO") return dnnl_convolution_winograd;
    return name == "AUTO" ? dnnl_convolution_auto : dnnl_convolution_direct;
}

convolution_problem::convolution_problem(const test_case &c)
    : test_problem(c), dir_(c["dir"]), transposed_(c.what->name == "deconv") {
    shape_ = window_problem_of(descriptor_of(c.bare_problem(), c.what->keys),
        transposed_ ? window_kind::deconvolution : window_kind::convolution);
    if (integer_of(c["mb"], "mb") > 0) shape_.MB = integer_of(c["mb"], "mb");
    if (dir_ == "BWD_DW") throw skipped_case("Invalid case: no joint backward");
    dims src = {shape_.MB, shape_.IC}, dst = {shape_.MB, shape_.OC};
    dims weights = {shape_.OC / shape_.G, shape_.IC / shape_.G};
    if (shape_.grouped) weights.insert(weights.begin(), shape_.G);
    for (const window &w : shape_.spatial) {
        src.push_back(w.in);
        weights.push_back(w.kernel);
        dst.push_back(w.out);
        strides_.push_back(w.stride);
        dilations_.push_back(w.dilation);
        padding_left_.push_back(w.pad_left);
        padding_right_.push_back(w.pad_right);
    }
    auto names = split(c["dt"], ':');
    names.resize(3, names[0]);
    const data_type st = type_named(names[0]), wt = type_named(names[1]), dt = type_named(names[2]);
    const bool data = dir_ == "BWD_D", back = dir_ == "BWD_W" || dir_ == "BWD_WB";
    const bool forward = is_forward(dir_);
    integer_ = is_integer(data ? dt : st) && is_integer(wt);
    const auto strides = split(transposed_ ? "::" : c["strides"], ':');
    set_strides(add_tensor(data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, data ? "diff_src" : "src", src,
                    st, c["stag"], data ? role::output : role::input),
        strides[0]);
    set_strides(add_tensor(back ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
                    back ? "diff_weights" : "weights", weights, wt, c["wtag"],
                    back ? role::output : role::input, meaning::weights),
        strides[1]);
    set_strides(add_tensor(forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, forward ? "dst" : "diff_dst",
                    dst, dt, c["dtag"], forward ? role::output : role::input),
        strides[2]);
    if (dir_ == "FWD_B" || dir_ == "BWD_WB")
        add_tensor(back ? DNNL_ARG_DIFF_BIAS : DNNL_ARG_BIAS, back ? "diff_bias" : "bias",
            {shape_.OC}, bias_type_of(c, wt), "a", back ? role::output : role::input,
            meaning::bias);
    for (tensor_spec &t : tensors) t.takes_nonfinite = t.holds == meaning::weights;
    const auto chain = post_ops_of(c["attr-post-ops"]);
    fused_index_ = depthwise_index(chain);
    if (fused_index_ < chain.size()) add_depthwise(chain[fused_index_], wt);
    for (tensor_spec &t : tensors) {
        t.accumulates = true;
        t.axes = axes_of(t.argument);
    }
    add_attribute_tensors(forward ? DNNL_ARG_DST
                          : data  ? DNNL_ARG_DIFF_SRC
                                  : DNNL_ARG_DIFF_WEIGHTS,
        shape_.grouped, base_dst_);
}

// m: images; n and k: channels of dst and src, each group's own; H: the halves of an image.
std::string convolution_problem::axes_of(int argument) const {
    const bool data = dir_ == "BWD_D";
    switch (argument) {
    case DNNL_ARG_SRC: return is_forward(dir_) ? "m.H" : ".k";
    case DNNL_ARG_WEIGHTS:
        if (shape_.grouped) return data ? "k.k" : "nn";
        return data ? ".k" : "n";
    case DNNL_ARG_DIFF_DST: return data ? "m.H" : ".n";
    case DNNL_ARG_DST: return "mnH";
    default: return "n"; // of a bias, or of depthwise weights
    }
}

// Weights and bias of the depthwise convolution; dst becomes its destination. The descriptor that
// the creation asks for stays that of the first convolution.
void convolution_problem::add_depthwise(const post_op &fused, data_type weights_type) {
    if (!is_forward(dir_) || shape_.spatial.size() != 2)
        throw skipped_case("Invalid case: a depthwise post-op needs a forward 2-D convolution");
    fused_ = fused;
    for (tensor_spec &t : tensors) {
        if (t.argument != DNNL_ARG_DST) continue;
        base_dst_ = t.shape;
        base_type_ = t.type;
        t.type = fused.type;
        for (std::size_t d = 2; d < 4; ++d)
            t.shape[d] = (base_dst_[d] + fused.stride - 1) / fused.stride;
    }
    const int base = DNNL_ARG_ATTR_POST_OP_DW;
    add_tensor(base | DNNL_ARG_WEIGHTS, "depthwise weights",
        {shape_.OC, 1, 1, fused.kernel, fused.kernel}, weights_type, "any", role::input,
        meaning::weights);
    if (dir_ == "FWD_B")
        add_tensor(base | DNNL_ARG_BIAS, "depthwise bias", {shape_.OC},
            is_integer(weights_type) ? data_type::f32 : weights_type, "a", role::input,
            meaning::bias);
}

dnnl::primitive_desc_base convolution_problem::create_forward(
    const creation &c, dnnl_prop_kind_t prop, const_dnnl_memory_desc_t dst) const {
    const bool data = dir_ == "BWD_D", back = dir_ == "BWD_W" || dir_ == "BWD_WB";
    const auto create = transposed_ ? dnnl_deconvolution_forward_primitive_desc_create
                                    : dnnl_convolution_forward_primitive_desc_create;
    dnnl_primitive_desc_t made = nullptr;
    const dnnl_status_t status = create(&made, c.engine.get(), prop, c.alg,
        desc(data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC).get(),
        desc(back ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS).get(),
        dir_ == "FWD_B" ? desc(DNNL_ARG_BIAS).get() : nullptr, dst, strides_.data(),
        dilations_.data(), padding_left_.data(), padding_right_.data(), c.attr);
    if (!is_forward(dir_) && status != dnnl_success) return {}; // no hint
    dnnl::error::wrap_c_api(status, "forward descriptor");
    return dnnl::primitive_desc_base(made);
}

dnnl::primitive_desc_base convolution_problem::create_backward(const creation &c) const {
    const memory::desc &diff_dst = desc(DNNL_ARG_DIFF_DST);
    const auto hint =
        create_forward({c.engine, nullptr, c.alg}, dnnl_forward_training, diff_dst.get());
    dnnl_primitive_desc_t made = nullptr;
    dnnl_status_t status = dnnl_success;
    if (dir_ == "BWD_D") {
        const auto create = transposed_ ? dnnl_deconvolution_backward_data_primitive_desc_create
                                        : dnnl_convolution_backward_data_primitive_desc_create;
        status = create(&made, c.engine.get(), c.alg, desc(DNNL_ARG_DIFF_SRC).get(),
            desc(DNNL_ARG_WEIGHTS).get(), diff_dst.get(), strides_.data(), dilations_.data(),
            padding_left_.data(), padding_right_.data(), hint.get(true), c.attr);
    } else {
        const auto create = transposed_ ? dnnl_deconvolution_backward_weights_primitive_desc_create
                                        : dnnl_convolution_backward_weights_primitive_desc_create;
        status = create(&made, c.engine.get(), c.alg, desc(DNNL_ARG_SRC).get(),
            desc(DNNL_ARG_DIFF_WEIGHTS).get(),
            dir_ == "BWD_WB" ? desc(DNNL_ARG_DIFF_BIAS).get() : nullptr, diff_dst.get(),
            strides_.data(), dilations_.data(), padding_left_.data(), padding_right_.data(),
            hint.get(true), c.attr);
    }
    dnnl::error::wrap_c_api(status, "backward descriptor");
    return dnnl::primitive_desc_base(made);
}

dnnl::primitive_desc_base convolution_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    const creation c {engine, attr.get(), algorithm_of(line["alg"], transposed_)};
    if (!is_forward(dir_)) return create_backward(c);
    const auto prop = dir_ == "FWD_I" ? dnnl_forward_inference : dnnl_forward_training;
    return create_forward(c, prop, desc(DNNL_ARG_DST).get());
}

// visit(src index, weights index, dst index) for every product of the convolution; indices are
// row-major.
template <class Visit> void convolution_problem::for_each_product(const Visit &visit) const {
    const auto &s = shape_;
    const dim ICG = s.IC / s.G, OCG = s.OC / s.G;
    dims image, pixels, kernel; // the window at a pixel covers the image
    for (const window &w : s.spatial) {
        image.push_back(transposed_ ? w.out : w.in);
        pixels.push_back(transposed_ ? w.in : w.out);
        kernel.push_back(w.kernel);
    }
    const dim image_size = product(image), pixels_size = product(pixels);
    const dim kernel_size = product(kernel);
    if (pixels_size == 0 || image_size == 0 || kernel_size == 0) return;
    const auto visit_channels = [&](dim src_at, dim k_index, dim dst_at) {
        const dim src_size = transposed_ ? pixels_size : image_size;
        const dim dst_size = transposed_ ? image_size : pixels_size;
        for (dim mb = 0; mb < s.MB; ++mb)
            for (dim oc = 0; oc < s.OC; ++oc)
                for (dim ic = 0; ic < ICG; ++ic)
                    visit(std::size_t((mb * s.IC + oc / OCG * ICG + ic) * src_size + src_at),
                        std::size_t((oc * ICG + ic) * kernel_size + k_index),
                        std::size_t((mb * s.OC + oc) * dst_size + dst_at));
    };
    dims o(pixels.size(), 0);
    dim o_index = 0;
    do {
        dims k(pixels.size(), 0);
        dim k_index = 0;
        do {
            dim i_index = 0;
            bool inside = true;
            for (std::size_t d = 0; d < k.size(); ++d) {
                const window &w = s.spatial[d];
                const dim i = o[d] * w.stride + k[d] * (w.dilation + 1) - w.pad_left;
                inside &= i >= 0 && i < image[d];
                i_index = i_index * image[d] + i;
            }
            if (inside) {
                if (transposed_)
                    visit_channels(o_index, k_index, i_index);
                else
                    visit_channels(i_index, k_index, o_index);
            }
            ++k_index;
        } while (next_position(k, kernel));
        ++o_index;
    } while (next_position(o, pixels));
}

// Sums over the weights: of an output channel (forward) or of an input channel. The zero that a tap
// outside of the image stands for may be multiplied by an infinite weight or by NaN, or left out.
std::vector<interval> convolution_problem::sums_of(
    const std::vector<accumulator> &sums, bool forward, const std::vector<double> &weights) const {
    std::vector<interval> result;
    for (const accumulator &sum : sums) result.push_back(integer_ ? sum.in_s32() : sum.in_f32());
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }))
        return result;
    const dim ICG = shape_.IC / shape_.G, OCG = shape_.OC / shape_.G;
    const std::size_t kernel = weights.size() / std::size_t(shape_.OC * ICG);
    std::vector<int> of_channel(std::size_t(forward ? shape_.OC : shape_.IC)), met(sums.size());
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const dim oc = dim(k / kernel) / ICG, ic = dim(k / kernel) % ICG;
        of_channel[std::size_t(forward ? oc : oc / OCG * ICG + ic)] += !std::isfinite(weights[k]);
    }
    for_each_product([&](std::size_t i, std::size_t k, std::size_t o) {
        met[forward ? o : i] += !std::isfinite(weights[k]);
    });
    const std::size_t channels = of_channel.size();
    const std::size_t pixels = sums.size() / (channels * std::size_t(std::max<dim>(1, shape_.MB)));
    for (std::size_t i = 0; i < sums.size(); ++i)
        result[i].nan_allowed = met[i] < of_channel[i / pixels % channels];
    return result;
}

void convolution_problem::finish_forward(
    const tensor_map &in, const std::vector<interval> &sums, std::vector<interval> &dst) const {
    const bool fused = !base_dst_.empty();
    const dims dst_shape = fused ? base_dst_ : spec(DNNL_ARG_DST).shape;
    if (sums.empty()) return;
    const quantized qs(*this, in, DNNL_ARG_SRC), qw(*this, in, DNNL_ARG_WEIGHTS);
    const epilogue last = fused ? epilogue(*this, in, DNNL_ARG_DST, 0, fused_index_, DNNL_ARG_DST)
                                : epilogue(*this, in, DNNL_ARG_DST);
    const dim OCG = shape_.OC / shape_.G;
    dims position(dst_shape.size(), 0), of_src(dst_shape.size(), 0);
    std::size_t next = 0;
    do {
        interval x = sums[next++];
        const dim oc = position[1];
        dims of_weights(spec(DNNL_ARG_WEIGHTS).shape.size(), 0);
        of_weights[0] = shape_.grouped ? oc / OCG : oc;
        if (shape_.grouped) of_weights[1] = oc % OCG;
        if (qs.has_scale()) x = multiply(x, qs.scale(of_src));
        if (qw.has_scale()) x = multiply(x, qw.scale(of_weights));
        if (dir_ == "FWD_B") x = add(x, in.at(DNNL_ARG_BIAS).values[std::size_t(oc)]);
        dst.push_back(last.finish(x, position));
    } while (next_position(position, dst_shape));
}

namespace {
// What a tensor of this type holds after the value was stored.
interval stored(data_type type, const interval &x) {
    const interval wide = x.integer ? x : rounded_to_f32(x);
    if (type == data_type::f32) return wide;
    interval result = x;
    result.integer = false;
    result.low = round_to(type, wide.low);
    result.value = round_to(type, x.value);
    result.high = round_to(type, wide.high);
    return result;
}

// The sum of products of intervals with numbers: of their exact values, and of both ends.
class interval_sum {
  public:
    void add(const interval &x, double w) {
        const double a = x.low * w, b = x.high * w;
        sum_.add(x.value * w);
        low_ += std::min(a, b) - x.value * w;
        high_ += std::max(a, b) - x.value * w;
        open_ |= x.any_allowed || !std::isfinite(x.low - x.high);
        nan_ |= x.nan_allowed;
    }
    interval result(bool integer) const {
        interval x = integer ? sum_.in_s32() : sum_.in_f32();
        if (low_ != 0) x.low += low_ * (1 + 1e-4);
        if (high_ != 0) x.high += high_ * (1 + 1e-4);
        x.any_allowed |= open_;
        x.nan_allowed |= nan_;
        return x;
    }

  private:
    accumulator sum_;
    double low_ = 0, high_ = 0;
    bool open_ = false, nan_ = false;
};
} // namespace

// The depthwise convolution on the stored results of the first one.
std::vector<interval> convolution_problem::depthwise(
    const tensor_map &in, const std::vector<interval> &src) const {
    std::vector<interval> dst;
    const dims shape = spec(DNNL_ARG_DST).shape;
    if (product(shape) == 0) return dst;
    const int base = DNNL_ARG_ATTR_POST_OP_DW;
    const tensor &weights = in.at(base | DNNL_ARG_WEIGHTS);
    const quantized between(*this, in, DNNL_ARG_DST), qw(*this, in, base | DNNL_ARG_WEIGHTS);
    const epilogue last(
        *this, in, DNNL_ARG_DST, fused_index_ + 1, std::size_t(-1), base | DNNL_ARG_DST);
    const bool integer = is_integer(base_type_) && is_integer(weights.type);
    const dim H = base_dst_[2], W = base_dst_[3], K = fused_.kernel;
    dims at(4, 0);
    do {
        interval_sum sum;
        for (dim kh = 0; kh < K; ++kh)
            for (dim kw = 0; kw < K; ++kw) {
                const dim ih = at[2] * fused_.stride + kh - fused_.padding;
                const dim iw = at[3] * fused_.stride + kw - fused_.padding;
                if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;
                const std::size_t i = std::size_t(((at[0] * shape_.OC + at[1]) * H + ih) * W + iw);
                sum.add(stored(base_type_, src[i]), weights.at({at[1], 0, 0, kh, kw}));
            }
        interval x = sum.result(integer);
        if (between.has_scale()) x = multiply(x, between.scale(at));
        if (qw.has_scale()) x = multiply(x, qw.scale({at[1], 0, 0, 0, 0}));
        if (dir_ == "FWD_B") x = add(x, in.at(base | DNNL_ARG_BIAS).values[std::size_t(at[1])]);
        dst.push_back(last.finish(x, at));
    } while (next_position(at, shape));
    return dst;
}

expectation_map convolution_problem::expected(const tensor_map &in) const {
    expectation_map result;
    if (is_forward(dir_)) {
        tensor src = in.at(DNNL_ARG_SRC);
        const quantized qs(*this, in, DNNL_ARG_SRC);
        dims position(src.shape.size(), 0);
        if (qs.has_zero_point() && !src.values.empty()) do
                src.values[src.index(position)] -= qs.zero_point(position);
            while (next_position(position, src.shape));
        const auto &w = in.at(DNNL_ARG_WEIGHTS).values;
        const dims &outputs = base_dst_.empty() ? spec(DNNL_ARG_DST).shape : base_dst_;
        std::vector<accumulator> sums(std::size_t(product(outputs)));
        for_each_product([&](std::size_t i, std::size_t k, std::size_t o) {
            sums[o].add(src.values[i] * w[k]);
        });
        auto &dst = result[DNNL_ARG_DST];
        finish_forward(in, sums_of(sums, true, w), dst);
        if (!base_dst_.empty()) dst = depthwise(in, dst);
        return result;
    }
    const tensor &dd = in.at(DNNL_ARG_DIFF_DST);
    const bool data = dir_ == "BWD_D";
    const int output = data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DIFF_WEIGHTS;
    const auto &other = in.at(data ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC).values;
    std::vector<accumulator> sums(std::size_t(product(spec(output).shape)));
    for_each_product([&](std::size_t i, std::size_t k, std::size_t o) {
        if (data)
            sums[i].add(dd.values[o] * other[k]);
        else
            sums[k].add(dd.values[o] * other[i]);
    });
    if (data) {
        result[output] = sums_of(sums, false, other);
        return result;
    }
    // What meets the zeros around the windows: of src, or of diff_dst in a deconvolution.
    bool finite = true;
    for (double factor : transposed_ ? other : dd.values) finite &= std::isfinite(factor);
    for (const accumulator &sum : sums) {
        result[output].push_back(integer_ ? sum.in_s32() : sum.in_f32());
        // The zero of a padding times an infinite factor may count, as NaN.
        result[output].back().nan_allowed = !finite;
    }
    if (dir_ != "BWD_WB") return result;
    std::vector<accumulator> bias(std::size_t(shape_.OC));
    const std::size_t out_size =
        dd.values.size() / std::size_t(std::max<dim>(1, shape_.MB * shape_.OC));
    for (std::size_t o = 0; o < dd.values.size(); ++o)
        bias[o / out_size % bias.size()].add(dd.values[o]);
    for (const accumulator &sum : bias) result[DNNL_ARG_DIFF_BIAS].push_back(sum.in_f32());
    return result;
}

// Tiles take the pixels of a channel in whole lines for all of its weights: one that is infinite or
// NaN may meet a zero there.
expectation_map convolution_problem::expected_where_flushed(const tensor_map &in) const {
    if (is_forward(dir_) || dir_ == "BWD_D" || spec(DNNL_ARG_SRC).type != data_type::bf16)
        return {};
    const auto &pixels = in.at(transposed_ ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC).values;
    const std::size_t channels = std::size_t(transposed_ ? shape_.OC : shape_.IC);
    const std::size_t size =
        pixels.size() / std::max<std::size_t>(1, std::size_t(shape_.MB) * channels);
    std::vector<bool> spreads(channels);
    for (std::size_t i = 0; i < pixels.size(); ++i)
        if (!std::isfinite(pixels[i])) spreads[i / size % channels] = true;
    expectation_map result = expected(in);
    auto &weights = result[DNNL_ARG_DIFF_WEIGHTS];
    const dim ICG = shape_.IC / shape_.G, OCG = shape_.OC / shape_.G;
    const std::size_t kernel =
        weights.size() / std::max<std::size_t>(1, std::size_t(shape_.OC * ICG));
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const dim oc = dim(k / kernel) / ICG, ic = dim(k / kernel) % ICG;
        if (spreads[std::size_t(transposed_ ? oc : oc / OCG * ICG + ic)])
            weights[k].nan_allowed = true;
    }
    return result;
}

} // namespace

std::unique_ptr<test_problem> make_convolution(const test_case &c) {
    return std::make_unique<convolution_problem>(c);
}

} // namespace conformance
