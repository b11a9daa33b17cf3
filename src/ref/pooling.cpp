// SPDX-License-Identifier: Apache-2.0
// Pooling, forward and gradient (specification: "Pooling"). Windows are walked over kd, kh, kw;
// averages are summed in f64 and divided once, so that they are rounded once.
#include "common/descriptors/pooling.hpp"

#include <cmath>
#include <limits>

#include "ref/function_plan.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

/// The result of a window without any element of the image.
template <class Value> Value lowest(data_type dtype) {
    if constexpr (std::is_same_v<Value, float>) {
        switch (dtype) {
        case data_type::bf16: return bf16_to_f32(0xff7f);
        case data_type::f16: return -65504.0f;
        case data_type::f8_e5m2: return -57344.0f;
        case data_type::f8_e4m3: return -448.0f;
        default: return std::numeric_limits<float>::lowest();
        }
    } else {
        if (dtype == data_type::s8) return std::numeric_limits<std::int8_t>::min();
        return dtype == data_type::u8 ? 0 : std::numeric_limits<std::int32_t>::min();
    }
}

/// Elements of a window.
double taps_of(const pooling_shape &s) { return static_cast<double>(s.KD * s.KH * s.KW); }
/// The place of a tap in a window, as workspaces name it.
std::int32_t index_of(const pooling_shape &s, const tap &t) {
    return static_cast<std::int32_t>((t.kd * s.KH + t.kh) * s.KW + t.kw);
}

/// What a tap of a row of outputs reads, into row[t.first ...].
template <class Value>
void read_inputs(
    const pooling_shape &s, const tensor &src, const dims_t &at, const tap &t, Value *row) {
    const dims_t src_at = spatial_position(s.spatial_ndims, at[0], at[1], t.d, t.h, t.w);
    src.read(row + t.first, src_at, s.spatial_ndims + 1, t.count, s.SW);
}

/// The first maximum of each window and its place in it. A NaN counts only where there is nothing
/// else. Value is float, or std::int32_t for integers, which keeps them exact.
template <class Value>
void max_forward(const pooling_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const pooling_shape s = shape_of(desc);
    const int w_dim = s.spatial_ndims + 1;
    const tensor src(ctx, DNNL_ARG_SRC), workspace(ctx, DNNL_ARG_WORKSPACE);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, w_dim);
    finish.for_each_row(taps_of(s), [&](const dims_t &at, dim_t count) {
        Value best[row_length], row[row_length];
        std::int32_t index[row_length];
        std::fill_n(best, count, lowest<Value>(desc.src.dtype));
        std::fill_n(index, count, -1);
        for_each_tap<false>(s, at, count, [&](const tap &t) {
            read_inputs(s, src, at, t, row);
            for (dim_t i = t.first; i < t.first + t.count; ++i) {
                const Value x = row[i];
                if (index[i] >= 0 && !(x > best[i]) && best[i] == best[i]) continue;
                if (index[i] >= 0 && x != x) continue;
                best[i] = x;
                index[i] = index_of(s, t);
            }
        });
        for (dim_t i = 0; i < count; ++i) index[i] = std::max(index[i], 0);
        if (workspace) workspace.write(index, at, w_dim, count);
        finish.store(best, at, count);
    });
    zero_padding(desc.workspace, ctx.data(DNNL_ARG_WORKSPACE));
}

/// What the sums of the outputs at[w] + i are divided by.
void window_sizes(
    const pooling_shape &s, dnnl_alg_kind_t alg, const dims_t &at, dim_t count, double *sizes) {
    const bool whole = alg == dnnl_pooling_avg_include_padding;
    std::fill_n(sizes, count, whole ? taps_of(s) : 0.0);
    if (whole) return;
    for_each_tap<false>(s, at, count, [&](const tap &t) {
        for (dim_t i = t.first; i < t.first + t.count; ++i) sizes[i] += 1;
    });
}

template <class Value>
void average_forward(
    const pooling_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const pooling_shape s = shape_of(desc);
    const tensor src(ctx, DNNL_ARG_SRC);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, s.spatial_ndims + 1);
    finish.for_each_row(taps_of(s), [&](const dims_t &at, dim_t count) {
        Value row[row_length];
        double sum[row_length] = {}, sizes[row_length];
        float average[row_length];
        for_each_tap<false>(s, at, count, [&](const tap &t) {
            read_inputs(s, src, at, t, row);
            for (dim_t i = t.first; i < t.first + t.count; ++i) sum[i] += row[i];
        });
        window_sizes(s, desc.alg, at, count, sizes);
        for (dim_t i = 0; i < count; ++i) average[i] = static_cast<float>(sum[i] / sizes[i]);
        finish.store(average, at, count);
    });
}

/// diff_src[iw = at[w] + i] = sum over the windows that contain it of diff_dst / size; of max: of
/// diff_dst where the workspace names this element.
void backward(const pooling_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const pooling_shape s = shape_of(desc);
    const int w_dim = s.spatial_ndims + 1;
    const tensor diff_dst(ctx, DNNL_ARG_DIFF_DST), workspace(ctx, DNNL_ARG_WORKSPACE);
    const epilogue finish(ctx, attr, DNNL_ARG_DIFF_SRC, w_dim);
    finish.for_each_row(taps_of(s), [&](const dims_t &at, dim_t count) {
        float sum[row_length] = {}, row[row_length];
        std::int32_t index[row_length];
        double sizes[row_length];
        for_each_tap<true>(s, at, count, [&](const tap &t) {
            const dims_t dst_at = spatial_position(s.spatial_ndims, at[0], at[1], t.d, t.h, t.w);
            diff_dst.read(row, dst_at, w_dim, t.count);
            if (workspace)
                workspace.read(index, dst_at, w_dim, t.count);
            else
                window_sizes(s, desc.alg, dst_at, t.count, sizes);
            for (dim_t o = 0; o < t.count; ++o)
                if (!workspace)
                    sum[t.first + o * s.SW] += static_cast<float>(row[o] / sizes[o]);
                else if (index[o] == index_of(s, t))
                    sum[t.first + o * s.SW] += row[o];
        });
        finish.store(sum, at, count);
    });
}

} // namespace

planned make_pooling(problem &p) {
    const auto &desc = std::get<pooling_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst})) return why;
    if (!is_forward(desc.prop)) {
        if (!is_float(desc.src.dtype) || !is_float(desc.dst.dtype))
            return "gradients are not f32, bf16 or f16";
        return make_function_plan(p, backward);
    }
    if (desc.src.dtype != desc.dst.dtype) return "src and dst differ in type";
    const bool integer = is_integer(desc.src.dtype);
    if (desc.alg == dnnl_pooling_max)
        return make_function_plan(p, integer ? max_forward<std::int32_t> : max_forward<float>);
    return make_function_plan(p, integer ? average_forward<std::int32_t> : average_forward<float>);
}

} // namespace dnnl::impl::ref
