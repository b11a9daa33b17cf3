// SPDX-License-Identifier: Apache-2.0
#include "cpu/gemm/zero_points.hpp"

#include <algorithm>

#include "common/descriptors/describe.hpp"
#include "common/layout/data_type.hpp"
#include "common/verbose/verbose.hpp"
#include "dnnl/dnnl_debug.h"

namespace dnnl::impl::cpu {

namespace {

struct bounds {
    double least, largest;
};

/// The least and the largest number of the type.
bounds bounds_of(data_type type) {
    switch (type) {
    case data_type::u8: return {0, 255};
    case data_type::s8: return {-128, 127};
    case data_type::u4: return {0, 15};
    case data_type::s4: return {-8, 7};
    default: return {INT32_MIN, INT32_MAX};
    }
}

/// The least and the largest zero point that an execution brings.
bounds bounds_of(const exec_context &ctx, int arg) {
    const memory_desc &md = ctx.desc(arg);
    const void *values = ctx.in<void>(arg);
    const dim_t first = md.offset0, count = md.nelems();
    if (count == 0) return {0, 0};
    bounds all {INT32_MAX, INT32_MIN};
    for (dim_t i = first; i < first + count; ++i) {
        const double x = load_as<s32>(md.dtype, values, i);
        all = {std::min(all.least, x), std::max(all.largest, x)};
    }
    return all;
}

} // namespace

bool is_byte(data_type type, s32 value) {
    const bounds of_type = bounds_of(type);
    return value >= of_type.least && value <= of_type.largest;
}

void zero_point_reference::execute(const exec_context &ctx, int arg) const {
    if (verbose::wants(verbose::check))
        verbose::argument_reread(dnnl_prim_kind2str(kind_of(plan_.op())),
            text_of(DNNL_ARG_ATTR_ZERO_POINTS | arg),
            "beyond the numbers of a byte: the reference computes this execution");
    plan_.execute(ctx, ctx.arguments());
}

zero_points_guard::zero_points_guard(problem &p, data_type a, data_type b, dim_t length)
    : length_(double(length)) {
    const auto operand_of = [&](int arg, data_type type) {
        const bounds values = bounds_of(type);
        operand o {arg, values.least, values.largest};
        if (const quantization *q = p.attr.zero_points.find(arg)) o.zero_points = q->dtype;
        return o;
    };
    operands_[0] = operand_of(DNNL_ARG_SRC, a);
    operands_[1] = operand_of(DNNL_ARG_WEIGHTS, b);
    if (operands_[0].zero_points == data_type::undef &&
        operands_[1].zero_points == data_type::undef)
        return;
    reads_values_ =
        length_ * reach_of(operands_[0], nullptr) * reach_of(operands_[1], nullptr) > INT32_MAX;
    if (reads_values_) reference_ = zero_point_reference(p);
}

/// The largest distance of an element from its zero point. Without an execution the type of the
/// zero points bounds them.
double zero_points_guard::reach_of(const operand &o, const exec_context *ctx) const {
    if (o.zero_points == data_type::undef) return std::max(-o.least, o.largest);
    const bounds z =
        ctx ? bounds_of(*ctx, DNNL_ARG_ATTR_ZERO_POINTS | o.arg) : bounds_of(o.zero_points);
    return std::max(o.largest - z.least, z.largest - o.least);
}

bool zero_points_guard::executes(const exec_context &ctx) const {
    if (!reads_values_) return false;
    const double src = reach_of(operands_[0], &ctx), weights = reach_of(operands_[1], &ctx);
    if (length_ * src * weights <= INT32_MAX) return false;
    reference_.execute(ctx, src > 255 ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS);
    return true;
}

} // namespace dnnl::impl::cpu
