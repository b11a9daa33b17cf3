// SPDX-License-Identifier: Apache-2.0
// Resampling, forward and gradient (specification: "Resampling"). A result is
//     sum over kw of weight(kw) * (sum over kd, kh of weight(kd) * weight(kh) * element),
// every sum from 0 in ascending order, each step one fused multiply-add.
#include "common/descriptors/pooling.hpp"

#include <cmath>

#include "ref/function_plan.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

/// An element along one dimension and its share.
struct share {
    dim_t index;
    float weight;
};
using shares = std::vector<share>;

/// The inputs of output o; linear: those with weights above 0.
shares inputs_of(dnnl_alg_kind_t alg, dim_t o, dim_t I, dim_t O) {
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
std::vector<shares> outputs_of_inputs(dnnl_alg_kind_t alg, dim_t I, dim_t O) {
    std::vector<shares> result(static_cast<std::size_t>(I));
    for (dim_t o = 0; o < O; ++o)
        for (const share &t : inputs_of(alg, o, I, O))
            result[static_cast<std::size_t>(t.index)].push_back({o, t.weight});
    return result;
}
std::vector<shares> inputs_of_outputs(dnnl_alg_kind_t alg, dim_t I, dim_t O) {
    std::vector<shares> result;
    for (dim_t o = 0; o < O; ++o) result.push_back(inputs_of(alg, o, I, O));
    return result;
}

/// What each index of the result takes from the other tensor, one list per spatial dimension.
struct share_lists {
    std::vector<shares> d, h, w;
    share_lists(const resampling_desc &desc, bool forward) {
        const resampling_shape s = shape_of(desc);
        const auto list = forward ? inputs_of_outputs : outputs_of_inputs;
        d = list(desc.alg, s.ID, s.OD);
        h = list(desc.alg, s.IH, s.OH);
        w = list(desc.alg, s.IW, s.OW);
    }
};

template <class Value>
Value result_at(const share_lists &lists, int spatial_ndims, const tensor &from, const dims_t &at) {
    const spatial_indices x(at, spatial_ndims);
    Value result = 0;
    for (const share &w : lists.w[static_cast<std::size_t>(x.w)]) {
        Value sum = 0;
        for (const share &d : lists.d[static_cast<std::size_t>(x.d)])
            for (const share &h : lists.h[static_cast<std::size_t>(x.h)]) {
                const dims_t position =
                    spatial_position(spatial_ndims, at[0], at[1], d.index, h.index, w.index);
                const auto weight = static_cast<Value>(d.weight * h.weight);
                sum = static_cast<Value>(std::fma(weight, from.get<Value>(position), sum));
            }
        result = static_cast<Value>(std::fma(static_cast<Value>(w.weight), sum, result));
    }
    return result;
}

/// The result row by row. Value is float, or double with an f64 tensor and then no post-ops, or
/// std::int32_t where integers are copied.
template <class Value>
void resample(const resampling_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const bool forward = is_forward(desc.prop);
    const int result_arg = forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    const memory_desc &md = ctx.desc(result_arg);
    const int spatial = md.ndims - 2, w_dim = md.ndims - 1;
    if (md.has_zero_dim()) return;
    const share_lists lists(desc, forward);
    const tensor from(ctx, forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST), result(ctx, result_arg);
    const epilogue finish(ctx, attr, result_arg, w_dim);
    finish.for_each_row(100.0, [&](const dims_t &at, dim_t count) {
        Value row[row_length];
        for (dim_t i = 0; i < count; ++i) {
            dims_t x = at;
            x[w_dim] += i;
            row[i] = result_at<Value>(lists, spatial, from, x);
        }
        if constexpr (std::is_same_v<Value, double>)
            result.write(row, at, w_dim, count);
        else
            finish.store(row, at, count);
    });
}

} // namespace

planned make_resampling(problem &p) {
    const auto &desc = std::get<resampling_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst}, common_types_f8_and_f64))
        return why;
    const bool wide = desc.src.dtype == data_type::f64 || desc.dst.dtype == data_type::f64;
    if (wide && !p.attr.post_ops.entries.empty()) return "post-ops with an f64 tensor";
    if (wide) return make_function_plan(p, resample<double>);
    const bool copies = is_forward(desc.prop) && desc.alg == dnnl_resampling_nearest &&
                        is_integer(desc.src.dtype) && is_integer(desc.dst.dtype) &&
                        p.attr.post_ops.entries.empty();
    return make_function_plan(p, copies ? resample<std::int32_t> : resample<float>);
}

} // namespace dnnl::impl::ref
