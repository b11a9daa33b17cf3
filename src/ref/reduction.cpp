// SPDX-License-Identifier: Apache-2.0
// Reduction (specification: "Reduction"), in f64: sums, products and powers of all types; what is
// left is rounded once. max and min are NaN when an element is.
#include "common/descriptors/elementwise.hpp"

#include <cfloat>
#include <cmath>

#include "ref/function_plan.hpp"
#include "ref/reduced_dimensions.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// The value of nothing, which combine() starts from.
double neutral(dnnl_alg_kind_t alg) {
    switch (alg) {
    case dnnl_reduction_max: return -std::numeric_limits<double>::infinity();
    case dnnl_reduction_min: return std::numeric_limits<double>::infinity();
    case dnnl_reduction_mul: return 1;
    default: return 0;
    }
}

/// A product stays finite, so that a zero among huge integers gives zero.
double bounded(double x) { return x > 1e300 ? 1e300 : x < -1e300 ? -1e300 : x; }

double combine(const reduction_desc &desc, double sum, double x) {
    switch (desc.alg) {
    case dnnl_reduction_max: return x > sum || std::isnan(x) ? x : sum;
    case dnnl_reduction_min: return x < sum || std::isnan(x) ? x : sum;
    case dnnl_reduction_mul: return is_integer(desc.src.dtype) ? bounded(sum * x) : sum * x;
    case dnnl_reduction_sum:
    case dnnl_reduction_mean: return sum + x;
    default: return sum + std::pow(std::fabs(x), desc.p);
    }
}

/// NaN stays NaN.
double at_least(double x, double low) { return x < low ? low : x; }

double finished(const reduction_desc &desc, double sum, dim_t count) {
    switch (desc.alg) {
    case dnnl_reduction_max: return count > 0 ? sum : -FLT_MAX;
    case dnnl_reduction_min: return count > 0 ? sum : FLT_MAX;
    case dnnl_reduction_mean: return sum / static_cast<double>(count);
    case dnnl_reduction_norm_lp_max: return std::pow(at_least(sum, desc.epsilon), 1.0 / desc.p);
    case dnnl_reduction_norm_lp_sum: return std::pow(sum + desc.epsilon, 1.0 / desc.p);
    case dnnl_reduction_norm_lp_power_p_max: return at_least(sum, desc.epsilon);
    case dnnl_reduction_norm_lp_power_p_sum: return sum + desc.epsilon;
    default: return sum;
    }
}

/// Sums of the outputs at, ..., at + count - 1 along `dim`; when `dim` is reduced: of one output.
void reduce(const reduction_desc &desc, const tensor &src, int dim, const dims_t &at, dim_t count,
    double *sums) {
    double row[row_length];
    std::fill_n(sums, count, neutral(desc.alg));
    for_each_reduced(desc.src, desc.dst, at, dim, [&](dims_t position) {
        if (!is_reduced(desc, dim)) {
            src.read(row, position, dim, count);
            for (dim_t i = 0; i < count; ++i) sums[i] = combine(desc, sums[i], row[i]);
            return;
        }
        for (dim_t x = 0; x < desc.src.dims[dim]; x += row_length) {
            const dim_t n = std::min(row_length, desc.src.dims[dim] - x);
            position[dim] = x;
            src.read(row, position, dim, n);
            for (dim_t i = 0; i < n; ++i) sums[0] = combine(desc, sums[0], row[i]);
        }
    });
}

void forward(const reduction_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const tensor src(ctx, DNNL_ARG_SRC);
    const int dim = row_dimension(desc.src);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, dim);
    const dim_t count = reduced_count(desc);
    const bool integer = is_integer(desc.src.dtype) && is_integer(desc.dst.dtype) &&
                         !is_norm(desc.alg) && count > 0 && attr.post_ops.entries.empty();
    const double item_ns = 2.0 * static_cast<double>(count);
    for_each_row(desc.dst, dim, item_ns, [&](const dims_t &at, dim_t n) {
        double sums[row_length];
        reduce(desc, src, dim, at, n, sums);
        float results[row_length];
        std::int32_t integers[row_length];
        for (dim_t i = 0; i < n; ++i) {
            const double y = finished(desc, sums[i], count);
            results[i] = static_cast<float>(y);
            integers[i] = f64_to_s32(y);
        }
        if (integer)
            finish.store(integers, at, n);
        else
            finish.store(results, at, n);
    });
    finish.zero_dst_padding();
}

} // namespace

planned make_reduction(problem &p) {
    const auto &desc = std::get<reduction_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst})) return why;
    return make_function_plan<reduction_desc>(p, forward);
}

} // namespace dnnl::impl::ref
