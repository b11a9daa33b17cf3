// SPDX-License-Identifier: Apache-2.0
// Eltwise forward and backward on rows of values (specification: "Eltwise").
#include "ref/eltwise_math.hpp"
#include "ref/function_plan.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// dst = f(src).
void forward(const eltwise_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const memory_desc &md = ctx.desc(DNNL_ARG_DST);
    const int dim = row_dimension(md);
    const tensor src(ctx, DNNL_ARG_SRC);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, dim);
    for_each_row(md, dim, 10.0, [&](const dims_t &position, dim_t count) {
        float x[row_length];
        src.read(x, position, dim, count);
        for (dim_t i = 0; i < count; ++i)
            x[i] = eltwise_forward(desc.alg, x[i], desc.alpha, desc.beta);
        finish.store(x, position, count);
    });
    finish.zero_dst_padding();
}

/// diff_src = diff_dst * f'(data).
void backward(const eltwise_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const memory_desc &md = ctx.desc(DNNL_ARG_DIFF_SRC);
    const int dim = row_dimension(md);
    const tensor data(ctx, desc.uses_dst() ? DNNL_ARG_DST : DNNL_ARG_SRC);
    const tensor diff_dst(ctx, DNNL_ARG_DIFF_DST), diff_src(ctx, DNNL_ARG_DIFF_SRC);
    for_each_row(md, dim, 10.0, [&](const dims_t &position, dim_t count) {
        float x[row_length], gradient[row_length];
        data.read(x, position, dim, count);
        diff_dst.read(gradient, position, dim, count);
        for (dim_t i = 0; i < count; ++i)
            gradient[i] = eltwise_backward(desc.alg, gradient[i], x[i], desc.alpha, desc.beta);
        diff_src.write(gradient, position, dim, count);
    });
    zero_padding(md, ctx.data(DNNL_ARG_DIFF_SRC));
}

} // namespace

planned make_eltwise(problem &p) {
    const auto &desc = std::get<eltwise_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst, &desc.data})) return why;
    if (is_forward(desc.prop)) {
        if (desc.src.dtype != desc.dst.dtype) return "src and dst differ in type";
        if (!desc.dst.is_any() && desc.src != desc.dst) return "src and dst differ in layout";
        return make_function_plan<eltwise_desc>(p, forward);
    }
    if (!is_float(desc.src.dtype) && !is_f8(desc.src.dtype))
        return "gradients are not f32, bf16, f16 or f8";
    if (desc.src.dtype != desc.dst.dtype || desc.src.dtype != desc.data.dtype)
        return "gradients and data differ in type";
    return make_function_plan<eltwise_desc>(p, backward);
}

} // namespace dnnl::impl::ref
