// SPDX-License-Identifier: Apache-2.0
// Reduction, softmax and log-softmax (specification: "Reduction", "Softmax"), in f64; results are
// rounded once.
#include "common/descriptors/elementwise.hpp"

#include <cfloat>
#include <cmath>

#include "ref/function_plan.hpp"

namespace dnnl::impl::ref {

namespace {

// ---- Reduction: sums, products and powers; max and min are NaN when an element is ----

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

void reduce(const reduction_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const tensor src(ctx, DNNL_ARG_SRC);
    const int dim = row_dimension(desc.src);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, dim);
    const dim_t reduced = reduced_count(desc);
    const bool integer = is_integer(desc.src.dtype) && is_integer(desc.dst.dtype) &&
                         !is_norm(desc.alg) && reduced > 0 && attr.post_ops.entries.empty();
    const double item_ns = 2.0 * static_cast<double>(reduced);
    finish.for_each_row(item_ns, [&](const dims_t &first, dim_t count) {
        double sums[row_length], row[row_length];
        std::fill_n(sums, count, neutral(desc.alg));
        reduced_box(desc.src, desc.dst, first, dim, count)
            .for_each_row(dim, [&](const dims_t &at, dim_t n) {
                src.read(row, at, dim, n);
                for (dim_t i = 0; i < n; ++i) {
                    double &sum = sums[is_reduced(desc, dim) ? 0 : i];
                    sum = combine(desc, sum, row[i]);
                }
            });
        float results[row_length];
        std::int32_t integers[row_length];
        for (dim_t i = 0; i < count; ++i) {
            const double y = finished(desc, sums[i], reduced);
            results[i] = static_cast<float>(y);
            integers[i] = f64_to_s32(y);
        }
        if (integer)
            finish.store(integers, first, count);
        else
            finish.store(results, first, count);
    });
}

// ---- Softmax and log-softmax ----

/// Calls body(vector) for each vector along the axis, in parallel.
template <class Body>
void for_each_vector(const memory_desc &md, int axis, double item_ns, const Body &body) {
    const dim_t length = md.dims[axis];
    box {md.ndims, {}, md.dims}.for_each_piece(axis, length, item_ns, [&](const dims_t &at, dim_t) {
        box vector {md.ndims, at, {}};
        vector.extents.fill(1);
        vector.extents[axis] = length;
        body(vector);
    });
}

/// dst = e^(src - max) / sum of these, or src - max - ln(sum).
void softmax(const softmax_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const int axis = desc.axis;
    const tensor src(ctx, DNNL_ARG_SRC);
    epilogue finish(ctx, attr, DNNL_ARG_DST, axis);
    finish.scale_by(tensor::scales(ctx, attr, DNNL_ARG_SRC));
    for_each_vector(desc.src, axis, 30.0, [&](const box &vector) {
        float x[row_length];
        const auto for_each_value = [&](const auto &body) {
            vector.for_each_row(axis, [&](const dims_t &at, dim_t count) {
                src.read(x, at, axis, count);
                for (dim_t i = 0; i < count; ++i) body(double {x[i]});
            });
        };
        double max = -std::numeric_limits<double>::infinity(), sum = 0;
        for_each_value([&](double s) { max = s > max ? s : max; });
        for_each_value([&](double s) { sum += std::exp(s - max); });
        const double log_sum = std::log(sum);
        vector.for_each_row(axis, [&](const dims_t &at, dim_t count) {
            src.read(x, at, axis, count);
            for (dim_t i = 0; i < count; ++i) {
                const double y = desc.alg == dnnl_softmax_log ? x[i] - max - log_sum
                                                              : std::exp(x[i] - max) / sum;
                x[i] = static_cast<float>(y);
            }
            finish.store(x, at, count);
        });
    });
    finish.zero_dst_padding();
}

/// diff_src = dst * (diff_dst - sum of dst * diff_dst), or diff_dst - e^dst * sum of diff_dst.
void softmax_gradient(const softmax_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const int axis = desc.axis;
    const tensor dst(ctx, DNNL_ARG_DST), diff_dst(ctx, DNNL_ARG_DIFF_DST);
    const tensor diff_src(ctx, DNNL_ARG_DIFF_SRC);
    const bool log = desc.alg == dnnl_softmax_log;
    for_each_vector(desc.dst, axis, 20.0, [&](const box &vector) {
        float d[row_length], dd[row_length];
        double sum = 0;
        vector.for_each_row(axis, [&](const dims_t &at, dim_t count) {
            dst.read(d, at, axis, count);
            diff_dst.read(dd, at, axis, count);
            for (dim_t i = 0; i < count; ++i) sum += log ? dd[i] : double {d[i]} * dd[i];
        });
        vector.for_each_row(axis, [&](const dims_t &at, dim_t count) {
            dst.read(d, at, axis, count);
            diff_dst.read(dd, at, axis, count);
            for (dim_t i = 0; i < count; ++i)
                d[i] = static_cast<float>(
                    log ? dd[i] - std::exp(double {d[i]}) * sum : d[i] * (dd[i] - sum));
            diff_src.write(d, at, axis, count);
        });
    });
    zero_padding(desc.src, ctx.data(DNNL_ARG_DIFF_SRC));
}

} // namespace

planned make_reduction(problem &p) {
    const auto &desc = std::get<reduction_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst})) return why;
    return make_function_plan(p, reduce);
}

planned make_softmax(problem &p) {
    const auto &desc = std::get<softmax_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst, &desc.data}, common_types))
        return why;
    if (desc.src.dtype == data_type::s32 || desc.dst.dtype == data_type::s32)
        return "s32 tensors are not supported";
    if (is_forward(desc.prop)) return make_function_plan(p, softmax);
    for (const memory_desc *md : {&desc.src, &desc.dst, &desc.data})
        if (!is_float(md->dtype)) return "gradients and dst are not f32, bf16 or f16";
    return make_function_plan(p, softmax_gradient);
}

} // namespace dnnl::impl::ref
