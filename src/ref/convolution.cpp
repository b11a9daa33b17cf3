// SPDX-License-Identifier: Apache-2.0
// Convolution, forward and both gradients (specification: "Convolution and Deconvolution"). Acc is
// float, or double for int8 operands: exact. Sums run over kd, kh, kw, channel in index order,
// those of the gradient of weights over mb, od, oh and rows of ow; see multiply_add() for their
// rounding.
#include "ref/convolution.hpp"

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

dims_t weights_position(
    const convolution_shape &s, dim_t g, dim_t oc, dim_t ic, dim_t kd, dim_t kh, dim_t kw) {
    if (!s.has_groups) return spatial_position(s.spatial_ndims, oc, ic, kd, kh, kw);
    dims_t position {g};
    const dims_t inside = spatial_position(s.spatial_ndims, oc, ic, kd, kh, kw);
    std::copy_n(inside.begin(), 2 + s.spatial_ndims, position.begin() + 1);
    return position;
}

/// What a kernel position adds to output * stride.
dim_t offset_d(const convolution_shape &s, dim_t kd) { return kd * (s.DD + 1) - s.PD; }
dim_t offset_h(const convolution_shape &s, dim_t kh) { return kh * (s.DH + 1) - s.PH; }
dim_t offset_w(const convolution_shape &s, dim_t kw) { return kw * (s.DW + 1) - s.PW; }

/// sum[i] of the outputs ow = at[w] + i of one row of dst.
template <class Acc>
void sum_forward(const convolution_shape &s, const tensor &src, const tensor &src_zero_point,
    const tensor &weights, const dims_t &at, dim_t count, Acc *sum) {
    const int w_dim = s.spatial_ndims + 1;
    const dim_t g = at[1] / s.OC, oc = at[1] % s.OC;
    const spatial_indices o(at, s.spatial_ndims);
    Acc row[row_length];
    std::fill_n(sum, count, Acc {0});
    for (dim_t kd = 0; kd < s.KD; ++kd)
        for (dim_t kh = 0; kh < s.KH; ++kh)
            for (dim_t kw = 0; kw < s.KW; ++kw) {
                const dim_t id = o.d * s.SD + offset_d(s, kd), ih = o.h * s.SH + offset_h(s, kh);
                const range ow =
                    outputs_within({0, s.IW}, offset_w(s, kw), s.SW, {o.w, o.w + count});
                if (id < 0 || id >= s.ID || ih < 0 || ih >= s.IH || ow.empty()) continue;
                const dim_t iw = ow.begin * s.SW + offset_w(s, kw);
                for (dim_t ic = 0; ic < s.IC; ++ic) {
                    const dims_t src_at =
                        spatial_position(s.spatial_ndims, at[0], g * s.IC + ic, id, ih, iw);
                    src.read(row, src_at, w_dim, ow.size(), s.SW);
                    if (src_zero_point) subtract(row, ow.size(), src_zero_point.get<Acc>(src_at));
                    const Acc w = weights.get<Acc>(weights_position(s, g, oc, ic, kd, kh, kw));
                    multiply_add(sum + (ow.begin - o.w), w, row, ow.size());
                }
            }
}

/// sum[i] of the inputs iw = at[w] + i of one row of diff_src: products of all outputs that use
/// them.
template <class Acc>
void sum_backward_data(const convolution_shape &s, const tensor &diff_dst, const tensor &zero_point,
    const tensor &weights, const dims_t &at, dim_t count, Acc *sum) {
    const int w_dim = s.spatial_ndims + 1;
    const dim_t g = at[1] / s.IC, ic = at[1] % s.IC;
    const spatial_indices i(at, s.spatial_ndims);
    Acc row[row_length];
    std::fill_n(sum, count, Acc {0});
    for (dim_t kd = 0; kd < s.KD; ++kd)
        for (dim_t kh = 0; kh < s.KH; ++kh)
            for (dim_t kw = 0; kw < s.KW; ++kw) {
                const dim_t od = output_at(i.d, offset_d(s, kd), s.SD, s.OD);
                const dim_t oh = output_at(i.h, offset_h(s, kh), s.SH, s.OH);
                const range ow =
                    outputs_within({i.w, i.w + count}, offset_w(s, kw), s.SW, {0, s.OW});
                if (od < 0 || oh < 0 || ow.empty()) continue;
                const dim_t first = ow.begin * s.SW + offset_w(s, kw) - i.w;
                for (dim_t oc = 0; oc < s.OC; ++oc) {
                    const dims_t dst_at =
                        spatial_position(s.spatial_ndims, at[0], g * s.OC + oc, od, oh, ow.begin);
                    diff_dst.read(row, dst_at, w_dim, ow.size());
                    if (zero_point) subtract(row, ow.size(), zero_point.get<Acc>(dst_at));
                    const Acc w = weights.get<Acc>(weights_position(s, g, oc, ic, kd, kh, kw));
                    multiply_add(sum + first, w, row, ow.size(), s.SW);
                }
            }
}

/// Forward or backward data; the latter has scales, zero points and bias inside a deconvolution
/// only.
template <class Acc, bool is_backward>
void run(const convolution_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const convolution_shape s = shape_of(desc);
    const int w_dim = s.spatial_ndims + 1;
    const tensor from(ctx, is_backward ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC);
    const tensor weights(ctx, DNNL_ARG_WEIGHTS);
    const tensor zero_point = tensor::quantization_values(ctx, DNNL_ARG_ATTR_ZERO_POINTS,
        attr.zero_points.find(DNNL_ARG_SRC), is_backward ? desc.dst : desc.src);
    epilogue finish(ctx, attr, is_backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, w_dim);
    finish.scale_by(tensor::channel_scales(ctx, attr.scales.find(DNNL_ARG_SRC)));
    finish.scale_by(tensor::channel_scales(ctx, attr.scales.find(DNNL_ARG_WEIGHTS)));
    finish.add_bias(tensor::along(1, ctx.desc(DNNL_ARG_BIAS), ctx.data(DNNL_ARG_BIAS)));
    const auto sum_row = is_backward ? sum_backward_data<Acc> : sum_forward<Acc>;
    const double products = static_cast<double>((is_backward ? s.OC : s.IC) * s.KD * s.KH * s.KW);
    for_each_row(
        is_backward ? desc.src : desc.dst, w_dim, products, [&](const dims_t &at, dim_t count) {
            Acc sum[row_length];
            sum_row(s, from, zero_point, weights, at, count, sum);
            finish.store(sum, at, count);
        });
    finish.zero_dst_padding();
}

/// Sum over mb, od, oh, ow of src * diff_dst for one element of weights.
float sum_backward_weights(
    const convolution_shape &s, const tensor &src, const tensor &diff_dst, const dims_t &at) {
    const int w_dim = s.spatial_ndims + 1, first = s.has_groups ? 1 : 0;
    const dim_t g = s.has_groups ? at[0] : 0;
    const dim_t goc = g * s.OC + at[first], gic = g * s.IC + at[first + 1];
    const spatial_indices k(at, s.spatial_ndims, first + 2);
    const dim_t in_d = offset_d(s, k.d), in_h = offset_h(s, k.h), in_w = offset_w(s, k.w);
    const range od_used = outputs_within({0, s.ID}, in_d, s.SD, {0, s.OD});
    const range oh_used = outputs_within({0, s.IH}, in_h, s.SH, {0, s.OH});
    const range ow_used = outputs_within({0, s.IW}, in_w, s.SW, {0, s.OW});
    float a[row_length], b[row_length], sum = 0;
    for (dim_t mb = 0; mb < s.MB; ++mb)
        for (dim_t od = od_used.begin; od < od_used.end; ++od)
            for (dim_t oh = oh_used.begin; oh < oh_used.end; ++oh)
                for (dim_t ow = ow_used.begin; ow < ow_used.end; ow += row_length) {
                    const dim_t count = std::min(row_length, ow_used.end - ow);
                    src.read(a,
                        spatial_position(s.spatial_ndims, mb, gic, od * s.SD + in_d,
                            oh * s.SH + in_h, ow * s.SW + in_w),
                        w_dim, count, s.SW);
                    diff_dst.read(
                        b, spatial_position(s.spatial_ndims, mb, goc, od, oh, ow), w_dim, count);
                    float row_sum = 0;
                    for (dim_t i = 0; i < count; ++i) row_sum += a[i] * b[i];
                    sum += row_sum;
                }
    return sum;
}

void backward_weights(
    const convolution_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const convolution_shape s = shape_of(desc);
    const tensor src(ctx, DNNL_ARG_SRC), diff_dst(ctx, DNNL_ARG_DIFF_DST);
    const tensor diff_weights(ctx, DNNL_ARG_DIFF_WEIGHTS);
    const double products = static_cast<double>(s.MB * s.OD * s.OH * s.OW);
    for_each_piece(desc.weights, 0, 1, products, [&](const dims_t &at, dim_t) {
        diff_weights.set(at, sum_backward_weights(s, src, diff_dst, at));
    });
    zero_padding(desc.weights, ctx.data(DNNL_ARG_DIFF_WEIGHTS));
    if (!desc.bias.is_zero()) backward_bias(s, diff_dst, tensor(ctx, DNNL_ARG_DIFF_BIAS));
}

} // namespace

void backward_bias(const convolution_shape &s, const tensor &diff_dst, const tensor &diff_bias) {
    const int w_dim = s.spatial_ndims + 1;
    const double outputs = static_cast<double>(s.MB * s.OD * s.OH * s.OW);
    parallel_for(s.G * s.OC, outputs, [&](int, dim_t begin, dim_t end) {
        for (dim_t goc = begin; goc < end; ++goc) {
            float row[row_length], sum = 0;
            for (dim_t mb = 0; mb < s.MB; ++mb)
                for (dim_t od = 0; od < s.OD; ++od)
                    for (dim_t oh = 0; oh < s.OH; ++oh)
                        for (dim_t ow = 0; ow < s.OW; ow += row_length) {
                            const dim_t count = std::min(row_length, s.OW - ow);
                            diff_dst.read(row,
                                spatial_position(s.spatial_ndims, mb, goc, od, oh, ow), w_dim,
                                count);
                            float row_sum = 0;
                            for (dim_t i = 0; i < count; ++i) row_sum += row[i];
                            sum += row_sum;
                        }
            diff_bias.set(dims_t {goc}, sum);
        }
    });
}

planned plan_convolution(problem &p) {
    const auto &desc = std::get<convolution_desc>(p.op);
    if (desc.prop == dnnl_backward_weights)
        return make_function_plan<convolution_desc>(p, backward_weights);
    const bool of_data = desc.prop == dnnl_backward_data;
    const bool int8 = is_int8_product(of_data ? desc.dst : desc.src, desc.weights);
    if (of_data)
        return make_function_plan<convolution_desc>(p, int8 ? run<double, true> : run<float, true>);
    return make_function_plan<convolution_desc>(p, int8 ? run<double, false> : run<float, false>);
}

const char *convolution_refusal(const convolution_desc &desc, const primitive_attr &attr) {
    if (const char *why = common_refusal(attr, {&desc.src, &desc.weights, &desc.bias, &desc.dst}))
        return why;
    return product_refusal(desc);
}

planned make_convolution(problem &p) {
    const auto &desc = std::get<convolution_desc>(p.op);
    if (const char *why = convolution_refusal(desc, p.attr)) return why;
    if (desc.alg == dnnl_convolution_winograd) return "the Winograd algorithm is not offered";
    return plan_convolution(p);
}

} // namespace dnnl::impl::ref
