// SPDX-License-Identifier: Apache-2.0
// Resampling forward and backward, bounds of doc/numerics.md.
#include "language/spatial.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

#include <cmath>

namespace conformance {
namespace {

struct tap {
    dim input;
    double weight;
};

class resampling_problem : public test_problem {
  public:
    explicit resampling_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    std::vector<tap> taps_of(dim o, dim I, dim O) const;
    template <class Body> void for_each_tap(const dims &o, const Body &body) const;
    interval forward(const tensor &src, const dims &o) const;
    void backward(const tensor &diff_dst, std::vector<interval> &diff_src) const;
    bool is_exact(const accumulator &sum) const { return dyadic_ && sum.is_exact(); }
    interval bounded(const accumulator &sum, double total) const;

    bool forward_, linear_;
    bool dyadic_ = true; // all weights are multiples of 1/16, so that sums may be exact
    dims src_, dst_;
    data_type src_type_, dst_type_;
};

resampling_problem::resampling_problem(const test_case &c)
    : test_problem(c), forward_(is_forward(c["dir"])), linear_(c["alg"] == "linear"),
      src_type_(type_named(c["sdt"])), dst_type_(type_named(c["ddt"])) {
    if (!forward_ && c["dir"] != "BWD_D")
        throw skipped_case("Invalid case: this direction does not exist");
    const auto entries = descriptor_of(c.bare_problem(), c.what->keys);
    const dims in = extents_of(entries, 'i'), out = extents_of(entries, 'o');
    if (in.empty() || in.size() != out.size())
        throw usage_error("input and output extents must be given together");
    const dim mb = integer_of(c["mb"], "mb");
    src_ = {mb > 0 ? mb : entries.get("mb", 2), entries.get("ic", 0)};
    if (!entries.has("ic")) throw usage_error("the channels are mandatory");
    dst_ = src_;
    src_.insert(src_.end(), in.begin(), in.end());
    dst_.insert(dst_.end(), out.begin(), out.end());
    for (std::size_t d = 0; d < in.size(); ++d)
        for (dim o = 0; o < out[d] && in[d] > 0; ++o)
            for (const tap &t : taps_of(o, in[d], out[d]))
                dyadic_ &= t.weight * 16 == std::floor(t.weight * 16);
    if (forward_) {
        add_tensor(DNNL_ARG_SRC, "src", src_, src_type_, c["tag"], role::input).accumulates =
            linear_;
        add_tensor(DNNL_ARG_DST, "dst", dst_, dst_type_, "any", role::output);
        add_attribute_tensors(DNNL_ARG_DST);
        return;
    }
    add_tensor(DNNL_ARG_DIFF_SRC, "diff_src", src_, src_type_, c["tag"], role::output);
    add_tensor(DNNL_ARG_DIFF_DST, "diff_dst", dst_, dst_type_, "any", role::input).accumulates =
        true;
    add_attribute_tensors(DNNL_ARG_DIFF_SRC);
}

dnnl::primitive_desc_base resampling_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    const auto alg =
        linear_ ? dnnl::algorithm::resampling_linear : dnnl::algorithm::resampling_nearest;
    if (forward_)
        return dnnl::resampling_forward::primitive_desc(engine,
            line["dir"] == "FWD_I" ? dnnl::prop_kind::forward_inference
                                   : dnnl::prop_kind::forward_training,
            alg, desc(DNNL_ARG_SRC), desc(DNNL_ARG_DST), attr);
    const dnnl::resampling_forward::primitive_desc hint(engine, dnnl::prop_kind::forward_training,
        alg, desc(DNNL_ARG_DIFF_SRC), desc(DNNL_ARG_DIFF_DST));
    return dnnl::resampling_backward::primitive_desc(
        engine, alg, desc(DNNL_ARG_DIFF_SRC), desc(DNNL_ARG_DIFF_DST), hint, attr);
}

// The elements along one dimension that output o is made of; both ends of a clamped pair are one.
std::vector<tap> resampling_problem::taps_of(dim o, dim I, dim O) const {
    if (!linear_) return {{std::min(I - 1, (2 * o + 1) * I / (2 * O)), 1.0}};
    const double x = double((2 * o + 1) * I - O) / double(2 * O), low = std::floor(x);
    const dim first = std::max(dim(low), dim(0)), second = std::min(dim(std::ceil(x)), I - 1);
    if (first == second) return {{first, 1.0}};
    return {{first, 1 - (x - low)}, {second, x - low}};
}

// body(source position, weight) for everything that the output at `o` is made of.
template <class Body> void resampling_problem::for_each_tap(const dims &o, const Body &body) const {
    std::vector<std::vector<tap>> taps;
    dims counts;
    for (std::size_t d = 2; d < o.size(); ++d) {
        taps.push_back(taps_of(o[d], src_[d], dst_[d]));
        counts.push_back(dim(taps.back().size()));
    }
    dims choice(counts.size(), 0), position = o;
    do {
        double weight = 1;
        for (std::size_t d = 0; d < choice.size(); ++d) {
            const tap &t = taps[d][std::size_t(choice[d])];
            position[d + 2] = t.input;
            weight *= t.weight;
        }
        body(position, weight);
    } while (next_position(choice, counts));
}

// 8 u sum of w |x| for the products, and 2 u for the coefficients.
interval resampling_problem::bounded(const accumulator &sum, double total) const {
    if (is_exact(sum) || !std::isfinite(total)) return total;
    return interval(total, 10 * u32 * sum.magnitude() + 1e-44);
}

interval resampling_problem::forward(const tensor &src, const dims &o) const {
    accumulator sum;
    double total = 0;
    for_each_tap(o, [&](const dims &position, double weight) {
        sum.add(src.at(position) * weight);
        total += src.at(position) * weight;
    });
    if (linear_) return bounded(sum, total);
    interval copy(total);
    copy.integer = is_integer(src_type_) && is_integer(dst_type_);
    return copy;
}

void resampling_problem::backward(const tensor &diff_dst, std::vector<interval> &diff_src) const {
    const tensor index_of(src_, src_type_);
    std::vector<accumulator> sums(index_of.values.size());
    if (!diff_dst.values.empty() && !sums.empty()) {
        dims o(dst_.size(), 0);
        std::size_t next = 0;
        do {
            const double gradient = diff_dst.values[next++];
            for_each_tap(o, [&](const dims &position, double weight) {
                sums[index_of.index(position)].add(weight * gradient);
            });
        } while (next_position(o, dst_));
    }
    for (const accumulator &sum : sums) {
        const interval total = sum.in_f32();
        const bool inexact = linear_ && !is_exact(sum) && std::isfinite(sum.magnitude());
        diff_src.push_back(inexact ? widened(total, 10 * u32 * sum.magnitude()) : total);
        diff_src.back().any_allowed |= total.any_allowed;
    }
}

expectation_map resampling_problem::expected(const tensor_map &in) const {
    expectation_map out;
    if (!forward_) {
        backward(in.at(DNNL_ARG_DIFF_DST), out[DNNL_ARG_DIFF_SRC]);
        return out;
    }
    auto &dst = out[DNNL_ARG_DST];
    if (product(dst_) == 0) return out;
    const tensor &src = in.at(DNNL_ARG_SRC);
    const epilogue last(*this, in, DNNL_ARG_DST);
    dims o(dst_.size(), 0);
    do dst.push_back(last.finish(forward(src, o), o));
    while (next_position(o, dst_));
    return out;
}

} // namespace

std::unique_ptr<test_problem> make_resampling(const test_case &c) {
    return std::make_unique<resampling_problem>(c);
}

} // namespace conformance
