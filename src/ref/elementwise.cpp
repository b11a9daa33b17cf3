// SPDX-License-Identifier: Apache-2.0
// Operations element by element, reductions and softmax (specification: "Eltwise", "Binary",
// "PReLU", "Reduction", "Softmax"). The last two compute in f64 and round results once.
#include "common/descriptors/mappings/mappings.hpp"

#include <cfloat>
#include <cmath>

#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

// ---- Eltwise ----

/// dst = f(src), or diff_src = diff_dst * f'(data).
void eltwise(const eltwise_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const bool forward = is_forward(desc.prop);
    const int result_arg = forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    const int dim = row_dimension(ctx.desc(result_arg));
    const tensor data(ctx, !forward && desc.uses_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC);
    const tensor diff_dst(ctx, DNNL_ARG_DIFF_DST);
    const epilogue finish(ctx, attr, result_arg, dim);
    finish.for_each_row(10.0, [&](const dims_t &at, dim_t count) {
        float x[row_length], gradient[row_length];
        data.read(x, at, dim, count);
        if (!forward) diff_dst.read(gradient, at, dim, count);
        for (dim_t i = 0; i < count; ++i)
            x[i] = forward ? eltwise_forward(desc.alg, x[i], desc.alpha, desc.beta)
                           : eltwise_backward(desc.alg, gradient[i], x[i], desc.alpha, desc.beta);
        finish.store(x, at, count);
    });
}

// ---- Binary ----

/// True for algorithms that neither round nor leave the range of their operands.
bool keeps_integers(dnnl_alg_kind_t alg) {
    return alg != dnnl_binary_add && alg != dnnl_binary_sub && alg != dnnl_binary_mul &&
           alg != dnnl_binary_div;
}

/// dst = alg(scale0 * src0, scale1 * src1), or for select src2 != 0 ? scale0 * src0 : scale1 *
/// src1. Value is float; std::int32_t where integers pass unchanged; double for f64 tensors.
template <class Value>
void binary(const binary_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const int dim = row_dimension(ctx.desc(DNNL_ARG_DST));
    const tensor src0(ctx, DNNL_ARG_SRC_0), src1(ctx, DNNL_ARG_SRC_1), src2(ctx, DNNL_ARG_SRC_2);
    const float scale0 = tensor::common_scale(ctx, attr, DNNL_ARG_SRC_0);
    const float scale1 = tensor::common_scale(ctx, attr, DNNL_ARG_SRC_1);
    const tensor dst(ctx, DNNL_ARG_DST);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, dim);
    finish.for_each_row(4.0, [&](const dims_t &at, dim_t count) {
        Value a[row_length], b[row_length];
        std::int32_t condition[row_length];
        src0.read(a, at, dim, count);
        src1.read(b, at, dim, count);
        if (src2) src2.read(condition, at, dim, count);
        for (dim_t i = 0; i < count; ++i) {
            if constexpr (!std::is_same_v<Value, std::int32_t>) {
                a[i] *= scale0;
                b[i] *= scale1;
            }
            if (desc.alg == dnnl_binary_select)
                a[i] = condition[i] != 0 ? a[i] : b[i];
            else
                a[i] = binary_value(desc.alg, a[i], b[i]);
        }
        if constexpr (std::is_same_v<Value, double>)
            dst.write(a, at, dim, count);
        else
            finish.store(a, at, count);
    });
}

// ---- PReLU ----

/// a * b, rounded to f32 (to f64 for f64 tensors).
float multiplied(float a, float b) { return a * b; }
double multiplied(double a, double b) { return a * b; }
std::int32_t multiplied(std::int32_t a, float b) { return f32_to_s32(static_cast<float>(a) * b); }

/// result = src > 0 ? x : x * weights, where x is an argument with src's dims. With integer tensors
/// the weights are f32, and integers above 0 stay as they are.
template <class Value> void scale_negative(const exec_context &ctx, int x_arg, int result_arg) {
    const int dim = row_dimension(ctx.desc(result_arg));
    const tensor src(ctx, DNNL_ARG_SRC), weights(ctx, DNNL_ARG_WEIGHTS);
    const tensor x(ctx, x_arg), result(ctx, result_arg);
    for_each_output_row(ctx, result_arg, dim, 3.0, [&](const dims_t &at, dim_t count) {
        Value s[row_length], y[row_length];
        std::conditional_t<std::is_same_v<Value, double>, double, float> w[row_length];
        src.read(s, at, dim, count);
        x.read(y, at, dim, count);
        weights.read(w, at, dim, count);
        for (dim_t i = 0; i < count; ++i)
            if (!(s[i] > 0)) y[i] = multiplied(y[i], w[i]);
        result.write(y, at, dim, count);
    });
}

/// diff_weights = sum over broadcast dimensions of min(src, 0) * diff_dst, in f64, rounded once.
void sum_weights(const prelu_desc &desc, const exec_context &ctx) {
    const int dim = row_dimension(desc.src);
    const tensor src(ctx, DNNL_ARG_SRC), diff_dst(ctx, DNNL_ARG_DIFF_DST);
    const tensor diff_weights(ctx, DNNL_ARG_DIFF_WEIGHTS);
    const bool summed = desc.weights.dims[dim] != desc.src.dims[dim];
    const auto sum_row = [&](const dims_t &first, dim_t count) {
        double sums[row_length] = {}, s[row_length], dd[row_length];
        reduced_box(desc.src, desc.weights, first, dim, count)
            .for_each_row(dim, [&](const dims_t &at, dim_t n) {
                src.read(s, at, dim, n);
                diff_dst.read(dd, at, dim, n);
                for (dim_t i = 0; i < n; ++i)
                    if (!(s[i] > 0)) sums[summed ? 0 : i] += s[i] * dd[i];
            });
        diff_weights.write(sums, first, dim, count);
    };
    for_each_output_row(ctx, DNNL_ARG_DIFF_WEIGHTS, dim, 10.0, sum_row);
}

template <class Value>
void prelu(const prelu_desc &desc, const primitive_attr &, const exec_context &ctx) {
    if (is_forward(desc.prop)) return scale_negative<Value>(ctx, DNNL_ARG_SRC, DNNL_ARG_DST);
    sum_weights(desc, ctx); // first, since diff_src may be the memory of diff_dst
    scale_negative<Value>(ctx, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC);
}

// ---- Reduction: sums, products and powers; max and min are NaN when an element is ----

/// The value that combine() starts from: combined with x it gives x.
double neutral(dnnl_alg_kind_t alg) {
    switch (alg) {
    case dnnl_reduction_max: return -std::numeric_limits<double>::infinity();
    case dnnl_reduction_min: return std::numeric_limits<double>::infinity();
    case dnnl_reduction_mul: return 1;
    default: return 0;
    }
}

/// Bounds a product, so that it stays finite and a zero among huge integers gives zero.
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
    case dnnl_reduction_mean: return sum / double(count);
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
    const double item_ns = 2.0 * double(reduced);
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

planned make_eltwise(problem &p) {
    const auto &desc = std::get<eltwise_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst, &desc.data})) return why;
    if (is_forward(desc.prop)) {
        if (desc.src.dtype != desc.dst.dtype) return "src and dst differ in type";
        if (!desc.dst.is_any() && desc.src != desc.dst) return "src and dst differ in layout";
        return make_function_plan(p, eltwise);
    }
    if (!is_float(desc.src.dtype) && !is_f8(desc.src.dtype))
        return "gradients are not f32, bf16, f16 or f8";
    if (desc.src.dtype != desc.dst.dtype || desc.src.dtype != desc.data.dtype)
        return "gradients and data differ in type";
    return make_function_plan(p, eltwise);
}

planned make_binary(problem &p) {
    const auto &desc = std::get<binary_desc>(p.op);
    if (const char *why = common_refusal(
            p.attr, {&desc.src0, &desc.src1, &desc.src2, &desc.dst}, common_types_f8_and_f64))
        return why;
    const auto is_f64 = [](const memory_desc &md) { return md.dtype == data_type::f64; };
    if (is_f64(desc.src0) || is_f64(desc.src1) || is_f64(desc.dst)) {
        if (!is_f64(desc.src0) || !is_f64(desc.src1) || !is_f64(desc.dst))
            return "f64 together with another type";
        if (!p.attr.post_ops.entries.empty()) return "post-ops on f64 tensors";
        return make_function_plan(p, binary<double>);
    }
    const bool integer = is_integer(desc.src0.dtype) && is_integer(desc.src1.dtype) &&
                         keeps_integers(desc.alg) && p.attr.scales.empty();
    return make_function_plan(p, integer ? binary<std::int32_t> : binary<float>);
}

planned make_prelu(problem &p) {
    const auto &desc = std::get<prelu_desc>(p.op);
    if (const char *why = common_refusal(p.attr,
            {&desc.src, &desc.weights, &desc.dst, &desc.diff_src, &desc.diff_weights},
            common_types_f8_and_f64))
        return why;
    if (desc.src.dtype == data_type::f64) return make_function_plan(p, prelu<double>);
    return make_function_plan(p, is_integer(desc.src.dtype) ? prelu<std::int32_t> : prelu<float>);
}

planned make_reduction(problem &p) {
    const auto &desc = std::get<reduction_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst})) return why;
    return make_function_plan(p, reduce);
}

planned make_softmax(problem &p) {
    const auto &desc = std::get<softmax_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst, &desc.data})) return why;
    if (desc.src.dtype == data_type::s32 || desc.dst.dtype == data_type::s32)
        return "s32 tensors are not supported";
    if (is_forward(desc.prop)) return make_function_plan(p, softmax);
    for (const memory_desc *md : {&desc.src, &desc.dst, &desc.data})
        if (!is_float(md->dtype)) return "gradients and dst are not f32, bf16 or f16";
    return make_function_plan(p, softmax_gradient);
}

} // namespace dnnl::impl::ref
