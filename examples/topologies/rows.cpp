// SPDX-License-Identifier: Apache-2.0
// Layers of rows: products with weights, attention, normalization.
#include "builder.hpp"

#include <cmath>

namespace topologies {

using dnnl::algorithm;
using dnnl::prop_kind;
using tag = memory::format_tag;

void builder::add_dense() {
    layer_weights w = random_weights(g_, now_);
    const auto [stored, src_form] = operand(source());
    const dim rows = current().shape[0], K = at(source()).shape[1], N = current().shape[1];
    const memory src({{rows, K}, src_form.type, tag::ab}, engine_, stored.get_data_handle());
    const memory plain({{K, N}, dt::f32, tag::ba}, engine_, w.values.data());
    const memory scales = vector(scales_of_rows(w.values.data(), N, K));
    recipe r;
    scale(r, DNNL_ARG_SRC, src_form);
    scale(r, DNNL_ARG_DST, form_of(now_));
    scale_weights(r, 2, scales);
    finish(r, result(), w.slopes);
    const memory bias = vector(w.bias, {1, N}, tag::ab);
    const dnnl::matmul::primitive_desc pd(engine_, src.get_desc(),
        {{K, N}, weights_type(), tag::any}, bias.get_desc(), result().get_desc(), r.attr);
    r.args[DNNL_ARG_SRC] = src;
    r.args[DNNL_ARG_WEIGHTS] = packed(plain, pd.weights_desc(), 2, scales);
    r.args[DNNL_ARG_BIAS] = bias;
    r.args[DNNL_ARG_DST] = result();
    step_of<dnnl::matmul>("matmul", pd, std::move(r.args));
}

memory builder::by_head(const memory &rows, dim first, dim d, bool transposed) const {
    const layer &attention = at(current().what == kind::mix ? source() : now_);
    const dim N = attention.shape[0], heads = attention.shape[1], T = attention.shape[2];
    const dt type = rows.get_desc().get_data_type();
    const dim wide = rows.get_desc().get_dims()[1];
    void *begin = static_cast<char *>(rows.get_data_handle()) +
                  std::size_t(first) * memory::data_type_size(type);
    if (transposed) return {{{N, heads, d, T}, type, {T * wide, d, 1, wide}}, engine_, begin};
    return {{{N, heads, T, d}, type, {T * wide, d, wide, 1}}, engine_, begin};
}

void builder::multiply(recipe &r, const memory &a, const form &of_a, const memory &b,
    const form &of_b, const memory &to) {
    scale(r, DNNL_ARG_SRC, of_a);
    scale(r, DNNL_ARG_WEIGHTS, of_b);
    scale(r, DNNL_ARG_DST, form_of(now_));
    r.attr.set_post_ops(r.ops);
    r.args[DNNL_ARG_SRC] = a;
    r.args[DNNL_ARG_WEIGHTS] = b;
    r.args[DNNL_ARG_DST] = to;
    step_of<dnnl::matmul>(
        "matmul", {engine_, a.get_desc(), b.get_desc(), to.get_desc(), r.attr}, std::move(r.args));
}

void builder::add_scores() {
    const memory joined = to_.results_.at(source());
    const dim wide = at(source()).shape[1], d = wide / 3 / current().shape[1];
    recipe r;
    r.ops.append_eltwise(algorithm::eltwise_linear, 1 / std::sqrt(float(d)), 0);
    multiply(r, by_head(joined, 0, d), form_of(source()), by_head(joined, wide / 3, d, true),
        form_of(source()), result());
}

void builder::add_softmax() {
    const memory src = to_.results_.at(source());
    recipe r;
    scale(r, DNNL_ARG_DST, form_of(now_));
    r.args[DNNL_ARG_SRC] = src;
    r.args[DNNL_ARG_DST] = result();
    step_of<dnnl::softmax_forward>("softmax",
        {engine_, prop_kind::forward_inference, algorithm::softmax_accurate, src.get_desc(),
            result().get_desc(), 3, r.attr},
        std::move(r.args));
}

void builder::add_mix() {
    const int joined = current().sources[1];
    const dim channels = current().shape[1], d = channels / at(source()).shape[1];
    recipe r;
    multiply(r, to_.results_.at(source()), form_of(source()),
        by_head(to_.results_.at(joined), 2 * channels, d), form_of(joined),
        by_head(result(), 0, d));
}

void builder::add_normalization() {
    const layer_weights w = random_weights(g_, now_);
    const memory src = to_.results_.at(source());
    step_of<dnnl::layer_normalization_forward>("layer normalization",
        {engine_, prop_kind::forward_inference, src.get_desc(), result().get_desc(), 1e-12f,
            dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift},
        {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, result()}, {DNNL_ARG_SCALE, vector(w.normal_scale)},
            {DNNL_ARG_SHIFT, vector(w.normal_add)}});
}

} // namespace topologies
