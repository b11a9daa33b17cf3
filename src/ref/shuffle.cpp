// SPDX-License-Identifier: Apache-2.0
// Shuffle, forward and backward (specification: "Shuffle"), as one permutation of the axis.
#include "common/descriptors/movement.hpp"

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// Element u + v * rows of the axis is element u * columns + v of what is read.
void shuffle(const shuffle_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const bool forward = is_forward(desc.prop);
    const int out_arg = forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    const tensor in(ctx, forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST), out(ctx, out_arg);
    const memory_desc &md = ctx.desc(out_arg);
    const shuffle_matrix matrix = matrix_of(desc);
    const int axis = desc.axis;
    for_each_row(md, axis, 10.0, [&](const dims_t &at, dim_t count) {
        double row[row_length]; // holds every element type exactly
        dims_t from = at;
        for (dim_t i = 0; i < count; ++i) {
            const dim_t x = at[axis] + i;
            from[axis] = x % matrix.rows * matrix.columns + x / matrix.rows;
            row[i] = in.get<double>(from);
        }
        out.write(row, at, axis, count);
    });
    zero_padding(md, ctx.data(out_arg));
}

} // namespace

planned make_shuffle(problem &p) {
    const auto &desc = std::get<shuffle_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst}, common_types_f8_and_f64))
        return why;
    return make_function_plan<shuffle_desc>(p, shuffle);
}

} // namespace dnnl::impl::ref
