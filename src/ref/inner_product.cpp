// SPDX-License-Identifier: Apache-2.0
// Inner product, forward and both gradients (specification: "Inner Product"). Acc is float, or
// double for int8 operands: exact. Sums run in index order; see multiply_add() for their rounding.
#include "common/descriptors/products.hpp"

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

/// sum[i] of dst[mb][oc + i]: over ic and the spatial dimensions.
template <class Acc>
void sum_forward(const inner_product_shape &s, const tensor &src, const tensor &weights, dim_t mb,
    dim_t oc, dim_t count, Acc *sum) {
    Acc row[row_length];
    std::fill_n(sum, count, Acc {0});
    for (dim_t ic = 0; ic < s.IC; ++ic)
        for (dim_t id = 0; id < s.ID; ++id)
            for (dim_t ih = 0; ih < s.IH; ++ih)
                for (dim_t iw = 0; iw < s.IW; ++iw) {
                    dims_t at = spatial_position(s.spatial_ndims, mb, ic, id, ih, iw);
                    const Acc a = src.get<Acc>(at);
                    at[0] = oc;
                    weights.read(row, at, 0, count);
                    multiply_add(sum, a, row, count);
                }
}

template <class Acc>
void forward(const inner_product_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const inner_product_shape s = shape_of(desc);
    const int oc_dim = 1;
    const tensor src(ctx, DNNL_ARG_SRC), weights(ctx, DNNL_ARG_WEIGHTS);
    epilogue finish(ctx, attr, DNNL_ARG_DST, oc_dim);
    finish.scale_by(tensor::channel_scales(ctx, attr.scales.find(DNNL_ARG_SRC)));
    finish.scale_by(tensor::channel_scales(ctx, attr.scales.find(DNNL_ARG_WEIGHTS)));
    finish.add_bias(tensor::along(1, ctx.desc(DNNL_ARG_BIAS), ctx.data(DNNL_ARG_BIAS)));
    for_each_row(desc.dst, oc_dim, static_cast<double>(s.K()), [&](const dims_t &at, dim_t count) {
        Acc sum[row_length];
        sum_forward(s, src, weights, at[0], at[1], count, sum);
        finish.store(sum, at, count);
    });
    finish.zero_dst_padding();
}

/// Both gradients are result[i][k] = sum over j of diff_dst * other[j][k], where k stands for ic
/// and the spatial dimensions. diff_src: i = mb, j = oc, other = weights; diff_weights: i = oc, j =
/// mb, other = src.
template <class Acc>
void gradient(const primitive_attr &attr, const exec_context &ctx, int result_arg, int other_arg) {
    const memory_desc &result = ctx.desc(result_arg);
    const dim_t count_j = ctx.desc(other_arg).dims[0];
    const bool of_data = result_arg == DNNL_ARG_DIFF_SRC;
    const tensor diff_dst(ctx, DNNL_ARG_DIFF_DST), other(ctx, other_arg);
    const int dim = std::max(1, row_dimension(result));
    const epilogue finish(ctx, attr, result_arg, dim);
    for_each_row(result, dim, static_cast<double>(count_j), [&](const dims_t &at, dim_t count) {
        Acc sum[row_length] = {}, row[row_length];
        for (dim_t j = 0; j < count_j; ++j) {
            dims_t other_at = at;
            other_at[0] = j;
            other.read(row, other_at, dim, count);
            const dims_t dst_at = of_data ? dims_t {at[0], j} : dims_t {j, at[0]};
            multiply_add(sum, diff_dst.get<Acc>(dst_at), row, count);
        }
        finish.store(sum, at, count);
    });
    finish.zero_dst_padding();
}

template <class Acc>
void backward_data(
    const inner_product_desc &, const primitive_attr &attr, const exec_context &ctx) {
    gradient<Acc>(attr, ctx, DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS);
}

/// diff_bias[oc] = sum over mb of diff_dst[mb][oc].
void backward_weights(
    const inner_product_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    gradient<float>(attr, ctx, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_SRC);
    const tensor diff_dst(ctx, DNNL_ARG_DIFF_DST), diff_bias(ctx, DNNL_ARG_DIFF_BIAS);
    if (!diff_bias) return;
    const inner_product_shape s = shape_of(desc);
    for_each_row(desc.bias, 0, static_cast<double>(s.MB), [&](const dims_t &at, dim_t count) {
        float sum[row_length] = {}, row[row_length];
        for (dim_t mb = 0; mb < s.MB; ++mb) {
            diff_dst.read(row, dims_t {mb, at[0]}, 1, count);
            multiply_add(sum, 1.0f, row, count);
        }
        diff_bias.write(sum, at, 0, count);
    });
}

} // namespace

planned make_inner_product(problem &p) {
    const auto &desc = std::get<inner_product_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.weights, &desc.bias, &desc.dst}))
        return why;
    const bool of_weights = desc.prop == dnnl_backward_weights;
    const bool of_data = desc.prop == dnnl_backward_data;
    const memory_desc &a = of_data ? desc.dst : desc.src, &b = of_weights ? desc.dst : desc.weights;
    const memory_desc &result = of_data ? desc.src : of_weights ? desc.weights : desc.dst;
    if (const char *why = product_refusal(a, b, desc.bias, result, desc.prop)) return why;
    const bool int8 = is_int8_product(a, b);
    if (of_weights) return make_function_plan<inner_product_desc>(p, backward_weights);
    if (of_data)
        return make_function_plan<inner_product_desc>(
            p, int8 ? backward_data<double> : backward_data<float>);
    return make_function_plan<inner_product_desc>(p, int8 ? forward<double> : forward<float>);
}

} // namespace dnnl::impl::ref
