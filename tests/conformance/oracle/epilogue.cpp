// SPDX-License-Identifier: Apache-2.0
// Post-ops, destination scale and zero point on intervals.
#include "oracle/eltwise_formulas.hpp"
#include "oracle/problem.hpp"

#include <cmath>
#include <cstdint>

namespace conformance {
namespace {

// The value that the bytes of an element mean in another type of the same size.
double reinterpreted(data_type from, data_type to, double value) {
    if (to == data_type::undef || to == from) return value;
    std::uint64_t bytes = 0;
    store(from, value, &bytes);
    return load(to, &bytes);
}

} // namespace

epilogue::epilogue(const test_problem &problem, const tensor_map &in, int dst_argument)
    : epilogue(problem, in, dst_argument, 0, std::size_t(-1), dst_argument) {}

epilogue::epilogue(const test_problem &problem, const tensor_map &in, int dst_argument,
    std::size_t begin, std::size_t end, int scaled)
    : chain_(post_ops_of(problem.line["attr-post-ops"])), in_(in), dst_argument_(dst_argument),
      begin_(begin), end_(std::min(end, chain_.size())), dst_(problem, in, scaled),
      dropout_(dropout_of(problem.line["attr-dropout"])),
      rounding_(rounding_of(problem.line["attr-rounding-mode"])),
      dst_type_(problem.spec(dst_argument).type) {
    if (!dropout_.on && rounding_.arguments.empty()) return;
    const tensor_spec &dst = problem.spec(dst_argument);
    placed_ =
        std::make_shared<layout>(dst.concrete.is_zero() ? dst.requested : dst.concrete, dst.bytes);
}

interval epilogue::drop_out(interval x, const dims &position, interval &mask) const {
    const bool kept = is_kept(dropout_, offset(position));
    mask = exact_integer(kept);
    return kept ? multiply(x, double(kept_factor(dropout_))) : interval(0);
}

interval epilogue::sum_step(const post_op &op, const interval &x, const dims &position) const {
    const tensor &previous = in_.at(dst_argument_);
    const double before = reinterpreted(previous.type, op.type, previous.at(position));
    return add(x, multiply(subtract(before, double(op.zero_point)), double(op.scale)));
}

interval epilogue::finish(interval x, const dims &position) const {
    for (std::size_t i = begin_; i < end_; ++i) {
        const post_op &op = chain_[i];
        dnnl::algorithm alg = dnnl::algorithm::undef;
        if (op.kind == post_op::sum)
            x = sum_step(op, x, position);
        else if (op.kind == post_op::eltwise) {
            eltwise_named(op.name, alg);
            x = eltwise_forward(alg, x, op.alpha, op.beta);
        } else if (op.kind == post_op::prelu) {
            const int argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(int(i)) | DNNL_ARG_WEIGHTS;
            const auto slope = float(in_.at(argument).at(position));
            x = eltwise_forward(dnnl::algorithm::eltwise_relu, x, slope, 0);
        } else {
            binary_named(op.name, alg);
            const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(int(i));
            const double other = in_.at(base | DNNL_ARG_SRC_1).at(position);
            if (op.name != "select")
                x = binary_result(alg, x, other);
            else // what is kept is f32 by then, as an exact sum beyond 2^24 need not be
                x = in_.at(base | DNNL_ARG_SRC_2).at(position) == 0 ? interval(other) : add(x, 0.0);
        }
    }
    if (dst_.has_scale()) {
        const double scale = dst_.scale(position);
        x = united(multiply(x, 1 / scale), divide(x, scale));
    }
    if (dst_.has_zero_point()) x = add(x, dst_.zero_point(position));
    if (!rounding_.arguments.empty())
        x = rounded_at_random(x, dst_type_, offset(position), rounding_.seed);
    return x;
}

} // namespace conformance
