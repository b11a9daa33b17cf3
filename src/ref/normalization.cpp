// SPDX-License-Identifier: Apache-2.0
// Batch, layer and group normalization, forward and gradients (specification: the sections of these
// names), in f64. They differ only in the boxes of elements that share a statistic.
#include "common/descriptors/normalization.hpp"

#include <cmath>

#include "ref/function_plan.hpp"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// A box of src: the elements that share a statistic, or those of a channel.
struct region {
    int ndims;
    dims_t origin {}, extents {};

    double size() const {
        dim_t product = 1;
        for (int d = 0; d < ndims; ++d) product *= extents[d];
        return static_cast<double>(product);
    }
    /// body(position, count) for pieces of rows along `dim`, in row-major order.
    template <class Body> void for_each_row(int dim, const Body &body) const {
        const dim_t lines = static_cast<dim_t>(size()) / extents[dim];
        for (dim_t line = 0; line < lines; ++line) {
            dims_t at = origin;
            dim_t rest = line;
            for (int d = ndims - 1; d >= 0; --d) {
                if (d == dim) continue;
                at[d] += rest % extents[d];
                rest /= extents[d];
            }
            for (dim_t x = 0; x < extents[dim]; x += row_length) {
                at[dim] = origin[dim] + x;
                body(at, std::min(row_length, extents[dim] - x));
            }
        }
    }
};

/// What a problem normalizes over: the regions of its statistics and of its channels.
struct geometry {
    const memory_desc &src;
    int channel_dim, row_dim;
    dims_t extents; ///< of the region of a statistic

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

    template <class Body> void for_each_statistic(const Body &body) const {
        const dim_t size = static_cast<dim_t>(region {src.ndims, {}, extents}.size());
        for_each_parallel(src.nelems() / size, 1, [&](dim_t index, dim_t) {
            region r {src.ndims, {}, extents};
            for (int d = src.ndims - 1; d >= 0; --d) {
                const dim_t count = src.dims[d] / extents[d];
                r.origin[d] = index % count * extents[d];
                index /= count;
            }
            body(r);
        });
    }
    template <class Body> void for_each_channel(const Body &body) const {
        for_each_parallel(src.dims[channel_dim], 1, [&](dim_t c, dim_t) {
            region r {src.ndims, {}, src.dims};
            r.origin[channel_dim] = c;
            r.extents[channel_dim] = 1;
            body(r);
        });
    }
};

/// Mean or variance, read and written at positions in src.
tensor statistic(const batch_normalization_desc &, const exec_context &ctx, int arg) {
    return ctx.data(arg) ? tensor::along(1, ctx.desc(arg), ctx.data(arg)) : tensor();
}
tensor statistic(const layer_normalization_desc &, const exec_context &ctx, int arg) {
    return tensor(ctx, arg);
}
tensor statistic(const group_normalization_desc &desc, const exec_context &ctx, int arg) {
    if (!ctx.data(arg)) return {};
    return tensor::grouped(ctx.desc(arg), 1, source_of(desc).dims[1] / desc.groups, ctx.data(arg));
}

/// Scale, shift and their gradients, by positions in src.
class channel_vector {
  public:
    channel_vector(const geometry &g, const exec_context &ctx, int arg, bool used)
        : dim_(g.row_dim) {
        if (used) values_ = tensor::along(g.channel_dim, ctx.desc(arg), ctx.data(arg));
    }
    explicit operator bool() const { return static_cast<bool>(values_); }
    void read(double *row, const dims_t &position, dim_t count, double missing) const {
        std::fill_n(row, count, missing);
        if (values_) values_.read(row, position, dim_, count);
    }
    void set(const dims_t &position, double value) const { values_.set(position, value); }

  private:
    int dim_;
    tensor values_;
};

/// The sum of term(position, count) over the pieces of rows of a region.
template <class Term> double sum_of(const region &r, int row_dim, const Term &term) {
    double sum = 0;
    r.for_each_row(row_dim, [&](const dims_t &at, dim_t count) { sum += term(at, count); });
    return sum;
}

/// dst = scale * (src - mean) / sqrt(variance + epsilon) + shift, relu, then the attributes.
template <class Desc>
void forward(const Desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const geometry g(desc);
    if (g.src.has_zero_dim()) return;
    const bool given = desc.has(dnnl_use_global_stats), relu = desc.has(dnnl_fuse_norm_relu);
    const tensor src(ctx, DNNL_ARG_SRC);
    const tensor workspace = relu ? tensor(ctx, DNNL_ARG_WORKSPACE) : tensor();
    const tensor means = statistic(desc, ctx, DNNL_ARG_MEAN);
    const tensor variances = statistic(desc, ctx, DNNL_ARG_VARIANCE);
    const channel_vector scales(g, ctx, DNNL_ARG_SCALE, desc.has(dnnl_use_scale));
    const channel_vector shifts(g, ctx, DNNL_ARG_SHIFT, desc.has(dnnl_use_shift));
    epilogue finish(ctx, attr, DNNL_ARG_DST, g.row_dim);
    finish.scale_by(tensor::quantization_values(
        ctx, DNNL_ARG_ATTR_SCALES, attr.scales.find(DNNL_ARG_SRC), desc.src));
    g.for_each_statistic([&](const region &r) {
        double x[row_length], scale[row_length], shift[row_length];
        const auto sum = [&](const auto &term) {
            return sum_of(r, g.row_dim, [&](const dims_t &at, dim_t count) {
                src.read(x, at, g.row_dim, count);
                double part = 0;
                for (dim_t i = 0; i < count; ++i) part += term(x[i]);
                return part;
            });
        };
        double mean = 0, variance = 0;
        if (given) {
            mean = means.get<double>(r.origin);
            variance = variances.get<double>(r.origin);
        } else {
            mean = sum([](double s) { return s; }) / r.size();
            variance = sum([&](double s) { return (s - mean) * (s - mean); }) / r.size();
            if (means) means.set(r.origin, mean);
            if (variances) variances.set(r.origin, variance);
        }
        const double inverse = 1 / std::sqrt(variance + desc.epsilon);
        r.for_each_row(g.row_dim, [&](const dims_t &at, dim_t count) {
            float y[row_length];
            std::int32_t passed[row_length];
            src.read(x, at, g.row_dim, count);
            scales.read(scale, at, count, 1);
            shifts.read(shift, at, count, 0);
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

/// What the gradients read, in rows: diff_dst where the relu let the result pass, else 0, and the
/// normalized src.
template <class Desc> class gradient_rows {
  public:
    gradient_rows(const Desc &desc, const geometry &g, const exec_context &ctx)
        : dim_(g.row_dim), epsilon_(desc.epsilon), src_(ctx, DNNL_ARG_SRC),
          diff_dst_(ctx, DNNL_ARG_DIFF_DST), mean_(statistic(desc, ctx, DNNL_ARG_MEAN)),
          variance_(statistic(desc, ctx, DNNL_ARG_VARIANCE)) {
        if (desc.has(dnnl_fuse_norm_relu)) workspace_ = tensor(ctx, DNNL_ARG_WORKSPACE);
    }

    double inverse_at(const dims_t &position) const {
        return 1 / std::sqrt(variance_.template get<double>(position) + epsilon_);
    }
    void read(double *diff, double *normalized, const dims_t &at, dim_t count) const {
        double mean[row_length], variance[row_length];
        std::int32_t passed[row_length];
        diff_dst_.read(diff, at, dim_, count);
        src_.read(normalized, at, dim_, count);
        mean_.read(mean, at, dim_, count);
        variance_.read(variance, at, dim_, count);
        for (dim_t i = 0; i < count; ++i)
            normalized[i] = (normalized[i] - mean[i]) / std::sqrt(variance[i] + epsilon_);
        if (!workspace_) return;
        workspace_.read(passed, at, dim_, count);
        for (dim_t i = 0; i < count; ++i)
            if (!passed[i]) diff[i] = 0;
    }

  private:
    int dim_;
    double epsilon_;
    tensor src_, diff_dst_, workspace_, mean_, variance_;
};

/// diff_scale = sum of diff_dst * x, diff_shift = sum of diff_dst over a channel; x: normalized
/// src.
template <class Desc>
void backward_vectors(
    const Desc &desc, const geometry &g, const gradient_rows<Desc> &rows, const exec_context &ctx) {
    const bool wanted = desc.prop == dnnl_backward;
    const channel_vector diff_scale(
        g, ctx, DNNL_ARG_DIFF_SCALE, wanted && desc.has(dnnl_use_scale));
    const channel_vector diff_shift(
        g, ctx, DNNL_ARG_DIFF_SHIFT, wanted && desc.has(dnnl_use_shift));
    if (!diff_scale && !diff_shift) return;
    g.for_each_channel([&](const region &channel) {
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

/// diff_src = (d - (sum of d + x * sum of d * x) / T) / sqrt(variance + epsilon), d = scale *
/// diff_dst, sums over the T elements of a statistic; without the sums where statistics were given.
template <class Desc>
void backward(const Desc &desc, const primitive_attr &, const exec_context &ctx) {
    const geometry g(desc);
    if (g.src.has_zero_dim()) return;
    const gradient_rows<Desc> rows(desc, g, ctx);
    const channel_vector scales(g, ctx, DNNL_ARG_SCALE, desc.has(dnnl_use_scale));
    // diff_src may be the memory of diff_dst, so the vectors come first.
    backward_vectors(desc, g, rows, ctx);
    const tensor diff_src(ctx, DNNL_ARG_DIFF_SRC);
    g.for_each_statistic([&](const region &r) {
        double d[row_length], x[row_length], scale[row_length], of_d = 0, of_dx = 0;
        const auto read = [&](const dims_t &at, dim_t count) {
            rows.read(d, x, at, count);
            scales.read(scale, at, count, 1);
            for (dim_t i = 0; i < count; ++i) d[i] *= scale[i];
        };
        if (!desc.has(dnnl_use_global_stats))
            r.for_each_row(g.row_dim, [&](const dims_t &at, dim_t count) {
                read(at, count);
                for (dim_t i = 0; i < count; ++i) {
                    of_d += d[i];
                    of_dx += d[i] * x[i];
                }
            });
        const double inverse = rows.inverse_at(r.origin);
        const double mean_d = of_d / r.size(), mean_dx = of_dx / r.size();
        r.for_each_row(g.row_dim, [&](const dims_t &at, dim_t count) {
            read(at, count);
            for (dim_t i = 0; i < count; ++i) d[i] = inverse * (d[i] - (mean_d + x[i] * mean_dx));
            diff_src.write(d, at, g.row_dim, count);
        });
    });
    zero_padding(desc.src, ctx.data(DNNL_ARG_DIFF_SRC));
}

template <class Desc> planned make_checked(problem &p, const char *why_not) {
    const auto &desc = std::get<Desc>(p.op);
    if (why_not) return why_not;
    if (const char *why = common_refusal(
            p.attr, {&desc.src, &desc.dst, &desc.data, &desc.statistics}, common_types))
        return why;
    return make_function_plan<Desc>(p, is_forward(desc.prop) ? forward<Desc> : backward<Desc>);
}

} // namespace

planned make_batch_normalization(problem &p) {
    using desc = batch_normalization_desc;
    return make_checked<desc>(p, batch_normalization_refusal(std::get<desc>(p.op)));
}
planned make_layer_normalization(problem &p) {
    using desc = layer_normalization_desc;
    return make_checked<desc>(p, mixed_types_refusal(std::get<desc>(p.op)));
}
planned make_group_normalization(problem &p) {
    using desc = group_normalization_desc;
    return make_checked<desc>(p, mixed_types_refusal(std::get<desc>(p.op)));
}

} // namespace dnnl::impl::ref
