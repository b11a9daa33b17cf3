// SPDX-License-Identifier: Apache-2.0
// Pooling, forward and gradient (specification: "Pooling"). Windows are walked over kd, kh, kw;
// averages are summed in f64 and divided once, so that they are rounded once.
#include "common/descriptors/pooling.hpp"

#include <cmath>
#include <limits>

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

/// Calls body(kernel index, input position of the first output, outputs ow) for every position of
/// the kernel that falls inside the image for some of the outputs at[w] ... at[w] + count - 1.
template <class Body>
void for_each_tap(const pooling_shape &s, const dims_t &at, dim_t count, const Body &body) {
    const spatial_indices o(at, s.spatial_ndims);
    for (dim_t kd = 0; kd < s.KD; ++kd)
        for (dim_t kh = 0; kh < s.KH; ++kh)
            for (dim_t kw = 0; kw < s.KW; ++kw) {
                const dim_t id = o.d * s.SD + kd * (s.DD + 1) - s.PD;
                const dim_t ih = o.h * s.SH + kh * (s.DH + 1) - s.PH;
                const dim_t offset = kw * (s.DW + 1) - s.PW;
                const range ow = outputs_within({0, s.IW}, offset, s.SW, {o.w, o.w + count});
                if (id < 0 || id >= s.ID || ih < 0 || ih >= s.IH || ow.empty()) continue;
                const dim_t iw = ow.begin * s.SW + offset;
                body((kd * s.KH + kh) * s.KW + kw,
                    spatial_position(s.spatial_ndims, at[0], at[1], id, ih, iw),
                    range {ow.begin - o.w, ow.end - o.w});
            }
}

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

/// The first maximum of each window and its kernel index. A NaN counts only where there is nothing
/// else. Value is float, or std::int32_t for integers, which keeps them exact.
template <class Value>
void max_forward(const pooling_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const pooling_shape s = shape_of(desc);
    const int w_dim = s.spatial_ndims + 1;
    const tensor src(ctx, DNNL_ARG_SRC), workspace(ctx, DNNL_ARG_WORKSPACE);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, w_dim);
    const double taps = static_cast<double>(s.KD * s.KH * s.KW);
    for_each_row(desc.dst, w_dim, taps, [&](const dims_t &at, dim_t count) {
        Value best[row_length], row[row_length];
        std::int32_t index[row_length];
        std::fill_n(best, count, lowest<Value>(desc.src.dtype));
        std::fill_n(index, count, -1);
        for_each_tap(s, at, count, [&](dim_t k, const dims_t &src_at, range ow) {
            src.read(row, src_at, w_dim, ow.size(), s.SW);
            for (dim_t i = ow.begin; i < ow.end; ++i) {
                const Value x = row[i - ow.begin];
                if (index[i] >= 0 && !(x > best[i]) && best[i] == best[i]) continue;
                if (index[i] >= 0 && x != x) continue;
                best[i] = x;
                index[i] = static_cast<std::int32_t>(k);
            }
        });
        for (dim_t i = 0; i < count; ++i) index[i] = std::max(index[i], 0);
        if (workspace) workspace.write(index, at, w_dim, count);
        finish.store(best, at, count);
    });
    finish.zero_dst_padding();
    zero_padding(desc.workspace, ctx.data(DNNL_ARG_WORKSPACE));
}

/// What the sums of the outputs at[w] + i are divided by.
void window_sizes(
    const pooling_shape &s, dnnl_alg_kind_t alg, const dims_t &at, dim_t count, double *sizes) {
    const bool whole = alg == dnnl_pooling_avg_include_padding;
    std::fill_n(sizes, count, whole ? static_cast<double>(s.KD * s.KH * s.KW) : 0.0);
    if (whole) return;
    for_each_tap(s, at, count, [&](dim_t, const dims_t &, range ow) {
        for (dim_t i = ow.begin; i < ow.end; ++i) sizes[i] += 1;
    });
}

template <class Value>
void average_forward(
    const pooling_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const pooling_shape s = shape_of(desc);
    const int w_dim = s.spatial_ndims + 1;
    const tensor src(ctx, DNNL_ARG_SRC);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, w_dim);
    const double taps = static_cast<double>(s.KD * s.KH * s.KW);
    for_each_row(desc.dst, w_dim, taps, [&](const dims_t &at, dim_t count) {
        Value row[row_length];
        double sum[row_length] = {}, sizes[row_length];
        float average[row_length];
        for_each_tap(s, at, count, [&](dim_t, const dims_t &src_at, range ow) {
            src.read(row, src_at, w_dim, ow.size(), s.SW);
            for (dim_t i = ow.begin; i < ow.end; ++i) sum[i] += row[i - ow.begin];
        });
        window_sizes(s, desc.alg, at, count, sizes);
        for (dim_t i = 0; i < count; ++i) average[i] = static_cast<float>(sum[i] / sizes[i]);
        finish.store(average, at, count);
    });
    finish.zero_dst_padding();
}

/// diff_src[iw = at[w] + i] = sum over the windows that contain it of diff_dst / size; of max: of
/// diff_dst where the workspace names this element.
void backward_row(const pooling_desc &desc, const pooling_shape &s, const tensor &diff_dst,
    const tensor &workspace, const dims_t &at, dim_t count, float *sum) {
    const int w_dim = s.spatial_ndims + 1;
    const spatial_indices i(at, s.spatial_ndims);
    float row[row_length];
    std::int32_t index[row_length];
    double sizes[row_length];
    for (dim_t kd = 0; kd < s.KD; ++kd)
        for (dim_t kh = 0; kh < s.KH; ++kh)
            for (dim_t kw = 0; kw < s.KW; ++kw) {
                const dim_t od = output_at(i.d, kd * (s.DD + 1) - s.PD, s.SD, s.OD);
                const dim_t oh = output_at(i.h, kh * (s.DH + 1) - s.PH, s.SH, s.OH);
                const dim_t offset = kw * (s.DW + 1) - s.PW;
                const range ow = outputs_within({i.w, i.w + count}, offset, s.SW, {0, s.OW});
                if (od < 0 || oh < 0 || ow.empty()) continue;
                const dims_t dst_at =
                    spatial_position(s.spatial_ndims, at[0], at[1], od, oh, ow.begin);
                const dim_t k = (kd * s.KH + kh) * s.KW + kw;
                diff_dst.read(row, dst_at, w_dim, ow.size());
                if (workspace)
                    workspace.read(index, dst_at, w_dim, ow.size());
                else
                    window_sizes(s, desc.alg, dst_at, ow.size(), sizes);
                float *target = sum + ow.begin * s.SW + offset - i.w;
                for (dim_t o = 0; o < ow.size(); ++o)
                    if (!workspace)
                        target[o * s.SW] += static_cast<float>(row[o] / sizes[o]);
                    else if (index[o] == k)
                        target[o * s.SW] += row[o];
            }
}

void backward(const pooling_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const pooling_shape s = shape_of(desc);
    const int w_dim = s.spatial_ndims + 1;
    const tensor diff_dst(ctx, DNNL_ARG_DIFF_DST), diff_src(ctx, DNNL_ARG_DIFF_SRC);
    const tensor workspace(ctx, DNNL_ARG_WORKSPACE);
    const double taps = static_cast<double>(s.KD * s.KH * s.KW);
    for_each_row(desc.src, w_dim, taps, [&](const dims_t &at, dim_t count) {
        float sum[row_length] = {};
        backward_row(desc, s, diff_dst, workspace, at, count, sum);
        diff_src.write(sum, at, w_dim, count);
    });
    zero_padding(desc.src, ctx.data(DNNL_ARG_DIFF_SRC));
}

} // namespace

planned make_pooling(problem &p) {
    const auto &desc = std::get<pooling_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst})) return why;
    if (!is_forward(desc.prop)) {
        if (!is_float(desc.src.dtype) || !is_float(desc.dst.dtype))
            return "gradients are not f32, bf16 or f16";
        return make_function_plan<pooling_desc>(p, backward);
    }
    if (desc.src.dtype != desc.dst.dtype) return "src and dst differ in type";
    const bool integer = is_integer(desc.src.dtype);
    if (desc.alg == dnnl_pooling_max)
        return make_function_plan<pooling_desc>(
            p, integer ? max_forward<std::int32_t> : max_forward<float>);
    return make_function_plan<pooling_desc>(
        p, integer ? average_forward<std::int32_t> : average_forward<float>);
}

} // namespace dnnl::impl::ref
