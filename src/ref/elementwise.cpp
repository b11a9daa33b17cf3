// SPDX-License-Identifier: Apache-2.0
// Operations element by element (specification: "Eltwise", "Binary", "PReLU").
#include "common/descriptors/elementwise.hpp"
#include "ref/function_plan.hpp"

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

/// dst = alg(scale0 * src0, scale1 * src1), or src2 != 0 ? src0 : src1 with these scales. Value is
/// float, or std::int32_t where integers pass unchanged, or double for f64 tensors.
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

/// a * b in f32 (f64 for f64), back in the type of computation.
float multiplied(float a, float b) { return a * b; }
double multiplied(double a, double b) { return a * b; }
std::int32_t multiplied(std::int32_t a, float b) { return f32_to_s32(static_cast<float>(a) * b); }

/// result = src > 0 ? x : x * weights, x an argument with src's dims. With integer tensors the
/// weights are f32; integers above 0 stay as they are.
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

/// diff_weights = sum over the broadcast dimensions of min(src, 0) * diff_dst, in f64, rounded
/// once.
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

} // namespace dnnl::impl::ref
