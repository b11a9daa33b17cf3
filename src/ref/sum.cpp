// SPDX-License-Identifier: Apache-2.0
// Sum (specification: "Sum"): dst = sum over i of scales[i] * src_i, summed in f64, rounded once to
// f32.
#include "common/descriptors/movement.hpp"

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

void sum(const sum_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const memory_desc &md = ctx.desc(DNNL_ARG_DST);
    const int dim = row_dimension(md);
    std::vector<tensor> srcs;
    for (std::size_t i = 0; i < desc.srcs.size(); ++i)
        srcs.emplace_back(ctx, DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i));
    const tensor dst(ctx, DNNL_ARG_DST);
    const double item_ns = 2.0 * static_cast<double>(srcs.size());
    for_each_row(md, dim, item_ns, [&](const dims_t &position, dim_t count) {
        float x[row_length];
        double total[row_length] = {};
        for (std::size_t s = 0; s < srcs.size(); ++s) {
            srcs[s].read(x, position, dim, count);
            for (dim_t i = 0; i < count; ++i) total[i] += double {desc.scales[s]} * x[i];
        }
        for (dim_t i = 0; i < count; ++i) x[i] = static_cast<float>(total[i]);
        dst.write(x, position, dim, count);
    });
    zero_padding(md, ctx.data(DNNL_ARG_DST));
}

} // namespace

planned make_sum(problem &p) {
    const auto &desc = std::get<sum_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.dst})) return why;
    for (const memory_desc &src : desc.srcs)
        if (const char *why = common_refusal(p.attr, {&src})) return why;
    return make_function_plan<sum_desc>(p, sum);
}

} // namespace dnnl::impl::ref
