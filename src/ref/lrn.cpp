// SPDX-License-Identifier: Apache-2.0
// Local response normalization, forward and gradient (specification: "LRN"), image by image in f64.
#include "common/lrn.hpp"

#include <cmath>
#include <vector>

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

using values = std::vector<double>; ///< [C][D][H][W] of one image

/// Calls body(index, c, d, h, w) for every element of an image.
template <class Body> void for_each_element(const lrn_shape &s, const Body &body) {
    std::size_t index = 0;
    for (dim_t c = 0; c < s.C; ++c)
        for (dim_t d = 0; d < s.D; ++d)
            for (dim_t h = 0; h < s.H; ++h)
                for (dim_t w = 0; w < s.W; ++w) body(index++, c, d, h, w);
}

values read_image(const lrn_shape &s, const tensor &from, dim_t n) {
    values image(static_cast<std::size_t>(s.C * s.D * s.H * s.W));
    for_each_element(s, [&](std::size_t i, dim_t c, dim_t d, dim_t h, dim_t w) {
        image[i] = from.get<double>(spatial_position(s.spatial_ndims, n, c, d, h, w));
    });
    return image;
}

void write_image(const lrn_shape &s, const values &image, const tensor &to, dim_t n) {
    for_each_element(s, [&](std::size_t i, dim_t c, dim_t d, dim_t h, dim_t w) {
        to.set(spatial_position(s.spatial_ndims, n, c, d, h, w), image[i]);
    });
}

/// The part of the window around x that lies in [0, extent).
range window(dim_t x, dim_t half, dim_t extent) {
    return {std::max<dim_t>(x - half, 0), std::min(x + half + 1, extent)};
}

/// Each element replaced by the sum over its window.
values sums_over_windows(const lrn_shape &s, const values &image) {
    const dim_t channels = s.across ? s.half : 0, pixels = s.across ? 0 : s.half;
    values sums(image.size());
    for_each_element(s, [&](std::size_t i, dim_t c, dim_t d, dim_t h, dim_t w) {
        const range cs = window(c, channels, s.C), ds = window(d, pixels, s.D);
        const range hs = window(h, pixels, s.H), ws = window(w, pixels, s.W);
        for (dim_t wc = cs.begin; wc < cs.end; ++wc)
            for (dim_t wd = ds.begin; wd < ds.end; ++wd)
                for (dim_t wh = hs.begin; wh < hs.end; ++wh)
                    for (dim_t ww = ws.begin; ww < ws.end; ++ww)
                        sums[i] += image[static_cast<std::size_t>(
                            ((wc * s.D + wd) * s.H + wh) * s.W + ww)];
    });
    return sums;
}

/// k + alpha / n * (sum of squares over the window).
values denominators(const lrn_shape &s, const lrn_desc &desc, const values &src) {
    values squares(src);
    for (double &x : squares) x *= x;
    values result = sums_over_windows(s, squares);
    for (double &x : result) x = double {desc.k} + s.factor * x;
    return result;
}

/// dst = src * omega^-beta.
void forward(const lrn_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const lrn_shape s = shape_of(desc);
    const tensor src(ctx, DNNL_ARG_SRC), dst(ctx, DNNL_ARG_DST);
    const double image_ns = 100.0 * static_cast<double>(desc.src.nelems());
    if (!desc.src.has_zero_dim())
        parallel_for(s.MB, image_ns, [&](int, dim_t begin, dim_t end) {
            for (dim_t n = begin; n < end; ++n) {
                values x = read_image(s, src, n);
                const values omega = denominators(s, desc, x);
                for (std::size_t i = 0; i < x.size(); ++i)
                    x[i] *= std::pow(omega[i], -double {desc.beta});
                write_image(s, x, dst, n);
            }
        });
    zero_padding(desc.dst, ctx.data(DNNL_ARG_DST));
}

/// diff_src = diff_dst * omega^-beta
///          - 2 alpha beta / n * src * sum over the window of diff_dst * src * omega^(-beta - 1).
void backward(const lrn_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const lrn_shape s = shape_of(desc);
    const tensor src(ctx, DNNL_ARG_SRC), diff_dst(ctx, DNNL_ARG_DIFF_DST);
    const tensor diff_src(ctx, DNNL_ARG_DIFF_SRC);
    const double beta = desc.beta, image_ns = 200.0 * static_cast<double>(desc.src.nelems());
    if (!desc.src.has_zero_dim())
        parallel_for(s.MB, image_ns, [&](int, dim_t begin, dim_t end) {
            for (dim_t n = begin; n < end; ++n) {
                const values x = read_image(s, src, n), dd = read_image(s, diff_dst, n);
                const values omega = denominators(s, desc, x);
                values shares(x.size()), result(x.size());
                for (std::size_t i = 0; i < x.size(); ++i)
                    shares[i] = dd[i] * x[i] * std::pow(omega[i], -beta - 1);
                const values sums = sums_over_windows(s, shares);
                for (std::size_t i = 0; i < x.size(); ++i)
                    result[i] =
                        dd[i] * std::pow(omega[i], -beta) - 2 * s.factor * beta * x[i] * sums[i];
                write_image(s, result, diff_src, n);
            }
        });
    zero_padding(desc.src, ctx.data(DNNL_ARG_DIFF_SRC));
}

} // namespace

planned make_lrn(problem &p) {
    const auto &desc = std::get<lrn_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst, &desc.data}, is_float))
        return why;
    return make_function_plan<lrn_desc>(p, is_forward(desc.prop) ? forward : backward);
}

} // namespace dnnl::impl::ref
