// SPDX-License-Identifier: Apache-2.0
// Convolution, deconvolution, inner product and matrix multiplication, forward and gradients
// (specification: "Convolution and Deconvolution", "Inner Product", "Matrix Multiplication"). Acc
// is float, or double for operands of int8, whose sums are exact. Sums run over kd, kh, kw and
// channel in index order; those of the gradient of weights over mb, od, oh and rows of ow; those of
// a matrix product over k. multiply_add() says how they are rounded.

#include <numeric>

#include "common/descriptors/products/shapes.hpp"
#include "common/plan/nested_plan.hpp"
#include "ref/reference.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

/// The epilogue of a product; rows run along `dim` of the result.
epilogue product_epilogue(
    const exec_context &ctx, const primitive_attr &attr, int result_arg, int dim) {
    epilogue finish(ctx, attr, result_arg, dim);
    finish.scale_by(tensor::channel_scales(ctx, attr, DNNL_ARG_SRC));
    finish.scale_by(tensor::channel_scales(ctx, attr, DNNL_ARG_WEIGHTS));
    finish.add_bias(tensor::along(1, ctx.desc(DNNL_ARG_BIAS), ctx.data(DNNL_ARG_BIAS)));
    return finish;
}

/// diff_bias[c] = sum over mb and space of diff_dst[mb][c].
void backward_bias(const exec_context &ctx) {
    const tensor diff_dst(ctx, DNNL_ARG_DIFF_DST), diff_bias(ctx, DNNL_ARG_DIFF_BIAS);
    if (!diff_bias) return;
    const memory_desc &md = ctx.desc(DNNL_ARG_DIFF_DST);
    const int row_dim = md.ndims - 1;
    const dim_t channels = ctx.desc(DNNL_ARG_DIFF_BIAS).dims[0];
    for_each_parallel(channels, 1, [&](dim_t c, dim_t) {
        box channel {md.ndims, {0, c}, md.dims};
        channel.extents[1] = 1;
        float row[row_length], sum = 0;
        channel.for_each_row(row_dim, [&](const dims_t &at, dim_t count) {
            diff_dst.read(row, at, row_dim, count);
            float row_sum = 0;
            for (dim_t i = 0; i < count; ++i) row_sum += row[i];
            sum += row_sum;
        });
        diff_bias.set(dims_t {c}, sum);
    });
}

// ---- Convolution ----

dims_t weights_position(const convolution_shape &s, dim_t g, dim_t oc, dim_t ic, const tap &t) {
    dims_t position = spatial_position(s.spatial_ndims, oc, ic, t.kd, t.kh, t.kw);
    if (!s.has_groups) return position;
    std::shift_right(position.begin(), position.end(), 1);
    position[0] = g;
    return position;
}

/// Computes the sums of the outputs ow = at[w] + i of one row of dst. Backward, it computes those
/// of one row of diff_src: the products of all outputs that use an input.
template <class Acc, bool IsBackward>
void sum_row(const convolution_shape &s, const tensor &from, const tensor &zero_point,
    const tensor &weights, const dims_t &at, dim_t count, Acc *sum) {
    const dim_t channels = IsBackward ? s.IC : s.OC, summed_channels = IsBackward ? s.OC : s.IC;
    const dim_t g = at[1] / channels, c = at[1] % channels;
    const dim_t from_step = IsBackward ? 1 : s.SW, sum_step = IsBackward ? s.SW : 1;
    Acc row[row_length];
    std::fill_n(sum, count, Acc {0});
    for_each_tap<IsBackward>(s, at, count, [&](const tap &t) {
        for (dim_t other = 0; other < summed_channels; ++other) {
            const dims_t from_at = spatial_position(
                s.spatial_ndims, at[0], g * summed_channels + other, t.d, t.h, t.w);
            read_shifted(from, zero_point, row, from_at, s.spatial_ndims + 1, t.count, from_step);
            const dim_t oc = IsBackward ? other : c, ic = IsBackward ? c : other;
            const Acc w = weights.get<Acc>(weights_position(s, g, oc, ic, t));
            multiply_add(sum + t.first, w, row, t.count, sum_step);
        }
    });
}

/// The forward pass, or backward data, which has attributes and a bias only in a deconvolution.
template <class Acc, bool IsBackward>
void convolve(const convolution_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const convolution_shape s = shape_of(desc);
    const tensor from(ctx, IsBackward ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC);
    const tensor weights(ctx, DNNL_ARG_WEIGHTS);
    const tensor zero_point =
        tensor::zero_points(ctx, attr, DNNL_ARG_SRC, IsBackward ? &desc.dst : &desc.src);
    const epilogue finish = product_epilogue(
        ctx, attr, IsBackward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, s.spatial_ndims + 1);
    const double products = double((IsBackward ? s.OC : s.IC) * s.KD * s.KH * s.KW);
    finish.for_each_row(products, [&](const dims_t &at, dim_t count) {
        Acc sum[row_length];
        sum_row<Acc, IsBackward>(s, from, zero_point, weights, at, count, sum);
        finish.store(sum, at, count);
    });
}

/// The sum over mb, od, oh, ow of src * diff_dst for one element of the weights.
float sum_backward_weights(
    const convolution_shape &s, const tensor &src, const tensor &diff_dst, const dims_t &at) {
    const int w_dim = s.spatial_ndims + 1, first = s.has_groups ? 1 : 0;
    const dim_t g = s.has_groups ? at[0] : 0;
    const dim_t goc = g * s.OC + at[first], gic = g * s.IC + at[first + 1];
    const spatial_indices k(at, s.spatial_ndims, first + 2);
    const dim_t in_d = tap_offset(k.d, s.DD, s.PD), in_h = tap_offset(k.h, s.DH, s.PH);
    const dim_t in_w = tap_offset(k.w, s.DW, s.PW);
    const range od = outputs_within({0, s.ID}, in_d, s.SD, {0, s.OD});
    const range oh = outputs_within({0, s.IH}, in_h, s.SH, {0, s.OH});
    const range ow = outputs_within({0, s.IW}, in_w, s.SW, {0, s.OW});
    const box used {s.spatial_ndims + 2,
        spatial_position(s.spatial_ndims, 0, goc, od.begin, oh.begin, ow.begin),
        spatial_position(s.spatial_ndims, s.MB, 1, od.size(), oh.size(), ow.size())};
    float a[row_length], b[row_length], sum = 0;
    used.for_each_row(w_dim, [&](const dims_t &dst_at, dim_t count) {
        const spatial_indices o(dst_at, s.spatial_ndims);
        const dims_t src_at = spatial_position(s.spatial_ndims, dst_at[0], gic, o.d * s.SD + in_d,
            o.h * s.SH + in_h, o.w * s.SW + in_w);
        src.read(a, src_at, w_dim, count, s.SW);
        diff_dst.read(b, dst_at, w_dim, count);
        float row_sum = 0;
        for (dim_t i = 0; i < count; ++i) row_sum += a[i] * b[i];
        sum += row_sum;
    });
    return sum;
}

void backward_weights(
    const convolution_desc &desc, const primitive_attr &, const exec_context &ctx) {
    const convolution_shape s = shape_of(desc);
    const tensor src(ctx, DNNL_ARG_SRC), diff_dst(ctx, DNNL_ARG_DIFF_DST);
    const tensor diff_weights(ctx, DNNL_ARG_DIFF_WEIGHTS);
    const double products = double(s.MB * s.OD * s.OH * s.OW);
    const memory_desc &md = desc.weights;
    box {md.ndims, {}, md.dims}.for_each_piece(0, 1, products, [&](const dims_t &at, dim_t) {
        diff_weights.set(at, sum_backward_weights(s, src, diff_dst, at));
    });
    zero_padding(md, ctx.data(DNNL_ARG_DIFF_WEIGHTS));
    if (!desc.bias.is_zero()) backward_bias(ctx);
}

/// Plans a convolution whose types and attributes were checked.
planned plan_convolution(problem &p) {
    const auto &desc = std::get<convolution_desc>(p.op);
    if (desc.prop == dnnl_backward_weights) return make_function_plan(p, backward_weights);
    const bool OfData = desc.prop == dnnl_backward_data;
    const bool int8 = is_int8((OfData ? desc.dst : desc.src).dtype) && is_int8(desc.weights.dtype);
    if (OfData) return make_function_plan(p, int8 ? convolve<double, true> : convolve<float, true>);
    return make_function_plan(p, int8 ? convolve<double, false> : convolve<float, false>);
}

// ---- Deconvolution: the convolution that it inverts ----

/// dst[mb][oc][oh][ow] = bias[oc] + sum over ic, kh, kw and those ih, iw with
///     oh = ih * SH + kh * (DH + 1) - PH, ow = iw * SW + kw * (DW + 1) - PW of
///     src[mb][ic][ih][iw] * weights[oc][ic][kh][kw].
class deconvolution : public plan {
  public:
    explicit deconvolution(problem &p) : convolution_(p, plan_convolution) {}
    void execute(const exec_context &ctx) const override {
        convolution_.execute(ctx);
        backward_bias(ctx); // where there is one
    }

  private:
    exchanged_convolution convolution_;
};

// ---- Inner product: k stands for ic and the spatial dimensions ----

/// dst[mb][oc] = bias[oc] + sum over k of src[mb][k] * weights[oc][k].
template <class Acc>
void product(const inner_product_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const dim_t K = shape_of(desc).K();
    memory_desc image = desc.src;
    image.dims[0] = 1;
    const tensor src(ctx, DNNL_ARG_SRC), weights(ctx, DNNL_ARG_WEIGHTS);
    const epilogue finish = product_epilogue(ctx, attr, DNNL_ARG_DST, 1);
    finish.for_each_row(double(K), [&](const dims_t &at, dim_t count) {
        Acc sum[row_length] = {}, row[row_length];
        for (dim_t k = 0; k < K; ++k) {
            dims_t x = position_of(image, k);
            x[0] = at[0];
            const Acc a = src.get<Acc>(x);
            x[0] = at[1];
            weights.read(row, x, 0, count);
            multiply_add(sum, a, row, count);
        }
        finish.store(sum, at, count);
    });
}

/// Both gradients are result[i][k] = sum over j of diff_dst * other[j][k]. For diff_src, i is mb, j
/// is oc and other are the weights; for diff_weights, i is oc, j is mb and other is src.
template <class Acc, bool OfData>
void product_gradient(
    const inner_product_desc &, const primitive_attr &attr, const exec_context &ctx) {
    const int result_arg = OfData ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DIFF_WEIGHTS;
    const int other_arg = OfData ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC;
    const dim_t count_j = ctx.desc(other_arg).dims[0];
    const tensor diff_dst(ctx, DNNL_ARG_DIFF_DST), other(ctx, other_arg);
    const int dim = std::max(1, row_dimension(ctx.desc(result_arg)));
    const epilogue finish(ctx, attr, result_arg, dim);
    finish.for_each_row(double(count_j), [&](const dims_t &at, dim_t count) {
        Acc sum[row_length] = {}, row[row_length];
        for (dim_t j = 0; j < count_j; ++j) {
            dims_t other_at = at;
            other_at[0] = j;
            other.read(row, other_at, dim, count);
            const dims_t dst_at = OfData ? dims_t {at[0], j} : dims_t {j, at[0]};
            multiply_add(sum, diff_dst.get<Acc>(dst_at), row, count);
        }
        finish.store(sum, at, count);
    });
    if (!OfData) backward_bias(ctx);
}

/// Null, or why the reference does not take types or attributes of the product.
template <class Desc> const char *refusal_of(const Desc &desc, const primitive_attr &attr) {
    if (const char *why = common_refusal(attr, {&desc.src, &desc.weights, &desc.bias, &desc.dst}))
        return why;
    return product_refusal(desc);
}

// ---- Matrix multiplication: float, f8, int8, and float sources with integer weights ----

/// How many neighbours along k share scales; K when the scales do not vary along it.
dim_t scale_group(const quantization *q, int ndims, int k_dim, dim_t K) {
    return q && q->mask >> k_dim & 1 ? std::min(q->group(ndims, k_dim), K) : K;
}

/// The arguments of one execution. Positions are those of dst, [batch ..., m, n]; a position in src
/// has k in place of n, one in the weights has k in place of m.
struct operands {
    const memory_desc &src_md, &weights_md;
    int m_dim, n_dim;
    dim_t K;
    dim_t group; ///< neighbours along k with common scales; K when the epilogue applies the scales
    tensor src, weights, src_zero_point, weights_zero_point;
    tensor src_scale, weights_scale; ///< those that vary along k
    tensor reduction;                ///< the given sums of src over groups of `reduced` elements
    dim_t reduced = 0;

    operands(const primitive_attr &attr, const exec_context &ctx, epilogue &finish)
        : src_md(ctx.desc(DNNL_ARG_SRC)), weights_md(ctx.desc(DNNL_ARG_WEIGHTS)),
          m_dim(src_md.ndims - 2), n_dim(src_md.ndims - 1), K(src_md.dims[n_dim]),
          src(ctx, DNNL_ARG_SRC), weights(ctx, DNNL_ARG_WEIGHTS),
          src_zero_point(tensor::zero_points(ctx, attr, DNNL_ARG_SRC)),
          weights_zero_point(tensor::zero_points(ctx, attr, DNNL_ARG_WEIGHTS)),
          src_scale(tensor::scales(ctx, attr, DNNL_ARG_SRC)),
          weights_scale(tensor::scales(ctx, attr, DNNL_ARG_WEIGHTS)),
          reduction(tensor::reductions(ctx, attr)) {
        if (reduction) reduced = attr.reductions.find(DNNL_ARG_SRC)->group(src_md.ndims, n_dim);
        const quantization *of_src = attr.scales.find(DNNL_ARG_SRC);
        const quantization *of_weights = attr.scales.find(DNNL_ARG_WEIGHTS);
        const dim_t src_group = scale_group(of_src, src_md.ndims, n_dim, K);
        const dim_t weights_group = scale_group(of_weights, src_md.ndims, m_dim, K);
        group = std::gcd(src_group, weights_group);
        if (src_group == K) {
            src_scale.ignore(n_dim);
            finish.scale_by(std::exchange(src_scale, {}));
        }
        if (weights_group == K) {
            weights_scale.ignore(m_dim);
            finish.scale_by(std::exchange(weights_scale, {}));
        }
    }
};

/// Adds what the zero points contribute when sums of src are given. The products with the zero
/// points of the weights are not in the sums, so for each group of [k_begin, k_end): sum[j] +=
/// (group length * zero point of src - given sum) * zero point of column j.
template <class Acc>
void take_reductions(
    const operands &o, const dims_t &at, dim_t count, dim_t k_begin, dim_t k_end, Acc *sum) {
    Acc zero_points[row_length];
    for (dim_t k = k_begin; k < k_end; k += o.reduced) {
        dims_t src_at = at, weights_at = at;
        src_at[o.n_dim] = weights_at[o.m_dim] = k;
        const Acc factor = static_cast<Acc>(o.reduced) * o.src_zero_point.get_or<Acc>(src_at, 0) -
                           o.reduction.get<Acc>(src_at);
        o.weights_zero_point.read(zero_points, weights_at, o.n_dim, count);
        multiply_add(sum, factor, zero_points, count);
    }
}

/// sum[j] = sum over k in [k_begin, k_end) of (src - zero point) * (weights - zero point), for the
/// columns n = at[n_dim] + j.
template <class Acc>
void sum_products(
    const operands &o, const dims_t &at, dim_t count, dim_t k_begin, dim_t k_end, Acc *sum) {
    Acc a[row_length], b[row_length];
    std::fill_n(sum, count, Acc {0});
    for (dim_t k = k_begin; k < k_end; ++k) {
        dims_t src_at = at, weights_at = at;
        src_at[o.n_dim] = weights_at[o.m_dim] = k;
        const dim_t in_piece = (k - k_begin) % row_length;
        if (in_piece == 0)
            read_shifted(
                o.src, o.src_zero_point, a, src_at, o.n_dim, std::min(row_length, k_end - k));
        if (o.reduced)
            o.weights.read(b, weights_at, o.n_dim, count);
        else
            read_shifted(o.weights, o.weights_zero_point, b, weights_at, o.n_dim, count);
        multiply_add(sum, a[in_piece], b, count);
    }
    if (o.reduced) take_reductions(o, at, count, k_begin, k_end, sum);
}

/// Scales that vary along k multiply the sums over their groups, which are then added in order.
template <class Acc> void sum_groups(const operands &o, const dims_t &at, dim_t count, float *sum) {
    Acc partial[row_length];
    float scale[row_length];
    std::fill_n(sum, count, 0.0f);
    for (dim_t k = 0; k < o.K; k += o.group) {
        sum_products(o, at, count, k, std::min(k + o.group, o.K), partial);
        dims_t src_at = at, weights_at = at;
        src_at[o.n_dim] = weights_at[o.m_dim] = k;
        std::fill_n(scale, count, o.src_scale.get_or<float>(src_at, 1));
        o.weights_scale.apply_to(scale, weights_at, o.n_dim, count, std::multiplies<>());
        for (dim_t j = 0; j < count; ++j) sum[j] += static_cast<float>(partial[j]) * scale[j];
    }
}

template <class Acc>
void matmul(const matmul_desc &, const primitive_attr &attr, const exec_context &ctx) {
    const memory_desc &dst_md = ctx.desc(DNNL_ARG_DST);
    if (const char *why =
            matmul_shape_mismatch(ctx.desc(DNNL_ARG_SRC), ctx.desc(DNNL_ARG_WEIGHTS), dst_md))
        throw error(dnnl_invalid_arguments, why);
    const int n_dim = dst_md.ndims - 1;
    const quantization *scales = attr.scales.find(DNNL_ARG_DST);
    require(!scales || dst_md.dims[n_dim] % scales->group(dst_md.ndims, n_dim) == 0,
        "scales of DST: the group size does not divide N");
    epilogue finish(ctx, attr, DNNL_ARG_DST, n_dim);
    const operands o(attr, ctx, finish);
    finish.add_bias(tensor(ctx, DNNL_ARG_BIAS));
    finish.for_each_row(double(o.K), [&](const dims_t &at, dim_t count) {
        if (o.group < o.K) {
            float sum[row_length];
            sum_groups<Acc>(o, at, count, sum);
            finish.store(sum, at, count);
        } else {
            Acc sum[row_length];
            sum_products(o, at, count, 0, o.K, sum);
            finish.store(sum, at, count);
        }
    });
}

constexpr type_set matmul_types {
    [](data_type t) { return is_common_or_f8(t) || is_int4(t) || t == data_type::f4_e2m1; },
    "a tensor is not f32, bf16, f16, f8, s32, s8, u8, s4, u4 or f4_e2m1"};

} // namespace

planned make_convolution(problem &p) {
    const auto &desc = std::get<convolution_desc>(p.op);
    if (const char *why = refusal_of(desc, p.attr)) return why;
    if (desc.alg == dnnl_convolution_winograd) return "the Winograd algorithm is not offered";
    return plan_convolution(p);
}

planned make_deconvolution(problem &p) {
    if (const char *why = refusal_of(std::get<deconvolution_desc>(p.op), p.attr)) return why;
    default_layouts(p);
    return std::unique_ptr<plan>(std::make_unique<deconvolution>(p));
}

planned make_inner_product(problem &p) {
    const auto &desc = std::get<inner_product_desc>(p.op);
    if (const char *why = refusal_of(desc, p.attr)) return why;
    if (desc.prop == dnnl_backward_weights)
        return make_function_plan(p, product_gradient<float, false>);
    const bool OfData = desc.prop == dnnl_backward_data;
    if (!is_int8((OfData ? desc.dst : desc.src).dtype) || !is_int8(desc.weights.dtype))
        return make_function_plan(p, OfData ? product_gradient<float, true> : product<float>);
    return make_function_plan(p, OfData ? product_gradient<double, true> : product<double>);
}

planned make_matmul(problem &p) {
    const auto &desc = std::get<matmul_desc>(p.op);
    if (is_sparse(desc)) return make_sparse_matmul(p);
    if (const char *why =
            common_refusal(p.attr, {&desc.src, &desc.weights, &desc.bias, &desc.dst}, matmul_types))
        return why;
    if (const char *why = matmul_types_refusal(desc, p.attr)) return why;
    const bool integer = is_int8(desc.src.dtype);
    return make_function_plan(p, integer ? matmul<double> : matmul<float>);
}

} // namespace dnnl::impl::ref
