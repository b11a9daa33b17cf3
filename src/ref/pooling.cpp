// SPDX-License-Identifier: Apache-2.0
// Operations on windows of an image (specification: "Pooling", "Resampling", "LRN").
#include "common/descriptors/mappings/mappings.hpp"

#include <cmath>
#include <limits>

#include "ref/reference.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

// ---- Pooling ----
//
// Averages are summed in f64 and divided once, so that they are rounded once.

/// The result of a window without any element of the image.
template <class Value> Value lowest(data_type dtype) {
    if constexpr (std::is_same_v<Value, float>) {
        return -float_format_of(dtype).max;
    } else {
        if (dtype == data_type::s8) return std::numeric_limits<std::int8_t>::min();
        return dtype == data_type::u8 ? 0 : std::numeric_limits<std::int32_t>::min();
    }
}

/// Elements of a window.
double taps_of(const pooling_shape &s) { return double(s.KD * s.KH * s.KW); }
/// The place of a tap in a window, as the workspace stores it.
std::int32_t index_of(const pooling_shape &s, const tap &t) {
    return static_cast<std::int32_t>((t.kd * s.KH + t.kh) * s.KW + t.kw);
}

/// Calls body(i, x, tap) for every element x in the windows of the outputs at[w] + i.
template <class Value, class Body>
void for_each_input(
    const pooling_shape &s, const tensor &src, const dims_t &at, dim_t count, const Body &body) {
    Value row[row_length];
    for_each_tap<false>(s, at, count, [&](const tap &t) {
        const dims_t src_at = spatial_position(s.spatial_ndims, at[0], at[1], t.d, t.h, t.w);
        src.read(row, src_at, s.spatial_ndims + 1, t.count, s.SW);
        for (dim_t i = 0; i < t.count; ++i) body(t.first + i, row[i], t);
    });
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
        Value best[row_length];
        std::int32_t index[row_length];
        std::fill_n(best, count, lowest<Value>(desc.src.dtype));
        std::fill_n(index, count, -1);
        for_each_input<Value>(s, src, at, count, [&](dim_t i, Value x, const tap &t) {
            if (index[i] >= 0 && !(x > best[i]) && best[i] == best[i]) return;
            if (index[i] >= 0 && x != x) return;
            best[i] = x;
            index[i] = index_of(s, t);
        });
        for (dim_t i = 0; i < count; ++i) index[i] = std::max(index[i], 0);
        if (workspace) workspace.write(index, at, w_dim, count);
        finish.store(best, at, count);
    });
    zero_padding(desc.workspace, ctx.data(DNNL_ARG_WORKSPACE));
}

/// The divisors of the averages of the outputs at[w] + i: the numbers of elements in their windows.
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
    finish.for_each_row(taps_of(s), [&](const dims_t &at, dim_t n) {
        double sum[row_length] = {}, sizes[row_length];
        float average[row_length];
        for_each_input<Value>(s, src, at, n, [&](dim_t i, Value x, const tap &) { sum[i] += x; });
        window_sizes(s, desc.alg, at, n, sizes);
        for (dim_t i = 0; i < n; ++i) average[i] = static_cast<float>(sum[i] / sizes[i]);
        finish.store(average, at, n);
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

// ---- Resampling ----
//
// A result is sum over kw of weight(kw) * (sum over kd, kh of weight(kd) * weight(kh) * element),
// every sum from 0 in ascending order, each step one fused multiply-add.

/// An element along one dimension and its share.
struct share {
    dim_t index;
    float weight;
};
using shares = std::vector<share>;

/// The inputs of output o; linear: those with weights above 0.
shares inputs_of(dnnl_alg_kind_t alg, dim_t o, dim_t I, dim_t O) {
    const double at = (double(o) + 0.5) * double(I);
    if (alg == dnnl_resampling_nearest) return {{std::min(I - 1, dim_t(at / double(O))), 1.0f}};
    const double x = at / double(O) - 0.5, below = std::floor(x);
    const dim_t i0 = std::max(dim_t(below), dim_t {0});
    const dim_t i1 = std::min(dim_t(std::ceil(x)), I - 1);
    if (i0 == i1) return {{i0, 1.0f}};
    const double weight = x - below;
    return {{i0, static_cast<float>(1 - weight)}, {i1, static_cast<float>(weight)}};
}

/// For each output its inputs; backward, for each input the outputs that it has a share in.
std::vector<shares> list_shares(dnnl_alg_kind_t alg, bool forward, dim_t I, dim_t O) {
    std::vector<shares> result(std::size_t(forward ? O : I));
    for (dim_t o = 0; o < O; ++o)
        for (const share &t : inputs_of(alg, o, I, O)) {
            const share taken {forward ? t.index : o, t.weight};
            result[std::size_t(forward ? o : t.index)].push_back(taken);
        }
    return result;
}

/// What each index of the result takes from the other tensor: a list of shares for each index,
/// along each spatial dimension.
struct share_lists {
    std::vector<shares> d, h, w;
};

template <class Value>
Value result_at(const share_lists &lists, int spatial_ndims, const tensor &from, const dims_t &at) {
    const spatial_indices x(at, spatial_ndims);
    Value result = 0;
    for (const share &w : lists.w[std::size_t(x.w)]) {
        Value sum = 0;
        for (const share &d : lists.d[std::size_t(x.d)])
            for (const share &h : lists.h[std::size_t(x.h)]) {
                const dims_t position =
                    spatial_position(spatial_ndims, at[0], at[1], d.index, h.index, w.index);
                const auto weight = static_cast<Value>(d.weight * h.weight);
                sum = static_cast<Value>(std::fma(weight, from.get<Value>(position), sum));
            }
        result = static_cast<Value>(std::fma(static_cast<Value>(w.weight), sum, result));
    }
    return result;
}

/// Computes the result row by row. Value is float; double with an f64 tensor, which has no
/// post-ops; std::int32_t where integers are copied.
template <class Value>
void resample(const resampling_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const bool forward = is_forward(desc.prop);
    const int result_arg = forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    const memory_desc &md = ctx.desc(result_arg);
    const int spatial = md.ndims - 2, w_dim = md.ndims - 1;
    if (md.has_zero_dim()) return;
    const resampling_shape s = shape_of(desc);
    const auto list = [&](dim_t I, dim_t O) { return list_shares(desc.alg, forward, I, O); };
    const share_lists lists {list(s.ID, s.OD), list(s.IH, s.OH), list(s.IW, s.OW)};
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

// ---- Local response normalization, image by image in f64 ----

using values = double *; ///< [C][D][H][W] of one image

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

/// Local response normalization. Each thread works on one image at a time, in f64.
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
        const double image_ns = (forward ? 100.0 : 200.0) * double(size_);
        const tensor src(ctx, DNNL_ARG_SRC), diff_dst(ctx, DNNL_ARG_DIFF_DST);
        const tensor result(ctx, result_arg);
        const int row_dim = desc_.src.ndims - 1;
        if (!desc_.src.has_zero_dim())
            parallel_for(s_.MB, image_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
                const values images = ctx.scratch(images_) + thread * images_of_thread() * size_;
                for (dim_t n = begin; n < end; ++n) {
                    // body(position, count, elements): those of a row in the first of the images.
                    const auto for_each_row = [&](const auto &body) {
                        box image {desc_.src.ndims, {n}, desc_.src.dims};
                        image.extents[0] = 1;
                        values x = images;
                        image.for_each_row(row_dim, [&](const dims_t &at, dim_t count) {
                            body(at, count, x);
                            x += count;
                        });
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

    /// Computes dst = src * omega^-beta; src is the first image of x and is overwritten by dst.
    void run_forward(values x) const {
        const values squares = x + size_, omega = squares + size_;
        find_omega(x, squares, omega);
        for (dim_t i = 0; i < size_; ++i) x[i] *= std::pow(omega[i], -double {desc_.beta});
    }

    /// diff_src = diff_dst * omega^-beta
    ///     - 2 alpha beta / n * src * sum over the window of diff_dst * src * omega^(-beta - 1),
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

planned make_pooling(problem &p) {
    const auto &desc = std::get<pooling_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst})) return why;
    if (!is_forward(desc.prop)) {
        if (!is_float(desc.src.dtype) || !is_float(desc.dst.dtype))
            return "gradients are not f32, bf16 or f16";
        return make_function_plan(p, backward);
    }
    const bool integer = is_integer(desc.src.dtype);
    if (desc.alg == dnnl_pooling_max)
        return make_function_plan(p, integer ? max_forward<std::int32_t> : max_forward<float>);
    return make_function_plan(p, integer ? average_forward<std::int32_t> : average_forward<float>);
}

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

planned make_lrn(problem &p) {
    const auto &desc = std::get<lrn_desc>(p.op);
    if (const char *why = common_refusal(p.attr, {&desc.src, &desc.dst, &desc.data}, float_types))
        return why;
    return planned(std::make_unique<lrn_plan>(p));
}

} // namespace dnnl::impl::ref
