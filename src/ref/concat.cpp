// SPDX-License-Identifier: Apache-2.0
// Concat (specification: "Concat"): the sources one after the other along an axis, each with an
// optional scale.
#include "common/descriptors/movement.hpp"

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// dst[..., start + x, ...] = scale * src[..., x, ...].
template <class Value>
void copy(const memory_desc &md, const tensor &src, const tensor &dst, int axis, dim_t start,
    float scale) {
    const int dim = row_dimension(md);
    for_each_row(md, dim, 2.0, [&](dims_t position, dim_t count) {
        Value x[row_length];
        src.read(x, position, dim, count);
        if (scale != 1)
            for (dim_t i = 0; i < count; ++i) x[i] = static_cast<Value>(x[i] * scale);
        position[axis] += start;
        dst.write(x, position, dim, count);
    });
}

/// f64 stays f64 and integers stay integers when nothing scales them; all else passes through f32.
void concat(const concat_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const memory_desc &dst_md = ctx.desc(DNNL_ARG_DST);
    const tensor dst(dst_md, ctx.data(DNNL_ARG_DST));
    dim_t start = 0;
    for (std::size_t i = 0; i < desc.srcs.size(); ++i) {
        const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i);
        const memory_desc &md = desc.srcs[i];
        const tensor src(ctx, arg);
        const tensor scale =
            tensor::quantization_values(ctx, DNNL_ARG_ATTR_SCALES, attr.scales.find(arg), md);
        const float factor = scale ? scale.get<float>({}) : 1.0f;
        if (!scale && is_integer(md.dtype) && is_integer(dst_md.dtype))
            copy<std::int32_t>(md, src, dst, desc.axis, start, 1);
        else if (md.dtype == data_type::f64 || dst_md.dtype == data_type::f64)
            copy<double>(md, src, dst, desc.axis, start, factor);
        else
            copy<float>(md, src, dst, desc.axis, start, factor);
        start += md.dims[desc.axis];
    }
    zero_padding(dst_md, ctx.data(DNNL_ARG_DST));
}

} // namespace

planned make_concat(problem &p) {
    const auto &desc = std::get<concat_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.dst}, every_type)) return why;
    for (const memory_desc &src : desc.srcs)
        if (const char *why = common_refusal(p.attr, {&src}, every_type)) return why;
    return make_function_plan<concat_desc>(p, concat);
}

} // namespace dnnl::impl::ref
