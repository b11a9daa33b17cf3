// SPDX-License-Identifier: Apache-2.0
// Local response normalization, forward and gradient (specification: "LRN"), image by image in f64.
#include "common/descriptors/pooling.hpp"

#include <cmath>

#include "ref/function_plan.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

using values = double *; ///< [C][D][H][W] of one image

/// Calls body(position, count, elements) for the rows of image n of md; `elements` are theirs in
/// the image.
template <class Body>
void for_each_row_of_image(const memory_desc &md, dim_t n, values image, const Body &body) {
    box elements {md.ndims, {n}, md.dims};
    elements.extents[0] = 1;
    elements.for_each_row(md.ndims - 1, [&](const dims_t &at, dim_t count) {
        body(at, count, image);
        image += count;
    });
}

/// The part of the window around x that lies in [0, extent).
range window(dim_t x, dim_t half, dim_t extent) {
    return {std::max<dim_t>(x - half, 0), std::min(x + half + 1, extent)};
}

/// sums[i] is the sum of the image over the window of element i.
void sum_windows(const lrn_shape &s, const double *image, values sums) {
    const dim_t channels = s.across ? s.half : 0, pixels = s.across ? 0 : s.half;
    const box elements {4, {}, {s.C, s.D, s.H, s.W}};
    elements.for_each_row(3, [&](const dims_t &at, dim_t count) {
        const range cs = window(at[0], channels, s.C), ds = window(at[1], pixels, s.D);
        const range hs = window(at[2], pixels, s.H);
        for (dim_t w = at[3]; w < at[3] + count; ++w) {
            const range ws = window(w, pixels, s.W);
            double sum = 0;
            for (dim_t wc = cs.begin; wc < cs.end; ++wc)
                for (dim_t wd = ds.begin; wd < ds.end; ++wd)
                    for (dim_t wh = hs.begin; wh < hs.end; ++wh)
                        for (dim_t ww = ws.begin; ww < ws.end; ++ww)
                            sum += image[((wc * s.D + wd) * s.H + wh) * s.W + ww];
            *sums++ = sum;
        }
    });
}

/// Each thread works on one image at a time, in f64.
class lrn_plan : public plan {
  public:
    explicit lrn_plan(problem &p) {
        default_layouts(p);
        desc_ = std::get<lrn_desc>(p.op);
        s_ = shape_of(desc_);
        size_ = s_.C * s_.D * s_.H * s_.W;
        threads_ = static_cast<int>(std::min<dim_t>(max_threads(), s_.MB));
        images_ = p.scratchpad.reserve<double>(threads_ * images_of_thread() * size_);
    }

    void execute(const exec_context &ctx) const override {
        const bool forward = is_forward(desc_.prop);
        const int result_arg = forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
        const double image_ns = (forward ? 100.0 : 200.0) * static_cast<double>(size_);
        const tensor src(ctx, DNNL_ARG_SRC), diff_dst(ctx, DNNL_ARG_DIFF_DST);
        const tensor result(ctx, result_arg);
        const int row_dim = desc_.src.ndims - 1;
        if (!desc_.src.has_zero_dim())
            parallel_for(s_.MB, image_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
                const values images = ctx.scratch(images_) + thread * images_of_thread() * size_;
                for (dim_t n = begin; n < end; ++n) {
                    const auto for_each_row = [&](const auto &body) {
                        for_each_row_of_image(desc_.src, n, images, body);
                    };
                    for_each_row([&](const dims_t &at, dim_t count, values x) {
                        src.read(x, at, row_dim, count);
                        if (!forward) diff_dst.read(x + size_, at, row_dim, count);
                    });
                    forward ? run_forward(images) : run_backward(images);
                    for_each_row([&](const dims_t &at, dim_t count, values x) {
                        result.write(x, at, row_dim, count);
                    });
                }
            });
        zero_padding(forward ? desc_.dst : desc_.src, ctx.data(result_arg));
    }

  private:
    dim_t images_of_thread() const { return is_forward(desc_.prop) ? 3 : 5; }

    /// omega = k + alpha / n * (sum of squares over the window).
    void find_omega(const double *src, values squares, values omega) const {
        for (dim_t i = 0; i < size_; ++i) squares[i] = src[i] * src[i];
        sum_windows(s_, squares, omega);
        for (dim_t i = 0; i < size_; ++i) omega[i] = double {desc_.k} + s_.factor * omega[i];
    }

    /// dst = src * omega^-beta, from the first image into it.
    void run_forward(values x) const {
        const values squares = x + size_, omega = squares + size_;
        find_omega(x, squares, omega);
        for (dim_t i = 0; i < size_; ++i) x[i] *= std::pow(omega[i], -double {desc_.beta});
    }

    /// diff_src = diff_dst * omega^-beta
    ///          - 2 alpha beta / n * src * sum over the window of diff_dst * src * omega^(-beta -
    ///          1),
    /// from the first image, src, and the second, diff_dst, into the first.
    void run_backward(values x) const {
        const values dd = x + size_, omega = dd + size_, shares = omega + size_,
                     sums = shares + size_;
        const double beta = desc_.beta;
        find_omega(x, shares, omega);
        for (dim_t i = 0; i < size_; ++i) shares[i] = dd[i] * x[i] * std::pow(omega[i], -beta - 1);
        sum_windows(s_, shares, sums);
        for (dim_t i = 0; i < size_; ++i)
            x[i] = dd[i] * std::pow(omega[i], -beta) - 2 * s_.factor * beta * x[i] * sums[i];
    }

    lrn_desc desc_;
    lrn_shape s_ {};
    dim_t size_ = 0; ///< elements of an image
    int threads_ = 1;
    scratch_slot<double> images_;
};

} // namespace

planned make_lrn(problem &p) {
    const auto &desc = std::get<lrn_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst, &desc.data}, float_types))
        return why;
    return planned(std::make_unique<lrn_plan>(p));
}

} // namespace dnnl::impl::ref
