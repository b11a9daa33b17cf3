// SPDX-License-Identifier: Apache-2.0
// Batch, layer and group normalization, forward and gradients (specification: the sections of these
// names), in f64. The three differ only in the boxes of elements that share a statistic.
#include "common/descriptors/mappings/mappings.hpp"

#include <cmath>

#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// Over what a problem normalizes: boxes of src that share a statistic, and boxes of its channels.
struct geometry {
    const memory_desc &src;
    int channel_dim, row_dim;
    dims_t extents; ///< the extents of the box of a statistic

    geometry(const normalization_desc &desc, int channels)
        : src(is_forward(desc.prop) ? desc.src : desc.data), channel_dim(channels),
          row_dim(row_dimension(src)), extents(src.dims) {}
    geometry(const batch_normalization_desc &desc) : geometry(desc, 1) { extents[1] = 1; }
    geometry(const layer_normalization_desc &desc)
        : geometry(desc, (is_forward(desc.prop) ? desc.src : desc.data).ndims - 1) {
        std::fill_n(extents.begin(), channel_dim, 1);
    }
    geometry(const group_normalization_desc &desc) : geometry(desc, 1) {
        extents[0] = 1;
        extents[1] /= desc.groups;
    }

    /// Calls body(box) in parallel for all boxes of these extents that src consists of.
    template <class Body> void for_each_box(const dims_t &of_box, const Body &body) const {
        box all {src.ndims, {}, {}};
        for (int d = 0; d < src.ndims; ++d) all.extents[d] = src.dims[d] / of_box[d];
        all.for_each_piece(0, 1, 1000.0, [&](dims_t at, dim_t) {
            for (int d = 0; d < src.ndims; ++d) at[d] *= of_box[d];
            body(box {src.ndims, at, of_box});
        });
    }
};

/// The mean or the variance, read and written at positions in src. Absent where it is no argument;
/// then it is computed, or the mean is 0.
tensor statistic(const batch_normalization_desc &, const exec_context &ctx, int arg) {
    return ctx.data(arg) ? tensor::along(1, ctx.desc(arg), ctx.data(arg)) : tensor();
}
tensor statistic(const layer_normalization_desc &desc, const exec_context &ctx, int arg) {
    return arg == DNNL_ARG_MEAN && desc.has(dnnl_rms_norm) ? tensor() : tensor(ctx, arg);
}
tensor statistic(const group_normalization_desc &desc, const exec_context &ctx, int arg) {
    if (!ctx.data(arg)) return {};
    return tensor::grouped(ctx.desc(arg), 1, source_of(desc).dims[1] / desc.groups, ctx.data(arg));
}

/// Scale, shift or one of their gradients, indexed by positions in src; absent where not used.
tensor channel_vector(const geometry &g, const exec_context &ctx, int arg, bool used) {
    return used ? tensor::along(g.channel_dim, ctx.desc(arg), ctx.data(arg)) : tensor();
}
void read_or(
    const tensor &vector, double *row, const dims_t &at, int dim, dim_t count, double missing) {
    std::fill_n(row, count, missing);
    if (vector) vector.read(row, at, dim, count);
}

/// dst = scale * (src - mean) / sqrt(variance + epsilon) + shift, relu, then the attributes. The
/// mean of rms_norm is 0.
template <class Desc>
void forward(const Desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const geometry g(desc);
    if (g.src.has_zero_dim()) return;
    const bool given = desc.has(dnnl_use_global_stats), relu = desc.has(dnnl_fuse_norm_relu);
    const tensor src(ctx, DNNL_ARG_SRC);
    const tensor workspace = relu ? tensor(ctx, DNNL_ARG_WORKSPACE) : tensor();
    const tensor means = statistic(desc, ctx, DNNL_ARG_MEAN);
    const tensor variances = statistic(desc, ctx, DNNL_ARG_VARIANCE);
    const tensor scales = channel_vector(g, ctx, DNNL_ARG_SCALE, desc.has(dnnl_use_scale));
    const tensor shifts = channel_vector(g, ctx, DNNL_ARG_SHIFT, desc.has(dnnl_use_shift));
    epilogue finish(ctx, attr, DNNL_ARG_DST, g.row_dim);
    finish.scale_by(tensor::scales(ctx, attr, DNNL_ARG_SRC));
    g.for_each_box(g.extents, [&](const box &b) {
        double x[row_length], scale[row_length], shift[row_length];
        const double elements = double(b.size());
        const auto mean_of = [&](const auto &term) {
            double sum = 0;
            b.for_each_row(g.row_dim, [&](const dims_t &at, dim_t count) {
                src.read(x, at, g.row_dim, count);
                double part = 0;
                for (dim_t i = 0; i < count; ++i) part += term(x[i]);
                sum += part;
            });
            return sum / elements;
        };
        double mean = 0, variance = 0;
        if (given) {
            if (means) mean = means.get<double>(b.origin);
            variance = variances.get<double>(b.origin);
        } else {
            if (!desc.has(dnnl_rms_norm)) mean = mean_of([](double s) { return s; });
            variance = mean_of([&](double s) { return (s - mean) * (s - mean); });
            if (means) means.set(b.origin, mean);
            if (variances) variances.set(b.origin, variance);
        }
        const double inverse = 1 / std::sqrt(variance + desc.epsilon);
        b.for_each_row(g.row_dim, [&](const dims_t &at, dim_t count) {
            float y[row_length];
            std::int32_t passed[row_length];
            src.read(x, at, g.row_dim, count);
            read_or(scales, scale, at, g.row_dim, count, 1);
            read_or(shifts, shift, at, g.row_dim, count, 0);
            for (dim_t i = 0; i < count; ++i) {
                y[i] = static_cast<float>(scale[i] * ((x[i] - mean) * inverse) + shift[i]);
                passed[i] = y[i] > 0;
                if (relu && y[i] <= 0) y[i] = 0;
            }
            if (workspace) workspace.write(passed, at, g.row_dim, count);
            finish.store(y, at, count);
        });
    });
    finish.zero_dst_padding();
    zero_padding(desc.workspace, ctx.data(DNNL_ARG_WORKSPACE));
}

/// What the gradients read, in rows: d, which is diff_dst where the relu let the result pass and
/// else 0, and the normalized src.
struct gradient_rows {
    int dim;
    double epsilon;
    tensor src, diff_dst, workspace, mean, variance;

    void read(double *diff, double *normalized, const dims_t &at, dim_t count) const {
        double means[row_length], variances[row_length];
        std::int32_t passed[row_length];
        diff_dst.read(diff, at, dim, count);
        src.read(normalized, at, dim, count);
        read_or(mean, means, at, dim, count, 0);
        variance.read(variances, at, dim, count);
        for (dim_t i = 0; i < count; ++i)
            normalized[i] = (normalized[i] - means[i]) / std::sqrt(variances[i] + epsilon);
        if (!workspace) return;
        workspace.read(passed, at, dim, count);
        for (dim_t i = 0; i < count; ++i)
            if (!passed[i]) diff[i] = 0;
    }
};

/// Of a channel: diff_scale = sum of diff_dst * normalized src, diff_shift = sum of diff_dst.
template <class Desc>
void backward_vectors(
    const Desc &desc, const geometry &g, const gradient_rows &rows, const exec_context &ctx) {
    const bool wanted = desc.prop == dnnl_backward;
    const tensor diff_scale =
        channel_vector(g, ctx, DNNL_ARG_DIFF_SCALE, wanted && desc.has(dnnl_use_scale));
    const tensor diff_shift =
        channel_vector(g, ctx, DNNL_ARG_DIFF_SHIFT, wanted && desc.has(dnnl_use_shift));
    if (!diff_scale && !diff_shift) return;
    dims_t of_channel = g.src.dims;
    of_channel[g.channel_dim] = 1;
    g.for_each_box(of_channel, [&](const box &channel) {
        double dd[row_length], x[row_length], of_scale = 0, of_shift = 0;
        channel.for_each_row(g.row_dim, [&](const dims_t &at, dim_t count) {
            rows.read(dd, x, at, count);
            for (dim_t i = 0; i < count; ++i) {
                of_scale += dd[i] * x[i];
                of_shift += dd[i];
            }
        });
        if (diff_scale) diff_scale.set(channel.origin, of_scale);
        if (diff_shift) diff_shift.set(channel.origin, of_shift);
    });
}

/// diff_src = (d - (sum of d + x * sum of d * x) / T) / sqrt(variance + epsilon), where d = scale *
/// diff_dst, x is the normalized src, and the sums run over the T elements of a statistic. Where
/// statistics were given both sums are left out; where the mean is 0 by definition the sum of d is.
template <class Desc>
void backward(const Desc &desc, const primitive_attr &, const exec_context &ctx) {
    const geometry g(desc);
    if (g.src.has_zero_dim()) return;
    const bool relu = desc.has(dnnl_fuse_norm_relu);
    const gradient_rows rows {g.row_dim, desc.epsilon, tensor(ctx, DNNL_ARG_SRC),
        tensor(ctx, DNNL_ARG_DIFF_DST), relu ? tensor(ctx, DNNL_ARG_WORKSPACE) : tensor(),
        statistic(desc, ctx, DNNL_ARG_MEAN), statistic(desc, ctx, DNNL_ARG_VARIANCE)};
    const tensor scales = channel_vector(g, ctx, DNNL_ARG_SCALE, desc.has(dnnl_use_scale));
    const bool centred = !desc.has(dnnl_rms_norm);
    // The vectors come first, because diff_src may overwrite diff_dst.
    backward_vectors(desc, g, rows, ctx);
    const tensor diff_src(ctx, DNNL_ARG_DIFF_SRC);
    g.for_each_box(g.extents, [&](const box &b) {
        double d[row_length], x[row_length], scale[row_length], of_d = 0, of_dx = 0;
        const auto read = [&](const dims_t &at, dim_t count) {
            rows.read(d, x, at, count);
            read_or(scales, scale, at, g.row_dim, count, 1);
            for (dim_t i = 0; i < count; ++i) d[i] *= scale[i];
        };
        if (!desc.has(dnnl_use_global_stats))
            b.for_each_row(g.row_dim, [&](const dims_t &at, dim_t count) {
                read(at, count);
                for (dim_t i = 0; i < count; ++i) {
                    of_d += centred ? d[i] : 0;
                    of_dx += d[i] * x[i];
                }
            });
        const double variance = rows.variance.get<double>(b.origin);
        const double inverse = 1 / std::sqrt(variance + rows.epsilon);
        const double elements = double(b.size());
        const double mean_d = of_d / elements, mean_dx = of_dx / elements;
        b.for_each_row(g.row_dim, [&](const dims_t &at, dim_t count) {
            read(at, count);
            for (dim_t i = 0; i < count; ++i) d[i] = inverse * (d[i] - (mean_d + x[i] * mean_dx));
            diff_src.write(d, at, g.row_dim, count);
        });
    });
    zero_padding(desc.src, ctx.data(DNNL_ARG_DIFF_SRC));
}

template <class Desc> planned make(problem &p) {
    const auto &desc = std::get<Desc>(p.op);
    if (const char *why = types_refusal(desc)) return why;
    if (const char *why = common_refusal(
            p.attr, {&desc.src, &desc.dst, &desc.data, &desc.statistics}, common_types))
        return why;
    return make_function_plan(p, is_forward(desc.prop) ? forward<Desc> : backward<Desc>);
}

} // namespace

planned make_batch_normalization(problem &p) { return make<batch_normalization_desc>(p); }
planned make_layer_normalization(problem &p) { return make<layer_normalization_desc>(p); }
planned make_group_normalization(problem &p) { return make<group_normalization_desc>(p); }

} // namespace dnnl::impl::ref
