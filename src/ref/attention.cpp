// SPDX-License-Identifier: Apache-2.0
// Attention (dnnl_ext.h), in f64, each row as a whole. The weights of bytes are rounded as the
// kernels round them, but by the largest score of the row.
#include <cmath>
#include <vector>

#include "common/descriptors/products/shapes.hpp"
#include "dnnl/dnnl_ext.h"
#include "ref/reference.hpp"

namespace dnnl::impl::ref {

namespace {

/// The weights of the keys for a row of queries, not divided by their sum; returns the sum.
double weigh(std::vector<double> &scores, bool as_bytes) {
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double &s : scores) {
        s = std::isinf(s) && s < 0 ? 0 : std::exp(s - largest);
        if (as_bytes) s = std::nearbyint(255 * s);
        sum += s;
    }
    return sum;
}

void attention(const attention_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const attention_shape shape = shape_of(desc);
    const tensor queries(ctx, DNNL_ARG_QUERIES), keys(ctx, DNNL_ARG_KEYS),
        values(ctx, DNNL_ARG_VALUES), mask(ctx, DNNL_ARG_ATTN_MASK), dst(ctx, DNNL_ARG_DST);
    const auto scale_of = [&](int arg) { return double {tensor::common_scale(ctx, attr, arg)}; };
    const double scale = desc.scale * scale_of(DNNL_ARG_QUERIES) * scale_of(DNNL_ARG_KEYS);
    const double value_scale = scale_of(DNNL_ARG_VALUES);
    const int last = desc.dst.ndims - 1, row = last - 1;
    box rows {desc.dst.ndims, {}, desc.dst.dims};
    rows.extents[last] = 1;
    const auto cost = double(shape.N * (shape.K + shape.E));
    rows.for_each_piece(last, 1, cost, [&](const dims_t &at, dim_t) {
        dims_t from = at;
        for (int d = 0; d < row; ++d) from[d] = shared_index(desc, desc.keys, d, at[d]);
        std::vector<float> query(shape.K), vector(std::max(shape.K, shape.E));
        std::vector<double> scores, sums(shape.E);
        queries.read(query.data(), at, last, shape.K);
        for (dim_t n = 0; n < std::min(shape.N, shape.visible(at[row])); ++n) {
            from[row] = n;
            keys.read(vector.data(), from, last, shape.K);
            double score = 0;
            for (dim_t k = 0; k < shape.K; ++k) score += double {query[k]} * vector[k];
            dims_t of_mask = at;
            of_mask[last] = n;
            scores.push_back(scale * score + mask.get_or<float>(of_mask, 0));
        }
        const double sum = scores.empty() ? 0 : weigh(scores, is_int8(desc.values.dtype));
        for (std::size_t n = 0; n < scores.size(); ++n) {
            from[row] = dim_t(n);
            values.read(vector.data(), from, last, shape.E);
            for (dim_t e = 0; e < shape.E; ++e) sums[e] += scores[n] * vector[e];
        }
        for (dim_t e = 0; e < shape.E; ++e)
            vector[e] = static_cast<float>(sum == 0 ? 0 : sums[e] / sum * value_scale);
        dst.write(vector.data(), at, last, shape.E);
    });
    zero_padding(desc.dst, ctx.data(DNNL_ARG_DST));
}

} // namespace

planned make_attention(problem &p) {
    const auto &op = std::get<attention_desc>(p.op);
    for (const char *why : {attention_types_refusal(op),
             common_refusal(p.attr, {&op.queries, &op.keys, &op.values, &op.mask, &op.dst})})
        if (why) return why;
    return make_function_plan(p, attention);
}

} // namespace dnnl::impl::ref
