// SPDX-License-Identifier: Apache-2.0
// Resampling, forward and gradient (specification: "Resampling"). A result is
//     sum over kw of weight(kw) * (sum over kd, kh of weight(kd) * weight(kh) * element),
// every sum from 0 in ascending order, each step one fused multiply-add.
#include "common/descriptors/pooling.hpp"

#include <cmath>

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

/// An element along one dimension and its share.
struct tap {
    dim_t index;
    float weight;
};
using taps = std::vector<tap>;

/// The inputs of output o; linear: those with weights above 0.
taps inputs_of(dnnl_alg_kind_t alg, dim_t o, dim_t I, dim_t O) {
    const double at = (static_cast<double>(o) + 0.5) * static_cast<double>(I);
    if (alg == dnnl_resampling_nearest)
        return {{std::min(I - 1, static_cast<dim_t>(at / static_cast<double>(O))), 1.0f}};
    const double x = at / static_cast<double>(O) - 0.5, below = std::floor(x);
    const dim_t i0 = std::max(static_cast<dim_t>(below), dim_t {0});
    const dim_t i1 = std::min(static_cast<dim_t>(std::ceil(x)), I - 1);
    if (i0 == i1) return {{i0, 1.0f}};
    const double weight = x - below;
    return {{i0, static_cast<float>(1 - weight)}, {i1, static_cast<float>(weight)}};
}

/// For each input: the outputs that it has a share in.
std::vector<taps> outputs_of_inputs(dnnl_alg_kind_t alg, dim_t I, dim_t O) {
    std::vector<taps> result(static_cast<std::size_t>(I));
    for (dim_t o = 0; o < O; ++o)
        for (const tap &t : inputs_of(alg, o, I, O))
            result[static_cast<std::size_t>(t.index)].push_back({o, t.weight});
    return result;
}
std::vector<taps> inputs_of_outputs(dnnl_alg_kind_t alg, dim_t I, dim_t O) {
    std::vector<taps> result;
    for (dim_t o = 0; o < O; ++o) result.push_back(inputs_of(alg, o, I, O));
    return result;
}

/// What each index of the result takes from the other tensor, one list per spatial dimension.
struct tap_lists {
    std::vector<taps> d, h, w;
    tap_lists(const resampling_desc &desc, bool forward) {
        const resampling_shape s = shape_of(desc);
        const auto list = forward ? inputs_of_outputs : outputs_of_inputs;
        d = list(desc.alg, s.ID, s.OD);
        h = list(desc.alg, s.IH, s.OH);
        w = list(desc.alg, s.IW, s.OW);
    }
};

template <class Value>
Value result_at(const tap_lists &lists, int spatial_ndims, const tensor &from, const dims_t &at) {
    const spatial_indices x(at, spatial_ndims);
    Value result = 0;
    for (const tap &w : lists.w[static_cast<std::size_t>(x.w)]) {
        Value sum = 0;
        for (const tap &d : lists.d[static_cast<std::size_t>(x.d)])
            for (const tap &h : lists.h[static_cast<std::size_t>(x.h)]) {
                const dims_t position =
                    spatial_position(spatial_ndims, at[0], at[1], d.index, h.index, w.index);
                sum = std::fma(
                    static_cast<Value>(d.weight * h.weight), from.get<Value>(position), sum);
            }
        result = std::fma(static_cast<Value>(w.weight), sum, result);
    }
    return result;
}

/// Integers that are copied stay integers.
void copy_integers(
    const resampling_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const int spatial = desc.src.ndims - 2, w_dim = desc.dst.ndims - 1;
    const tap_lists lists(desc, true);
    const tensor src(ctx, DNNL_ARG_SRC);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, w_dim);
    for_each_row(desc.dst, w_dim, 30.0, [&](const dims_t &at, dim_t count) {
        std::int32_t row[row_length];
        for (dim_t i = 0; i < count; ++i) {
            dims_t o = at;
            o[w_dim] += i;
            const spatial_indices x(o, spatial);
            row[i] = src.get<std::int32_t>(spatial_position(spatial, at[0], at[1],
                lists.d[static_cast<std::size_t>(x.d)][0].index,
                lists.h[static_cast<std::size_t>(x.h)][0].index,
                lists.w[static_cast<std::size_t>(x.w)][0].index));
        }
        finish.store(row, at, count);
    });
    finish.zero_dst_padding();
}

/// The rows of a result, which store(row, at, count) takes.
template <class Value, class Store>
void for_each_result(
    const resampling_desc &desc, bool forward, const tensor &from, const Store &store) {
    const memory_desc &md = forward ? desc.dst : desc.src;
    const int spatial = md.ndims - 2, w_dim = md.ndims - 1;
    if (md.has_zero_dim()) return;
    const tap_lists lists(desc, forward);
    for_each_row(md, w_dim, 100.0, [&](const dims_t &at, dim_t count) {
        Value row[row_length];
        for (dim_t i = 0; i < count; ++i) {
            dims_t x = at;
            x[w_dim] += i;
            row[i] = result_at<Value>(lists, spatial, from, x);
        }
        store(row, at, count);
    });
}

void forward(const resampling_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const tensor src(ctx, DNNL_ARG_SRC);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, desc.dst.ndims - 1);
    for_each_result<float>(desc, true, src,
        [&](float *row, const dims_t &at, dim_t count) { finish.store(row, at, count); });
    finish.zero_dst_padding();
}

/// With an f64 tensor: no post-ops.
void forward_f64(const resampling_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const tensor src(ctx, DNNL_ARG_SRC), dst(ctx, DNNL_ARG_DST);
    for_each_result<double>(desc, true, src, [&](double *row, const dims_t &at, dim_t count) {
        dst.write(row, at, desc.dst.ndims - 1, count);
    });
    zero_padding(desc.dst, ctx.data(DNNL_ARG_DST));
}

template <class Value>
void backward(const resampling_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const tensor diff_dst(ctx, DNNL_ARG_DIFF_DST), diff_src(ctx, DNNL_ARG_DIFF_SRC);
    for_each_result<Value>(desc, false, diff_dst, [&](Value *row, const dims_t &at, dim_t count) {
        diff_src.write(row, at, desc.src.ndims - 1, count);
    });
    zero_padding(desc.src, ctx.data(DNNL_ARG_DIFF_SRC));
}

} // namespace

planned make_resampling(problem &p) {
    const auto &desc = std::get<resampling_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst}, common_types_f8_and_f64))
        return why;
    const bool wide = desc.src.dtype == data_type::f64 || desc.dst.dtype == data_type::f64;
    if (!is_forward(desc.prop))
        return make_function_plan<resampling_desc>(p, wide ? backward<double> : backward<float>);
    if (wide && !p.attr.post_ops.entries.empty()) return "post-ops with an f64 tensor";
    if (wide) return make_function_plan<resampling_desc>(p, forward_f64);
    const bool copies = desc.alg == dnnl_resampling_nearest && is_integer(desc.src.dtype) &&
                        is_integer(desc.dst.dtype) && p.attr.post_ops.entries.empty();
    return make_function_plan<resampling_desc>(p, copies ? copy_integers : forward);
}

} // namespace dnnl::impl::ref
