// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication (specification: "Matrix Multiplication"): float, f8, int8, and float
// sources with integer weights. Sums run over k in index order; see multiply_add() for their
// rounding.
#include "common/descriptors/matmul.hpp"

#include <numeric>

#include "common/descriptors/products.hpp"
#include "common/runtime/error.hpp"
#include "ref/function_plan.hpp"

namespace dnnl::impl::ref {

namespace {

/// Elements along k that share scales; K when the scales do not vary along it.
dim_t scale_group(const quantization *q, int ndims, int k_dim, dim_t K) {
    return q && q->mask >> k_dim & 1 ? q->group(ndims, k_dim) : K;
}

/// The arguments of one execution. Positions are those of dst, [batch ..., m, n]; src has k in the
/// place of n, weights in the place of m.
struct operands {
    const memory_desc &src_md, &weights_md;
    int m_dim, n_dim;
    dim_t K;
    dim_t group; ///< of k with common scales; K when scales are left to the epilogue
    tensor src, weights, src_zero_point, weights_zero_point;
    tensor src_scale, weights_scale; ///< those that vary along k

    operands(const primitive_attr &attr, const exec_context &ctx, epilogue &finish)
        : src_md(ctx.desc(DNNL_ARG_SRC)), weights_md(ctx.desc(DNNL_ARG_WEIGHTS)),
          m_dim(src_md.ndims - 2), n_dim(src_md.ndims - 1), K(src_md.dims[n_dim]),
          src(ctx, DNNL_ARG_SRC), weights(ctx, DNNL_ARG_WEIGHTS),
          src_zero_point(tensor::zero_points(ctx, attr, DNNL_ARG_SRC)),
          weights_zero_point(tensor::zero_points(ctx, attr, DNNL_ARG_WEIGHTS)),
          src_scale(tensor::scales(ctx, attr, DNNL_ARG_SRC)),
          weights_scale(tensor::scales(ctx, attr, DNNL_ARG_WEIGHTS)) {
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
        read_shifted(o.weights, o.weights_zero_point, b, weights_at, o.n_dim, count);
        multiply_add(sum, a[in_piece], b, count);
    }
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
    epilogue finish(ctx, attr, DNNL_ARG_DST, n_dim);
    const operands o(attr, ctx, finish);
    finish.add_bias(tensor(ctx, DNNL_ARG_BIAS));
    finish.for_each_row(static_cast<double>(o.K), [&](const dims_t &at, dim_t count) {
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
    [](data_type t) { return is_common_or_f8(t) || is_int4(t) || t == data_type::f4_e3m0; },
    "a tensor is not f32, bf16, f16, f8, s32, s8, u8, s4, u4 or f4_e3m0"};

} // namespace

planned make_matmul(problem &p) {
    const auto &desc = std::get<matmul_desc>(p.op);
    if (const char *why =
            common_refusal(p.attr, {&desc.src, &desc.weights, &desc.bias, &desc.dst}, matmul_types))
        return why;
    if (const char *why = matmul_types_refusal(desc, p.attr)) return why;
    const bool integer = is_int8(desc.src.dtype);
    return make_function_plan(p, integer ? matmul<double> : matmul<float>);
}

} // namespace dnnl::impl::ref
