// SPDX-License-Identifier: Apache-2.0
// PReLU, forward and gradients (specification: "PReLU"). The gradient of the weights is summed in
// f64 and rounded once.
#include "common/descriptors/elementwise.hpp"

#include "ref/function_plan.hpp"
#include "ref/reduced_dimensions.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// a * b in f32 (f64 for f64), back in the type of computation.
float multiplied(float a, float b) { return a * b; }
double multiplied(double a, double b) { return a * b; }
std::int32_t multiplied(std::int32_t a, float b) { return f32_to_s32(static_cast<float>(a) * b); }

/// With integer tensors the weights are f32; integers above 0 stay as they are.
template <class Value> struct weight_of { using type = Value; };
template <> struct weight_of<std::int32_t> { using type = float; };

/// result = src > 0 ? x : x * weights, x an argument with src's dims.
template <class Value> void scale_negative(const exec_context &ctx, int x_arg, int result_arg) {
    using Weight = typename weight_of<Value>::type;
    const memory_desc &md = ctx.desc(result_arg);
    const int dim = row_dimension(md);
    const tensor src(ctx, DNNL_ARG_SRC), weights(ctx, DNNL_ARG_WEIGHTS);
    const tensor x(ctx, x_arg), result(ctx, result_arg);
    for_each_row(md, dim, 3.0, [&](const dims_t &at, dim_t count) {
        Value s[row_length], y[row_length];
        Weight w[row_length];
        src.read(s, at, dim, count);
        x.read(y, at, dim, count);
        weights.read(w, at, dim, count);
        for (dim_t i = 0; i < count; ++i)
            if (!(s[i] > 0)) y[i] = multiplied(y[i], w[i]);
        result.write(y, at, dim, count);
    });
    zero_padding(md, ctx.data(result_arg));
}

/// diff_weights = sum over the broadcast dimensions of min(src, 0) * diff_dst.
void sum_weights(const prelu_desc &desc, const exec_context &ctx) {
    const int dim = row_dimension(desc.src);
    const tensor src(ctx, DNNL_ARG_SRC), diff_dst(ctx, DNNL_ARG_DIFF_DST);
    const tensor diff_weights(ctx, DNNL_ARG_DIFF_WEIGHTS);
    const bool summed = desc.weights.dims[dim] != desc.src.dims[dim];
    for_each_row(desc.diff_weights, dim, 10.0, [&](const dims_t &start, dim_t count) {
        double sums[row_length] = {}, s[row_length], dd[row_length];
        for_each_reduced(desc.src, desc.weights, start, dim, [&](dims_t at) {
            const dim_t length = summed ? desc.src.dims[dim] : count;
            for (dim_t x = 0; x < length; x += row_length) {
                const dim_t n = std::min(row_length, length - x);
                if (summed) at[dim] = x;
                src.read(s, at, dim, n);
                diff_dst.read(dd, at, dim, n);
                for (dim_t i = 0; i < n; ++i)
                    if (!(s[i] > 0)) sums[summed ? 0 : i] += s[i] * dd[i];
            }
        });
        diff_weights.write(sums, start, dim, count);
    });
    zero_padding(desc.diff_weights, ctx.data(DNNL_ARG_DIFF_WEIGHTS));
}

template <class Value>
void forward(const prelu_desc &, const primitive_attr &, const exec_context &ctx) {
    scale_negative<Value>(ctx, DNNL_ARG_SRC, DNNL_ARG_DST);
}
template <class Value>
void backward(const prelu_desc &desc, const primitive_attr &, const exec_context &ctx) {
    sum_weights(desc, ctx); // before diff_src may take diff_dst's place
    scale_negative<Value>(ctx, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC);
}

template <class Value> planned plan_for(problem &p) {
    const bool is_fwd = is_forward(std::get<prelu_desc>(p.op).prop);
    return make_function_plan<prelu_desc>(p, is_fwd ? forward<Value> : backward<Value>);
}

} // namespace

planned make_prelu(problem &p) {
    const auto &desc = std::get<prelu_desc>(p.op);
    if (const char *why = common_refusal(p.attr,
            {&desc.src, &desc.weights, &desc.dst, &desc.diff_src, &desc.diff_weights},
            common_types_f8_and_f64))
        return why;
    if (desc.src.dtype == data_type::f64) return plan_for<double>(p);
    return is_integer(desc.src.dtype) ? plan_for<std::int32_t>(p) : plan_for<float>(p);
}

} // namespace dnnl::impl::ref
