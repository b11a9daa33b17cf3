// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax, forward and gradient (specification: "Softmax"), in f64 along the axis.
#include "common/descriptors/elementwise.hpp"

#include <cmath>

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// Calls body(position, count) for the pieces of the line through `start` along `axis`.
template <class Body>
void for_each_piece_of_line(dims_t start, int axis, dim_t length, const Body &body) {
    for (dim_t x = 0; x < length; x += row_length) {
        start[axis] = x;
        body(start, std::min(row_length, length - x));
    }
}

/// dst = e^(src - max) / sum of these, or src - max - ln(sum).
void forward(const softmax_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const tensor src(ctx, DNNL_ARG_SRC);
    epilogue finish(ctx, attr, DNNL_ARG_DST, desc.axis);
    finish.scale_by(tensor::quantization_values(
        ctx, DNNL_ARG_ATTR_SCALES, attr.scales.find(DNNL_ARG_SRC), desc.src));
    const dim_t length = desc.src.dims[desc.axis];
    for_each_piece(desc.src, desc.axis, length, 30.0, [&](const dims_t &line, dim_t) {
        float x[row_length];
        const auto for_each_value = [&](const auto &body) {
            for_each_piece_of_line(line, desc.axis, length, [&](const dims_t &at, dim_t count) {
                src.read(x, at, desc.axis, count);
                for (dim_t i = 0; i < count; ++i) body(double {x[i]});
            });
        };
        double max = -std::numeric_limits<double>::infinity(), sum = 0;
        for_each_value([&](double s) { max = s > max ? s : max; });
        for_each_value([&](double s) { sum += std::exp(s - max); });
        const double log_sum = std::log(sum);
        for_each_piece_of_line(line, desc.axis, length, [&](const dims_t &at, dim_t count) {
            src.read(x, at, desc.axis, count);
            for (dim_t i = 0; i < count; ++i) {
                const double y = desc.alg == dnnl_softmax_log ? x[i] - max - log_sum
                                                              : std::exp(x[i] - max) / sum;
                x[i] = static_cast<float>(y);
            }
            finish.store(x, at, count);
        });
    });
    finish.zero_dst_padding();
}

/// diff_src = dst * (diff_dst - sum of dst * diff_dst), or diff_dst - e^dst * sum of diff_dst.
void backward(const softmax_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const tensor dst(ctx, DNNL_ARG_DST), diff_dst(ctx, DNNL_ARG_DIFF_DST);
    const tensor diff_src(ctx, DNNL_ARG_DIFF_SRC);
    const bool log = desc.alg == dnnl_softmax_log;
    const dim_t length = desc.dst.dims[desc.axis];
    for_each_piece(desc.dst, desc.axis, length, 20.0, [&](const dims_t &line, dim_t) {
        float d[row_length], dd[row_length];
        double sum = 0;
        for_each_piece_of_line(line, desc.axis, length, [&](const dims_t &at, dim_t count) {
            dst.read(d, at, desc.axis, count);
            diff_dst.read(dd, at, desc.axis, count);
            for (dim_t i = 0; i < count; ++i) sum += log ? dd[i] : double {d[i]} * dd[i];
        });
        for_each_piece_of_line(line, desc.axis, length, [&](const dims_t &at, dim_t count) {
            dst.read(d, at, desc.axis, count);
            diff_dst.read(dd, at, desc.axis, count);
            for (dim_t i = 0; i < count; ++i)
                d[i] = static_cast<float>(
                    log ? dd[i] - std::exp(double {d[i]}) * sum : d[i] * (dd[i] - sum));
            diff_src.write(d, at, desc.axis, count);
        });
    });
    zero_padding(desc.src, ctx.data(DNNL_ARG_DIFF_SRC));
}

} // namespace

planned make_softmax(problem &p) {
    const auto &desc = std::get<softmax_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst, &desc.data}, common_types))
        return why;
    if (desc.src.dtype == data_type::s32 || desc.dst.dtype == data_type::s32)
        return "s32 tensors are not supported";
    if (is_forward(desc.prop)) return make_function_plan<softmax_desc>(p, forward);
    for (const memory_desc *md : {&desc.src, &desc.dst, &desc.data})
        if (!is_float(md->dtype)) return "gradients and dst are not f32, bf16 or f16";
    return make_function_plan<softmax_desc>(p, backward);
}

} // namespace dnnl::impl::ref
