// SPDX-License-Identifier: Apache-2.0
// Post-ops, destination scale and zero point on intervals.
#include "eltwise_formulas.hpp"
#include "problem.hpp"

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
    : chain_(post_ops_of(problem.line["attr-post-ops"])), in_(in), dst_argument_(dst_argument),
      dst_(problem, in, dst_argument) {}

interval epilogue::sum_step(const post_op &op, const interval &x, const dims &position) const {
    const tensor &previous = in_.at(dst_argument_);
    const double before = reinterpreted(previous.type, op.type, previous.at(position));
    return add(x, multiply(subtract(before, double(op.zero_point)), double(op.scale)));
}

interval epilogue::finish(interval x, const dims &position) const {
    for (std::size_t i = 0; i < chain_.size(); ++i) {
        const post_op &op = chain_[i];
        dnnl::algorithm alg = dnnl::algorithm::undef;
        if (op.kind == post_op::sum)
            x = sum_step(op, x, position);
        else if (op.kind == post_op::eltwise) {
            eltwise_named(op.name, alg);
            x = eltwise_forward(alg, x, op.alpha, op.beta);
        } else {
            binary_named(op.name, alg);
            const int argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(int(i)) | DNNL_ARG_SRC_1;
            x = binary_result(alg, x, in_.at(argument).at(position));
        }
    }
    if (dst_.has_scale()) {
        const double scale = dst_.scale(position);
        const interval by_reciprocal = multiply(x, 1 / scale);
        const interval by_division = divide(x, scale);
        x = by_reciprocal;
        x.low = std::min(x.low, by_division.low);
        x.high = std::max(x.high, by_division.high);
    }
    if (dst_.has_zero_point()) x = add(x, dst_.zero_point(position));
    return x;
}

} // namespace conformance
